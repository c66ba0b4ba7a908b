"""Calls expanded in an analysis copy: accesses of callees appear as accesses of the caller's arrays."""

from __future__ import annotations

from poly_oracle import parse

from hlspart.accesses import analyse
from hlspart.model.program import Call, Loop, Program, walk, walk_statements
from hlspart.semantics.effects import statement_expressions
from hlspart.transform.inline import inline


def _told(program: Program, function: str) -> list[tuple[str, str, object, bool]]:
    copy = inline(program, function)[0]
    analysis = analyse(copy, function)
    return [
        (a.kind[0] + " " + copy.text(a.at), copy.variable(a.array).name, a.range, a.in_range)
        for a in analysis.accesses
        if a.function == function
    ]


def _calls(program: Program, function: str) -> list[str | None]:
    body = program.functions[function].body
    return [e.function for top in statement_expressions(program, body) for e in walk(top) if isinstance(e, Call)]


def test_rows_offsets_scalars_and_results() -> None:
    program = parse(
        "int get(const int *r, int k) { return r[k]; }\n"
        "int clamp(int v, int lo, int hi) { if (v < lo) return lo; if (v > hi) return hi; return v; }\n"
        "void row(int r[8], int s, int *acc) { for (int j = 0; j < 8; j++) { r[j] += s; *acc += r[j]; } }\n"
        "void f(int A[4][8], int B[8]) { int acc = 0; for (int i = 0; i < 4; i++) { row(A[i], i, &acc);"
        " B[i] = get(B + 2, i) + acc; B[clamp(2 * i, 1, 5)] = 0; } }\n"
    )
    inside = ((0, 3), (0, 7))
    assert _told(program, "f") == [
        ("r r[j]", "A", inside, True), ("w r[j]", "A", inside, True), ("r r[j]", "A", inside, True),
        ("r r[k]", "B", ((2, 5),), True), ("w B[i]", "B", ((0, 3),), True),
        ("w B[clamp(2 * i, 1, 5)]", "B", ((1, 5),), True),
    ]  # fmt: skip
    assert _calls(inline(program, "f")[0], "f") == []
    assert list(inline(program, "f")[0].functions) == ["f"]


def test_own_nodes_keep_their_ids_and_copies_get_fresh_ones() -> None:
    program = parse(
        "void g(int x[8]) {\n#pragma HLS pipeline II=2\n"
        "  L: for (int k = 0; k < 8; k++) {\n#pragma HLS unroll factor=2\n x[k] = k; } }\n"
        "void f(int A[8], int B[8]) { M: for (int i = 0; i < 2; i++) { g(A); g(B); } }\n"
    )
    copy = inline(program, "f")[0]
    own = [s.id for s in walk_statements(program.functions["f"].body) if isinstance(s, Loop)]
    loops = [s for s in walk_statements(copy.functions["f"].body) if isinstance(s, Loop)]
    assert [s.name for s in loops] == ["M", "L", "L"]
    assert loops[0].id == own[0] and len({s.id for s in loops}) == 3
    assert all(copy.loops[s.id] is s and s.function == "f" for s in loops)
    unrolled = [d.loop for d in copy.directives if d.kind == "unroll" and d.function == "f"]
    assert sorted(unrolled) == sorted(s.id for s in loops[1:])
    blocks = [s.id for s in walk_statements(copy.functions["f"].body) if hasattr(s, "id")]
    assert len(blocks) == len(set(blocks))
    names = [copy.variable(a.array).name for a in analyse(copy, "f").accesses]
    assert names == ["A", "B"]


def test_what_cannot_be_expanded_stays_a_call() -> None:
    program = parse(
        "int find(int x[8], int v) { for (int k = 0; k < 8; k++) { if (x[k] == v) { return k; } } return 8; }\n"
        "int fact(int n) { return n ? n * fact(n - 1) : 1; }\n"
        "void moved(int *x) { for (int k = 0; k < 8; k++) { *x = k; x++; } }\n"
        "int one(int x) { return x + 1; }\n"
        "void f(int A[8], int c) { A[0] = find(A, c) + fact(c); moved(A); A[1] = c ? one(c) : 2; A[2] = one(c); }\n"
    )
    copy = inline(program, "f")[0]
    assert _calls(copy, "f") == ["find", "fact", "moved"]  # what a condition decides is expanded under it
    assert set(copy.functions) == {"find", "fact", "moved", "f"}
    assert _calls(inline(program, "f", keep=frozenset({"one"}))[0], "f") == ["find", "fact", "moved", "one", "one"]


def test_nested_calls_and_index_frozen_at_the_call() -> None:
    program = parse(
        "void put(int r[4], int v) { r[v] = 1; }\n"
        "void twice(int r[4], int v) { put(r, v); put(r, v + 1); }\n"
        "void f(int A[8][4]) { int i = 1; twice(A[i], i); i = 5; A[i][0] = 2; }\n"
    )
    assert _told(program, "f") == [
        ("w r[v]", "A", ((1, 1), (1, 1)), True), ("w r[v]", "A", ((1, 1), (2, 2)), True),
        ("w A[i][0]", "A", ((5, 5), (0, 0)), True),
    ]  # fmt: skip


def test_pointers_to_variables_are_handed_on() -> None:
    """What a function may only do with a pointer it may leave to another one, not to one that moves the pointer."""
    program = parse(
        "struct P { int r, g; };\n"
        "void lower(int *p, int v) { *p = v; }\n"
        "void put(int *p, struct P *q, int v) { if (v) { lower(p, v + q->r); return; } else { q->g = *p; return; } }\n"
        "int *moved(int *p) { return p + 1; }\n"
        "void away(int *p) { *moved(p) = 1; }\n"
        "void over(int *p) { for (; *p < 3; p++) ; }\n"
        "void f(int A[4], int B[4], int v) { struct P x; int n = 3; x.r = A[1]; put(&n, &x, v); B[n & 3] = x.g; }\n"
        "void g(int n) { away(&n); over(&n); }\n"
    )
    copy = inline(program, "f")[0]
    assert _calls(copy, "f") == []
    assert _told(program, "f") == [("r A[1]", "A", ((1, 1),), True), ("w B[n & 3]", "B", None, False)]
    assert _calls(inline(program, "g")[0], "g") == ["away", "over"]
