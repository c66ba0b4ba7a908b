"""What is stored before it is read, and in which order, where iterators rise and fall: against all iterations."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.options import Options, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.sets.windows import is_in_step, read_of_own

Form = tuple[int, int, int, int]  # coefficients of i, j and k, and a constant


def values(count: int, step: int) -> list[int]:
    return list(range(count)) if step > 0 else list(range(count - 1, -1, -1))


def header(name: str, count: int, step: int) -> str:
    if step > 0:
        return f"for (int {name} = 0; {name} < {count}; {name}++)"
    return f"for (int {name} = {count - 1}; {name} >= 0; {name}--)"


def analysed(text: str, name: str = "p.c") -> AccessAnalysis:
    return Pipeline([name], Options(), lambda _: text.encode()).analysis


def steps_of(analysis: AccessAnalysis) -> dict[int, int | None]:
    return {ident: info.step for ident, info in analysis.loops.items()}


def is_read_of_own(store: Form, load: Form, moves: Sequence[int], read_first: bool) -> bool:
    """By a run through the nest: whether a load has the element of a store that came before, in the same ``i``."""
    for i in range(4):
        stored = set[int]()
        for j in values(3, moves[0]):
            for k in values(3, moves[1]):
                element, wanted = (a * i + b * j + c * k + d for a, b, c, d in (store, load))
                if wanted in stored or (not read_first and wanted == element):
                    return True
                stored.add(element)
    return False


@pytest.mark.parametrize("first", (0, 40))
def test_a_store_ahead_of_a_load_is_that_of_a_run(first: int) -> None:
    ahead = 0
    for seed in range(first, first + 40):
        rng = random.Random(seed)
        store, load = ((rng.choice((1, 2)), *rng.choices((-1, 0, 1, 2, 3), k=2), rng.randint(18, 24)) for _ in range(2))
        moves, read_first = rng.choices((1, -1), k=2), rng.random() < 0.7
        target, value = (f"B[{a} * i + {b} * j + {c} * k + {d}]" for a, b, c, d in (store, load))
        body = f"x = {value}; {target} = x;" if read_first else f"{target} = x; x = {value};"
        inner = f"{header('j', 3, moves[0])} {header('k', 3, moves[1])} {{ {body} }}"
        analysis = analysed(f"void f(int B[64], int x) {{ for (int i = 0; i < 4; i++) {inner} }}\n")
        write = next(a for a in analysis.accesses if a.kind == "write")
        read = next(a for a in analysis.accesses if a.kind == "read")
        inside = read_of_own(write, read, 1, steps_of(analysis))
        wanted = is_read_of_own(store, load, moves, read_first)
        assert (inside is not None) == wanted, (seed, store, load, moves, read_first)
        ahead += wanted
    assert 4 <= ahead <= 36


@pytest.mark.parametrize(
    ("header_", "index", "form", "in_step"),
    [
        ("int z = 0; z < 16; z++", "z", Affine.of({"z": 1}), True),
        ("int z = 15; z >= 0; z--", "z", Affine.of({"z": 1}), False),
        ("int z = 15; z >= 0; z--", "15 - z", Affine((("z", -1),), 15), True),
        ("int z = 0; z < 16; z++", "15 - z", Affine((("z", -1),), 15), False),
    ],
)
def test_stores_are_in_step_where_time_and_place_rise_together(
    header_: str, index: str, form: Affine, in_step: bool
) -> None:
    analysis = analysed(f"void f(int B[16], int x) {{ for ({header_}) B[{index}] = x; }}\n")
    write = analysis.accesses[0]
    assert is_in_step(write, [form], None, ((0, 15),), steps_of(analysis)) == in_step


STORED_INSIDE = """
void k(int in[32], int out[32])
{
    int B[40];
    for (int z = 0; z < 40; z++) B[z] = in[z % 32];
    for (int i = 0; i < 30; i++) {
#pragma HLS PIPELINE II=1
        int sum = 0;
        for (INNER) {
            sum += B[i + j] + B[i + j + 2] + B[i + j + 4];
            if (j == 1) B[i] = sum;
        }
        out[i] = sum;
    }
}
"""


@pytest.mark.parametrize("step", (1, -1))
def test_windows_ask_for_the_order_of_inner_loops(step: int) -> None:
    """Only where ``j`` falls is the element that is stored at ``j == 1`` read again, at 0."""
    text = STORED_INSIDE.replace("for (INNER)", header("j", 4, step))
    result = Pipeline(["p.c"], Options(), lambda _: text.encode()).rewrite(RewriteOptions(style="reuse"))
    refused = [o.code for o in result.outcomes if o.status == "refused"]
    assert ("B_window" in result.files["p.c"]) == (step > 0) == ("dependence" not in refused)


def first_write(analysis: AccessAnalysis) -> Access:
    return next(a for a in analysis.accesses if a.kind == "write")


def test_loops_that_are_not_counted_have_any_order() -> None:
    text = "void f(int B[40], int n, int x) { for (int i = 0; i < 30; i++) "
    text += "while (n & 1) { n = n / 2; x = B[i + 2]; B[i + 2] = n; } }\n"
    analysis = analysed(text)
    read = next(a for a in analysis.accesses if a.kind == "read")
    assert read_of_own(first_write(analysis), read, 1, steps_of(analysis)) is not None
