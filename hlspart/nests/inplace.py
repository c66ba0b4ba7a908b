"""m_axi arrays that an iteration loads and stores: what their requests and responses keep apart.

Reports of Vitis HLS 2022.2: where an unpartitioned array is updated in place, the requests of an iteration wait for the
responses of the one before, whatever the addresses (message 200-880: bus response and bus request, distance 1); where
directives partition it, they do not, unless elements are updated again. Loads of a row stand ahead of its stores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from hlspart.hardware.memory import BUS
from hlspart.hardware.storage import Storage
from hlspart.lowering.dependence import Carriers
from hlspart.lowering.graph import Edge, Op
from hlspart.lowering.lower import Lowered
from hlspart.nests import bus
from hlspart.nests.bus import BusRequests
from hlspart.nests.nests import Order

UPDATED = "whether the next iteration waits for the response of an m_axi array that is loaded and stored is not known"


def behind_responses(
    lowered: Lowered, requests: BusRequests, how: Order, storage: Storage, carriers: Carriers
) -> Lowered:
    """``lowered`` with the requests of stores, and with loads that wait for the responses of stores."""
    graph = lowered.graph
    ops, edges = dict(graph.ops), list(graph.edges)
    by_variable: dict[int, list[Op]] = {}
    for op in graph.memory:
        if op.ref is not None and storage.memory(op.ref.variable).storage == BUS:
            by_variable.setdefault(op.ref.variable, []).append(op)
    stores = [
        op for members in by_variable.values() for op in members if op.kind == "store" and op.id in requests.inside
    ]
    if stores:
        made = max(ops) + 1
        ops[made] = Op(made, "wire", 1, (), stores[0].line, "request")
        edges += [Edge(made, op.id, 0, 1, "control", "request") for op in stores]
    if requests.known:
        edges = [_later(e, ops, by_variable, storage) for e in edges]
    beats = sum(map(len, by_variable.values()))  # which ports may put between the two
    for variable, members in by_variable.items():
        loads, stored = ([op for op in members if op.kind == kind] for kind in ("load", "store"))
        if loads and stored and not carriers.has_directive(variable, stored[0], loads):
            gap = storage.bus_states(variable)[1] + 1 + beats
            certain, possible = _rounds(loads, stored, requests, how, storage, gap)
            again = {op.id for op in members}
            rounds = [e for e in edges if e.kind == "memory" and {e.source, e.sink} <= again and e.distance > 1]
            possible += [replace(e, distance=1, gap=gap) for e in rounds if ops[e.sink].kind == "load"]
            edges += certain
            if possible:
                carriers.possible[UPDATED] += possible
    return replace(lowered, graph=replace(graph, ops=ops, edges=tuple(edges)))


def _later(edge: Edge, ops: Mapping[int, Op], on_bus: Mapping[int, Sequence[Op]], storage: Storage) -> Edge:
    """An order of a load behind a store: it makes its request behind the response."""
    source = ops[edge.source]
    if edge.kind != "memory" or (source.kind, ops[edge.sink].kind) != ("store", "load") or source.ref is None:
        return edge
    if source.ref.variable not in on_bus:
        return edge
    return replace(edge, gap=storage.bus_states(source.ref.variable)[1] + 1)


def _rounds(
    loads: Sequence[Op], stores: Sequence[Op], requests: BusRequests, how: Order, storage: Storage, most: int
) -> tuple[list[Edge], list[Edge]]:
    """(certain, possible) orders between what an iteration stores of an array and what the next one loads.

    ``most``: states that may lie between the two.
    """
    variable = loads[0].ref.variable if loads[0].ref is not None else -1
    memory, name = storage.memory(variable), storage.program.variable(variable).name
    if memory.layout.banks > 1:
        return [], []
    request, response = storage.bus_states(variable)
    plain = not any(op.ref is None or op.ref.guarded or op.ref.branch for op in (*loads, *stores))
    rows = (
        len(loads) > 1
        and len(stores) > 1
        and all(bus.is_consecutive(x, memory, how, whole=False) for x in (loads, stores))
    )
    if rows and plain and requests.known:
        row = [Edge(a.id, b.id, 0, 1, "memory", name) for x in (loads, stores) for a, b in pairwise(x)]
        ahead = Edge(loads[-1].id, stores[0].id, 0, request + 2, "memory", name)
        return [*row, ahead, Edge(stores[-1].id, loads[0].id, 1, response + 1, "memory", name)], []
    return [], [Edge(a.id, b.id, 1, most, "memory", name) for a, b in _pairs(loads, stores)]


def _pairs(loads: Sequence[Op], stores: Sequence[Op]) -> Iterator[tuple[Op, Op]]:
    """Stores with the loads that a round may go through: those of their elements, and the first."""
    for store in stores:
        for load in loads:
            if load is loads[0] or (store.ref and load.ref and store.ref.key == load.ref.key):
                yield store, load
