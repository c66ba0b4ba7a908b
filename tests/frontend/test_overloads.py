"""C++ overloads are functions of their own; a call means the one that its arguments choose, or hlspart says nothing."""

from __future__ import annotations

import pytest
from frontend_help import LOOP, intervals

from hlspart.frontend import load
from hlspart.model.options import FrontendOptions, Options, RewriteOptions
from hlspart.model.program import Call, expressions, walk, walk_statements
from hlspart.pipeline import Pipeline
from hlspart.semantics.effects import Effects

TEXT = """\
int sum(const int a[8]);
float sum(const float a[8], int n = 8);
int sum(const int a[8]) { int s = 0; for (int i = 0; i < 8; i++) s += a[i]; return s; }
float sum(const float *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static void put(unsigned x, int o[4]) { o[0] = x; }
static void put(int x, int o[4]) { o[1] = x; }
static void put(short x, int o[4]) { o[2] = x; }
void f(int x[8], float y[8], int o[4], char c) {
  short h = 3;
  unsigned u = 4;
  o[3] = sum(x) + (int)sum(y, 8) + (int)sum(y);
  put(h, o);
  put(u, o);
  put(7, o);
  put(c, o);
}
"""


def pipeline(text: str, path: str = "k.cpp") -> Pipeline:
    return Pipeline([path], Options(), lambda _: text.encode())


def called(found: Pipeline) -> set[str | None]:
    return {c.function for c in Effects(found.program).calls["f"]}


def test_definitions_and_prototypes_of_one_signature_are_one_function() -> None:
    found = pipeline(TEXT)
    assert [d.message for d in found.program.diagnostics] == []
    functions = found.program.functions
    assert list(functions) == ["sum", "sum(const float*,int)", "put", "put(int,int*)", "put(short,int*)", "f"]
    assert [len(functions[n].prototypes) for n in ("sum", "sum(const float*,int)", "put")] == [1, 1, 0]


def test_a_call_means_the_overload_of_its_arguments() -> None:
    assert called(pipeline(TEXT)) == {
        "sum", "sum(const float*,int)", "put", "put(int,int*)", "put(short,int*)", "one of the functions put",
    }  # fmt: skip
    assert called(pipeline(TEXT.replace("put(c, o)", "put(7u, o)"))) == set(pipeline(TEXT).program.functions) - {"f"}
    declared = "void g(int a[4]);\nvoid g(int a[4], int v);\nvoid f(int x[4], char c) { g(x); g(x, c); }\n"
    assert called(pipeline(declared)) == {"g", "g(int*,int)"}


def test_a_stream_is_no_pointer_and_no_number() -> None:
    """Also where one of the functions is declared only."""
    text = """#include <hls_stream.h>
void put(const unsigned char *in, unsigned char *out);
void put(unsigned char in, unsigned char out);
void put(hls::stream<unsigned char> &in, hls::stream<unsigned char> &out) { out.write(in.read()); }
void f(hls::stream<unsigned char> &a, hls::stream<unsigned char> &b, unsigned char *p) { put(a, b); put(p, p); }
"""
    stream = "put(stream<unsigned char>,stream<unsigned char>)"
    assert called(pipeline(text)) == {stream, "one of the functions put"}
    assert called(pipeline(text.replace("put(unsigned char in, unsigned char out)", "put(int a)"))) == {stream, "put"}


def test_the_same_signature_twice_is_a_fault_and_so_are_two_functions_of_c() -> None:
    twice = "void g(int a[4]) { a[0] = 0; }\nvoid g(int *b) { b[1] = 0; }\nvoid f(int x[4]) { g(x); }\n"
    assert [d.message for d in pipeline(twice).program.diagnostics] == ["'g' is defined twice"]
    other = twice.replace("int *b", "int *b, int c")
    assert pipeline(other).program.diagnostics == ()
    assert [d.message for d in pipeline(other, "k.c").program.diagnostics] == ["'g' is defined twice"]


def test_arrays_of_an_overloaded_function_keep_their_parameters() -> None:
    pragma = "#pragma HLS ARRAY_PARTITION variable=x complete\n"
    text = (
        "static void g(int a[2]) { a[0] = a[1]; }\nstatic void g(int *a, int *b) { a[0] = b[0]; }\n"
        f"int f(int i) {{ int x[2];\n{pragma}x[0] = 1; x[1] = 2; g(x); g(x, x); return x[i & 1]; }}\n"
    )
    for style in ("split", "bankdim", "crossbar"):
        result = pipeline(text).rewrite(RewriteOptions(style=style))
        assert result.files["k.cpp"] == text, style
        assert {o.status for o in result.outcomes} == {"refused"}


ROWS = """\
const int SIDE = 4;
int written(...);
void put(int a[2][SIDE], int o[4]) { o[0] = a[0][1]; }
void put(int a[2][SIDE / 2], int o[4]) { o[1] = a[0][1]; }
void f(int x[2][4], int y[3][2], int o[4]) {
  put(x, o);
  put(y, o);
}
"""


def test_extents_of_rows_tell_functions_apart() -> None:
    found = pipeline(ROWS)
    assert [d.message for d in found.program.diagnostics] == []
    assert called(found) == {"put", "put(int**[2],int*)"}
    same = pipeline(ROWS.replace("SIDE / 2", "2 * 2").replace("y[3][2]", "y[3][4]"))
    assert "'put' is defined twice" in [d.message for d in same.program.diagnostics]


def test_a_prototype_may_name_types_otherwise() -> None:
    text = """#include <ap_int.h>
#include <hls_stream.h>
typedef int D;
typedef unsigned int U;
typedef ap_uint<10> W;
typedef unsigned char B;
struct P { int x; };
typedef P Q;
void work(D a[64], U n, W w, B b, hls::stream<P> &s, hls::stream<W> &t, P p);
void work(int a[64], unsigned n, ap_uint<(4 + 6)> w, unsigned char b, hls::stream<struct P> &s,
          hls::stream<ap_uint<10>> &t, Q p) {
LOOP:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    a[i] += n + w + b;
  }
}
int other(D x);
float other(float x) { return x; }
int other(int x) { return 2 * x; }
void top(int a[64], float f[4], hls::stream<P> &s, hls::stream<W> &t) {
  P p = {1};
  work(a, 3, 4, 5, s, t, p);
  f[0] = other(f[1]);
  a[0] = other(a[1]);
}
"""
    program = load(["t.cpp"], FrontendOptions(), lambda _: text.encode())
    assert set(program.functions) == {"work", "other", "other(float)", "top"} and not program.undefined


def test_const_of_what_a_reference_means_tells_functions_apart() -> None:
    """A constant, a temporary and a constant object go to the one, variables to the other, as in C++."""
    text = """\
    int get(const int &);
    int get(int &a) { return a + 1; }
    int get(const int &a) { return a; }
    struct S { int x; int at(int i) { return x + i; } int at(int i) const { return x - i; } };
    int row(const int a[4]) { return a[0]; }
    int row(int a[4]) { return a[1]; }
    """
    calls = {
        "const int c = n; r[0] = get(c);": "get",
        "int d = n; r[0] = get(d);": "get(int)",
        "r[0] = get(n + 1);": "get",
        "r[0] = get(r[1]);": "get(int)",
        "S s; s.x = n; r[0] = s.at(1);": "S::at(S,int)",
        "const S s = {n}; r[0] = s.at(1);": "S::at",
        "r[0] = row(v);": "row",
        "r[0] = row(r);": "row(int*)",
    }
    for body, name in calls.items():
        found = pipeline(f"{text}void f(int r[4], const int v[4], int n) {{ {body} }}\n")
        assert [d.message for d in found.program.diagnostics] == []
        body_of_f = found.program.functions["f"].body
        calls_of_f = (e for stmt in walk_statements(body_of_f) for top in expressions(stmt) for e in walk(top))
        assert [e.function for e in calls_of_f if isinstance(e, Call)] == [name], body


QUALIFIED = """struct Item { int value;
  Item &operator=(const Item &a) { value = a.value * a.value * a.value; return *this; }
  Item &operator=(const volatile Item &a) { value = a.value / 3; return *this; }
};
int of(const Item &a) { return a.value * a.value * a.value; }
int of(const volatile Item &a) { return a.value / 3; }
using either = union { float f; struct { unsigned low : 16, high : 16; } parts; };
void top(Item plain[32], volatile Item shared[32], float in[32], int out[32]) {"""


@pytest.mark.parametrize(
    ("body", "plainly"),
    [
        ("Item x; x = plain[i]; out[i] = x.value;", "int v = plain[i].value; out[i] = v * v * v;"),
        ("Item x; x = shared[i]; out[i] = x.value;", "int v = shared[i].value; out[i] = v / 3;"),
        ("out[i] = of(plain[i]);", "int v = plain[i].value; out[i] = v * v * v;"),
        ("out[i] = of(shared[i]);", "int v = shared[i].value; out[i] = v / 3;"),
        (
            "either e; e.f = in[i]; out[i] = e.parts.high;",
            "union { float f; unsigned u; } e; e.f = in[i]; out[i] = e.u >> 16;",
        ),
    ],
)
def test_volatile_tells_functions_apart(body: str, plainly: str) -> None:
    written, expected = (intervals(QUALIFIED + LOOP.replace("STATEMENT", s) + "}\n")[-1] for s in (body, plainly))
    assert written == expected and written[0] == 1


BESIDE_THE_LIBRARY = """#include <math.h>
#include <stdlib.h>
#include <ap_int.h>
ap_uint<16> abs(ap_int<16> x) { if (x >= 0) return x; else return -x; }
template <int W> ap_uint<W> log2(ap_uint<W> word) { return word >> 1; }
void f(ap_int<16> a, int b, double c, ap_uint<32> w, long o[8]) {
  o[0] = CALL;
}
"""


@pytest.mark.parametrize(
    ("call", "meant"),
    (
        ("abs(a)", "abs(ap_int<16>)"),
        ("abs(b)", "abs"),
        ("log2(c)", "log2"),
        ("log2(w)", "log2<32>"),
        ("log2<32>(b - 1)", "log2<32>"),  # arguments of a template: no function that is none
    ),
)
def test_functions_that_have_the_name_of_one_of_the_library(call: str, meant: str) -> None:
    """The library's are prototypes of numbers: an argument of just another one's type means that."""
    assert called(pipeline(BESIDE_THE_LIBRARY.replace("CALL", call))) == {meant}


def test_only_types_that_are_numbers_here_are_not_told_apart() -> None:
    kinds = "enum A { ONE };\nenum B { TWO };\n"
    text = kinds + "int g(A *a) { return a[0]; }\nint g(B* b) { return 1; }\nvoid f(int x[4]) { x[0] = 1; }\n"
    said = [d.message for d in pipeline(text).program.diagnostics]
    assert said == ["C++ construct not supported: 'g' of types that are numbers here"]
    same = [d.message for d in pipeline(text.replace("B* b", "A* b")).program.diagnostics]
    assert same == ["'g' is defined twice"]
