"""Pareto fronts of (cycles, bytes, DSP), merged over nests without loss."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import le
from typing import Generic, Protocol, TypeVar

from msgspec.structs import replace

from hlspart.model.explored import Combined
from hlspart.model.exploring import Point, ResourceBudget


class Figured(Protocol):
    """What has figures, and a total order."""

    @property
    def figures(self) -> tuple[int, ...]: ...
    @property
    def key(self) -> tuple[object, ...]: ...


_F = TypeVar("_F", bound=Figured)
_T = TypeVar("_T")
#: What sums of nests may take more than the sum of their least, in turn, in search of the fastest: 1/64 more, ...
_SLACKS = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0)


def front(points: Iterable[_F]) -> tuple[_F, ...]:
    """Those that no other is at least as good as in everything, by cycles; of equals the first in the total order."""
    best = _unbeaten(sorted(((p.figures, p) for p in points), key=_figures))
    return tuple(min(equals, key=lambda p: p.key) for equals in best)


def _unbeaten(ordered: Iterable[tuple[tuple[int, ...], _T]]) -> Iterator[list[_T]]:
    """Of what has figures, in their order: those that are equal, where no other is at most them in everything."""
    corners = _Corners()
    for figures, equals in groupby(ordered, key=_figures):
        if corners.add(figures[1:]):  # none that comes later takes fewer cycles
            yield [entry for _, entry in equals]


def _figures(entry: tuple[tuple[int, ...], object]) -> tuple[int, ...]:
    return entry[0]


class _Corners:
    """Figures that no other is at most in everything; of two figures as a staircase, in which to look is fast."""

    def __init__(self) -> None:
        self._of: list[tuple[int, ...]] = []

    def add(self, figures: tuple[int, ...]) -> bool:
        """Take figures in, and what they are at most in everything out; False: others are at most them."""
        if len(figures) != 2:
            if any(all(map(le, f, figures)) for f in self._of):
                return False
            self._of = [f for f in self._of if not all(map(le, figures, f))]
            self._of.append(figures)
            return True
        at = bisect_right(self._of, figures)  # by the first figure, while the second one falls
        if at and self._of[at - 1][1] <= figures[1]:
            return False
        end = at
        while end < len(self._of) and self._of[end][1] >= figures[1]:
            end += 1
        self._of[at:end] = [figures]
        return True


class Front(Generic[_F]):
    """A front that grows; ``add`` keeps of equals the one with the least key.

    Those that are alike in all figures but the first two lie on a staircase: the more cycles, the less bytes.
    """

    def __init__(self) -> None:
        self._stairs: dict[tuple[int, ...], list[tuple[tuple[int, ...], _F]]] = {}

    def is_beaten(self, figures: tuple[int, ...]) -> bool:
        """Whether a kept point is better in something and no worse in anything."""
        first, rest = figures[:2], figures[2:]
        for others, stair in self._stairs.items():
            if all(map(le, others, rest)):
                at = bisect_right(stair, first[0], key=_cycles)  # the others take more cycles
                if at and stair[at - 1][0][1] <= first[1] and stair[at - 1][0] != figures:
                    return True
        return False

    def add(self, point: _F) -> None:
        """Take a point in, and what it beats out."""
        figures = point.figures
        if self.is_beaten(figures):
            return
        rest = figures[2:]
        for others, stair in self._stairs.items():
            if all(map(le, rest, others)):
                self._stairs[others] = [e for e in stair if e[0] == figures or not all(map(le, figures, e[0]))]
        stair = self._stairs.setdefault(rest, [])
        at = bisect_left(stair, figures[0], key=_cycles)
        if at == len(stair) or stair[at][0] != figures:
            stair.insert(at, (figures, point))
        elif point.key < stair[at][1].key:
            stair[at] = (figures, point)

    @property
    def points(self) -> tuple[_F, ...]:
        """By their figures."""
        every = (e for stair in self._stairs.values() for e in stair)
        return tuple(p for _, p in sorted(every, key=lambda e: e[0]))


def _cycles(entry: tuple[tuple[int, ...], object]) -> int:
    return entry[0][0]


def is_within(figures: tuple[int, ...], budget: ResourceBudget) -> bool:
    """Whether figures keep to their limits."""
    _, size, dsp, blocks = budget.limits
    kept = (size is None or figures[1] <= size) and (dsp is None or figures[2] <= dsp)
    return kept and (blocks is None or len(figures) < 4 or figures[3] <= blocks)


def fastest(
    count: int, fronts: Sequence[Sequence[Point]], share: bool, budget: ResourceBudget, alike: Sequence[int] = (),
    at_once: Sequence[Sequence[int]] = (),
) -> tuple[Combined, ...]:  # fmt: skip
    """At least the first ``count`` of :func:`chained`, by cycles, or all.

    What takes more cycles than some number is no better than what takes less, so it is left out at each nest; with a
    greater number where too few are left.
    """
    least = sum(_least(fronts, group) for group in at_once or [(k,) for k in range(len(fronts))])
    for slack in _SLACKS:
        points = chained(fronts, share, budget, alike, at_once, least + int(least * slack))
        if len(points) >= count:
            return points
    return chained(fronts, share, budget, alike, at_once)


def chained(
    fronts: Sequence[Sequence[Point]], share: bool, budget: ResourceBudget, alike: Sequence[int] = (),
    at_once: Sequence[Sequence[int]] = (), most: int | None = None,
) -> tuple[Combined, ...]:  # fmt: skip
    """One point per nest, one after the other: cycles, DSP blocks and BRAM add, bytes are shared (the most) or add.

    ``alike``: per nest the first one whose functions it calls, itself where it has its own. Those of one group take
    one point, and their DSP blocks count once. ``at_once``: all nests in order, those together that run at once: they
    take as long as the longest, and their bytes add. ``most``: cycles of what is looked for.

    Exact: cycles, bytes and DSP of a whole grow with those of its parts, so a part that another part beats is in no
    whole that nothing beats. Partial wholes beyond the budget stay beyond it.
    """
    points: tuple[Combined, ...] = (Combined(0, 0, 0, ()),)
    first = tuple(alike) or tuple(range(len(fronts)))
    own = [k for k, root in enumerate(first) if root == k]
    groups = [g for g in at_once or [(k,) for k in range(len(fronts))] if g[0] in own]
    left = sum(_least(fronts, g) * first.count(g[0]) for g in groups)
    for group in groups:
        times = first.count(group[0])
        left -= _least(fronts, group) * times
        room = None if most is None else most - left
        points = _joined(points, _beside([fronts[k] for k in group], budget), times, share, budget, room)
    return tuple(replace(c, points=tuple(c.points[own.index(root)] for root in first)) for c in points)


def _least(fronts: Sequence[Sequence[Point]], group: Sequence[int]) -> int:
    return max(min((p.cycles for p in fronts[k]), default=0) for k in group)


def _joined(
    points: Sequence[Combined], parts: Sequence[Combined], times: int, share: bool, budget: ResourceBudget,
    room: int | None,
) -> tuple[Combined, ...]:  # fmt: skip
    """Each of ``found`` with each part, ``times`` times; ``parts`` by their cycles, ``room``: the most in all."""
    sums = []
    for i, c in enumerate(points):
        for j, p in enumerate(parts):
            cycles = c.cycles + p.cycles * times
            if room is not None and cycles > room:
                break
            size = max(c.size, p.size) if share else c.size + p.size * times
            figures: tuple[int, ...] = (cycles, size, c.dsp + p.dsp)
            if p.bram18k is not None:
                figures = (*figures, (c.bram18k or 0) + p.bram18k * times)
            if is_within(figures, budget):
                sums.append((figures, (i, j)))

    def whole(figures: tuple[int, ...], i: int, j: int) -> Combined:
        cycles, size, dsp, *blocks = figures
        return Combined(cycles, size, dsp, (*points[i].points, *parts[j].points), blocks[0] if blocks else None)

    sums.sort()
    kept = []
    for equals in _unbeaten((figures, (figures, *pair)) for figures, pair in sums):
        kept.append(min((whole(*e) for e in equals), key=lambda c: c.key))
    return tuple(kept)


def _beside(fronts: Sequence[Sequence[Point]], budget: ResourceBudget) -> tuple[Combined, ...]:
    """One point per nest, all at once: the most cycles; all else adds."""
    points = tuple(Combined(p.cycles, p.size, p.dsp, (p,), p.bram18k) for p in fronts[0])
    for others in fronts[1:]:
        longer = (
            Combined(
                max(c.cycles, p.cycles), c.size + p.size, c.dsp + p.dsp, (*c.points, p),
                None if p.bram18k is None else (c.bram18k or 0) + p.bram18k,
            )
            for c in points
            for p in others
        )  # fmt: skip
        points = front(c for c in longer if is_within(c.figures, budget))
    return points
