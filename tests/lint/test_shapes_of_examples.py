"""Shapes of AMD's own examples that are no mistakes, each beside one that is."""

from __future__ import annotations

import pytest
from lint_helpers import lint_of

from hlspart.model.options import Options, TargetOptions
from hlspart.pipeline import Pipeline

LOADS = """void load(int n, const int *p, int *out) {
  for (int i = 0; i < 8; i++) out[i] = p[i] * n;
}
void tasks(const int count[4], const int a[8], const int b[8], int c[8], int d[8]) {
#pragma HLS DATAFLOW
  load(count[0], a, c);
  load(count[1], FIRST, d);
}
"""  # an argument that is a value is read by the region, not by the task
BRANCH = """#include HEADER
void one(const int *a, int *t) { for (int i = 0; i < 8; i++) t[i] = a[i]; }
void two(const int *a, int *t) { for (int i = 0; i < 8; i++) t[i] = 2 * a[i]; }
void put(const int *t, int *b) { for (int i = 0; i < 8; i++) b[i] = t[i]; }
void tasks(const int a[8], int mode, int b[8]) {
#pragma HLS DATAFLOW
  int t[8];
  if (TEST == 1) one(a, t);
  else two(a, t);
  put(t, b);
}
"""  # a name of a header that is missing may be a constant
STENCIL = """void top(const int src[64], int dst[64], int n) {
#pragma HLS INTERFACE m_axi port=src bundle=a depth=64
#pragma HLS INTERFACE m_axi port=dst bundle=b depth=64
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS ARRAY_STENCIL variable=VARIABLE
    int p = 0;
    if (i % n == 0) p = src[i];
    dst[i] = p;
  }
}
"""
CACHE = """void top(const int *in, int *out) {
#pragma HLS INTERFACE m_axi port=in bundle=a depth=64
#pragma HLS INTERFACE m_axi port=out bundle=a depth=64
#pragma HLS CACHE port=in lines=8 depth=64
  for (int i = 0; i < 64; i++) out[i] = in[i / 2] VALUE;
}
"""  # reads and writes have channels of their own

CHAIN = """#include <hls_stream.h>
void pe(hls::stream<int> &in, hls::stream<int> &out, int k) {
  for (int i = 0; i < 16; i++) out.write(in.read() + k);
}
void feed(const int a[16], hls::stream<int> &out) { for (int i = 0; i < 16; i++) out.write(a[i]); }
void drain(hls::stream<int> &in, int b[16]) { for (int i = 0; i < 16; i++) b[i] = in.read(); }
void top(const int a[16], int b[16]) {
#pragma HLS DATAFLOW
  hls::stream<int> s[5];
  feed(a, s[0]);
  for (int k = 0; k < 4; k++) {
HOW
    pe(s[k], s[k + 1], k);
  }
  drain(s[4], b);
}
"""  # copies of a loop of calls are tasks side by side
FACTOR = """#define COPIES 4
void top(int a[64]) {
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=NAME
  for (int i = 0; i < 64; i++) a[i]++;
}
"""  # a name in capitals that nothing resembles may come from the command line
RESOURCE = """void top(int a[64], int b[64]) {
  for (int i = 0; i < 64; i++) {
    int p;
#pragma HLS RESOURCE variable=p SAYS
    p = a[i] * a[i];
    b[i] = p;
  }
}
"""
SLICES = """#include <ap_int.h>
void top(ap_uint<32> m[8], ap_uint<32> r) {
#pragma HLS INLINE off
  m[1](15, 8) = r(7, 0);
  m[2].range(31, 24) = r.range(7, 0);
  m[3] = r(7, 0) SHIFT;
}
"""  # bits that are put in their place are not shifted out of a width
DEEP = """static int sum(const int *p) {
  int s = 0;
  for (int i = 0; i < 64; i++) s += p[i];
  return s;
}
int top(const int *data) {
#pragma HLS INTERFACE m_axi port=data depth=DEPTH
  return sum(data);
}
"""

STRIPS = """void strips(const int in[64], int out[64]) {
  for (int t = 0; t < 16; t++)
    for (int j = FROM; j < FROM + 4; j++) out[j] = in[j] + t;
}
"""
MASKS = """#pragma HLS TOP name=low
unsigned low(unsigned x) {
#pragma HLS PIPELINE
  return x & MASK >> 20;
}
"""
WIDTHS = """const int W = 32;
unsigned join(unsigned x, unsigned y) {
#pragma HLS PIPELINE
  unsigned all = W TEST 32 ? y : x << W | y;
  if (!(W TEST 32)) all += x >> W;
  return all;
}
"""


@pytest.mark.parametrize(
    ("code", "right", "wrong"),
    [
        ("HLP602", LOADS.replace("FIRST", "b"), LOADS.replace("FIRST", "a")),
        ("HLP605", BRANCH.replace("HEADER", '"none.h"').replace("TEST", "WB"),
         BRANCH.replace("HEADER", "<ap_int.h>").replace("TEST", "mode")),
        ("HLP605", "static const int SIZE = 8;\n" + BRANCH.replace("HEADER", "<ap_int.h>").replace("TEST", "SIZE"),
         "int SIZE = 8;\n" + BRANCH.replace("HEADER", "<ap_int.h>").replace("TEST", "SIZE")),
        ("HLP610", CHAIN.replace("HOW", "#pragma HLS UNROLL"), CHAIN.replace("HOW", "")),
        ("HLP104", FACTOR.replace("NAME", "PAR_FACTOR"), FACTOR.replace("NAME", "COPYES")),
        ("HLP105", RESOURCE.replace("SAYS", "latency=3"), RESOURCE.replace("SAYS", "")),
        ("HLP439", SLICES.replace("SHIFT", "+ 8"), SLICES.replace("SHIFT", "<< 8")),
        ("HLP434", STRIPS.replace("FROM", "4 * t"), STRIPS.replace("FROM", "4")),
        ("HLP450", MASKS.replace("MASK", "~0u"), MASKS.replace("MASK", "(1u << 20)")),
        ("HLP439", WIDTHS.replace("TEST", ">="), WIDTHS.replace("x >> W", "1").replace("TEST", ">")),
        ("HLP419", DEEP.replace("DEPTH", "64"), DEEP.replace("DEPTH", "32")),
        ("HLP421", STENCIL.replace("VARIABLE", "src"), STENCIL.replace("VARIABLE", "dst")),
        ("HLP432", CACHE.replace("VALUE", ""), CACHE.replace("VALUE", "+ out[i]")),
    ],
)  # fmt: skip
def test_shapes(code: str, right: str, wrong: str) -> None:
    findings = [
        [d for d in lint_of({"k.cpp": text}).diagnostics if d.rule == code and d.severity != "info"]
        for text in (right, wrong)
    ]
    assert findings[0] == []
    assert len(findings[1]) == 1


@pytest.mark.parametrize(("part", "told_of"), [("xczu9eg-ffvb1156-2-i", True), ("xcvc1902-vsva2197-2MP-e-S", False)])
def test_the_device_decides_whether_an_ultraram_has_values(part: str, told_of: bool) -> None:
    text = """int f(int i) {
  static int t[8] = {3, 1, 4, 1, 5, 9, 2, 6};
#pragma HLS BIND_STORAGE variable=t type=ram_2p impl=uram
  t[i] += 1;
  return t[i];
}
"""
    report = Pipeline(["k.c"], Options(target=TargetOptions(part=part)), lambda _: text.encode()).lint(None)
    assert ("HLP424" in {d.rule for d in report.diagnostics}) is told_of


def test_memories_of_what_is_expanded_into_a_pipeline() -> None:
    """A loop that one function expands and another runs: what it loads ahead is a memory of the expansion."""
    body = """  for (int i = 0; i < n; i++) {
#pragma HLS %s
    long s[8], d[8];
    memcpy(s, src + i * 8, 64);
    work(d, s);
    memcpy(dst + i * 8, d, 64);
  }
}
"""
    text = """#include <string.h>
static void work(long *to, long *from) {
  unsigned char *b = (unsigned char *)from;
  for (int j = 0; j < 8; j++) {
#pragma HLS PIPELINE
    to[j] = b[j * 8] + b[j * 8 + 1] + b[j * 8 + 2];
  }
}
"""
    text += "void first(long *dst, long *src, int n) {\n" + body % "PIPELINE"
    text += "void second(long *dst, long *src, int n) {\n" + body % "DATAFLOW"
    assert "HLP000" not in {d.rule for d in lint_of({"k.cpp": text}).diagnostics}


def test_many_missing_headers_are_told_as_few() -> None:
    text = "".join(f'#include "weights_{k}.h"\n' for k in range(20)) + "int f(int a) { return a; }\n"
    missing = [d for d in lint_of({"k.c": text}).diagnostics if d.rule == "HLP006"]
    assert len(missing) == 4
    assert "16 more" in missing[-1].message


@pytest.mark.parametrize(
    ("pointer", "only_read"), [("&t[0]", False), ("t", False), ("&t[1]", False), ("&other[0]", True)]
)
def test_an_array_that_is_written_through_the_address_of_an_element(pointer: str, only_read: bool) -> None:
    text = """int sum(const int in[8]) {
  int t[9], other[9];
  int *p = POINTER;
  for (int i = 0; i < 8; i++) *(p + i) = in[i];
  return t[3] + other[8];
}
""".replace("POINTER", pointer)
    read = [d.message for d in lint_of(text).diagnostics if d.rule == "HLP437" and "'t'" in d.message]
    assert bool(read) is only_read
