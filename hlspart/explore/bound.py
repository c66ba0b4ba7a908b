"""What no candidate can beat, from totals alone.

Not derived from the step model: it counts the work of the elements and the bytes that must cross the border, whatever
the steps and their order. ``cycles`` holds for every order of the time loops of a (shard, split).
"""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model.exploring import ExternalMemory, TiledNest


class Bound:
    """Bounds of one nest."""

    def __init__(self, nest: TiledNest, off_chip: ExternalMemory) -> None:
        self.nest, self.off_chip = nest, off_chip
        self._moved: dict[tuple[int, ...], tuple[int, int]] = {}
        self._own = [tuple({k: None for d in o.dims for k, _ in d.terms}) for o in nest.operands]

    def cycles(self, shard: Sequence[int], split: Sequence[int]) -> int:
        """Cycles that every order takes, each time that the nest runs.

        Before the first iteration starts one tile of every operand that is read has come; after the last has started
        one tile of each result leaves. Between: every step fills and drains its pipeline, or the engine that moves
        the data is busy, with every tile of the operand at least once.
        """
        body = self._work(shard, split)
        coming = [self._transfer(shard, split, k) for k, o in enumerate(self.nest.operands) if o.loaded]
        leaving = [self._transfer(shard, split, k) for k, o in enumerate(self.nest.operands) if o.stored]
        join = max if self.off_chip.per_array else sum
        first = join([c for c, _ in coming]) if coming else 0
        last = join([c for c, _ in leaving]) if leaving else 0
        loading = join([c * n for c, n in coming]) if coming else 0
        storing = join([c * n for c, n in leaving]) if leaving else 0
        once = self._step(shard, split)
        return self.nest.repeats * max(first + body + last, loading + once + last, first + once + storing)

    def least(self, shard: Sequence[int]) -> int:
        """Cycles that every split takes under a shard vector: all iterations, the first move and the last."""
        own = 1
        for (_, n), s in zip(self.nest.loops, shard, strict=True):
            own *= -(-n // s)
        # a step of m iterations takes m * ii + depth - ii, which many short steps may undercut where depth < ii
        once, fill = min(self.nest.ii, self.nest.depth), max(0, self.nest.depth - self.nest.ii)
        ends = any(o.loaded for o in self.nest.operands) + any(o.stored for o in self.nest.operands)
        return self.nest.repeats * (own * once + fill + ends * self.off_chip.latency)

    def _step(self, shard: Sequence[int], split: Sequence[int]) -> int:
        iterations = 1
        for (_, n), s, t in zip(self.nest.loops, shard, split, strict=True):
            own = -(-n // s)
            iterations *= -(-own // t)
        return iterations * self.nest.ii - self.nest.ii + self.nest.depth

    def _work(self, shard: Sequence[int], split: Sequence[int]) -> int:
        steps = 1
        for t in split:
            steps *= t
        return steps * self._step(shard, split)

    def _transfer(self, shard: Sequence[int], split: Sequence[int], operand: int) -> tuple[int, int]:
        """Cycles of one move of an operand, and how often it moves at least: once per tile."""
        own = self._own[operand]
        key = (operand, *[shard[k] for k in own], *[split[k] for k in own])
        if key not in self._moved:
            self._moved[key] = self._counted(shard, split, operand)
        return self._moved[key]

    def _counted(self, shard: Sequence[int], split: Sequence[int], operand: int) -> tuple[int, int]:
        found = self.nest.operands[operand]
        size, tiles = found.element_bytes, 1
        for dim in found.dims:
            span = dim.width
            for k, c in dim.terms:
                own = -(-self.nest.loops[k][1] // shard[k])
                span += abs(c) * (-(-own // split[k]) - 1)
            size *= span
        for k in self._own[operand]:
            size *= shard[k]
            tiles *= split[k]
        return self.off_chip.latency + (size + self.off_chip.width - 1) // self.off_chip.width, tiles
