"""How many words of a tile a copy moves at once: as few as keep up with the move that the model counts.

Words side by side along one dimension lie in banks of a cyclic partition. Which bank each of them is in must not depend
on the tile, so their number divides all distances between tiles along that dimension.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hlspart.model.exploring import Operand, TiledNest, Vector

#: States of a copy beside its iterations, at least: a read, and the start and the end of the call.
AROUND = 2
PORTS = 2  #: of a bank of a buffer


@dataclass(frozen=True, slots=True)
class Copying:
    """``lanes`` words at once along dimension ``dim``, in ``trips`` iterations."""

    dim: int
    lanes: int
    trips: int

    @property
    def banks(self) -> int:
        """Banks of a buffer along that dimension."""
        return max(1, self.lanes // PORTS)


def copying(nest: TiledNest, operand: Operand, vector: Vector, slices: Sequence[int], cycles: int) -> Copying:
    """The way to copy the tiles of all elements: the least words at once that take ``cycles``, else the fastest."""
    words = [d.words(tuple(slices)) for d in operand.dims]
    tiles = math.prod(vector.shard[k] for k in operand.loops)
    total = tiles * math.prod(words)
    last = len(words) - 1
    best = Copying(last, 1, total)
    for dim in range(last, -1, -1):
        apart = _apart(nest, operand, dim, vector, slices)
        lanes = 1
        while lanes * 2 <= min(operand.lanes, words[dim]) and apart % (lanes * 2) == 0:
            lanes *= 2
            found = Copying(dim, lanes, total // words[dim] * -(-words[dim] // lanes))
            slow, slower = found.trips + AROUND > cycles, best.trips + AROUND > cycles
            if (found.trips, lanes) < (best.trips, best.lanes) if slow or slower else lanes < best.lanes:
                best = found
            if not slow:
                break
    return best


def _apart(nest: TiledNest, operand: Operand, dim: int, vector: Vector, slices: Sequence[int]) -> int:
    """A number that divides the distance between any two tiles along a dimension; 0: there is one."""
    found = 0
    for k, c in operand.dims[dim].terms:
        if vector.shard[k] > 1:
            found = math.gcd(found, c * -(-nest.loops[k][1] // vector.shard[k]))
        if vector.split[k] > 1:
            found = math.gcd(found, c * slices[k])
    return found
