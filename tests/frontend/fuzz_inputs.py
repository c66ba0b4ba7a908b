# ruff: noqa: E501 (C text stays on its line)
"""Inputs that nobody means: mutated sources, random bytes, nesting, long lines, include cycles, doubling macros."""

from __future__ import annotations

import random
import re
from pathlib import Path

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
    "c.cpp": """#include <hls_stream.h>
template <typename T, int N> class Shift { T data[N]; int n; public: Shift() {
#pragma HLS ARRAY_PARTITION variable=data complete
} void push(T x) { for (int i = N - 1; i > 0; i--) data[i] = data[i - 1]; data[0] = x; this->n++; }
  T get(int i) const { push(i); return data[i]; } };
struct Sum { int total = 0; void add(int v) { total += v; } int x, y[4]; };
template <int N> struct Hole : Sum { virtual int f(); };
int top(hls::stream<int> &in, int A[8]) {
  static Shift<int, 5> w; Sum a, b; auto f = [&](int x) { return x + a.x; };
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    w.push(in.read()); a.add(A[i]); b.y[i % 4] = w.get(i); if (f(i)) break; Hole<3> h; h.f();
  }
  for (int &x : A) { x = a.total; } return b.total;
}
""",
}
SEEDS.update((p.name, p.read_text()) for p in (Path(__file__).parent.parent / "poly" / "classes").glob("*.cpp"))
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
        kind, length = rnd.randrange(14), len(text)
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
        elif kind >= 8:  # a word for another, a line twice or not at all: often still a program
            words = re.findall(r"\w+|[-+*/%<>=!&|^]+", text)
            lines = text.split("\n")
            here = rnd.randrange(len(lines))
            if kind < 12 and words:
                old, new = rnd.choice(words), rnd.choice([*words, "0", "1", "7", "-1", "2147483647", "1u", "3.5"])
                at = rnd.choice([m.start() for m in re.finditer(re.escape(old), text)])
                text = text[:at] + new + text[at + len(old) :]
            else:
                text = "\n".join(lines[:here] + lines[here : here + 1] * rnd.choice((0, 2)) + lines[here + 1 :])
        elif kind == 6:
            text = text[:start] + chr(rnd.randrange(256)) + text[start + 1 :]
        else:
            text = text[:start] + rnd.choice(NESTED) * rnd.choice((10, 300, 1500)) + text[start:]
    if rnd.random() < 0.03:
        text = "".join(chr(rnd.randrange(256)) for _ in range(rnd.choice((5, 200, 2000))))
    return name, text


LONG = (
    "x+", "g(x);", "int a;", "A[x]=x;", "(", "a", "1", '"a"', "1,", "1+2,", "{1,2},", "a,", ";", "#", "*", "[1]", "x?x:", "x=", "!",
    "case 1:", "if(x);else ", "l:", " ", "\\\n", "#if 1\n", "#pragma HLS x\n", "?", "'", '"', "\xff", "a<", "::", "/*", "//",
    "#include <stdio.h>\n", "for(;;)", "int f(){}", "struct s{", "-1,", "a.", "N ", "template<int N> ",
)  # fmt: skip


def long_line(rnd: random.Random) -> tuple[str, str]:
    """About a megabyte of one piece of text, somewhere in a program."""
    piece = rnd.choice(LONG)
    before = rnd.choice(("", "#define N 1\nint f(int x) { return ", "int t[] = {", "void f(int x) {", "int ", "/*"))
    after = rnd.choice(("", "x; }", "};", "}", ";", "*/"))
    return rnd.choice(("a.c", "b.cpp")), before + piece * (1_000_000 // len(piece)) + after


def doubling(rnd: random.Random) -> tuple[str, str]:
    """Macros that double what they are given."""
    depth = rnd.choice((8, 20, 40))
    if rnd.random() < 0.5:
        lines = [f"#define M{k} M{k - 1} M{k - 1}" for k in range(1, depth)]
        return "a.c", "#define M0 x;\n" + "\n".join(lines) + f"\nvoid f(int x) {{ M{depth - 1} }}\n"
    return "a.c", "#define D(x) x + x\nint y = " + "D(" * depth + "1" + ")" * depth + ";\n"


def nested(rnd: random.Random) -> tuple[str, str]:
    """Something two thousand levels deep, closed or not."""
    piece = rnd.choice(NESTED)
    closing = {"(": ")", "[": "]", "{": "}", "x(": ")", "struct{": "}", "{;": "}", "#if 1\n": "\n#endif"}.get(piece, "")
    before = rnd.choice(("", "int a = ", "void f(int a) {", "int t[] = {", "struct s { int "))
    return rnd.choice(("a.c", "b.cpp")), before + piece * 2000 + "1" + closing * rnd.choice((0, 1999, 2000)) + ";}"


def generated(rnd: random.Random) -> tuple[str, str]:
    """(file name, text) of one input; ``x.h`` beside it is a header (see :func:`header`)."""
    kind = rnd.random()
    if kind < 0.003:
        return long_line(rnd)
    if kind < 0.006:
        return doubling(rnd)
    if kind < 0.02:
        return nested(rnd)
    if kind < 0.05:
        name = rnd.choice(sorted(SEEDS))
        return name, SEEDS[name][: rnd.randrange(len(SEEDS[name]))]
    return mutated(rnd)


def header(rnd: random.Random, name: str) -> bytes:
    """What ``x.h`` holds: mostly a declaration, sometimes an include cycle."""
    return rnd.choice((b"extern int h[3];\n",) * 20 + (b'#include "x.h"\n', f'#include "{name}"\n'.encode()))
