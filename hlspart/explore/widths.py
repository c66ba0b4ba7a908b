"""How many words of a tile a copy moves at once: as few as keep up with the move that the model counts.

Words side by side along one dimension of a tile lie in banks of a cyclic partition. Which bank each of them is in must
not depend on the tile, so their number divides all distances between tiles along that dimension. Elements that take
the iterations of a loop in turn have words of theirs side by side in the array, whatever the tile: those of all
elements along such a loop move at once, too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from hlspart.model.exploring import Operand, TiledNest, Vector

#: States of a copy beside its iterations, at least: a read, and the start and the end of the call.
AROUND = 2
PORTS = 2  #: of a bank of a buffer
MOST = 256  #: words in an iteration of a copy


class Copying(Struct, frozen=True):
    """``lanes`` words of a tile at once along its dimension ``dim``, of all elements along each loop of ``beside``.

    ``interval``: cycles from one of the ``trips`` iterations to the next, so that no more words move in a cycle than
    the external memory gives.
    """

    dim: int
    lanes: int
    beside: tuple[int, ...]
    interval: int
    trips: int

    @property
    def banks(self) -> int:
        """Banks of a buffer along that dimension."""
        return max(1, self.lanes // self.interval // PORTS)

    @property
    def cycles(self) -> int:
        """Of the copy, at least."""
        return (self.trips - 1) * self.interval + 1 + AROUND


def copying(nest: TiledNest, operand: Operand, vector: Vector, slices: Sequence[int], cycles: int) -> Copying:
    """The way to copy the tiles of all elements: the least words at once that take ``cycles``, else the fastest."""
    words = tuple(d.words(tuple(slices)) for d in operand.dims)
    most = tuple(_most(nest, operand, dim, vector, slices, n) for dim, n in enumerate(words))
    spread = [(k, vector.shard[k]) for k in sorted(operand.loops) if vector.shard[k] > 1]
    woven = tuple((k, s) for k, s in spread if k in nest.woven)
    along = tuple(next((k for k, _ in woven if k in dict(d.terms)), None) for d in operand.dims)
    others = math.prod(s for k, s in spread if k not in nest.woven)
    return _least(words, most, woven, along, others, operand.lanes, cycles)


@lru_cache(maxsize=1 << 16)
def _least(
    words: tuple[int, ...], most: tuple[int, ...], woven: tuple[tuple[int, int], ...], along: tuple[int | None, ...],
    others: int, width: int, cycles: int,
) -> Copying:  # fmt: skip
    """``woven``: loops with their elements, ``along``: the one of each dimension, if any; ``others``: elements that
    come one after the other; ``width``: words."""
    total = others * math.prod(words) * math.prod(s for _, s in woven)
    copyings = []
    for count in range(len(woven) + 1 if width > 1 else 1):
        for chosen in itertools.combinations(woven, count):
            beside = math.prod(s for _, s in chosen)
            for dim in reversed(range(len(words))):
                fits = along[dim] in (None, *(k for k, _ in chosen))  # else the bank of a word depends on the element
                lanes = 1
                while lanes <= (most[dim] if fits else 1) and lanes * beside <= MOST:
                    trips = total // beside // words[dim] * -(-words[dim] // lanes)
                    interval = -(-lanes * beside // width)
                    copyings.append(Copying(dim, lanes, tuple(k for k, _ in chosen), interval, trips))
                    lanes *= 2

    def rank(way: Copying) -> tuple[int, int, int, int]:
        slow = way.cycles > cycles
        at_once = way.lanes * math.prod(s for k, s in woven if k in way.beside)
        return way.cycles if slow else 0, at_once, len(way.beside), -way.dim

    return min(copyings, key=rank, default=Copying(len(words) - 1, 1, (), 1, total))


def _most(nest: TiledNest, operand: Operand, dim: int, vector: Vector, slices: Sequence[int], words: int) -> int:
    """The most words of a tile along a dimension that move at once: a power of two."""
    apart, lanes = 0, 1
    if operand.apart:
        return lanes
    for k, c in operand.dims[dim].terms:
        if vector.shard[k] > 1 and k not in nest.woven:  # else words of all elements lie between those of one
            apart = math.gcd(apart, c * -(-nest.loops[k][1] // vector.shard[k]))
        if vector.split[k] > 1:
            apart = math.gcd(apart, c * slices[k])
    while lanes * 2 <= min(operand.lanes, words) and apart % (lanes * 2) == 0:
        lanes *= 2
    return lanes
