"""Layouts of loop nests with the least converted bytes: one minimum cut.

A value costs its bytes when those who make and use it do not all have one layout. With two layouts this is a minimum
cut of a graph with two more nodes per value (Kolmogorov and Zabih, 2004): polynomial, and least.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hlspart.model.blocked import BLOCKED, COMPACT, Kind


@dataclass(frozen=True, slots=True)
class CutValue:
    """What ``members`` (nodes by number) make and use: ``size`` bytes to convert unless all have one layout."""

    members: tuple[int, ...]
    size: int


def least(demands: Sequence[Kind], values: Sequence[CutValue]) -> tuple[tuple[Kind, ...], int]:
    """A layout for every node, as it demands where it does, and the converted bytes; no other choice has fewer.

    Where several choices are least, nodes keep the compact layout.
    """
    source, sink = len(demands), len(demands) + 1
    network = _Network(len(demands) + 2 + 2 * len(values))
    endless = 1 + sum(v.size for v in values)
    for node, demand in enumerate(demands):
        if demand == BLOCKED:
            network.link(source, node, endless)
        elif demand == COMPACT:
            network.link(node, sink, endless)
    for k, value in enumerate(values):
        some, every = len(demands) + 2 + 2 * k, len(demands) + 3 + 2 * k
        network.link(some, every, value.size)
        for node in value.members:
            network.link(node, some, endless)
            network.link(every, node, endless)
    converted = network.flow(source, sink)
    blocked = network.reached(source)
    return tuple(BLOCKED if node in blocked else COMPACT for node in range(len(demands))), converted


class _Network:
    """Arcs with capacities; the flow of Edmonds and Karp, which is enough for some hundred nodes."""

    def __init__(self, nodes: int) -> None:
        self._arcs: list[dict[int, int]] = [{} for _ in range(nodes)]

    def link(self, one: int, other: int, capacity: int) -> None:
        self._arcs[one][other] = self._arcs[one].get(other, 0) + capacity
        self._arcs[other].setdefault(one, 0)

    def reached(self, source: int) -> dict[int, int]:
        """Nodes that a path with capacity left leads to, each with the one before it."""
        before, waiting = {source: source}, deque([source])
        while waiting:
            node = waiting.popleft()
            for other, capacity in self._arcs[node].items():
                if capacity and other not in before:
                    before[other] = node
                    waiting.append(other)
        return before

    def flow(self, source: int, sink: int) -> int:
        """The most that flows, and so the least cut; capacities are what is left then."""
        total = 0
        while sink in (before := self.reached(source)):
            path = [sink]
            while path[-1] != source:
                path.append(before[path[-1]])
            arcs = [(one, other) for other, one in pairwise(path)]
            least_left = min(self._arcs[one][other] for one, other in arcs)
            for one, other in arcs:
                self._arcs[one][other] -= least_left
                self._arcs[other][one] += least_left
            total += least_left
        return total


def cost(layouts: Sequence[Kind], values: Sequence[CutValue]) -> int:
    """Converted bytes of a choice."""
    return sum(v.size for v in values if len({layouts[m] for m in v.members}) > 1)


def spread(demands: Sequence[Kind], values: Sequence[CutValue], fixed: Mapping[int, Kind]) -> tuple[Kind, ...]:
    """The layouts of a breadth-first spread from the nodes that demand blocks, both ways along values.

    It stops at nodes that demand the compact layout and at those of ``fixed`` layout; the rest is compact. What others
    do, for comparison.
    """
    around: dict[int, list[int]] = {}
    for value in values:
        for node in value.members:
            around.setdefault(node, []).extend(m for m in value.members if m != node)
    found = {node: demand for node, demand in enumerate(demands) if demand == BLOCKED}
    waiting = deque(node for node in found if node not in fixed)
    while waiting:
        for other in around.get(waiting.popleft(), ()):
            if other not in found and other not in fixed and demands[other] != COMPACT:
                found[other] = BLOCKED
                waiting.append(other)
    return tuple(found.get(node, COMPACT) for node in range(len(demands)))
