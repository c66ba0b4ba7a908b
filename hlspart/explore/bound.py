"""What no candidate can beat, from totals alone.

Not derived from the step model: it counts the work of the elements and the bytes that must cross the border, whatever
the steps and their order. ``cycles`` holds for every order of the time loops of a (shard, split).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hlspart.model.exploring import ExternalMemory, Operand, TiledNest

BANKS = 128  #: that a copy deals the words of a buffer out to, at most


class Bound:
    """Bounds of one nest."""

    def __init__(self, nest: TiledNest, off_chip: ExternalMemory) -> None:
        self.nest, self.off_chip = nest, off_chip
        self._of: dict[tuple[int, ...], ShardBound] = {}

    def under(self, shard: tuple[int, ...]) -> ShardBound:
        """Bounds of the candidates under one shard vector."""
        if shard not in self._of:
            self._of[shard] = ShardBound(self.nest, self.off_chip, shard)
        return self._of[shard]

    def least(self, shard: Sequence[int]) -> int:
        """Cycles that every split takes under a shard vector: all iterations, the first move and the last."""
        own = 1
        for (_, n), s in zip(self.nest.loops, shard, strict=True):
            own *= -(-n // s)
        # a step of m iterations takes m * ii + depth - ii, which many short steps may undercut where depth < ii
        ii = min([self.nest.ii, *(n for n, _ in self.nest.faster)])
        depth = max(1, min([self.nest.depth, *(n for _, n in self.nest.faster)]) - self.nest.guarded)
        once, fill = min(ii, depth), max(0, depth - ii)
        ends = any(o.loaded for o in self.nest.operands) + any(o.stored for o in self.nest.operands)
        work = own * once + fill
        if self.nest.alone is not None:  # a step for each iteration
            work = min(work, own * self.nest.alone)
        return self.nest.repeats * (self.nest.borders + work + ends * self.off_chip.latency)


class ShardBound:
    """Bounds of the candidates under one shard vector."""

    def __init__(self, nest: TiledNest, off_chip: ExternalMemory, shard: Sequence[int]) -> None:
        self.nest, self.off_chip, self.shard = nest, off_chip, shard
        self._own = [-(-n // s) for (_, n), s in zip(nest.loops, shard, strict=True)]
        self._every = math.prod(nest.extents)
        # per operand in tiles: by the splits of its own loops what one move takes, and all that there are at least
        self._moved: list[tuple[Operand, tuple[int, ...], dict[tuple[int, ...], tuple[int, int, int, int]]]] = [
            (o, tuple({k: None for d in o.dims for k, _ in d.terms}), {}) for o in nest.operands if not o.in_place
        ]

    def cycles(self, split: Sequence[int]) -> int:
        """Cycles that every order takes, each time that the nest runs.

        Before the first iteration starts one tile of every operand that is read has come; after the last has started
        one tile of each result leaves. Between: every step fills and drains its pipeline, or the engine that moves
        the data is busy, with every tile of the operand at least once.
        """
        iterations = steps = visited = 1
        for own, t, elements in zip(self._own, split, self.shard, strict=True):
            iterations *= -(-own // t)
            steps *= t
            visited *= -(-own // t) * t * elements
        first = last = loading = storing = 0
        fastest, least = len(self.nest.faster), 1
        for operand, own_loops, known in self._moved:
            key = tuple([split[k] for k in own_loops])
            if key not in known:
                known[key] = self._transfer(operand, key, own_loops)
            one, every, kind, ports = known[key]
            fastest, least = min(fastest, kind), max(least, ports)
            if self.off_chip.per_array:
                if operand.loaded:
                    first, loading = max(first, one), max(loading, every)
                if operand.stored:
                    last, storing = max(last, one), max(storing, every)
            else:
                if operand.loaded:
                    first, loading = first + one, loading + every
                if operand.stored:
                    last, storing = last + one, storing + every
        ii, depth = (*self.nest.faster, (self.nest.ii, self.nest.depth))[fastest]
        if self.nest.spared:
            depth = max(self.nest.faster[0][1], depth - self.nest.spared)
        if visited > self._every:  # some iterations are left out
            depth = max(1, depth - self.nest.guarded)
        once = (iterations - 1) * max(ii, least) + depth
        if iterations == 1 and self.nest.alone is not None:
            once = self.nest.alone
        longest = max(first + steps * once + last, loading + once + last, first + once + storing)
        return self.nest.repeats * (self.nest.borders + longest)

    def _transfer(self, operand: Operand, steps: Sequence[int], loops: Sequence[int]) -> tuple[int, int, int, int]:
        """Cycles of one move of an operand, and of all, once per tile; the fastest memory that a bank may lie in.

        Last: the II that its ports ask for.
        """
        slices = {k: -(-self._own[k] // t) for k, t in zip(loops, steps, strict=True)}
        words = whole = 1
        for dim in operand.dims:
            words *= dim.width + sum(abs(c) * (slices[k] - 1) for k, c in dim.terms)
            whole *= dim.width + sum(abs(c) * (self.nest.extents[k] - 1) for k, c in dim.terms)
        size = operand.element_bytes * words * math.prod(self.shard[k] for k in loops)
        once = self.off_chip.latency + (size + self.off_chip.width - 1) // self.off_chip.width
        ports = self.nest.ii if operand.crowded and operand.kind(words) > 0 else 1
        kind, slowest = operand.kind((words + BANKS - 1) // BANKS), operand.kind(whole)
        return once, once * math.prod(steps), kind if kind < slowest else len(self.nest.faster), ports
