"""What the arguments of templates are: constants, types, what a call hands over."""

from __future__ import annotations

import re
import subprocess
from math import prod
from pathlib import Path

import pytest
from frontend_help import LOOP, good, intervals, whole

from hlspart.accesses import analyse
from hlspart.model import program as ir
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.semantics.conversions import are_alike


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
    found = whole(f"#include <ap_int.h>\n{function}\nvoid f(int a[{extent}], ap_int<{extent}> b) {{ a[0] = b; }}\n")
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
    variable = next(v for v in whole(text).variables if v.name == "x")
    inner = ir.vector(variable.type)
    assert inner is not None and inner.dims == (2,)
    assert isinstance(inner.element, ir.ScalarType) and (inner.element.kind, inner.element.bits) == ("fixed", 16)


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
    found = whole(alone)
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
    found = whole(text).functions
    (chosen,) = (f for f in found.values() if f.name.startswith("elem") and not f.open)
    (returned,) = (s for s in ir.walk_statements(chosen.body) if isinstance(s, ir.Return))
    assert isinstance(returned.value, ir.Binary) and returned.value.op == "*"
    assert sum(f.name.startswith("of") for f in found.values()) == 2


def test_local_enumerations_of_one_name_are_two() -> None:
    one = "void NAME(int *o) { enum state {A, B}; static state s = A; if (s == A) s = B; else s = A; *o = s; }\n"
    assert set(whole(one.replace("NAME", "f") + one.replace("NAME", "g")).functions) == {"f", "g"}


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
    names = set(whole(given).functions)
    assert {"halves<4>", "halves<2>", "Sum<2>::of", "Sum<1>::of"} <= names


def test_options_of_a_pragma_are_no_parameters_of_a_template() -> None:
    found = whole("""template <int factor, int dim> int f(int x[16]) {
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
    found = whole(text)
    (loop,) = found.loops.values()
    assert [v.type.members[0][1].dims for v in found.variables if v.name == "t"] == [(32,)]  # type: ignore[union-attr]
    (result,) = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode()).figures.loops
    assert (result.ii, result.trip_count.max) == (1, 16) and loop.id == result.loop


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


def test_a_reference_to_an_array_makes_an_array_of_the_parameter() -> None:
    text = """template <class X, class Y> void f(const X &x, Y &&y) {
  X kept;
  for (int i = 0; i < 8; i++) kept[i] = x[i] + sizeof(X);
  for (int i = 0; i < 8; i++) y[i] = kept[i];
}
void top(int a[8]) { int m[2][8]; f(a, m[1]); f(m[1], a); }
"""
    loaded = good(text, "t.cpp")
    assert loaded.holes == ()
    inner = [v for v in loaded.variables if v.name in ("x", "y", "kept")]
    assert [v.type for v in inner] == [ir.ArrayType(ir.INT, (8,))] * 3


PACKS = """typedef unsigned short word_t;
using real_t = float;
namespace k { constexpr int ranks[] = {1, 8, 4}; }
constexpr int kR[4] = {1, 8, 2 * 4, 1};
struct cfg { static constexpr int dims[2] = {5, 6}; };
template <int N> struct Pack;
template <> struct Pack<8> { int d[8]; };
template <> struct Pack<10> { int d[10]; };
template <> struct Pack<4> { int d[4]; };
template <> struct Pack<6> { int d[6]; };
"""


@pytest.mark.parametrize(
    ("argument", "extent"),
    [("kR[2]", 8), ("k::ranks[1] + sizeof(word_t)", 10), ("sizeof(real_t)", 4), ("cfg::dims[1]", 6)],
)
def test_elements_of_constant_arrays_and_sizes_choose_a_specialisation(argument: str, extent: int) -> None:
    text = f"{PACKS}void top(Pack<{argument}> p, int o[1]) {{ o[0] = p.d[0]; }}\n"
    compiled = f'{text}static_assert(sizeof(Pack<{argument}>) == {extent} * sizeof(int), "");\n'
    subprocess.run(["g++", "-std=c++14", "-fsyntax-only", "-xc++", "-"], input=compiled, text=True, check=True)
    parameter = next(v for v in whole(text).variables if v.name == "p").type
    assert isinstance(parameter, ir.StructType)
    assert [kind.dims for _, kind in parameter.members if isinstance(kind, ir.ArrayType)] == [(extent,)]


def test_a_template_that_hands_on_an_unknown_argument_has_one_instance() -> None:
    text = """template <typename T, int N> struct Pack { T d[4]; Pack<T, N> same() const { return *this; } };
typedef Pack<int, missing[1]> P;
void top(P in[32], int out[32]) {"""
    text += LOOP.replace("STATEMENT", "P p = in[i].same(); out[i] = p.d[0];") + "}\n"
    assert not any("template instances" in hole.cause for hole in good(text, "t.cpp").holes)
    assert [ii for ii, _ in intervals(text)] == [1]


RECURSIVE = {
    "enumerator": "template <int N> struct Log { enum { value = 1 + Log<N / 2>::value }; };\n"
    "template <> struct Log<1> { enum { value = 0 }; };\n",
    "constant": "template <int N> struct Log { static const int value = 1 + Log<N / 2>::value; };\n"
    "template <> struct Log<1> { static const int value = 0; };\n",
    "two": "template <int N> struct Pow { enum { value = 2 * Pow<N - 1>::value }; };\n"
    "template <> struct Pow<0> { enum { value = 1 }; };\n"
    "template <int N> struct Log { static const int value = 1 + Log<Pow<N>::value / 16>::value; };\n"
    "template <> struct Log<16> { static const int value = Pow<3>::value; };\n",
}


@pytest.mark.parametrize("how", RECURSIVE)
def test_a_class_that_computes_by_naming_itself_gives_its_number(how: str, tmp_path: Path) -> None:
    """As gcc computes it, in an extent, as an argument of another template and of a type, in another class."""
    named = "Log<8>::value" if how == "two" else "Log<37>::value"
    head = RECURSIVE[how]
    number = _compiled(f"{head}\nint main() {{ return {named}; }}", tmp_path)
    text = f"""#include <array>
#include <ap_int.h>
{head}
template <int M> void fill(std::array<int, M> &t) {{ t[0] = M; }}
void f(int a[{named}], std::array<int, {named}> &s, ap_int<{named}> b) {{ a[0] = b; fill<{named}>(s); }}
"""
    found = whole(text)
    a, b, s = (next(v for v in found.variables if v.name == name and v.function == "f") for name in "abs")
    assert a.dims == (number,)
    assert isinstance(b.type, ir.ScalarType) and b.type.bits == number
    assert isinstance(s.type, ir.StructType)
    assert [kind.dims for _, kind in s.type.members if isinstance(kind, ir.ArrayType)] == [(number,)]


def _compiled(text: str, folder: Path) -> int:
    """What a program ends with, as gcc compiles it."""
    (folder / "t.cpp").write_text(text)
    subprocess.run(["g++", "-o", folder / "t", folder / "t.cpp"], check=True, capture_output=True)
    return subprocess.run([folder / "t"], check=False).returncode


SAME_NAME = """template <typename T> void g(T &x, T y) {
#pragma HLS INLINE
  x = y / 3;
}
void g(float &x, float y) {
#pragma HLS INLINE
  x = y;
}
struct Pair { float a; int b; };
void top(float in[32], int other[32], float out[32]) {"""


@pytest.mark.parametrize(
    ("body", "plainly"),
    [
        ("float z; g(z, in[i]); out[i] = z;", "out[i] = in[i];"),
        ("int z; g(z, other[i]); out[i] = z;", "out[i] = other[i] / 3;"),
        ("Pair p; g(p.a, in[i]); out[i] = p.a;", "out[i] = in[i];"),
        ("Pair p; g(p.b, other[i]); out[i] = p.b;", "out[i] = other[i] / 3;"),
        ("float z; g<float>(z, in[i]); out[i] = z;", "out[i] = in[i] / 3;"),
    ],
)
def test_a_function_of_just_the_types_comes_before_a_template(body: str, plainly: str) -> None:
    written, expected = (intervals(SAME_NAME + LOOP.replace("STATEMENT", s) + "}\n")[-1] for s in (body, plainly))
    assert written == expected and written[0] == 1


def test_a_width_by_the_size_of_a_type_is_deduced() -> None:
    head = """#include <ap_int.h>
template <typename T, int N> void bits(ap_uint<N> &in, T &out) { out = in(N - 1, 0); }
template <typename T, int E> struct Packed { ap_uint<8 * sizeof(T) * E> all; T parts[E]; };
void top(ap_uint<64> in[32], unsigned short out[32]) {"""
    body = "Packed<unsigned short, 4> p; ap_uint<8 * sizeof(unsigned short)> x = in[i]; bits(x, p.parts[2]);"
    found = whole(head + LOOP.replace("STATEMENT", body + " out[i] = p.parts[2];") + "}\n")
    (made,) = (f for f in found.functions.values() if f.name.startswith("bits") and not f.open)
    kinds = [found.variables[v].type for v in made.params]
    assert [(k.bits, k.signed) for k in kinds if isinstance(k, ir.ScalarType)] == [(16, False), (16, False)]


def test_the_type_of_a_product_is_that_of_the_value() -> None:
    head = """#include <ap_fixed.h>
template <class A, class B> struct mult {
  static auto product(A a, B b) -> decltype(a * b) {
#pragma HLS INLINE
    decltype(a * b) made = a * b;
    return made;
  }
};
typedef ap_fixed<16, 6> wide;
typedef ap_fixed<8, 2> narrow;
void top(wide a[32], narrow b[32], ap_fixed<32, 12> out[32]) {"""
    bodies = ("out[i] = mult<wide, narrow>::product(a[i], b[i]);", "out[i] = a[i] * b[i];")
    written, expected = (intervals(head + LOOP.replace("STATEMENT", body) + "}\n")[-1] for body in bodies)
    assert written == expected and written[0] == 1


def test_brackets_in_the_type_of_a_result_are_not_those_of_the_parameters() -> None:
    head = """#include <ap_int.h>
template <typename T> struct caster {
  template <int M> static T cast(ap_int<M> const &arg) { return T(arg); }
};
void top(ap_int<4> in[32], ap_int<(3 + 2)> out[32]) {"""
    found = whole(head + LOOP.replace("STATEMENT", "out[i] = caster<ap_int<(3 + 2)>>::cast(in[i]);") + "}\n")
    (made,) = (f for f in found.functions.values() if "cast" in f.name)
    assert not made.open and found.variables[made.params[0]].type == ir.ScalarType("ap_int<4>", "int", 4)


@pytest.mark.parametrize(
    ("kind", "bits", "whole_bits"),  # as g++ has them with the headers of the verification
    [
        ("ap_int<4>", 5, 5), ("ap_uint<(2 + 3)>", 6, 6), ("ap_fixed<8, 3>", 9, 4), ("ap_ufixed<6, 6>", 7, 7),
        ("short", 32, 32), ("bool", 32, 32), ("long", 64, 64),
    ],
)  # fmt: skip
def test_a_negative_has_a_bit_more(kind: str, bits: int, whole_bits: int) -> None:
    head = "#include <ap_int.h>\n#include <ap_fixed.h>\n"
    found = whole(f"{head}void f() {{ {kind} x; decltype(-x) y; auto z = -x; }}\n")
    for name in "yz":
        (type_,) = (v.type for v in found.variables if v.name == name)
        assert isinstance(type_, ir.ScalarType) and type_.signed
        assert (type_.bits, type_.bits - type_.fraction_bits) == (bits, whole_bits)


@pytest.mark.parametrize(
    ("methods", "type_"),
    [
        ("T init(int) const { return T(0); }", "ap_int<(4 + 8)>"),
        ("static constexpr const short &init(int k) { return table[k]; } int other() { return init(1); }", "short"),
        ("int user() { return init(2); } public: ap_uint<2 * (1 + 1)> init(int) { return 0; }", "ap_uint<4>"),
    ],
)
@pytest.mark.parametrize("base", [False, True])
def test_the_type_of_what_a_method_gives(methods: str, type_: str, base: bool) -> None:
    first = "base" if base else "kind"
    text = f"""#include <ap_int.h>
const short table[4] = {{1, 2, 3, 4}};
template <typename T> struct {first} {{ {methods} }};
{"template <typename T> struct kind : public base<T> {};" if base else ""}
template <typename X> void g(X const &x) {{ decltype(x.init(0)) y[2]; {type_} z[2]; }}
void f() {{ g(kind<ap_int<(4 + 8)>>()); }}
"""
    y, z = (next(v.type for v in good(text, "t.cpp").variables if v.name == name) for name in "yz")
    assert isinstance(y, ir.ArrayType) and isinstance(z, ir.ArrayType) and isinstance(y.element, ir.ScalarType)
    assert are_alike(y, z)


def test_an_index_by_a_negative_does_not_wrap() -> None:
    loop = "for (ap_uint<4> i = 0; i < 9; i++) b[i] = a[16 + (-i)];"
    text = f"#include <ap_int.h>\nvoid f(int a[32], int b[32]) {{ {loop} }}\n"
    (read,) = (a for a in analyse(whole(text)).accesses if a.kind == "read")
    assert (read.exact, read.range, read.count) == (True, ((8, 16),), 9)


ARRAYS_OF_TYPES = """template <typename T, int N> using row = T[N];
template <typename T> struct S {
  T a, b;
  T c[2];
  void run(T x, T y[2]) { T q[3], w; q[2][1] = x[1] + y[1][1] + c[1][3]; w[1] = q[2][1] + a[3] + b[7]; x[0] = w[1]; }
};
template <typename T> void g(T *o, const T &k) { T d, e = {1}, h[2]; o[0][1] = d[1] + e[1] + h[1][7] + k[1]; ASK(g) }
void r(row<int, 8> m[2], int k) { m[1][7] = k; }
void f(int o[1][8], int j[8]) {
  row<int, 8> u, v = {0, 1}, t[3];
  row<row<int, 8>, 2> z;
  S<int[8]> s;
  for (row<int, 8> i = {0}, l; i[0] < 4; i[0]++) { l[0] = i[0]; }
  o[0][0] = u[7] + v[1] + t[2][7] + z[1][7];
  r(z, 3);
  g<int[8]>(o, u);
  s.run(j, z);
  ASK(f)
}
"""
SIZES = {
    "g": {"d": (8,), "e": (8,), "h": (2, 8)},
    "f": {"u": (8,), "v": (8,), "t": (3, 8), "z": (2, 8), "s.a": (8,), "s.c": (2, 8)},
}


def test_every_name_of_a_declaration_has_the_extents_of_its_array_type(tmp_path: Path) -> None:
    """Its own extents come first, as the compiler has it."""
    asked = ARRAYS_OF_TYPES
    for function, names in SIZES.items():
        sizes = (f"sizeof({n}) == {4 * prod(d)} && sizeof({n}[0]) == {4 * prod(d[1:])}" for n, d in names.items())
        asked = asked.replace(f"ASK({function})", " ".join(f"static_assert({s});" for s in sizes))
    (tmp_path / "t.cpp").write_text(asked)
    subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "t.cpp"], cwd=tmp_path, check=True)
    loaded = good(re.sub(r"ASK\(.\)", "", ARRAYS_OF_TYPES), "t.cpp")
    assert not loaded.holes
    names = {n: d for of in SIZES.values() for n, d in of.items() if "." not in n}
    expected = names | {"m": (2, 8), "i": (8,), "l": (8,), "q": (3, 8), "w": (8,), "x": (8,), "y": (2, 8)}
    assert {v.name: v.dims for v in loaded.variables if v.name in expected} == expected
