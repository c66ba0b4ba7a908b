# ruff: noqa: E501 (C text stays on its line)
"""C-like C++: what is read, with which types, and what is refused by name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from frontend_help import all_expressions, good, message, named, refs

from hlspart.frontend import load
from hlspart.frontend.constants import apply
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions

KERNEL = """#include <ap_int.h>
#include <hls_stream.h>
#include <hls_math.h>
typedef ap_int<12> pix;
using acc_t = ap_fixed<24, 10>;
using row = int[4];
constexpr int N = 16;
const int M = N * 2;
enum class mode : unsigned char { OFF, ON = 3 };
struct pt { int x; pix y[4]; };
namespace k { namespace inner {
static void load(hls::stream<pix> &in, pix (&buf)[N]) {
  for (int i = 0; i < N; ++i) buf[i] = in.read();
}
} }
extern "C" { int scale(int a, int b = 3 * (2 + 1)); }
extern "C" void top(hls::stream<pix> &in, hls::stream<pix>& out, int &res, const ap_uint<M> &mask, float c[N], int n = 4) {
#pragma HLS interface axis port=in
  pix A[N], B[M];
  ap_uint<8> x(5);
  hls::stream<pix> fifo("fifo");
  pt p; p.y[2] = 3; p.x = int(A[1]) + static_cast<int>(B[2]);
  k::inner::load(in, A);
  pix v; in >> v; fifo << v + pix(2);
  auto w = B[3];
  int q{7};
  row T{1, 2, 3};
  bool ok = true && mask[3];
  if (ok) res = scale(A[0]) + (T[1] > q ? 1 : 0);
  out.write(fifo.read()); x.range(3, 0) = 2;
  c[0] = std::sqrt(c[1]);
  x(3, 1) = A[2](1, 0);
  acc_t s = nullptr == nullptr ? acc_t(w) : acc_t(0);
  ap_uint<ap_uint<8>::width> unread = std::numeric_limits<int>::max();
}
"""


def test_types() -> None:
    loaded = good(KERNEL, "t.cpp")
    assert loaded.units[0].language == "c++"
    pix = ir.ScalarType("ap_int<12>", "int", 12)
    expected = {
        "A": ir.ArrayType(pix, (16,)), "B": ir.ArrayType(pix, (32,)), "fifo": ir.StreamType(pix), "w": pix,
        "x": ir.ScalarType("ap_uint<8>", "int", 8, False), "mask": ir.ScalarType("ap_uint<M>", "int", 32, False),
        "s": ir.ScalarType("ap_fixed<24, 10>", "fixed", 24, True, 14), "T": ir.ArrayType(ir.ScalarType("int", "int", 32), (4,)),
        "buf": ir.ArrayType(pix, (16,)), "q": ir.ScalarType("int", "int", 32), "ok": ir.ScalarType("bool", "bool", 8, False),
    }  # fmt: skip
    assert {name: named(loaded, name).type for name in expected} == expected
    point = named(loaded, "p").type
    assert isinstance(point, ir.StructType) and [n for n, _ in point.members] == ["x", "y"]
    assert loaded.constants["ON"] == 3
    assert [v.name for v in loaded.variables if v.reference] == ["in", "buf", "in", "out", "res", "mask"]
    assert named(loaded, "N").const and named(loaded, "mask").const


def test_operations_and_spans() -> None:
    loaded = good(KERNEL, "t.cpp")
    calls = [(e.function, loaded.text(e.at)) for e in all_expressions(loaded) if isinstance(e, ir.Call)]
    assert calls == [
        ("stream.read", "in.read()"), ("load", "k::inner::load(in, A)"), ("stream.read", "in >> v"), ("stream.write", "fifo << v + pix(2)"),
        ("scale", "scale(A[0])"), ("stream.write", "out.write(fifo.read())"), ("stream.read", "fifo.read()"),
        ("sqrt", "std::sqrt(c[1])"), ("max", "max()"),
    ]  # fmt: skip
    casts = [
        loaded.text(e.at) for e in all_expressions(loaded) if isinstance(e, ir.Cast) and loaded.text(e.at)[-1] == ")"
    ]
    assert casts == [
        "int(A[1])",
        "static_cast<int>(B[2])",
        "pix(2)",
        "A[2](1, 0)",
        "acc_t(w)",
        "acc_t(0)",
    ]
    assert [(loaded.text(r.at), r.at.kind) for r in refs(loaded, "A")] == [
        ("A[1]", "plain"), ("A[0]", "plain"), ("A[2]", "plain"),
    ]  # fmt: skip
    root = next(e for e in all_expressions(loaded) if isinstance(e, ir.Call) and e.function == "sqrt")
    assert isinstance(root.type, ir.ScalarType) and root.type.bits == 32
    assert not [e.what for e in all_expressions(loaded) if isinstance(e, ir.OpaqueExpr)]
    assert set(loaded.functions) == {"load", "top"} and loaded.undefined.keys() == {"scale", "sqrt", "max"}


def bits_of(loaded: ir.Program, expr: ir.Expr, values: dict[str, int]) -> int:
    """The value of an expression of shifts and masks."""

    def value(e: ir.Expr) -> int:
        match e:
            case ir.Const():
                assert isinstance(e.value, int)
                return e.value
            case ir.Name():
                return values[loaded.variables[e.variable].name]
            case ir.Member():
                return values[e.field]
            case ir.Cast():
                assert isinstance(e.type, ir.ScalarType)
                return value(e.operand) & ((1 << e.type.bits) - 1)
            case ir.Unary():
                return ~value(e.operand) if e.op == "~" else -value(e.operand)
            case ir.Binary():
                return apply(e.op, value(e.left), value(e.right))
        raise AssertionError(e)

    return value(expr)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x.range(7, 4);", 0xC), ("y = x(11, 8);", 0xB), ("y = x[3];", 1), ("y = x[4];", 0), ("y = x.range(n, 2);", 0x13),
        ("y = x.bit(n);", 1), ("y = x.to_int();", 0xABCD), ("y = x.or_reduce();", 1), ("x.range(7, 4) = 0x35;", 0xAB5D),
        ("x[0] = 0;", 0xABCC), ("x(15, 12) = n;", 0x6BCD), ("x.range(n, 5) = 0;", 0xAB8D),
        ("x[1] |= 1;", 0xABCF), ("x(7, 4) ^= 0x5;", 0xAB9D), ("x(n, 4) += 2;", 0xABED),
        ("y = x.and_reduce();", 0), ("y = x(3, 2).and_reduce();", 1), ("y = x.nand_reduce();", 1),
        ("y = x(5, 4).nor_reduce();", 1), ("y = x.nor_reduce();", 0), ("y = x.is_zero();", 0), ("y = x(5, 4).iszero();", 1),
    ],
)  # fmt: skip
def test_bits_are_shifts_and_masks(text: str, expected: int) -> None:
    loaded = good("#include <ap_int.h>\nvoid f(ap_uint<16> x, int n, int y) { " + text + " }", "t.cpp")
    (assign,) = [e for e in all_expressions(loaded) if isinstance(e, ir.Assign)]
    assert bits_of(loaded, assign.value, {"x": 0xABCD, "n": 6}) == expected
    element = good(
        "#include <ap_int.h>\nvoid f(ap_uint<16> x[4], int n, int y) { " + text.replace("x", "x[n]", 1) + " }", "t.cpp"
    )
    assert len(refs(element, "x")) == 1
    member = "struct S { int k; ap_uint<16> x; };\nvoid f(S s, int n, int y) { " + text.replace("x", "s.x", 1) + " }"
    held = good("#include <ap_int.h>\n" + member, "t.cpp")
    (assign,) = [e for e in all_expressions(held) if isinstance(e, ir.Assign)]
    assert bits_of(held, assign.value, {"x": 0xABCD, "n": 6}) == expected


WIDTHS = """#include <ap_int.h>
#include <ap_fixed.h>
#define BITS2(n) ((n & 2) ? 1 : 0)
#define BITS4(n) ((n & 0xC) ? (2 + BITS2(n >> 2)) : (BITS2(n)))
#define BITS8(n) ((n & 0xF0) ? (4 + BITS4(n >> 4)) : (BITS4(n)))
#define BITS16(n) ((n & 0xFF00) ? (8 + BITS8(n >> 8)) : (BITS8(n)))
#define BITS(n) ((n) == 0 ? 1 : BITS16((n)) + 1)
const int COUNT = 1000;
typedef ap_uint<BITS(COUNT)> count_t;
typedef ap_uint<COUNT == 1000 ? 3 : 4> state_t;
namespace q { typedef ap_fixed<COUNT / 100 + 4, 6> value_t; }
using word_t = ap_uint<q::value_t::width * 2>;
int width = 99;
template <typename T> void half(T *p) { ap_uint<T::width / 2> low = p->range(T::width / 2 - 1, 0); (void)low; }
template <typename T, unsigned S = T::width> struct Slice { static unsigned const size = S; };
unsigned const east = 5;
void f(ap_uint<2 * Slice<ap_int<12>>::size + east> slice, count_t n, state_t s, q::value_t v, word_t w, ap_uint<q::value_t::iwidth> whole, class ap_uint<5> *p) {
  ap_uint<word_t::width + 1> sum = (class ap_uint<28>)w + 1; int bits = n.length(); half<count_t>(&n);
}
"""


def test_widths_are_numbers() -> None:
    loaded = good(WIDTHS, "t.cpp")
    assert not loaded.holes
    count = (1000).bit_length()
    expected = {"n": count, "s": 3, "v": 14, "w": 28, "whole": 6, "sum": 29, "low": count // 2, "slice": 29}
    bits = {v.name: v.type.bits for v in loaded.variables if isinstance(v.type, ir.ScalarType)}
    assert {name: bits[name] for name in expected} == expected
    init = named(loaded, "bits").init
    assert isinstance(init, ir.Const) and init.value == count


TEMPLATES = """#include "ap_int.h"
const int SIZE = 8;
template <int U, typename T = int> T dot(T a[U], T b[U]) {
#pragma HLS unroll factor=U
  T s = 0;
  for (int i = 0; i < U; i++) s += a[i] * b[i];
  return s;
}
template <typename T> struct pair { T first; T second; };
template <int K> int once(int v[K]) { return v[K - 1]; }
template <typename T> T least(T a, T b) { return a < b ? a : b; }
int top(int x[SIZE], int y[4]) {
  pair<ap_uint<9> > p;
  p.first = 1;
  return dot<SIZE>(x, x) + dot<4, int>(y, y) + once<2 * 2>(y) + least(x[0], y[0]);
}
"""


DEDUCED = """#include <ap_int.h>
#include <hls_stream.h>
typedef ap_int<9> pix;
using acc = ap_fixed<16, 4>;
const int W = 12;
template <int N> void inc(int (&A)[N]) { for (int i = 0; i < N; i++) A[i] += 1; }
template <typename T, int N, int M> T sum(const T (&B)[N][M]) { T s = 0; return s + B[N - 1][M - 1]; }
template <typename T> T most(T a, T b) { return a > b ? a : b; }
template <int B> ap_int<B> add(ap_int<B> x[4], const ap_int<B> &y) { return x[1] + y; }
template <typename T> void pull(hls::stream<T> &s, T buf[8]) { buf[0] = s.read(); }
template <int F, int N> void part(short (&C)[N], int k = 0) { for (int i = 0; i < N; i += F) C[i] = 0; }
template <int N, typename T> void outer(T (&D)[N]) { inc(D); }
template <class T> T same(T v) { return v; }
void top(int o[4], hls::stream<pix> &in, int (&ref)[W]) {
  int a[16], b[32], n = 3; short c[4][8]; pix d[4], e; pix buf[8];
  for (int a2 = 0; a2 < n; a2++) o[a2] = n * a[a2];
  inc(a); inc(b); inc<16>(a); inc(ref); outer(ref); o[0] = sum(c); part<2>(c[1]);
  o[1] = most(o[0], n); double z = most(1.0, 2.5); e = add(d, d[1]); pull(in, buf); acc q; q = same(q);
}
"""


def test_template_arguments_are_deduced() -> None:
    loaded = good(DEDUCED, "t.cpp")
    assert set(loaded.functions) == {
        "inc<16>", "inc<32>", "inc<12>", "sum", "most<int>", "most<double>", "add", "pull", "part", "outer", "same", "top",
    }  # fmt: skip
    assert not loaded.undefined
    types = {f"{v.function}.{v.name}": v.type for v in loaded.variables}
    assert {k: t.dims for k, t in types.items() if isinstance(t, ir.ArrayType) and not k.startswith("top")} == {
        "inc<16>.A": (16,), "inc<32>.A": (32,), "inc<12>.A": (12,), "sum.B": (4, 8), "add.x": (4,), "pull.buf": (8,),
        "part.C": (8,), "outer.D": (12,),
    }  # fmt: skip
    assert (types["add.y"].name, types["same.v"].name, types["sum.s"].name) == ("ap_int<9>", "ap_fixed<16, 4>", "short")  # type: ignore[attr-defined]
    assert types["pull.s"] == ir.StreamType(ir.ScalarType("ap_int<9>", "int", 9))


def test_streams_that_do_not_block() -> None:
    loaded = good(
        "#include <hls_stream.h>\nvoid f(hls::stream<int> &s, hls::stream<int> &t, int A[4]) { int v;"
        " if (s.read_nb(v)) A[0] = v; t.write_nb(A[1]); if (!s.empty() && !t.full()) A[2] = s.size(); }",
        "t.cpp",
    )
    calls = [e for e in all_expressions(loaded) if isinstance(e, ir.Call)]
    assert [c.function for c in calls] == [f"stream.{n}" for n in ("read_nb", "write_nb", "empty", "full", "size")]
    assert [len(c.args) for c in calls] == [2, 2, 1, 1, 1]


def test_constants_of_one_declaration_are_all_known_to_templates() -> None:
    loaded = good(
        "template <int A, int B> struct box { int s[A]; int sum() { return s[0] * B; } };\n"
        "constexpr int X = 3, Y = X + 2;\n"
        "int top() {\n  constexpr int L = 4, M = L * 2;\n  static const int R = M - (L + 1), S = 6;\n"
        "  box<X, Y> u; box<L, M> v; box<R, S> w;\n"
        "  u.s[0] = v.s[0] = w.s[0] = 1;\n  return u.sum() + v.sum() + w.sum();\n}\n",
        "t.cpp",
    )
    assert {v.name: v.dims for v in loaded.variables if v.function == "top" and v.is_array} == {
        "u.s": (3,), "v.s": (4,), "w.s": (3,),
    }  # fmt: skip


def test_templates_are_instantiated() -> None:
    loaded = good(TEMPLATES, "t.cpp")
    assert set(loaded.functions) == {"dot<8,int>", "dot<4,int>", "once", "least", "top"}
    dims = {f"{v.function}.{v.name}": v.dims for v in loaded.variables if v.is_array}
    assert dims == {
        "dot<8,int>.a": (8,), "dot<8,int>.b": (8,), "dot<4,int>.a": (4,), "dot<4,int>.b": (4,), "once.v": (4,),
        "top.x": (8,), "top.y": (4,),
    }  # fmt: skip
    assert [(p.expanded, p.function) for p in loaded.pragmas] == [
        ("HLS unroll factor=8", "dot<8,int>"), ("HLS unroll factor=4", "dot<4,int>"),
    ]  # fmt: skip
    # a body that stands for two functions must not be edited for one of them
    assert [(loaded.text(r.at), r.at.kind) for r in refs(loaded, "a")] == [("a[i]", "argument")] * 2
    assert [(loaded.text(r.at), r.at.kind) for r in refs(loaded, "v")] == [("v[K - 1]", "plain")]
    point = named(loaded, "p").type
    assert isinstance(point, ir.StructType) and point.members[0][1] == ir.ScalarType("ap_uint<9>", "int", 9, False)


REFUSED = {
    "struct S : T { int x; };": "inheritance from T",
    "int f() { int s = 0; for (int x : {1, 2}) s += x; return s; }": "range-based for",
    "int f(int y) { auto g = [](auto x) { return x; }; return g(y + 1); }": "lambda",
    "template <class F> int g(F f) { return f(1); } int f(int a) { int t[2] = {a}; return g([&](int x) { return t[x]; }); }": "lambda",
    "template <class F> int g(int &k, F f) { k = 3; return f(1); } int f(int a) { return g(a, [&](int x) { return x + a; }); }": "lambda",
    "template <class F> int g(F f) { f(1); return 0; } int f(int a) { g([&](int x) { a += x; }); return a; }": "lambda",
    "int *f() { return new int[4]; }": "new",
    "void f() { try { } catch (...) { } }": "exception handling",
    "void f(int a) { if (a) throw (a); }": "exception handling",
    "int f(int a) { throw; }": "exception handling",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_is_named(text: str) -> None:
    found = message(text, "t.cpp")
    assert f"C++ construct not supported: {REFUSED[text]} [HLP003]" in found


def test_braces_and_second_declarators() -> None:
    loaded = good(
        '#include <hls_stream.h>\nstruct p { int x, y; }; void g(p a);\np f(int A[4]) { hls::stream<int> a("a"), b("b"); int n(3), m(n + A[1]), T[2] = {1, 2};'
        " p q = {1, 2}; q = {A[2], 3}; g({A[3], n}); if (m) return {A[0], 1}; return q; }",
        "t.cpp",
    )
    assert [loaded.text(r.at) for r in refs(loaded, "A")] == ["A[2]", "A[3]", "A[0]", "A[1]"]
    assert isinstance(named(loaded, "m").init, ir.Binary) and named(loaded, "b").init is None
    assert isinstance(named(loaded, "b").type, ir.StreamType)


def test_forwarding_references_are_references_to_what_has_a_name() -> None:
    loaded = good(
        "struct p { int x[4]; }; int g(int a) { return a + 1; }\n"
        "int f(int A[4], p &b) { auto &&u = A[2]; auto&& v = b.x[A[1]]; auto &&w = g(A[0]); auto &&z = A[3] + 1;"
        " u = w + z; return v && u; }",
        "t.cpp",
    )
    assert {n: named(loaded, n).reference for n in "uvwz"} == {"u": True, "v": True, "w": False, "z": False}
    assert [loaded.text(r.at) for r in refs(loaded, "A")] == ["A[2]", "A[1]", "A[0]", "A[3]"]


def test_an_array_of_channels_is_no_memory() -> None:
    loaded = good(
        "#include <hls_stream.h>\nvoid f(hls::stream<int> s[4], int A[4]) { A[1] = s[2].read() + s[A[0]].read(); s[1] << A[2]; }",
        "t.cpp",
    )
    assert not refs(loaded, "s") and [v.name for v in loaded.arrays()] == ["A"]
    assert [loaded.text(r.at) for r in refs(loaded, "A")] == ["A[1]", "A[0]", "A[2]"]
    calls = [e.function for e in all_expressions(loaded) if isinstance(e, ir.Call)]
    assert calls == ["stream.read", "stream.read", "stream.write"]


def test_heads_that_say_what_they_throw_say_nothing_of_hardware() -> None:
    """As headers of the C library have it, and as C++ had it until 2017."""
    loaded = good(
        'struct bad { };\nextern "C" int atoi (const char *s) throw () __attribute__ ((__pure__));\n'
        "int g(int a) throw (bad, int);\ninline int f(int A[4]) throw() { return A[1]; }",
        "t.cpp",
    )
    assert set(loaded.functions) == {"f"} and [loaded.text(r.at) for r in refs(loaded, "A")] == ["A[1]"]


def test_struct_before_the_template_of_a_library_is_left_out() -> None:
    loaded = good(
        "#include <ap_axi_sdata.h>\n#include <hls_stream.h>\ntypedef struct ap_axiu<16,1,1,1> word;\n"
        "void f(hls::stream<word> &s) { struct ap_axiu<16,1,1,1> v = s.read(); word w = v; s.write(w); }",
        "t.cpp",
    )
    for name in ("v", "w"):
        word = named(loaded, name).type
        assert isinstance(word, ir.StructType) and [n for n, _ in word.members][:2] == ["data", "keep"]
    spaced = good(
        "namespace q { template <typename T> struct V { T a; }; struct W { short b; }; }\n"
        "int f(struct q::W *w) { struct q::V<int> v; v.a = w->b; return v.a; }",
        "t.cpp",
    )
    v = named(spaced, "v").type
    assert isinstance(v, ir.StructType) and [n for n, _ in v.members] == ["a"]


@pytest.mark.parametrize(
    ("word", "keep"),
    [
        ("hls::axis<hls::vector<float, 16>, 0, 0, 0>", 64),
        ("hls::axis<short, 0, 0, 0>", 2),
        ("ap_axiu<20, 1, 1, 1>", 3),
        ("hls::axis<pair, 0, 0, 0>", None),
    ],
)
def test_keep_has_a_bit_for_each_byte(word: str, keep: int | None) -> None:
    """As ap_axi_sdata.h declares it: (bits of the data + 7) / 8; what the tool pads is not known."""
    text = f"struct pair {{ char a; int b; }};\nvoid f() {{ {word} w; w.last = 1; }}"
    type_ = named(good("#include <ap_axi_sdata.h>\n#include <hls_vector.h>\n" + text, "t.cpp"), "w").type
    assert isinstance(type_, ir.StructType)
    found = dict(type_.members)["keep"]
    assert (found.bits if isinstance(found, ir.ScalarType) else None) == keep


def test_standard_types_need_no_header() -> None:
    loaded = good("void f(uint8_t A[4], size_t n) { int16_t x = (int16_t)A[n]; A[0] = x; }", "t.cpp")
    assert named(loaded, "A").type == ir.ArrayType(ir.ScalarType("uint8_t", "int", 8, False), (4,))
    assert "'foo_t' is used as a type" in message("void f(foo_t A[4]) { }")


def test_language_by_suffix_and_option() -> None:
    text = "void f(int &x) { x = 1; }"
    for path in ("t.cpp", "t.cc", "t.cxx"):
        assert named(good(text, path), "x").reference
    assert "syntax error" in message(text, "t.c")
    assert named(good(text, "t.c", FrontendOptions(language="c++")), "x").reference


def test_plain_c_reads_the_same_as_cpp() -> None:
    text = "int A[4]; static int g(const int *p, int n) { return (n & p[1]) * (int)(p[2]); }\nint f(int i) { int x = A[i] & g(A, 2); return x * (A[1]); }"
    in_c, in_cpp = good(text), good(text, "t.cpp")
    shapes = [[(type(e).__name__, p.text(e.at)) for e in all_expressions(p)] for p in (in_c, in_cpp)]
    assert shapes[0] == shapes[1] and len(shapes[0]) > 15


def test_constants_that_a_compiler_converts_or_calls_are_the_extents_that_it_gives(tmp_path: Path) -> None:
    """Comparisons of unsigned with negative numbers; conversions as arguments in values of variables of a file."""
    text = """
static const unsigned none = -1;
struct config {
  static const unsigned n_in = 10, n_filt = -1;
  static const unsigned n_scale = (n_filt == -1) ? n_in : n_filt;
};
constexpr int twice(int x) { return 2 * x; }
constexpr int part = (1 << twice(int(7 / 4)));
extern float a[none == -1 ? 3 : 4];
extern float b[-1 < none ? 5 : 6];
extern float c[-1 < 1u ? 7 : 8];
extern float d[(unsigned char)255 == -1 ? 9 : 11];
extern float e[-1L < 1u ? 12 : 13];
extern float f[config::n_scale];
extern float g[part];
"""
    names = "abcdefg"
    program = load(["k.cpp"], FrontendOptions(), read=lambda _: text.encode())
    extents = {v.name: v.dims for v in program.variables if v.name in names}
    sizes = "".join(f'static_assert(sizeof({n}) == {4 * (extents[n][0] or 0)}, "");\n' for n in names)
    (tmp_path / "k.cpp").write_text(text + sizes)
    done = subprocess.run(["g++", "-std=c++14", "-fsyntax-only", "k.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_enumerations_are_as_wide_as_they_say() -> None:
    """g++ gives 1, 1, 2, 4 and 4 bytes."""
    text = """enum class A : unsigned char { P, Q };
enum B : bool { NO, YES };
enum class C : short;
enum class C : short { R = -1 };
enum class D { S };
enum E { T };
void f(int n) { A a[9]; B b[9]; C c[9]; D d[9]; E e[9]; }
"""
    program = good(text, "k.cpp")
    arrays = {v.name: v.type.element for v in program.variables if isinstance(v.type, ir.ArrayType)}
    bits = {name: kind.bits for name, kind in arrays.items() if isinstance(kind, ir.ScalarType)}
    assert bits == {"a": 8, "b": 8, "c": 16, "d": 32, "e": 32}
