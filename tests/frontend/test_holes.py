"""What cannot be read is a hole: everything around it gets its answers, and nothing claims to know what it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from frontend_help import good, named, program, refs

from hlspart.cli.app import run
from hlspart.frontend.holes import in_braces_of_loops
from hlspart.frontend.outline import Outline
from hlspart.frontend.parse import brackets
from hlspart.frontend.tokens import lex_line
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions, Options
from hlspart.pipeline import Pipeline

FILE = """\
template <typename T, int N>
class Buffer {
  T data[N];
 public:
  virtual void run(T *x) {
#pragma HLS PIPLINE
#pragma HLS ARRAY_PARTITON variable=data complete
#pragma HLS ARRAY_PARTITION variable=data cyclic factor=N
#pragma HLS ARRAY_PARTITION variable=data cyclic factor=abc
#pragma HLS ARRAY_PARTITION variable=dada cyclic factor=2
    for (int i = 0; i < N; i++) {
#pragma HLS UNROLL
      x[i] = data[i];
    }
#pragma HLS UNROLL factor=2
  }
};
int plain(int A[64]) {
  int s = 0;
PLAIN:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    s += A[i] + A[(i + 1) % 64] + A[(i + 2) % 64];
  }
  return s;
}
int top(int A[64], int k) {
  int s = 0, z = 0;
BEFORE:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    s += A[i];
  }
  auto f = [&](auto x) { z = 3; return x + s; };
TOUCHES:
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    Buffer<int, 4> b;
    b.run(A);
    k += sizeof(b);
  }
  for (int x : {1, 2}) {
#pragma HLS PIPELINE
#pragma HLS PIPLINE
    if (x) return 1;
    s += x;
  }
  return s;
}
"""


def _pipeline(text: str, path: str = "t.cpp") -> Pipeline:
    def read(name: str) -> bytes:
        if name != path:
            raise FileNotFoundError(name)
        return text.encode()

    return Pipeline([path], Options(), read)


def test_loops_outside_of_holes_get_their_answers() -> None:
    text = FILE.replace("    if (x) return 1;\n", "")
    loops = {x.name: x for x in _pipeline(text).figures.loops}
    assert set(loops) == {"PLAIN", "BEFORE", "TOUCHES"}
    assert (loops["PLAIN"].ii, loops["BEFORE"].ii, loops["TOUCHES"].ii) == (2, 1, None)
    assert "of Buffer<int, 4>, not read: C++ construct not supported: virtual in a class" in (
        loops["TOUCHES"].cause or ""
    )


def test_each_hole_has_its_place_and_cause() -> None:
    found = [str(d) for d in good(FILE, "t.cpp").diagnostics]
    assert found == [
        "t.cpp:5:3: error: C++ construct not supported: virtual in a class (lines 1 to 17 are a hole) [HLP003]",
        "t.cpp:34:12: error: C++ construct not supported: lambda (lines 28 to 48 are a hole) [HLP003]",
    ]  # control may leave the last loop, which nobody can tell from what the rest of the function does
    found = [str(d) for d in good(FILE.replace("    if (x) return 1;\n", ""), "t.cpp").diagnostics][1:]
    assert found == [
        "t.cpp:34:12: error: C++ construct not supported: lambda [HLP003]",
        "t.cpp:42:3: error: C++ construct not supported: range-based for (lines 42 to 46 are a hole) [HLP003]",
    ]


def test_a_hole_uses_all_that_it_mentions() -> None:
    loaded = good(
        "int A[8]; int g(int); int f(int n) { int s = 0; s = [&]() { return A[1] + g(n); }(); return s + A[n]; }",
        "t.cpp",
    )
    nodes = [e for s in ir.walk_statements(loaded.functions["f"].body) for x in ir.expressions(s) for e in ir.walk(x)]
    (hole,) = [e for e in nodes if isinstance(e, ir.OpaqueExpr)]
    assert hole.what == "not read: C++ construct not supported: lambda"
    assert loaded.text(hole.at) == "s = [&]() { return A[1] + g(n); }();"
    assert [loaded.text(e.at) for e in hole.children] == ["s", "A", "g", "n"]
    assert [loaded.text(r.at) for r in refs(loaded, "A")] == ["A[n]"]
    assert loaded.holes[0].names >= {"s", "A", "g", "n"}


def test_a_name_that_a_hole_declares_is_no_outer_one() -> None:
    loaded = good("int x[4]; int f() { auto x = [](int a) { return a; }; return x[1]; }", "t.cpp")
    assert not refs(loaded, "x") and named(loaded, "x").dims == (4,)


def test_pragmas_in_holes_are_read_as_tokens() -> None:
    others = ("unsupported-construct", "ports-limit-ii", "ii-unknown")
    found = [(d.place.line, d.name) for d in _pipeline(FILE).lint().diagnostics if d.name not in others]
    wanted = [
        (6, "unknown-pragma"), (7, "unknown-pragma"), (9, "bad-value"), (10, "unknown-variable"),
        (8, "unmodelled-directive"), (15, "misplaced-pragma"), (44, "unknown-pragma"),
    ]  # fmt: skip
    assert found == sorted(wanted)


def test_headers_alone_are_read_as_what_they_hold() -> None:
    loaded = good(FILE, "t.h")
    assert loaded.units[0].language == "c++" and "plain" in loaded.functions
    assert good("int f(int class) { return class; }", "t.h").units[0].language == "c"
    lacking = _pipeline('#include "a.h"\n#include "b.h"\n' + FILE, "t.hpp").lint()
    assert [d.name for d in lacking.diagnostics].count("missing-header") == 2
    assert not lacking.broken and not [d for d in lacking.diagnostics if d.name == "syntax-error"]


def test_c_keeps_its_faults_and_loses_only_what_is_not_supported() -> None:
    assert program("int f(int A[8]) { return A[0 }").units[0].error is not None
    assert program("int f() { return 1 +; } int g() { return 1; }").units[0].error is not None
    loaded = good("int f(int k) { __typeof__(k) s = k; return s; } int g() { return 1; }")
    assert set(loaded.functions) == {"f", "g"} and len(loaded.holes) == 1


def test_a_value_from_the_command_line_does_not_survive_a_hole_that_may_change_it() -> None:
    options = FrontendOptions(defines=("n=16",))
    text = "void f(int n) { int A[n]; n = [&]() { return n + 1; }(); A[0] = n; }"
    error = program(text, "t.cpp", options).units[0].error
    assert error is not None and "parameter that is changed here" in error.message


REGIONS = {
    "namespace n { int g(int a) { if (a) { @b(); } else c(); } }": ["function", "body", "statement", "statement"],
    "struct S { int x; int f() { for (;;) @g(); } } s;": ["class", "function", "body", "loop", "statement"],
    "template <int N, class T> struct S : B<N> { T f() const { return @x; } };": [
        "class",
        "function",
        "body",
        "statement",
    ],
    "int a[] = {1, @2}; int f() {}": ["declaration"],
    "X::X(int a) : b{a}, c(@a) { d(); }": ["function"],
    "X::X(int a) : b{a}, c(a) { @d(); }": ["function", "body", "statement"],
    "bool operator==(A a, B b) { return @a.x == b.x; }": ["function", "body", "statement"],
    'extern "C" { void f() { do { @x++; } while (x); } }': ["function", "body", "loop", "statement"],
    "void f() { auto g = [](int x) { return @x; }; }": ["function", "body", "statement"],
    "struct P f(struct P p) { L: switch (p.x) { case 1: @g(); } }": ["function", "body", "statement", "statement"],
}


@pytest.mark.parametrize("text", REGIONS, ids=range(len(REGIONS)))
def test_outline(text: str) -> None:
    before, after = text.split("@")
    tokens = lex_line(before + after, "t.cpp")
    at = next(i for i, t in enumerate(tokens) if t.start > len(before))
    assert [r.kind for r in Outline(tokens, brackets(tokens)).around(at)] == REGIONS[text]


def test_the_verdict_says_that_not_all_is_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A loop that reaches its target is not all of a text with a part that nobody has read."""
    good = "void f(int a[64]) {\n    L: for (int i = 0; i < 64; i++) {\n#pragma HLS PIPELINE II=1\n"
    good += "        a[i] = i;\n    }\n}\n"
    for number, (text, words) in enumerate(
        [
            (good, "the pipelined loop reaches its target II\n"),
            (
                good + "void g() { try { } catch (int) { } }\n",
                "target II, of what is read: 1 part of the text is not\n",
            ),
        ]
    ):
        path = tmp_path / f"k{number}.cpp"
        path.write_text(text)
        assert run(["ii", str(path)]) == number
        assert words in capfd.readouterr().out


def test_a_name_that_is_missing_is_one_finding() -> None:
    text = "int f(word a) { return a; }\nint g(word b) { return b; }\nint h(other c) { return c; }\n"
    loaded = good(text + "int k() { return 1; }\n", "t.cpp")
    assert [(d.place.line, d.severity) for d in loaded.diagnostics] == [(1, "error"), (3, "error")]
    assert not loaded.holes and set(loaded.functions) == set("fghk")


@pytest.mark.parametrize("path", ["t.c", "t.cpp"])
def test_what_is_behind_an_error_of_the_preprocessor_is_read(path: str) -> None:
    text = "#ifndef SIZE\n#error no SIZE\n#endif\nvoid f(int a[64]) {\n  LOOP: for (int i = 0; i < 64; i++) {\n"
    text += "#pragma HLS PIPELINE\n    a[i] = i;\n  }\n}\nvoid g(int a[64]) { a[0] = SIZE; }\n"
    found = _pipeline(text, path)
    assert found.program.units[0].error is None
    said = [(d.rule, d.severity, d.place.line) for d in found.program.diagnostics]
    assert said == [("HLP002", "error", 2), ("HLP003", "note", 10)]
    assert [(x.name, x.ii) for x in found.figures.loops] == [("LOOP", 1)]


def test_a_header_that_asks_for_the_other_language_is_read_as_that() -> None:
    text = "#ifndef __cplusplus\n#error C++ only\n#endif\nnamespace n { inline int f(int a) { return a; } }\n"
    found = _pipeline(text, "t.h").program
    assert found.units[0].language == "c++" and found.units[0].error is None and not found.diagnostics


def test_no_text_is_written_for_what_an_error_halts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from hlspart.cli.app import run

    source, new = tmp_path / "k.c", tmp_path / "new.c"
    body = "void f(int a[64], int b[64]) {\n  for (int i = 0; i < 62; i++) {\n#pragma HLS PIPELINE II=1\n"
    body += "    b[i] = a[i] + a[i + 1] + a[i + 2];\n  }\n}\n"
    for text, code in ((body, 0), ("#error no device\n" + body, 2)):
        source.write_text(text)
        new.unlink(missing_ok=True)
        assert run(["rewrite", str(source), "--infer", "-o", str(new)]) == code
        assert new.exists() == (code == 0)
    assert "k.c:1:1: error: #error no device" in capsys.readouterr().err
    assert run(["ii", str(source)]) == 1


def test_a_template_that_a_header_macro_begins_has_its_holes_at_its_own_place() -> None:
    text = """#include "m.h"
TEMPLATE(int) get(const int x) { typedef typename broken<W>::bits bits; bits y = x; return y; }
int top(int a[64]) { return get<1>(a[0]) + get<2>(a[1]); }
template <int W> struct broken { virtual void f(); typedef int bits; };
"""
    loaded = good(text, "t.cpp", m_h="#define TEMPLATE(T) template <int W> inline T\n")
    places = {(d.place.path, d.place.line) for d in loaded.diagnostics if "bits" in d.message}
    assert places == {("t.cpp", 2)} and "top" in loaded.functions


def test_a_directive_of_the_preprocessor_that_means_nothing_is_one_fault_in_cpp() -> None:
    text = """#define ON 0
#if not ON and (1 bitor 0)
int f(int a[8]) { return a[0]; }
#endif
#endif
#if 1 +
int bad(
#endif
#ifdef ON
int g(int a[8]) { return a[1]; }
"""
    loaded = good(text, "t.cpp")
    assert set(loaded.functions) == {"f", "g"}
    said = [(d.place.line, d.message) for d in loaded.diagnostics]
    assert said == [
        (5, "#endif without #if"),
        (6, "#if expression is not constant: expression ends early"),
        (9, "#if without #endif"),
    ]
    assert program(text.replace("not ON", "!ON").replace(" and ", "&&").replace("bitor", "|")).units[0].error


METHODS = """\
static int total[8];
struct Job {
  int a[8], n;
  int get(int i) const { return a[i] + n; }
  void put(int i, int v) { a[i] = v; }
  static Job *make(int n) {
#pragma HLS PIPLINE
    Job *j = new Job();
    total[0] += n;
    return j;
  }
  int tell() { throw n; }
};
int top(int x[64], int y[64]) {
  Job q;
  q.n = 3;
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
    q.put(i, x[i]);
    total[i] = q.get(i);
  }
  return q.n;
}
int other(int y[64]) {
  Job q;
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    y[i] = q.tell();
  }
  return q.n;
}
"""


def test_a_member_function_that_is_not_read_leaves_the_rest_of_its_class() -> None:
    found = _pipeline(METHODS)
    holes = [d.place.line for d in found.program.diagnostics if d.rule == "HLP003"]
    assert holes == [8, 12]
    assert [(x.ii is not None, x.cause) for x in found.figures.loops] == [
        (True, None),
        (False, "the body of Job::tell is not given"),
    ]
    assert ("PIPLINE" in str(found.program.pragmas)) and any("total" in h.names for h in found.program.holes)


def test_statements_are_told_apart_once_for_all_places_in_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    real = Outline._statement
    monkeypatch.setattr(Outline, "_statement", lambda self, at, end: looked.append(at) or real(self, at, end))
    tokens = lex_line("void f() { " + "a = b; " * 200 + "}", "t.cpp")
    outline = Outline(tokens, brackets(tokens))
    kinds = [[r.kind for r in outline.around(at)] for at, token in enumerate(tokens) if token.text == "b"]
    assert kinds == [["function", "body", "statement"]] * 200 and len(looked) == 200


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("for (i = f(1); i < 2; i++) { x; } y;", "x"),
        ("do { x; if (c) { y; } } while (z);", "xy"),
        ("if (a) { x; } else { while (b) { y; } }", "y"),
        ("f() { x; } } for (;;) { y; { z; } } }", "yz"),
        ("while { x; } (for) { y; }", ""),
    ],
)
def test_braces_of_loops_are_told_by_what_stands_before_them(text: str, inside: str) -> None:
    tokens = lex_line(text, "t.cpp")
    found = zip(tokens, in_braces_of_loops(tokens), strict=True)
    assert [t.text for t, in_loop in found if in_loop and t.text in "xyz"] == list(inside)
