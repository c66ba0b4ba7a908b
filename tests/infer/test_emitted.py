"""Proposals that need the rewrite: none makes a loop slower, banks are enough for loads and stores apart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from inferring import array, asked, pipeline
from msgspec.structs import replace

from hlspart.infer import infer
from hlspart.infer.emitted import UNREAD
from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions, RewriteOptions
from hlspart.model.results import IIResult
from hlspart.model.rewriting import RewriteResult
from hlspart.pipeline import Pipeline
from hlspart.readback import Proposals


def in_place(reads: Sequence[int], storage: str = "", ii: int = 1) -> str:
    terms = " + ".join(f"A[i + {k}]" for k in reads)
    return f"""void f(int in[64], int out[64])
{{
    int A[64];
{storage}    for (int i = 0; i < 64; i++) A[i] = in[i];
    L: for (int i = 8; i < 40; i++) {{
#pragma HLS PIPELINE II={ii}
        int s = {terms};
        A[i - 8] = s;
        out[i] = s;
    }}
    for (int i = 0; i < 64; i++) out[i] += A[i];
}}
"""


def emitted(text: str, result: InferResult) -> list[int | None]:
    """The II of pipelined loops in the text that the rewrite writes for a proposal."""
    written = pipeline(text).rewriting(RewriteOptions()).inferred(result).files["k.c"]
    return [x.ii for x in pipeline(written).figures.loops if x.pipelined and x.origin == "pragma"]


def fewest(reads: Sequence[int], served: int) -> int:
    """Cyclic banks that are asked for at most ``served`` of the reads in any iteration."""
    fits = (n for n in range(1, 64) if max(sum(r % n == b for r in reads) for b in range(n)) <= served)
    return next(fits)


@pytest.mark.parametrize("reads", [(0, 2, 4), (0, 1, 3), (0, 2, 5, 9)])
def test_loads_and_stores_have_ports_enough_in_the_text(reads: tuple[int, ...]) -> None:
    """One store and one load for each bank and cycle: two ports serve two loads only where nothing is stored."""
    text = in_place(reads, "#pragma HLS BIND_STORAGE variable=A type=ram_t2p\n")
    result = pipeline(text).infer(InferOptions())
    found = array(result, "A")
    assert found.needs_rewrite and found.banks == fewest(reads, 1) and found.proved_minimal
    assert [x.ii_after for x in asked(result)] == emitted(text, result) == [1]


def test_a_memory_that_the_source_names_is_not_replaced_by_copies() -> None:
    text = in_place((0, 2), "#pragma HLS BIND_STORAGE variable=A type=ram_1p\n")
    result = pipeline(text).infer(InferOptions())
    found = array(result, "A")
    assert found.needs_rewrite and found.banks == 2  # a load and a store of each bank take two cycles of its port
    assert [(x.ii_before, x.ii_after) for x in asked(result)] == [(3, 2)] and emitted(text, result) == [2]


class Doctored(Proposals, frozen=True):
    """Checks in which loop L of a rewritten text has this II."""

    ii: int = 1

    def rewritten(self, proposal: InferResult) -> tuple[RewriteResult, IIResult | None]:
        written, after = super().rewritten(proposal)
        assert after is not None
        return written, replace(
            after, loops=tuple(replace(x, ii=self.ii) if x.label == "L" else x for x in after.loops)
        )


def doctored(p: Pipeline, ii: int) -> InferResult:
    """What is proposed if the check of the text gave the loop this II."""
    options = InferOptions()
    return infer(p.program, p.analysis, p.validation, p.target, options, Doctored(p, options, ii))


def test_a_rewrite_that_makes_a_loop_slower_is_not_proposed() -> None:
    text = in_place((0, 2, 4), "#pragma HLS BIND_STORAGE variable=A type=ram_t2p\n")
    (loop,) = asked(doctored(pipeline(text), 7))
    assert (loop.ii_before, loop.ii_after) == (2, 2)
    found = array(doctored(pipeline(text), 7), "A")
    assert (
        not found.needs_rewrite
        and "not rewritten: with banks selected at run time L: II 7 instead of 2" in found.reason
    )


def test_a_rewrite_that_falls_short_stays_where_nothing_else_is_better() -> None:
    text = in_place((0, 2, 4, 6, 8), "#pragma HLS BIND_STORAGE variable=A type=ram_t2p\n")
    (loop,) = asked(doctored(pipeline(text), 2))
    assert (loop.ii_before, loop.ii_after) == (3, 2) and loop.rewritten


def test_where_the_rewrite_refuses_what_a_pragma_can_do_is_proposed() -> None:
    text = in_place((0, 2, 4), "#pragma HLS BIND_STORAGE variable=A type=ram_t2p\n")
    text = text.replace("int A[64]", "struct { int v; } A[64]")
    for index in ("i", "i + 0", "i + 2", "i + 4", "i - 8"):
        text = text.replace(f"A[{index}]", f"A[{index}].v")
    result = pipeline(text).infer(InferOptions())
    assert not array(result, "A").needs_rewrite and "the rewrite refuses it: " in array(result, "A").reason
    assert all(x.ii_after is not None and x.ii_after <= (x.ii_before or 0) for x in result.loops)


def test_a_loop_that_runs_loops_by_calls_is_not_innermost() -> None:
    text = """void g(int A[64]) { for (int i = 0; i < 64; i++) A[i] += 1; }
    void f(int A[64]) { for (int k = 0; k < 4; k++) g(A); }"""
    assert [x.function for x in pipeline(text).infer(InferOptions()).loops] == ["g"]


def test_pareto_points_that_need_the_rewrite_have_the_ii_of_its_text() -> None:
    text = in_place((0, 2, 4, 6, 8), "#pragma HLS BIND_STORAGE variable=A type=ram_t2p\n")
    p = pipeline(text)
    for point in p.infer(InferOptions(pareto=True)).pareto:
        ii = int(str(point["ii"]))
        result = p.infer(InferOptions(target_ii=ii))
        rewritten = any(a.needs_rewrite for a in result.arrays)
        assert [x.ii_after for x in asked(result) if x.name == "L"] == [ii]
        assert not rewritten or emitted(text, result) == [ii]


def test_copies_are_as_many_as_the_reads_of_the_ii_asked_for() -> None:
    """The tool copies for its own II: so few copies as a slower one needs cannot be had."""
    text = in_place(range(0, 12, 2), ii=1).replace("A[i - 8] = s;", "")
    for most in (2, 5):
        result = pipeline(text).infer(InferOptions(max_banks=most))
        assert array(result, "A").kind != "replicate"


def test_registers_take_the_place_of_banks_that_part_stores_and_fall_short() -> None:
    """Two banks part what recurs, and leave too few ports; 24 elements as registers have neither limit."""
    text = """void f(int in[64], int out[64])
{
    char A[24];
    for (int i = 0; i < 24; i++) A[i] = in[i];
    L: for (unsigned i = 0; i < 3; i++) {
#pragma HLS PIPELINE II=1
        for (unsigned j = 0; j < 2; j++) {
            A[j + i + 3] = A[2 * i + j + 17] & 1;
            A[2 * i + 18] = (A[i + 6] + 1) & 1;
        }
    }
    for (int i = 0; i < 24; i++) out[i] = A[i];
}
"""
    first = pipeline(text).rewrite(RewriteOptions(infer=True)).files["k.c"]
    assert {x.name: x.ii for x in pipeline(first).figures.loops if x.name == "L"} == {"L": 1}
    assert pipeline(first).rewrite(RewriteOptions(infer=True)).files["k.c"] == first


def test_a_text_of_too_many_selections_is_not_read_back() -> None:
    """Rows by one loop and columns by another, each whole in an iteration: every access chooses among the banks."""
    n = 64
    text = f"""void f(int in[{n}][{n}], int p[{n}], int out[{n}])
{{
    int A[{n}][{n}];
    for (int i = 0; i < {n}; i++) for (int j = 0; j < {n}; j++) A[i][j] = in[i][j];
    for (int i = 0; i < {n}; i++) {{
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int j = 0; j < {n}; j++) s += A[i][j] ^ A[j][i];
        out[i] = s;
    }}
}}
"""
    result = pipeline(text).infer(InferOptions())
    assert UNREAD in array(result, "A").reason and not array(result, "A").needs_rewrite
