"""Layouts of loop nests with the least converted bytes.

A value of ``size`` bytes costs them once for every layout but one among those who make and use it. With two layouts in
reach of each other this is a minimum cut of a graph with two more nodes per value (Kolmogorov and Zabih, 2004):
polynomial, and least. With three or more it is a multiway cut, which is NP-hard: nodes are then fixed one by one,
best bound first, until minimum cuts decide the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from msgspec import Struct

from hlspart.model.blocked import COMPACT, Kind

MAX_CHOICES = 300  # ways to fix nodes that are looked at; some seconds
Options = tuple[tuple[Kind, ...], ...]


class CutValue(Struct, frozen=True):
    """What ``members`` (nodes by number) make and use: ``size`` bytes for every further layout among them."""

    members: tuple[int, ...]
    size: int


class LayoutChoice(Struct, frozen=True):
    """A layout for every node, the bytes converted then, and what no choice is below."""

    layouts: tuple[Kind, ...]
    size: int
    bound: int


def least(options: Sequence[tuple[Kind, ...]], values: Sequence[CutValue], most: int = MAX_CHOICES) -> LayoutChoice:
    """One of its ``options`` for every node, with the fewest converted bytes: proved where ``bound`` is ``size``.

    Where several choices are least, nodes keep what stands first in their options, mostly. ``most``: how many ways to
    fix nodes are looked at.
    """
    first = _relaxed(tuple(options), values)
    best = first.choice
    waiting, count = [(first.choice.bound, 0, first)], 0
    while waiting and waiting[0][0] < best.size and count < most:
        _, _, open_ = heappop(waiting)
        assert open_.undecided is not None
        for kind in open_.options[open_.undecided]:
            count += 1
            fixed = (*open_.options[: open_.undecided], (kind,), *open_.options[open_.undecided + 1 :])
            kinds = _relaxed(fixed, values)
            if kinds.choice.size < best.size:
                best = kinds.choice
            if kinds.choice.bound < best.size:
                heappush(waiting, (kinds.choice.bound, count, kinds))
    bound = min((b for b, _, _ in waiting), default=best.size)
    return LayoutChoice(best.layouts, best.size, min(best.size, bound))


class _Relaxed(Struct, frozen=True):
    """What minimum cuts say of nodes with these options; ``undecided``: the node to fix next, if any."""

    options: Options
    choice: LayoutChoice
    undecided: int | None


def _relaxed(options: Options, values: Sequence[CutValue]) -> _Relaxed:
    """Free nodes that no fixed one keeps apart go together; two layouts are one cut, more are bounded by one each."""
    layouts = [own[0] for own in options]
    bound = 0
    undecided: tuple[int, int] | None = None  # (bytes around it, node)
    for nodes, around in _parts(options, values):
        free = [k for k in nodes if len(options[k]) > 1]
        kinds = _in_reach(options, nodes)
        if len(kinds) <= 1:
            for k in free:
                layouts[k] = next(iter(kinds), layouts[k])
            continue
        sides = {kind: _side(kind, options, nodes, around) for kind in kinds[: 1 if len(kinds) == 2 else None]}
        if len(kinds) == 2:
            (kind, (side, cut)), other = next(iter(sides.items())), kinds[1]
            for k in free:
                layouts[k] = kind if k in side else other
            bound += cut
            continue
        bound += -(-sum(cut for _, cut in sides.values()) // 2)
        for kind, (side, _) in sorted(sides.items(), key=lambda item: item[1][1]):
            for k in free:
                if k in side:
                    layouts[k] = kind
        weights = {k: sum(v.size for v in around if k in v.members) for k in free}
        undecided = max(((w, k) for k, w in weights.items()), default=undecided)
        _settle(layouts, options, free, around)
    size = cost(layouts, values)
    chosen = LayoutChoice(
        tuple(layouts), size, size if undecided is None else min(size, bound + _fixed(options, values))
    )
    return _Relaxed(options, chosen, None if undecided is None else undecided[1])


def _fixed(options: Options, values: Sequence[CutValue]) -> int:
    """Bytes of values all of whose members are fixed."""
    decided = [own[0] for own in options]
    return cost(decided, [v for v in values if all(len(options[m]) == 1 for m in v.members)])


def _parts(options: Options, values: Sequence[CutValue]) -> list[tuple[list[int], list[CutValue]]]:
    """Groups of free nodes that values tie together, with the fixed nodes of those values, and the values."""
    group = list(range(len(options)))

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return k

    tied = [(v, [m for m in v.members if len(options[m]) > 1]) for v in values]
    for _, free in tied:
        for m in free[1:]:
            group[root(m)] = root(free[0])
    parts: dict[int, tuple[dict[int, None], list[CutValue]]] = {}
    for value, free in tied:
        if free:
            nodes, around = parts.setdefault(root(free[0]), ({}, []))
            nodes.update(dict.fromkeys(value.members))
            around.append(value)
    return [(list(nodes), around) for nodes, around in parts.values()]


def _in_reach(options: Options, nodes: Iterable[int]) -> tuple[Kind, ...]:
    """Layouts that are worth a look: those of fixed nodes, where all others could have them, too."""
    fixed = dict.fromkeys(options[k][0] for k in nodes if len(options[k]) == 1)
    free = [options[k] for k in nodes if len(options[k]) > 1]
    if all(kind in own for kind in fixed for own in free):
        return tuple(fixed) if COMPACT not in fixed else (*(k for k in fixed if k != COMPACT), COMPACT)
    return tuple(dict.fromkeys((*fixed, *(kind for own in free for kind in own))))


def _side(kind: Kind, options: Options, nodes: Sequence[int], values: Sequence[CutValue]) -> tuple[set[int], int]:
    """The least bytes of values cut between what has a layout and all that has another; the nodes that then have it."""
    number = {node: k for k, node in enumerate(nodes)}
    source, sink = len(nodes), len(nodes) + 1
    network = _Network(len(nodes) + 2 + 2 * len(values))
    endless = 1 + sum(v.size for v in values)
    for node, k in number.items():
        if options[node] == (kind,):
            network.link(source, k, endless)
        elif kind not in options[node] or len(options[node]) == 1:
            network.link(k, sink, endless)
    for k, value in enumerate(values):
        some, every = len(nodes) + 2 + 2 * k, len(nodes) + 3 + 2 * k
        network.link(some, every, value.size)
        for node in value.members:
            network.link(number[node], some, endless)
            network.link(every, number[node], endless)
    cut = network.flow(source, sink)
    reached = network.reached(source)
    return {node for node, k in number.items() if k in reached}, cut


def _settle(layouts: list[Kind], options: Options, free: Sequence[int], values: Sequence[CutValue]) -> None:
    """Change single nodes as long as that converts less."""
    around = {k: [v for v in values if k in v.members] for k in free}
    changed = True
    while changed:
        changed = False
        for k in free:
            costs = {}
            for kind in options[k]:
                tried = [*layouts[:k], kind, *layouts[k + 1 :]]
                costs[kind] = cost(tried, around[k])
            best = min(options[k], key=lambda kind: costs[kind])
            if costs[best] < costs[layouts[k]]:
                layouts[k], changed = best, True


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
    return sum(v.size * (len({layouts[m] for m in v.members}) - 1) for v in values)


def spread(
    options: Sequence[tuple[Kind, ...]], values: Sequence[CutValue], fixed: Mapping[int, Kind]
) -> tuple[Kind, ...]:
    """The layouts of a breadth-first spread from the nodes that demand other than compact, both ways along values.

    It stops at nodes that cannot have the layout and at those of ``fixed`` layout; the rest is compact. What others
    do, for comparison.
    """
    around: dict[int, list[int]] = {}
    for value in values:
        for node in value.members:
            around.setdefault(node, []).extend(m for m in value.members if m != node)
    kinds = {node: own[0] for node, own in enumerate(options) if len(own) == 1 and own[0] != COMPACT}
    waiting = deque(node for node in kinds if node not in fixed)
    while waiting:
        node = waiting.popleft()
        for other in around.get(node, ()):
            if other not in kinds and other not in fixed and kinds[node] in options[other]:
                kinds[other] = kinds[node]
                waiting.append(other)
    return tuple(kinds.get(node, COMPACT if COMPACT in own else own[0]) for node, own in enumerate(options))
