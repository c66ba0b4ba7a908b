"""DEPENDENCE directives that say what integer sets prove: against all pairs of iterations, and what they gain."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import hlspart
from hlspart.expand.dependences import provable

BLUR = """
void blur(const unsigned char in[2048], unsigned char out[2048]) {
    unsigned char lb[2][64];
    unsigned char win[3][3];
    unsigned col = 0;
    for (int n = 0; n < 2048; n++) {
#pragma HLS PIPELINE II=1
        unsigned char px = in[n];
        for (int i = 0; i < 3; i++) {
            win[i][0] = win[i][1];
            win[i][1] = win[i][2];
        }
        win[0][2] = lb[0][col];
        win[1][2] = lb[1][col];
        win[2][2] = px;
        lb[0][col] = lb[1][col];
        lb[1][col] = px;
        if (++col == 64)
            col = 0;
        int s = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s += win[i][j];
        out[n] = s / 9;
    }
}
"""
N = 60
Touched = tuple[Callable[[int], int], Callable[[int], int]]
CASES: dict[str, tuple[str, Touched]] = {  # body; element that iteration n loads and stores
    "a column that returns": ("a[c] = a[c] * 3; if (++c == 13) c = 0;", (lambda n: n % 13, lambda n: n % 13)),
    "behind it": ("a[c] = a[(c + 4) % 13] + 1; if (++c == 13) c = 0;", (lambda n: (n + 4) % 13, lambda n: n % 13)),
    "halves": ("a[n / 2 + 64] = a[n / 2] + 1;", (lambda n: n // 2, lambda n: n // 2 + 64)),
    "remainders": ("a[n % 7] = a[n % 7 + 7] * 3;", (lambda n: n % 7 + 7, lambda n: n % 7)),
    "the same for long": ("a[n / 8] = a[n / 8] * 3;", (lambda n: n // 8, lambda n: n // 8)),
}


def kernel(body: str) -> str:
    return (
        f"void f(int a[128], int t[128]) {{\n    int c = 0;\n    L: for (int n = 0; n < {N}; n++) {{\n"
        f"#pragma HLS PIPELINE II=1\n        {body}\n    }}\n}}\n"
    )


@pytest.mark.parametrize("case", CASES)
def test_what_is_told_is_the_least_distance_of_all_pairs(case: str) -> None:
    body, (loaded, stored) = CASES[case]
    pairs = itertools.combinations(range(N), 2)
    near = [
        k - n
        for n, k in pairs
        if stored(n) == loaded(k) or loaded(n) == stored(k) or stored(n) == stored(k)
    ]  # fmt: skip
    least = min(near, default=None)
    pipeline = hlspart.parse(kernel(body)).pipeline
    found = provable(pipeline.program, pipeline.analysis, pipeline.figures)
    assert [x.distance for x in found] == ([] if least == 1 else [least])


@pytest.mark.parametrize("period", (4, 5, 8))
def test_rows_that_are_flattened_follow_each_other(period: int) -> None:
    text = (
        "void f(int a[64], const int b[8][8]) {\n    for (int i = 0; i < 8; i++)\n"
        "        for (int j = 0; j < 8; j++) {\n"
        f"#pragma HLS PIPELINE II=1\n            a[j % {period}] = a[j % {period}] * 3 + b[i][j];\n        }}\n}}\n"
    )
    places = [j % period for _ in range(8) for j in range(8)]
    least = min(k - n for n, k in itertools.combinations(range(64), 2) if places[n] == places[k])
    pipeline = hlspart.parse(text).pipeline
    (loop,) = pipeline.figures.loops
    found = provable(pipeline.program, pipeline.analysis, pipeline.figures)
    assert len(loop.flattened) == 2 and [x.distance for x in found] == [least]


@pytest.mark.parametrize(
    "body", ["a[t[n]] = a[t[n]] * 3;", "a[c] = a[c] * 3; if (++c == t[0]) c = 0;", "a[c] = a[c] * 3; c = c + t[n];"]
)
def test_of_what_data_decide_nothing_is_told(body: str) -> None:
    pipeline = hlspart.parse(kernel(body)).pipeline
    (loop,) = pipeline.figures.loops
    assert loop.ii == 2 and not provable(pipeline.program, pipeline.analysis, pipeline.figures)


def test_a_line_buffer_with_a_column_that_returns_reaches_its_target() -> None:
    """By hand: two lines of a bank each, one load and one store at one place, 64 iterations until the next."""
    given = hlspart.parse(BLUR)
    (before,) = given.pipeline.figures.loops
    assert before.ii is None
    (text,) = given.rewrite(infer=True).texts.values()
    added = [line for line in text.splitlines() if line not in BLUR.splitlines()]
    assert added == ["#pragma HLS DEPENDENCE variable=lb type=inter distance=64 dependent=true"]
    (after,) = hlspart.parse(text).pipeline.figures.loops
    assert after.ii == 1
    assert [line for line in text.splitlines() if line not in added] == BLUR.splitlines()
    assert not [d for d in hlspart.parse(text).lint() if "dependence" in d.rule]
