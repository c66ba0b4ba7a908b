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
