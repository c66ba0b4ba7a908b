"""Arrays in shared memories: lifetimes, pools, the text, and what must not share."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from chains import chain

from hlspart.model.buffers import Buffer, Shared
from hlspart.model.options import BufferOptions, Options, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify, verify_many
from tests.amounts import amount

N = 1024


def pipeline(text: str, top: str = "top") -> Pipeline:
    return Pipeline(["p.c"], Options(top=top), lambda _: text.encode())


def shared(text: str, **options: Any) -> Shared:
    return pipeline(text).buffers(BufferOptions(**options))


def buffers(found: Shared) -> Mapping[str, Buffer]:
    return {b.name: b for b in found.sharing.buffers}


def body(declarations: str, nests: str, before: str = "", inside: str = "") -> str:
    return (
        f"#define N {N}\n{before}void top(const int in[N], int out[N])\n{{\n{inside}    {declarations}\n{nests}\n}}\n"
    )


def nest(statement: str) -> str:
    return f"    for (int i = 0; i < N; i++) {{ {statement} }}\n"


CHAIN = body(
    "int t1[N], t2[N];\n    int t3[N]; // the last",
    nest("t1[i] = in[i] + 1;")
    + nest("t2[i] = t1[N - 1 - i];")
    + nest("t3[i] = t2[(i + 7) % N];")
    + nest("out[i] = t3[i];"),
)


def equal(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "old.c").write_text(old)
    (tmp_path / "new.c").write_text(new)
    result = verify(str(tmp_path / "old.c"), str(tmp_path / "new.c"), VerifyOptions(top="top", vectors=3))
    assert result.status == "equal", result.message


def test_the_first_and_the_last_of_a_chain_share(tmp_path: Path) -> None:
    found = shared(CHAIN)
    assert (found.sharing.size, found.sharing.bound, found.sharing.unshared) == (8192, 8192, 12288)
    assert found.sharing.proved
    at = buffers(found)
    assert [(b.first, b.last) for b in at.values()] == [(0, 1), (1, 2), (2, 3)]
    assert at["t1"].offset == at["t3"].offset and at["t1"].pool == at["t3"].pool != at["t2"].pool
    assert (found.unshared_bram18k, found.bram18k) == (6, 4)
    new = found.files["p.c"]
    assert new.count("\n") == CHAIN.count("\n") and "// the last" in new
    assert "int t1_t3[N]; int t2[N];" in new and "t1_t3[i] = t2[(i + 7) % N];" in new
    assert not re.search(r"\bt[13]\b", new)
    equal(tmp_path, CHAIN, new)


def test_without_sharing_the_output_is_that_of_rewrite() -> None:
    text = CHAIN.replace("int t3", "\n#pragma HLS ARRAY_PARTITION variable=t1 block factor=2\n int t3")
    alone = shared(text, share=False)
    assert alone.files == pipeline(text).rewrite(RewriteOptions()).files
    assert alone.pools == () and alone.sharing.size == alone.sharing.unshared == 12288


@pytest.mark.parametrize(
    ("statement", "same"),
    [
        ("b[i] = a[i] * 2;", True),
        ("b[i] = a[i] + a[i] * in[i];", True),
        ("b[i] = a[(i + N - 1) % N];", False),
        ("b[i] = i ? a[i - 1] : 0;", False),
        ("b[i] = i < N - 1 ? a[i + 1] : 0;", True),
        ("b[N - 1 - i] = a[i];", False),
        ("b[i] = 0; b[i] = a[i];", False),
        ("for (int k = 0; k < 2; k++) b[i] = a[i] + k;", False),
    ],
)
def test_in_place_where_each_element_is_read_before_it_is_written(tmp_path: Path, statement: str, same: bool) -> None:
    text = body("int a[N], b[N];", nest("a[i] = in[i] + 1;") + nest(statement) + nest("out[i] = b[(i + 3) % N];"))
    found = shared(text)
    at = buffers(found)
    assert (at["b"].inplace_of, at["b"].offset == at["a"].offset) == (("a", True) if same else (None, False))
    assert found.sharing.size == (4096 if same else 8192) and found.sharing.bound <= found.sharing.size
    equal(tmp_path, text, found.files["p.c"])


REPEATED = """    for (int t = 0; t < 3; t++) {{
{}    }}
"""


def test_what_lives_across_a_repeat_shares_nothing_in_it() -> None:
    first, second = (
        nest("a[i] = in[i] + t;") + nest("out[i] += a[N - 1 - i];"),
        nest("b[i] = out[i];") + nest("out[i] = b[N - 1 - i];"),
    )
    apart = shared(body("int a[N], b[N];", REPEATED.format(first + second)))
    assert [(b.first, b.last) for b in buffers(apart).values()] == [(0, 1), (2, 3)]
    assert apart.sharing.size == 4096
    before = nest("a[i] = 0;")
    kept = first.replace("a[i] = in[i] + t;", "a[i] += in[i] + t;")  # of the last iteration
    across = shared(body("int a[N], b[N];", before + REPEATED.format(kept + second)))
    assert [(b.first, b.last) for b in buffers(across).values()] == [(0, 4), (3, 4)]
    assert across.sharing.size == 8192
    part = first.replace("a[i] = in[i] + t;", "if (i > t) a[i] = in[i];")  # some elements of the last iteration
    some = shared(body("int a[N], b[N];", before + REPEATED.format(part + second)))
    assert some.sharing.size == 8192 and buffers(some)["a"].last == 4


@pytest.mark.parametrize("head", ["t = 0; t < 3; t++", "t = 9; t > 3; t -= 2"])
def test_calls_in_a_repeat_are_steps_of_it(head: str, tmp_path: Path) -> None:
    function = "static void f(const int x[N], int y[N]) { for (int i = 0; i < N; i++) y[i] = x[N - 1 - i]; }\n"
    repeat = REPEATED.format("        f(a, b);\n" + nest("a[i] = b[i] ^ t;")).replace("t = 0; t < 3; t++", head)
    last = "    f(a, c);\n" + nest("d[i] = c[N - 1 - i] + 2;") + nest("out[i] = d[i];")
    text = body("int a[N], b[N], c[N], d[N];", nest("a[i] = in[i] ^ 1;") + repeat + last, before=function)
    found = shared(text)
    spans = {n: (b.first, b.last) for n, b in buffers(found).items()}
    assert spans == {"a": (1, 4), "b": (2, 3), "c": (4, 5), "d": (5, 6)} and found.sharing.size == 2 * 4 * N
    equal(tmp_path, text, found.files["p.c"])


def test_a_value_needed_behind_a_repeat_lives_through_it() -> None:
    inside = nest("a[i] = in[i] + t;") + nest("b[i] = in[i] * t;") + nest("out[i] += b[N - 1 - i];")
    found = shared(body("int a[N], b[N];", REPEATED.format(inside) + nest("out[i] += a[i];")))
    assert [(b.first, b.last) for b in buffers(found).values()] == [(0, 3), (1, 2)]
    assert found.sharing.size == 8192


NEVER = {
    "static": ("static int a[N]; int b[N];", "", "static"),
    "global": ("int b[N];", "int a[N];\n", "between calls"),
    "volatile": ("volatile int a[N]; int b[N];", "", "volatile"),
    "type": ("unsigned a[N]; int b[N];", "", "no other array"),
    "initial values": ("int a[N] = {1}; int b[N];", "", "initial values"),
    "address": ("int a[N], b[N]; int *p = &a[3]; out[0] = *p;", "", "address"),
    "size": ("int a[N], b[N]; out[0] = sizeof(a);", "", "size is asked"),
    "partition": ("int a[N], b[N];\n#pragma HLS ARRAY_PARTITION variable=a cyclic factor=4\n", "", "no other array"),
    "storage": ("int a[N], b[N];\n#pragma HLS BIND_STORAGE variable=a type=ram_1p\n", "", "no other array"),
    "stencil": ("int a[N], b[N];\n#pragma HLS STREAM variable=a\n", "", "STREAM names it"),
    "registers": ("int a[N], b[N];\n#pragma HLS ARRAY_PARTITION variable=a complete\n", "", "registers"),
    "macro": ("int a[N], b[N]; SET(a);", "#define SET(x) x[0] = 1\n", "macro"),
    "inactive": ("int a[N], b[N];\n#if 0\n a[0] = 1;\n#endif\n", "", "leaves out"),
    "unknown function": ("int a[N], b[N]; other(a);", "void other(int *);\n", ""),
}


@pytest.mark.parametrize("case", NEVER)
def test_what_never_shares(case: str) -> None:
    declarations, before, word = NEVER[case]
    nests = (
        nest("a[i] = in[i] + 1;")
        + nest("out[i] = a[N - 1 - i];")
        + nest("b[i] = out[i];")
        + nest("out[i] += b[N - 1 - i];")
    )
    found = shared(body(declarations, nests, before))
    assert found.pools == () and found.sharing.size == found.sharing.unshared
    assert word in (buffers(found)["a"].reason or "") and buffers(found)["a"].reason
    assert found.files == pipeline(body(declarations, nests, before)).rewrite(RewriteOptions()).files
    plain = shared(body("int a[N], b[N];", nests))
    assert plain.sharing.size == 4096  # the same without what stands in the way


def test_elements_read_before_they_are_written_keep_their_memory() -> None:
    nests = (
        nest("if (i > 3) a[i] = in[i];")
        + nest("out[i] = a[i];")
        + nest("b[i] = out[i];")
        + nest("out[i] += b[N - 1 - i];")
    )
    found = shared(body("int a[N], b[N];", nests))
    assert buffers(found)["a"].reason == "elements may be read before they are written" and found.pools == ()
    both = nests.replace("if (i > 3) a[i] = in[i];", "if (in[i] > 3) a[i] = in[i]; else a[i] = 1;")
    assert shared(body("int a[N], b[N];", both)).sharing.size == 4096


def test_channels_of_a_dataflow_region_count_twice_and_share_nothing() -> None:
    before = "static void f(const int x[N], int y[N]) { for (int i = 0; i < N; i++) y[i] = x[i] + 1; }\n"
    calls = "    f(in, a);\n    f(a, b);\n    f(b, c);\n    f(c, out);\n"
    text = body("int a[N], b[N], c[N];", calls, before)
    plain, dataflow = shared(text), shared(body("int a[N], b[N], c[N];", calls, before, "#pragma HLS DATAFLOW\n"))
    assert (plain.sharing.size, plain.sharing.unshared) == (8192, 12288)
    assert [b.copies for b in dataflow.sharing.buffers] == [2, 2, 2]
    assert dataflow.sharing.size == dataflow.sharing.unshared == 24576
    assert all("DATAFLOW" in (b.reason or "") for b in dataflow.sharing.buffers)


def test_calls_are_steps_and_functions_share_within_themselves(tmp_path: Path) -> None:
    before = """static void f(const int x[N], int y[N])
{
    int u[N], v[N];
    for (int i = 0; i < N; i++) u[i] = x[N - 1 - i];
    for (int i = 0; i < N; i++) y[i] = u[(i + 1) % N];
    for (int i = 0; i < N; i++) v[i] = y[N - 1 - i] + 1;
    for (int i = 0; i < N; i++) y[i] = v[(i + 5) % N];
}
"""
    text = body("int a[N], b[N], c[N];", "    f(in, a);\n    f(a, b);\n    f(b, c);\n    f(c, out);\n", before)
    found = shared(text)
    assert {p.names for p in found.pools} == {("u", "v"), ("a", "c")}
    assert (found.sharing.size, found.sharing.unshared) == (12288, 20480)
    equal(tmp_path, text, found.files["p.c"])


HANDED = """static void turn(int x[64], int y[64])
{
    for (int i = 0; i < 64; i++) y[i] = x[63 - i];
}
"""


def test_what_a_call_gets_shares_with_arrays_of_as_many_rows(tmp_path: Path) -> None:
    nests = (
        "    for (int i = 0; i < 64; i++) a[i] = in[i];\n    turn(a, b);\n"
        "    for (int i = 0; i < 64; i++) c[i] = b[63 - i] + 1;\n"
        "    for (int i = 0; i < ROWS; i++) out[i] = c[63 - i % 64];"
    )
    text = body("int a[64], b[64], c[ROWS];", nests, before=HANDED)
    same_rows = text.replace("ROWS", "64")
    found = shared(same_rows)
    assert [p.names for p in found.pools] == [("a", "c")]
    equal(tmp_path, same_rows, found.files["p.c"])
    more = shared(text.replace("ROWS", "65"))
    assert not more.pools and "as many rows" in (buffers(more)["a"].reason or "")


def test_a_reference_is_no_memory_of_its_own() -> None:
    text = body("int a[N]; int (&r)[N] = a;", nest("r[i] = in[i];") + nest("out[i] = a[i];"))
    found = Pipeline(["p.cpp"], Options(top="top"), lambda _: text.encode()).buffers(BufferOptions())
    assert list(buffers(found)) == ["a"] and found.sharing.unshared == 4 * N


def test_members_of_different_blocks_are_declared_around_all(tmp_path: Path) -> None:
    inner = "        { short s; int b[N], k[4]; s = 1; k[in[0] & 3] = s;\n" + nest("b[i] = out[i];")
    inner += nest("out[i] += b[N - 1 - i] + s;") + "        out[0] += k[in[0] & 3]; }\n"
    outer = "        int a[N];\n" + nest("a[i] = in[i] + t;") + nest("out[i] = a[N - 1 - i];")
    text = body("", REPEATED.format(outer + inner))
    found = shared(text)
    assert [p.names for p in found.pools] == [("a", "b")]
    assert "int k[4];" in found.files["p.c"]
    equal(tmp_path, text, found.files["p.c"])


BOTH_LIVE = "".join(
    nest(f"if (i < 300) {{ {statement} }}")
    for statement in (
        "a[i] = in[i]; out[i] = in[i];", "b[i] = out[i] * 2;", "out[i] = a[299 - i];", "out[i] += b[299 - i];"
    )
)  # fmt: skip
"""Two arrays that live at the same time, in nests of which each waits for the one before."""


def test_arrays_at_offsets_of_one_pool(tmp_path: Path) -> None:
    nests = BOTH_LIVE + nest("c[i] = out[i];") + nest("out[i] += c[N - 1 - i];")
    text = body("int a[300], b[300], c[N];", nests)
    found = shared(text, granule="bytes")
    assert found.sharing.size == found.sharing.bound == 4096 and found.sharing.proved
    assert sorted(row for _, row in found.pools[0].members) == [0, 0, 300]
    assert " + 300]" in found.files["p.c"]
    equal(tmp_path, text, found.files["p.c"])


def test_small_buffers_share_one_block_of_memory() -> None:
    found = shared(body("unsigned char a[300], b[300];", BOTH_LIVE))
    assert (found.unshared_bram18k, found.bram18k) == (2, 1) and found.sharing.size == found.sharing.unshared == 600


def cycles(text: str) -> int | None:
    """What ``ii`` says of the whole."""
    (found,) = [f for f in pipeline(text).figures.functions if f.name == "top"]
    return found.latency.max


def test_nests_that_run_at_once_do_not_come_to_wait_for_each_other() -> None:
    first = nest("a[i] = in[i] + 1;") + nest("out[i] = a[N - 1 - i];")
    then = nest("b[i] = in[i] * 2;") + nest("out[i] += b[N - 1 - i];")
    apart, behind = (body("int a[N], b[N];", first + x) for x in (then, then.replace("in[i]", "out[i]")))
    found = shared(apart)
    assert found.pools == () and found.files["p.c"] == apart
    assert {b.reason for b in found.sharing.buffers} == {
        "sharing would make top worse: steps that run at once would wait for each other"
    }
    slower = apart.replace("int a[N], b[N];", "int a[N];").replace("b[", "a[")
    assert (cycles(slower) or 0) > (cycles(apart) or 0) > 3 * N  # 4 nests, of which 3 wait for each other
    assert shared(behind).sharing.size == 4096 and cycles(shared(behind).files["p.c"]) == cycles(behind)


def test_another_packing_is_taken_where_one_makes_nests_wait() -> None:
    """Two memories would do for four arrays; the nest that writes the last one would wait for the chain."""
    chain = nest("a[i] = in[i] + 1;") + nest("b[i] = a[N - 1 - i];") + nest("c[i] = b[N - 1 - i];")
    last = nest("d[i] = in[N - 1 - i];") + nest("out[i] = c[N - 1 - i] + d[i];")
    text = body("int a[N], b[N], c[N], d[N];", chain + last)
    found = shared(text)
    assert len(found.pools) == 1 and found.sharing.size == 3 * 4 * N
    assert cycles(found.files["p.c"]) == cycles(text)
    fewer = body("int a_c[N], b_d[N];", re.sub(r"\b([ac])\[", "a_c[", re.sub(r"\b([bd])\[", "b_d[", chain + last)))
    assert (cycles(fewer) or 0) > (cycles(text) or 0) > 0


def recount(found: Shared) -> None:
    """No two arrays that are live at one step have a byte in common, but where one takes the other's place there."""
    for one, other in itertools.combinations(found.sharing.buffers, 2):
        if one.last < other.first or other.last < one.first:
            continue
        places = {(one.name, one.inplace_of), (other.name, other.inplace_of)}
        if (one.name, other.name) in places or (other.name, one.name) in places:
            continue
        clear = (
            one.offset + one.size * one.copies <= other.offset or other.offset + other.size * other.copies <= one.offset
        )
        assert clear, (one, other)


def test_random_chains(tmp_path: Path) -> None:
    """What shares behaves alike, takes no more memory, and nothing of it is slower."""
    pairs, saved, blocks, in_place, known = [], 0, 0, 0, 0
    for seed in range(amount(3, 10)):
        text = chain(seed)
        old = pipeline(text)
        found = old.buffers(BufferOptions(granule="bytes" if seed % 2 else "bram"))
        recount(found)
        assert found.sharing.bound <= found.sharing.size <= found.sharing.unshared
        saved += found.sharing.unshared - found.sharing.size
        blocks += found.unshared_bram18k - found.bram18k
        in_place += sum(b.inplace_of is not None for b in found.sharing.buffers)
        if not found.pools:
            continue
        new = found.files["p.c"]
        after = pipeline(new).figures
        assert sum(a.bram18k for a in after.arrays) == found.bram18k <= found.unshared_bram18k
        for one, other in zip(old.figures.loops, after.loops, strict=True):
            assert one.ii is None or (other.ii is not None and other.ii <= one.ii)
        for was, now in zip(old.figures.functions, after.functions, strict=True):
            assert was.latency.max is None or (now.latency.max or 0) <= was.latency.max
            known += was.latency.max is not None
        (tmp_path / f"{seed}.c").write_text(text)
        (tmp_path / f"{seed}_new.c").write_text(new)
        pairs.append(
            (str(tmp_path / f"{seed}.c"), str(tmp_path / f"{seed}_new.c"), VerifyOptions(top="top", vectors=2))
        )
    results = verify_many(pairs)
    assert [r.status for r in results] == ["equal"] * len(results)
    assert (
        len(results) >= amount(3, 5) and saved > amount(250, 500) and blocks >= amount(2, 8) and known >= amount(3, 5)
    )
