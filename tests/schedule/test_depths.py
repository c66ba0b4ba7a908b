"""Depths that are not known where the II is: functions of the library, divisions that pick a bank."""

import pytest
from predicting import loop, result

WHERE = {"tool": "vitis-2022.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 5.0}


def copying(pragma: str, index: str = "i", trip: int = 60) -> str:
    return f"""void f(int A[120], int y[120], int at[120]) {{
#pragma HLS ARRAY_PARTITION variable=A {pragma}
    L: for (int i = 0; i < {trip}; i++) {{
#pragma HLS PIPELINE II=1
        y[i] = A[{index}];
    }}
}}
"""


@pytest.mark.parametrize(
    ("pragma", "index", "by"),
    [
        ("cyclic factor=6", "5 * i", None),
        ("cyclic factor=6", "i", None),  # its remainder is counted along: larm60/ECE8893, Risamp/ELEN90096-Group-2
        ("cyclic factor=6", "i + 2", None),
        ("cyclic factor=60", "i", None),  # the bank is the index
        ("cyclic factor=12", "8 * i % 120", "12"),  # a remainder of its own: no form
        ("cyclic factor=12", "2 * i", None),
        ("cyclic factor=6", "15 * i / 3", None),
        ("cyclic factor=6", "at[i]", "6"),
        ("block factor=8", "i", "15"),
        ("cyclic factor=6", "6 * i", None),  # one bank
        ("cyclic factor=6", "3 * i", None),  # the lowest bit picks one of two banks
        ("cyclic factor=8", "i", None),
        ("block factor=15", "i", None),  # blocks of 8
        ("complete", "i", None),
    ],
)
def test_divisions_that_pick_a_bank(pragma, index, by):
    """Two reports: 9 states at 5 bits, 24 at 20, ahead of the loads."""
    found = loop(copying(pragma, index, 12 if "*" in index else 58), **WHERE)
    assert (found.depth is None) == (by is not None)
    assert found.ii is not None or index == "at[i]"
    assert by is None or f"division of an index by {by} takes that picks the bank of A" in (found.depth_cause or "")


NEST = """void f(int A[{rows}][40], int y[{rows}][40]) {{
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=20 dim=1
    I: for (int i = 0; i < {rows}; i++) L: for (int j = 0; j < 40; j++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
}}
"""


@pytest.mark.parametrize(
    ("rows", "body", "where", "depth"),
    [
        # UCLA-VAST/Prometheus, S12P/sisyphus-fpga24-artifact (2023.2): urem_8ns_5ns_4_12_1, 12 states of which the last
        # stores, in loops of 12 states
        (190, "A[i][j] = 1;", {"tool": "vitis-2023.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 4.55}, 12),
        (410, "A[i][j] = 1;", {"tool": "vitis-2023.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 4.55}, 13),
        (49, "A[i][j] = 1;", {"tool": "vitis-2023.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 4.55}, 10),
        # Ritarka/8893Lab2 (2022.1): urem_7ns_6ns_5_11_1 in loops of 12 states
        (100, "A[i][j] = 0;", {"tool": "vitis-2022.1", "part": "xc7z020-clg400-1", "clock_ns": 10.0}, 12),
    ],
)
def test_dividers_that_pick_a_bank_take_four_states_more_than_bits(rows, body, where, depth):
    found = loop(NEST.format(rows=rows, body=body), "I_L", **where)
    assert (found.ii, found.depth) == (1, depth)


def test_unrolling_fixes_the_bank():
    text = copying("cyclic factor=6").replace("II=1", "\n#pragma HLS UNROLL factor=6")
    assert loop(text, **WHERE).depth is not None


@pytest.mark.parametrize(
    ("call", "known"),
    [
        ("exp(x[i])", True),
        ("sqrt(x[i])", True),
        ("sin(x[i])", False),
        ("pow(x[i], 2.0)", False),
        ("erf(x[i])", False),
        ("log10(x[i])", False),
    ],
)
def test_functions_of_the_library(call, known):
    """Reports have 11 to 51 states for sin and cos, 41 for pow, others for other clocks; exp and sqrt are operators."""
    text = f"""#include <math.h>
double f(double x[64], double y[64]) {{
    double s = 0.5;
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        y[i] = {call};
    }}
    S: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        s = {call.replace("x[i]", "s")};
    }}
    P: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE off
        y[i] = {call};
    }}
    return s;
}}
"""
    first, second, plain = result(text, **WHERE).loops
    assert first.ii == 1 and (first.depth is not None) == known == (plain.depth is not None)
    assert (second.ii is not None) == known
    assert known or (second.bounds is not None and second.bounds[0] == 1 and "library" in (first.depth_cause or ""))


def test_estimates_of_one_state_leave_bounds():
    """Comparisons of floats on 7-series at 5 ns take 4 or 5 states: an iteration takes 7 or 8."""
    text = """int f(float x[64], float y[64]) {
    int n = 0;
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        n += %s;
    }
    return n;
}
"""
    where = {"tool": "vitis-2023.2", "part": "xc7z020clg400-1", "clock_ns": 5.0}
    found = loop(text % "x[i] == y[i]", **where)
    assert (found.ii, found.depth, found.latency.min, found.latency.max) == (1, None, 63 + 6, 63 + 7)
    assert "fcmp" in (found.depth_cause or "")
    assert loop(text % "x[i] == 0 ? 1 : 2", **where).depth is None
    assert loop((text % "x[i] == y[i]").replace("float", "int"), **where).depth is not None


def test_statements_behind_an_inner_loop_start_in_the_state_that_ends_it():
    """Reports of a transform (2016.1, 2016.3): 26 states around 8 times 3, 18 around 8 times 2."""
    text = """void rows(const short c[8][8], short x[8], short y[8]) {
    OUTER: for (int k = 0; k < 8; k++) {
        int sum = 0;
        INNER: for (int n = 0; n < 8; n++) sum += x[n] * c[k][n];
        y[k] = (sum + 4096) >> 13;
    }
}
"""
    found = result(text, tool="vivado-hls-2016.4", part="xc7z020clg484-1", clock_ns=10.0)
    depths = {x.name: (x.depth, x.latency.exact) for x in found.loops}
    assert depths == {"OUTER": (26, 208), "INNER": (3, 24)}
    assert found.functions[0].latency.exact == 209


@pytest.mark.parametrize(
    ("tool", "words", "depth"),
    [
        ("vivado-hls-2019.1", 600_000, 2),
        ("vivado-hls-2019.1", 1_000_000, 4),
        ("vivado-hls-2016.4", 2_500_000, 4),
        ("vitis-2022.1", 4_000_000, 2),
    ],
)
def test_loads_of_deep_memories(tool, words, depth):
    """Schedules of Vivado HLS: 2 states up to 614656 words, 4 from 973128 words on; each bank counts for itself."""
    text = f"""void f(short a[{words}], short y[64]) {{
%s
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        y[i] = a[i];
    }}
}}
"""
    assert loop(text % "", tool=tool).depth == depth
    assert loop(text % "#pragma HLS ARRAY_PARTITION variable=a cyclic factor=8", tool=tool).depth == 2


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        ("float", "float", True),
        ("float", "int", True),
        ("float", "ap_fixed<16, 8>", False),
        ("ap_fixed<16, 8>", "double", False),
    ],
)
def test_conversions_of_fixed_point(first, second, known):
    """Six loops of 2020.1 and 2021.1 reports take 9 to 14 states more than an integer's conversion would."""
    text = f"""#include <ap_fixed.h>
void f({first} x[64], {second} y[64]) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        y[i] = ({second})x[i];
    }}
}}
"""
    found = result(text, path="k.cpp", **WHERE).loops[0]
    assert found.ii == 1
    assert (found.depth is not None) == known
    assert known or "conversions between fixed and floating point" in (found.depth_cause or "")
