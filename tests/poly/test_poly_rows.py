"""Rows that calls hand on: the callee's accesses are listed as accesses of the caller's array."""

import islpy as isl
import pytest

from hlspart.accesses import analyse, through_rows
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions

ROW = "void row(int r[16], int k) { for (int j = 0; j < 16; j++) r[j] = k; }\n"


def added(text: str) -> list[tuple[str, str, str, set[tuple[int, ...]], bool]]:
    """(array, function, kind, elements, exact) of what is listed beside the analysis' own accesses."""
    program = load(["k.c"], FrontendOptions(), read=lambda _: text.encode())
    assert program.units[0].error is None, program.units[0].error
    analysis = analyse(program)
    more = through_rows(program, analysis)
    assert more.accesses[: len(analysis.accesses)] == analysis.accesses
    found = []
    for access in more.accesses[len(analysis.accesses) :]:
        assert all(loop in more.loops for loop in access.loops)
        points: list[tuple[int, ...]] = []
        reached = isl.Map(access.map).intersect_domain(isl.Set(access.domain)).range()
        rank = reached.dim(isl.dim_type.set)
        reached.foreach_point(
            lambda p, rank=rank, points=points: points.append(
                tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(rank))
            )
        )
        name = program.variable(access.array).name
        found.append((name, access.function, access.kind, set(points), access.exact))
    return found


@pytest.mark.parametrize(
    ("call", "elements"),
    [
        ("for (int i = 0; i < 8; i++) row(A[i], i);", {(i, j) for i in range(8) for j in range(16)}),
        ("row(&A[3][0], 2);", {(3, j) for j in range(16)}),
        ("for (int i = 1; i < 8; i += 3) row(&A[8 - i][0], i);", {(i, j) for i in (7, 4, 1) for j in range(16)}),
        ("int i = 5; row(A[i - 1], i);", {(4, j) for j in range(16)}),
        ("for (int i = 0; i < 4; i++) if (i > 1) row(A[2 * i], i);", {(i, j) for i in (4, 6) for j in range(16)}),
    ],
)
def test_rows_are_elements_of_the_array(call, elements):
    assert added(ROW + f"void top(int A[8][16]) {{ {call} }}") == [("A", "top", "write", elements, True)]


def test_rows_through_two_calls_and_two_callers():
    text = (
        ROW
        + """
void twice(int p[16]) { row(p, 1); p[0] = 2; }
void one(int A[4][16]) { twice(A[1]); }
void two(int B[4][16]) { row(B[2], 0); row(B[3], 0); }
"""
    )
    line = {(1, j) for j in range(16)}
    assert added(text) == [
        ("A", "one", "write", line, True),
        ("A", "one", "write", {(1, 0)}, True),
        ("B", "two", "write", {(2, j) for j in range(16)}, True),
        ("B", "two", "write", {(3, j) for j in range(16)}, True),
    ]


def test_planes_of_three_dimensions():
    text = """void plane(int P[3][4]) { for (int i = 0; i < 3; i++) P[i][i + 1] = 0; }
void top(int A[2][3][4]) { for (int k = 0; k < 2; k++) plane(A[k]); }
"""
    elements = {(k, i, i + 1) for k in range(2) for i in range(3)}
    assert added(text) == [("A", "top", "write", elements, True)]


@pytest.mark.parametrize(
    "text",
    [
        ROW + "void top(int A[16]) { row(A, 1); row(&A[0], 1); }",
        "void row(int r[16]); void top(int A[8][16]) { row(A[1]); }",
        "void row(int r[16]) { if (r[0]) row(r); } void top(int A[8][16]) { row(A[1]); }",
        "void row(int *r) { while (*r++); } void top(int A[8][16]) { row(A[1]); }",
    ],
)
def test_nothing_is_added_where_nothing_is_known(text):
    assert added(text) == []
