"""What keeps the iterations of a tile apart: recurrences, or ports that banks would add."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlspart.model.exploring import SumWait, TiledNest
from hlspart.model.results import LoopResult

#: States of a store and a load behind it, about.
MEMORY = 3
#: Iterations between two terms of a sum that are looked at, at most.
MOST_APART = 16


def is_through_memory(loop: LoopResult, of: TiledNest) -> bool:
    """Whether iterations wait for each other largely by stores and loads that registers would spare.

    Of sums they spare little.
    """
    memory = MEMORY * sum(s.kind == "memory" for s in loop.cycle)
    return of.ordered and not of.sums and bool(loop.cycle) and 4 * memory > loop.cycle[-1].last - loop.cycle[0].first


def banks_may_help(loop: LoopResult, wanted: int, of: TiledNest | None = None) -> bool:
    """Whether the interval of a pipelined loop is or may be above the one wanted, and not by recurrences alone.

    ``of``: the nest that it computes, if any.
    """
    most = loop.ii if loop.ii is not None or loop.bounds is None else loop.bounds[1]
    waits = 1 if of is not None and is_through_memory(loop, of) else loop.recurrence_ii or 1
    return loop.pipelined and (most is None or most > max(wanted, waits))


def sum_waits(sizes: Sequence[int], measure: Callable[[int], int]) -> tuple[SumWait, ...]:
    """What iterations wait for the terms of sums, by how many lie between two terms, until none waits.

    ``measure``: the II with so many of ``sizes`` between them, at least. Sums of one word lie in registers, those of
    more in memory, which may take longer. The most that still wait are looked for, which tell how long a term takes.
    """
    known: dict[int, int] = {}
    free = None
    for between in (n for n in (1, 2, 3, 4, 6, 8, 12, 16) if n in sizes):
        wait = measure(between)
        if wait <= 1:
            free = between
            break
        known[between] = wait
    while known and free is not None:
        left = [n for n in sizes if max(known) < n < free]
        if not left:
            break
        between = left[len(left) // 2]
        wait = measure(between)
        if wait > 1:
            known[between] = wait
        else:
            free = between
    return tuple(SumWait(n, ii, (ii - 1) * n + 1) for n, ii in sorted(known.items()))
