"""Pareto fronts of (cycles, bytes, DSP), merged over nests without loss."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import le
from typing import Generic, Protocol, TypeVar

from msgspec.structs import replace

from hlspart.model.exploring import Combined, Point, ResourceBudget


class Figured(Protocol):
    """What has figures, and a total order."""

    @property
    def figures(self) -> tuple[int, ...]: ...
    @property
    def key(self) -> tuple[object, ...]: ...


_F = TypeVar("_F", bound=Figured)


def front(points: Iterable[_F]) -> tuple[_F, ...]:
    """Those that no other is at least as good as in everything, by cycles; of equals the first in the total order."""
    kept, corners = [], _Corners()
    for figures, equals in groupby(sorted(points, key=_figures), key=_figures):
        if corners.add(figures[1:]):  # none that comes later takes fewer cycles
            kept.append(min(equals, key=lambda p: p.key))
    return tuple(kept)


def _figures(point: Figured) -> tuple[int, ...]:
    return point.figures


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
    """A front that grows; ``add`` keeps of equals the one with the least key."""

    def __init__(self) -> None:
        self._of: list[tuple[tuple[int, ...], _F]] = []

    def beaten(self, figures: tuple[int, ...]) -> bool:
        """Whether a kept point is better in something and no worse in anything."""
        size, rest = figures[1], figures[2:]
        end = bisect_right(self._of, figures, key=lambda e: e[0])  # the others take more cycles
        return any(f[1] <= size and f != figures and all(map(le, f[2:], rest)) for f, _ in self._of[:end])

    def add(self, point: _F) -> None:
        """Take a point in, and what it beats out."""
        figures = point.figures
        if self.beaten(figures):
            return
        for f, kept in self._of:
            if f == figures:
                if point.key < kept.key:
                    self._of.remove((f, kept))
                    break
                return
        self._of = [(f, p) for f, p in self._of if not all(a <= b for a, b in zip(figures, f, strict=True))]
        insort(self._of, (figures, point), key=lambda e: e[0])

    @property
    def points(self) -> tuple[_F, ...]:
        """By cycles."""
        return tuple(p for _, p in self._of)


def within(figures: tuple[int, ...], budget: ResourceBudget) -> bool:
    """Whether figures keep to their limits."""
    return all(most is None or n <= most for n, most in zip(figures, budget.limits, strict=False))


def chained(
    fronts: Sequence[Sequence[Point]], share: bool, budget: ResourceBudget, alike: Sequence[int] = (),
    at_once: Sequence[Sequence[int]] = (),
) -> tuple[Combined, ...]:  # fmt: skip
    """One point per nest, one after the other: cycles, DSP blocks and BRAM add, bytes are shared (the most) or add.

    ``alike``: per nest the first one whose functions it calls, itself where it has its own. Those of one group take
    one point, and their DSP blocks count once. ``at_once``: all nests in order, those together that run at once: they
    take as long as the longest, and their bytes add.

    Exact: cycles, bytes and DSP of a whole grow with those of its parts, so a part that another part beats is in no
    whole that nothing beats. Partial wholes beyond the budget stay beyond it.
    """
    found: tuple[Combined, ...] = (Combined(0, 0, 0, ()),)
    first = tuple(alike) or tuple(range(len(fronts)))
    own = [k for k, root in enumerate(first) if root == k]
    for group in at_once or [(k,) for k in range(len(fronts))]:
        if group[0] not in own:
            continue
        times = first.count(group[0])
        longer = (
            Combined(
                c.cycles + p.cycles * times, max(c.size, p.size) if share else c.size + p.size * times, c.dsp + p.dsp,
                (*c.points, *p.points), None if p.bram18k is None else (c.bram18k or 0) + p.bram18k * times,
            )
            for c in found
            for p in _beside([fronts[k] for k in group], budget)
        )  # fmt: skip
        found = front(c for c in longer if within(c.figures, budget))
    return tuple(replace(c, points=tuple(c.points[own.index(root)] for root in first)) for c in found)


def _beside(fronts: Sequence[Sequence[Point]], budget: ResourceBudget) -> tuple[Combined, ...]:
    """One point per nest, all at once: the most cycles; all else adds."""
    found = tuple(Combined(p.cycles, p.size, p.dsp, (p,), p.bram18k) for p in fronts[0])
    for others in fronts[1:]:
        longer = (
            Combined(
                max(c.cycles, p.cycles), c.size + p.size, c.dsp + p.dsp, (*c.points, p),
                None if p.bram18k is None else (c.bram18k or 0) + p.bram18k,
            )
            for c in found
            for p in others
        )  # fmt: skip
        found = front(c for c in longer if within(c.figures, budget))
    return found
