"""Classes with member functions: a variable per member of an object, a function per method."""

from __future__ import annotations

import pytest
from frontend_help import LOOP, good, intervals, named

from hlspart.frontend.constants import value_of
from hlspart.model import program as ir
from hlspart.model.options import Options, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.semantics.effects import in_given_files, one_top

SHIFT = """\
#include "ap_int.h"
#include "hls_stream.h"
template <typename T, int N>
class Shift {
  T data[N];
  int count;
 public:
  Shift() {
#pragma HLS ARRAY_PARTITION variable=data complete
  }
  void push(T x) {
#pragma HLS INLINE
    for (int i = N - 1; i > 0; i--) {
#pragma HLS UNROLL
      data[i] = data[i - 1];
    }
    data[0] = x;
    this->count++;
  }
  T sum() const {
    T s = 0;
    for (int i = 0; i < N; i++) {
#pragma HLS UNROLL
      s += data[i];
    }
    return s;
  }
  void both(T x) { push(x); push(x); }
};
class Sum {
 public:
  int total;
  void add(int v) { total += v; }
};
void top(hls::stream<int> &in, hls::stream<int> &out, int A[64]) {
  static Shift<int, 5> w;
  Sum a;
  a.total = 0;
LOOP:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    w.push(in.read());
    a.add(A[i]);
    out.write(w.sum() + a.total);
  }
  Shift<ap_int<12>, 3> v;
SECOND:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    v.both(A[i]);
    A[i] = v.sum();
  }
}
"""


def pipeline(text: str) -> Pipeline:
    def read(name: str) -> bytes:
        if name != "t.cpp":
            raise FileNotFoundError(name)
        return text.encode()

    return Pipeline(["t.cpp"], Options(), read)


def test_members_are_variables_and_methods_functions() -> None:
    loaded = good(SHIFT, "t.cpp")
    assert not loaded.holes
    methods = [f"Shift<{a}>::{m}" for a in ("int,5", "ap_int<12>,3") for m in ("push", "sum", "both")]
    assert list(loaded.functions) == [*methods, "Sum::add", "top"]
    data = named(loaded, "w.data")
    assert (data.dims, data.storage) == ((5,), "static")
    assert named(loaded, "v.data").type == ir.ArrayType(ir.ScalarType("ap_int<12>", "int", 12), (3,))
    assert named(loaded, "a.total").storage == "local"
    # everything is reported at the text of the class, once per instance
    lines = {(f, loaded.line(x.at)) for f in methods for x in loaded.loops.values() if x.function == f}
    assert lines == {(f, 13 if "push" in f else 22) for f in methods if "both" not in f}
    partitions = [(d.kind, [loaded.variables[v].name for v in d.variables]) for d in loaded.directives if d.variables]
    assert partitions == [("array_partition", ["w.data"]), ("array_partition", ["v.data"])]


def test_loops_that_call_methods_have_the_ii_of_the_same_text_without_classes() -> None:
    loops = {x.name: x for x in pipeline(SHIFT).figures.loops}
    assert (loops["LOOP"].ii, loops["SECOND"].ii) == (1, 1)
    text = "static int d[64]; int get(int (&data)[64], int i) { return data[i] + data[i + 1] + data[i + 2]; } "
    body = "int top() { int s = 0; for (int i = 0; i < 60; i++) {\n#pragma HLS PIPELINE\n s += %s; } return s; }"
    plain = pipeline(text + body % "get(d, i)").figures.loops[-1]
    text = "class C { int data[64]; public: int get(int i) { return data[i] + data[i + 1] + data[i + 2]; } }; "
    text += "static C c; "
    shaped = pipeline(text + body % "c.get(i)").figures.loops[-1]
    assert (plain.ii, plain.depth) == (shaped.ii, shaped.depth) and plain.ii == 2


REFUSED = {
    "class C { int &d; public: C(int &x) : d(x) {} int g() { return d; } }; int h(C &c) { return 1; }": "a reference",
    "class C { int d; public: virtual int g() { return d; } }; int h() { C c; return c.g(); }": "virtual in a class",
    "class C { int d; public: C *g() { return this; } }; int h() { C c; return 1; }": "this",
    "class C { int d; public: ~C() { d = 1; } }; int h() { C c; return 1; }": "destructor",
    "class C : public Gone { int d; public: int g() { return d; } }; int h() { C c; return c.g(); }": "from Gone",
    "class C { int d; public: int g() { for (int d = 0; d < 2; d++) {} return d; } }; int h(C &c) { return 1; }": (
        "named like the member d"
    ),
    "class C { int d[4]; public: C() {\n#pragma HLS ARRAY_PARTITION variable=d complete dim=0\n} int g(); }; "
    "int h() { C c[2]; return 1; }": "array of objects",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_needs_an_object_is_a_hole(text: str) -> None:
    loaded = good(text + "\nint other(int A[4]) { return A[1]; }", "t.cpp")
    assert REFUSED[text] in loaded.holes[0].cause
    assert "other" in loaded.functions


SCOPES = """\
class C { int n; public: int g() { int n2 = n; n = n2 + 1; return n; } int twice() { return g() + g(); } };
int h(int k) {
  C c; int s = c.twice();
  { int c = k; s += c; }
  { C c; s += c.g(); }
  return s;
}
"""


def test_names_mean_what_their_scope_says() -> None:
    loaded = good(SCOPES, "t.cpp")
    assert [v.name for v in loaded.variables if v.function == "h"] == ["k", "c.n", "s", "c", "c.n"]
    calls = [
        (e.function, [loaded.variables[a.variable].id for a in e.args if isinstance(a, ir.Name)])
        for s in ir.walk_statements(loaded.functions["h"].body)
        for x in (*ir.expressions(s), *(loaded.variables[v].init for v in getattr(s, "variables", ())))
        if x is not None
        for e in ir.walk(x)
        if isinstance(e, ir.Call)
    ]
    first, second = (v.id for v in loaded.variables if v.name == "c.n")
    assert calls == [("C::twice", [first]), ("C::g", [second])]


PASSED = """\
class One {
  int data[64];
 public:
  int run(int x[64]) {
    int r = 0;
    for (int j = 0; j < 32; j++) {
      data[j] = j;
      r += x[2 * j] + x[2 * j + 1];
    }
    return r;
  }
};
int top(int B[64]) {
  One one;
  int L[64];
#pragma HLS ARRAY_PARTITION variable=L cyclic factor=2
  for (int i = 0; i < 32; i++) {
    L[2 * i] = B[i] % 1000;
    L[2 * i + 1] = B[i + 32] % 1000;
  }
  return one.run(L);
}
"""


def test_nothing_of_a_class_is_rewritten() -> None:
    plain = PASSED.replace("class One {\n  int data[64];\n public:\n  int run(", "static int data[64]; static int run(")
    plain = plain.replace("};\nint top", "\nint top").replace("  One one;\n", "").replace("one.run", "run")
    options = RewriteOptions(style="split")
    assert [o.status for o in pipeline(plain).rewrite(options).outcomes] == ["rewritten"]
    result = pipeline(PASSED).rewrite(options)
    assert [(o.status, o.code) for o in result.outcomes] == [("refused", "template")]
    assert result.files["t.cpp"] == PASSED


TRIPLE = """class Triple {
 public:
  float v;
  Triple() {}
  Triple(float x, float y = 3.0f) : v(x * y) {}
  float get() { return v; }
};
class Third { public: float v; operator float() { return v * 3.0f; } };
static float taken(Triple t) { return t.get(); }
static Triple given(float x) { return x; }
"""


@pytest.mark.parametrize(
    "statement",
    [
        "Triple t = x[i]; o[i] = t.get();",
        "Triple t(x[i]); o[i] = t.get();",
        "o[i] = taken(Triple(x[i]));",
        "o[i] = taken(Triple(x[i], 3.0f));",
        "Triple t; t = x[i]; o[i] = t.get();",
        "o[i] = taken(x[i]);",
        "Triple t = given(x[i]); o[i] = t.get();",
        "Third t; t.v = x[i]; o[i] = t;",
        "Third t; t.v = x[i]; float y = t; o[i] = y;",
    ],
)
def test_conversions_that_nobody_writes_are_made(statement: str) -> None:
    def figures(text: str) -> list[tuple[int | None, int | None]]:
        top = "void top(float x[64], float o[64]) {\n  for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE\n"
        source = TRIPLE + top + text + "\n  }\n}\n"
        loops = Pipeline(["t.cpp"], Options(), read=lambda path: source.encode()).figures.loops
        return [(x.ii, x.depth) for x in loops]

    expected = figures("o[i] = x[i] * 3.0f;")
    assert figures(statement) == expected and expected[0][0] == 1


@pytest.mark.parametrize(
    ("test", "plain"),
    [
        ("if (t) ", "if (y) "),
        ("if (!t) ", "if (!y) "),
        ("if (t > 2.0f) ", "if (y > 2.0f) "),
        ("while (t) ", "while (y) "),
    ],
)
def test_an_object_that_is_tested_is_converted(test: str, plain: str) -> None:
    def figures(text: str) -> list[tuple[int | None, int | None, int | None]]:
        top = "void top(float x[64], float o[64]) {\n  for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE\n"
        source = TRIPLE + top + text + "o[i] = 1.0f;\n  }\n}\n"
        loops = Pipeline(["t.cpp"], Options(), read=lambda path: source.encode()).figures.loops
        return [(x.ii, x.depth, x.dsp) for x in loops]

    expected = figures(f"float y = x[i] * 3.0f; {plain}")
    assert figures(f"Third t; t.v = x[i]; {test}") == expected


def test_a_conversion_that_is_not_known_is_said() -> None:
    text = """struct Block { int v[4]; Block() {} Block(int x); };
int third(Block b) { return b.v[2]; }
void top(int x[64], int o[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    o[i] = third(x[i]);
  }
}
"""
    (loop, *_) = [
        x for x in Pipeline(["t.cpp"], Options(), read=lambda path: text.encode()).figures.loops if x.function == "top"
    ]
    assert loop.ii is None and loop.cause == "the body of Block::Block is not given"


def test_a_member_that_holds_nothing_calls_what_is_not_given() -> None:
    """The end of a chain of stages, as in a shift register of templates: an object without data beside an array."""
    text = """struct End { int get(int i) const; };
struct Stage {
  End end;
  int values[8];
  int get(int i) const { if (i < 8) return values[i & 7]; else return end.get(i); }
};
void top(const int in[64], int out[64]) {
  Stage s;
  for (int i = 0; i < 8; i++) s.values[i] = i;
  LOOP: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    out[i] = s.get(in[i]);
  }
}
"""

    def loop(source: str) -> tuple[int | None, str | None]:
        figures = Pipeline(["t.cpp"], Options(), read=lambda path: source.encode()).figures
        return next((x.ii, x.cause) for x in figures.loops if x.name == "LOOP")

    ii, cause = loop(text)
    assert ii is None and cause is not None and "the body of End::get is not given" in cause
    assert loop(text.replace("const;", "const { return i; }")) == (1, None)


def test_a_conversion_gives_an_object_with_an_array() -> None:
    def figures(text: str) -> list[tuple[int | None, int | None]]:
        text = """struct Block { int v[4]; Block() {} Block(int x) : v{x, x + 1} { v[2] = x * 3; } };
int third(Block &b) { return b.v[2] + b.v[1]; }
int converted(Block b) { return b.v[2] + b.v[1]; }
void top(int x[64], int o[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    STATEMENT
  }
}
""".replace("STATEMENT", text)
        pipeline = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode())
        return [(x.ii, x.depth) for x in pipeline.figures.loops if x.function == "top"]

    plain = figures("o[i] = x[i] * 3 + (x[i] + 1);")
    assert figures("o[i] = converted(x[i]);") == figures("Block b(x[i]); o[i] = third(b);") == plain
    assert plain[0][0] == 1


@pytest.mark.parametrize("path", ["t.c", "t.cpp"])
def test_parameters_without_names_take_their_arguments(path: str) -> None:
    def figures(name: str) -> list[tuple[int | None, int | None]]:
        text = """int f(int NAME[4], int const *NAME, int b) { return b + 1; }
void top(int o[64]) {
  int r[4];
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    o[i] = f(r, r, i);
  }
}
"""
        names = iter(("a", "c")) if name else iter(("", ""))
        text = "".join(part + next(names, "") for part in text.split("NAME"))
        pipeline = Pipeline([path], Options(), read=lambda path: text.encode())
        return [(x.ii, x.depth) for x in pipeline.figures.loops]

    assert figures("") == figures("a") and figures("")[0][0] == 1


BITS = """#include <ap_int.h>
#include <cassert>
#include <complex>
#include <ap_fixed.h>
struct Pack { ap_uint<32> value;
  ap_range_ref<32, false> operator()(size_t i) {
    assert(i < 4);
    const size_t lo = i * 8;
    const size_t hi = lo + 7;
    return value.range(hi, lo);
  } };
typedef std::complex<ap_fixed<16, 1>> number;
typedef struct { number one; number two; } Pair;
template <typename T> struct Wide { ap_uint<sizeof(T) * 8> bits; int id() const { return 3; } };
"""


@pytest.mark.parametrize(
    "body",
    [
        "Pack x; x.value = in[i]; Pack y; y.value = 0; for (int j = 0; j < 4; j++) y(j) = x(3 - j); out[i] = y.value;",
        "number x; x.imag().range(15, 8) = in[i]; x.real().range(15, 0) = in[i]; out[i] = x.imag().range(15, 8);",
        "Pair p; p.one.imag().range(15, 8) = in[i]; p.two.real() = p.one.imag(); out[i] = p.two.real().range(15, 8);",
        "Wide<int> w; w.bits = in[i]; out[i] = w.bits + w.id();",
    ],
)
def test_bits_that_functions_give_are_set(body: str) -> None:
    """Wires alone: a load, a store, no state of computation between them."""
    text = BITS + "void top(int in[32], int out[32]) {" + LOOP.replace("STATEMENT", body) + "}\n"
    assert not good(text, "t.cpp").holes
    assert [ii for ii, _ in intervals(text)] == [1]


def test_bits_that_a_function_gives_are_those_of_its_index() -> None:
    """The value that is read and written, by the folded masks and shifts of constant indices."""
    text = BITS + "void top(ap_uint<32> in[1], int out[1]) { Pack x; x.value = in[0]; out[0] = x(2); }\n"
    function = good(text, "t.cpp").functions["top"]
    stored = [e for s in ir.walk_statements(function.body) if isinstance(s, ir.ExprStmt) for e in ir.walk(s.expr)]
    shifts = [value_of(e.right, ()) for e in stored if isinstance(e, ir.Binary) and e.op == ">>"]
    assert shifts == [16]


CONVERSIONS = """template <typename T> struct Spread;
template <typename T> struct Packed { T value; int other;
  T operator()(int i) const { return value * i; }
  operator Spread<T>() {
    Spread<T> made;
    for (int i = 0; i < 2; i++) made.parts[i] = operator()(i + other);
    return made;
  }
};
template <typename T> struct Spread { T parts[2];
  operator Packed<T>() { Packed<T> made; made.value = parts[0] * parts[1]; made.other = 1; return made; }
};
"""


def test_objects_are_converted_to_objects_of_other_classes() -> None:
    """As a function that does the same: what the conversion computes takes its time."""
    converted = "Packed<int> p; p.value = in[i]; p.other = i; Spread<int> s = p; out[i] = s.parts[0] + s.parts[1];"
    plainly = "int v = in[i] * (0 + i), w = in[i] * (1 + i); out[i] = v + w;"
    head, results = CONVERSIONS + "void top(int in[32], int out[32]) {", []
    for body in (converted, plainly):
        text = head + LOOP.replace("STATEMENT", body) + "}\n"
        assert not good(text, "t.cpp").holes
        results.append(intervals(text)[-1])
    assert results[0] == results[1] and results[0][0] == 1


def test_what_a_call_gives_is_converted() -> None:
    text = "#include <hls_stream.h>\n" + CONVERSIONS + "void top(hls::stream<Packed<float>> &in, float out[32]) {"
    text += LOOP.replace("STATEMENT", "Spread<float> s = in.read(); out[i] = s.parts[1];") + "}\n"
    ii, depth = intervals(text)[-1]
    assert ii == 1 and depth is not None and depth > 3  # a product of floats; what is only read takes one state


COMPUTING = """struct Pair { int x, y; };
struct Sum { int v;
  Sum() {}
  Sum(const Sum &o) { v = o.v * o.v; }
  Sum(const Pair &p) { v = p.x; for (int k = 0; k < 3; k++) v = v * p.y + 1; }
};
int value(Sum s) {
#pragma HLS INLINE
  return s.v;
}
Sum made(const Pair &p) {
#pragma HLS INLINE
  return p;
}
"""


@pytest.mark.parametrize(
    ("body", "plainly"),
    [
        ("Pair p = {in[i], i}; out[i] = value(p);", "int v = in[i]; CHAIN out[i] = v;"),
        ("Pair p = {in[i], i}; Sum s; s = p; out[i] = s.v;", "int v = in[i]; CHAIN out[i] = v;"),
        ("Pair p = {in[i], i}; out[i] = made(p).v;", "int v = in[i]; CHAIN out[i] = v;"),
        (
            "Sum a, b; a.v = in[i]; b.v = i * 3; out[i] = value(i > 3 ? a : b);",
            "int b = i * 3, v = i > 3 ? in[i] : b; out[i] = v * v;",
        ),
    ],
)
def test_what_a_conversion_computes_takes_its_time(body: str, plainly: str) -> None:
    """Where an object of another class, or one of two, is handed over, assigned or given back."""
    plainly = plainly.replace("CHAIN", "for (int k = 0; k < 3; k++) v = v * i + 1;")
    head = COMPUTING + "void top(int in[32], int out[32]) {"
    written, expected = (intervals(head + LOOP.replace("STATEMENT", text) + "}\n")[-1] for text in (body, plainly))
    assert written == expected


BRACED = """#include <ap_int.h>
static const auto mark = ap_uint<16>{0x55};
typedef struct { int v; bool last = true; } tagged;
static ap_uint<8> next(ap_uint<8> d, ap_uint<32> &r) {
#pragma HLS INLINE
  r = r + d;
  return d;
}
void top(float f[32], ap_uint<8> in[32], ap_uint<10> out[32]) {
  ap_uint<32> r = 0;"""


@pytest.mark.parametrize(
    ("body", "plainly"),
    [
        (
            "union { struct bits { unsigned frac : 23, exp : 8, sign : 1; } b; float f; } u; u.f = f[i];"
            " u.b.exp = u.b.exp + 1; out[i] = u.b.exp;",
            "union { unsigned b; float f; } u; u.f = f[i]; out[i] = (unsigned char)((u.b >> 23) + 1);",
        ),
        ("out[i] = ap_uint<10>{in[i]};", "out[i] = (ap_uint<10>)in[i];"),
        ("out[i] = ap_uint<10>{};", "out[i] = 0;"),
        ("out[i] = mark + in[i];", "out[i] = (ap_uint<16>)0x55 + in[i];"),
        (
            "out[i] = ap_uint<10>{(ap_uint<1>{1}, ap_uint<1>{0}, next(in[i], r))};",
            "r = r + in[i]; out[i] = (ap_uint<10>)512 | in[i];",
        ),
        ("tagged t; t.v = in[i]; out[i] = t.v + t.last;", "int v = in[i]; out[i] = v + true;"),
    ],
)
def test_values_in_braces_are_numbers(body: str, plainly: str) -> None:
    """As without them, in structures of the text too."""
    texts = [BRACED + LOOP.replace("STATEMENT", s) + "}\n" for s in (body, plainly)]
    assert not good(texts[0], "t.cpp").holes
    written, expected = (intervals(text)[-1] for text in texts)
    assert written == expected and written[0] == 1


def test_a_member_function_that_nothing_calls_is_no_top_function() -> None:
    """Synthesis has none of it, as the compiler makes none of a template's."""
    text = "struct Word { int v; Word(int x) { v = x * x; } int twice() const { return v * 2; } };\n"
    pipeline = Pipeline(["t.cpp"], Options(), read=lambda _: f"{text}void top(int a[4]) {{ a[0] = 1; }}\n".encode())
    assert one_top(pipeline.program, pipeline.analysis.tops) == "top"
    alone = Pipeline(["t.cpp"], Options(), read=lambda _: text.encode())
    assert all("::" in name for name in in_given_files(alone.program, alone.analysis.tops))


POINTERS = """\
template <int N> struct Buffer {
  int d[N];
  int *data() { return d; }
};
void fill(int *p, int n, int v) {
  for (int i = 0; i < n; i++) {
#pragma HLS PIPELINE
    p[i] = v;
  }
}
const int *row(const int A[4][64], int i) { return A[i]; }
void top(const int C[4][64], int out[64], int v) {
  Buffer<64> b;
  fill(b.data(), 64, v);
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    out[i] = b.data()[i] + row(C, 1)[i] + row(C, 2)[i];
  }
}
"""


def test_functions_that_give_an_array_stand_for_it() -> None:
    assert [ii for ii, _ in intervals(POINTERS)] == [1, 1]


def test_unions_in_a_class() -> None:
    text = """\
struct Bits {
  union Word { float f; unsigned i; };
  static unsigned of(float x) { Word w; w.f = x; return w.i; }
};
void top(float in[64], unsigned out[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    out[i] = Bits::of(in[i]);
  }
}
"""
    good(text, "t.cpp")
    assert [ii for ii, _ in intervals(text)] == [1]


def test_constructors_of_a_base_that_another_file_defines() -> None:
    text = """\
class Base { public: int size; Base(void); Base(int n); };
class Derived : public Base { public: int step; Derived(int n) : Base(n), step(2) {} };
void top(int a[16]) {
  Derived d(4);
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
    a[i] += d.size + d.step;
  }
}
"""
    figures = pipeline(text).figures
    assert [loop.ii for loop in figures.loops] == [1]
    assert [f.latency.max for f in figures.functions if f.name == "top"] == [None]


def test_an_array_type_of_a_class_or_of_an_alias_is_an_array() -> None:
    """Its 8 cells are registers, which move at once."""
    text = """\
struct eight { static const int n = 8; };
template <class C> struct Line {
  typedef float line[C::n];
  line buf;
  float push(float x) {
#pragma HLS ARRAY_PARTITION variable=buf complete
    for (int i = C::n - 1; i > 0; i--) buf[i] = buf[i - 1];
    buf[0] = x;
    return buf[C::n - 1];
  }
};
template <typename T, int N> using row = T[N];
void f(const row<float, 256> &a, row<float, 256> b) {
  static Line<eight> l;
  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
    b[i] = l.push(a[i]);
  }
}
"""
    loaded = good(text, "t.cpp")
    assert [named(loaded, n).dims for n in ("a", "b")] == [(256,), (256,)]
    assert [ii for ii, _ in intervals(text)] == [1]


METHODS = """class Lines {
 public:
  Lines();
  int get(int i) const;
  void put(int v[8]);
 private:
  int held[8];
};
Lines::Lines() {}
int Lines::get(int i) const { return held[i]; }
void Lines::put(int v[8]) {
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    this->held[i] = v[i];
  }
}
"""


@pytest.mark.parametrize("around", ("namespace a {", "namespace a::b {", "namespace {", 'extern "C" {'))
@pytest.mark.parametrize("template", (False, True))
def test_methods_stand_outside_of_their_class_in_a_namespace(around: str, template: bool) -> None:
    """Whether or not anything in the text makes an object."""
    text = METHODS
    if template:
        if around.startswith("extern"):
            return  # no template has C's names
        text = text.replace("class", "template <typename T> class").replace("int held", "T held")
        text = text.replace("void Lines::", "template <typename T> void Lines<T>::").replace(
            "int Lines::", "template <typename T> int Lines<T>::"
        )
        text = text.replace("\nLines::", "\ntemplate <typename T> Lines<T>::")
    text = f"{around}\n{text}}};\n"
    assert good(text, "t.cpp").holes == ()
    assert [ii for ii, _ in intervals(text)] == [1]


def test_an_object_of_a_namespace_is_one_of_the_file() -> None:
    """Its members begin as what the class says: ``get(3)`` is 4, also of one that a list of values sets."""
    text = "struct P { int w[4] = {1, 2, 3, 4}; int get(int i) const; };\nint P::get(int i) const { return w[i]; }\n"
    text = f"namespace a {{\n{text}P shared;\n}}\nint f(int i) {{ a::P p; return a::shared.get(i) + p.get(i); }}\n"
    loaded = good(text, "t.cpp")
    assert loaded.holes == () and named(loaded, "shared").storage == "global"


def test_widths_of_members_are_compared() -> None:
    text = """#include "ap_int.h"
struct Word {
  ap_uint<((4) > (8) ? (4) : (8))> low;
  ap_uint<(SIZE >> 1)> high;
  friend bool operator==(const Word &l, const Word &r) { return l.low == r.low && l.high == r.high; }
};
void f(Word x[64], Word y, int z[64]) {
LOOP:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    z[i] = x[i] == y ? 0 : x[i].low + x[i].high;
  }
}
"""
    written = intervals(text.replace("SIZE", "8"))
    assert written == intervals(text.replace("((4) > (8) ? (4) : (8))", "8").replace("(SIZE >> 1)", "4"))
    assert written[0][0] is not None
