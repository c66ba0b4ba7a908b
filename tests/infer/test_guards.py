"""A guard does not change which mapping has the least banks, and no fallback goes unsaid."""

from __future__ import annotations

import pytest
from inferring import array, run

TEXT = """\
void k(int in[17][10], int res[1])
{{
    int A[17][10];
    for (int x = 0; x < 17; x++) for (int y = 0; y < 10; y++) A[x][y] = in[x][y];
    int c = 0;
    for (int i = 0; i < 7; i++) {{
        L: for (int j = 2; j < 10; j++) {{
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
            {guard}c ^= A[2 * i + 4][j - 2] + 2 * A[2 * i][j - 1];
        }}
    }}
    res[0] = c;
}}
"""


@pytest.mark.parametrize("guard", ["", "if (2 * i - j < 19) ", "if (in[i][0] > 3) ", "if (in[0][j] & 1 && i < 20) "])
def test_a_guard_leaves_the_least_number_of_banks(guard: str) -> None:
    found = array(run(TEXT.format(guard=guard), scheme="any", ports=1, arrays=("A",)), "A")
    assert (found.banks, found.kind, found.absolute) == (8, "block-cyclic", True)


@pytest.mark.parametrize(("between", "banks", "ii"), [("else ", 1, 1), ("", 2, 1)])
def test_opposite_arms_do_not_meet(between: str, banks: int, ii: int) -> None:
    """Three loads of two arms take the two ports of one bank; one after the other they take two banks."""
    guard = f"if (in[0][j] & 1) c += A[i][j - 2]; {between}"
    text = TEXT.format(guard=guard).replace("#pragma HLS UNROLL factor=4\n", "")
    result = run(text, scheme="any", ports=2, arrays=("A",))
    assert array(result, "A").banks == banks
    assert next(x.ii_after for x in result.loops if x.name.endswith("L")) == ii


GATHER = """void f(const int in[64], const int at[64], int out[64], int n) {
    int table[80], other[64];
#pragma HLS ARRAY_PARTITION variable=other cyclic factor=4
    for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
        if (in[i] < 0) table[i] = 0; else table[i] = in[i];
    }
    for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
        other[i] = at[i];
    }
    for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
        out[i] = table[at[i]] + table[at[i] + 1] + table[at[i] + 2] + table[at[i] + 3] + other[i];
    }
}
"""


def test_copies_take_stores_of_opposite_arms_and_an_array_that_costs_states_alone_keeps_its_banks() -> None:
    """Each copy takes one store a cycle, which one of two arms makes: as many copies as there are reads."""
    result = run(GATHER)
    table = array(result, "table")
    assert (table.kind, table.banks) == ("replicate", GATHER.count("table[at"))
    assert [x.ii_after for x in result.loops] == [1, 1, 1]
    both = GATHER.replace("else table[i]", "table[i + 8]")  # two stores in an iteration
    assert array(run(both), "table").kind != "replicate"
