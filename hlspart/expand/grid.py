"""Which loops take which dimensions of a grid of processing elements (docs/expand.md, "The grid").

The search is exhaustive: a grid has few dimensions, and a loop uses q <= G of a dimension G. Nothing depends on the
number of iterations but arithmetic on it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from hlspart.model.expanding import Map, Objective, Placement


def place(
    extents: Sequence[int],
    grid: Sequence[int],
    maps: Sequence[Map],
    objective: Objective = "steps",
    even: bool = False,
    time: bool = True,
) -> Placement | None:
    """The best placement of loops with these trip counts on ``grid``; None where none is allowed.

    ``even``: only extents that divide the trip count. ``time=False``: only placements of one step.
    """
    best: Placement | None = None
    least: tuple[object, ...] | None = None
    for parts in _parts(len(extents), grid):
        placement = _placement(extents, parts, maps)
        if (even and placement.guarded) or (not time and (placement.steps or 0) > 1):
            continue
        rank = _rank(placement, objective)
        if least is None or rank < least:
            best, least = placement, rank
    return best


def _placement(extents: Sequence[int], parts: tuple[tuple[int, ...], ...], maps: Sequence[Map]) -> Placement:
    space = tuple(math.prod(p) for p in parts)
    steps = tuple(-(-n // s) for n, s in zip(extents, space, strict=True))
    active = math.prod(
        min(n, s) if m == "cyclic" else -(-n // max(1, t))
        for n, s, t, m in zip(extents, space, steps, maps, strict=True)
    )
    guarded = tuple(k for k, (n, s) in enumerate(zip(extents, space, strict=True)) if n % s)
    return Placement(space, parts, steps, active, math.prod(steps), guarded, math.prod(space))


def _rank(p: Placement, objective: Objective) -> tuple[object, ...]:
    """Smaller is better; ties go to few banks of one dimension, then to first loops on first dimensions."""
    first = tuple(-q for parts in p.parts for q in parts)
    if objective == "active":
        return -p.active, p.steps or 0, len(p.guarded), p.allocated, sum(p.space), first
    return p.steps or 0, p.allocated, len(p.guarded), sum(p.space), first


def _parts(loops: int, grid: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All ways to hand each grid dimension to one loop (or none), which uses some of it."""
    ways = [[(None, 1), *((loop, q) for loop in range(loops) for q in range(2, size + 1))] for size in grid]
    for choice in itertools.product(*ways):
        yield tuple(tuple(q if owner == loop else 1 for owner, q in choice) for loop in range(loops))
