"""What keeps the iterations of a tile apart: recurrences, or ports that banks would add."""

from __future__ import annotations

from hlspart.model.exploring import TiledNest
from hlspart.model.results import LoopResult

#: States of a store and a load behind it, about.
MEMORY = 3


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
