"""Bits of numbers whose width, or whose type, only an instance of a template knows.

The oracle is the prediction of instances.
"""

from __future__ import annotations

import pytest

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

TEXT = """#include <ap_int.h>
#include <hls_stream.h>
template <typename T, int W, int N>
void f(hls::stream<ap_uint<W> > &wide, hls::stream<T> &in, hls::stream<T> &out, hls::stream<ap_uint<8> > &bytes,
       T x[64], int n) {
  ap_uint<W> mixed = 0;
SPLIT:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    ap_uint<W> v = wide.read();
    ap_uint<8> low = v.range(7, 0), high = v(15, 8);
    bytes.write(low + high + v[3] + v.range(N + 7, N));
  }
JOIN:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    ap_uint<W> v = 0;
    v.range(N + 7, N) = bytes.read();
    v[3] = 1;
    wide.write(v);
  }
TYPED:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    T v = in.read();
    T w = 0;
    for (int k = 0; k < 4; k++) {
      ap_uint<8> part = v.range((k + 1) * N - 1, k * N);
      w.range((4 - k) * N - 1, (3 - k) * N) = part;
    }
    out.write(w);
  }
ELEMENT:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    x[i].range(N + 7, N) = bytes.read();
  }
MIXED:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    mixed.range(7, 0) = wide.read().range(7, 0) ^ mixed.range(15, 8);
  }
  wide.write(mixed);
}
"""
USE = """void top(hls::stream<ap_uint<WIDTH> > &wide, hls::stream<ap_uint<32> > &in, hls::stream<ap_uint<32> > &out,
         hls::stream<ap_uint<8> > &bytes, ap_uint<32> x[64], int n) {
  f<ap_uint<32>, WIDTH, 8>(wide, in, out, bytes, x, n);
}
"""


def _loops(text: str) -> dict[str, int | None]:
    figures = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures
    return {x.name: x.ii for x in figures.loops if x.pipelined}


@pytest.mark.parametrize("width", [32, 256])
def test_bits_of_open_numbers_have_the_ii_of_every_instance(width: int) -> None:
    found, instance = _loops(TEXT), _loops(TEXT + USE.replace("WIDTH", str(width)))
    known = {name for name, ii in found.items() if ii is not None}
    assert {"SPLIT", "JOIN", "TYPED"} <= known
    assert all(instance[n] == found[n] for n in known), (found, instance)
    assert found["MIXED"] is None  # how long an operator on it takes is not known


def test_a_method_of_an_open_class_by_that_name_is_its_own() -> None:
    text = """template <typename T, int N> class Mat;
template <typename T, int N> void f(Mat<T, N> &m, int x[64]) {
LOOP:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    x[i] = m.range(i, 0);
  }
}
"""
    assert _loops(text) == {"LOOP": None}


def test_a_class_as_an_argument_of_another_open_class() -> None:
    text = """template <typename T, int N> struct Wide { T v[N]; };
template <typename T, int N> struct Outer { T w[N]; };
template <typename T, int N> void f(T x[16], int n) {
LOOP:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    Outer<Wide<Wide<T, N>, N>, 4> unused;
    x[i] = x[i];
  }
}
"""
    assert _loops(text) == {"LOOP": 1}


AXIS = """#include <ap_int.h>
#include <ap_axi_sdata.h>
#include <hls_stream.h>
template <int W> void to_stream(ap_uint<W> in[64], hls::stream<ap_axiu<W, 0, 0, 0> > &out, int n) {
WRITE:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    ap_axiu<W, 0, 0, 0> v;
    v.data = in[i];
    v.keep = -1;
    v.last = i == n - 1;
    out.write(v);
  }
}
template <int W> void from_stream(ap_uint<8> out[64], hls::stream<ap_axiu<W, 0, 0, 0> > &in, int n) {
READ:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    ap_axiu<W, 0, 0, 0> v = in.read();
    out[i] = v.data.range(7, 0) + v.data(15, 8);
  }
PRODUCT:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    static ap_axiu<W, 0, 0, 0> v = in.read();
    v.data = v.data * 3 + i;
    out[i] = v.last;
  }
}
"""
AXIS_USE = """void top(ap_uint<WIDTH> a[64], hls::stream<ap_axiu<WIDTH, 0, 0, 0> > &out, ap_uint<8> b[64],
         hls::stream<ap_axiu<WIDTH, 0, 0, 0> > &in, int n) {
  to_stream<WIDTH>(a, out, n);
  from_stream<WIDTH>(b, in, n);
}
"""


def test_words_with_side_channels_of_open_width() -> None:
    found = _loops(AXIS)
    assert {name for name, ii in found.items() if ii is not None} == {"WRITE", "READ"}
    for width in (32, 512):
        instance = _loops(AXIS + AXIS_USE.replace("WIDTH", str(width)))
        assert all(instance[n] == found[n] for n in ("WRITE", "READ")), (found, instance)


MEMBERS = """#include <hls_stream.h>
DECLARED
template <typename T> void f(hls::stream<T> &in, hls::stream<T> &out, int x[64], int y[64], int n) {
COPY:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    T v = in.read();
    T w;
    w.value = v.value + 1;
    w.last.flag = v.last.flag;
    if (v.valid) out.write(w);
  }
CAST:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    cast<T> c;
    c.i = x[i];
    y[i] = c.f;
  }
SUM:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    static T s;
    s.value = s.value * 3 + x[i];
    y[i] = s.value;
  }
CHOSEN:
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    T v = in.read();
    y[i] = v.data[x[i]];
  }
}
"""
TYPES = """struct Flag { bool flag; };
struct Word { VALUE value; Flag last; bool valid; int data[4]; };
template <typename T> union cast { int i; float f; };
"""


def test_members_of_a_type_that_is_a_parameter_are_values_of_its_objects() -> None:
    found = _loops(MEMBERS.replace("DECLARED", "template <typename T> union cast;"))
    assert {name for name, ii in found.items() if ii is not None} == {"COPY", "CAST"}
    use = "void top(hls::stream<Word> &in, hls::stream<Word> &out, int x[64], int y[64]) { f(in, out, x, y, 64); }\n"
    for value in ("int", "float"):
        instance = _loops(MEMBERS.replace("DECLARED", TYPES.replace("VALUE", value)) + use)
        assert (instance["COPY"], instance["CAST"]) == (1, 1)
