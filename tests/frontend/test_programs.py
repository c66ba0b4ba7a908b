# ruff: noqa: E501 (C text stays on its line)
"""Structure of the lowered program: statements, scopes, loops, pragmas, pointers, several files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from frontend_help import all_expressions, good, message, named, program, refs

from hlspart.frontend import load
from hlspart.frontend.constants import value_of
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions


def kinds(block: ir.Block) -> list[str]:
    return [type(s).__name__ for s in ir.walk_statements(block)][1:]


def test_every_statement_form() -> None:
    loaded = good(
        "int f(int n) { int i; ; for (;;) break; while (n) { n--; continue; } do { n++; } while (n < 3);"
        " if (n) return 1; else if (n > 2) n = 2; else { n = 3; } { int n = 4; (void)n; }"
        " switch (n) { case 1: case 2 ... 4: n = 1; break; default: { n = 2; } } goto end; end: return n; }"
    )
    assert kinds(loaded.functions["f"].body) == [
        "Declare", "Loop", "Block", "Jump", "Loop", "Block", "ExprStmt", "Jump", "Loop", "Block", "ExprStmt",
        "If", "Block", "Return", "Block", "If", "Block", "ExprStmt", "Block", "ExprStmt",
        "Block", "Declare", "ExprStmt", "Switch", "Block", "Case", "Case", "ExprStmt", "Jump", "Case", "Block", "ExprStmt",
        "Jump", "Label", "Return",
    ]  # fmt: skip
    (ranged,) = [
        s for s in ir.walk_statements(loaded.functions["f"].body) if isinstance(s, ir.Case) and s.high is not None
    ]
    assert isinstance(ranged.low, ir.Const) and isinstance(ranged.high, ir.Const)
    assert (ranged.low.value, ranged.high.value) == (2, 4)
    loops = list(loaded.loops.values())
    assert (loops[0].kind, loops[0].init, loops[0].test is None, loops[0].step is None) == ("for", None, True, True)
    assert [loaded.text(x.header) for x in loops] == ["for (;;)", "while (n)", "while (n < 3)"]
    assert loaded.text(loops[2].at) == "do { n++; } while (n < 3);"


def test_loop_names() -> None:
    loaded = good(
        "void f(void) {\n  outer: for (int i = 0; i < 4; i++)\n    for (int j = 0; j < 4; j++) { while (j) ; }\n"
        "  again: while (1) break;\n  for (;;) ;\n}\nvoid g(void) {\n  do ; while (0);\n}\n"
    )
    assert [(x.name, x.label, x.function) for x in loaded.loops.values()] == [
        ("outer", "outer", "f"), ("VITIS_LOOP_3_1", None, "f"), ("VITIS_LOOP_3_2", None, "f"), ("again", "again", "f"),
        ("VITIS_LOOP_5_3", None, "f"), ("VITIS_LOOP_8_1", None, "g"),
    ]  # fmt: skip


def test_scopes_and_shadowing() -> None:
    loaded = good(
        "int x[2]; int f(int x[3]) { x[0] = 1; { int x[4]; x[1] = 2; for (int x = 0; x < 1; x++) { x += 1; } x[2] = 3; } return x[1]; }"
    )
    found = [(loaded.variables[r.variable].dims[0], loaded.text(r.at)) for r in refs(loaded, "x")]
    assert found == [(3, "x[0]"), (4, "x[1]"), (4, "x[2]"), (3, "x[1]")]
    storages = {v.dims: v.storage for v in loaded.variables}
    assert storages == {(2,): "global", (3,): "parameter", (4,): "local", (): "local"}
    loop = next(iter(loaded.loops.values()))
    assert [v.scope for v in loaded.variables if not v.is_array] == [loop.id]
    assert [v.scope for v in loaded.variables if v.storage == "parameter"] == [loaded.functions["f"].body.id]


def test_qualifiers_and_storage() -> None:
    loaded = good(
        "static const int a[2] = {1, 2}; volatile int b; extern int c[4]; int * const d = 0; const int *e;"
        " void f(volatile int g[2]) { static int h[2]; extern int c[4]; register int k; (void)k; c[0] = 1; h[0] = g[1]; }"
    )
    facts = {v.name: (v.storage, v.const, v.volatile, v.extern, v.internal) for v in loaded.variables}
    assert facts == {
        "a": ("global", True, False, False, True), "b": ("global", False, True, False, False),
        "c": ("global", False, False, True, False), "d": ("global", True, False, False, False),
        "e": ("global", False, False, False, False), "g": ("parameter", False, True, False, False),
        "h": ("static", False, False, False, False), "k": ("local", False, False, False, False),
    }  # fmt: skip
    assert len(named(loaded, "c").declarations) == 2


def test_pointer_forms_become_references() -> None:
    loaded = good(
        "void f(int A[4][8], int *p, int (*q)[8], int i, int j) {"
        " *p = *(p + i) + *(i + p) + *(p - 1) + 2[p] + p[i]; **A = *(*(A + i) + j) + *(A[i] + j) + (*(A + i))[j] + (*q)[j] + q[i][j]; }"
    )

    def forms(name: str) -> list[tuple[int, str]]:
        return [(len(r.indices), loaded.text(r.at)) for r in refs(loaded, name)]

    assert forms("p") == [(1, "*p"), (1, "*(p + i)"), (1, "*(i + p)"), (1, "*(p - 1)"), (1, "2[p]"), (1, "p[i]")]
    assert forms("A") == [
        (2, "**A"), (2, "*(*(A + i) + j)"), (2, "*(A[i] + j)"), (2, "(*(A + i))[j]"),
    ]  # fmt: skip
    assert forms("q") == [(2, "(*q)[j]"), (2, "q[i][j]")]
    assert all(isinstance(r.type, ir.ScalarType) for name in "pAq" for r in refs(loaded, name))
    minus = refs(loaded, "p")[3].indices[0]
    assert isinstance(minus, ir.Unary) and minus.op == "-"


def test_rows_members_and_pointers_of_pointers() -> None:
    loaded = good(
        "struct s { int v[4]; struct s *next; }; void g(int r[8]); void f(int A[4][8], int *P[3], struct s t[2]) {"
        " g(A[1]); P[1][2] = 3; t[0].v[1] = t->v[2]; t[1].next->v[3]++; g(&A[2][0]); }"
    )
    row = refs(loaded, "A")[0]
    assert row.type == ir.ArrayType(ir.ScalarType("int", "int", 32), (8,))
    subscripts = [loaded.text(e.at) for e in all_expressions(loaded) if isinstance(e, ir.Subscript)]
    assert subscripts == ["P[1][2]", "t[0].v[1]", "t->v[2]", "t[1].next->v[3]"]
    assert [loaded.text(r.at) for r in refs(loaded, "t")] == ["t[0]", "t[1]"]
    assert all(isinstance(e.type, ir.ScalarType) for e in all_expressions(loaded) if isinstance(e, ir.Subscript))


def test_initialisers() -> None:
    loaded = good("#define ROW {1, 2}\nint A[2][2] = {ROW, {[1] = 3}}; struct { int x, y; } p = {.y = 4};")
    table = named(loaded, "A").init
    assert isinstance(table, ir.InitList)
    assert [(d, loaded.text(v.at), v.at.kind) for d, v in table.items] == [
        ((), "ROW", "macro"), ((), "{[1] = 3}", "plain"),
    ]  # fmt: skip
    inner = table.items[1][1]
    assert isinstance(inner, ir.InitList) and inner.items[0][0] == (1,)
    point = named(loaded, "p").init
    assert isinstance(point, ir.InitList) and point.items[0][0] == ("y",)


def test_old_style_functions() -> None:
    loaded = good("int f(a, n, d) int a[8], n; double d; { return a[n]; }\nmain() { return 0; }")
    assert [(v.name, str(v.storage), v.dims) for v in loaded.variables] == [
        ("a", "parameter", (8,)), ("n", "parameter", ()), ("d", "parameter", ()),
    ]  # fmt: skip
    assert loaded.text(named(loaded, "a").declarations[0].declarator) == "a[8]"
    assert set(loaded.functions) == {"f", "main"}


def test_extensions_are_read_over() -> None:
    loaded = good(
        "__extension__ typedef int w __attribute__((aligned(16)));\nstatic __inline__ w f(int * __restrict A, int B[restrict 4])"
        ' __attribute__((noinline));\nstatic w f(int *__restrict A, int B[static 4]) { __asm__ volatile ("nop"); return ({ int z = A[1]; z; })'
        " + B[2] + _Generic(A[0], int: 1, default: 2) + (int){3}; }"
    )
    assert [loaded.text(r.at) for r in refs(loaded, "A")] == ["A[1]", "A[0]"]
    assert loaded.functions["f"].prototypes and loaded.functions["f"].internal
    opaque = {e.what for e in all_expressions(loaded) if isinstance(e, ir.OpaqueExpr)}
    assert {"statement expression", "_Generic selection", "compound literal"} <= opaque


PRAGMAS = """#define F 4
#define DO(x) _Pragma(#x)
#define HLS_PIPE(ii) DO(HLS pipeline II=ii)
#pragma HLS top
void f(int A[8]
#pragma HLS in_params
) {
#pragma HLS array_partition variable=A \\
   cyclic factor=F*2 /* c */ dim=1 // d
  L: for (int i = 0; i < 8; i++) {
    HLS_PIPE(2)
    if (A[i])
#pragma HLS before_then
      A[i] = 1;
#pragma HLS before_else
    else { A[i] = 2; }
  }
  int T[2] = { 1,
#pragma HLS in_initialiser
    2 };
  _Pragma("HLS inline off") for (;;)
#pragma HLS unroll factor=F
    break;
}
#pragma HLS last
"""


def test_pragmas_are_found_where_they_are() -> None:
    loaded = good(PRAGMAS)
    where = [
        (p.text, p.expanded, p.function, None if p.loop is None else loaded.loops[p.loop].name, p.spelling)
        for p in loaded.pragmas
    ]
    loop = "VITIS_LOOP_21_1"
    assert where == [
        ("HLS top", "HLS top", None, None, "#pragma"),
        ("HLS in_params", "HLS in_params", None, None, "#pragma"),
        ("HLS array_partition variable=A cyclic factor=F*2 dim=1", "HLS array_partition variable=A cyclic factor=4*2 dim=1", "f", None, "#pragma"),
        ("HLS pipeline II=2", "HLS pipeline II=2", "f", "L", "_Pragma"),
        ("HLS before_then", "HLS before_then", "f", "L", "#pragma"),
        ("HLS before_else", "HLS before_else", "f", "L", "#pragma"),
        ("HLS in_initialiser", "HLS in_initialiser", "f", None, "#pragma"),
        ("HLS inline off", "HLS inline off", "f", None, "_Pragma"),
        ("HLS unroll factor=F", "HLS unroll factor=4", "f", loop, "#pragma"),
        ("HLS last", "HLS last", None, None, "#pragma"),
    ]  # fmt: skip
    marks = [s.pragma for s in ir.walk_statements(loaded.functions["f"].body) if isinstance(s, ir.PragmaMark)]
    assert marks == [2, 3, 4, 5, 6, 7, 8]
    assert [p.at.kind for p in loaded.pragmas][3] == "macro"
    assert loaded.text(loaded.pragmas[3].at) == "HLS_PIPE(2)"
    assert loaded.text(loaded.pragmas[2].at).startswith("#pragma HLS") and loaded.text(loaded.pragmas[2].at).endswith(
        "dim=1"
    )


def test_a_macro_of_a_pragma_is_expanded_as_it_is_there() -> None:
    loaded = good(
        "#define N 2\nvoid f(void) {\n#pragma HLS unroll factor=N\n}\n#undef N\n#define N 3\nvoid g(void) {\n#pragma HLS unroll factor=N\n}\n"
    )
    assert [p.expanded for p in loaded.pragmas] == ["HLS unroll factor=2", "HLS unroll factor=3"]
    assert loaded.constants["N"] == 3


def test_several_files_are_one_program() -> None:
    files = {
        "k.h": "#ifndef K\n#define K\n#define N 4\nextern int shared[N];\nvoid g(int A[N]);\n#endif\n",
        "a.c": '#include "k.h"\nstatic int own[2];\nvoid f(void) { g(shared); own[0] = 1; h(); }\n',
        "b.c": '#include "k.h"\nint shared[N] = {1};\nstatic int own[3];\nvoid g(int A[N]) { A[1] = shared[2] + own[1]; }\n',
        "c.c": "int broken( {\n",
    }

    def read(path: str) -> bytes:
        if path not in files:
            raise FileNotFoundError(path)
        return files[path].encode()

    loaded = load(["a.c", "c.c", "b.c", "no.c"], FrontendOptions(), read)
    assert [u.error is None for u in loaded.units] == [True, False, True, False]
    shared = named(loaded, "shared")
    assert (
        not shared.extern
        and shared.at.span.path == "b.c"
        and [d.name.span.path for d in shared.declarations] == ["b.c", "k.h"]
    )
    assert [v.dims for v in loaded.variables if v.name == "own"] == [(2,), (3,)]
    assert set(loaded.functions) == {"f", "g"} and set(loaded.undefined) == {"h"}
    assert len(loaded.functions["g"].prototypes) == 1  # one text, however many units include it
    used = [
        loaded.variables[e.variable].dims
        for e in all_expressions(loaded)
        if isinstance(e, ir.ArrayRef)
        if loaded.variables[e.variable].name == "own"
    ]
    assert used == [(2,), (3,)]
    ids = [e.id for e in all_expressions(loaded) if isinstance(e, (ir.ArrayRef, ir.Call))] + list(loaded.loops)
    assert len(ids) == len(set(ids))


def test_what_a_header_defines_is_there_once() -> None:
    files = {
        "h.h": "#pragma HLS once_only\nstatic const int T[2] = {1, 2};\nstatic int g(int i) {\n#pragma HLS inline\n  return T[i]; }\n",
        "a.c": '#include "h.h"\nstatic int own(void) { return 1; }\nint f(void) { return g(0) + own(); }\n',
        "b.c": '#include "h.h"\nstatic int own(void);\nint k(void) { return g(1) + own(); }\nstatic int own(void) { return 2; }\n',
    }
    loaded = load(["a.c", "b.c"], FrontendOptions(), lambda path: files[path].encode())
    assert set(loaded.functions) == {"g", "own", "f", "k", "own@b.c"} and not loaded.undefined
    assert [v.name for v in loaded.variables if v.is_array] == ["T"] and len(loaded.pragmas) == 2
    calls = {
        c.at.span.path: c.function for c in all_expressions(loaded) if isinstance(c, ir.Call) and c.function != "g"
    }
    assert calls == {"a.c": "own", "b.c": "own@b.c"}
    assert len(loaded.functions["own@b.c"].prototypes) == 1 and not loaded.functions["own"].prototypes


def test_sizeof_a_parameter_is_that_of_a_pointer() -> None:
    loaded = good("int f(int A[8]) { int B[8]; return sizeof A + sizeof(B) + sizeof A[0]; }")
    assert [e.value for e in all_expressions(loaded) if isinstance(e, ir.SizeOf)] == [8, 32, 4]


def test_missing_headers_do_not_matter() -> None:
    loaded = good(
        '#include <no/such.h>\n#include "mine.h"\nfoo_t A[4];\nstatic bar g(foo_t x, baz *y) { foo_t z = (foo_t)x; return z + *y + A[1]; }\n'
    )
    assert [(d.rule, d.place.line) for d in loaded.diagnostics] == [("HLP006", 1), ("HLP006", 2)]
    kind = named(loaded, "A").type
    assert isinstance(kind, ir.ArrayType) and ir.is_open(kind.element) and kind.dims == (4,)


def test_run_time_extents_are_told_and_cured() -> None:
    text = "void f(int n, int X[n][4], int Y[][n]) { int A[n + 1]; A[0] = X[0][0]; }"
    loaded = good(text)
    assert (
        named(loaded, "A").dims == (None,)
        and named(loaded, "X").dims == (None, 4)
        and named(loaded, "Y").dims == (None, None)
    )
    told = [(d.severity, d.message) for d in loaded.diagnostics]
    assert told == [("error", "constant extent needed; use -D n=..")] * 3
    cured = good(text.replace("int n, ", ""), options=FrontendOptions(defines=("n=16",)))
    assert named(cured, "A").dims == (17,) and not cured.diagnostics


def test_a_define_may_be_meant_for_a_parameter() -> None:
    options = FrontendOptions(defines=("n=16", "M=2"))
    loaded = good(
        "void f(int n, int x[n]) { int A[n][M]; for (int i = 0; i < n; i++) A[i][0] = x[i]; }", options=options
    )
    assert named(loaded, "A").dims == (16, 2) and named(loaded, "x").dims == (16,) and not loaded.diagnostics
    (loop,) = loaded.loops.values()
    assert isinstance(loop.test, ir.Binary) and isinstance(loop.test.right, ir.Const) and loop.test.right.value == 16
    assert "parameter that is changed here" in message("void f(int n) { int A[n]; n++; A[0] = n; }", options=options)
    assert message("void f(int n) { int A[n]; A[0] = ; }", options=options).startswith(
        "t.c:1:12: error: syntax error before '16'"
    )


def test_defines_undefines_and_include_folders() -> None:
    options = FrontendOptions(
        defines=("N=4", "FLAG", "SQ(x)=((x)*(x))"), undefines=("__SYNTHESIS__",), include_dirs=("inc",)
    )
    files = {
        "t.c": "#include <h.h>\n#ifndef __SYNTHESIS__\nint A[N][SQ(3)][FLAG][M];\n#endif\n",
        "inc/h.h": "#define M 5\n",
    }

    def read(path: str) -> bytes:
        if path not in files:
            raise FileNotFoundError(path)
        return files[path].encode()

    assert named(load(["t.c"], options, read), "A").dims == (4, 9, 1, 5)


def test_same_input_gives_the_same_program() -> None:
    first, second = good(PRAGMAS), program(PRAGMAS)
    assert first.pragmas == second.pragmas and list(first.loops) == list(second.loops)
    assert [loop.name for loop in first.loops.values()] == [loop.name for loop in second.loops.values()]


def test_bodies_are_read_from_the_one_source_beside_that_has_them(tmp_path: Path) -> None:
    texts = {
        "work.h": "class Counter { int n; public: Counter(); void step(int by); int get() const; };\n"
        "int scaled(int x); int twice(int x);\n",
        "top.cpp": '#include "work.h"\nint top(int a[8]) {\n  Counter c; int s = 0;\nSUM:\n  for (int i = 0; i < 8; i++) {\n'
        "#pragma HLS PIPELINE\n    s += scaled(a[i]); }\n  c.step(s);\n  return s + c.get(); }\n",
        "scaled.cpp": '#include "work.h"\nint scaled(int x) { return twice(x) + 1; } // int twice(int x) {\n',
        "twice.cc": '#include "work.h"\nint twice(int x) { return 2 * x; }\n',
        "counter.cpp": '#include "work.h"\nCounter::Counter() : n(0) {}\nvoid Counter::step(int by) { n += by; }\n'
        "int Counter::get() const { return n; }\n",
        "tb.cpp": '#include "work.h"\nint scaled(int x) { return 7; }\nint main() { return scaled(1); }\n',
        "own.cpp": "static int scaled(int x) { return 9; }\nint other() { return scaled(3); }\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    top = str(tmp_path / "top.cpp")
    loaded = load([top], FrontendOptions())
    assert sorted(map(os.path.basename, loaded.units[0].beside)) == ["counter.cpp", "scaled.cpp", "twice.cc"]
    assert {"scaled", "twice", "Counter::step", "Counter::get", "Counter::Counter"} <= set(loaded.functions)
    assert not loaded.undefined and loaded.given == {top}
    (tmp_path / "scaled2.cpp").write_text(texts["scaled.cpp"])  # a second one: nobody knows which is meant
    assert "scaled" in load([top], FrontendOptions()).undefined
    (tmp_path / "scaled2.cpp").write_text(
        texts["scaled.cpp"] + "int top(int a[8]) { return 1; }\n"
    )  # not with this top
    assert "scaled" in load([top], FrontendOptions()).functions


@pytest.mark.parametrize(
    ("initial", "values"),
    [("{300, 4}", (44, 4, None)), ("{.b = 2, 3}", (None, None, None)), ("{.c = 5, .a = 7}", (7, None, 5))],
)
def test_members_of_a_constant_structure_are_constants(initial: str, values: tuple[int | None, ...]) -> None:
    """As far as each member says its value, in its type; places that follow a named one are not counted."""
    loaded = good(
        f"struct S {{ unsigned char a; int b, c; }}; static const struct S k = {initial};\n"
        "int f(void) { return k.a; } int g(void) { return k.b; } int h(void) { return k.c; }"
    )
    results = [f.body.body[0] for f in loaded.functions.values()]
    assert tuple(value_of(r.value, loaded.variables) for r in results if isinstance(r, ir.Return) and r.value) == values


def test_places_in_members_defined_beside_their_class_are_of_the_file_that_defines_them(tmp_path: Path) -> None:
    (tmp_path / "filter.h").write_text("#pragma once\nclass Filter { public: int gain[4]; void run(int *x); };\n")
    text = (
        '#include "filter.h"\n// '
        + "-" * 200
        + "\nvoid Filter::run(int *x) {\nL:\n  for (int i = 0; i < 4; i++) x[i] *= gain[i];\n}\n"
    )
    (tmp_path / "filter.cpp").write_text(text)
    (tmp_path / "top.cpp").write_text('#include "filter.h"\nvoid top(int *x) { Filter f; f.run(x); }\n')
    loaded = load([str(tmp_path / "top.cpp")], FrontendOptions())
    (loop,) = loaded.loops.values()
    assert loop.at.span.path == str(tmp_path / "filter.cpp")
    assert loaded.text(loop.at.span) == "for (int i = 0; i < 4; i++) x[i] *= gain[i];"
