"""Orders between accesses that follow from others: where all accesses of an array may meet, most orders do."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, reduce

from hlspart.model.answers import Answers

Kind = tuple[int, int]  # distance, gap
Order = tuple[int, int, int, int]  # source, sink, distance, gap

_MAX_KINDS = 12  # distances and gaps of one operation's orders that are all combined with each other
# Few, as the orders of a large loop are many; the texts of a search have mostly the same.
_IMPLIED: Answers[frozenset[int]] = Answers(16)


def implied(orders: Sequence[Order]) -> frozenset[int]:
    """The numbers of the orders that others imply, at any II.

    ``orders`` are of accesses by their places in the program. start(c) >= start(a) + gap - II * distance follows from
    a -> b -> c when their distances add up to no more and their gaps to no less. No order goes because of itself: b
    stands nearer to a and to c, by distance and then by position, than they stand to each other.
    """
    orders = tuple(orders)
    return _IMPLIED.of(orders, lambda: _implied(orders))


class _Ends:
    """The other ends of the orders of each operation, as masks."""

    def __init__(self) -> None:
        self.kinds: dict[int, dict[Kind, int]] = defaultdict(lambda: defaultdict(int))
        self._asking: dict[tuple[int, int, int], int] = {}

    @cached_property
    def inside(self) -> dict[int, dict[Kind, int]]:
        """Those of orders inside an iteration."""
        return {op: {k: ends for k, ends in kinds.items() if k[0] == 0} for op, kinds in self.kinds.items()}

    def asking(self, op: int, other: int, distance: int, gap: int) -> int:
        """Those of orders of ``op`` that ask for as much as this distance and gap, without ``op`` and ``other``."""
        key = op, distance, gap
        if key not in self._asking:
            met = (ends for (d, g), ends in self.kinds[op].items() if d <= distance and g >= gap)
            self._asking[key] = reduce(operator.or_, met, 0) & ~(1 << op)
        return self._asking[key] & ~(1 << other)


def _implied(orders: Sequence[Order]) -> frozenset[int]:
    sinks, sources = _Ends(), _Ends()
    for source, sink, distance, gap in orders:
        sinks.kinds[source][distance, gap] |= 1 << sink
        sources.kinds[sink][distance, gap] |= 1 << source

    def by_way(order: Order) -> bool:
        source, sink, distance, gap = order
        firsts, seconds = sinks.kinds[source], sources.kinds[sink]
        many = len(firsts) > _MAX_KINDS or len(seconds) > _MAX_KINDS
        for (d, g), after in (sinks.inside[source] if many else firsts).items():
            if after & sources.asking(sink, source, distance - d, gap - g):
                return True
        for (d, g), before in sources.inside[sink].items() if many else ():
            if before & sinks.asking(source, sink, distance - d, gap - g):
                return True
        return False

    return frozenset(number for number, order in enumerate(orders) if by_way(order))
