"""Call groups, their edges, and what forbids to change an array's form (requirements AC 5 to 7)."""

from __future__ import annotations

import pytest
from poly_oracle import analysed

from hlspart.model.access import AccessAnalysis, ArrayGroup
from hlspart.model.program import Program


def _names(program: Program, group: ArrayGroup) -> set[str]:
    return {f"{program.variable(m).function or ''}.{program.variable(m).name}" for m in group.members}


def _group(program: Program, analysis: AccessAnalysis, name: str) -> ArrayGroup:
    (found,) = [g for g in analysis.groups if name in _names(program, g)]
    return found


def _codes(text: str, name: str, top: str | None = None) -> list[str]:
    program, analysis = analysed(text, top)
    return [f.code for f in _group(program, analysis, name).faults]


CHAIN = """
int B[16];
void h(int y[16]) { y[0] = 1; }
void g(int x[16]) { h(x); }
void f(void) { int A[16]; int C[4]; g(A); C[0] = A[1]; }
void other(void) { g(B); }
"""


def test_chain_of_calls_and_second_caller() -> None:
    program, analysis = analysed(CHAIN)
    group = _group(program, analysis, "f.A")
    assert _names(program, group) == {"f.A", ".B", "g.x", "h.y"}
    assert group.faults == () and not group.top
    edges = {
        (e.caller, e.callee, program.variable(e.actual).name, program.variable(e.formal).name, program.text(e.at))
        for e in group.edges
    }
    assert edges == {("f", "g", "A", "x", "A"), ("g", "h", "x", "y", "x"), ("other", "g", "B", "x", "B")}
    assert _names(program, _group(program, analysis, "f.C")) == {"f.C"}
    assert analysis.tops == ("f", "other")
    assert {analysis.group_of[m] for m in group.members} == {group.id}


def test_parameters_of_tops_are_marked() -> None:
    program, analysis = analysed(
        "void g(int x[4]) { x[0] = 1; }\nvoid top(int A[4], int B[4]) { g(A); int C[4]; g(C); }\n"
    )
    assert {n: _group(program, analysis, f"top.{n}").top for n in "ABC"} == {"A": True, "B": True, "C": True}
    assert not any(
        g.top for g in analysed("void g(int x[4]) { x[0] = 1; }\nint m(void) { int C[4]; g(C); }\n")[1].groups
    )


def test_calls_of_the_named_top_tie_nothing() -> None:
    text = """
    void top(int A[4]) { A[0] = 1; }
    int main(void) { static int D[4]; int (*p)[4] = 0; top(D); top(*p); return D[0]; }
    """
    program, analysis = analysed(text, "top")
    group = _group(program, analysis, "top.A")
    assert (_names(program, group), group.top, group.faults, group.edges) == ({"top.A"}, True, (), ())
    assert analysis.tops == ("top",)
    program, analysis = analysed(text)
    assert _names(program, _group(program, analysis, "top.A")) == {"top.A", "main.D"}
    assert _group(program, analysis, "top.A").faults


def test_direct_recursion_names_the_cycle() -> None:
    program, analysis = analysed("void f(int A[8], int n) { if (n) { f(A, n - 1); } A[0] = n; }\n")
    group = _group(program, analysis, "f.A")
    assert {f.code for f in group.faults} == {"recursion"}
    assert "f -> f" in group.faults[0].reason
    assert program.text(group.faults[0].at) == "f(A, n - 1)"


def test_mutual_recursion_names_the_cycle() -> None:
    program, analysis = analysed(
        "void b(int y[8], int n);\nvoid a(int x[8], int n) { b(x, n); }\n"
        "void b(int y[8], int n) { if (n) { a(y, n - 1); } }\nvoid t(void) { int A[8]; a(A, 3); int C[8]; C[0] = 0; }\n"
    )
    group = _group(program, analysis, "t.A")
    assert {f.code for f in group.faults} == {"recursion"}
    assert any("a -> b -> a" in f.reason for f in group.faults)
    assert _group(program, analysis, "t.C").faults == ()


@pytest.mark.parametrize(
    ("body", "code", "expression"),
    [
        ("int *p = A; p[0] = 1;", "address-taken", "A"),
        ("g(&A[4]);", "address-taken", "&A[4]"),
        ("g(A + 4);", "address-taken", "A"),
        ("memcpy(A, B, 64);", "extern-callee", "A"),
        ("unknown(A);", "extern-callee", "A"),
        ("fp(A);", "function-pointer", "A"),
        ("g(C[1]);", "partial-subscript", "C[1]"),
        ("g(&C[1][0]);", "address-taken", "&C[1][0]"),
        ("h((char *)A);", "cast", "(char *)A"),
        ("if (A == B) { A[0] = 1; }", "address-taken", "A"),
        ("s.p = A;", "address-taken", "A"),
    ],
)
def test_address_taken(body: str, code: str, expression: str) -> None:
    program, analysis = analysed(
        "#include <string.h>\nvoid unknown(int *);\nint A[16], B[16], C[16][16], D[16];\n"
        "void g(int x[16]) { x[0] = 1; }\nvoid h(char *x) { x[0] = 1; }\n"
        f"void f(void (*fp)(int *)) {{ struct {{ int *p; }} s; {body} D[3] = sizeof(D[0]); g(D); }}\n"
    )
    array = ".C" if expression.strip("&").startswith("C") else ".A"
    told = [(f.code, f.expression) for f in _group(program, analysis, array).faults]
    assert (code, expression) in told
    assert code != "address-taken" or any("address taken" in f.reason for f in _group(program, analysis, array).faults)


def test_whole_arrays_in_other_words() -> None:
    program, analysis = analysed(
        "void g(int x[16]) { x[0] = 1; }\nvoid r(int y[4][8]) { y[0][0] = 1; }\n"
        "void f(void) { int A[16], C[4][8]; g(&A[0]); g((int *)A); r(C); r(&C[0]); (void)A; }\n"
    )
    for name, others in (("f.A", {"g.x"}), ("f.C", {"r.y"})):
        group = _group(program, analysis, name)
        assert _names(program, group) == {name, *others}
        assert group.faults == () and len(group.edges) == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("void g(int x[8]) { x[0] = 1; }\nvoid f(void) { int A[16]; g(A); }\n", "shape-mismatch"),
        ("void g(int x[16]) { x[0] = 1; }\nvoid f(void) { int A[4][4]; g((int *)A); }\n", "shape-mismatch"),
        ("void g(int *x) { x[0] = 1; }\nvoid f(void) { int A[16], B[8]; g(A); g(B); }\n", "shape-mismatch"),
        ("void f(int n) { int A[n]; A[0] = 1; }\n", "unknown-extent"),
        ("void f(int *A) { A[0] = 1; }\n", "unknown-extent"),
        ("void f(void) { volatile int A[4]; A[0] = 1; }\n", "volatile"),
        ("extern int A[4];\nvoid f(void) { A[0] = 1; }\n", "opaque"),
        ("void A(int x[4]) { x[0] = 1; }\nvoid (*table)(int *);\nvoid f(void) { table = A; }\n", "function-pointer"),
    ],
)
def test_other_faults(text: str, code: str) -> None:
    _, analysis = analysed(text)
    assert code in {f.code for g in analysis.groups for f in g.faults}


def test_extents_from_callers_and_from_the_interface() -> None:
    _program, analysis = analysed(
        "void g(int *x, int y[]) { for (int i = 0; i < 16; i++) { x[i] = y[i]; } }\n"
        "void f(void) { int A[16], B[16]; g(A, B); }\n"
        "void t(int *p) {\n#pragma HLS interface m_axi port=p depth=8\nfor (int i = 0; i < 8; i++) { p[i] = 1; } }\n"
    )
    assert all(a.in_range for a in analysis.accesses) and len(analysis.accesses) == 3
    assert all(g.faults == () for g in analysis.groups)


def test_groups_span_files() -> None:
    from hlspart.accesses import analyse
    from hlspart.frontend import load
    from hlspart.model.options import FrontendOptions

    files = {
        "a.c": b"void g(int x[8]);\nvoid f(int A[8]) { g(A); }\n",
        "b.c": b"static int A[8];\nvoid g(int x[8]) { x[0] = A[1]; }\n",
    }
    program = load(list(files), FrontendOptions(), lambda path: files[path])
    analysis = analyse(program)
    assert _names(program, _group(program, analysis, "f.A")) == {"f.A", "g.x"}
    assert _group(program, analysis, "f.A").faults == ()
    assert analysis.tops == ("f",)
