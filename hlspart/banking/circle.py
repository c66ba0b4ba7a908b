"""Multipliers alpha under which no bank is crowded, for linear and block-cyclic maps, many at a time.

bank(x) = floor((alpha . x) / B) mod N: residues of accesses on a circle of B * N places, a bank is a
window of B places. A set of last coordinates of alpha is one number with a bit for each of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from operator import mul, sub
from typing import Literal

from hlspart.banking.need import Motion, Offset
from hlspart.layouts.lattice import dot

Group = tuple[tuple[Offset, ...], int]  # accesses of which at most so many may share a bank
# What the coordinates before make of a difference, what one unit of the next one adds; the arc of the last one.
_Line = tuple[int, int, int, int, int, list[int]]


class _Arc:
    """Coordinates a with (a * distance + shift) mod period in [begin, block), for any shift.

    One more in a is ``distance`` more in shift, so that the answers for all shifts that are alike modulo
    gcd(distance, period) are rotations of one.
    """

    __slots__ = ("apart", "common", "inverse", "masks")

    def __init__(self, distance: int, period: int, begin: int, block: int) -> None:
        self.common = math.gcd(distance, period)
        self.apart = period // self.common
        self.inverse = pow(distance // self.common, -1, self.apart)
        every = ((1 << period) - 1) // ((1 << self.apart) - 1)  # each ``apart``-th place
        self.masks = [0] * self.common  # for each shift below ``common``; once more from the period on
        for place in range(begin, block):
            turns, rest = divmod(place, self.common)
            self.masks[rest] |= every << turns * self.inverse % self.apart
        self.masks = [mask | mask << period for mask in self.masks]

    def at(self, shift: int) -> int:
        """For a shift from 0 on, as a bit mask; bits from the period on say nothing."""
        return self.masks[shift % self.common] >> shift // self.common * self.inverse % self.apart


class Circle:
    """Groups of accesses whose residues the loop moves together.

    ``motion`` gives the *phases*: what alpha . (linear part) is modulo the block. An access at place p of its
    block crowds a bank when more than cap - 1 others lie in the window that begins p places before it. Where
    every phase is reached, windows that begin at an access (p = 0) are enough; elsewhere just the
    places that the phases give count. ``motion`` None: all phases are asked about.
    """

    def __init__(self, groups: Sequence[Group], motion: Motion | None, block: int, period: int, rank: int) -> None:
        self.block, self._period = block, period
        self._groups = [(offsets, cap) for offsets, cap in groups if len(offsets) > cap]
        self._motion = motion if block > 1 and motion is not None and not _is_steady(motion, block, rank) else None
        self._arcs: dict[tuple[int, int], _Arc] = {}
        self._led: dict[tuple[int, int | None], list[tuple[Offset, _Arc]]] = {}
        self._written: Offset | None = None  # what the lines below were written for
        self._lined: dict[tuple[int, int | None], list[_Line]] = {}

    @property
    def even(self) -> bool:
        """Whether every phase counts, so that alpha and -alpha are mirror images."""
        return self._motion is None

    @cached_property
    def work(self) -> int:
        """Comparisons for one choice of the leading coordinates, at most."""
        return sum(len(offsets) * (len(offsets) - 1) // (2 if cap == 1 else 1) for offsets, cap in self._groups)

    def projected(self, rank: int) -> Circle:
        """What the first ``rank`` coordinates of alpha must tell apart: accesses that agree in all others.

        Where not every phase counts, only accesses on one place of the circle are sure to meet.
        """
        groups: list[Group] = []
        for offsets, cap in self._groups:
            alike: dict[Offset, list[Offset]] = {}
            for o in offsets:
                alike.setdefault(o[rank:], []).append(o[:rank])
            groups += [(tuple(group), cap) for group in alike.values()]
        return Circle(groups, None, self.block if self._motion is None else 1, self._period, rank)

    def last(self, prefix: Offset, allowed: int) -> int:
        """Those last coordinates (a bit mask) out of ``allowed`` under which no bank is crowded."""
        if self._motion is None:
            return self._anywhere(prefix, allowed)
        kept = every = 0
        seats = [_Seat(self._period, *seat) for seat in self._seats(prefix)]
        for first in range(self.block):
            if math.gcd(self.block, first, *prefix) != 1:
                continue
            mask = sum(1 << a for a in range(first, self._period, self.block))
            alpha = (*prefix, first)
            phases = self._motion.phases(alpha, self.block)
            if phases == (1 << self.block) - 1:
                every |= mask
            else:
                start = dot(alpha, self._motion.start)
                reached = {(start + t) % self.block for t in bits(phases)}
                kept |= self._at_phases(seats, allowed & mask, first, reached)
        return kept | self._anywhere(prefix, allowed & every)

    def _anywhere(self, prefix: Offset, allowed: int) -> int:
        for k, (_, cap) in enumerate(self._groups):
            if not allowed:
                return 0
            allowed = self._apart(k, prefix, allowed) if cap == 1 else self._counted(k, prefix, allowed)
        return allowed

    def _apart(self, group: int, prefix: Offset, allowed: int) -> int:
        """One access a bank: no two may be nearer than a block."""
        period, p = self._period, prefix[-1] if prefix else 0
        for base, step, common, inverse, apart, masks in self._line(group, None, prefix[:-1]):
            shift = (base + p * step) % period
            allowed &= ~(masks[shift % common] >> shift // common * inverse % apart)
            if not allowed:
                return 0
        return allowed

    def _counted(self, group: int, prefix: Offset, allowed: int) -> int:
        """No more than ``cap`` accesses in the window that begins at each."""
        (offsets, cap), period, p = self._groups[group], self._period, prefix[-1] if prefix else 0
        for seat in range(len(offsets)):
            near = []
            for base, step, common, inverse, apart, masks in self._line(group, seat, prefix[:-1]):
                shift = (base + p * step) % period
                near.append(masks[shift % common] >> shift // common * inverse % apart)
            allowed &= ~_crowding(near, allowed, cap)
            if not allowed:
                return 0
        return allowed

    def _line(self, group: int, seat: int | None, before: Offset) -> list[_Line]:
        """Differences from the access ``seat``, or of any two, where ``before`` leads all coordinates but two."""
        if before != self._written:
            self._written, self._lined = before, {}
        line = self._lined.get((group, seat))
        if line is None:
            line = self._lined[group, seat] = [
                (sum(map(mul, before, lead)), lead[-1] if lead else 0, arc.common, arc.inverse, arc.apart, arc.masks)
                for lead, arc in self._leads(group, seat)
            ]
        return line

    def _leads(self, group: int, seat: int | None) -> list[tuple[Offset, _Arc]]:
        """The leading parts of these differences, and the arcs of their last coordinates."""
        leads = self._led.get((group, seat))
        if leads is None:
            offsets = self._groups[group][0]
            if seat is None:
                leads = [(lead, self._arc(last, 1 - self.block)) for lead, last in _differences(offsets)]
            else:
                deltas = [tuple(map(sub, o, offsets[seat])) for k, o in enumerate(offsets) if k != seat]
                leads = [(delta[:-1], self._arc(delta[-1], 0)) for delta in deltas]
            self._led[group, seat] = leads
        return leads

    def _arc(self, distance: int, begin: int) -> _Arc:
        arc = self._arcs.get((distance, begin))
        if arc is None:
            arc = self._arcs[distance, begin] = _Arc(distance, self._period, begin, self.block)
        return arc

    def _at_phases(self, seats: Sequence[_Seat], allowed: int, first: int, phases: set[int]) -> int:
        for seat in seats:
            for ahead in {(seat.base + first * seat.last + t) % self.block for t in phases}:
                allowed &= ~seat.crowded(ahead)
                if not allowed:
                    return 0
        return allowed

    def _seats(self, prefix: Offset) -> Iterator[tuple[list[tuple[_Arc, int]], int, int, int]]:
        """Each access: the others (arc, leading part from its own); its last coordinate, residue; its group's cap."""
        for offsets, cap in self._groups:
            places = [(o[-1], dot(prefix, o[:-1])) for o in offsets]
            for k, (last, base) in enumerate(places):
                others = [(self._arc(there - last, 0), at - base) for j, (there, at) in enumerate(places) if j != k]
                yield others, last, base, cap


class _Seat:
    """An access by its last coordinate and the residue of its leading part, where some coordinates are chosen."""

    __slots__ = ("_cap", "_crowded", "_others", "_period", "base", "last")

    def __init__(self, period: int, others: Sequence[tuple[_Arc, int]], last: int, base: int, cap: int) -> None:
        self._period, self._others, self._cap = period, others, cap
        self.last, self.base = last, base
        self._crowded: dict[int, int] = {}

    def crowded(self, ahead: int) -> int:
        """Last coordinates of alpha under which the window that begins ``ahead`` of it has too many others."""
        crowded = self._crowded.get(ahead)
        if crowded is None:
            near = [arc.at((off + ahead) % self._period) for arc, off in self._others]
            crowded = self._crowded[ahead] = _crowding(near, (1 << self._period) - 1, self._cap)
        return crowded


def _crowding(near: Sequence[int], allowed: int, cap: int) -> int:
    """Coordinates out of ``allowed`` that at least ``cap`` masks have: all are counted at once, in binary."""
    if len(near) < cap:
        return 0
    digits = [0] * len(near).bit_length()  # digits[k]: coordinates whose count has bit k
    for carry in near:
        k = 0
        while carry:
            digits[k], carry, k = digits[k] ^ carry, digits[k] & carry, k + 1
    above, equal = 0, allowed
    for k in reversed(range(len(digits))):
        if cap >> k & 1:
            equal &= digits[k]
        else:
            above |= equal & digits[k]
            equal &= ~digits[k]
    return above | equal


@lru_cache(maxsize=1024)
def _differences(offsets: tuple[Offset, ...]) -> tuple[tuple[Offset, int], ...]:
    """Between any two, as leading part and last coordinate, which is not below 0."""
    ordered = sorted(offsets, key=lambda o: (o[-1], o))
    unlike = {tuple(map(sub, one, other)): None for k, one in enumerate(ordered) for other in ordered[:k]}
    return tuple((delta[:-1], delta[-1]) for delta in unlike)


def _is_steady(motion: Motion, block: int, rank: int) -> bool:
    """Whether all phases are reached for any alpha without a divisor in common with the block."""
    free = set()
    for move, times in motion.moves:
        used = [k for k, c in enumerate(move) if c]
        if len(used) == 1 and times >= block and math.gcd(move[used[0]], block) == 1:
            free.add(used[0])
    return len(free) == rank


def multipliers(
    circles: Sequence[Circle], period: int, rank: int, alike: Literal["units", "signs", "none"]
) -> Iterator[tuple[Offset, int, int]]:
    """Every alpha modulo ``period`` that crowds no bank, as (leading coordinates, mask of last ones, work done).

    ``alike``: which multiples give the same banks: by units (the first coordinate that is not 0 divides the
    period then), alpha and -alpha, or none.
    """
    divisors = sum(1 << a for a in range(period) if a == 0 or period % a == 0)
    every = (1 << period) - 1
    first = {"units": divisors, "signs": (1 << period // 2 + 1) - 1, "none": every}[alike]

    def prefixes(circles: Sequence[Circle], rank: int) -> Iterator[tuple[Offset, int, int]]:
        work = 1 + sum(circle.work for circle in circles)
        for prefix, before in leading(circles, rank - 1):
            allowed = every if any(prefix) else first
            for circle in circles:
                allowed = circle.last(prefix, allowed)
                if not allowed:
                    break
            yield prefix, allowed, before + work

    def leading(circles: Sequence[Circle], rank: int) -> Iterator[tuple[Offset, int]]:
        if rank == 0:
            yield (), 0
            return
        spent = 0
        for prefix, mask, work in prefixes([circle.projected(rank) for circle in circles], rank):
            spent += work
            for a in bits(mask):
                yield (*prefix, a), spent
                spent = 0

    return prefixes(circles, rank)


def bits(mask: int) -> Iterator[int]:
    """The bits that are set, from the lowest on."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
