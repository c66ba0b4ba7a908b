"""An iterator that is written out stays an object of its type: overloads, references and ``decltype`` tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from rewrite_help import outputs, piped

HEAD = """template <class T> struct Of { static int next() { T t = 1; t++; return (int)t; } };
inline int kind(int &) { return 1; }
inline int kind(const int &) { return 2; }
inline int kind(unsigned char &) { return 3; }
inline int kind(const unsigned char &) { return 4; }
inline int kind(long) { return 5; }
"""
FORMS = {
    "overloads": "s += kind(j) * x[4 * i + j];",
    "one of two": "s += kind(i ? j : j) * x[4 * i + j];",
    "decltype": "{ decltype(j) t = 1; t++; s += (int)t + x[4 * i + j]; }",
    "alias": "{ using T = decltype(j); T t = 2; t += 1; s += (int)t + x[4 * i + j]; }",
    "class of its type": "s += Of<decltype(j)>::next() + x[4 * i + j];",
    "loop of its type": "for (decltype(j) q = 0; q < 2; q++) s += (int)q + x[4 * i + j];",
}
FLAGS, COMPILER = ("-w", "-fsanitize=undefined"), ("g++", "-std=c++14")
PRINT = """#include <cstdio>
void k(int in[32], int out[8]);
int main() {
    static int in[32], out[8];
    for (int i = 0; i < 32; i++) in[i] = i * i % 37;
    k(in, out);
    for (int i = 0; i < 8; i++) printf("%d ", out[i]);
}
"""


def kernel(form: str, kind: str, unrolled: bool) -> str:
    pipeline, unroll = "#pragma HLS PIPELINE II=1\n", "#pragma HLS UNROLL factor=2\n"
    return f"""{HEAD}void k(int in[32], int out[8]) {{
    int x[32];
#pragma HLS ARRAY_PARTITION variable=x cyclic factor=4
    for (int q = 0; q < 32; q++) x[q] = in[q];
    for (int i = 0; i < 8; i++) {{
{pipeline if unrolled else ""}        int s = 0;
        for ({kind} j = 0; j < 4; j++) {{
{"" if unrolled else pipeline + unroll}            {form}
        }}
        out[i] = s;
    }}
}}
"""


@pytest.mark.parametrize("kind", ["int", "unsigned char"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_is_written_out_compiles_and_computes_the_same(form: str, kind: str, tmp_path: Path) -> None:
    for unrolled in (True, False):
        text = kernel(form, kind, unrolled)
        (new,) = piped({"p.cpp": text}, style="crossbar").files.values()
        assert new != text
        made = [outputs(tmp_path, name, [one], PRINT, FLAGS, COMPILER) for name, one in (("a", text), ("b", new))]
        assert made[0] == made[1]
