"""Adders of recurrences that miss the II that a directive names, and sums that may be taken in another order.

Reports of four repositories (Vitis HLS 2022.2 and 2023.2, UltraScale+): see the profile of 2022.2.
"""

from __future__ import annotations

import pytest
from predicting import loop

from hlspart.model.options import Options, TargetOptions
from hlspart.pipeline import Pipeline

PART = "xcu280-fsvh2892-2L-e"
UNSAFE = (("config_compile.unsafe_math_optimizations", "1"),)

TEXT = """float f(float x[64]) {
    float s = 0;
    L: for (int i = 0; i < 64; i++) {
        #pragma HLS PIPELINE %s
        s += x[i] * 3.0f;
    }
    return s;
}
"""


@pytest.mark.parametrize(
    ("asked", "tool", "clock", "ii", "dsp"),
    [
        ("II=1", "vitis-2023.2", 3.33, 4, 3),  # the product alone has DSP blocks
        ("II=4", "vitis-2022.2", 3.33, 4, 3),
        ("II=1", "vitis-2023.2", 4.0, 3, 3),
        ("", "vitis-2023.2", 4.0, 6, 5),
        ("II=6", "vitis-2023.2", 4.0, 6, 5),  # reached with DSP blocks
    ],
)
def test_adders_of_a_recurrence(asked: str, tool: str, clock: float, ii: int, dsp: int) -> None:
    found = loop(TEXT % asked, tool=tool, part=PART, clock_ns=clock)
    assert (found.ii, found.bounds, found.dsp) == (ii, None, dsp)


def test_a_version_without_reports() -> None:
    found = loop(TEXT % "II=1", tool="vitis-2022.1", part="xcu280-fsvh2892-2L-e", clock_ns=4.0)
    assert (found.ii, found.bounds) == (None, (3, 6))


SUMS = """void f(float a[64][%d], float out[64]) {
    #pragma HLS ARRAY_PARTITION variable=a complete dim=2
    float s[64];
    A: for (int i = 0; i < 64; i++)
        L: for (int j = 0; j < 8; j++) {
            #pragma HLS PIPELINE II=1
            if (j == 0) s[i] = 0;
            for (int k = 0; k < %d; k++) s[i] += a[i][k] * 2.0f;
            out[i] = s[i];
        }
}
"""


@pytest.mark.parametrize("terms", [2, 4, 8])
def test_sums_in_any_order(terms: int) -> None:
    """Under unsafe math the carried value may join a balanced sum last (one adder) or first (all on its way)."""
    target = TargetOptions(tool="vitis-2023.2", part=PART, clock_ns=3.33, settings=UNSAFE)
    text = SUMS % (terms, terms)
    found = next(x for x in Pipeline(["f.c"], Options(top="f", target=target), lambda _: text.encode()).figures.loops
                 if x.pipelined)  # fmt: skip
    low, high = found.bounds or (found.ii, found.ii)
    assert low is not None and high is not None
    assert low <= 4 < 4 * (terms.bit_length()) <= high


RESUMED = """void f(float a[50][%d], float b[4], float s[4]) {
    #pragma HLS ARRAY_PARTITION variable=a complete dim=2
    #pragma HLS ARRAY_PARTITION variable=b complete
    #pragma HLS ARRAY_PARTITION variable=s complete
    L: for (int i = 0; i < 50; i++) {
        #pragma HLS PIPELINE
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < %d; k++) s[j] += %s;
    }
}
"""


@pytest.mark.parametrize("terms", [1, 2, 4, 5, 8])
def test_an_element_that_is_added_to_joins_its_sum_last(terms: int) -> None:
    """Reports of eight loops in two repositories (2023.2, 4 ns, sums of seven states): II 6 for 2, 4, 5 and 8 terms."""
    text = RESUMED % (terms, terms, "a[i][k] * b[j]")
    found = loop(text, tool="vitis-2023.2", part="xcu200-fsgd2104-2-e", clock_ns=4.0, settings=UNSAFE)
    assert (found.ii, found.bounds) == (6, None)


def test_terms_that_the_recurrence_makes_leave_the_order_open() -> None:
    text = """void f(float a[64][4], float x[64]) {
    #pragma HLS ARRAY_PARTITION variable=a complete dim=2
    L: for (int i = 1; i < 64; i++) {
        #pragma HLS PIPELINE
        for (int k = 0; k < 4; k++) x[i] += a[i][k] * x[i - 1];
    }
}
"""
    found = loop(text, tool="vitis-2023.2", part="xcu200-fsgd2104-2-e", clock_ns=4.0, settings=UNSAFE)
    assert found.ii is None and found.bounds is not None and found.bounds[0] < found.bounds[1]
