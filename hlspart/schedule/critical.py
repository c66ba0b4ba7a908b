"""The critical cycle of a recurrence, for explanations."""

from __future__ import annotations

from collections import defaultdict

from hlspart.schedule.graph import Edge
from hlspart.schedule.modulo import Problem


def critical_cycle(problem: Problem, ii: int) -> tuple[Edge, ...]:
    """A cycle of dependences that forbids ``ii - 1``, as edges in order; () when gaps alone forbid nothing.

    With weights ``gap - (ii - 1) * distance`` such a cycle has positive length (Bellman-Ford).
    """
    ops = list(problem.graph.ops)
    reach = dict.fromkeys(ops, 0)
    via: dict[int, Edge] = {}
    incoming: dict[int, list[Edge]] = defaultdict(list)
    for edge in problem.graph.edges:
        incoming[edge.sink].append(edge)
    last = None
    for _ in range(len(ops) + 1):
        last = None
        for op in ops:
            for edge in incoming[op]:
                far = reach[edge.source] + problem.gap(edge) - (ii - 1) * edge.distance
                if far > reach[op]:
                    reach[op], via[op], last = far, edge, op
        if last is None:
            return ()
    assert last is not None
    for _ in ops:
        if last not in via:
            return ()
        last = via[last].source
    cycle, at = [], last
    while True:
        edge = via[at]
        cycle.append(edge)
        at = edge.source
        if at == last:
            return tuple(reversed(cycle))
