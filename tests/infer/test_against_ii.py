"""The least banks of a pragma against every (type, factor) per dimension, written out and read by ``ii``."""

from __future__ import annotations

import random

import pytest
import random_kernels
from inferring import array, iis, pasted, run
from least_pragmas import compared

from tests.amounts import amount

MOST = 16
SEEDS = (100006, 100010, 100017, 100024, 100074, 100142)  # with few partitions to try
PARTED = (100636, 700007)  # with stores that a partition parts from what waits for them


def assert_least(text: str, most: int = MOST) -> None:
    """Nothing with fewer banks, or a better II, than what is inferred is accepted by ``ii``."""
    _, _, found = compared("k.c", text, most, everything=True)
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
    kept = array(run(stored, scheme="pragma"), "A")  # the division takes W fewer cycles than L saves
    assert kept.banks == 9 and kept.proved_minimal
    assert_least(stored)


def test_the_ideal_count_does_not_claim_what_it_does_not_know() -> None:
    text = LEAVES.replace("A[i+2][k] +", "A[i+2][k] + A[i+1][k] + A[i][k] + A[i+3][k] + A[i+4][k] +")
    found = array(run(text, model="ideal", scheme="pragma"), "A")
    assert found.banks <= 6 or (not found.proved_minimal and "leave the loop" in found.reason)


@pytest.mark.parametrize("seed", amount(SEEDS[:2], SEEDS) + PARTED)
def test_random_kernels(seed: int) -> None:
    assert_least(random_kernels.kernel(random.Random(seed)))


STORES = """\
void k(int A[12], int B[12], int out[4])
{
L:  for (int i = 0; i < 4; i++) {
#pragma HLS PIPELINE II=1
        int s = A[i+4] + B[i] + B[i+2] + B[i+4] + B[i+7] + B[2*i+1];
        A[i] = s;
        A[2*i+4] = s;
        out[i] = s;
    }
}
"""
"""The two stores never meet, and A[2*i+4] at i = 1 is loaded at i = 2: 2 states, or 3 where they take turns."""


def test_banks_part_stores_that_would_wait_for_each_other() -> None:
    assert iis(STORES) == {"L": 3}
    for scheme in ("pragma", "auto"):
        result = run(STORES, scheme=scheme)
        found = array(result, "A")  # the stores lie in 0..3 and 4..10
        assert found.pragmas == ("#pragma HLS array_partition variable=A type=block factor=3 dim=1",)
        assert (
            not found.proved_minimal and "one bank for stores and what waits for them leaves L at II 3" in found.reason
        )
        b = array(result, "B")  # five loads on two ports in two cycles, not three; two blocks take a division by six
        assert b.banks == 3 and not b.proved_minimal and "where banks take a division" in b.reason
        text = pasted(STORES, scheme=scheme)
        assert iis(text) == {"L": 2} and pasted(text, scheme=scheme) == text
    assert_least(STORES, 4)


def test_a_partition_with_ports_enough_gives_way_to_one_that_parts_stores() -> None:
    there = "{\n#pragma HLS ARRAY_PARTITION variable=A cyclic factor=2\n"
    found = array(run(STORES.replace("{\n", there, 1), scheme="pragma"), "A")
    assert found.reason.startswith("2 banks have ports enough; ") and found.banks == 3


def test_stores_of_two_arrays_are_parted_together() -> None:
    both = STORES.replace("A[2*i+4] = s;", "A[2*i+4] = s; B[i] = s; B[2*i+4] = s;")
    both = both.replace("B[i] + B[i+2] + B[i+4] + B[i+7] + B[2*i+1]", "B[i+4]")
    assert iis(both) == {"L": 3}
    result = run(both)
    assert (array(result, "A").banks, array(result, "B").banks) == (3, 3) and iis(pasted(both)) == {"L": 2}
    for name in "AB":  # neither gains anything alone
        assert array(run(both, arrays=(name,)), name).banks == 1


def test_nothing_is_parted_where_that_gains_nothing() -> None:
    for text in (STORES.replace("2*i+4] = s", "i+5] = s"), STORES.replace("II=1", "II=3"), STORES):
        most = 2 if text == STORES else None
        assert array(run(text, scheme="pragma", max_banks=most), "A").banks == 1
