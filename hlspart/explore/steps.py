"""The cost of a candidate: load, compute and store of neighbouring steps at once, in closed form.

Step k is loaded while step k-1 is computed and step k-2 stored: ``sum over k = 0..n+1 of max(load(k), compute(k-1),
store(k-2))`` for n steps. What an operand's move costs does not depend on the step, only whether it moves: it is
loaded at steps that are multiples of its period and stored before the next one. Periods divide each other, so each
step belongs to one of a few classes, which are counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from msgspec import Struct

from hlspart.explore.widths import copying
from hlspart.model.exploring import ExternalMemory, Move, StepCost, TiledNest, Vector

#: States that a loop has beside those of one iteration in a function without any.
ENTERED = 2


def cost(nest: TiledNest, vector: Vector, off_chip: ExternalMemory) -> StepCost:
    """Cycles, bytes on the chip and DSP blocks of a candidate."""
    return Costs(nest, vector.shard, off_chip).of(vector.split, vector.order)


class _Tile(Struct, frozen=True):
    """The tiles of an operand, of all elements, at one step.

    ``size``: bytes; ``words``: of one element; ``copies``: two of what moves, one of what stays; ``held``: bytes of the
    copies and of the parts of its sums; ``cycles``: of a move; ``blocks``: of BRAM, of copies and parts, which have no
    banks; ``lies``: the kind of the memory of a bank, ``kind``: the same, None where it is no faster than that of the
    whole; ``crowded``: its ports ask for the II of the nest.
    """

    size: int
    words: int
    copies: int
    held: int
    cycles: int
    blocks: int
    lies: int
    kind: int | None
    crowded: bool


class Costs:
    """The costs of the candidates of a nest under one shard vector.

    Tiles of an operand depend on the split of its own loops alone: many candidates have them in common.
    """

    def __init__(self, nest: TiledNest, shard: tuple[int, ...], off_chip: ExternalMemory) -> None:
        self.nest, self.shard, self.off_chip = nest, shard, off_chip
        self.dsp = nest.dsp_of(shard)
        self._extents = tuple(-(-n // s) for n, s in zip(nest.extents, shard, strict=True))
        self._own = [tuple(sorted(o.loops)) for o in nest.operands]
        self._carried = [nest.carried(o) for o in nest.operands]
        self._elements = [math.prod(shard[k] for k in own) for own in self._own]
        self._parts = [math.prod(shard[k] for k in carried) for carried in self._carried]
        self._known: list[dict[Any, _Tile]] = [{} for _ in nest.operands]
        self._keys: list[Callable[[Sequence[int]], Any]] = [itemgetter(*own) if own else _nothing for own in self._own]

    def of(self, split: tuple[int, ...], order: Sequence[int]) -> StepCost:
        """The cost of a candidate."""
        tiles = self._tiles(split)
        moves = []
        for at, (operand, tile) in enumerate(zip(self.nest.operands, tiles, strict=True)):
            period, loaded = self._turn(at, split, order)
            moves.append(Move(operand.name, tile.size, tile.copies, period, loaded, operand.stored, tile.cycles))
        steps, compute = math.prod(split), self._compute(split, tiles)
        ii, depth = self._iteration(self._slices(split), tiles)
        cycles = total(self.nest, steps, compute, moves, self.off_chip)
        once = steps * compute + sum(m.cycles * (steps // m.period) * (m.loaded + m.stored) for m in moves)
        serial = (once + self.nest.borders) * self.nest.repeats
        held, blocks = self._held(tiles), self._blocks(tiles)
        return StepCost(cycles, held, self.dsp, serial, steps, compute, ii, depth, tuple(moves), blocks)

    def cycles(self, split: tuple[int, ...], order: Sequence[int]) -> int:
        """Those of a candidate alone."""
        tiles = self._tiles(split)
        turns = []
        for at, (operand, tile) in enumerate(zip(self.nest.operands, tiles, strict=True)):
            period, loaded = self._turn(at, split, order)
            turns.append((period, tile.cycles if loaded else 0, tile.cycles if operand.stored else 0))
        return _total(self.nest, math.prod(split), self._compute(split, tiles), turns, self.off_chip)

    def figures(self, split: tuple[int, ...]) -> tuple[int, ...]:
        """The figures but cycles, which no order of the time loops changes: bytes on the chip, DSP, blocks of BRAM."""
        tiles = self._tiles(split)
        blocks = self._blocks(tiles)
        return (self._held(tiles), self.dsp) if blocks is None else (self._held(tiles), self.dsp, blocks)

    # --------------------------------------------------------------------------------- tiles

    def _tiles(self, split: tuple[int, ...]) -> list[_Tile]:
        tiles = []
        for at, known in enumerate(self._known):
            key = self._keys[at](split)
            if key not in known:
                known[key] = self._tile(at, split)
            tiles.append(known[key])
        return tiles

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
            return _Tile(0, words, 1, spare, 0, spare_blocks, operand.kind(words), None, operand.crowded)
        size = words * operand.element_bytes * elements
        cycles = self.off_chip.latency + -(-size // self.off_chip.width)
        moves = (operand.loaded or operand.stored) and any(split[k] > 1 for k in self._own[at])
        copies = 2 if moves else 1
        blocks, banks = 0, 1
        if nest.copied or memories is not None:
            how = copying(nest, operand, Vector(self.shard, split, ()), slices, cycles)
            if memories is not None:  # a memory for each element, in the banks of its copies
                extents = [d.words(slices) for d in operand.dims]
                whole, beside = extents[how.dim], math.prod(extents) // extents[how.dim]
                depths = (beside * (-(-(whole - bank) // how.banks)) for bank in range(how.banks))
                blocks = elements * sum(memories.blocks(depth, width) for depth in depths)
            banks = how.banks
            if nest.copied:
                cycles = max(cycles, how.cycles)
        kind = operand.kind(-(-words // banks))
        faster = kind if kind < operand.kind(operand.words(nest.extents)) else None
        crowded = operand.crowded and operand.kind(words) > 0  # banks of a copy are not those that windows need
        held = size * copies + spare
        return _Tile(size, words, copies, held, cycles, blocks * copies + spare_blocks, kind, faster, crowded)

    def _slices(self, split: Sequence[int]) -> tuple[int, ...]:
        return tuple([-(-n // t) for n, t in zip(self._extents, split, strict=True)])

    # --------------------------------------------------------------------------------- figures

    def _held(self, tiles: Sequence[_Tile]) -> int:
        """Bytes on the chip."""
        return sum([t.held for t in tiles])

    def _blocks(self, tiles: Sequence[_Tile]) -> int | None:
        """Blocks of BRAM."""
        return None if self.nest.memories is None else sum([t.blocks for t in tiles])

    def _turn(self, at: int, split: tuple[int, ...], order: Sequence[int]) -> tuple[int, bool]:
        """Every how many steps an operand moves, and whether it is loaded."""
        operand, used, period = self.nest.operands[at], self._own[at], 1
        if operand.in_place:
            return math.prod(split), False
        outer = len(order)
        while outer and (split[order[outer - 1]] == 1 or order[outer - 1] not in used):
            outer -= 1
            period *= split[order[outer]]
        if operand.read or not operand.written:
            return period, operand.read
        # a tile that left unfinished comes back
        return period, any(split[k] > 1 and k not in used for k in order[: max(outer - 1, 0)])

    def _compute(self, split: tuple[int, ...], tiles: Sequence[_Tile]) -> int:
        """Cycles of one step: the pipelined iterations of a tile, and where parts lie in space their sum."""
        nest, slices = self.nest, self._slices(split)
        ii, depth = self._iteration(slices, tiles)
        cycles = (math.prod(slices) - 1) * ii + depth
        first, further = nest.joins or (nest.depth, nest.depth)
        for parts, tile in zip(self._parts, tiles, strict=True):
            if parts > 1:
                cycles += tile.words - 1 + first + further * ((parts - 1).bit_length() - 1)
                if nest.copied and tile.words > 1:
                    cycles += tile.words  # in C parts are set to zero before, in a loop of as many iterations
                elif nest.copied:  # nor is there a loop to add them up
                    cycles -= min(first, ENTERED)
        return cycles

    def _iteration(self, slices: tuple[int, ...], tiles: Sequence[_Tile]) -> tuple[int, int]:
        """Interval and depth of the iterations of a step: of tiles in faster memories those of the fastest one."""
        nest = self.nest
        if nest.alone is not None and math.prod(slices) == 1:
            return 1, nest.alone
        kinds = [t.kind for t in tiles if t.kind is not None] if nest.faster else []
        ii, depth = nest.faster[min(kinds)] if kinds else (nest.ii, nest.depth)
        if nest.spared and any(n == 1 < nest.extents[k] for k, n in enumerate(slices)):
            depth = max(nest.faster[0][1], depth - nest.spared)
        partial = self._partial(slices) if nest.guarded or nest.chains else frozenset[int]()
        if partial:
            depth = max(1, depth - nest.guarded)
        if ii < nest.ii and any(t.crowded for t in tiles):
            ii = nest.ii
        return max(ii, self._between(slices, tiles, partial)), depth

    def _partial(self, slices: tuple[int, ...]) -> frozenset[int]:
        """Loops along which some tiles are not whole."""
        every = zip(self.nest.extents, slices, self.shard, strict=True)
        return frozenset([k for k, (extent, n, elements) in enumerate(every) if extent % (n * elements)])

    def _between(self, slices: tuple[int, ...], tiles: Sequence[_Tile], partial: frozenset[int]) -> int:
        """Cycles between iterations that sums ask for: loops that carry them are the outer ones of a tile."""
        nest = self.nest
        if not nest.chains:
            return 1
        carried = [k for k, n in enumerate(slices) if n > 1 and k in nest.reductions]
        guarded = None if partial and partial <= nest.reductions else bool(partial)
        free = math.prod([n for k, n in enumerate(slices) if k not in nest.reductions])
        least = 1
        for chain in nest.chains:
            if any(tiles[n].lies < kind for n, kind in chain.lie):
                continue
            apart = free
            for k in reversed(carried):
                if k in chain.loops:
                    least = max(least, chain.interval(apart, guarded))
                    break
                apart *= slices[k]
        return least


#: Every how many steps an operand moves, cycles of its load and of its store, if any.
_Turn = tuple[int, int, int]


def total(nest: TiledNest, steps: int, compute: int, moves: Sequence[Move], off_chip: ExternalMemory) -> int:
    """Cycles of all steps, every time that the nest runs."""
    turns = [(m.period, m.cycles if m.loaded else 0, m.cycles if m.stored else 0) for m in moves]
    return _total(nest, steps, compute, turns, off_chip)


def _total(nest: TiledNest, steps: int, compute: int, turns: Sequence[_Turn], off_chip: ExternalMemory) -> int:
    """In a DATAFLOW region this is the most, and begins with the load of what stays."""
    stay = sum([load for period, load, _ in turns if period == steps]) if nest.streams else 0
    moving = [t for t in turns if t[0] < steps] if nest.streams else turns
    return nest.repeats * (nest.borders + stay + overlapped(steps, compute, moving, off_chip.per_array))


def overlapped(steps: int, compute: int, turns: Sequence[_Turn], per_array: bool) -> int:
    """The sum over all phases, by classes of steps."""

    def moving(k: int) -> tuple[int, int]:
        """Cycles of what is loaded, and of what is stored, when ``k`` is a multiple of its period."""
        now = [t for t in turns if k % t[0] == 0]
        loads, stores = [t[1] for t in now], [t[2] for t in now]
        return (max(loads, default=0), max(stores, default=0)) if per_array else (sum(loads), sum(stores))

    total = sum(moving(0))  # the first load; the last store: n is a multiple of every period
    if steps == 1:
        return total + compute
    # of two neighbours one is a multiple of nothing but 1: phase k loads step k and stores what ends before k - 1
    plain_load, plain_store = moving(1)
    total += max(plain_load, compute)  # phase 1
    total += max(compute, plain_store)  # phase n: step n - 2 is stored, n - 1 is a multiple of 1 alone
    rest = steps - 2  # phases 2..n-1
    periods = sorted({t[0] for t in turns if 1 < t[0] < steps})
    for at, period in enumerate(periods):
        above = periods[at + 1] if at + 1 < len(periods) else None
        loads = _multiples(period, 2, steps - 1) - (_multiples(above, 2, steps - 1) if above else 0)
        stores = _multiples(period, 1, steps - 2) - (_multiples(above, 1, steps - 2) if above else 0)
        load, store = moving(period)
        total += loads * max(load, compute, plain_store)
        total += stores * max(plain_load, compute, store)
        rest -= loads + stores
    return total + rest * max(plain_load, compute, plain_store)


def _nothing(_: Sequence[int]) -> tuple[()]:
    """The key of what depends on no loop."""
    return ()


def _multiples(of: int, low: int, high: int) -> int:
    return high // of - (low - 1) // of if high >= low else 0


def phases(steps: int, moves: tuple[Move, ...]) -> Iterator[tuple[tuple[str, ...], int | None, tuple[str, ...]]]:
    """Per phase: what is loaded (for step k), the step computed (k-1), what is stored (of step k-2)."""
    for k in range(steps + 2):
        loads = tuple(m.array for m in moves if m.loaded and k < steps and k % m.period == 0)
        stores = tuple(m.array for m in moves if m.stored and k >= 2 and (k - 1) % m.period == 0)
        yield loads, k - 1 if 1 <= k <= steps else None, stores
