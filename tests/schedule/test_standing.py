"""Loops of functions that pipelined loops alone call are unrolled there: nobody speaks of them as loops."""

from __future__ import annotations

import pytest

import hlspart

KERNEL = """static short below(const short w[9]) {
  short s = 0;
  DEEP: for (int i = 0; i < 9; i++) s += w[i];
  return s;
}
static short sum(const short w[9], int n) {
  short s = 0;
  SUM: for (int i = 0; i < @BOUND@; i++) s += w[i] * 3;
  return s + below(w);
}
void top(const short in[64], short out[64], int n) {
  short w[9];
  START: for (int i = 0; i < 9; i++) {
#pragma HLS UNROLL
    w[i] = 0;
  }
  @FIRST@
  MAIN: for (int k = 0; k < 64; k++) {
#pragma HLS PIPELINE II=1
    SHIFT: for (int i = 0; i < 8; i++) w[i] = w[i + 1];
    w[8] = in[k];
    out[k] = sum(w, n);
  }
}
"""


def kernel(bound: str = "9", first: str = "") -> hlspart.Kernel:
    return hlspart.parse(KERNEL.replace("@BOUND@", bound).replace("@FIRST@", first))


def loops(k: hlspart.Kernel) -> set[str]:
    return {x.name for x in k.ii().loops}


def test_the_loops_of_a_function_in_a_pipelined_loop_are_gone_and_its_window_is_registers() -> None:
    found = kernel()
    assert loops(found) == {"MAIN"}
    main = next(x for x in found.ii().loops if x.name == "MAIN")
    assert (main.ii, main.cause) == (1, None)
    window = next(a for a in found.ii().arrays if (a.name, a.function) == ("w", "top"))
    assert (window.storage, window.banks) == ("registers", 9)
    assert [f.name for f in found.pipeline.figures.functions] == ["top"]
    said = [x.message for x in found.pipeline.lint(None).diagnostics]
    assert not any("SUM" in text or "DEEP" in text for text in said)


@pytest.mark.parametrize(
    ("bound", "first", "wanted"),
    [
        ("9", "out[0] = below(w);", {"MAIN", "DEEP"}),  # it also runs by itself
        ("9", "out[0] = sum(w, n);", {"MAIN", "SUM", "DEEP"}),
        ("n", "", {"MAIN", "SUM", "DEEP"}),  # a bound at run time cannot be unrolled
    ],
)
def test_loops_that_run_by_themselves_stay(bound: str, first: str, wanted: set[str]) -> None:
    assert loops(kernel(bound, first)) == wanted


def test_infer_says_that_the_tool_makes_the_window_registers() -> None:
    (window,) = [a for a in kernel().infer().arrays if a.name == "w"]
    assert (window.kind, window.reason) == ("none", "the tool makes it registers by itself, which have no ports")
