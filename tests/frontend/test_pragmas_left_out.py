"""A pragma in an arm that the arguments of a template leave out says nothing; that of the other instance counts."""

from __future__ import annotations

import pytest

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

TEXT = """\
enum io_type { io_parallel, io_serial };
struct parallel { static const unsigned n = 16; static const unsigned io = io_parallel; };
struct serial { static const unsigned n = 16; static const unsigned io = io_serial; };
template <class C> void linear(const int a[C::n], int b[C::n]) {
  for (int i = 0; i < C::n; i++) {
    if (C::io == io_serial) {
#pragma HLS UNROLL factor=4
#pragma HLS DEPENDENCE variable=b inter false
    }
    b[i] = a[i];
  }
}
void f(const int a[16], int b[16]) { linear<parallel>(a, b); }
void g(const int a[16], int b[16]) { linear<serial>(a, b); }
void h(const int a[16], int b[16], int n) {
  for (int i = 0; i < 16; i++) {
    if (n) {
#pragma HLS UNROLL factor=4
    }
    b[i] = a[i];
  }
}
"""


def test_an_arm_that_is_never_taken_has_no_directives() -> None:
    program = Pipeline(["k.cpp"], Options(), lambda _: TEXT.encode()).program
    assert [d.message for d in program.diagnostics] == []
    said = {(d.function, d.kind): [p.code for p in d.problems if p.fatal] for d in program.directives}
    assert said.pop(("h", "unroll")) == []
    assert {function: codes for (function, _), codes in said.items()} == {
        "linear<parallel>": ["condition-false"], "linear<serial>": [],
    }  # fmt: skip


def test_a_constant_made_of_a_name_that_the_build_gives_is_not_known() -> None:
    text = """const unsigned lanes = LANES;
void f(const int a[16], int b[16], int n) {
  const int other = a[0];
  for (int i = 0; i < 16; i++) {
#pragma HLS UNROLL factor=%s
    b[i] = a[i];
  }
}
"""
    for name, code in (
        ("lanes", "value-unknown"),
        ("lanes / 2", "value-unknown"),
        ("other", "bad-value"),
        ("n", "bad-value"),
        ("(int)2.5", "value-unknown"),
        ("(unsigned int)(2.5 * 2)", "value-unknown"),
        ("2.5", "bad-value"),
        ("(int)n", "bad-value"),
    ):
        program = Pipeline(["k.cpp"], Options(), lambda _, name=name: (text % name).encode()).program
        assert [p.code for d in program.directives for p in d.problems] == [code], name


CONSTRUCTORS = """\
class Used { int x; public: Used() {
MISTAKE
  } int get() { return x; } };
class Other { int x[4]; public: Other() {
MISTAKE
  } int get(int i) { return x[i]; } };
template <typename T> class Open { T x[4]; public: Open() : Open(3) {
MISTAKE
  } Open(int k) {
MISTAKE
    for (int i = 0; i < k; i++)
MISTAKE
      x[i] = k;
  } };
template <typename T> class Instance { T x[4]; public: Instance() {
MISTAKE
  } T get(int i) { return x[i]; } };
template <> class Instance<char> { char x[4]; public: Instance() {
MISTAKE
  } };
int top(int i) { Used a; Instance<int> b; return a.get() + b.get(i); }
"""


@pytest.mark.parametrize(
    ("mistake", "rule"),
    [
        ("#pragma HLS PIPLINE", "HLP101"),
        ("#pragma HLS ARRAY_PARTITON variable=x complete", "HLP101"),
        ("#pragma HLS ARRAY_PARTITION variable=x cyclic factor=abc", "HLP104"),
        ("#pragma HLS ARRAY_PARTITION variable=y complete", "HLP401"),
    ],
)
def test_pragmas_of_constructors_are_looked_at_whatever_uses_them(mistake: str, rule: str) -> None:
    text = CONSTRUCTORS.replace("MISTAKE", mistake)
    lines = [n for n, line in enumerate(text.splitlines(), 1) if line == mistake]
    found = Pipeline(["k.cpp"], Options(), lambda _: text.encode()).lint().diagnostics
    assert sorted({d.place.line for d in found if d.rule == rule}) == lines and len(lines) == 7


def test_right_pragmas_of_constructors_that_nothing_uses_are_no_findings() -> None:
    text = CONSTRUCTORS.replace("MISTAKE", "#pragma HLS ARRAY_PARTITION variable=x complete").replace(
        "int x;", "int x[2];"
    )
    text = text.replace("int x;", "int x[2];").replace("{ return x; }", "{ return x[1]; }")
    found = Pipeline(["k.cpp"], Options(), lambda _: text.encode()).lint().diagnostics
    assert [d for d in found if d.severity == "error"] == []
