"""Operations of channels that do not block: a cycle of the port each, whatever becomes of them."""

import pytest
from predicting import loop, result

TOP = """#include <hls_stream.h>
struct word { int a; int b[2]; };
void f(hls::stream<int> &in, hls::stream<int> &other, hls::stream<int> &out, int A[64], int n) {
  int v, w, sum = 0, kept[4] = {0, 0, 0, 0};
  word s = {0, {0, 0}};
#pragma HLS ARRAY_PARTITION variable=kept complete
  L: for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    BODY
  }
  A[0] = sum + kept[1] + s.a;
}
"""


@pytest.mark.parametrize(
    ("body", "ii"),
    [
        ("if (in.read_nb(v)) A[i & 63] = v;", 1),
        ("if (in.read_nb(v)) sum += v;", 1),  # v is that of an earlier iteration where there is no word
        ("in.read_nb(v); sum ^= v; if (!out.write_nb(sum)) sum = 0;", 1),
        ("if (in.read_nb(v) && other.read_nb(w)) A[i & 63] = v + w;", 1),
        ("if (in.read_nb(v) && in.read_nb(w)) A[i & 63] = v + w;", 2),
        ("in.read_nb(v); sum += v; out.write_nb(v); out.write_nb(sum); out.write_nb(i);", 3),
        ("if (in.read_nb(kept[1])) sum += kept[1] + kept[2];", 1),
        ("if (in.read_nb(s.b[1])) s.a += s.b[1];", 1),
        ("if (in.read_nb(A[i & 63])) sum++;", 1),
    ],
)
def test_an_attempt_takes_a_cycle_of_its_port(body: str, ii: int) -> None:
    found = loop(TOP.replace("BODY", body), path="k.cpp")
    assert (found.ii, found.cause) == (ii, None)


def test_an_element_that_is_read_into_is_written() -> None:
    body = "if (in.read_nb(A[i & 63])) sum += A[(i + 3) & 63] + A[(i + 5) & 63];"
    found = loop(TOP.replace("BODY", body), path="k.cpp")
    assert found.resource_ii == 2  # a store and two loads at two ports


TAPA = """#include <tapa.h>
typedef tapa::vec_t<float, 4> v4;
void scale(tapa::istream<v4> &in, tapa::ostream<v4> &out, tapa::ostream<int> &done, int n) {
  L: for (int i = 0; i < n;) {
#pragma HLS PIPELINE II=1
    v4 t;
    if (in.try_read(t)) { for (int k = 0; k < 4; k++) t[k] *= 2.0f; out << t; i++; }
  }
  done.write(n);
}
void load(int n, tapa::async_mmap<v4> &mem, tapa::ostream<v4> &out) {
  M: for (int i = 0, j = 0; j < n;) {
#pragma HLS PIPELINE II=1
    if (i < n && mem.read_addr.try_write(i)) ++i;
    v4 t;
    if (mem.read_data.try_read(t)) { out.write(t); ++j; }
  }
}
void copy(tapa::mmap<int> a, tapa::ostream<int> &out, tapa::istream<int> &in, int n) {
  N: for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    out.write(a[i]);
  }
  O: for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE II=1
    in.read(nullptr);
  }
}
"""


def test_arrays_of_streams_of_tapa_are_fifos_apart() -> None:
    """A word of each of four a cycle; of one of them four words take four."""
    text = """#include <tapa.h>
void f(tapa::istreams<int, 4> &in, tapa::ostream<int> &out) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    int s = 0;
    for (int j = 0; j < 4; j++) s += in[%s].read();
    out.write(s);
  }
}
"""
    assert [x.ii for x in result(text % "j", path="k.cpp").loops if x.pipelined] == [1]
    assert [x.ii for x in result(text % "3", path="k.cpp").loops if x.pipelined] == [4]


def test_streams_of_tapa_are_fifos_and_its_memories_unknown() -> None:
    found = {x.name: x.ii for x in result(TAPA, path="k.cpp").loops}
    assert found == {"L": 1, "M": 1, "N": None, "O": 1}
