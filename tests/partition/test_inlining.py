"""Arrays that meet only in inlined functions may differ: each call has memories of its own."""

from __future__ import annotations

import pytest
from partition_helpers import partitions, validated

from hlspart.model.options import InferOptions, Options, RewriteOptions
from hlspart.pipeline import Pipeline

TEXT = """\
static void h(int x[8]) {{
{h}  for (int i = 0; i < 8; i++) x[i]++;
}}
static void g(int in[8], int out[8]) {{
{g}  for (int i = 0; i < 8; i++) out[i] = in[7 - i];
  h(out);
}}
void f(int x[8], int y[8]) {{
  int a[8], b[8];
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=2
#pragma HLS ARRAY_PARTITION variable=b complete
  for (int i = 0; i < 8; i++) a[i] = x[i];
  g(a, b);
  g(b, a);
  for (int i = 0; i < 8; i++) y[i] = b[i];
}}
"""
INLINE = "#pragma HLS INLINE\n"


@pytest.mark.parametrize(
    ("g", "h", "states"),
    [
        (INLINE, INLINE, ["applied", "applied"]),
        (INLINE, "", ["conflict", "conflict"]),  # h is one function with one parameter
        ("", INLINE, ["conflict", "conflict"]),
        ("", "", ["conflict", "conflict"]),
        (INLINE, "#pragma HLS INLINE off\n", ["conflict", "conflict"]),
        (INLINE, INLINE + "#pragma HLS ARRAY_PARTITION variable=x block factor=2\n", ["conflict"] * 3),
    ],
)
def test_conflicts_of_arrays_that_meet_in_functions(g: str, h: str, states: list[str]) -> None:
    _, _, validation = validated(TEXT.format(g=g, h=h))
    assert [s.status for s in partitions(validation)] == states


def test_each_array_has_its_own_partition_and_the_loops_inside_are_unknown() -> None:
    text = TEXT.format(g=INLINE, h=INLINE)
    found = Pipeline(["k.c"], Options(), lambda _: text.encode())
    banks = {a.name: a.banks for a in found.ii.arrays if a.name in ("a", "b")}
    assert banks == {"a": 2, "b": 8}
    assert {(x.function, x.ii) for x in found.ii.loops} == {("h", None), ("g", None), ("f", 1)}
    (cause,) = {x.cause for x in found.ii.loops if x.function == "h"}
    assert cause == "calls of h hand over arrays of several partitions as x"
    result = found.rewrite(RewriteOptions(style="split"))
    assert result.files["k.c"] == text
    inferred = {a.name: a.reason for a in found.infer(InferOptions()).arrays}
    assert "arrays that meet in an inlined function have partitions of their own" in inferred["a"]


def test_a_pipelined_caller_sees_both_partitions() -> None:
    text = TEXT.format(g=INLINE, h=INLINE).replace("y[8]) {\n  int a", "y[8]) {\n#pragma HLS PIPELINE\n  int a")
    found = Pipeline(["k.c"], Options(), lambda _: text.encode())
    assert [(x.function, x.ii is None) for x in found.ii.loops if x.function == "f"] == [("f", False)]
