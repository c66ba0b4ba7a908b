"""Sums that DSP blocks make: product and sum take four states together, a chain of sums one each (Vitis HLS 2020.2 on).

Expected states follow from instance names of public reports (``mac_muladd_..._4_1``, ``am_addmul_..._4_1``): load in
states 0 and 1, product in 1 to 3, sum in 3 and 4, store with the last one.
"""

import pytest
from predicting import loop

TEXT = """#include <stdint.h>
void f(const %s a[64], const %s b[64], int c, int32_t out[64], int32_t more[64]) {
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        %s
    }
}
"""


def found(body, kind="int16_t", tool="vitis-2023.2"):
    made = loop(TEXT % (kind, kind, body), tool=tool, part="xcu280-fsvh2892-2L-e", clock_ns=10)
    return made.ii, made.depth, made.dsp


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("out[i] = a[i] * b[i];", (1, 2, 1)),  # a product alone
        ("out[i] = a[i] * b[i] + c;", (1, 5, 1)),
        ("out[i] = c - a[i] * b[i];", (1, 5, 1)),
        ("out[i] = (a[i] * b[i] + c) - a[i] * (int16_t)c;", (1, 6, 2)),  # a chain: a state each
        ("int p = a[i] * b[i]; out[i] = p + c; more[i] = p;", (1, 2, 1)),  # another use of the product
        ("out[i] = a[i] * 7 + c;", (1, 2, 0)),  # two shifts, no product
        ("c += a[i] * b[i]; out[i] = c;", (1, 5, 1)),  # the sum comes round in its last state
    ],
)
def test_products_with_sums(body, expected):
    assert found(body) == expected


def test_narrow_products_with_a_sum_take_a_block():
    assert found("out[i] = a[i] * b[i];", "uint8_t")[2] == 0
    assert found("out[i] = a[i] * b[i] + c;", "uint8_t") == (1, 5, 1)


def test_wide_products_have_sums_of_their_own():
    assert found("out[i] = a[i] * b[i] + c;", "int32_t")[1] < 5


@pytest.mark.parametrize(("tool", "depth"), [("vitis-2020.2", 5), ("vitis-2022.1", 5), ("vivado-hls-2019.1", 2)])
def test_versions(tool, depth):
    assert found("out[i] = a[i] * b[i] + c;", tool=tool)[1] == depth


def test_sums_ahead_of_products():
    """From 2023.2 on; a recurrence keeps the sum outside."""
    assert found("out[i] = (a[i] + b[i]) * (int16_t)c;") == (1, 5, 1)
    assert found("out[i] = (a[i] + b[i]) * (int16_t)c;", tool="vitis-2022.2")[1] == 5
    assert found("c = (int16_t)(a[i] + c) * b[i]; out[i] = c;")[0] == 1


@pytest.mark.parametrize(
    ("tool", "depth"),
    [("vitis-2020.1", 2), ("vitis-2020.2", 5), ("vitis-2022.2", 5), ("vitis-2023.1", 2), ("vivado-hls-2019.1", 2)],
)
def test_a_product_alone_takes_the_stages_of_its_block(tool, depth):
    """Reports of 2020.2 to 2022.2 name ``mul_mul_16s_16s_32_4_1``; small products are LUTs, rounds keep one state."""
    assert found("out[i] = a[i] * b[i];", tool=tool)[1:] == (depth, 1)
    assert found("out[i] = a[i] * b[i];", "uint8_t", tool=tool)[1:] == (2, 0)
    assert found("c = (int16_t)c * a[i]; out[i] = c;", tool=tool)[0] == 1
