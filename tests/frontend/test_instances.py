"""Templates beyond one per name, against the text without templates: the same loops."""

from __future__ import annotations

import pytest
from frontend_help import LOOP, intervals, whole

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline

# (with templates, the same without)
PAIRS = {
    "overloaded by number of parameters": (
        """template <typename T> T add(T a, T b) { return a + b; }
template <typename T> T add(T a, T b, T c) { return a + b + c; }
""",
        "o[i] = add<float>(x[i], 1.0f) + add<float>(x[i + 32], 2.0f, 3.0f);",
        "o[i] = (x[i] + 1.0f) + (x[i + 32] + 2.0f + 3.0f);",
    ),
    "specialised function of its own recursion": (
        """template <int N> float sum(float x[64]) { return x[N] + sum<N - 1>(x); }
template <> float sum<0>(float x[64]) { return x[0]; }
""",
        "o[i] = sum<3>(x);",
        "o[i] = x[3] + (x[2] + (x[1] + x[0]));",
    ),
    "partly specialised class": (
        """template <typename T, int N> struct Step { T of(T a) { return a + N; } };
template <typename T> struct Step<T, 0> { T of(T a) { return a * a; } };
""",
        "Step<float, 0> one; Step<float, 7> two; o[i] = one.of(x[i]) + two.of(x[i + 32]);",
        "o[i] = x[i] * x[i] + (x[i + 32] + 7);",
    ),
    "parameters with the names of members": (
        """struct Size { int x, y; };
template <typename T, int x, int y> struct Grid {
  T data[x * y]; Size size;
  Grid() { size.x = x; this->size.y = y; }
  T at(int i) { return data[i % size.x] * size.y; }
};
""",
        "Grid<float, 4, 8> g; g.data[i] = x[i]; o[i] = g.data[i];",
        "float g[32]; g[i] = x[i]; o[i] = g[i];",
    ),
    "a structure by its address": (
        "struct Y { float a, b; };\nstatic void split(float v, Y *y) { y->a = v; y->b = v * 2.0f; y->a += y->b; }\n",
        "Y y; split(x[i], &y); o[i] = y.a - y.b;",
        "float a = x[i], b = a * 2.0f; a += b; o[i] = a - b;",
    ),
    "a default value with a comma in its type": (
        """#include "ap_fixed.h"
template <typename T> struct P { T a, b; P(T x, T y = T()) : a(x), b(y) {} T sum() { return a + b; } };
""",
        "P<ap_fixed<16, 8> > p(x[i], x[i + 32]); o[i] = p.sum();",
        "ap_fixed<16, 8> a = x[i], b = x[i + 32]; ap_fixed<16, 8> s = a + b; o[i] = s;",
    ),
    "constants of a file end a recursion": (
        """constexpr int LOG = 3, TOP = LOG - 1; namespace k { enum { LAST = TOP }; }
template <int S> struct Stage { static float of(float a, float b) { return Stage<S - 1>::of(a, b) + b; } };
template <> struct Stage<0> { static float of(float a, float b) { return a; } };
""",
        "o[i] = Stage<k::LAST>::of(x[i], x[i + 32]);",
        "o[i] = x[i] + x[i + 32] + x[i + 32];",
    ),
    "arguments of a pack, arm by arm": (
        """template <typename T, typename A, typename... R> T horner(T x, A a, R... rest) {
  if constexpr (sizeof...(rest) == 0) return a; else return a + x * horner<T>(x, rest...);
}
""",
        "o[i] = horner(x[i], x[i + 32], 0.5f, 0.25f);",
        "o[i] = x[i + 32] + x[i] * (0.5f + x[i] * 0.25f);",
    ),
    "braces where an object is needed": (
        """struct C { float re, im; C() {} C(float r, float i) : re(r), im(i) {}
  C operator+(const C &o) const { return {re + o.re, im + o.im}; } };
static float sum(const C &c) { return c.re - c.im; }
""",
        "C a(x[i], 2.0f); o[i] = sum(a + C{x[i + 32], 3.0f}) + sum({1.0f, x[i]});",
        "o[i] = (x[i] + x[i + 32]) - (2.0f + 3.0f) + (1.0f - x[i]);",
    ),
    "what a base gives": (
        """struct Product { template <typename T> using by = T; static float of(float a, float b) { return a * b; } };
template <typename T> struct Base { T held[32]; };
template <typename T, class OP> struct Derived : public Base<T> { using B = Base<T>; OP op;
  T at(int i) { return op(B::held[i], this->held[i + 1]); } };
struct Add { float operator()(float a, float b) const { return a + b; } };
struct Config : Product {};
template <typename C> static float scaled(float v) { return C::of(v, typename C::template by<float>(2.0f)); }
""",
        "Derived<float, Add> d; d.held[i] = x[i]; o[i] = d.at(i) + scaled<Config>(x[i + 32]);",
        "float d[32]; d[i] = x[i]; o[i] = (d[i] + d[i + 1]) + x[i + 32] * 2.0f;",
    ),
    "types of what is handed over": (
        """#include <hls_vector.h>
struct P { float w[4]; short n; };
template <unsigned N, typename T, typename W> T dot(T const &a, W const *v, W const *w) {
  T sum = a; for (unsigned k = 0; k < N; k++) sum += v[k] * w[k]; return sum; }
template <typename T> T twice(T v) { return v + v; }
static float plain(float v) { return v; }
""",
        """P p; p.w[0] = x[i]; hls::vector<float, 4> v; v[1] = x[i + 1];
 o[i] = twice(p.w[0]) + twice(v[1]) + twice(plain(x[i])) + twice((float)i) + dot<2>(x[i], &x[8], x);""",
        """float s = x[i]; for (int k = 0; k < 2; k++) s += x[8 + k] * x[k];
 o[i] = x[i] + x[i] + (x[i + 1] + x[i + 1]) + (x[i] + x[i]) + ((float)i + (float)i) + s;""",
    ),
    "structures with arrays as values": (
        """struct Item { float key; float val[2]; };
template <typename T, int N> struct Ring { T slot[N];
  void put(const T &v, int k) {
#pragma HLS INLINE
    slot[k] = v; }
  T &operator[](int k) { return slot[k]; } };
""",
        """Ring<Item, 8> r; Item it; it.key = x[i]; it.val[0] = x[i + 1]; it.val[1] = x[i + 2]; r.put(it, i & 7);
 Item last = r[(i + 4) & 7]; o[i] = last.val[1] + last.key;""",
        """float key[8], val[8][2]; float a = x[i], b = x[i + 1], c = x[i + 2]; key[i & 7] = a; val[i & 7][0] = b;
 val[i & 7][1] = c; o[i] = val[(i + 4) & 7][1] + key[(i + 4) & 7];""",
    ),
    "calls that a condition decides": (
        """static bool less(const float *k, int a, int b) { return k[a] < k[b]; }
static void put(const float a[8], float b[8], int k) {
#pragma HLS INLINE
  b[k] = a[k]; }
""",
        """float ping[8], pong[8], c[8]; if (i > 3 && less(x, i, i + 8)) o[i] = 1.0f;
 put(i % 2 == 0 ? ping : pong, c, i & 7);""",
        """float ping[8], pong[8], c[8]; if (i > 3) if (x[i] < x[i + 8]) o[i] = 1.0f;
 if (i % 2 == 0) c[i & 7] = ping[i & 7]; else c[i & 7] = pong[i & 7];""",
    ),
    "functions of mathematics by their names": (
        "#include <hls_math.h>\n",
        "o[i] = hls::sqrt(x[i]) + roundf(x[i + 8]) + std::fmax(x[i + 16], 1.0f);",
        "o[i] = sqrtf(x[i]) + floorf(x[i + 8]) + fmaxf(x[i + 16], 1.0f);",
    ),
    "an alias": (
        "template <int N> using Word = ap_int<8 * N>;\n",
        "Word<2> a = (Word<2>) x[i]; o[i] = a;",
        "short a = (short) x[i]; o[i] = a;",
    ),
    "an array with a value": (
        "typedef std::array<float, 4> four;\n",
        "four t; for (int k = 0; k < 4; k++) t[k] = x[i + 8 * k]; o[i] = t[0] + t[1] + t[2] + t[3];",
        "float t0 = x[i], t1 = x[i + 8], t2 = x[i + 16], t3 = x[i + 24]; o[i] = t0 + t1 + t2 + t3;",
    ),
    "a vector": (
        "",
        "hls::vector<float, 2> a; a[0] = x[i]; a[1] = x[i + 32]; a = a * a; o[i] = a[0] + a[1];",
        "float a = x[i], b = x[i + 32]; a = a * a; b = b * b; o[i] = a + b;",
    ),
}


@pytest.mark.parametrize("name", list(PAIRS))
def test_loops_are_those_of_the_text_without_templates(name: str) -> None:
    given, with_, without = PAIRS[name]
    head = "#include <ap_int.h>\n#include <hls_vector.h>\n#include <array>\n"
    top = "void top(float x[64], float o[64]) {" + LOOP + "}\n"
    assert not whole(head + given + top.replace("STATEMENT", with_)).holes
    plain = intervals(head + top.replace("STATEMENT", without))
    assert plain[0][0] is not None
    assert intervals(head + given + top.replace("STATEMENT", with_)) == plain


def test_an_instance_stands_behind_the_types_of_its_arguments() -> None:
    text = """template <typename T> T twice(T a) { return a + a; }
struct unused { int a; };
typedef ap_int<12> word;
word top(word a) { return twice<word>(a); }
"""
    found = whole("#include <ap_int.h>\n" + text)
    returned = found.functions["twice"].return_type
    assert isinstance(returned, ir.ScalarType) and returned.bits == 12


def test_an_explicit_instantiation_is_an_instance() -> None:
    text = """template <int N> void fill(int a[N]) { L: for (int i = 0; i < N; i++) a[i] = i; }
template void fill<24>(int a[24]);
"""
    found = whole(text)
    assert [v.dims for v in found.variables if v.name == "a"] == [(24,)]


DENSE = """\
namespace n {
struct cfg { static const unsigned in = 16; static const unsigned out = 4; };
template <class T, typename C> void dense(T data[C::in], T res[C::out], T w[C::in][C::out]) {
#pragma HLS ARRAY_PARTITION variable=w complete dim=2
#pragma HLS ARRAY_PARTITION variable=res complete
IN:
  for (unsigned i = 0; i < C::in; i++) {
#pragma HLS PIPELINE II=1
    for (unsigned j = 0; j < C::out; j++) res[j] += data[i] * w[i][j];
  }
}
template <typename T> void same(T a[8], T b[8]) {
SAME:
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    b[0] += a[i];
  }
}
}
"""


def test_templates_of_a_header_get_answers_for_the_instances_that_are_asked_for() -> None:
    def loops(*asked: str) -> dict[str, int | None]:
        options = Options(frontend=FrontendOptions(instantiate=asked))
        found = Pipeline(["t.h"], options, lambda _: DENSE.encode()).figures.loops
        return {x.name: x.ii for x in found if x.pipelined}

    assert loops() == {"IN": None, "SAME": None}  # the type decides how long a sum takes: nothing is assumed
    assert loops("n::dense<int, n::cfg>") == {"IN": 1, "SAME": None}
    assert loops("n::dense<int,n::cfg>", "n::same<int>") == {"IN": 1, "SAME": 1}
    assert loops("n::same<float>")["SAME"] not in (None, 1)
    behind = (
        "template <class C> void copy(int a[C::n], int b[C::n]) {\n  for (int i = 0; i < C::n; i++) b[i] = a[i];\n}\n"
    )
    options = Options(frontend=FrontendOptions(instantiate=("copy<late>",)))  # with a class that comes later
    text = behind + "struct late { static const int n = 8; };\n"
    assert [x.trip_count.exact for x in Pipeline(["t.h"], options, lambda _: text.encode()).figures.loops] == [8]
    plain = load(["t.h"], FrontendOptions(), read=lambda _: DENSE.encode())
    assert [d.rule for d in plain.diagnostics] == []
