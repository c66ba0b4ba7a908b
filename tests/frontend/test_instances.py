"""Templates beyond one per name: overloads, specialisations, aliases, explicit instances, ``constexpr`` functions."""

from __future__ import annotations

import pytest
from frontend_help import good

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline


def program(text: str) -> ir.Program:
    """A file without a hole."""
    found = load(["t.cpp"], FrontendOptions(), read=lambda path: text.encode())
    assert found.units[0].error is None and not found.holes, [h.cause for h in found.holes]
    return found


def intervals(text: str, path: str = "t.cpp") -> list[tuple[int | None, int | None]]:
    """II and depth of the pipelined loops."""
    pipeline = Pipeline([path], Options(), read=lambda path: text.encode())
    return [(x.ii, x.depth) for x in pipeline.figures.loops if x.pipelined]


LOOP = """
    for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        STATEMENT
    }
"""

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
    assert not program(head + given + top.replace("STATEMENT", with_)).holes
    plain = intervals(head + top.replace("STATEMENT", without))
    assert plain[0][0] is not None
    assert intervals(head + given + top.replace("STATEMENT", with_)) == plain


def test_an_instance_stands_behind_the_types_of_its_arguments() -> None:
    text = """template <typename T> T twice(T a) { return a + a; }
struct unused { int a; };
typedef ap_int<12> word;
word top(word a) { return twice<word>(a); }
"""
    found = program("#include <ap_int.h>\n" + text)
    returned = found.functions["twice"].return_type
    assert isinstance(returned, ir.ScalarType) and returned.bits == 12


def test_an_explicit_instantiation_is_an_instance() -> None:
    text = """template <int N> void fill(int a[N]) { L: for (int i = 0; i < N; i++) a[i] = i; }
template void fill<24>(int a[24]);
"""
    found = program(text)
    assert [v.dims for v in found.variables if v.name == "a"] == [(24,)]


@pytest.mark.parametrize(
    ("function", "extent", "value"),
    [
        ("constexpr int up(int a, int b) { return (a + b - 1) / b; }", "up(50, 8)", 7),
        ("template <typename T> constexpr T up(T a, T b) { return (a + b - 1) / b; }", "up(50, 8)", 7),
        ("constexpr int bits(int n) { return n < 2 ? 0 : 1 + bits(n / 2); }", "bits(1024)", 10),
        ("constexpr int one(int a) { return a + 1; }\nconstexpr int two(int a) { return one(one(a)); }", "two(3)", 5),
    ],
)
def test_constant_functions_are_constants(function: str, extent: str, value: int) -> None:
    found = program(f"#include <ap_int.h>\n{function}\nvoid f(int a[{extent}], ap_int<{extent}> b) {{ a[0] = b; }}\n")
    a, b = (next(v for v in found.variables if v.name == name and v.function == "f") for name in "ab")
    assert a.dims == (value,)
    assert isinstance(b.type, ir.ScalarType) and b.type.bits == value


def test_a_choice_that_is_not_known_is_none() -> None:
    text = (
        """template <typename T> T f(T a, int b) { return a; }
template <typename T> T f(int a, T b) { return b; }
void top(int x[64], int o[64]) {"""
        + LOOP.replace("STATEMENT", "o[i] = f(x[i], 3);")
        + "}\n"
    )
    assert [ii for ii, _ in intervals(text)] == [None]


def test_elements_have_the_type_that_a_typedef_names() -> None:
    text = "#include <array>\n#include <ap_fixed.h>\n"
    text += "typedef ap_fixed<16, 6> word;\nusing pair = std::array<word, 2>;\nvoid f(pair x) { x[0] = 1; }\n"
    variable = next(v for v in program(text).variables if v.name == "x")
    inner = ir.vector(variable.type)
    assert inner is not None and inner.dims == (2,)
    assert isinstance(inner.element, ir.ScalarType) and (inner.element.kind, inner.element.bits) == ("fixed", 16)


TOKEN = """#include <ap_int.h>
#include <hls_stream.h>
struct token {
    ap_uint<16> id; ap_uint<32> data; bool last;
    token() {}
    token(ap_uint<16> i, ap_uint<32> d) : id(i), data(d) { this->last = false; }
};
"""


def test_constructors_that_set_members_leave_a_structure() -> None:
    text = TOKEN + "void top(hls::stream<token> &in, hls::stream<token> &out) {\n"
    body = "token t = in.read(); token u(t.id, t.data(15, 8)); out.write(u); "
    whole = "out.write(token(t.id, t.data)); "
    assert intervals(text + LOOP.replace("STATEMENT", body) + "}\n")[0][0] == 1
    assert intervals(text + LOOP.replace("STATEMENT", body + whole) + "}\n")[0][0] == 2  # two writes at one port
    asked = text.replace("this->last = false;", "this->last = i + d > 7;")
    assert not load(["t.cpp"], FrontendOptions(), read=lambda path: (asked + "}\n").encode()).holes
    assert intervals(asked + LOOP.replace("STATEMENT", body) + "}\n")[0][0] == 1  # a constructor that computes


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (!in.empty() && !out.full()) { out.write(in.read() + 1); }", 1),
        ("if (!in.empty()) { int a = in.read(); if (!in.empty()) out.write(a); }", None),  # its state behind a read
        (
            "if (i % 2) { if (!in.empty()) out.write(in.read()); } else { if (!in.empty()) out.write(in.read() * 3); }",
            1,
        ),
        ("std::cout << i << std::endl; out.write(in.read());", 1),
        ("std::cout << in.read(); out.write(i);", None),
    ],
)
def test_states_of_streams_are_signals(body: str, expected: int | None) -> None:
    text = "#include <hls_stream.h>\nvoid top(hls::stream<int> &in, hls::stream<int> &out) {\n"
    assert intervals(text + LOOP.replace("STATEMENT", body) + "}\n")[0][0] == expected


def test_complex_numbers_are_their_parts() -> None:
    head = "#include <complex>\ntypedef std::complex<float> C;\nvoid top(float x[64], float o[32]) {"
    complex_ = "C a(x[i], 2.0f); C b = x[i + 32] * a + 1.0f; b *= 3.0f; b -= -a; o[i] = b.real() + b.imag();"
    parts = "float y = x[i + 32], r = y * x[i] + 1.0f, m = y * 2.0f; r *= 3.0f; m *= 3.0f; r -= -x[i]; m -= -2.0f; "
    (one,), (other,) = (
        intervals(head + LOOP.replace("STATEMENT", s) + "}") for s in (complex_, parts + "o[i] = r + m;")
    )
    assert one == other and one[0] == 1
    absolute = head + LOOP.replace("STATEMENT", "C a(x[i], 2.0f); o[i] = std::abs(a);") + "}"
    assert intervals(absolute) == [(None, None)]  # no scalar's


LAYER = """#include "ap_fixed.h"
#include "hls_stream.h"
#include <type_traits>
namespace nn {
class Nothing {};
template <class X, class W> class mult : public Nothing {
 public:
  static auto product(X a, W w) -> decltype(a * w) { return a * w; }
};
template <class T, class R, typename C>
typename std::enable_if<std::is_same<T, ap_uint<1>>::value && !std::is_same<typename C::w_t, T>::value, ap_int<9>>::type
cast(typename C::acc_t x) { return x / 3; }
template <class T, class R, typename C>
typename std::enable_if<(!std::is_same<T, ap_uint<1>>::value), R>::type cast(typename C::acc_t x) { return (R)x; }
template <class T, class R, typename C> void layer(hls::stream<T> &in, hls::stream<R> &out, typename C::w_t w[C::n]) {
  out.write(in.read());
}
template <class T, class R, typename C> void layer(T in[C::n], R out[C::n], typename C::w_t w[C::n]) {
#pragma HLS ALLOCATION operation instances=mul limit=C::limit
MAC:
  for (int i = 0; i < C::n; i++) {
#pragma HLS PIPELINE II=C::reuse
    out[i] = cast<T, R, C>(C::template product<T, typename C::w_t>::product(in[i], w[i]));
  }
}
struct base { static const unsigned reuse = 3; };
}
typedef ap_fixed<8, 3> in_t;
struct cfg : nn::base {
  static const unsigned n = 16;
  static const unsigned limit = n * 2 - n;
  typedef ap_fixed<16, 6> w_t;
  typedef ap_fixed<24, 9> acc_t;
  template <class A, class B> using product = nn::mult<A, B>;
};
void top(in_t a[16], ap_fixed<12, 5> b[16], cfg::w_t w[16]) {
#pragma HLS PIPELINE
  nn::layer<in_t, ap_fixed<12, 5>, cfg>(a, b, w);
}
"""


def test_what_a_class_of_constants_chooses_is_read() -> None:
    # a member alias, an empty base, enable_if, an overload for arrays, constants of a class in pragmas
    alone = LAYER.replace("#pragma HLS PIPELINE\n  nn", "  nn")
    found = program(alone)
    (loop,) = (x for x in Pipeline(["t.cpp"], Options(), read=lambda _: alone.encode()).figures.loops if x.pipelined)
    assert (loop.name, loop.ii, loop.ideal_ii, loop.target_ii) == ("MAC", 3, 3, 3)
    cast = next(f for f in found.functions.values() if f.name.startswith("cast") and not f.open)
    assert isinstance(cast.return_type, ir.ScalarType) and (cast.return_type.bits, cast.return_type.kind) == (
        12,
        "fixed",
    )


@pytest.mark.parametrize(("limit", "known"), [("n * 2 - n", True), ("n / 16", False)])
def test_a_limit_in_a_called_function_counts_where_it_may_be_met(limit: str, known: bool) -> None:
    text = LAYER.replace("n * 2 - n", limit).replace("(a, b, w);", "(a, b, w);\n" + "  b[0] = a[1] * a[2];")
    loops = {
        x.name: x for x in Pipeline(["t.cpp"], Options(), read=lambda _: text.encode()).figures.loops if x.pipelined
    }
    assert (loops["top"].ii is not None) is known


def test_of_templates_of_one_name_the_arguments_choose() -> None:
    text = """#include "hls_stream.h"
struct tag_a {}; struct tag_b {};
template <class T> int of(hls::stream<T> &s, int n) { return 1; }
template <class T> int of(T s[4], int n) { return 2; }
template <typename S, typename T> S elem(T a, T b, tag_a) { return a ^ b; }
template <typename S, typename T> S elem(T a, T b, tag_b) { return a * b; }
template <typename F> int pick(int x, int y) { return elem<int>(x, y, F()); }
int top(int a[4], hls::stream<int> &p) { return of<int>(a, 4) + of<int>(p, 4) + pick<tag_b>(a[0], a[1]); }
"""
    found = program(text).functions
    (chosen,) = (f for f in found.values() if f.name.startswith("elem") and not f.open)
    (returned,) = (s for s in ir.walk_statements(chosen.body) if isinstance(s, ir.Return))
    assert isinstance(returned.value, ir.Binary) and returned.value.op == "*"
    assert sum(f.name.startswith("of") for f in found.values()) == 2


def test_local_enumerations_of_one_name_are_two() -> None:
    one = "void NAME(int *o) { enum state {A, B}; static state s = A; if (s == A) s = B; else s = A; *o = s; }\n"
    assert set(program(one.replace("NAME", "f") + one.replace("NAME", "g")).functions) == {"f", "g"}


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
    plain = load(["t.h"], FrontendOptions(), read=lambda _: DENSE.encode())
    assert [d.rule for d in plain.diagnostics] == []


def test_words_and_bursts_of_the_library() -> None:
    text = "#include <ap_axi_sdata.h>\n#include <hls_stream.h>\ntypedef qdma_axis<32, 0, 0, 0> word;\n"
    body = "word w = in.read(); ap_uint<32> x = w.get_data(); w.set_data(x + 1); out.write(w);"
    head = "void top(hls::stream<word> &in, hls::stream<word> &out) {\n"
    assert intervals(text + head + LOOP.replace("STATEMENT", body) + "}\n")[0][0] == 1
    text = "#include <hls_burst_maxi.h>\nvoid top(hls::burst_maxi<int> in, int out[64]) {\nin.read_request(0, 64);\n"
    assert intervals(text + LOOP.replace("STATEMENT", "out[i] = in.read();") + "}\n")[0][0] == 1
    twice = "out[i] = in.read() + in.read();"  # one word in a cycle
    assert intervals(text + LOOP.replace("STATEMENT", twice) + "}\n")[0][0] == 2


def test_initial_values_of_members() -> None:
    text = "struct status { int tag{4}; bool bad{false}; int n = 3; int ok; };\nint f(int a[32]) {\nstatus s;\n"
    text += LOOP.replace("STATEMENT", "s.n += a[i];") + "return s.n + s.tag;\n}\n"
    loaded = load(["t.cpp"], FrontendOptions(), read=lambda _: text.encode())
    assert loaded.holes == () and "status::status" in loaded.functions
    assert intervals(text)[0][0] == 1


def test_constants_of_a_function_are_arguments_by_their_value() -> None:
    text = """template <int N> int halves(int x[64], int i) {
  const int h = N / 2;
  const int rest = N - h;
  return halves<h>(x, i) + halves<rest>(x, i + h);
}
template <> int halves<1>(int x[64], int i) { return x[i]; }
template <int N> struct Sum { static int of(int x[64], int i) { constexpr int M = N - 1; return x[i + M] + Sum<M>::of(x, i); } };
template <> struct Sum<0> { static int of(int x[64], int i) { return 0; } };
void top(int x[64], int o[64]) {
  const unsigned N = 4;
"""  # noqa: E501
    given = text + LOOP.replace("STATEMENT", "o[i] = halves<N>(x, i) + Sum<2>::of(x, 8);") + "}\n"
    plain = "o[i] = ((x[i] + x[i + 1]) + (x[i + 2] + x[i + 3])) + (x[8 + 1] + (x[8 + 0] + 0));"
    expected = intervals("void top(int x[64], int o[64]) {" + LOOP.replace("STATEMENT", plain) + "}\n")
    assert intervals(given) == expected and expected[0][0] is not None
    names = set(program(given).functions)
    assert {"halves<4>", "halves<2>", "Sum<2>::of", "Sum<1>::of"} <= names


def test_options_of_a_pragma_are_no_parameters_of_a_template() -> None:
    found = program("""template <int factor, int dim> int f(int x[16]) {
#pragma HLS ARRAY_PARTITION variable=x cyclic factor=factor dim=dim
  return x[0] + x[1];
}
int top(int x[16]) { return f<4, 1>(x); }
""")
    assert [(d.values, d.problems) for d in found.directives] == [({"factor": 4, "dim": 1}, ())]


@pytest.mark.parametrize("path", ["t.c", "t.cpp"])
def test_a_value_that_needs_itself_is_unknown(path: str) -> None:
    text = (
        "int top(int x[32]) { const int n = n + 1; int s = 0;" + LOOP.replace("STATEMENT", "s += x[n];") + "return s; }"
    )
    assert len(intervals(text, path)) == 1


def test_a_parameter_without_a_name_has_its_place() -> None:
    head = "static int f(int, int x, float) { return x * 3; }\nvoid top(int x[64], int o[64]) {"
    loop = LOOP.replace("STATEMENT", "o[i] = f(x[i], x[i + 32], 1.0f);")
    plain = LOOP.replace("STATEMENT", "int unused = x[i]; o[i] = x[i + 32] * 3;")
    expected = intervals("void top(int x[64], int o[64]) {" + plain + "}\n")
    assert intervals(head + loop + "}\n") == expected and expected[0][0] is not None


def test_arguments_are_read_off_qualified_names_and_nested_lists() -> None:
    text = """#include <hls_stream.h>
#include <ap_int.h>
struct Pass {};
template <int W> struct Table { int word[W]; };
namespace data { static Table<32> table; }
namespace other { static Table<8> table; }
template <int W, typename T, typename P>
void copy(hls::stream<ap_uint<W>> &in, hls::stream<ap_uint<W>> &out, T const &t, P const &p) {
  for (int i = 0; i < W; i++) {
#pragma HLS PIPELINE
    out.write(in.read() + t.word[i]);
  }
}
template <typename T> struct Tag {};
void top(hls::stream<ap_uint<8 * 2>> &in, hls::stream<ap_uint<16>> &out) {
  copy(in, out, data::table, Tag<ap_int<4>>());
}
"""
    found = program(text)
    (loop,) = found.loops.values()
    assert [v.type.members[0][1].dims for v in found.variables if v.name == "t"] == [(32,)]  # type: ignore[union-attr]
    (result,) = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode()).figures.loops
    assert (result.ii, result.trip_count.max) == (1, 16) and loop.id == result.loop


CALLABLE = """#include <ap_int.h>
template <typename T, unsigned STRIDE = T::width> struct Slice {
  static unsigned const width = STRIDE;
  T kept;
  template <typename V> V operator()(V const &v) const { return v; }
  template <template <typename> class V> int sum(V<int> v, int n) { return 0; }
  auto twice(int x) -> T { return x * 2; }
  auto same(int x) const -> decltype(x + 1) { return x; }
};
"""


def test_a_class_is_read_without_member_templates_that_are_not() -> None:
    text = (
        CALLABLE
        + """void top(int x[64], int o[64]) {
  Slice<ap_uint<8>> s;
  for (int i = 0; i < Slice<ap_uint<8>>::width + ap_fixed<6, 2>::iwidth; i++) {
#pragma HLS PIPELINE
    o[i] = x[i] + s.twice(i) + s.same(i);
  }
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
    o[i] = s.sum(i, 2);
  }
}
"""
    )
    first, second = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode()).figures.loops
    assert (first.ii, first.trip_count.max) == (1, 10)
    assert second.ii is None and "sum" in (second.cause or "")


def test_a_class_that_needs_such_a_member_is_not_read() -> None:
    text = CALLABLE.replace("T kept;", "T kept; void add(int x) { kept = sum(x, 1); }") + (
        "void top(int o[8]) { Slice<ap_uint<8>> s;" + LOOP.replace("STATEMENT", "s.add(i); o[i] = s.kept;") + "}\n"
    )
    assert [ii for ii, _ in intervals(text)] == [None]


def test_a_class_that_an_argument_names_is_an_argument() -> None:
    """Itself or from a base, by either spelling, through another such name, behind a namespace."""
    text = """namespace net {
struct base { static const int spare = 0; };
template <class T, typename C> int sum(const T d[C::n]) {
  int s = 0;
  for (int i = 0; i < C::n; i++) s += d[i];
  return s;
}
template <class T, typename C> int layer(const T d[C::n]) {
  return sum<T, typename C::inner>(d) + sum<T, typename C::inner::last>(d);
}
struct small : base { static const int n = 3; };
struct middle : base { static const int n = 5; using last = net::small; };
}
struct shared { typedef net::middle inner; };
struct outer : shared { static const int n = 8; };
int top(const short d[8]) { return net::layer<short, outer>(d); }
"""
    loaded = good(text, "t.cpp")
    extents = {v.function: v.dims for v in loaded.variables if v.name == "d" and v.is_array}
    assert sorted(x for name, x in extents.items() if (name or "").startswith("sum")) == [(3,), (5,)]
