"""The least banks of a pragma against every (type, factor) per dimension, written out and read by ``ii``."""

from __future__ import annotations

import random

import pytest
import random_kernels
from inferring import array, run
from least_pragmas import compared

MOST = 16
SEEDS = (100006, 100010, 100017, 100024, 100074, 100142)  # with few partitions to try


def assert_least(text: str) -> None:
    """Nothing with fewer banks, or a better II, than what is inferred is accepted by ``ii``."""
    _, _, found = compared("k.c", text, MOST, everything=True)
    assert not found


LEAVES = """\
void f(char out[64])
{
    char A[6][6];
    W: for (int i = 0; i < 6; i++) WJ: for (int j = 0; j < 6; j++) {
#pragma HLS PIPELINE
        A[i][j] = i;
    }
    L: for (int i = 0; i < 2; i++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int k = 0; k < 3; k++) s += A[i+2][k] + A[i+2][i] + A[i][i];
        out[i] = s;
    }
}
"""


def test_loads_that_leave_their_loop_under_a_partition_need_no_ports() -> None:
    found = array(run(LEAVES, scheme="pragma"), "A")
    assert (found.banks, found.pragmas) == (6, ("#pragma HLS array_partition variable=A type=complete dim=1",))
    assert found.proved_minimal and not found.absolute
    assert_least(LEAVES)
    stored = LEAVES.replace("out[i] = s;", "out[i] = s; A[5][5] = s;")  # now nothing may leave
    assert array(run(stored, scheme="pragma"), "A").banks == 9


def test_the_ideal_count_does_not_claim_what_it_does_not_know() -> None:
    text = LEAVES.replace("A[i+2][k] +", "A[i+2][k] + A[i+1][k] + A[i][k] + A[i+3][k] + A[i+4][k] +")
    found = array(run(text, model="ideal", scheme="pragma"), "A")
    assert found.banks <= 6 or (not found.proved_minimal and "leave the loop" in found.reason)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels(seed: int) -> None:
    assert_least(random_kernels.kernel(random.Random(seed)))
