"""Integer linear algebra for lattices of tile translations: Hermite form, kernels, coset representatives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Vector = tuple[int, ...]


def hermite(rows: Sequence[Sequence[int]]) -> tuple[Vector, ...]:
    """Row Hermite normal form of the lattice that ``rows`` span: echelon, positive pivots, reduced above."""
    work = [list(r) for r in rows if any(r)]
    width = len(work[0]) if work else 0
    done = 0
    for column in range(width):
        while True:
            live = [r for r in range(done, len(work)) if work[r][column]]
            if not live:
                break
            best = min(live, key=lambda r: abs(work[r][column]))
            work[done], work[best] = work[best], work[done]
            pivot = work[done]
            for r in range(done + 1, len(work)):
                factor = work[r][column] // pivot[column]
                if factor:
                    work[r] = [a - factor * b for a, b in zip(work[r], pivot, strict=True)]
            if not any(work[r][column] for r in range(done + 1, len(work))):
                break
        if done < len(work) and work[done][column]:
            if work[done][column] < 0:
                work[done] = [-a for a in work[done]]
            for r in range(done):
                factor = work[r][column] // work[done][column]
                if factor:
                    work[r] = [a - factor * b for a, b in zip(work[r], work[done], strict=True)]
            done += 1
            work = [*work[:done], *(r for r in work[done:] if any(r))]
            if done == len(work):
                break
    return tuple(tuple(r) for r in work[:done])


def kernel(matrix: Sequence[Sequence[int]], width: int) -> tuple[Vector, ...]:
    """Basis of all integer ``x`` of length ``width`` with ``matrix x = 0`` (a saturated lattice)."""
    height = len(matrix)
    columns = [[matrix[r][c] for r in range(height)] + [int(c == k) for k in range(width)] for c in range(width)]
    form = hermite(columns)
    return tuple(row[height:] for row in form if not any(row[:height]))


def rank(matrix: Sequence[Sequence[int]]) -> int:
    """Rank over the rationals."""
    return len(hermite(matrix))


def pivots(basis: Sequence[Vector]) -> tuple[tuple[int, int], ...]:
    """(column, modulus) of each row of a Hermite form: the box that holds one point of every coset."""
    places = []
    for row in basis:
        column = next(k for k, a in enumerate(row) if a)
        places.append((column, row[column]))
    return tuple(places)


def reduced(x: Sequence[int], basis: Sequence[Vector]) -> Vector:
    """The representative of the coset of ``x`` modulo the lattice with Hermite form ``basis``."""
    out = list(x)
    for row, (column, modulus) in zip(basis, pivots(basis), strict=True):
        factor = out[column] // modulus
        if factor:
            out = [a - factor * b for a, b in zip(out, row, strict=True)]
    return tuple(out)


def projected(x: Sequence[int], basis: Sequence[Vector]) -> tuple[Fraction, ...]:
    """``x`` without its components along ``basis`` (Hermite rows): linear, 0 on all of their rational span."""
    out = [Fraction(a) for a in x]
    for row, (column, modulus) in zip(basis, pivots(basis), strict=True):
        factor = out[column] / modulus
        out = [a - factor * b for a, b in zip(out, row, strict=True)]
    return tuple(out)


def apply(matrix: Sequence[Sequence[int]], x: Sequence[int]) -> Vector:
    """``matrix x``."""
    return tuple(sum(a * b for a, b in zip(row, x, strict=True)) for row in matrix)


def add(x: Sequence[int], y: Sequence[int]) -> Vector:
    """Sum of two vectors."""
    return tuple(a + b for a, b in zip(x, y, strict=True))


def sub(x: Sequence[int], y: Sequence[int]) -> Vector:
    """Difference of two vectors."""
    return tuple(a - b for a, b in zip(x, y, strict=True))


def solve(basis: Sequence[Vector], x: Sequence[int]) -> Vector | None:
    """Integer coordinates of ``x`` in the lattice with Hermite form ``basis``, None when outside."""
    rest, coordinates = list(x), []
    for row, (column, modulus) in zip(basis, pivots(basis), strict=True):
        factor, remainder = divmod(rest[column], modulus)
        if remainder:
            return None
        coordinates.append(factor)
        rest = [a - factor * b for a, b in zip(rest, row, strict=True)]
    return None if any(rest) else tuple(coordinates)


def quotient(lattice: Sequence[Vector], width: int) -> tuple[tuple[Vector, ...], tuple[Vector, ...]]:
    """Coordinates of Z^width modulo a saturated lattice: rows ``q`` (x -> q x) and points with unit coordinates."""
    rows = kernel(lattice, width) if lattice else tuple(tuple(int(j == k) for j in range(width)) for k in range(width))
    tall = [[row[j] for row in rows] + [int(j == k) for k in range(width)] for j in range(width)]
    form = hermite(tall)
    return rows, tuple(r[len(rows) :] for r in form[: len(rows)])
