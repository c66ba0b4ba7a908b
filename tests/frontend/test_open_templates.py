"""Templates that nothing instantiates: an II is given where every instance has it."""

from __future__ import annotations

import time
from itertools import product

import pytest

from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline

TEXT = """#include <hls_stream.h>
#include <ap_int.h>
template <typename T, int N> void copy(hls::stream<T> &in, hls::stream<T> &out) {
COPY:
  for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
    out.write(in.read());
  }
}
template <typename T, int N> void buffered(hls::stream<T> &in, hls::stream<T> &out) {
  T buf[N];
FILL:
  for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
    buf[i] = in.read();
  }
DRAIN:
  for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
    out.write(buf[i] * (T)3 + buf[i]);
  }
AHEAD:
  for (int i = 0; i + 3 < N; i++) {
#pragma HLS PIPELINE II=1
    out.write(buf[i] + buf[i + 1] + buf[i + 2] + buf[i + 3]);
  }
}
template <typename T, int N> void sum(T a[128], T r[1]) {
  T s = 0;
SUM:
  for (int i = 0; i < 128; i++) {
#pragma HLS PIPELINE II=1
    s += a[i];
  }
  r[0] = s;
}
template <typename T, int N> void shifted(T a[512], T b[512]) {
SHIFTED:
  for (int i = N; i < 256; i++) {
#pragma HLS PIPELINE II=1
    a[i] = a[i - N] + b[i];
  }
UNROLLED:
  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
    for (int j = 0; j < N; j++)
      b[i + j] = a[i + j];
  }
BRANCHES:
  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
    if (N > 4)
      b[i] = a[i] + a[i + 1] + a[i + 2];
    else
      b[i] = a[i];
  }
}
template <typename T, int N> class Element {
  T kept[N];

public:
  void run(hls::stream<T> &in, hls::stream<T> &out) {
RUN:
    for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
      kept[i] = in.read();
      out.write(kept[i]);
    }
  }
};
"""
USES = """void top(hls::stream<TYPE> &a, hls::stream<TYPE> &b, hls::stream<TYPE> &c, TYPE x[512], TYPE y[512]) {
  copy<TYPE, COUNT>(a, b);
  buffered<TYPE, COUNT>(a, b);
  sum<TYPE, COUNT>(x, y);
  shifted<TYPE, COUNT>(x, y);
  Element<TYPE, COUNT> e;
  e.run(a, c);
}
"""


def _loops(text: str) -> dict[str, int | None]:
    figures = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures
    return {x.name: x.ii for x in figures.loops if x.pipelined}


def test_a_number_is_that_of_every_instance() -> None:
    found = _loops(TEXT)
    known = {name for name, ii in found.items() if ii is not None}
    assert {"COPY", "FILL", "DRAIN", "RUN"} <= known
    assert not known & {"SUM", "SHIFTED", "UNROLLED", "AHEAD", "BRANCHES"}
    for type_, count in product(("int", "float", "ap_int<40>"), (2, 64)):
        instance = _loops(TEXT + USES.replace("TYPE", type_).replace("COUNT", str(count)))
        assert instance.keys() == found.keys()
        wrong = {n: (found[n], instance[n]) for n in known if instance[n] not in (found[n], None)}
        assert not wrong, (type_, count, wrong)


def test_what_differs_between_instances_is_no_number() -> None:
    figures = Pipeline(["t.cpp"], Options(), lambda _: TEXT.encode()).figures
    assert all(f.latency.min is None and f.resources.ff is None for f in figures.functions)
    causes = {x.name: x.cause or "" for x in figures.loops}
    assert "a type that nothing here says" in causes["SUM"]
    assert "nothing here says: the extents of buf" in causes["AHEAD"]
    assert "bounds are not constant" in causes["UNROLLED"]


def test_defaults_make_an_instance() -> None:
    text = TEXT.replace("template <typename T, int N> void sum", "template <typename T = float, int N = 8> void sum")
    given = _loops(TEXT + "void top(float x[128], float y[1]) { sum<float, 8>(x, y); }\n")["SUM"]
    assert _loops(text)["SUM"] == given and given is not None and given > 1


def test_specialisations_are_read_without_a_use() -> None:
    head, own = (
        "template <typename T, int N> void sum(T a[128], T r[1])",
        "template <int N> void sum(int a[128], int r[1])",
    )
    text = TEXT.replace(head, own).replace("  T s = 0;", "  int s = 0;")
    text += "template <> void sum<3>(int a[128], int r[1]) {\nTHREE:\n  for (int i = 0; i < 128; i++) {\n"
    text += "#pragma HLS PIPELINE II=1\n    r[0] += a[i];\n  }\n}\n"
    found = _loops(text)
    assert found["THREE"] == 1 and found["SUM"] == 1


def test_instances_asked_for_win() -> None:
    options = Options(frontend=FrontendOptions(instantiate=("shifted<int, 7>",)))
    loops = Pipeline(["t.cpp"], options, lambda _: TEXT.encode()).figures.loops
    assert next(x.ii for x in loops if x.name == "UNROLLED") is not None


BUILD = """#include <hls_stream.h>
void top(hls::stream<int> &in, hls::stream<int> &out, int a[512], float x[128], float r[1]) {
COPY:
  for (int i = 0; i < COUNT; i++) {
#pragma HLS PIPELINE II=1
    out.write(in.read() * SCALE);
  }
SUM:
  for (int i = 0; i < 128; i++) {
#pragma HLS PIPELINE II=1
    r[0] += x[i] * SCALE;
  }
TOTAL: {
  int s = 0;
  EACH:
  for (int i = 0; i < 128; i++) {
#pragma HLS PIPELINE II=1
    s += SCALE;
  }
  a[0] = s; }
SHIFTED:
  for (int i = COUNT; i < 256; i++) {
#pragma HLS PIPELINE II=1
    a[i] = a[i - COUNT] + 1;
  }
UNROLLED:
  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
    for (int j = 0; j < COUNT; j++)
      out.write(a[i + j]);
  }
}
"""


def test_a_name_that_only_a_build_gives_is_a_constant_that_nobody_knows() -> None:
    found = _loops(BUILD)
    known = {name for name, ii in found.items() if ii is not None}
    assert "COPY" in known and not known & {"EACH", "SHIFTED", "UNROLLED"}
    for scale, count in product(("3", "0.5", "2.5f"), (2, 64)):
        options = Options(frontend=FrontendOptions(defines=(f"SCALE={scale}", f"COUNT={count}")))
        loops = Pipeline(["t.cpp"], options, lambda _: BUILD.encode()).figures.loops
        given = {x.name: x.ii for x in loops if x.pipelined}
        wrong = {n: (found[n], given[n]) for n in known if given[n] not in (found[n], None)}
        assert given["COPY"] == 1 and not wrong, (scale, count, wrong)
    said = Pipeline(["t.cpp"], Options(), lambda _: BUILD.encode()).program.diagnostics
    assert [d.message.split("'")[1] for d in said] == ["COUNT", "SCALE"]


@pytest.mark.parametrize(
    "use", ["NAME(i)", "NAME[i]", "(NAME += 1)", "*NAME", "NAME.x", "NAME->x", "*&NAME", "NAME++", "(NAME *)a + i"]
)
def test_a_name_that_may_be_more_than_a_constant_is_not_taken_for_one(use: str) -> None:
    text = f"""void top(int a[64], int b[64]) {{
LOOP:
  for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
    b[i] = a[i] + NAME;
    a[i] = (int)({use});
  }}
}}
"""
    assert _loops(text)["LOOP"] is None


def test_types_that_nothing_declares_are_open() -> None:
    text = BUILD.replace("stream<int>", "stream<word_t>").replace("int s = 0", "word_t s = 0")
    found = _loops(text.replace("* SCALE", "").replace("SCALE", "s"))
    assert found["COPY"] == 1 and found["EACH"] is None


PACKS = """#include <hls_stream.h>
template <typename T> constexpr T product(T arg) { return arg; }
template <typename T, typename... Args> constexpr T product(T arg, Args... args) { return arg * product(args...); }
template <const int... dims> struct shape_of {
  static constexpr int rank = sizeof...(dims);
  static constexpr int N = product(dims...);
};
template <const int... dims> using shape = shape_of<dims...>;
template <int... Is> struct Sum;
template <> struct Sum<> { static constexpr int value = 0; };
template <int I, int... Is> struct Sum<I, Is...> { static constexpr int value = I + Sum<Is...>::value; };
template <typename T, int... Is> class Stage {
 public:
  T shift(T const &e) { return e; }
};
template <typename T, int P, int I, int... Is> class Stage<T, P, I, Is...> {
 public:
  T shift(T const &e) {
    const T next = rest.shift(e);
    const T out = own;
    own = next;
    return out;
  }
 private:
  Stage<T, I, Is...> rest;
  T own;
};
int add() { return 0; }
template <typename... Ts> int add(int first, Ts... rest) { return first + add(rest...); }
template <typename... Ts> constexpr int folded(Ts... v) { return (v - ...); }
template <typename... Ts> constexpr int last(Ts... v) { return (... - v); }
template <typename... Ts> int sum(Ts... v) { return (v + ...); }
void top(int a[24], int b[24], hls::stream<int> &in, hls::stream<int> &out) {
  for (int i = 0; i < shape<2, 3, 4>::N; i++) {
#pragma HLS PIPELINE
    b[i] = a[i] + shape<2, 3, 4>::rank;
  }
  Stage<int, -1, 0, 3, 4> s;
  for (int i = 0; i < Sum<1, 2, 3>::value; i++) {
#pragma HLS PIPELINE
    out.write(s.shift(in.read()));
  }
  for (int i = 0; i < 9; i++) {
#pragma HLS PIPELINE
    b[i] = add(a[i], i, 3);
  }
  for (int i = 0; i < 7; i++) {
#pragma HLS PIPELINE
    b[i] = add(a[i], a[i + 1], a[i + 2], a[i + 3]);
  }
  for (int i = 0; i < folded(10, 4, 3) + last(10, 4, 3); i++) {
#pragma HLS PIPELINE
    b[i] = sum(a[i], i, 5);
  }
}
"""


def test_packs_are_written_out() -> None:
    pipeline = Pipeline(["t.cpp"], Options(), lambda _: PACKS.encode())
    assert not pipeline.program.holes
    loops = [(x.trip_count.max, x.ii) for x in pipeline.figures.loops if x.pipelined]
    assert loops == [(24, 1), (6, 1), (9, 1), (7, 2), (12, 1)]


BITS = """#include <ap_int.h>
union word { unsigned i; float f; };
void top(unsigned a[64], float b[64], float c[64]) {
  float s = 0, t = 0;
UNION:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    word w;
    w.f = s;
    w.i = w.i + a[i];
    s = w.f * 2.0f;
  }
PLAIN:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    t = t * 2.0f;
  }
POINTER:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    ap_uint<32> v = a[i];
    float f = *reinterpret_cast<float *>(&v);
    ap_uint<32> u = *(ap_uint<32> *)&f;
    b[i] = reinterpret_cast<float &>(u);
  }
  b[0] = s;
  c[0] = t;
}
"""


def test_bits_as_another_type_cost_nothing_and_lose_nothing() -> None:
    loops = {x.name: x for x in Pipeline(["t.cpp"], Options(), lambda _: BITS.encode()).figures.loops}
    assert loops["POINTER"].ii == 1 and loops["POINTER"].depth == 2  # a load and a store, no conversion
    union, plain = loops["UNION"], loops["PLAIN"]
    assert plain.ii is not None and union.ii is not None and union.ii >= plain.ii
    assert union.depth is not None and plain.depth is not None and union.depth > plain.depth
    assert any("line 10" in str(w) or "10" in str(w) for w in union.cycle)  # the sum of the bits is on the recurrence


FLAG = """#include <tapa.h>
void top(tapa::istream<int> &in, int o[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    bool ok = false;
    int x = in.read(ok);
    if (ok) o[i] = x;
  }
}
"""


def test_a_word_and_whether_there_was_one() -> None:
    (loop,) = Pipeline(["t.cpp"], Options(), lambda _: FLAG.encode()).figures.loops
    assert loop.ii == 1
    late = FLAG.replace("o[i] = x", "o[i] = x + in.read()")
    (loop,) = Pipeline(["t.cpp"], Options(), lambda _: late.encode()).figures.loops
    assert loop.ii == 2


DERIVED = """#include <ap_int.h>
template <int N> class Base {
 public:
  enum Widths { kBits = N + 3 };
};
template <int N> class Word : public Base<N> {
 public:
  typedef ap_uint<Base<N>::kBits> Bits;
  Word(const Bits &b) : bits_(b) {}
  template <unsigned char K> Bits shifted() const { return bits_ >> K; }
  Bits raw() const { return bits_; }
 private:
  Bits bits_;
};
"""
USER = """#include "word.h"
typedef Word<5> W;
void top(const W::Bits a[32], W::Bits (&o)[32]) {
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
    W w(a[i]);
    o[i] = w.raw() + 1;
  }
}
"""


def test_member_templates_of_a_derived_class_in_a_header_leave_it() -> None:
    files = {"t.cpp": USER, "word.h": DERIVED}
    pipeline = Pipeline(["t.cpp"], Options(), lambda path: files[path].encode())
    assert [x.ii for x in pipeline.figures.loops] == [1]
    assert {v.name: v.type for v in pipeline.program.variables}["a"].element.bits == 8  # type: ignore[union-attr]


DEPENDENT = """template <class D, class R, typename C>
void dense(D data[C::n_in], R res[C::n_out], typename C::weight_t w[C::n_in * C::n_out]) {
  typename C::accum_t acc[C::n_out];
#pragma HLS ARRAY_PARTITION variable=acc complete
PRODUCT:
  for (int i = 0; i < C::n_in; i++) {
#pragma HLS PIPELINE II=1
    acc[0] += static_cast<typename C::accum_t>(C::template product<D, typename C::weight_t>::product(data[i], w[i]));
  }
OUT:
  for (int i = 0; i < C::n_out; i++) {
#pragma HLS PIPELINE II=1
    res[i] = acc[i];
  }
}
"""


def test_names_of_a_type_that_is_a_parameter() -> None:
    pipeline = Pipeline(["t.h"], Options(), lambda _: DEPENDENT.encode())
    assert not pipeline.program.holes and not [d for d in pipeline.program.diagnostics if d.severity == "error"]
    (said,) = [p for p in pipeline.validation.statuses if p.reason]
    assert said.status == "applied" and "'acc'" in (said.reason or "")
    found = {x.name: x.ii for x in pipeline.figures.loops if x.pipelined}
    assert found == {"PRODUCT": None, "OUT": 1}


def test_a_constant_of_a_type_of_a_parameter_is_a_value_where_it_is_handed_on() -> None:
    """The ``typename`` of the argument is none of what the called template says of its own parameter."""
    text = """\
template <typename C> void copy(const int a[C::n], int o[C::n]) {
  for (int i = 0; i < C::n; i++) {
#pragma HLS PIPELINE II=1
    o[i] = a[i];
  }
}
template <typename C> void twice(const int a[64], int o[64]) { copy<typename C::inner>(a, o); }
"""
    pipeline = Pipeline(["t.h"], Options(frontend=FrontendOptions(language="c++")), lambda _: text.encode())
    assert not pipeline.program.holes and not pipeline.program.diagnostics
    assert [x.ii for x in pipeline.figures.loops if x.pipelined] == [1]


def test_a_class_that_is_its_own_base_by_its_defaults_comes_to_an_end() -> None:
    text = """#include <hls_stream.h>
template <typename T, unsigned depth = 0> class Stream;
template <typename T> class Stream<T, 0> {
 public:
  T pop() { return stream_.read(); }
 protected:
  hls::stream<T> stream_;
};
template <typename T, unsigned depth> class Stream : public Stream<T, 0> {
 public:
  void drain(T out[64]) {
    for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
      out[i] = this->pop();
    }
  }
};
"""
    program = Pipeline(["t.h"], Options(), lambda _: text.encode()).program
    assert program.units[0].error is None and any(f.startswith("Stream") for f in program.functions)


PART = """void part(int in[512], int out[64], int i) {
#pragma HLS inline
  int w[128];
  for (int k = 0; k < 8; k++) {
#pragma HLS unroll
    w[i + k] = in[8 * i + k];
  }
  out[i] = w[i];
}
HEAD void f(int in[512], int out[64]) {
  int rest[EXTENT];
  rest[0] = in[0];
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline
    part(in, out, i);
  }
  out[0] += rest[0];
}
"""


def test_arrays_of_expanded_calls_and_banks_that_nobody_knows() -> None:
    def figures(head: str, extent: str) -> tuple[int | None, dict[str, int | None]]:
        text = PART.replace("HEAD", head).replace("EXTENT", extent)
        found = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).ii
        return found.loops[-1].ii, {a.name: a.banks for a in found.arrays}

    ii, banks = figures("template <int N>", "N")
    assert (ii, banks) == (figures("", "2")[0], {**figures("", "2")[1], "rest": None})
    assert ii is not None


PRAGMAS = """
template <int P> void g(int a[64]) {
  const int half = P / 2;
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=VALUE
  for (int i = 0; i < 64; i++) a[i] = i;
}
template <int P> struct C {
  static const int half = P / 2;
  int c[64];
  void h(int a[64]) {
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=VALUE
    for (int i = 0; i < 64; i++) a[i] = i;
  }
};
"""


@pytest.mark.parametrize(("value", "code"), [("P", "value-unknown"), ("half", "value-unknown"), ("abc", "bad-value")])
def test_a_parameter_is_a_value_that_instances_have_and_another_name_is_none(value: str, code: str) -> None:
    found = Pipeline(["t.cpp"], Options(), lambda _: PRAGMAS.replace("VALUE", value).encode()).validation
    assert [s.code for s in found.statuses] == [code, code]


MISSING = """#include "not_there.h"
#include <ap_int.h>
using far::Queue;
void top(Queue<int> &q, Pair<int, 4> p, ap_uint<WIDE> tab[64], const ap_fixed<WIDE, 4> &s, int in[64], int out[64]) {
  float x[64];
PLAIN:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    x[i] = in[i] * 2;
  }
WIDTHS:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    out[i] = tab[i];
  }
CARRIED:
  for (int i = 1; i < 64; i++) {
#pragma HLS PIPELINE
    tab[i] = tab[i - 1] * tab[i - 1];
  }
QUEUE:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    q.write(in[i]);
  }
}
"""


def test_a_template_that_nothing_declares_costs_the_loops_that_touch_it() -> None:
    """As a width of a build does: of it only what carries a value to the next iteration depends."""
    figures = Pipeline(["t.cpp"], Options(), read=lambda path: _only(path, MISSING)).figures
    assert {x.name: x.ii for x in figures.loops} == {"PLAIN": 1, "WIDTHS": 1, "CARRIED": None, "QUEUE": None}


def _only(path: str, text: str) -> bytes:
    if path != "t.cpp":
        raise FileNotFoundError(path)
    return text.encode()


def test_streams_of_two_unknown_extents_are_not_counted_one_by_one() -> None:
    text = """#include <hls_stream.h>
template <int R, int C> void send(hls::stream<int> out[R][C], int n) {
L: for (int i = 0; i < n; i++)
    for (int r = 0; r < R; r++)
      for (int c = 0; c < C; c++) {
#pragma HLS PIPELINE II=1
        out[r][c].write(i);
      }
}
"""
    started = time.process_time()
    assert {x.name for x in Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures.loops} >= {"L"}
    assert time.process_time() - started < 3


def test_extents_by_constants_of_open_parameters_are_unknown_and_no_fault() -> None:
    text = """
template <typename T, int W> struct Half {
  static T f(T const (&arr)[W]) {
    static constexpr int half = W / 2;
    static constexpr int size = half + W % 2;
    T reduced[size];
    for (int i = 0; i < half; ++i) reduced[i] = arr[i * 2] + arr[i * 2 + 1];
    return reduced[0];
  }
};
int sum(int const (&a)[8], int const &b) { return Half<int, 8>::f(a) + b; }
"""
    program = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).program
    assert not program.diagnostics
    assert next(v for v in program.arrays() if v.name == "reduced").dims == (4,)
    alone = Pipeline(["t.cpp"], Options(), lambda _: text[: text.index("int sum")].encode()).program
    assert not alone.diagnostics


def test_what_is_not_read_of_an_open_template_is_no_error_of_syntax() -> None:
    text = """template <unsigned N, typename A, typename B, typename F = other::made<A, B>> class Op {
 public:
  B table[N];
  B act(unsigned k, A const &in) const { B made = F()(table[k], in); return made; }
};
"""
    options = Options(frontend=FrontendOptions(language="c++"))
    (found,) = Pipeline(["t.h"], options, read=lambda path: text.encode()).program.diagnostics
    message = "not read: a construct that is not supported near 'A (a type without an instance)'"
    assert (found.rule, found.message, found.place.line) == ("HLP003", message, 4)
