"""Which arrays share one C array, and where in it: the least memory of all ways to group them.

Arrays of one pool have one type, row, partition, storage and directives, and no two of them are used in one step, so
that no loop asks more of a memory's ports than before; an array that takes the place of one which is read for the last
time while it is written is the exception.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from hlspart.buffers.packing import pack
from hlspart.model.buffers import MemoryBlock

MAX_GROUPINGS = 20_000  # pools tried for one kind of array
_PACKING_WORK = 40_000

Cost = tuple[int, ...]


class Item(Struct, frozen=True):
    """One array, or a chain of arrays in one place: what it needs of a pool.

    ``members``: variable ids in order of their lives; ``rows`` of the pool; ``pinned``: it must
    begin at row 0; ``exact``: the pool has no other rows.
    """

    members: tuple[int, ...]
    first: int
    last: int
    rows: int
    steps: frozenset[int]
    pinned: bool
    exact: bool = False

    @property
    def block(self) -> MemoryBlock:
        """For packing."""
        return MemoryBlock.inclusive("", self.first, self.last, self.rows)


class Grouped(Struct, frozen=True):
    """Items of one pool, each with its first row."""

    items: tuple[Item, ...]
    rows: tuple[int, ...]
    height: int
    cost: Cost


def group(
    items: Sequence[Item], cost: Callable[[int], Cost], apart: Callable[[Item, Item], bool]
) -> tuple[list[Grouped], bool]:
    """The pools of least total cost, and whether that is proved.

    ``cost`` of a pool by its rows: the first numbers of it count first, and no pool may have one above the sum of its
    members' (of as many rows each). ``apart``: items that may not share.
    """
    return _Search(items, cost, apart).run()


class _Search:
    """Items in order of size, each put in an earlier pool or a new one."""

    def __init__(self, items: Sequence[Item], cost: Callable[[int], Cost], apart: Callable[[Item, Item], bool]) -> None:
        self.items = sorted(items, key=lambda i: (-i.rows, i.first, i.members))
        self.cost, self.apart = cost, apart
        self.known: dict[tuple[int, ...], Grouped | None] = {}
        self.best: tuple[Cost, list[Grouped]] | None = None
        self.tried, self.proved = 0, True

    def run(self) -> tuple[list[Grouped], bool]:
        self._assign(0, [])
        assert self.best is not None
        return self.best[1], self.proved

    def _assign(self, k: int, pools: list[tuple[int, ...]]) -> None:
        groups = [g for g in map(self._pool, pools) if g is not None]
        total = _total([g.cost for g in groups])
        if self.best is not None and total >= self.best[0]:
            return
        if k == len(self.items):
            self.best = total, groups
            return
        if self.tried > MAX_GROUPINGS:
            self.proved = False
            if self.best is not None:
                return
        choices: list[tuple[Cost, int]] = []
        for number, pool in enumerate([*pools, ()]):
            made = self._pool((*pool, k))
            if made is not None:
                old = self._pool(pool) if pool else None
                choices.append((_total([made.cost], [] if old is None else [old.cost]), number))
        for _, number in sorted(choices):
            grown = [*pools, ()]
            grown[number] = (*grown[number], k)
            self._assign(k + 1, [p for p in grown if p])
            if self.tried > MAX_GROUPINGS and self.best is not None:
                return

    def _pool(self, numbers: tuple[int, ...]) -> Grouped | None:
        """The pool of some items, None where they may not share or gain nothing by it."""
        if numbers in self.known:
            return self.known[numbers]
        self.tried += 1
        self.known[numbers] = made = self._make(numbers)
        return made

    def _make(self, numbers: tuple[int, ...]) -> Grouped | None:
        items = [self.items[k] for k in numbers]
        last = items[-1]
        if any(last.steps & other.steps or self.apart(last, other) for other in items[:-1]):
            return None
        packed = pack([item.block for item in items], max_work=_PACKING_WORK)
        self.proved = self.proved and packed.proved
        if any(item.pinned and at for item, at in zip(items, packed.offsets, strict=True)):
            return None
        if any(item.exact and item.rows != packed.height for item in items):
            return None
        cost = self.cost(packed.height)
        if len(items) > 1 and any(a > b for a, b in zip(cost, _total([self.cost(i.rows) for i in items]), strict=True)):
            return None
        return Grouped(tuple(items), packed.offsets, packed.height, (*cost, len(items) - 1))  # rather apart, if equal


def _total(costs: Sequence[Cost], less: Sequence[Cost] = ()) -> Cost:
    plus = [sum(column) for column in zip(*costs, strict=True)]
    minus = [sum(column) for column in zip(*less, strict=True)] or [0] * len(plus)
    return tuple(a - b for a, b in zip(plus, minus, strict=True))


def least_rows(items: Sequence[Item], takers: frozenset[int]) -> int:
    """The most rows live at one step, arrays that may take another's place left out: no placement has fewer."""
    return max(
        sum(i.rows for i in items if i.first <= at <= i.last and not (i.first == at and i.members[0] in takers))
        for at in {i.first for i in items} | {i.last for i in items}
    )


def chained(items: Mapping[int, Item], places: Mapping[int, int]) -> list[Item]:
    """Items merged where one takes another's place (``places``: taker -> place)."""
    chains: dict[int, tuple[int, ...]] = {}  # by last member
    for ident in sorted(items, key=lambda v: (items[v].first, v)):
        before = chains.pop(places[ident], ()) if ident in places else ()
        chains[ident] = (*before, ident)
    return [
        Item(
            chain, items[chain[0]].first, items[chain[-1]].last, items[chain[0]].rows,
            frozenset().union(*(items[v].steps for v in chain)), any(items[v].pinned for v in chain),
            any(items[v].exact for v in chain),
        )
        for chain in chains.values()
    ]  # fmt: skip
