"""The cost of a candidate: load, compute and store of neighbouring steps at once, in closed form.

Step k is loaded while step k-1 is computed and step k-2 stored: ``sum over k = 0..n+1 of max(load(k), compute(k-1),
store(k-2))`` for n steps. What an operand's move costs does not depend on the step, only whether it moves: it is
loaded at steps that are multiples of its period and stored before the next one. Periods divide each other, so each
step belongs to one of a few classes, which are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct

from hlspart.explore.widths import copying
from hlspart.model.exploring import ExternalMemory, Move, StepCost, TiledNest, Vector


def cost(nest: TiledNest, vector: Vector, off_chip: ExternalMemory) -> StepCost:
    """Cycles, bytes on the chip and DSP blocks of a candidate."""
    return Costs(nest, vector.shard, off_chip).of(vector.split, vector.order)


class _Tile(Struct, frozen=True):
    """The tiles of an operand, of all elements, at one step.

    ``size``: bytes; ``words``: of one element; ``spare``: bytes of the parts of its sums; ``cycles``: of a move;
    ``blocks``, ``spare_blocks``: of BRAM, of one copy and of the parts.
    """

    size: int
    words: int
    spare: int
    cycles: int
    blocks: int
    spare_blocks: int


class Costs:
    """The costs of the candidates of a nest under one shard vector.

    Tiles of an operand depend on the split of its own loops alone: many candidates have them in common.
    """

    def __init__(self, nest: TiledNest, shard: tuple[int, ...], off_chip: ExternalMemory) -> None:
        self.nest, self.shard, self.off_chip = nest, shard, off_chip
        self.dsp = nest.dsp_of(shard)
        self._extents = tuple(-(-n // s) for n, s in zip(nest.extents, shard, strict=True))
        self._own = [tuple(sorted(o.loops)) for o in nest.operands]
        self._elements = [math.prod(shard[k] for k in own) for own in self._own]
        self._parts = [math.prod(shard[k] for k in nest.carried(o)) for o in nest.operands]
        self._known: list[dict[tuple[int, ...], _Tile]] = [{} for _ in nest.operands]

    def of(self, split: tuple[int, ...], order: Sequence[int]) -> StepCost:
        """The cost of a candidate."""
        tiles = self._tiles(split)
        moves = tuple(self._move(at, tile, split, order) for at, tile in enumerate(tiles))
        steps = math.prod(split)
        compute = self._compute(split, tiles)
        cycles = total(self.nest, steps, compute, moves, self.off_chip)
        once = steps * compute + sum(m.cycles * (steps // m.period) * (m.loaded + m.stored) for m in moves)
        size, dsp = self._occupied(split, tiles)
        return StepCost(cycles, size, dsp, once * self.nest.repeats, steps, compute, moves, self._blocks(split, tiles))

    def figures(self, split: tuple[int, ...]) -> tuple[int, ...]:
        """The figures but cycles, which no order of the time loops changes."""
        tiles = self._tiles(split)
        blocks = self._blocks(split, tiles)
        return (*self._occupied(split, tiles), *(() if blocks is None else (blocks,)))

    # --------------------------------------------------------------------------------- tiles

    def _tiles(self, split: tuple[int, ...]) -> list[_Tile]:
        found = []
        for at, (own, known) in enumerate(zip(self._own, self._known, strict=True)):
            key = tuple([split[k] for k in own])
            tile = known.get(key)
            if tile is None:
                tile = known[key] = self._tile(at, split)
            found.append(tile)
        return found

    def _tile(self, at: int, split: tuple[int, ...]) -> _Tile:
        """Tiles of an operand; ``split`` matters in its own loops only."""
        nest, operand = self.nest, self.nest.operands[at]
        parts, elements, memories = self._parts[at], self._elements[at], nest.memories
        slices = self._slices(split)
        words = operand.words(slices)
        spare = parts * words * operand.element_bytes * elements if parts > 1 else 0
        width = 8 * operand.element_bytes
        spare_blocks = parts * elements * memories.blocks(words, width) if memories is not None and parts > 1 else 0
        if operand.in_place:
            return _Tile(0, words, spare, 0, 0, spare_blocks)
        size = words * operand.element_bytes * elements
        cycles = self.off_chip.latency + -(-size // self.off_chip.width)
        blocks = 0
        if nest.copied or memories is not None:
            how = copying(nest, operand, Vector(self.shard, split, ()), slices, cycles)
            if memories is not None:  # a memory for each element, in the banks of its copies
                extents = [d.words(slices) for d in operand.dims]
                whole, beside = extents[how.dim], math.prod(extents) // extents[how.dim]
                depths = (beside * (-(-(whole - bank) // how.banks)) for bank in range(how.banks))
                blocks = elements * sum(memories.blocks(depth, width) for depth in depths)
            if nest.copied:
                cycles = max(cycles, how.cycles)
        return _Tile(size, words, spare, cycles, blocks, spare_blocks)

    def _slices(self, split: Sequence[int]) -> tuple[int, ...]:
        return tuple([-(-n // t) for n, t in zip(self._extents, split, strict=True)])

    # --------------------------------------------------------------------------------- figures

    def _occupied(self, split: tuple[int, ...], tiles: Sequence[_Tile]) -> tuple[int, int]:
        """Bytes on the chip, and DSP blocks."""
        size = sum([t.size * self._copies(at, split) + t.spare for at, t in enumerate(tiles)])
        return size, self.dsp

    def _blocks(self, split: tuple[int, ...], tiles: Sequence[_Tile]) -> int | None:
        """Blocks of BRAM; parts of sums have no banks."""
        if self.nest.memories is None:
            return None
        return sum(t.blocks * self._copies(at, split) + t.spare_blocks for at, t in enumerate(tiles))

    def _copies(self, at: int, split: Sequence[int]) -> int:
        """Two of what moves, one of what stays."""
        return 2 if any(split[k] > 1 for k in self._own[at]) and not self.nest.operands[at].in_place else 1

    def _move(self, at: int, tile: _Tile, split: tuple[int, ...], order: Sequence[int]) -> Move:
        operand, used = self.nest.operands[at], self._own[at]
        if operand.in_place:
            return Move(operand.name, 0, 1, math.prod(split), False, False, 0)
        inner = max([place for place, k in enumerate(order) if k in used and split[k] > 1], default=-1)
        period = math.prod([split[k] for k in order[inner + 1 :]])
        back = any(k not in used and split[k] > 1 for k in order[: max(inner, 0)])
        loaded = operand.read or (operand.written and back)  # a tile that left unfinished comes back
        copies = self._copies(at, split)
        return Move(operand.name, tile.size, copies, period, loaded, operand.written, tile.cycles)

    def _compute(self, split: tuple[int, ...], tiles: Sequence[_Tile]) -> int:
        """Cycles of one step: the pipelined iterations of a tile, and where parts lie in space their sum."""
        nest, slices = self.nest, self._slices(split)
        cycles = (math.prod(slices) - 1) * max(nest.ii, self._between(slices)) + nest.depth
        for parts, tile in zip(self._parts, tiles, strict=True):
            if parts > 1:
                joined = tile.words - 1 + nest.depth * (parts - 1).bit_length()
                # in C parts are set to zero before, in a loop of as many iterations
                cycles += max(joined, 2 * tile.words) if nest.copied else joined
        return cycles

    def _between(self, slices: tuple[int, ...]) -> int:
        """Cycles between iterations that sums ask for: loops that carry them are the outer ones of a tile."""
        nest = self.nest
        if not any(nest.chain):
            return 1
        carried = [k for k in range(len(slices)) if k in nest.reductions and slices[k] > 1]
        free = math.prod(n for k, n in enumerate(slices) if k not in nest.reductions)
        least = 1
        for operand in nest.operands:
            own = [at for at, k in enumerate(carried) if k in nest.carried(operand)]
            if own:
                apart = free * math.prod(slices[k] for k in carried[own[-1] + 1 :])
                least = max(least, -(-nest.chain[apart > 1] // apart))
        return least


def total(nest: TiledNest, steps: int, compute: int, moves: tuple[Move, ...], off_chip: ExternalMemory) -> int:
    """Cycles of all steps, every time that the nest runs.

    In a DATAFLOW region this is the most, and begins with the load of what stays.
    """
    stay = [m.cycles for m in moves if nest.streams and m.loaded and m.period == steps]
    moving = tuple(m for m in moves if not nest.streams or m.period < steps)
    return nest.repeats * (sum(stay) + overlapped(steps, compute, moving, off_chip.per_array))


def overlapped(steps: int, compute: int, moves: tuple[Move, ...], per_array: bool) -> int:
    """The sum over all phases, by classes of steps."""

    def moving(k: int, loading: bool) -> int:
        """Cycles of what moves when ``k`` is a multiple of its period."""
        costs = [m.cycles for m in moves if (m.loaded if loading else m.stored) and k % m.period == 0]
        return (max(costs, default=0) if per_array else sum(costs)) if costs else 0

    total = moving(0, True) + moving(0, False)  # the first load; the last store: n is a multiple of every period
    if steps == 1:
        return total + compute
    # of two neighbours one is a multiple of nothing but 1: phase k loads step k and stores what ends before k - 1
    plain_load, plain_store = moving(1, True), moving(1, False)
    total += max(plain_load, compute)  # phase 1
    total += max(compute, plain_store)  # phase n: step n - 2 is stored, n - 1 is a multiple of 1 alone
    rest = steps - 2  # phases 2..n-1
    periods = sorted({m.period for m in moves if 1 < m.period < steps})
    for at, period in enumerate(periods):
        above = periods[at + 1] if at + 1 < len(periods) else None
        loads = _multiples(period, 2, steps - 1) - (_multiples(above, 2, steps - 1) if above else 0)
        stores = _multiples(period, 1, steps - 2) - (_multiples(above, 1, steps - 2) if above else 0)
        total += loads * max(moving(period, True), compute, plain_store)
        total += stores * max(plain_load, compute, moving(period, False))
        rest -= loads + stores
    return total + rest * max(plain_load, compute, plain_store)


def _multiples(of: int, low: int, high: int) -> int:
    return high // of - (low - 1) // of if high >= low else 0


def phases(steps: int, moves: tuple[Move, ...]) -> Iterator[tuple[tuple[str, ...], int | None, tuple[str, ...]]]:
    """Per phase: what is loaded (for step k), the step computed (k-1), what is stored (of step k-2)."""
    for k in range(steps + 2):
        loads = tuple(m.array for m in moves if m.loaded and k < steps and k % m.period == 0)
        stores = tuple(m.array for m in moves if m.stored and k >= 2 and (k - 1) % m.period == 0)
        yield loads, k - 1 if 1 <= k <= steps else None, stores
