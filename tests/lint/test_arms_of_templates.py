"""Directives in arms and with values that arguments of templates decide."""

from __future__ import annotations

from lint_helpers import lint_of

MEMORIES = """template <bool URAM, int N>
void delay(const int a[N], int b[N]) {
  int buf[7][N];
  TEST {
#pragma HLS BIND_STORAGE variable=buf type=ram_s2p impl=uram
#pragma HLS ARRAY_RESHAPE variable=buf dim=1 factor=7 cyclic
  } else {
#pragma HLS BIND_STORAGE variable=buf type=ram_s2p impl=bram
#pragma HLS ARRAY_PARTITION variable=buf complete dim=1
  }
  for (int i = 0; i < N; i++) buf[i % 7][i] = a[i];
  for (int i = 0; i < N; i++) b[i] = buf[i % 7][N - 1 - i];
}
"""
SPECIALISED = """template <int T, int N> class DataType;
template <> class DataType<3, 1> { public: static const int channel = 3; };
template <> class DataType<1, 1> { public: static const int channel = 1; };
template <int PLANES>
void apply(const int a[64], int b[64]) {
  for (int c = 0; c < PLANES; c++) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=PLANES
#pragma HLS PIPELINE II=1
    b[c] = a[c];
  }
}
template <int T, int N>
void dilate(const int a[64], int b[64]) {
  apply<DataType<T, N>::channel>(a, b);
}
void top(const int a[64], int b[64]) { dilate<1, 1>(a, b); dilate<3, 1>(a, b); }
"""


def rules(text: str) -> list[str]:
    """Those that find a warning or an error."""
    return [d.rule for d in lint_of({"k.cpp": text}).diagnostics if d.severity != "info"]


def test_only_one_arm_is_built_of_a_test_of_parameters_of_a_template() -> None:
    assert rules(MEMORIES.replace("TEST", "if (URAM)")) == []


def test_both_arms_of_a_test_of_data_are_built() -> None:
    assert {"HLP407", "HLP408"} <= set(rules(MEMORIES.replace("TEST", "if (a[0] > 3)")))


def test_an_argument_that_is_no_expression_leaves_a_value_open() -> None:
    assert not {"HLP102", "HLP103"} & set(rules(SPECIALISED))


def test_bits_that_are_written_are_no_read() -> None:
    text = """#include <ap_int.h>
void pack(const int a[64], ap_uint<64> b[32]) {
  ap_uint<64> words[32];
  for (int i = 0; i < 32; i++) {
    words[i].range(31, 0) = a[2 * i];
    words[i].range(63, 32) = a[2 * i + 1];
  }
  for (int i = 0; i < 32; i++) b[i] = words[31 - i];
}
"""
    assert "HLP437" not in rules(text)


def test_a_wrapper_of_tasks_in_an_unrolled_loop_may_be_inlined() -> None:
    text = """#include <hls_stream.h>
static void add(hls::stream<int> &x, hls::stream<int> &y) {
  for (int i = 0; i < 64; i++) y.write(x.read() + 1);
}
static void all_of(hls::stream<int> x[4], hls::stream<int> y[4]) {
#pragma HLS INLINE
  for (int k = 0; k < 4; k++) {
#pragma HLS UNROLL
    add(x[k], y[k]);
  }
}
static void make(const int a[256], hls::stream<int> x[4]) {
  for (int i = 0; i < 256; i++) x[i % 4].write(a[i]);
}
static void take(hls::stream<int> y[4], int b[256]) {
  for (int i = 0; i < 256; i++) b[i] = y[i % 4].read();
}
void top(const int a[256], int b[256]) {
#pragma HLS DATAFLOW
  hls::stream<int> x[4], y[4];
  make(a, x);
  all_of(x, y);
  take(y, b);
}
"""
    assert "HLP607" not in rules(text)
    assert "HLP607" in rules(text.replace("#pragma HLS UNROLL\n", ""))


def test_rows_that_data_choose_may_share_their_loads() -> None:
    text = """void f(const int in[64], int out[64], int row) {
  static int buf[5][64];
#pragma HLS ARRAY_PARTITION variable=buf complete dim=1
#pragma HLS BIND_STORAGE variable=buf type=ram_s2p impl=bram
  int idx[5];
#pragma HLS ARRAY_PARTITION variable=idx complete dim=1
  for (int k = 0; k < 5; k++) {
#pragma HLS UNROLL
    idx[k] = (row + k) % 5;
  }
  for (int col = 0; col < 64; col++) {
#pragma HLS PIPELINE II=1
    int s = 0;
    buf[idx[4]][col] = in[col];
    for (int k = 0; k < 5; k++) s += buf[idx[k]][COLUMN];
    out[col] = s;
  }
}
"""
    assert not {"HLP201", "HLP216"} & set(rules(text.replace("COLUMN", "col")))
    assert {"HLP201", "HLP216"} & set(rules(text.replace("COLUMN", "(col + k) % 64")))


def test_a_macro_of_a_missing_header_reads_no_stream() -> None:
    text = """#include <hls_stream.h>
#include "interface.hpp"
void echo(hls::stream<int> &in, hls::stream<int> &out, int n) {
  AXIS(in)
  AXIS(out)
  int errors = 0;
  for (int i = 0; i < n; i++) out.write(in.read());
}
"""
    assert "HLP614" not in rules(text)


def test_a_partition_that_parameters_of_a_template_decide_may_be_enough() -> None:
    text = """template <bool MANY, int N>
void sum(const int in[N], int out[N / 4]) {
  int t[N];
  TEST {
#pragma HLS ARRAY_PARTITION variable=t cyclic factor=2 dim=1
  }
  for (int i = 0; i < 64; i++) t[i] = in[i];
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
    out[i] = t[4 * i] + t[4 * i + 1] + t[4 * i + 2] + t[4 * i + 3] + t[4 * i + 4] + t[4 * i + 5];
  }
}
"""
    assert not {"HLP201", "HLP216"} & set(rules(text.replace("TEST", "if (MANY)")))


def test_what_only_a_call_in_an_arm_left_out_reaches_accesses_nothing() -> None:
    text = """template <int N> struct words { unsigned char data[N]; };
template <int N> static void two(unsigned char *out, int t) {
  words<N> w;
  w.data[0] = t & 255;
  w.data[1] = t >> 8;
  out[0] = w.data[0];
  out[1] = w.data[1];
}
template <int N> static void pair(unsigned char *out, int t) { two<N>(out, t); }
template <int N> static void one(unsigned char *out, int t) { out[0] = t; }
template <int N> void choose(unsigned char *out, int t) {
  if (N == 1) one<N>(out, t);
  else TAKEN<N>(out, t);
}
void top(unsigned char out[4], int t) { choose<1>(out, t); }
"""
    for taken in ("pair", "two"):
        assert "HLP210" not in rules(text.replace("TAKEN", taken))
    assert "HLP210" in rules(text.replace("TAKEN", "pair").replace("N == 1", "N == 2"))
