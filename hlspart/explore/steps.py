"""The cost of a candidate: load, compute and store of neighbouring steps at once, in closed form.

Step k is loaded while step k-1 is computed and step k-2 stored: ``sum over k = 0..n+1 of max(load(k), compute(k-1),
store(k-2))`` for n steps. What an operand's move costs does not depend on the step, only whether it moves: it is
loaded at steps that are multiples of its period and stored before the next one. Periods divide each other, so each
step belongs to one of a few classes, which are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hlspart.explore.widths import copying
from hlspart.model.exploring import ExternalMemory, Move, Operand, StepCost, TiledNest, Vector


def cost(nest: TiledNest, vector: Vector, off_chip: ExternalMemory) -> StepCost:
    """Cycles, bytes on the chip and DSP blocks of a candidate."""
    slices = vector.slices(nest.extents)
    moves = tuple(_move(nest, o, vector, slices, off_chip) for o in nest.operands)
    spare = _partials(nest, vector, slices)
    steps = math.prod(vector.split)
    compute = _compute(nest, vector, slices)
    cycles = total(nest, steps, compute, moves, off_chip)
    serial = steps * compute + sum(m.cycles * (steps // m.period) * (m.loaded + m.stored) for m in moves)
    size = sum(m.size * m.copies for m in moves) + spare
    blocks = None if nest.memories is None else _blocks(nest, vector, slices, moves, off_chip)
    return StepCost(cycles, size, nest.dsp_of(vector.shard), serial, steps, compute, moves, blocks)


def _compute(nest: TiledNest, vector: Vector, slices: tuple[int, ...]) -> int:
    """Cycles of one step: the pipelined iterations of a tile, and where parts lie in space their sum."""
    cycles = (math.prod(slices) - 1) * max(nest.ii, _between(nest, slices)) + nest.depth
    for operand in nest.operands:
        parts = _parts(nest, vector, operand)
        if parts > 1:
            cycles += operand.words(slices) - 1 + nest.depth * (parts - 1).bit_length()
    return cycles


def _between(nest: TiledNest, slices: tuple[int, ...]) -> int:
    """Cycles between iterations that sums ask for: loops that carry them are the outer ones of a tile."""
    if not nest.chain:
        return 1
    carried = [k for k in range(len(slices)) if k in nest.reductions and slices[k] > 1]
    free = math.prod(n for k, n in enumerate(slices) if k not in nest.reductions)
    least = 1
    for operand in nest.operands:
        own = [at for at, k in enumerate(carried) if k in nest.carried(operand)]
        if own:
            apart = free * math.prod(slices[k] for k in carried[own[-1] + 1 :])
            least = max(least, -(-nest.chain // apart))
    return least


def _parts(nest: TiledNest, vector: Vector, operand: Operand) -> int:
    """Elements that hold a part of each sum of a written operand."""
    return math.prod(vector.shard[k] for k in nest.carried(operand))


def _partials(nest: TiledNest, vector: Vector, slices: tuple[int, ...]) -> int:
    """Bytes of the parts of sums that lie in space."""
    return sum(
        parts * o.words(slices) * o.element_bytes * math.prod(vector.shard[k] for k in o.loops)
        for o in nest.operands
        if (parts := _parts(nest, vector, o)) > 1
    )


def _blocks(
    nest: TiledNest, vector: Vector, slices: tuple[int, ...], moves: tuple[Move, ...], off_chip: ExternalMemory
) -> int:
    """Blocks of BRAM: a memory for each element, in the banks of its copies; parts of sums have no banks."""
    assert nest.memories is not None
    found = 0
    for operand, move in zip(nest.operands, moves, strict=True):
        width, elements = 8 * operand.element_bytes, math.prod(vector.shard[k] for k in operand.loops)
        parts = _parts(nest, vector, operand)
        if parts > 1:
            found += parts * elements * nest.memories.blocks(operand.words(slices), width)
        if not operand.in_place:
            how = copying(nest, operand, vector, slices, off_chip.latency + -(-move.size // off_chip.width))
            extents = [d.words(slices) for d in operand.dims]
            whole, beside = extents[how.dim], math.prod(extents) // extents[how.dim]
            depths = (beside * (-(-(whole - bank) // how.banks)) for bank in range(how.banks))
            found += move.copies * elements * sum(nest.memories.blocks(depth, width) for depth in depths)
    return found


def _move(nest: TiledNest, operand: Operand, vector: Vector, slices: tuple[int, ...], off_chip: ExternalMemory) -> Move:
    if operand.in_place:
        return Move(operand.name, 0, 1, math.prod(vector.split), False, False, 0)
    used = operand.loops
    size = operand.words(slices) * operand.element_bytes * math.prod(vector.shard[k] for k in used)
    inner = max((at for at, k in enumerate(vector.order) if k in used and vector.split[k] > 1), default=-1)
    period = math.prod(vector.split[k] for k in vector.order[inner + 1 :])
    back = any(k not in used and vector.split[k] > 1 for k in vector.order[: max(inner, 0)])
    loaded = operand.read or (operand.written and back)  # a tile that left unfinished comes back
    cycles = off_chip.latency + -(-size // off_chip.width)
    if nest.copied:
        cycles = max(cycles, copying(nest, operand, vector, slices, cycles).cycles)
    return Move(operand.name, size, 1 if inner < 0 else 2, period, loaded, operand.written, cycles)


def total(nest: TiledNest, steps: int, compute: int, moves: tuple[Move, ...], off_chip: ExternalMemory) -> int:
    """Cycles of all steps; in a DATAFLOW region, of which this is the most, behind the load of what stays."""
    if not nest.streams:
        return overlapped(steps, compute, moves, off_chip.per_array)
    stay = [m.cycles for m in moves if m.loaded and m.period == steps]
    moving = tuple(m for m in moves if m.period < steps)
    return sum(stay) + overlapped(steps, compute, moving, off_chip.per_array)


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
