"""Limits of a schedule that follow from others: where all accesses of an array may meet, most orders do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from hlspart.lowering.graph import Edge
from hlspart.schedule.problem import Problem

Kind = tuple[int, int]  # distance, gap

_MAX_KINDS = 12  # distances and gaps of one operation's orders that are all combined with each other


def lean(problem: Problem) -> Problem:
    """The same without what other limits imply, at any II: banks that serve the same accesses, and orders of accesses.

    Of banks with the same accesses and ports one is left: they are full in the same slots.
    start(c) >= start(a) + gap - II * distance follows from a -> b -> c when their distances add up to no more and
    their gaps to no less. No order goes because of itself: b stands nearer to a and to c, by distance and then by
    position, than they stand to each other.
    """
    problem = _with_one_of_equal_banks(problem)
    orders = [e for e in problem.graph.edges if e.kind == "memory" and e.gap is not None]
    gone = _implied(orders, {op.id: k for k, op in enumerate(problem.graph.memory)})
    if not gone:
        return problem
    return replace(problem, graph=replace(problem.graph, edges=tuple(e for e in problem.graph.edges if e not in gone)))


def _with_one_of_equal_banks(problem: Problem) -> Problem:
    served: dict[str, list[int]] = defaultdict(list)
    for op, use in problem.ports.items():
        for bank in use.banks:
            served[bank].append(op)
    left = {(tuple(ops), problem.limits[bank]): bank for bank, ops in served.items()}
    if len(left) == len(served):
        return problem
    kept = set(left.values())
    ports = {op: replace(use, banks=tuple(b for b in use.banks if b in kept)) for op, use in problem.ports.items()}
    return replace(problem, ports=ports)


def _implied(orders: Sequence[Edge], position: dict[int, int]) -> set[Edge]:
    out: dict[int, dict[Kind, int]] = defaultdict(lambda: defaultdict(int))
    into: dict[int, dict[Kind, int]] = defaultdict(lambda: defaultdict(int))
    known = [e for e in orders if e.source in position and e.sink in position]
    for e in known:  # masks of operations by their position
        out[e.source][e.distance, e.gap or 0] |= 1 << position[e.sink]
        into[e.sink][e.distance, e.gap or 0] |= 1 << position[e.source]
    gone = set()
    for e in known:
        firsts, seconds = out[e.source], into[e.sink]
        others = ~(1 << position[e.source] | 1 << position[e.sink])
        if len(firsts) > _MAX_KINDS or len(seconds) > _MAX_KINDS:
            implied = _is_by_way(e, _inside(firsts), seconds, others) or _is_by_way(e, firsts, _inside(seconds), others)
        else:
            implied = _is_by_way(e, firsts, seconds, others)
        if implied:
            gone.add(e)
    return gone


def _inside(kinds: dict[Kind, int]) -> dict[Kind, int]:
    return {kind: operations for kind, operations in kinds.items() if kind[0] == 0}


def _is_by_way(e: Edge, firsts: dict[Kind, int], seconds: dict[Kind, int], others: int) -> bool:
    """Whether two orders by way of one of ``others`` ask as much as ``e``."""
    return any(
        after & before & others
        for (d1, g1), after in firsts.items()
        for (d2, g2), before in seconds.items()
        if d1 + d2 <= e.distance and g1 + g2 >= (e.gap or 0)
    )
