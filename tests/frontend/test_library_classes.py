"""Classes that libraries give: words of streams, complex numbers, functors with members that are not read."""

from __future__ import annotations

import pytest
from frontend_help import LOOP, intervals

from hlspart.frontend import load
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline

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


def test_room_at_an_axis_port_is_not_known() -> None:
    """Reports of 2024.2: II 4 and 5 where a function asks axis ports for room; a channel or FIFO port has II 1."""
    text = "#include <hls_stream.h>\nvoid top(hls::stream<int> &in, hls::stream<int> &out) {\n"
    text += "#pragma HLS INTERFACE MODE port=out\n"
    body = LOOP.replace("STATEMENT", "if (!in.empty() && !out.full()) out.write(in.read() + 1);") + "}\n"
    found = [intervals(text.replace("MODE", mode) + body)[0][0] for mode in ("ap_fifo", "axis")]
    assert found == [1, None]


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


@pytest.mark.parametrize(("own", "calls"), [("", 2), ("int operator()(int a, int b) const { return a; }", 0)])
def test_a_template_of_calls_is_named_where_it_alone_is_meant(own: str, calls: int) -> None:
    text = f"""struct Max {{ {own}
  template <typename T> T operator()(T a, T b) const {{ return a > b ? a : b; }} }};
template <typename T> struct After {{ T kept; T get() const {{ return kept; }} }};
void top(int a[64], float b[64], int o[64]) {{ Max m; After<int> r = {{4}};"""
    text += LOOP.replace("STATEMENT", "o[i] = m(a[i], a[i + 1]) + (int)m(b[i], b[i + 1]) + r.get();") + "}\n"
    loaded = load(["t.cpp"], FrontendOptions(), read=lambda _: text.encode())
    assert (loaded.holes == () and "After<int>::get" in loaded.functions) or "After::get" in loaded.functions
    assert sum("operator()_Max" in name for name in loaded.functions) == calls


@pytest.mark.parametrize(
    ("before", "statement", "interval"),
    [
        ("row_t &r = t[1]; ", "o[i] = r[i] + r[63 - i] + t[1][i + 7];", 2),  # three reads of a memory of two ports
        ("row_t &r = t[1]; const row_t &same = r; ", "o[i] = same[i] + r[63 - i] + t[1][i + 7];", 2),
        ("S s; S &same = s; ", "same.m[i] = i; o[i] = s.m[63 - i] + same.m[62 - i];", 2),
        ("int k = 1; row_t &c = t[k]; k = 0; ", "o[i] = c[i] + c[i + 9] + t[1][i + 7] + t[1][63 - i];", 2),
        ("S s; S &other = i < 3 ? s : s2; ", "o[i] = other.m[i];", None),
        ("row_t &r = pick(t); ", "o[i] = r[i];", None),
    ],
)
def test_a_reference_is_another_name_of_a_memory(before: str, statement: str, interval: int | None) -> None:
    text = "typedef int row_t[64]; struct S { int m[64]; }; row_t &pick(int (&t)[2][64]);\n"
    text += "void top(int o[64], int i) { int t[2][64]; S s2; " + before
    assert intervals(text + LOOP.replace("STATEMENT", statement) + "}\n")[0][0] == interval


def test_methods_of_arrays_with_values() -> None:
    text = "#include <array>\nusing Row = std::array<int, 32>;\n"
    text += "void top(int o[64], int i) { Row t; for (auto &x : t) x = i; "
    text += "for (unsigned k = 0; k < t.size(); k++) o[k] = t[k];"
    body = "o[i] = t.at(i) + t.front() + t.back() + t.at(31 - i);"
    loops = intervals(text + LOOP.replace("STATEMENT", body) + "}\n")
    assert [x for x, _ in loops] == [1, 1, 1]


SLICES = """#include <ap_int.h>
template <typename T, unsigned W = T::width> struct Slice {
  static unsigned const width = W;
  template <typename V> class Held {
    V m_val;
   public:
    Held() {}
    Held(V const &val) : m_val(val) {}
    auto operator()(unsigned const i, unsigned const j, bool const k) const -> decltype(m_val(W, 0)) {
      return m_val((i + 1) * W - 1, i * W);
    }
    operator V const &() const { return m_val; }
  };
  template <typename V> Held<V> operator()(V const &val) const { return Held<V>(val); }
  template <typename V> Held<V> operator()() const { return Held<V>(); }
};
template <typename S, typename V> void add(V const &from, V &to) {
  auto out = S().template operator()<V>();
  for (int p = 0; p < 4; p++) out(p, 0, 1) = from((p + 1) * S::width - 1, p * S::width) + 1;
  to = out;
}
"""


def test_bits_of_what_a_class_in_a_class_holds() -> None:
    """Two instances of a template, each with one of its own, cost what bits of a plain number cost."""

    def figures(body: str) -> list[tuple[object, ...]]:
        text = SLICES + "void top(ap_uint<32> a[64], ap_uint<2 * (15 + 1)> b[64], ap_uint<64> c[64]) {\n"
        text += LOOP.replace("STATEMENT", body) + "}\n"
        pipeline = Pipeline(["t.cpp"], Options(), read=lambda _: text.encode())
        return [(x.ii, x.depth, x.cause) for x in pipeline.figures.loops if x.function == "top" and x.pipelined]

    called = "ap_uint<32> x; add<Slice<ap_uint<8> > >(b[i], x); a[i] = x; "
    called += "ap_uint<64> y; add<Slice<ap_int<16> > >(c[i], y); c[i] = y;"
    plain = "ap_uint<32> d = b[i], e; for (int p = 0; p < 4; p++) e(8 * p + 7, 8 * p) = d(8 * p + 7, 8 * p) + 1; "
    plain += "a[i] = e; ap_uint<64> f = c[i], g; for (int p = 0; p < 4; p++) "
    plain += "g(16 * p + 15, 16 * p) = f(16 * p + 15, 16 * p) + 1; c[i] = g;"
    assert figures(called) == figures(plain)
    assert [x[0] for x in figures(called)] == [1]


@pytest.mark.parametrize("space", ["dsp48e1", "dsp48e2", "dsp58"])
def test_blocks_only_delay(space: str) -> None:
    """What they compute costs no II unless a recurrence goes through one; how long they take is not known."""
    text = f"#include <hls_dsp_builtins.h>\nusing namespace hls::{space};\n"
    text += "void top(int a[64], int b[64], long o[64], long s) { cascade<REG_A1 | REG_P> block; cascade<REG_M> next;\n"
    body = "R_t x = block.mul_add(a[i], b[i], 5), y = next.mul_add(a[i], 3, x.pcout); o[i] = y.pcout;"
    carried = "s = mul_add<REG_P>(a[i], b[i], s); o[i] = s;"
    figures = []
    for statement in (body, carried):
        made = (text + LOOP.replace("STATEMENT", statement) + "}\n").encode()
        figures += Pipeline(["t.cpp"], Options(), read=lambda _, made=made: made).figures.loops
    assert (figures[0].ii, figures[0].depth, figures[0].cause) == (1, None, None)
    assert figures[1].ii is None
