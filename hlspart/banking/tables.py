"""Banks of the classes of a lattice, found by colouring: every periodic mapping is such a table.

A translate of the accesses that some iteration makes touches one class per access; no bank may have more of these
classes than it serves. Small periods come first. The search is cut by a budget: what it does not find is not excluded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from hlspart.banking.colouring import colour
from hlspart.banking.need import Motion, Offset
from hlspart.layouts.lattice import dot

STEPS = 60  # of one colouring
FEWEST = 18_000  # what one step takes of the budget, at least
SETUP = 20  # what writing down the constraints of one costs, in the same unit


@dataclass(frozen=True)
class Pattern:
    """Accesses of one iteration, of which at most ``cap`` may share a bank; ``motion`` None: at every position."""

    offsets: tuple[Offset, ...]
    cap: int
    motion: Motion | None


class Tables:
    """Tables that serve all ``patterns``; ``left``: steps times banks and accesses cubed that may still be taken."""

    def __init__(self, patterns: Sequence[Pattern], budget: int) -> None:
        self.patterns = patterns
        self.left = budget
        self._size = max(len(p.offsets) for p in patterns)

    def room(self, classes: int, banks: int) -> bool:
        """Whether so many classes could share so many banks at all: of each, an iteration holds ``cap`` at most."""
        return all(banks * (classes * p.cap // len(p.offsets)) >= classes for p in self.patterns if p.motion is None)

    def table(self, alphas: Sequence[Offset], moduli: Sequence[int], banks: int) -> tuple[int, ...] | None:
        """Banks of the classes alpha_j . x mod n_j in row-major order, which number exactly ``banks``."""
        constraints = sorted({(mask, p.cap) for p in self.patterns for mask in _translates(p, alphas, moduli)})
        found = colour(math.prod(moduli), constraints, banks, STEPS)
        self.left -= (SETUP + found.steps) * max(FEWEST, banks * self._size**3)
        return found.colours


def _translates(pattern: Pattern, alphas: Sequence[Offset], moduli: Sequence[int]) -> Iterator[int]:
    """The classes that each iteration touches, as a mask: rows of n bits for the last modulus n, turned round."""
    *leading, last = (
        range(n) if pattern.motion is None else _reached(pattern.motion, alpha, n)
        for alpha, n in zip(alphas, moduli, strict=True)
    )
    n = moduli[-1]
    row = (1 << n) - 1
    rows: dict[tuple[int, ...], int] = {}
    for o in pattern.offsets:
        *above, place = (dot(alpha, o) for alpha in alphas)
        rows[tuple(above)] = rows.get(tuple(above), 0) | 1 << place % n
    for start in product(*leading):
        lines = []
        for key, mask in rows.items():
            flat = 0
            for s, a, m in zip(start, key, moduli, strict=False):
                flat = flat * m + (s + a) % m
            lines.append((flat * n, mask))
        for t in last:
            classes = 0
            for shift, mask in lines:
                classes |= (mask << t & row | mask >> n - t) << shift
            yield classes


def _reached(motion: Motion, alpha: Offset, modulus: int) -> list[int]:
    start = dot(alpha, motion.start)
    return sorted({(start + t) % modulus for t in motion.phases(alpha, modulus)})
