"""Lattice banking: elements share a bank when they differ by a vector of an integer lattice.

A sublattice of Z^d of index N gives N banks. It is written by *characters* (alpha_j, n_j): the bank
coordinates of x are alpha_j . x mod n_j. One character is linear (skewed) banking; several cover
every product of cyclic factors and the groups that are not cyclic. The address inside a bank
comes from the Hermite normal form: the box of its diagonal holds each bank exactly once, so the
number of the box together with the bank determines the element.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.layouts.ctext import Formula, TextWriter, combination_note, combination_text, reach
from hlspart.layouts.dimension import CrossingDimensions
from hlspart.model.inferred import BankingMap, LatticeMap, LinearMap

Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]


class LatticeLayout(CrossingDimensions, Struct, frozen=True, dict=True):
    """``alphas[j] . x mod moduli[j]``; the characters together reach all product(moduli) values."""

    shape: tuple[int, ...]
    alphas: tuple[Vector, ...]
    moduli: tuple[int, ...]

    @staticmethod
    def of_hnf(shape: tuple[int, ...], hnf: Matrix) -> LatticeLayout:
        """Layout whose banks are the cosets of the lattice spanned by the rows of ``hnf``."""
        characters = characters_of(hnf)
        return LatticeLayout(shape, tuple(a for a, _ in characters), tuple(n for _, n in characters))

    @cached_property
    def banks(self) -> int:
        """Number of banks."""
        return math.prod(self.moduli)

    @property
    def linear(self) -> bool:
        """Whether one character says it all."""
        return len(self.moduli) <= 1

    @property
    def kind(self) -> str:
        """The word for it in results."""
        return "linear" if self.linear else "lattice"

    @property
    def mapping(self) -> BankingMap:
        """The record of this layout."""
        if len(self.moduli) == 1:
            return LinearMap(self.alphas[0], self.moduli[0])
        return LatticeMap(self.hnf)

    @property
    def is_invariant(self) -> bool:
        """A lattice is the same everywhere."""
        return True

    @cached_property
    def hnf(self) -> Matrix:
        """Hermite normal form of the lattice: upper triangular, entries right of h_k below the later diagonal."""
        return _hermite(self.alphas, self.moduli, tuple(range(len(self.shape))))

    @cached_property
    def cell(self) -> Vector:
        """Diagonal of the Hermite form in the coordinate order that wastes least: extents of the box."""
        best: tuple[int, Vector] | None = None
        for order in itertools.permutations(range(len(self.shape))):
            rows = _hermite(self.alphas, self.moduli, order)
            cell = [0] * len(order)
            for k, axis in enumerate(order):
                cell[axis] = rows[k][k]
            words = math.prod(-(-n // h) for n, h in zip(self.shape, cell, strict=True))
            if best is None or words < best[0]:
                best = (words, tuple(cell))
        assert best is not None
        return best[1]

    @cached_property
    def boxes(self) -> Vector:
        """Number of boxes along each dimension."""
        return tuple(-(-n // h) for n, h in zip(self.shape, self.cell, strict=True))

    def bank(self, x: tuple[int, ...]) -> int:
        """Bank of element ``x``."""
        flat = 0
        for alpha, modulus in zip(self.alphas, self.moduli, strict=True):
            flat = flat * modulus + dot(alpha, x) % modulus
        return flat

    def offset(self, x: tuple[int, ...]) -> int:
        """Address of ``x`` inside its bank."""
        at = 0
        for i, h, count in zip(x, self.cell, self.boxes, strict=True):
            at = at * count + i // h
        return at

    def depth(self, bank: int) -> int:
        """Words of ``bank``, the padding of incomplete boxes included; all banks are alike."""
        return math.prod(self.boxes)

    @property
    def depths(self) -> Counter[int]:
        """How many banks have which depth."""
        return Counter({self.depth(0): self.banks})

    def place(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Index of ``x`` in the C array of its bank."""
        return (self.offset(x),)

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of the C array of ``bank``."""
        return (self.depth(bank),)

    def shares_bank(self, delta: tuple[int, ...]) -> bool:
        """Whether x and x + delta share a bank, for all x alike."""
        return all(dot(a, delta) % n == 0 for a, n in zip(self.alphas, self.moduli, strict=True))

    @property
    def congruences(self) -> tuple[tuple[Vector, int], ...]:
        """(alpha, n): elements x, y can share a bank only if alpha . (x - y) = 0 mod n."""
        return tuple(zip(self.alphas, self.moduli, strict=True))

    def isl_banks(self, indices: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Bank coordinates as isl expressions with their sizes."""
        return tuple((f"(({isl_dot(a, indices)}) mod {n})", n) for a, n in self.congruences)

    def isl_bank(self, indices: tuple[str, ...]) -> str:
        """Flat bank number as an isl expression of index expressions."""
        text = "0"
        for term, n in self.isl_banks(indices):
            text = term if text == "0" else f"({n}*{text} + {term})"
        return text

    def formula(self, writer: TextWriter, indices: Sequence[str]) -> Formula:
        """Bank and place as C text."""
        bank, notes = "", []
        for alpha, modulus in zip(self.alphas, self.moduli, strict=True):
            part = writer.mod(combination_text(alpha, indices), modulus, reach(alpha, self.shape))
            bank = f"{modulus}u * ({bank}) + ({part})" if bank else part
            notes.append(f"({combination_note(alpha)}) mod {modulus}")
        word, note = self.box_text(writer, indices)
        source = "lattice banking, cf. Cilardo and Gallo, ACM TACO 2015"
        return Formula(bank or "0u", (word,), " and ".join(notes) or "0", note, source)

    def box_text(self, writer: TextWriter, indices: Sequence[str]) -> tuple[str, str]:
        """Row-major number of the box of the Hermite form's diagonal: C text, and a note for readers."""
        word, note = "", ""
        axes = [f"x{k}" for k in range(len(indices))]
        for k, (h, count, x, n) in enumerate(zip(self.cell, self.boxes, indices, self.shape, strict=True)):
            if count == 1:
                continue
            part = writer.div(x, h, n - 1)
            part = f"({part})" if ">>" in part else part
            term = f"x{k}" if h == 1 else f"x{k}/{h}"
            word = f"{count}u * {word if word in indices else f'({word})'} + {part}" if word else part
            note = f"{count}*{note if note in axes else f'({note})'} + {term}" if note else term
        return word or "0u", note or "0"


def linear(shape: tuple[int, ...], alpha: Vector, modulus: int) -> LatticeLayout:
    """bank(x) = alpha . x mod modulus; alpha and modulus have no common divisor."""
    assert math.gcd(modulus, *alpha) == 1
    return LatticeLayout(shape, (tuple(a % modulus for a in alpha),), (modulus,))


def characters_of(hnf: Matrix) -> tuple[tuple[Vector, int], ...]:
    """(alpha, n) with n > 1 whose common kernel is the lattice spanned by the rows (Smith normal form)."""
    rank = len(hnf)
    m = [list(row) for row in hnf]
    v = [[int(a == b) for b in range(rank)] for a in range(rank)]

    def add_column(target: int, source: int, times: int) -> None:
        for row in (*m, *v):
            row[target] += times * row[source]

    for k in range(rank):
        while True:
            nonzero = [(abs(m[r][c]), r, c) for r in range(k, rank) for c in range(k, rank) if m[r][c]]
            if not nonzero:
                break
            _, r, c = min(nonzero)
            m[k], m[r] = m[r], m[k]
            for row in (*m, *v):
                row[k], row[c] = row[c], row[k]
            for r in range(k + 1, rank):
                times = m[r][k] // m[k][k]
                m[r] = [a - times * b for a, b in zip(m[r], m[k], strict=True)]
            for c in range(k + 1, rank):
                add_column(c, k, -(m[k][c] // m[k][k]))
            if any(m[r][k] for r in range(k + 1, rank)) or any(m[k][c] for c in range(k + 1, rank)):
                continue
            odd = next(
                (r for r in range(k + 1, rank) if any(m[r][c] % m[k][k] for c in range(k + 1, rank))), None
            )  # fmt: skip
            if odd is None:
                break
            m[k] = [a + b for a, b in zip(m[k], m[odd], strict=True)]
    characters = []
    for k in range(rank):
        n = abs(m[k][k])
        if n > 1:
            characters.append((plainest(tuple(v[r][k] % n for r in range(rank)), n), n))
    return tuple(characters)


def plainest(alpha: Vector, modulus: int) -> Vector:
    """The multiple by a unit with the smallest entries, which has the same kernel."""
    if modulus > 4096:
        return alpha
    units = (u for u in range(1, modulus) if math.gcd(u, modulus) == 1)
    return min((tuple(a * u % modulus for a in alpha) for u in units), key=lambda c: (sum(c), max(c), c))


def _hermite(alphas: Sequence[Vector], moduli: Vector, order: Sequence[int]) -> Matrix:
    """Hermite form with the coordinates taken in ``order``.

    From the last coordinate up: h is the least multiple of its unit vector that the later ones
    can cancel modulo the lattice; ``made`` maps each class that they make to how they make it.
    """
    rank = len(order)
    zero = (0,) * len(moduli)
    made: dict[Vector, Vector] = {zero: (0,) * rank}
    rows: list[Vector] = []
    for k in reversed(range(rank)):
        unit = tuple(alpha[order[k]] % n for alpha, n in zip(alphas, moduli, strict=True))
        times, at = 1, unit
        while (minus := tuple(-a % n for a, n in zip(at, moduli, strict=True))) not in made:
            times += 1
            at = tuple((a + u) % n for a, u, n in zip(at, unit, moduli, strict=True))
        tail = made[minus]
        rows.append((*((0,) * k), times, *tail[k + 1 :]))
        grown: dict[Vector, Vector] = {}
        for cls, how in made.items():
            at = cls
            for t in range(times):
                grown[at] = (*how[:k], t, *how[k + 1 :])
                at = tuple((a + u) % n for a, u, n in zip(at, unit, moduli, strict=True))
        made = grown
    return tuple(reversed(rows))


def dot(alpha: Sequence[int], x: Sequence[int]) -> int:
    """Inner product."""
    return sum(map(operator.mul, alpha, x))


def isl_dot(alpha: Sequence[int], indices: Sequence[str]) -> str:
    """Inner product as an isl expression."""
    return " + ".join(f"{a}*({i})" for a, i in zip(alpha, indices, strict=True) if a) or "0"
