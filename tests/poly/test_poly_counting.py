"""Closed-form counts against enumeration, and their independence of size."""

from __future__ import annotations

import islpy as isl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlspart.sets.counting import count


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("{ [] }", 1),
        ("{ [i] : false }", 0),
        ("{ [i] : 0 <= i < 1048576 }", 1048576),
        ("{ [i, j] : 0 <= j <= i < 65536 }", 65536 * 65537 // 2),
        ("{ [i, j, k] : 0 <= i < j < k < 1000 }", 1000 * 999 * 998 // 6),
        ("{ [i] : 0 <= i < 1048576 and i mod 3 = 1 }", 349525),
        ("{ [i, j] : 0 <= i < 1000 and i <= j < 1000 and (i + j) mod 2 = 0 }", 250500),
        ("{ [i] : 0 <= i < 10 or 20 <= i < 25 or 5 <= i < 7 }", 15),
        ("{ [t, i] : 0 <= t < 20 and 1 + t <= i < 99 + t }", 1960),
        ("{ [i] : i >= 0 }", None),
        ("[n] -> { [i] : 0 <= i < n }", None),
    ],
)
def test_known_counts(points: str, expected: int | None) -> None:
    assert count(isl.Set(points)) == expected


_row = st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(-2, 2), st.integers(-4, 12))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(_row, max_size=4), st.integers(1, 4), st.integers(0, 3), st.booleans())
def test_random_sets(rows: list[tuple[int, int, int, int]], modulus: int, residue: int, union: bool) -> None:
    limits = ["0 <= i <= 9", "-3 <= j <= 6", "0 <= k <= 7"]
    limits += [f"{a}*i + {b}*j + {c}*k + {d} >= 0" for a, b, c, d in rows]
    limits.append(f"(i + j) mod {modulus} = {residue % modulus}")
    text = " and ".join(limits)
    points = isl.Set(f"{{ [i, j, k] : {text} }}")
    if union:
        points = points.union(isl.Set("{ [i, j, k] : 3 <= i <= 5 and i <= j <= 8 and 0 <= k <= j }"))
    assert count(points) == points.count_val().to_python()


def test_a_sum_of_many_terms_costs_more_than_one_system(monkeypatch):
    """Elements of three subscripts by remainders: the polynomials of a closed form grow, and it is given up."""
    text = "{ [i, j, k, a, b, c] : 0 <= i, j, k <= 99 and a <= i + j and b <= j + k and c <= a + b and 0 <= a, b, c }"
    points = isl.Set(text)
    assert count(points) is not None
    monkeypatch.setattr("hlspart.sets.counting._EFFORT", 60)
    assert count(points) is None
