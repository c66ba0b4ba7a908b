"""Loops that data may end: the next iteration waits for the test (UG1399, scalar dependencies)."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Edge
from hlspart.lowering.lower import Lowered

SPECULATION = "whether an iteration starts before the exit test of the last one is decided is not known"


def after_exits(lowered: Lowered, exits: Collection[tuple[int, int]], name: str) -> Lowered:
    """With orders after the tests ``exits`` (and their places in the order of memory operations).

    Stores and stream accesses never run before the tests ahead of them are decided; everything else of the next
    iteration could, with speculation, and no report says whether it does.
    """
    graph = lowered.graph
    label = f"exit of {name}"
    certain, waiting = set(), set()
    for test, position in exits:
        for op in graph.ops.values() if test in graph.ops else ():  # else decided before the loop begins
            if op.ref is not None and (op.kind == "store" or op.ref.key[0] == "stream"):
                distance = 0 if op.ref.position >= position else 1
                certain.add(Edge(test, op.id, distance, 0, "control", label))
            waiting.add(Edge(test, op.id, 1, 1, "control", label))
    edges = sorted(certain | waiting, key=lambda e: (e.source, e.sink, e.distance, e.gap or 0))
    tests = (graph.ops[test] for test, _ in exits if test in graph.ops)
    doubts = (Doubt(about(SPECULATION, tests), gone=frozenset(waiting)),) if waiting else ()
    changed = replace(graph, edges=(*graph.edges, *edges))
    return replace(lowered, graph=changed, doubts=(*lowered.doubts, *doubts))
