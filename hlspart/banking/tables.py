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
SETUP = 3  # writing down the constraints of so many classes costs one step
GLANCE = 16  # so many places tried for one bank cost one step; it gets as many of these as a colouring gets steps


@dataclass(frozen=True)
class Pattern:
    """Accesses of one iteration, of which at most ``cap`` may share a bank; ``motion`` None: at every position."""

    offsets: tuple[Offset, ...]
    cap: int
    motion: Motion | None

    def fits(self, classes: int, banks: int) -> bool:
        """Whether one bank could hold its share of the classes, each of which is touched as often as any other."""
        return classes * self.cap // len(self.offsets) >= -(-classes // banks)

    def dense(self, classes: int) -> bool:
        """Whether there are positions for so many classes, one step apart."""
        if self.motion is None:
            return True
        moves = self.motion.moves
        return all(sum(map(abs, move)) == 1 for move, _ in moves) and math.prod(n for _, n in moves) >= classes


class Tables:
    """Tables that serve all ``patterns``; ``left``: steps times banks and accesses cubed that may still be taken."""

    def __init__(self, patterns: Sequence[Pattern], budget: int) -> None:
        self.patterns = patterns
        self.left = budget
        self._size = max(len(p.offsets) for p in patterns)

    def room(self, classes: int, banks: int) -> bool:
        """Whether tables of so many classes are worth a try."""
        return all(p.fits(classes, banks) for p in self.patterns if p.dense(classes))

    def table(self, alphas: Sequence[Offset], moduli: Sequence[int], banks: int) -> tuple[int, ...] | None:
        """Banks of the classes alpha_j . x mod n_j in row-major order, which number exactly ``banks``."""
        classes = math.prod(moduli)
        at = [_positions(p, alphas, moduli) for p in self.patterns]
        for p, ranges in zip(self.patterns, at, strict=True):
            if math.prod(map(len, ranges)) == classes and not self._room(p, alphas, moduli, banks):
                return None
        rows = {
            (m, p.cap)
            for p, ranges in zip(self.patterns, at, strict=True)
            for m in _translates(p, alphas, moduli, ranges)
        }
        found = colour(classes, sorted(rows), banks, STEPS)
        self.left -= (classes // SETUP + found.steps) * self._step(banks)
        return found.colours

    def _step(self, banks: int) -> int:
        return max(FEWEST, banks * self._size**3)

    def _room(self, pattern: Pattern, alphas: Sequence[Offset], moduli: Sequence[int], banks: int) -> bool:
        """Whether one bank could hold its share of the classes, where every position is reached."""
        classes, offsets = math.prod(moduli), pattern.offsets
        taken, held = 0, pattern.fits(classes, banks)
        if held and pattern.cap == 1 and len(moduli) == 1:
            places = [dot(alphas[0], o) for o in offsets]
            near = {(one - other) % classes for one in places for other in places}
            held, taken = _spread(sum(1 << d for d in near), classes, -(-classes // banks), GLANCE * STEPS)
        if not held:
            self.left -= (1 + taken // GLANCE) * self._step(banks)
        return held


def _spread(near: int, places: int, number: int, steps: int) -> tuple[bool, int]:
    """Whether so many places of a circle have no distance in the mask ``near``, or it was not decided; steps taken."""
    left = steps

    def extend(free: int, more: int) -> bool:
        nonlocal left
        while free.bit_count() >= more > 0:
            low = free & -free
            free ^= low
            at = low.bit_length() - 1
            left -= 1
            if left < 0 or extend(free & ~(near << at | near >> places - at), more - 1):
                return True
        return more == 0

    found = extend((1 << places) - 1 & ~near, number - 1)
    return found, steps - left


def _positions(pattern: Pattern, alphas: Sequence[Offset], moduli: Sequence[int]) -> list[Sequence[int]]:
    """What is added to the classes of the offsets, along each character."""
    if pattern.motion is None:
        return [range(n) for n in moduli]
    return [_reached(pattern.motion, alpha, n) for alpha, n in zip(alphas, moduli, strict=True)]


def _translates(
    pattern: Pattern, alphas: Sequence[Offset], moduli: Sequence[int], positions: Sequence[Sequence[int]]
) -> Iterator[int]:
    """The classes that each iteration touches, as a mask: rows of n bits for the last modulus n, turned round."""
    *leading, last = positions
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
