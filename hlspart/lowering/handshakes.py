"""Channels with handshakes: which states their reads and writes wait for.

Axis ports with registers on both sides, schedules of 2018.3 to 2023.2 (`axis_write_states` of the profiles): data is
written in the state that makes it, but not in the one in which an axis port delivered what it is made of.

FIFOs: a pipelined loop accesses them behind the state of its test, which decides whether there is one more word to
take. In schedules of eleven repositories (2018.3 to 2024.1) 73 of 75 loops do; functions that are pipelined as a whole
have no test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from hlspart.hardware.memory import AXIS, FIFO
from hlspart.hardware.storage import Storage
from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import Edge, Graph, Op
from hlspart.lowering.lower import Lowered
from hlspart.model import program as c
from hlspart.semantics.effects import effects


def registered(lowered: Lowered, storage: Storage) -> Lowered:
    """With an order of a state from each read at an axis port to the writes at such ports that need it."""
    graph = lowered.graph
    writes = [op for op in graph.ops.values() if op.kind == "store" and _axis(op, storage)]
    behind: dict[int, list[int]] = {}
    for edge in graph.edges if writes else ():
        if edge.kind == "data" and not edge.distance:
            behind.setdefault(edge.sink, []).append(edge.source)
    edges = [
        Edge(source, op.id, 0, 1, "memory", storage.program.variable(op.ref.variable).name)
        for op in writes if op.ref is not None for source in _reads(op, behind, graph, storage)
    ]  # fmt: skip
    return replace(lowered, graph=replace(graph, edges=(*graph.edges, *edges))) if edges else lowered


def behind_test(lowered: Lowered, storage: Storage) -> Lowered:
    """With a test of the loop a state ahead of all accesses of FIFOs."""
    graph = lowered.graph
    channels = [op for op in graph.memory if op.ref is not None and storage.memory(op.ref.variable).storage == FIFO]
    if not channels:
        return lowered
    test = Op(max(graph.ops) + 1, "wire", 1, (), channels[0].line, "test")
    edges = tuple(Edge(test.id, op.id, 0, 1, "control", "test") for op in channels)
    return replace(lowered, graph=replace(graph, ops={**graph.ops, test.id: test}, edges=(*graph.edges, *edges)))


def refuse_tested_room(statements: Iterable[c.Stmt], storage: Storage) -> None:
    """Raise :class:`Unmodelled` where iterations ask an axis port for room, which the words written before take.

    Two reports (2024.2) have II 4 and 5 where nothing else limits it.
    """
    program = storage.program
    known = effects(program)
    for call in (call for stmt in statements for call in known.calls_in(stmt)):
        if call.function == "stream.full" and isinstance(call.args[0], c.Name):
            port = program.variable(call.args[0].variable)
            if storage.memory(port.id).storage == AXIS:
                text = f"how long a test of the room at the axis port {port.name} waits for earlier writes is not known"
                raise Unmodelled(text, program.line(call.at))


def _axis(op: Op, storage: Storage) -> bool:
    return op.ref is not None and storage.memory(op.ref.variable).storage == AXIS


def _reads(write: Op, behind: Mapping[int, list[int]], graph: Graph, storage: Storage) -> list[int]:
    """Reads at axis ports that a write needs in its own iteration; ``behind``: what each operation takes of it."""
    before = _before(write.id, behind)
    return sorted(i for i in before if graph.ops[i].kind == "load" and _axis(graph.ops[i], storage))


def _before(op: int, behind: Mapping[int, list[int]]) -> set[int]:
    before, waiting = set[int](), [op]
    while waiting:
        for source in behind.get(waiting.pop(), ()):
            if source not in before:
                before.add(source)
                waiting.append(source)
    return before
