"""What lint tells of a file that cannot be read, or that is for another tool."""

from __future__ import annotations

from lint_helpers import lint_of

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline


def found(path: str, text: str) -> list[tuple[str, int]]:
    return sorted((d.rule, d.place.line) for d in lint_of({path: text}).diagnostics if d.severity != "info")


def test_a_misspelt_pragma_is_told_beside_a_syntax_error() -> None:
    text = """void f(int a[8], int n) {
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPLINE II=1
#pragma HLS ARRAY_PARTITION variable=lost factor=n cyclic
#pragma HLS UNROLL factor=2
    a[i] = i
  }
}
"""
    assert found("k.c", text) == [("HLP002", 7), ("HLP101", 3)]
    assert found("k.cpp", text.replace("  }\n", "")) == [("HLP002", 1), ("HLP101", 3)]


def test_pipeline_and_dataflow_are_directives_of_bambu_too() -> None:
    text = """#pragma HLS interface port=a mode=m_axi offset=direct bundle=g0
{}void f(int *a) {{
  for (int i = 0; i < 64; i++) {{
#pragma HLS pipeline II=1
    a[i] = a[i] + 1;
  }}
}}
"""
    assert [rule for rule, _ in found("k.c", text.format(""))] == ["HLP107"]
    assert [rule for rule, _ in found("k.c", text.format("#pragma HLS_interface a m_axi direct\n"))] == ["HLP107"]
    vitis = text.format("").replace("pipeline II=1", "interface port=a mode=m_axi")
    assert "HLP107" not in [rule for rule, _ in found("k.c", vitis)]


def test_a_cast_as_initial_value_is_none_of_a_parameter() -> None:
    text = """template <typename T> struct vec3 {{ T x, y, z; vec3(T v) : x(v), y(v), z(v) {{}} }};
void f(const float a[8], float *r) {{
  const vec3<float> c({});
  float s = c.x;
  for (int i = 0; i < 8; i++) s += a[i];
  *r = s;
}}
"""
    assert all(found("k.cpp", text.format(value)) == [] for value in ("float(0.5)", "float(a[0] + 1)", "0.5f"))


def test_interfaces_of_a_broken_file_are_not_for_another_tool() -> None:
    text = """void f(int a[8], int *s) {
#pragma HLS INTERFACE mode=s_axilite port=return
#pragma HLS INTERFACE mode=s_axilite port=s
  for (int i = 0; i < 8; i++) { *s += a[i];
}
"""
    assert [rule for rule, _ in found("k.c", text)] == ["HLP002"]


def test_values_of_a_file_that_is_missing_give_no_extent() -> None:
    text = """void f(int b[8]) {
  static int t[] = {
%s
  };
  for (int i = 0; i < 8; i++) b[i] = t[i];
}
"""
    assert found("k.c", text % '#include "values.inc"') == []
    assert found("k.c", text % "1, 2, 3") == [("HLP210", 5)]


CLASSES = """template <typename T, unsigned N> struct Row {
  T data[N];
  T &operator[](unsigned at) {
#pragma HLS INLINE
#pragma HLS ARRAY_PARTITION variable=data cyclic factor=N/2
    return data[at];
  }
  Row &operator=(const Row &other) {
    for (unsigned i = 0; i < N; i++) {
#pragma HLS UNROLL factor=N
MISTAKES      data[i] = other[i];
    }
    return *this;
  }
};
template <class C> class Kernel { public: static void run(int a[C::n]) {} };
template <class C> class Latency : public Kernel<C> {
 public:
  static void run(int a[C::n], typename C::w w[C::n]) {
    int t[C::n];
MISTAKES    for (int i = 0; i < C::n; i++) t[i] = a[i];
  }
};
"""
MISTAKES = """#pragma HLS PIPLINE
#pragma HLS ARRAY_PARTITON variable=data
#pragma HLS ARRAY_PARTITION variable=data cyclic factor=abc
"""


def test_pragmas_of_class_templates_without_an_instance_are_looked_at() -> None:
    assert found("k.h", CLASSES.replace("MISTAKES", "")) == []
    text = CLASSES.replace("MISTAKES", MISTAKES)
    lines = [k for k, line in enumerate(text.split("\n"), 1) if line in MISTAKES.split("\n") and line]
    told = found("k.h", text)
    assert sorted({line for _, line in told}) == lines
    assert {rule for rule, _ in told} >= {"HLP101", "HLP104"}
    assert found("k.h", "#include <mutex>\n" + text) == [(rule, line + 1) for rule, line in told]
    assert "HLP104" not in {rule for rule, _ in found("k.h", '#include "lost.h"\n' + text)}


def test_headers_of_macros_and_of_other_headers_are_no_mistakes() -> None:
    files = {
        "macros.h": "#define WORDS(x) #x\n#define TAKE(v) _Pragma(WORDS(HLS RESOURCE variable=v core=RAM))\n",
        "all.h": '#include "row.hpp"\n#include "macros.h"\n',
        "row.hpp": CLASSES.replace("MISTAKES", ""),
    }
    for name in files:
        told = Pipeline([name], Options(), lambda path: files[path].encode()).lint(None).diagnostics
        assert {d.severity for d in told} <= {"info"}, name
    assert [d.rule for d in lint_of({"none.c": "/* nothing */\n"}).diagnostics] == ["HLP001"]


def test_a_header_of_a_file_for_catapult_is_for_catapult_too() -> None:
    header = "void g(int *a) {\n#pragma hls_unroll yes\n  for (int i = 0; i < 8; i++) a[i] = i;\n}\n"
    kernel = '#include "g.h"\n#pragma hls_design top\nvoid f(int a[8]) { g(a); }\n'
    report = lint_of({"k.cpp": kernel, "g.h": header})
    assert {(d.rule, d.place.path) for d in report.diagnostics if d.severity != "info"} <= {
        ("HLP107", "k.cpp"),
        ("HLP107", "g.h"),
    }


def test_a_call_of_a_template_that_is_not_found_compares_nothing() -> None:
    text = "void f(const int a[8], int b[8]) {\n  b[0] = shift<-3>(a[1]) - shift<-2>(a[3]);\n}\n"
    assert "HLP450" not in {d.rule for d in lint_of({"k.cpp": text}).diagnostics}
    chain = text.replace("shift<-3>(a[1]) - shift<-2>(a[3])", "1 < a[2] < a[1]")
    assert "HLP450" in {d.rule for d in lint_of({"k.cpp": chain}).diagnostics}
