"""Maps, domains, ranges, counts and reasons, against values worked out by hand (requirements AC 1 to 4)."""

from __future__ import annotations

import islpy as isl
import pytest
from poly_oracle import analysed, named

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.access import AccessAnalysis, Affine, Bounds
from hlspart.model.options import FrontendOptions
from hlspart.model.program import Program


def _one(body: str) -> tuple[Program, AccessAnalysis]:
    program, analysis = analysed(f"int A[16], B[64], C[8][8];\nvoid f(int n) {{ int i, j, k; {body} }}\n")
    return program, analysis


@pytest.mark.parametrize(
    ("loop", "text", "domain", "relation", "span", "count"),
    [
        ("for (i = 0; i < 8; i++)", "A[2*i+1]", "{ [i] : 0 <= i < 8 }", "{ [i] -> [2i+1] }", ((1, 15),), 8),
        ("for (i = 0; i < 9; i += 2)", "A[i]", "{ [i] : 0 <= i < 9 and i mod 2 = 0 }", "{ [i] -> [i] }", ((0, 8),), 5),
        ("for (i = 9; i > 0; i -= 4)", "A[i]", "{ [i] : 1 <= i <= 9 and i mod 4 = 1 }", "{ [i] -> [i] }", ((1, 9),), 3),
        ("for (i = 15; i >= 0; --i)", "A[15-i]", "{ [i] : 0 <= i < 16 }", "{ [i] -> [15-i] }", ((0, 15),), 16),
        ("for (i = 0; i != 12; i += 3)", "A[i]", "{ [i] : 0 <= i < 12 and i mod 3 = 0 }", "{ [i] -> [i] }", ((0, 9),),
         4),
        ("for (i = 0; i <= 7; i = i + 1)", "A[i/2]", "{ [i] : 0 <= i < 8 }", "{ [i] -> [floor(i/2)] }", ((0, 3),), 8),
        ("for (i = 0; i < 8; i++)", "A[i%4]", "{ [i] : 0 <= i < 8 }", "{ [i] -> [i mod 4] }", ((0, 3),), 8),
        ("for (i = 0; i < 8; i++)", "A[(i<<1)]", "{ [i] : 0 <= i < 8 }", "{ [i] -> [2i] }", ((0, 14),), 8),
        ("for (i = 0; i < 8; i++) if (i > 2)", "A[i]", "{ [i] : 2 < i < 8 }", "{ [i] -> [i] }", ((3, 7),), 5),
        (
            "for (i = 0; i < 4; i++)", "A[1<<i]", "{ [i] : 0 <= i < 4 }",
            "{ [i] -> [1] : i = 0; [i] -> [2] : i = 1; [i] -> [4] : i = 2; [i] -> [8] : i = 3 }", ((1, 8),), 4,
        ),
        (
            "for (i = 0; i < 3; i++) for (j = 0; j < 9; j++)", "A[(j>>i)+(j&((1<<i)-1))]",
            "{ [i, j] : 0 <= i < 3 and 0 <= j < 9 }",
            "{ [i, j] -> [j] : i = 0; [i, j] -> [floor(j/2) + j mod 2] : i = 1;"
            " [i, j] -> [floor(j/4) + j mod 4] : i = 2 }", ((0, 8),), 27,
        ),
        (
            "for (i = 1; i < 4; i++) for (j = 0; j < 7; j++)", "A[j/i+j%i*(6/i)]",
            "{ [i, j] : 0 < i < 4 and 0 <= j < 7 }",
            "{ [i, j] -> [j] : i = 1; [i, j] -> [floor(j/2) + 3*(j mod 2)] : i = 2;"
            " [i, j] -> [floor(j/3) + 2*(j mod 3)] : i = 3 }", ((0, 6),), 21,
        ),
        (
            "for (i = -4; i < 4; i++)", "A[i/3+1]", "{ [i] : -4 <= i < 4 }",
            "{ [i] -> [1 - floor(-i/3)] : i < 0; [i] -> [1 + floor(i/3)] : i >= 0 }", ((0, 2),), 8,
        ),
        (
            "for (i = 0; i < 8; i++) for (j = 0; j <= i; j++)", "C[i][j]", "{ [i, j] : 0 <= j <= i < 8 }",
            "{ [i, j] -> [i, j] }", ((0, 7), (0, 7)), 36,
        ),
        (
            "for (i = 0; i < 4; i++) for (j = 0; j < 4; j++)", "A[i*4+j]", "{ [i, j] : 0 <= i < 4 and 0 <= j < 4 }",
            "{ [i, j] -> [4i + j] }", ((0, 15),), 16,
        ),
        (
            "for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) if (i + j < 5 && i != j)", "C[j][i]",
            "{ [i, j] : 0 <= i and 0 <= j and i + j < 5 and (i < j or i > j) }", "{ [i, j] -> [j, i] }",
            ((0, 4), (0, 4)), 12,
        ),
        ("for (i = 0; i < n; i++)", "A[i]", "[n] -> { [i] : 0 <= i < n }", "{ [i] -> [i] }", ((0, None),), None),
        (
            "assert(n <= 16); for (i = 0; i < n; i++)", "A[i]", "[n] -> { [i] : 0 <= i < n <= 16 }", "{ [i] -> [i] }",
            ((0, 15),), None,
        ),
        (
            "for (i = 0; i < 1048576; i++) for (j = i; j < 1048576; j++) if (i < 3)", "A[i]",
            "{ [i, j] : 0 <= i < 3 and i <= j < 1048576 }", "{ [i, j] -> [i] }", ((0, 2),), 3 * 1048576 - 3,
        ),
    ],
)  # fmt: skip
def test_affine(loop: str, text: str, domain: str, relation: str, span: tuple, count: int | None) -> None:  # type: ignore[type-arg]
    program, analysis = _one(f"{loop} {{ {text} = 1; }}")
    access = named(program, analysis, text, "write")
    assert access.affine and access.exact
    assert isl.Set(access.domain).is_equal(isl.Set(domain))
    assert access.map is not None
    within = isl.Set(domain)
    assert isl.Map(access.map).intersect_domain(within).is_equal(isl.Map(relation).intersect_domain(within))
    assert access.range == span
    assert access.count == count
    assert access.in_range is (span[0][1] is not None)


def test_plain_forms_are_given_as_records() -> None:
    program, analysis = _one("for (i = 0; i < 4; i++) for (j = 0; j < 4; j++) { C[2*i+1][i-j+3] = A[i/2]; }")
    assert named(program, analysis, "C[2*i+1][i-j+3]").index == (
        Affine((("i", 2),), 1),
        Affine((("i", 1), ("j", -1)), 3),
    )
    assert named(program, analysis, "A[i/2]").index == (None,)
    assert named(program, analysis, "C[2*i+1][i-j+3]").map == "{ [i, j] -> [2i + 1, i - j + 3] }"


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("A[B[i]]", "it depends on the value of `B[i]`", "B[i]"),
        ("A[i*j]", "`i*j` multiplies two variables", "i*j"),
        ("A[n]", "`n` is a run-time value without known bounds", "A[n]"),
        ("A[g(i)]", "it is the result of the call `g(i)`", "g(i)"),
        ("A[1<<n]", "`1<<n` shifts by a variable", "1<<n"),
        ("A[i/j]", "`i/j` divides by a variable or zero", "i/j"),
        ("A[(int)x]", "`x` is not an integer", "x"),
        ("A[v]", "`v` is volatile", "v"),
        ("A[w]", "`w` may be changed through its address", "w"),
        ("A[s.at]", "it depends on the struct member `s.at`", "s.at"),
    ],
)
def test_not_affine(text: str, reason: str, place: str) -> None:
    program, analysis = analysed(
        "int g(int); void use(int *);\n"
        "void f(int A[64], int B[64], int n, float x, volatile int v, struct { int at; } s) {\n"
        "  int w = n; use(&w);\n"
        f"  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {{ {text} = 1; B[i] = i; }}\n}}\n"
    )
    access = named(program, analysis, text)
    assert not access.affine and not access.in_range
    assert (access.reason, access.map, access.index, access.range) == (reason, None, None, None)
    assert access.reason_at is not None and program.text(access.reason_at) == place
    assert access.count == 64
    others = [a for a in analysis.accesses if program.text(a.at) == "B[i]" and a.kind == "write"]
    assert [a.range for a in others] == [((0, 7),)]


@pytest.mark.parametrize(
    ("body", "text", "witness"),
    [
        ("for (i = 0; i < 16; i++) { A[i+1] = 0; }", "A[i+1]", {"i": 15}),
        ("for (i = 0; i < 16; i++) { A[i-1] = 0; }", "A[i-1]", {"i": 0}),
        ("for (i = 0; i < 9; i++) for (j = 0; j < 8; j++) { C[j][i] = 0; }", "C[j][i]", {"i": 8, "j": 0}),
        ("for (i = 0; i < 20; i++) { if (i > 16) { A[i-1] = 0; } }", "A[i-1]", {"i": 17}),
        ("A[16] = 0;", "A[16]", {}),
        ("for (i = 0; i < n; i++) { A[i] = 0; }", "A[i]", None),
        ("for (i = 0; i < 20; i++) { if (B[i]) { A[i] = 0; } }", "A[i]", None),
        ("for (i = 0; i < 20; i++) { if (i == 9) { break; } A[i] = 0; }", "A[i]", None),
    ],
)
def test_out_of_range(body: str, text: str, witness: dict[str, int] | None) -> None:
    program, analysis = _one(body)
    access = named(program, analysis, text)
    assert not access.in_range
    assert access.witness == witness
    faults = [f.code for g in analysis.groups for f in g.faults]
    assert faults == (["out-of-range"] if witness is not None else [])


def test_reads_and_writes_apart_in_order_of_evaluation() -> None:
    program, analysis = _one("A[B[0]] += C[1][2]; A[3] = A[4]; A[5]++; k = sizeof(A[6]); int *p = &A[7];")
    told = [(a.kind[0], program.text(a.at)) for a in sorted(analysis.accesses, key=lambda a: a.order)]
    assert told == [
        ("r", "B[0]"), ("r", "A[B[0]]"), ("r", "C[1][2]"), ("w", "A[B[0]]"),
        ("r", "A[4]"), ("w", "A[3]"), ("r", "A[5]"), ("w", "A[5]"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "trip", "step", "cause"),
    [
        ("for (i = 0; i < 10; i++)", (10, 10), 1, None),
        ("for (i = 0; i <= 10; i += 3)", (4, 4), 3, None),
        ("for (i = 10; i > 0; i -= 3)", (4, 4), -3, None),
        ("for (i = 0; i != 10; i++)", (10, 10), 1, None),
        ("for (i = 5; i < 5; i++)", (0, 0), 1, None),
        ("for (i = 0; 10 > i; i++)", (10, 10), 1, None),
        ("for (i = 0; i < 10 && i < 7; i++)", (7, 7), 1, None),
        ("for (i = 0; 2 * i < 9; i++)", (5, 5), 1, None),
        ("for (unsigned u = 0; u < 10; u++)", (10, 10), 1, None),
        ("for (unsigned u = 9; u > 0; u--)", (9, 9), -1, None),
        ("for (unsigned u = 9; u >= 0; u--)", (None, None), None, "does not grow"),
        ("for (unsigned char c = 0; c < 256; c++)", (None, None), None, "does not grow"),
        ("for (unsigned char c = 0; c < 255; c++)", (255, 255), 1, None),
        ("for (signed char c = 0; c <= 126; c += 2)", (None, None), None, "does not grow"),
        ("for (i = 0; i != 10; i += 3)", (None, None), None, "may never end"),
        ("for (i = 0; i < n; i++)", (0, None), 1, None),
        ("for (i = 0; i < B[0]; i++)", (0, None), 1, None),
        ("for (i = 1; i < 100; i *= 2)", (None, None), None, "does not grow"),
        ("for (;;)", (None, None), None, "no test"),
    ],
)
def test_trip_counts(header: str, trip: tuple, step: int | None, cause: str | None) -> None:  # type: ignore[type-arg]
    _, analysis = _one(f"{header} {{ A[0] = 1; }}")
    (info,) = analysis.loops.values()
    assert (info.trip_count, info.step) == (Bounds(*trip), step)
    assert (info.cause is None) if cause is None else (info.cause is not None and cause in info.cause)


def test_trip_counts_of_inner_loops_are_intervals() -> None:
    _, analysis = _one(
        "for (i = 0; i < 8; i++) { for (j = i; j < 8; j++) { A[0] = 1; } for (j = 2; j < i; j++) { A[0] = 1; } "
        "for (j = 0; j < 4; j++) { if (B[j]) { break; } } }"
    )
    told = [(i.iterator, i.trip_count, i.exits) for _, i in sorted(analysis.loops.items())]
    assert told == [
        ("i", Bounds(8, 8), False), ("j", Bounds(1, 8), False), ("j", Bounds(0, 5), False), ("j", Bounds(0, 4), True),
    ]  # fmt: skip


def test_tripcount_directive_bounds_a_symbolic_loop() -> None:
    program, analysis = _one("for (i = 0; i < n; i++) {\n#pragma HLS loop_tripcount min=2 max=12\nA[i] = 1; }")
    (info,) = analysis.loops.values()
    assert info.trip_count == Bounds(2, 12)
    access = named(program, analysis, "A[i]")
    assert access.range == ((0, 11),) and access.in_range


def test_unsigned_wrap_is_refused() -> None:
    program, analysis = _one(
        "unsigned u; for (u = 0; u < 8; u++) { A[u - 1] = 0; B[u + 1 - 1] = 0; if (u > 2) { C[u - 3][0] = 1; } }"
    )
    assert named(program, analysis, "A[u - 1]").reason == "`u - 1` may leave the range of unsigned"
    assert named(program, analysis, "B[u + 1 - 1]").range == ((0, 7),)
    assert named(program, analysis, "C[u - 3][0]").range == ((0, 4), (0, 0))


def test_names_stay_unique_in_a_nest() -> None:
    program, analysis = analysed(
        "int A[9][9];\nvoid f(int i) { for (int j = 0; j < 3; j++) { for (int i = 0; i < 3; i++) { A[i][j] = 1; } }"
        " for (int mod = 0; mod < 4; mod++) { A[mod][0] = 2; } }\n"
    )
    assert named(program, analysis, "A[i][j]").iterators == ("j", "i_2")
    assert named(program, analysis, "A[i][j]").map == "{ [j, i_2] -> [i_2, j] }"
    assert isl.Set(named(program, analysis, "A[mod][0]").domain).is_equal(isl.Set("{ [a] : 0 <= a < 4 }"))


def test_a_helper_may_change_a_global() -> None:
    program, analysis = analysed(
        "int A[16], at = 0, fixed = 3;\nvoid step(void) { at = at + 5; }\n"
        "void f(void) { at = 1; A[at] = 1; step(); A[at + 0] = 2; fixed = 4; A[fixed] = 1; }\n"
    )
    assert named(program, analysis, "A[at]").range == ((1, 1),)
    assert named(program, analysis, "A[at + 0]").reason == "`at` may be changed by the call of step"
    assert named(program, analysis, "A[fixed]").range == ((4, 4),)


def test_exclusive_arms() -> None:
    program, analysis = _one(
        "for (i = 0; i < 8; i++) { if (B[i]) { A[0] = 1; } else { A[1] = 1; } j = B[9] ? A[2] : A[3];"
        " switch (B[7]) { case 1: A[4] = 1; break; default: A[5] = 1; } }"
    )
    arms = {program.text(a.at): a.branch for a in analysis.accesses if a.array == 0}
    assert arms == {
        "A[0]": ((0, 0),), "A[1]": ((0, 1),), "A[2]": ((1, 0),), "A[3]": ((1, 1),),
        "A[4]": ((2, 0),), "A[5]": ((2, 1),),
    }  # fmt: skip
    assert all(not a.exact for a in analysis.accesses if a.array == 0)


def test_a_goto_leaves_nothing_certain() -> None:
    program, analysis = _one("i = 1; again: A[i] = 1; i = i + 1; if (i < 5) { goto again; } A[2] = 1;")
    assert not named(program, analysis, "A[i]").affine
    assert not named(program, analysis, "A[2]").exact


def test_parameters_that_calls_give_a_few_numbers_have_their_bounds() -> None:
    text = (
        "void g(int x[8][4], int n) { for (int i = 0; i < 4; i++) { x[n][i] = 1; } }\n"
        "void f(int s) { int A[8][4]; g(A, 1); g(A, CALLED); }\n"
    )
    ranges = {}
    for called in ("6", "8", "s"):
        _, analysis = analysed(text.replace("CALLED", called))
        (access,) = analysis.accesses
        ranges[called] = (
            access.affine,
            access.range and access.range[0],
            access.in_range,
            access.witness,
            access.count,
        )
    assert ranges["6"] == (True, (1, 6), True, None, 4)
    assert ranges["8"] == (True, (1, 8), False, None, 4)  # one of the calls stays inside
    assert ranges["s"][0] is False


def test_parameters_that_all_calls_give_the_same_number() -> None:
    text = (
        "void g(int x[16], int n, int m) { for (int i = 0; i < n; i++) { x[i + m] = 1; } }\n"
        "void f(void) { int A[16]; g(A, 8, 1); g(A, 4 + 4, 3); }\n"
    )
    _, analysis = analysed(text)
    (access,) = analysis.accesses
    assert isl.Set(access.domain).is_equal(isl.Set("{ [i] : 0 <= i < 8 }"))
    assert access.index == (Affine((("i", 1), ("m", 1)), 0),)
    _, analysis = analysed(text, "g")
    (access,) = analysis.accesses
    assert isl.Set(access.domain).is_equal(isl.Set("[n] -> { [i] : 0 <= i < n }"))


def test_struct_elements_are_accesses_of_the_array() -> None:
    program, analysis = _one(
        "struct { int x, y[4]; } P[8]; for (i = 0; i < 8; i++) { P[i].x = P[7 - i].y[2]; P[i].x++; }"
    )
    told = [(a.kind[0], program.text(a.at), a.range) for a in sorted(analysis.accesses, key=lambda a: a.order)]
    assert told == [
        ("r", "P[7 - i]", ((0, 7),)), ("w", "P[i]", ((0, 7),)), ("r", "P[i]", ((0, 7),)), ("w", "P[i]", ((0, 7),)),
    ]  # fmt: skip


def test_pointers_run_on_over_the_ends_of_rows() -> None:
    program, analysis = _one(
        "int *p = &C[0][0], *q = C[2]; for (i = 0; i < 64; i++) { p[i] = 1; if (i < 8) { q[i] = 2; } }"
    )
    access = named(program, analysis, "p[i]")
    assert access.map is not None and access.in_range and access.range == ((0, 7), (0, 7))
    within = isl.Set("{ [i] : 0 <= i < 64 }")
    wanted = isl.Map("{ [i] -> [floor(i/8), i mod 8] }").intersect_domain(within)
    assert isl.Map(access.map).intersect_domain(within).is_equal(wanted)
    assert named(program, analysis, "q[i]").index == (Affine((), 2), Affine((("i", 1),), 0))


@pytest.mark.parametrize("store", ["(c ? A[i] : A[2]) = 1", "(c ? A[i] : A[2]) += 1", "++(c ? A[i] : A[2])"])
def test_a_choice_of_places_is_stored_to(store: str) -> None:
    """C++: the element is one of both, so each may be written, and neither surely."""
    program = load(["k.cpp"], FrontendOptions(), lambda _: f"void f(int A[8], int c, int i) {{ {store}; }}".encode())
    accesses = [(program.text(a.at), a.kind, a.affine) for a in analyse(program).accesses if a.kind == "write"]
    assert accesses == [("A[i]", "write", False), ("A[2]", "write", False)]
