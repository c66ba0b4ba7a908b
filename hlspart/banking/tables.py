"""Banks of the classes of a lattice, found by colouring: every periodic mapping is such a table.

A translate of the accesses that some iteration makes touches one class per access; no bank may have more of these
classes than it serves. Small periods come first. The search is cut by a budget: what it does not find is not excluded.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator, Sequence
from itertools import count, product, takewhile
from random import Random

from msgspec import Struct

from hlspart.banking.circle import Circle, bits, multipliers
from hlspart.banking.exchange import Exchange
from hlspart.banking.need import Motion, Offset
from hlspart.layouts.lattice import dot

MAX_CLASSES = 96  # of a table
MOVES = 120  # of one colouring, times 2 with each unit of effort
LOOK = 400  # microseconds, about: whether one bank can hold its share

TableParts = tuple[
    tuple[Offset, ...], tuple[int, ...], tuple[int, ...]
]  # characters, their moduli, banks of the classes


class Pattern(Struct, frozen=True):
    """Accesses of one iteration, of which at most ``cap`` may share a bank; ``motion`` None: at every position."""

    offsets: tuple[Offset, ...]
    cap: int
    motion: Motion | None

    def fits(self, classes: int, banks: int) -> bool:
        """Whether one bank could hold its share of the classes, each of which is touched as often as any other."""
        return classes * self.cap // len(self.offsets) >= -(-classes // banks)

    def is_dense(self, classes: int) -> bool:
        """Whether there are positions for so many classes, one step apart."""
        if self.motion is None:
            return True
        moves = self.motion.moves
        return all(sum(map(abs, move)) == 1 for move, _ in moves) and math.prod(n for _, n in moves) >= classes


class Tables:
    """Tables that serve all ``patterns``; ``left``: work that may still be done, in microseconds or so."""

    def __init__(self, patterns: Sequence[Pattern], budget: int, effort: int = 1) -> None:
        self.left = budget
        self._moves = MOVES * 2 ** (effort - 1)
        self._patterns = patterns
        self._rank = len(patterns[0].offsets[0])
        self._random = Random(1)
        self._known: dict[tuple[int, int], bool] = {}  # by distances that meet and share: whether a bank holds it

    def search(self, banks: int) -> TableParts | None:
        """A table with exactly so many banks; None says nothing."""
        for classes in range(banks + 1, MAX_CLASSES + 1):
            if not all(p.fits(classes, banks) for p in self._patterns if p.is_dense(classes)):
                continue
            seen: set[object] = set()
            for alphas, moduli in self._apart(classes):
                if self.left < 0:
                    return None
                table = self._table(alphas, moduli, banks, seen)
                if table is not None:
                    return alphas, moduli, table
        return None

    def _apart(self, classes: int) -> Iterator[tuple[tuple[Offset, ...], tuple[int, ...]]]:
        """Lattices with so many classes under which no two accesses of an iteration share one."""
        groups = [(p.offsets, 1) for p in self._patterns]
        for alpha in self._alphas([Circle(groups, None, 1, classes, self._rank)], classes):
            yield (alpha,), (classes,)
        for times in takewhile(lambda t: t**self._rank <= classes, count(2)):
            if self._rank == 1 or classes % times**self._rank:
                continue
            each = classes // times**self._rank
            for alpha in self._alphas((), each):
                scaled = _scaled(alpha, each, times)
                if scaled is not None and all(_distinct(p.offsets, *scaled) for p in self._patterns):
                    yield scaled

    def _alphas(self, circles: Sequence[Circle], period: int) -> Iterator[Offset]:
        """Multipliers up to units that the circles allow."""
        for prefix, mask, work in multipliers(circles, period, self._rank, "units"):
            self.left -= 1 + work // 6
            if self.left < 0:
                return
            for last in bits(mask):
                if math.gcd(period, last, *prefix) == 1:
                    self.left -= 8
                    yield (*prefix, last)

    def _table(
        self, alphas: Sequence[Offset], moduli: Sequence[int], banks: int, seen: set[object]
    ) -> tuple[int, ...] | None:
        """Banks of the classes alpha_j . x mod n_j in row-major order, which number exactly ``banks``."""
        classes = math.prod(moduli)
        share = -(-classes // banks)
        at = [_positions(p, alphas, moduli) for p in self._patterns]
        everywhere = [all(mask == (1 << n) - 1 for mask, n in zip(masks, moduli, strict=True)) for masks in at]
        for p, every in zip(self._patterns, everywhere, strict=True):
            if every and not (p.fits(classes, banks) and self._has_room(p, alphas, moduli, share)):
                return None
        rows = {
            (m, p.cap)
            for p, masks in zip(self._patterns, at, strict=True)
            for m in _translates(p, alphas, moduli, masks)
        }
        self.left -= 2 * len(rows)
        key = frozenset(rows)
        if key in seen:
            return None
        seen.add(key)
        exchange = Exchange(classes, sorted(rows))
        table = None
        if not all(everywhere) or exchange.holds(share, LOOK):
            table = exchange.colours(banks, self._moves, self._random)
        self.left -= exchange.work
        return table

    def _has_room(self, pattern: Pattern, alphas: Sequence[Offset], moduli: Sequence[int], share: int) -> bool:
        """Whether one bank could hold its share of the classes, where that is told by one character."""
        if pattern.cap > 1 or len(moduli) > 1:
            return True
        (alpha,), (n,) = alphas, moduli
        places = [dot(alpha, o) % n for o in pattern.offsets]
        twice = sum(1 << p | 1 << p + n for p in places)
        near = functools.reduce(operator.or_, (twice >> p for p in places)) & (1 << n) - 1
        if (near, share) not in self._known:
            possible, taken = _spread(near, n, share, LOOK)
            self.left -= taken
            self._known[near, share] = possible
        self.left -= 15
        return self._known[near, share]


def _scaled(alpha: Offset, each: int, times: int) -> tuple[tuple[Offset, ...], tuple[int, ...]] | None:
    """Characters of the lattice alpha . x = 0 mod ``each``, scaled by ``times``; None where no multiple of one axis
    helps to write them."""
    rank = len(alpha)
    for axis in range(rank):
        for lift in range(alpha[axis], alpha[axis] + each * times, each):
            if math.gcd(lift, times) == 1:
                full = (*alpha[:axis], lift, *alpha[axis + 1 :])
                units = (tuple(int(j == k) for j in range(rank)) for k in range(rank) if k != axis)
                return (*units, full), (*(times,) * (rank - 1), times * each)
    return None


def _distinct(offsets: Sequence[Offset], alphas: Sequence[Offset], moduli: Sequence[int]) -> bool:
    classes = {tuple(dot(a, o) % n for a, n in zip(alphas, moduli, strict=True)) for o in offsets}
    return len(classes) == len(offsets)


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

    possible = extend((1 << places) - 1 & ~near, number - 1)
    return possible, steps - left


def _positions(pattern: Pattern, alphas: Sequence[Offset], moduli: Sequence[int]) -> list[int]:
    """Masks of what is added to the classes of the offsets, along each character."""
    positions = []
    for alpha, n in zip(alphas, moduli, strict=True):
        mask = every = (1 << n) - 1
        if pattern.motion is not None:
            mask, start = pattern.motion.phases(alpha, n), dot(alpha, pattern.motion.start) % n
            mask = mask << start & every | mask >> n - start
        positions.append(mask)
    return positions


def _translates(
    pattern: Pattern, alphas: Sequence[Offset], moduli: Sequence[int], positions: Sequence[int]
) -> Iterator[int]:
    """The classes that each iteration touches, as a mask: rows of n bits for the last modulus n, turned round."""
    *leading, last = positions
    n = moduli[-1]
    row = (1 << n) - 1
    rows: dict[tuple[int, ...], int] = {}
    for o in pattern.offsets:
        *above, place = (dot(alpha, o) for alpha in alphas)
        rows[tuple(above)] = rows.get(tuple(above), 0) | 1 << place % n
    for start in product(*map(bits, leading)):
        lines = []
        for key, mask in rows.items():
            flat = 0
            for s, a, m in zip(start, key, moduli, strict=False):
                flat = flat * m + (s + a) % m
            lines.append((flat * n, mask))
        for t in bits(last):
            classes = 0
            for shift, mask in lines:
                classes |= (mask << t & row | mask >> n - t) << shift
            yield classes
