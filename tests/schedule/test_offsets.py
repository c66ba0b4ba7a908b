"""Elements at one place that data choose and at constants from it: no order within an iteration."""

import pytest
from predicting import loop

WHERE = {"part": "xcu250-figd2104-2L-e", "clock_ns": 5.0}


def sums(body: str) -> str:
    return f"""void f(const int at[64], const int x[64], int r[64], int n) {{
    int a[64];
#pragma HLS ARRAY_PARTITION variable=a complete
    for (int k = 0; k < 64; k++) a[k] = 0;
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        int k = at[i];
        {body}
    }}
    for (int k = 0; k < 64; k++) r[k] = a[k];
}}
"""


@pytest.mark.parametrize(
    ("body", "apart"),
    [
        ("a[k] += x[i]; a[k + 1] += x[i];", True),
        ("a[k] += x[i]; a[k - 1] += x[i];", True),
        ("for (int m = 0; m < 4; m++) { a[k] += x[i]; k += 8; }", True),  # hls4ml, below
        ("a[k] += x[i]; a[k + n] += x[i];", False),
        ("a[k] += x[i]; a[k + 256] += x[i];", False),  # `unsigned char k` may be the same
        ("a[k] += x[i]; a[at[63 - i] + 1] += x[i];", False),
        ("a[k] += x[i]; a[1 - k] += x[i];", False),
    ],
)
@pytest.mark.parametrize("tool", ["vivado-hls-2020.1", "vitis-2023.2"])
def test_a_constant_keeps_two_places_apart(body, apart, tool):
    """ReuseLoop of hls4ml: II 1 at 5 ns with up to ten sums at one loaded index and constants.

    mgrailoo/HLS4ML_CPP_HDL_MNIST_, Gabriele-bot/ALVEO-PYNQ_ML, YanLunHuang/LFADS (2019.2, 2020.1).
    """
    assert (loop(sums(body), tool=tool, **WHERE).ii == 1) is apart


def test_places_behind_a_pointer_are_read_as_well():
    text = sums("int *p = a; p[k] += x[i]; (p + n)[k + 1] += x[i];").replace(
        "int k = at[i];", "int k = at[i]; int *q = n ? a : r; q[k] += 1;"
    )
    assert loop(text, tool="vitis-2023.2", **WHERE).line == 5


@pytest.mark.parametrize(
    ("one", "two", "apart"),
    [
        ("ap_uint<4> p = k + 20;", "ap_uint<4> q = k + 4;", False),  # 16 apart: one value of four bits
        ("ap_uint<4> p = k + 5;", "ap_uint<4> q = k + 4;", True),
        ("ap_uint<4> p = k; p += 16;", "int q = k;", False),
        ("bool p = k + 1;", "bool q = k + 2;", False),  # both true but at two places
        ("ap_uint<4> m = k;", "int p = m + 5, q = m + 4;", True),
        ("int p = k + 16;", "ap_uint<4> q = k;", False),
        ("ap_int<9> p = k + 5;", "unsigned char q = k + 4;", True),
    ],
)
def test_places_of_few_bits_wrap_around(one, two, apart):
    """By enumeration: whether any value of the data makes the two places one."""
    text = "#include <ap_int.h>\n" + sums(f"{one} {two} a[p] += x[i]; a[q] += x[i];")
    assert (loop(text, tool="vitis-2023.2", path="k.cpp", **WHERE).ii == 1) is apart
