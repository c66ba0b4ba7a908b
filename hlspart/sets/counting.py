"""Number of integer points of a set in closed form: symbolic summation, never enumeration.

The innermost variable is summed over [lower, upper] with Faulhaber's formulas, one chamber for each
choice of the tightest bounds, then the next one. Variables defined by equalities are substituted.
Bounds with a coefficient other than 1 have no polynomial sum: such sets are counted only when small.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb

import islpy as isl

_EFFORT = 2000  # constraint systems examined per set
_TERMS = 8  # of the polynomial that is summed, which take about as long again as a system without one
_SMALL = 4096  # boxes up to this volume may be counted by isl

Row = tuple[int, ...]  # coefficients of the variables, then the constant; row >= 0
Poly = dict[tuple[int, ...], Fraction]  # exponents -> coefficient


class _TooHard(Exception):
    """No closed form within the effort limit."""


def count(points: isl.Set) -> int | None:
    """Number of points; None when unbounded, parametric, or without a closed form within the limit."""
    if points.is_empty():
        return 0
    if points.dim(isl.dim_type.param):
        return None
    if points.dim(isl.dim_type.set) == 0:
        return 1
    if not points.is_bounded():
        return None
    if (small := _count_small(points)) is not None:
        return small
    total, effort = 0, [_EFFORT]
    pieces = points if points.n_basic_set() == 1 else points.make_disjoint().coalesce()
    if pieces.n_basic_set() > 1:
        pieces = pieces.make_disjoint()
    for piece in pieces.get_basic_sets():
        try:
            total += _count_basic(piece.remove_redundancies().lift().flatten(), effort)
        except _TooHard:
            few = _count_small(isl.Set.from_basic_set(piece))
            if few is None:
                return None
            total += few
    return total


def _count_small(points: isl.Set) -> int | None:
    """Number of points of a set in a small box; None in a larger one."""
    volume = 1
    for k in range(points.dim(isl.dim_type.set)):
        volume *= points.dim_max_val(k).to_python() - points.dim_min_val(k).to_python() + 1
        if volume > _SMALL:
            return None
    count: int = points.count_val().to_python()
    return count


def _rows(piece: isl.BasicSet) -> tuple[list[Row], list[Row], int]:
    size = piece.dim(isl.dim_type.set)
    equal: list[Row] = []
    least: list[Row] = []
    for constraint in piece.get_constraints():
        coefficients = (constraint.get_coefficient_val(isl.dim_type.set, k).to_python() for k in range(size))
        row = (*coefficients, constraint.get_constant_val().to_python())
        (equal if constraint.is_equality() else least).append(row)
    return equal, least, size


def _count_basic(piece: isl.BasicSet, effort: list[int]) -> int:
    equal, least, size = _rows(piece)
    one: Poly = {(0,) * size: Fraction(1)}
    total = _sum(equal, least, one, tuple(range(size)), effort)
    if total.denominator != 1:
        raise AssertionError("a count is an integer")
    return total.numerator


def _substitute(row: Row, k: int, value: Row) -> Row:
    """``row`` with variable k replaced by the affine form ``value`` (in which k has coefficient 0)."""
    c = row[k]
    if not c:
        return row
    return tuple((0 if j == k else x) + c * v for j, (x, v) in enumerate(zip(row, value, strict=True)))


def _sum(equal: list[Row], least: list[Row], weight: Poly, left: tuple[int, ...], effort: list[int]) -> Fraction:
    """Sum of ``weight`` over the integer points of a system in the variables ``left``."""
    effort[0] -= 1 + len(weight) // _TERMS
    if effort[0] < 0:
        raise _TooHard
    for row in equal:
        if not any(row[:-1]) and row[-1]:
            return Fraction(0)
    kept: set[Row] = set()
    for row in least:
        if any(row[:-1]):
            kept.add(row)
        elif row[-1] < 0:
            return Fraction(0)
    equal = [r for r in equal if any(r[:-1])]
    least = sorted(kept)
    if not left:
        return weight.get((0,) * len(next(iter(weight))), Fraction(0)) if weight else Fraction(0)
    for row in equal:
        for k in reversed(left):
            if abs(row[k]) == 1:
                value = tuple(0 if j == k else -row[k] * x for j, x in enumerate(row))
                return _sum(
                    [_substitute(r, k, value) for r in equal if r is not row],
                    [_substitute(r, k, value) for r in least],
                    _poly_substitute(weight, k, value),
                    tuple(j for j in left if j != k),
                    effort,
                )
    best: tuple[int, int, list[Row], list[Row]] | None = None
    for k in reversed(left):
        if any(r[k] for r in equal):
            continue
        rows = [_tightened(r, k) for r in least if r[k]]
        if all(abs(r[k]) == 1 for r in rows):
            low, high = [r for r in rows if r[k] > 0], [r for r in rows if r[k] < 0]
            if not low or not high:
                raise _TooHard
            if best is None or len(low) * len(high) < best[0]:
                best = len(low) * len(high), k, low, high
    if best is None:
        raise _TooHard
    _, k, lows, highs = best
    rest = [r for r in least if not r[k]]
    rest_left = tuple(j for j in left if j != k)
    total = Fraction(0)
    for a, b in product(range(len(lows)), range(len(highs))):
        least_k, most_k = _bound(lows[a], k), _bound(highs[b], k)
        chamber = list(rest)
        for others, chosen, sign in ((lows, a, 1), (highs, b, -1)):
            for c, other in enumerate(others):
                if c != chosen:  # ties go to the earlier bound
                    gap = _minus(_bound(others[chosen], k), _bound(other, k), sign)
                    chamber.append((*gap[:-1], gap[-1] - (c < chosen)))
        chamber.append(_minus(most_k, least_k, 1))
        total += _sum(equal, chamber, _poly_sum(weight, k, least_k, most_k), rest_left, effort)
    return total


def _tightened(row: Row, k: int) -> Row:
    """A bound on k alone divided by its coefficient."""
    c = abs(row[k])
    if c != 1 and all(x % c == 0 for x in row[:-1]):
        return (*(x // c for x in row[:-1]), row[-1] // c)
    return row


def _bound(row: Row, k: int) -> Row:
    """The affine bound on k that ``row >= 0`` states, for a coefficient of 1 or -1."""
    return tuple(0 if j == k else -row[k] * x for j, x in enumerate(row))


def _minus(a: Row, b: Row, sign: int) -> Row:
    return tuple(sign * (x - y) for x, y in zip(a, b, strict=True))


def _poly_add(into: Poly, other: Poly, factor: Fraction) -> None:
    for exponents, coefficient in other.items():
        into[exponents] = into.get(exponents, Fraction(0)) + factor * coefficient
        if not into[exponents]:
            del into[exponents]


def _poly_mul(a: Poly, b: Poly) -> Poly:
    result: Poly = {}
    for x, c in a.items():
        _poly_add(result, {tuple(i + j for i, j in zip(x, y, strict=True)): d for y, d in b.items()}, c)
    return result


def _linear(row: Row) -> Poly:
    size = len(row) - 1
    result: Poly = {}
    for k, c in enumerate(row[:-1]):
        if c:
            result[tuple(int(j == k) for j in range(size))] = Fraction(c)
    if row[-1]:
        result[(0,) * size] = Fraction(row[-1])
    return result


def _powers(row: Row, highest: int) -> list[Poly]:
    size = len(row) - 1
    result: list[Poly] = [{(0,) * size: Fraction(1)}]
    for _ in range(highest):
        result.append(_poly_mul(result[-1], _linear(row)))
    return result


def _by_degree(weight: Poly, k: int) -> dict[int, Poly]:
    by_degree: dict[int, Poly] = {}
    for exponents, coefficient in weight.items():
        rest = (*exponents[:k], 0, *exponents[k + 1 :])
        by_degree.setdefault(exponents[k], {})[rest] = coefficient
    return by_degree


def _poly_substitute(weight: Poly, k: int, value: Row) -> Poly:
    parts = _by_degree(weight, k)
    powers = _powers(value, max(parts, default=0))
    result: Poly = {}
    for degree, part in parts.items():
        _poly_add(result, _poly_mul(part, powers[degree]), Fraction(1))
    return result


def _poly_sum(weight: Poly, k: int, low: Row, high: Row) -> Poly:
    """Sum of ``weight`` for k from ``low`` to ``high``."""
    parts = _by_degree(weight, k)
    top = max(parts, default=0) + 1
    below = (*low[:-1], low[-1] - 1)
    upper, lower = _powers(high, top), _powers(below, top)
    result: Poly = {}
    for degree, part in parts.items():
        total: Poly = {}
        for power, coefficient in enumerate(_faulhaber(degree)):
            _poly_add(total, upper[power], coefficient)
            _poly_add(total, lower[power], -coefficient)
        _poly_add(result, _poly_mul(part, total), Fraction(1))
    return result


@lru_cache(maxsize=64)
def _bernoulli(n: int) -> Fraction:
    """Bernoulli number with B1 = +1/2."""
    if n == 0:
        return Fraction(1)
    if n == 1:
        return Fraction(1, 2)
    terms = (comb(n + 1, k) * (_bernoulli(k) if k != 1 else Fraction(-1, 2)) for k in range(n))
    return -sum(terms, Fraction(0)) / (n + 1)


@lru_cache(maxsize=64)
def _faulhaber(degree: int) -> tuple[Fraction, ...]:
    """Coefficients of the polynomial S with S(n) - S(m-1) = m**d + ... + n**d."""
    result = [Fraction(0)] * (degree + 2)
    for j in range(degree + 1):
        result[degree + 1 - j] += Fraction(comb(degree + 1, j)) * _bernoulli(j) / (degree + 1)
    return tuple(result)
