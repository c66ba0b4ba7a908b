"""Arrays whose rows functions get: directives serve them, counted here bank by bank."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from inferring import array, run

TEXT = """static int total(const int r[8]) {
    int s = 0;
    for (int k = 0; k < 8; k++) {
#pragma HLS UNROLL
        s += r[k];
    }
    return s;
}
static void shift(int r[64], int by) {
    for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        r[4 * i] += by; r[4 * i + 1] -= by;
    }
}
void f(const int in[32][8], int out[32], const int big[20][64], int res[20][64]) {
    int a[32][8], b[20][64];
    for (int i = 0; i < 32; i++) for (int j = 0; j < 8; j++) a[i][j] = in[i][j];
    for (int i = 0; i < 20; i++) for (int j = 0; j < 64; j++) b[i][j] = big[i][j];
    for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        out[i] = total(a[i]);
    }
    for (int i = 0; i < 20; i++) shift(b[i], i);
    for (int i = 0; i < 20; i++) for (int j = 0; j < 64; j++) res[i][j] = b[i][j];
}
"""
#: By array the columns of a row that one iteration accesses, each as often as it does.
COLUMNS = {"a": [list(range(8))], "b": [[4 * i, 4 * i, 4 * i + 1, 4 * i + 1] for i in range(16)]}


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_that_functions_get_have_ports_enough_and_not_one_bank_too_many(name: str) -> None:
    result = run(TEXT)
    found = array(result, name)
    (pragma,) = found.pragmas
    assert re.search(r"type=cyclic factor=(\d+) dim=2", pragma)

    def most(banks: int) -> int:
        return max(max(Counter(c % banks for c in columns).values()) for columns in COLUMNS[name])

    assert most(found.banks) <= 2 < most(found.banks // 2)
    assert {x.ii_after for x in result.loops} == {1}


def test_an_array_that_a_pointer_knows_as_well_stays() -> None:
    text = TEXT.replace(
        "    for (int i = 0; i < 20; i++) shift(b[i], i);", "    int *p = b[1]; *p = 0; shift(b[2], 1);"
    )
    assert array(run(text), "b").pragmas == () and array(run(text), "a").pragmas != ()
