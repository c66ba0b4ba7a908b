"""Loops of one iteration, which the tool takes away ahead of everything else."""

from __future__ import annotations

import pytest
from predicting import result

SUMS = """void f(float A[60][{n}], float t[60], float o[{n}]) {{
    float y[{n}];
#pragma HLS ARRAY_PARTITION variable=y complete
#pragma HLS ARRAY_PARTITION variable=A complete dim=2
    for (int j = 0; j < {n}; j++) y[j] = 0;
{around}    L: for (int i = 0; i < 60; i++) {{
#pragma HLS PIPELINE
        for (int j = 0; j < {n}; j++) y[{index}] = y[{index}] + A[i][{index}] * t[i];
    }}
    for (int j = 0; j < {n}; j++) o[j] = y[j];
}}
"""


@pytest.mark.parametrize(
    ("around", "index"),
    [
        ("    for (int b = 0; b < 1; b++)\n", "b * 4 + j"),
        ("    for (int b = 2; b < 3; b++)\n    for (int a = 0; a < 1; a++)\n", "b * 4 + a + j - 8"),
        ("    for (int b = 0; b < 4; b += 4)\n", "b + j"),
    ],
)
def test_a_nest_is_what_it_is_without_the_loops_of_one_iteration(around, index):
    """Reports of 961 loops name none with one iteration; a sum that stays in a register has the adder's II, 6."""
    with_them, without = (
        result(SUMS.format(n=4, around=a, index=i), tool="vitis-2023.2", part="xcu200-fsgd2104-2-e", clock_ns=4.0)
        for a, i in ((around, index), ("", "j"))
    )
    (one,), (plain,) = ([x for x in r.loops if "L" in x.name.split("_")] for r in (with_them, without))
    assert (one.name, one.ii, one.depth, one.latency) == (plain.name, plain.ii, plain.depth, plain.latency)
    assert one.ii == 6


def test_the_name_of_a_nest_has_the_levels_that_iterate():
    text = """void f(int a[24], int b[24]) {
    A: for (int i = 0; i < 4; i++)
    B: for (int k = 0; k < 1; k++)
    C: for (int j = 0; j < 6; j++) {
#pragma HLS PIPELINE
        b[i * 6 + k + j] = a[i * 6 + k + j] + 1;
    }
}
"""
    (nest,) = result(text, tool="vitis-2023.2").loops
    assert (nest.name, nest.flattened, nest.trip_count.exact) == ("A_C", ("A", "B", "C"), 24)


@pytest.mark.parametrize(("step", "said"), [(2, 1), (1, None)])
def test_stores_that_no_iteration_brings_together_by_divisibility(step, said):
    """Of 80 x + 2 y and 80 x + 2 y + 1 no bounds are needed to see that they differ: 55 loops of reports have II 1."""
    text = f"""void f(int in[400], int out[400]) {{
    int a[400];
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=2
    A: for (int x = 0; x < 5; x++)
    L: for (int y = 0; y < 40; y++) {{
#pragma HLS PIPELINE II=1
        for (int k = 0; k < 2; k++) a[80 * x + {step} * y + k] = in[80 * x + {step} * y + k];
    }}
    for (int i = 0; i < 400; i++) out[i] = a[i];
}}
"""
    (nest,) = (x for x in result(text, tool="vitis-2022.2").loops if x.name == "A_L")
    assert nest.ii == said
