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
HISTOGRAM = """    int bins[256] = {0};
    for (int i = 0; i < 600; i++) {
#pragma HLS PIPELINE
        bins[p[i]]++;
    }
    out[0] = bins[7];
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
    old = hlspart.parse(LOOKUP.replace("rows:", HISTOGRAM + "rows:").replace("TRIPS", "600"))
    new = old.rewrite(infer=True)
    (function,) = old.pipeline.figures.functions
    assert function.latency.exact is None  # equal bins may meet
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
