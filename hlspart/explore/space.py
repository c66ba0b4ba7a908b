"""The finite space of a nest: shard vectors in levels, slices, orders of the time loops; counted before any search."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from hlspart.model.exploring import TiledNest, Vector

_NOTHING: Mapping[str, bool] = {}


def shardings(extents: Sequence[int], elements: int, fixed: Sequence[int | None] = ()) -> list[tuple[int, ...]]:
    """Shard vectors whose product is ``elements``, none above its loop's extent, and all ones; ``fixed``: given ones.

    In the order of divisors, all ones last where they are not among the others.
    """
    given = tuple(fixed) or (None,) * len(extents)
    small = [d for d in range(1, math.isqrt(elements) + 1) if elements % d == 0]
    divisors = sorted({*small, *(elements // d for d in small)})
    grids: list[tuple[int, ...]] = []

    def grow(head: tuple[int, ...], rest: int) -> None:
        k = len(head)
        if k == len(extents):
            if rest == 1:
                grids.append(head)
            return
        for d in divisors:
            if rest % d == 0 and d <= extents[k] and given[k] in (None, d):
                grow((*head, d), rest // d)

    grow((), elements)
    ones = (1,) * len(extents)
    if ones not in grids and all(f in (None, 1) for f in given):
        grids.append(ones)
    return grids


def levels(shape: Sequence[int], elements: int, align: int) -> list[dict[str, Any]]:
    """Shard vectors of a tensor by the tiles they really make, most first; ``align``: base of the last dimension.

    A dimension has ``min(ceil(extent / base), shard)`` tiles; ``factor`` is the logarithm of their product, rounded up.
    Here a shard may exceed its extent, so that no vector of the product is lost.
    """
    base = [1] * (len(shape) - 1) + [align]
    at_most = [-(-n // b) for n, b in zip(shape, base, strict=True)]
    by_tiles: dict[int, list[tuple[int, ...]]] = {}
    vectors = shardings([elements] * len(shape), elements)
    for vector in sorted(vectors):
        tiles = math.prod(min(m, s) for m, s in zip(at_most, vector, strict=True))
        by_tiles.setdefault(tiles, []).append(vector)
    return [
        {"factor": (tiles - 1).bit_length(), "tiles": tiles, "count": len(by_tiles[tiles]),
         "shardings": [list(v) for v in by_tiles[tiles]]}
        for tiles in sorted(by_tiles, reverse=True)
    ]  # fmt: skip


def whole_tiles(extent: int, most: int) -> int:
    """The most steps, so many at most, whose tiles are all whole."""
    return next((t for t in range(min(extent, most), 1, -1) if extent % t == 0), 1)


def tiles(extent: int, shard: int, split: int) -> Iterator[tuple[int, int, int, int]]:
    """(element, step, first iteration, iterations) of every tile that is not empty; the last ones are partial."""
    own = -(-extent // shard)
    size = -(-own // split)
    for element in range(shard):
        for step in range(split):
            first = element * own + step * size
            count = min(size, own - step * size, extent - first)
            if count > 0:
                yield element, step, first, count


def partial_steps(extent: int) -> int:
    """The fewest steps whose tiles are not all whole; 1: there are none."""
    return next((t for t in range(2, extent) if extent % math.ceil(extent / t)), 1)


def tiling(extents: Sequence[int], each: int, whole: bool) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Shard and split for tiles of ``each`` iterations, which are all ``whole`` or of which some are not.

    As many of them as may be lie along the last loop, which is the one that tiles are partial along.
    """
    *outer, inner = extents
    for last in (n for n in range(min(inner, each), 0, -1) if each % n == 0):
        split = list[int]()
        rest = each // last
        for extent in reversed(outer):
            own = next(n for n in range(min(extent, rest), 0, -1) if rest % n == 0 and _slice(extent, n) == n)
            split.insert(0, math.ceil(extent / own))
            rest //= own
        fits = not whole or all(extent % t == 0 for extent, t in zip(outer, split, strict=True))
        for shard in range(1, min(inner, 7) + 1):
            own = math.ceil(inner / shard)
            steps = math.ceil(own / last)
            if rest == 1 and fits and _slice(own, last) == last and (shard * steps * last == inner) == whole:
                return (*(1 for _ in outer), shard), (*split, steps)
    return None


def _slice(own: int, wanted: int) -> int:
    """Iterations of a step where as few steps as possible have as many as wanted at most."""
    return math.ceil(own / math.ceil(own / wanted))


@cache
def splits(own: int) -> tuple[int, ...]:
    """The least number of steps for each distinct slice of ``own`` iterations."""
    least: dict[int, int] = {}
    for steps in range(1, own + 1):
        least.setdefault(-(-own // steps), steps)
    return tuple(least.values())


class Space:
    """The candidates of one nest on ``elements`` or on one of ``fewer``.

    ``shard`` and ``split``: what is fixed, per loop or None.
    """

    def __init__(
        self,
        nest: TiledNest,
        elements: int,
        *,
        fewer: Sequence[int] = (),
        reassociate: bool = True,
        orders: bool = True,
        shard: Sequence[int | None] = (),
        split: Sequence[int | None] = (),
        resident: Mapping[str, bool] = _NOTHING,
    ) -> None:
        """``reassociate``: reduction loops may lie in space and their parts be taken in any order.

        ``resident``: arrays that must stay from the first step to the last, or must move.
        """
        self.nest, self.elements, self.any_order = nest, (elements, *fewer), orders
        self.strict = nest.ordered and not (reassociate and nest.sums)
        self._sequences = [sorted(nest.carried(o)) for o in nest.operands if o.written]
        loops = range(len(nest.loops))
        given = tuple(shard) or (None,) * len(loops)
        single = nest.whole | (nest.reductions if self.strict else frozenset())
        single |= {k for o in nest.operands if o.in_place for k in nest.carried(o)}
        self._private = [o.loops for o in nest.operands if o.private]
        self._resident = [(o.loops, resident[o.name]) for o in nest.operands if o.name in resident]
        self._shard = tuple(1 if k in single and given[k] is None else given[k] for k in loops)
        wanted = tuple(split) or (None,) * len(loops)
        # what a DATAFLOW region stores leaves finished; where nothing moves there are no steps to look for
        whole = nest.reductions if nest.streams else frozenset()
        whole = frozenset(loops) if nest.still else whole
        self._split = tuple(1 if k in whole and wanted[k] is None else wanted[k] for k in loops)
        self.impossible = [k for k in loops if k in single and given[k] not in (None, 1)]

    def shards(self) -> list[tuple[int, ...]]:
        """The shard vectors."""
        shards = (s for n in self.elements for s in shardings(self.nest.extents, n, self._shard))
        return [] if self.impossible else list(dict.fromkeys(shards))

    def slices(self, shard: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The split vectors under a shard vector."""
        yield from (s for s in itertools.product(*self._choices(shard)) if self._is_kept(shard, s))

    def corners(self, shard: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The split vectors of the least or the most steps along each loop, if those between are all there.

        Tiles shrink with the steps along a loop but for the second copy that a first cut brings, so that the least
        bytes are those of a corner.
        """
        if self.strict or self._resident or self.nest.streams:
            return ()
        return tuple(itertools.product(*(dict.fromkeys(c[:1] + c[-1:]) for c in self._choices(shard))))

    def _choices(self, shard: Sequence[int]) -> list[tuple[int, ...]]:
        own = [-(-n // s) for n, s in zip(self.nest.extents, shard, strict=True)]
        free = [(1,) if k in self.nest.whole else splits(n) for k, n in enumerate(own)]
        return [c if g is None else tuple(t for t in c if t == g) for c, g in zip(free, self._split, strict=True)]

    def _is_kept(self, shard: Sequence[int], split: Sequence[int]) -> bool:
        """Whether arrays stay or move as fixed, and sums keep their order.

        For that, before a split reduction loop every other one goes step by step.
        """
        if any(any(split[k] > 1 for k in loops) == stays for loops, stays in self._resident):
            return False
        if not self.strict:
            return True
        return not any(
            split[k] > 1 and any(split[b] < self.nest.extents[b] for b in loops[:position])
            for loops in self._sequences
            for position, k in enumerate(loops)
        )

    def orders(self, split: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Orders of the time loops: those of several steps permuted, the others behind them as in the source."""
        moving = [k for k, t in enumerate(split) if t > 1]
        still = tuple(k for k, t in enumerate(split) if t == 1)
        for order in itertools.permutations(moving) if self.any_order else [tuple(moving)]:
            if self.nest.streams and not self._streams(order):
                continue
            if self.strict and not self._is_in_order(order):
                continue
            yield (*order, *still)

    def _is_in_order(self, order: Sequence[int]) -> bool:
        """Whether sums keep their order, and scalars of iterations their values: all steps of one come together."""
        if any(a not in own and b in own for own in self._private for a, b in itertools.pairwise(order)):
            return False
        return all([k for k in order if k in loops] == [k for k in loops if k in order] for loops in self._sequences)

    def _streams(self, order: Sequence[int]) -> bool:
        """Whether there are several steps, each of which stores every result and loads what does not stay."""
        return bool(order) and all(
            order[-1] in o.loops if o.stored else order[-1] in o.loops or not o.loops.intersection(order)
            for o in self.nest.operands
            if not o.in_place
        )

    def count(self, shard: Sequence[int]) -> int:
        """Candidates under a shard vector."""
        if self.strict or self._resident or self.nest.streams:
            return sum(sum(1 for _ in self.orders(s)) for s in self.slices(shard))
        choices = self._choices(shard)
        if not self.any_order:
            return math.prod(map(len, choices))
        ways = Counter({0: 1})  # loops of several steps -> vectors
        for choice in choices:
            single = sum(1 for t in choice if t == 1)
            grown: Counter[int] = Counter()
            for moving, n in ways.items():
                grown[moving] += n * single
                grown[moving + 1] += n * (len(choice) - single)
            ways = grown
        return sum(n * math.factorial(moving) for moving, n in ways.items())

    @property
    def size(self) -> int:
        """All candidates."""
        return sum(self.count(s) for s in self.shards())

    def vector(self, shard: Sequence[int], split: Sequence[int], order: Sequence[int]) -> Vector:
        """A candidate with the names by which it is ranked."""
        return Vector(tuple(shard), tuple(split), tuple(order), tuple(self.nest.loops[k][0] for k in order))

    def vectors(self) -> Iterator[Vector]:
        """All candidates, in order."""
        for shard in self.shards():
            for split in self.slices(shard):
                yield from (self.vector(shard, split, order) for order in self.orders(split))
