"""Partitions by factors that nothing here says, and indices by which nested open loops count through an array.

The oracle is the prediction of instances, whose loops are written out.
"""

from __future__ import annotations

import pytest

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

TEXT = """#include <hls_stream.h>
template <int N, int M>
void f(int a[240], int b[240], int h[240], int x[240][8], int w[240], hls::stream<int> in[64], hls::stream<int> &out) {
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=N
#pragma HLS ARRAY_PARTITION variable=b cyclic factor=N*M dim=1
#pragma HLS ARRAY_PARTITION variable=h block factor=N
#pragma HLS ARRAY_PARTITION variable=x cyclic factor=N dim=1
#pragma HLS ARRAY_PARTITION variable=x complete dim=2
#pragma HLS ARRAY_PARTITION variable=w complete
ONE:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    h[i] = a[i] * 3;
  }
ROWS:
  for (int i = 0; i < 240; i += N) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++) {
      int at = i + k;
      int s = 0;
      for (int j = 0; j < 8; j++) s += x[at][j];
      a[at] = s;
    }
  }
TIMES:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++) a[i * N + k] = w[i];
  }
NESTED:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++)
      for (int j = 0; j < M; j++) w[k * M + j] = in[k * M + j].read();
    out.write(w[0]);
  }
SHIFTED:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++) a[i + k] = w[i];
  }
BLOCKS:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++) h[i * N + k] = w[i];
  }
OVERLAP:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++)
      for (int j = 0; j < M; j++) out.write(in[k + j].read());
  }
WIDER:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N + 1; k++) a[i * N + k] = w[i];
  }
OTHER:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < M; k++) a[i * M + k] = w[i];
  }
COUNTED:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE
    h[w[i]] += 1;
  }
FOUR:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    h[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];
  }
}
"""
USE = """void top(int a[240], int b[240], int h[240], int x[240][8], int w[240], hls::stream<int> in[64],
         hls::stream<int> &out) {
  f<FIRST, SECOND>(a, b, h, x, w, in, out);
}
"""


def _loops(text: str) -> dict[str, int | None]:
    figures = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures
    return {x.name: x.ii for x in figures.loops if x.pipelined}


def test_an_ii_is_that_of_every_number_of_banks() -> None:
    found = _loops(TEXT)
    known = {name for name, ii in found.items() if ii is not None}
    assert known == {"ONE", "ROWS", "TIMES", "NESTED"}
    for first, second in ((1, 3), (3, 2), (4, 2), (8, 3)):
        instance = _loops(TEXT + USE.replace("FIRST", str(first)).replace("SECOND", str(second)))
        wrong = {n: (found[n], instance[n]) for n in known if instance[n] not in (found[n], None)}
        assert not wrong, (first, second, wrong)


ALMOST = """#include <hls_stream.h>
#include <ap_int.h>
#define ALL (x[(i + N) & 63] + x[(i + M) & 63] + x[(i + P) & 63])
template <int N> void read(hls::stream<int> in[64], int w[240], int base) {
#pragma HLS INLINE
  for (int j = 0; j < N; j++) w[base + j] = in[base + j].read();
}
template <int N> void put(int a[240], int w[240], int i) {
#pragma HLS INLINE
  for (int k = 0; k < N; k++) a[i * N + k] = w[k];
}
template <int N> int element(int x[64], int i) {
#pragma HLS INLINE
  return x[(i + N) & 63];
}
template <int N, int M, int P>
void f(int a[240], int b[240], int x[64], int y[240][16], int w[240], int o[64], hls::stream<int> in[64]) {
#pragma HLS ARRAY_PARTITION variable=w complete
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=N
#pragma HLS ARRAY_PARTITION variable=b cyclic factor=N
#pragma HLS ARRAY_PARTITION variable=b cyclic factor=M
#pragma HLS ARRAY_PARTITION variable=y cyclic factor=N dim=P
LOOP:
  for (int i = 0; i < 24; STEP) {
#pragma HLS PIPELINE II=1
    BODY
  }
}
void top(int a[240], int b[240], int x[64], int y[240][16], int w[240], int o[64], hls::stream<int> in[64]) {
  f<ARGUMENTS>(a, b, x, y, w, o, in);
}
"""


@pytest.mark.parametrize(
    ("arguments", "step", "body"),
    [
        ("2, 4, 3", "i++", "for (int k = 0; k < N; k++) read<M>(in, w, k * N);"),  # another N there
        ("2, 8, 3", "i++", "put<M>(a, w, i);"),
        ("2, 4, 3", "i++", "o[i] = element<M>(x, i) + element<P>(x, i) + x[(i + N) & 63];"),
        ("2, 4, 3", "i++", "o[i] = ALL;"),
        (
            "2, 2, 4",
            "i++",
            "for (int k = 0; k < N; k++) { int j; for (j = 0; j < P; j++) w[k] = in[k * M + j].read();"
            " for (j = 0; j < M; j++) w[j] = k; }",
        ),
        (
            "3, 4, 3",
            "i++",
            "for (int k = 0; k < N; k++) for (int j = 0; j < M; j++)"
            " { ap_uint<2> at = k * M + j; w[at] = in[at].read(); }",
        ),
        ("4, 3, 2", "i++", "for (int k = 0; k < N; k++) y[i * N + k][0] = w[k];"),
        ("4, 2, 3", "i++", "for (int k = 0; k < N; k++) w[k] = b[i * N + k];"),
        ("4, 2, 3", "i += N", "i += 1; for (int k = 0; k < N; k++) w[k] = a[i + k] + a[k];"),
    ],
)
def test_indices_that_only_look_as_if_they_counted_are_not_told_apart(arguments: str, step: str, body: str) -> None:
    text = ALMOST.replace("STEP", step).replace("BODY", body)
    template, _, _ = text.partition("void top(")
    instance = _loops(text.replace("ARGUMENTS", arguments))["LOOP"]
    assert instance is not None and instance > 1
    assert _loops(template)["LOOP"] is None


CALLED = """#include <hls_stream.h>
template <int N, int P> void inner(int x[64], int &r) {
#pragma HLS INLINE
  int parts[N];
#pragma HLS ARRAY_PARTITION variable=parts complete
  for (int k = 0; k < N; k++) parts[k] = x[0] + k;
  int s = 0;
  for (int k = 0; k < N; k++) s += parts[k];
  r = s;
}
template <int N, int P> void table(int x[64], int w[64], int &r) {
#pragma HLS INLINE
  int kept[64];
#pragma HLS ARRAY_PARTITION variable=kept cyclic factor=P
  kept[x[1] & 63] = x[0];
  r = w[x[2] & 63];
}
template <int N, int P> void outer(int x[64], int w[64], int y[64], int n) {
#pragma HLS ARRAY_PARTITION variable=x complete
LOOP:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    int r;
    inner<N, P>(x, r);
    y[i] = r;
  }
TABLE:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    int r;
    table<N, P>(x, w, r);
    y[i] = r;
  }
}
"""


def test_arrays_of_expanded_calls_have_open_partitions() -> None:
    figures = Pipeline(["t.cpp"], Options(), lambda _: CALLED.encode()).figures
    loops = {x.name: x for x in figures.loops if not x.name.startswith("VITIS")}
    assert {name: x.ii for name, x in loops.items()} == {"LOOP": 1, "TABLE": 1}
    assert loops["LOOP"].depth is None, "it counts the copies"
    use = "void top(int x[64], int w[64], int y[64], int n) { outer<COUNT, COUNT>(x, w, y, n); }\n"
    for count in (1, 4, 9):
        instance = _loops(CALLED + use.replace("COUNT", str(count)))
        assert (instance["LOOP"], instance["TABLE"]) == (1, 1)


def test_banks_of_a_shared_port_are_none() -> None:
    text = """template <int N> void f(int *a, int b[256], int w[64]) {
#pragma HLS INTERFACE m_axi port=a bundle=g
#pragma HLS ARRAY_PARTITION variable=w complete
#pragma HLS ARRAY_PARTITION variable=b cyclic factor=N
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=N
PORT:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++) w[k] = a[i * N + k];
  }
WRAPPED:
  for (int i = 0; i < 24; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < N; k++) w[k] = b[(unsigned char)(i * N + k)];
  }
}
"""
    assert _loops(text) == {"PORT": None, "WRAPPED": None}


def test_choosing_among_banks_that_nobody_counts_takes_states_that_nobody_knows() -> None:
    text = """void g(int a[64], int b[64]) {
READ:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    b[i] = a[i] * 3;
  }
}
void top(int a[64], int b[64], int c[64]) {
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=BANKS
  g(a, b);
PLAIN:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    c[i] = b[i] * 3;
  }
}
"""
    figures = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures
    loops = {x.name: x for x in figures.loops}
    assert (loops["READ"].ii, loops["READ"].depth) == (1, None)
    assert loops["PLAIN"].ii == 1 and loops["PLAIN"].depth is not None
