"""Loops unrolled as often as a parameter without a value says: an II is given where every number of copies has it.

The oracle is the prediction of instances, whose loops are written out.
"""

from __future__ import annotations

import pytest

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

TEXT = """#include <hls_stream.h>
template <typename T, int N> void f(hls::stream<int> in[32], hls::stream<T> &out, T x[32][64], int m, T buf[32][128]) {
#pragma HLS ARRAY_PARTITION variable=x complete
#pragma HLS ARRAY_PARTITION variable=buf complete
  int tmp[16], w[N + 1];
  T reg[N + 1], one[1];
  bool flag[N + 3];
#pragma HLS ARRAY_PARTITION variable=tmp complete
#pragma HLS ARRAY_PARTITION variable=reg complete
#pragma HLS ARRAY_PARTITION variable=one complete
#pragma HLS ARRAY_PARTITION variable=flag complete
#pragma HLS ARRAY_PARTITION variable=w complete
  T crc = 0;
SUM:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    T s = 0;
    for (int k = 0; k < N; k++) s += x[k][i];
    out.write(s);
  }
CRC:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < N; k++) crc = (crc + x[k][i]) * 3;
    out.write(crc);
  }
SHIFT:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < N; k++) reg[k] = reg[k + 1];
    reg[N] = x[0][i];
    out.write(reg[0]);
  }
CHANNELS:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < N; k++) w[k] = in[k].read();
    int s = 0;
    for (int k = 0; k < N; k++) s += w[k];
    out.write(s);
  }
ONE:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < N; k++) out.write(x[k][i]);
  }
MERGE:
  while (true) {
#pragma HLS PIPELINE
    bool all = flag[0] & flag[1] & flag[2];
    if (!flag[0]) flag[0] = in[0].read_nb(w[0]);
    if (all) {
      for (int j = 0; j < 16; j++) tmp[j] = 0;
      for (int k = 0; k < N; k++)
        for (int j = 0; j < 16; j++) tmp[j] = tmp[j] > w[k] ? tmp[j] : w[k];
      for (int j = 0; j < 16; j++) x[j][0] = tmp[j];
      for (int k = 0; k < N; k++) flag[k] = 0;
    }
  }
NONE:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    one[0] = crc * 3;
    for (int k = 0; k < N; k++) one[0] = x[k][i];
    crc = one[0];
  }
LINE:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < N - 1; k++) buf[k][i] = reg[k + 1];
    out.write(reg[0]);
  }
ROW:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < N; k++) x[k][0] = buf[0][i + k];
  }
DATA:
  for (int i = 0; i < m; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < N && k < m; k++) x[k][i] = buf[k][i];
  }
}
"""
USE = """void top(hls::stream<int> in[32], hls::stream<TYPE> &out, TYPE x[32][64], int m, TYPE buf[32][128]) {
  f<TYPE, COUNT>(in, out, x, m, buf);
}
"""


def _loops(text: str) -> dict[str, int | None]:
    figures = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures
    assert "void top" in text or all(f.latency.max is None for f in figures.functions if f.name == "f")
    return {x.name: x.ii for x in figures.loops if x.pipelined and not x.name.startswith("VITIS")}


def test_an_ii_is_that_of_every_number_of_copies() -> None:
    found = _loops(TEXT)
    known = {name for name, ii in found.items() if ii is not None}
    assert known == {"SUM", "SHIFT", "CHANNELS", "MERGE", "LINE"}
    for kind, count in (("int", 1), ("int", 5), ("float", 0), ("float", 3)):
        instance = _loops(TEXT + USE.replace("TYPE", kind).replace("COUNT", str(count)))
        wrong = {n: (found[n], instance[n]) for n in known if instance[n] not in (found[n], None)}
        assert not wrong, (kind, count, wrong)


def test_what_differs_with_the_number_of_copies_has_none() -> None:
    for name, kind, counts in (("CRC", "float", (1, 3)), ("ROW", "int", (1, 5))):
        one, other = (_loops(TEXT + USE.replace("TYPE", kind).replace("COUNT", str(n)))[name] for n in counts)
        assert one is not None and other is not None and one != other, (name, one, other)


@pytest.mark.parametrize("asked", ["", "#pragma HLS ALLOCATION operation instances=mul limit=1\n"])
def test_limited_operators_are_those_of_all_copies(asked: str) -> None:
    text = f"""template <int N> void f(int x[32][64], int o[64]) {{
#pragma HLS ARRAY_PARTITION variable=x complete
{asked}LOOP:
  for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
    int s = 0;
    for (int k = 0; k < N; k++) s += x[k][i] * x[k][i];
    o[i] = s;
  }}
}}
"""
    assert _loops(text) == {"LOOP": None if asked else 1}


@pytest.mark.parametrize(("index", "ii"), [("k", 1), ("i", None)])
def test_words_of_tables_are_numbers_where_no_iteration_changes_them(index: str, ii: int | None) -> None:
    rows = ", ".join("{" + ", ".join(map(str, range(k, k + 32))) + "}" for k in range(8))
    text = f"""static const int table[8][32] = {{{rows}}};
template <int N> void f(int x[32][64], int o[32]) {{
#pragma HLS ARRAY_PARTITION variable=x complete
LOOP:
  for (int i = 0; i < 32; i++) {{
#pragma HLS PIPELINE
    int s = 0;
    for (int k = 0; k < N; k++) s += x[k][i] * table[k][{index}];
    o[i] = s;
  }}
}}
"""
    assert _loops(text) == {"LOOP": ii}


@pytest.mark.parametrize(
    ("body", "ii"),
    [
        ("h[c[i]] += x[i];", None),  # of one element a memory that the sum goes through
        ("o = h[c[i]] + h[c[i + 1]] + h[c[i + 2]];", None),  # more than a memory has ports
        ("h[1] = h[0] + x[i]; h[0] = h[1];", 1),  # it has two
        ("int v = x[i]; for (int k = 0; k <= N; k++) h[k] = v;", 1),
        ("h[c[i]] = x[i];", 1),
    ],
)
def test_arrays_that_may_have_one_element_are_registers_where_a_memory_would_do(body: str, ii: int | None) -> None:
    text = f"""template <int N> void f(int x[64], int c[64], int h[N + 1], int &o) {{
#pragma HLS ARRAY_PARTITION variable=h complete
#pragma HLS ARRAY_PARTITION variable=c complete
LOOP:
  for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
    {body}
  }}
}}
"""
    assert _loops(text) == {"LOOP": ii}
    if ii is None:
        use = "void top(int x[64], int c[64], int h[COUNT + 1], int &o) { f<COUNT>(x, c, h, o); }\n"
        one, more = (_loops(text + use.replace("COUNT", str(n)))["LOOP"] for n in (0, 3))
        assert one is not None and more is not None and one > more
