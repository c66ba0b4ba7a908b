"""Limits of a schedule that follow from others: where all accesses of an array may meet, most orders do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from hlspart.model.answers import Answers
from hlspart.schedule.problem import Problem

Kind = tuple[int, int]  # distance, gap


class AccessOrder(NamedTuple):
    """An order of accesses: its number among the edges, and the places of both among the accesses."""

    number: int
    source: int
    sink: int
    distance: int
    gap: int


_MAX_KINDS = 12  # distances and gaps of one operation's orders that are all combined with each other
# Few, as the orders of a large loop are many; the texts of a search have mostly the same.
_IMPLIED: Answers[frozenset[int]] = Answers(16)


def lean(problem: Problem) -> Problem:
    """The same without what other limits imply, at any II: banks that serve the same accesses, and orders of accesses.

    Of banks with the same accesses and ports one is left: they are full in the same slots.
    start(c) >= start(a) + gap - II * distance follows from a -> b -> c when their distances add up to no more and
    their gaps to no less. No order goes because of itself: b stands nearer to a and to c, by distance and then by
    position, than they stand to each other.
    """
    problem = _with_one_of_equal_banks(problem)
    position = {op.id: k for k, op in enumerate(problem.graph.memory)}
    edges = problem.graph.edges
    orders = tuple(
        AccessOrder(k, position[e.source], position[e.sink], e.distance, e.gap)
        for k, e in enumerate(edges)
        if e.kind == "memory" and e.gap is not None and e.source in position and e.sink in position
    )
    gone = _IMPLIED.of(orders, lambda: _implied(orders))
    if not gone:
        return problem
    return replace(problem, graph=replace(problem.graph, edges=tuple(e for k, e in enumerate(edges) if k not in gone)))


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


def _implied(orders: Sequence[AccessOrder]) -> frozenset[int]:
    out: dict[int, dict[Kind, int]] = defaultdict(lambda: defaultdict(int))
    into: dict[int, dict[Kind, int]] = defaultdict(lambda: defaultdict(int))
    for e in orders:  # masks of operations
        out[e.source][e.distance, e.gap] |= 1 << e.sink
        into[e.sink][e.distance, e.gap] |= 1 << e.source
    gone = set()
    for e in orders:
        firsts, seconds = out[e.source], into[e.sink]
        others = ~(1 << e.source | 1 << e.sink)
        if len(firsts) > _MAX_KINDS or len(seconds) > _MAX_KINDS:
            implied = _is_by_way(e, _inside(firsts), seconds, others) or _is_by_way(e, firsts, _inside(seconds), others)
        else:
            implied = _is_by_way(e, firsts, seconds, others)
        if implied:
            gone.add(e.number)
    return frozenset(gone)


def _inside(kinds: dict[Kind, int]) -> dict[Kind, int]:
    return {kind: operations for kind, operations in kinds.items() if kind[0] == 0}


def _is_by_way(e: AccessOrder, firsts: dict[Kind, int], seconds: dict[Kind, int], others: int) -> bool:
    """Whether two orders by way of one of ``others`` ask as much as ``e``."""
    return any(
        after & before & others
        for (d1, g1), after in firsts.items()
        for (d2, g2), before in seconds.items()
        if d1 + d2 <= e.distance and g1 + g2 >= e.gap
    )
