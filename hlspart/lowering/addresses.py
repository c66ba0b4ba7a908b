"""The time that addresses take: iterators of flattened nests, strides and sums, ahead of the first accesses.

Reports (`*.verbose.sched.rpt`) show the iterators of a flattened nest as a comparison and a selection per level, a
row's stride as a shift, a difference of two shifts or a small multiplier, and sums of up to three addends as one
adder. Where all that and the setup of the memory exceed the period, the access starts a state later.
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from hlspart.hardware.memory import STREAMS
from hlspart.hardware.storage import Storage
from hlspart.layouts.perdim import PerDimLayout
from hlspart.lowering.doubt import Doubt
from hlspart.lowering.graph import Edge, MemoryRef, Op
from hlspart.lowering.lower import Lowered
from hlspart.model.causes import Cause
from hlspart.semantics.folding import digits
from hlspart.targets import Target


def with_addresses(lowered: Lowered, own: tuple[str, ...], storage: Storage, outlined: bool) -> Lowered:
    """``lowered`` with an operation ahead of each access whose address leaves no time for it in its first state.

    ``own``: iterators of the pipelined loop and its flattened parents. ``outlined``: the loop is a module of its
    own, whose iterators are written like variables; if that takes longer than a state, iterations start as far apart.
    """
    graph, target = lowered.graph, storage.target
    ops, edges, made, doubts = dict(graph.ops), list(graph.edges), dict[float, int](), lowered.doubts
    ns = _counting_ns(target) if outlined and len(own) > 1 else 0.0
    if ops and ns > target.effective_ns:
        count = max(ops) + 1
        ops[count] = Op(count, "address", math.ceil(1000 * ns), (), 0, "iterators")
        edges.append(Edge(count, count, 1, math.ceil(ns / target.effective_ns), "data", "iterators"))
        if _counting_ns(target, 1) <= target.effective_ns:  # a report of 2022.2 (xc7z020, 8 ns) has II 1
            text = "whether the iterators of a flattened nest come round within a state is not known"
            doubts = (*doubts, Doubt(Cause(text), gone=frozenset(edges[-1:])))
    for op in graph.memory:
        if op.ref is None or op.ref.key[0] == "stream":
            continue
        memory = storage.memory(op.ref.variable)
        if memory.registers or memory.storage in STREAMS:
            continue
        ns = _address_ns(op.ref, memory.layout, own, target)
        if ns == 0 or ns + access_ns(op, storage) <= target.effective_ns:
            continue
        if ns not in made:
            made[ns] = max(ops) + 1
            ops[made[ns]] = Op(made[ns], "address", math.ceil(1000 * ns), (), op.line, "address")
        edges.append(Edge(made[ns], op.id, 0, None, "data", "address"))
    return replace(lowered, graph=replace(graph, ops=ops, edges=tuple(edges)), doubts=doubts)


def access_ns(op: Op, storage: Storage) -> float:
    """Delay of the memory of a load or store in the states where its address and its data are handed over."""
    assert op.ref is not None
    memory = storage.memory(op.ref.variable)
    if memory.storage in STREAMS:
        return storage.target.stream_ns(memory.storage)
    layout = memory.layout
    depth = max(layout.depth(b) for b in {0, layout.banks - 1})
    return storage.target.access_ns(depth, op.bits or storage.arrays.width(op.ref.variable))


def _address_ns(ref: MemoryRef, layout: PerDimLayout, own: tuple[str, ...], target: Target) -> float:
    """ns from the registers of the iterators to an address; 0 where it needs no logic."""
    if ref.index is None or any(f is None for f in ref.index):
        return 0.0
    coefficients: dict[str, int] = {}
    base, moved, stride = False, False, 1
    for form, dim in reversed(list(zip(ref.index, layout.dims, strict=False))):
        if form is None or dim.banks == dim.extent:
            continue
        mine = {n: c for n, c in form.terms if n in own}
        base = base or len(mine) < len(form.terms) or (form.const != 0 and not mine)
        moved = moved or bool(mine and form.const)
        for n, c in mine.items():
            per_bank = c // dim.banks if c % dim.banks == 0 else c
            coefficients[n] = coefficients.get(n, 0) + per_bank * stride
        stride *= max(1, math.ceil(dim.extent / dim.banks))
    if not coefficients:
        return 0.0
    add = _ns(target, "add")
    scale = max((0.0, add, _ns(target, "mul"))[min(2, digits(c) - 1)] for c in coefficients.values())
    addends = len(coefficients) + base
    total = math.ceil(math.log(addends, 3)) * add if addends > 1 else 0.0
    return counters_ns(own, target) + (add if moved else 0.0) + scale + total


def counters_ns(own: tuple[str, ...], target: Target) -> float:
    """ns from the registers of the iterators of a flattened nest to their values in this iteration."""
    add, compare, select = (_ns(target, kind) for kind in ("add", "cmp", "select"))
    levels = len(own) - 1
    return max(0, levels) * (compare + select) + max(0, levels - 1) * add / 2


def _counting_ns(target: Target, bits: int | None = None) -> float:
    """ns from the register of a flattened nest's inner iterator to itself: test, restart, next value, writing."""
    return sum(_ns(target, kind, bits) for kind in ("cmp", "select", "add")) + target.scalar_ns


def _ns(target: Target, kind: str, bits: int | None = None) -> float:
    time = target.operator(kind, bits or target.index_bits)
    return time.in_ns if time is not None else 0.0
