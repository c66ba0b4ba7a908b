"""Arguments whose ports hold up loops are copied into memories of the kernel's own, where that pays."""

from __future__ import annotations

import re

import pytest
from stencils import equal

import hlspart

LOOKUP = """typedef unsigned char byte;
void lookup(const int table[256], const byte p[600], const byte q[600], const byte r[600], int out[600]) {
rows:
    for (int i = 0; i < TRIPS; i++) { // one a cycle
#pragma HLS PIPELINE II=1
        out[i] = table[p[i]] + table[q[i]] + table[r[i]];
    }
}
"""
REMAINDERS = """    int x[480];
#pragma HLS ARRAY_PARTITION variable=x cyclic factor=10
    for (int i = 0; i < 30; i++) {
#pragma HLS PIPELINE
        for (int k = 0; k < 16; k++) x[16 * i + k] = p[i];
    }
    out[0] = x[out[1] & 255];
"""
SWAPS = """void swaps(int a[64], int n) {
    for (int t = 0; t < 20; t++)
        for (int i = 0; i < 60; i++) {
#pragma HLS PIPELINE II=1
            a[63 - i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
        }
    a[0] += n;
}
"""


def latency(kernel: hlspart.Kernel) -> int:
    """Cycles of the one function."""
    (function,) = kernel.pipeline.figures.functions
    assert function.latency.max is not None
    return function.latency.max


def test_a_table_of_an_argument_is_copied_and_then_has_ports_enough() -> None:
    old = hlspart.parse(LOOKUP.replace("TRIPS", "600"))
    new = old.rewrite(infer=True)
    assert [x.ii for x in old.ii().loops] == [2] and [x.ii for x in new.kernel().ii().loops] == [1, 1]
    text = new.texts["kernel.c"]
    assert "int table_local[256];" in text and "table_local[p[i]]" in text and "// one a cycle" in text
    assert latency(new.kernel()) < latency(old) and equal(old, new)
    assert new.kernel().rewrite(infer=True).texts == new.texts


def test_a_copy_that_pays_is_made_beside_a_loop_of_unknown_ii() -> None:
    old = hlspart.parse(LOOKUP.replace("rows:", REMAINDERS + "rows:").replace("TRIPS", "600"))
    new = old.rewrite(infer=True)
    (function,) = old.pipeline.figures.functions
    assert function.latency.exact is None  # which banks the stores of the first loop reach, the tool may see or not
    assert "table_local[p[i]]" in new.texts["kernel.c"] and equal(old, new)
    assert new.kernel().ii().loops[-1].ii == 1


def test_a_copy_that_does_not_pay_is_not_made() -> None:
    old = hlspart.parse(LOOKUP.replace("TRIPS", "100"))
    assert old.rewrite(infer=True).texts == old.texts


def test_what_is_written_is_copied_back() -> None:
    old = hlspart.parse(SWAPS)
    new = old.rewrite(infer=True)
    text = new.texts["kernel.c"]
    assert latency(new.kernel()) <= latency(old) and equal(old, new)
    if "a_local" in text:
        assert re.search(r"a\[k\] = a_local.*a\[0\] \+= n", text, re.S)


def test_what_is_said_of_dependences_goes_with_the_copy() -> None:
    old = hlspart.parse("""void eliminate(float a[24][24]) {
    for (int k = 0; k < 24; k++)
        for (int i = k + 1; i < 24; i++)
            for (int j = k + 1; j < 24; j++) {
#pragma HLS PIPELINE II=1
#pragma HLS DEPENDENCE variable=a type=inter dependent=false
                a[i][j] -= a[i][k] * a[k][j];
            }
}
""")
    new = old.rewrite(infer=True)
    text = new.texts["kernel.c"]
    assert "#pragma HLS DEPENDENCE variable=a_local type=inter dependent=false" in text
    assert text.count("DEPENDENCE") == 1 and equal(old, new)


KEPT = {
    "volatile": LOOKUP.replace("const int table", "volatile int table"),
    "its address": LOOKUP.replace("rows:", "const int *first = table + 1;\nrows:").replace(
        "table[r[i]]", "first[r[i]]"
    ),
    "no extent": LOOKUP.replace("table[256]", "*table"),
    "dataflow": LOOKUP.replace("rows:", "#pragma HLS DATAFLOW\nrows:"),
    "unknown trips": LOOKUP.replace("i < TRIPS", "i < p[0]"),
    "a macro": "#define AT(k) table[k]\n" + LOOKUP.replace("table[r[i]]", "AT(r[i])"),
}


@pytest.mark.parametrize("why", KEPT)
def test_an_argument_stays_where_a_copy_may_differ_or_cost(why: str) -> None:
    old = hlspart.parse(KEPT[why].replace("TRIPS", "600"))
    assert "table_local" not in old.rewrite(infer=True).texts["kernel.c"]


BUSES = """#pragma HLS INTERFACE m_axi port=in bundle=g0
#pragma HLS INTERFACE m_axi port=w bundle=g0
#pragma HLS INTERFACE m_axi port=out bundle=g1
"""
PRODUCT = """void product(int *in, int *w, int *out) {
    for (int i = 0; i < 40; i++) {
        int s = 0;
        for (int k = 0; k < 32; k++) {
#pragma HLS PIPELINE II=1
            s += in[i * 32 + k] * w[k + 2];
        }
        out[i] = s;
    }
}
""".replace("{\n", "{\n" + BUSES, 1)


def equal_behind_pointers(old: hlspart.Kernel, new: hlspart.RewriteAnswer, **extents: int) -> bool:
    """Whether both do the same, with no element behind a pointer but these."""
    said = hlspart.verify(old, new, seconds=1, extents=extents).result
    return said.status == "equal" or pytest.fail(said.message)


def test_what_a_bus_has_again_and_again_is_copied_once_and_no_more_than_that() -> None:
    old = hlspart.parse(PRODUCT)
    new = old.rewrite(infer=True)
    text = new.texts["kernel.c"]
    assert "int w_local[32];" in text and "in_local" not in text
    assert old.ii().loops[-1].ii == 2 and new.kernel().ii().loops[-1].ii == 1
    assert equal_behind_pointers(old, new, **{"in": 1280, "w": 34, "out": 40})


@pytest.mark.parametrize("guard", ["if (in[0] > k)", "if (i > 40)", "if (k > in[1]) break; else"])
def test_elements_that_may_not_exist_are_not_copied(guard: str) -> None:
    old = hlspart.parse(PRODUCT.replace("s += in", f"{guard} s += in"))
    assert "w_local" not in old.rewrite(infer=True).texts["kernel.c"]


def test_a_copy_in_a_loop_has_the_part_that_this_loop_does_not_move() -> None:
    body = """void layer(const int w[512][16][128], const int in[64], int out[512][64]) {
    for (int o = 0; o < 512; o++)
        for (int r = 0; r < 64; r++) {
            int b = in[r], s = 0;
            for (int t = 0; t < 128; t++) {
#pragma HLS PIPELINE II=1
                for (int k = 0; k < 4; k++) s += w[o][k + 3][t] * (b ^ t);
            }
            out[o][r] = s;
        }
}
"""
    old = hlspart.parse(body.replace("{\n", "{\n" + BUSES, 1))
    new = old.rewrite(infer=True)
    text = new.texts["kernel.c"]
    assert "int w_local[16][128];" in text and "w_local[k_2][k_3] = w[o][k_2][k_3];" in text
    assert latency(new.kernel()) < latency(old) / 3
    few = [hlspart.parse(x.texts["kernel.c"].replace("512", "3")) for x in (old, new)]
    assert equal(few[0], few[1].rewrite())


def test_sums_behind_a_pointer_of_a_called_function_are_copied_back() -> None:
    called = """static void sums(int *in, int *w, int *out) {
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 32; k++) {
#pragma HLS PIPELINE II=1
            out[k] += in[i * 32 + k] * w[k + 2];
        }
}
"""
    old = hlspart.parse(called + "void top(int *in, int *w, int *out) {\n" + BUSES + "sums(in, w, out);\n}\n")
    new = old.rewrite(infer=True)
    assert re.search(r"out_local\[k\] \+= .*out\[k_\d\] = out_local", new.texts["kernel.c"], re.S)
    assert equal_behind_pointers(old, new, **{"in": 1280, "w": 34, "out": 32})


def test_two_names_of_one_memory_are_not_copied() -> None:
    called = PRODUCT.replace("void product", "static void product").replace(BUSES, "")
    both = called + "void top(int *in, int *w) {\n" + BUSES.replace("=out", "=in") + "product(in, w, w);\n}\n"
    assert "w_local" not in hlspart.parse(both).rewrite(infer=True).texts["kernel.c"]


def test_what_a_macro_takes_and_repeats_is_an_element_of_a_window_or_a_copy() -> None:
    old = hlspart.parse("""#define MIN(a, b) ((a) < (b) ? (a) : (b))
void path(const int cost[63][512], const int first[512], int last[512]) {
#pragma HLS INTERFACE m_axi port=cost bundle=g0
#pragma HLS INTERFACE m_axi port=last bundle=g0
    int row[512], next[512];
    for (int n = 0; n < 512; n++) row[n] = MIN(first[n], first[511 - n]) + MIN(first[n ^ 1], first[n / 2]);
    for (int t = 0; t < 63; t++) {
        for (int n = 0; n < 512; n++) {
            int least = row[n];
            if (n > 0) least = MIN(least, row[n - 1]);
            if (n < 511) least = MIN(least, row[n + 1]);
            next[n] = cost[t][n] + least;
        }
        for (int n = 0; n < 512; n++) row[n] = next[n];
    }
    for (int n = 0; n < 512; n++) last[n] = row[n];
}
""")
    new = old.rewrite(infer=True)
    text = new.texts["kernel.c"]
    assert "MIN(least, row_window[2])" in text
    assert max(x.ii or 9 for x in new.kernel().ii().loops if x.ii is not None) == 1
    assert equal(old, new)
