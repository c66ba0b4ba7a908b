# ruff: noqa: E501 (C text stays on its line)
"""Mutated sources, random bytes and nesting: a record for each, never an exception."""

from __future__ import annotations

import random

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions

SEEDS = {
    "a.c": """#include <stdint.h>
#include "x.h"
#define N 8
#define AT(a, i) a[(i) + 1]
#define PRAGMA(x) _Pragma(#x)
typedef struct { int16_t re, im; } cplx;
static const int T[N] = {1, -2, 3, [5] = 7};
enum { P = N * 2, Q };
int f(int A[N][P], uint8_t *b, int (*c)[4], cplx z[3])
{
#pragma HLS array_partition variable=A cyclic factor=N/2 dim=1
  int s = 0, loc[Q] = {0};
  L1: for (int i = 0; i < N; i++) {
    PRAGMA(HLS pipeline II=1)
    s += A[i][2 * i] + AT(T, i) - (*c)[3] * z[1].re;
    if (s > 3) s--; else { loc[i] = *(b + i) ? 1 : 2, *b = sizeof(T) / sizeof T[0]; }
    do { s <<= 1; } while (s < 100 && !(s & 1));
  }
  switch (s) { case 1: case 2 ... 4: return 1; default: goto out; }
out:
  return f(A, b, c, z) + (int)'c';
}
""",
    "b.cpp": """#include <ap_int.h>
#include <hls_stream.h>
using w = ap_uint<9>;
namespace n { template <int U, typename T> T sum(T a[U]) { T s = 0; for (int i = 0; i < U; i++) s += a[i]; return s; } }
struct pt { int x; w y[4]; };
extern "C" void top(hls::stream<w> &in, w (&buf)[8], int k = 3) {
#pragma HLS interface axis port=in
  pt p; const int N = 4; w x(5); int q{7};
  for (int i = 0; i < N; ++i) buf[i] = in.read() + w(2) + static_cast<int>(p.y[i]);
  auto z = n::sum<4, w>(p.y) >> 1;
  in << z;
}
""",
}
PIECES = [
    "{", "}", "(", ")", "[", "]", ";", ",", "*", "&", "<", ">", "=", "?", ":", "::", "...", "##", "#", "++", "->", ".", '"',
    "'", "/*", "*/", "//", "\\\n", "int", "struct", "class", "union", "enum", "typedef", "static", "const", "for", "while",
    "do", "if", "else", "switch", "case", "default", "return", "goto", "sizeof", "auto", "template<int N>", "operator",
    "namespace", "using", "0x", "1e", "09", "1<<999", '_Pragma("x")', "__attribute__((", "({", "})", "ap_int<", "a<b>(c)",
    "L1:", "if(1)", "-1", "[[", "\0", "\xff", "#define A A", "\n#if 0\n", "\n#else\n", "\n#endif\n",
    '\n#include "x.h"\n', "\n#pragma HLS unroll\n", "\n#define N\n",
]  # fmt: skip
NESTED = (
    "(",
    "[",
    "{",
    "!",
    "-",
    "*",
    "if(1)",
    "a?",
    "1+",
    "for(;;)",
    "a,",
    "{;",
    "x(",
    "struct{",
    "a=",
    "#if 1\n",
    "<",
)


def mutated(rnd: random.Random) -> tuple[str, str]:
    name = rnd.choice(sorted(SEEDS))
    text = SEEDS[name]
    for _ in range(rnd.choice((1, 1, 1, 2, 5))):
        kind, length = rnd.randrange(8), len(text)
        start = rnd.randrange(length + 1)
        end = min(length, start + rnd.choice((1, 2, 5, 20, 100)))
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            text = text[:start] + rnd.choice(PIECES) + text[start:]
        elif kind == 2:
            text = text[:start] + " " + rnd.choice(PIECES) + " " + text[end:]
        elif kind == 3:
            text = text[:start] + text[start:end] * rnd.choice((2, 3, 10)) + text[end:]
        elif kind == 4:
            text = text[:start]
        elif kind == 5:
            other = rnd.choice(sorted(SEEDS.values()))
            at = rnd.randrange(len(other))
            text = text[:start] + other[at : at + rnd.choice((5, 20, 60))] + text[end:]
        elif kind == 6:
            text = text[:start] + chr(rnd.randrange(256)) + text[start + 1 :]
        else:
            text = text[:start] + rnd.choice(NESTED) * rnd.choice((10, 300, 1500)) + text[start:]
    if rnd.random() < 0.03:
        text = "".join(chr(rnd.randrange(256)) for _ in range(rnd.choice((5, 200, 2000))))
    return name, text


def check(loaded: ir.Program, text: str) -> None:
    """Every place lies in the text."""
    for function in loaded.functions.values():
        for stmt in ir.walk_statements(function.body):
            for expr in ir.expressions(stmt):
                for node in ir.walk(expr):
                    span = node.at.span
                    assert 0 <= span.start <= span.end <= len(loaded.sources[span.path].text), text
    for variable in loaded.variables:
        if variable.at.kind == "plain" and "<" not in variable.name:
            assert loaded.text(variable.at).replace("\\\n", "") == variable.name, text


def test_mutated_sources() -> None:
    rnd = random.Random(20240)
    loaded_count = errors = 0
    for _ in range(700):
        name, text = mutated(rnd)
        files = {name: text.encode("utf-8", "surrogateescape"), "x.h": b"extern int h[3];\n"}

        def read(path: str, files: dict[str, bytes] = files) -> bytes:
            if path not in files:
                raise FileNotFoundError(path)
            return files[path]

        try:
            loaded = load([name], FrontendOptions(), read)
        except Exception as fault:
            raise AssertionError(text) from fault
        error = loaded.units[0].error
        if error is None:
            loaded_count += 1
            check(loaded, text)
        else:
            errors += 1
            assert error.message and error.place.path.startswith((name, "x.h", "<"))
    assert loaded_count > 70 and errors > 300
