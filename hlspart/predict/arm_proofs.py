"""The II that recurrences through selections ask for, whichever arms an iteration takes.

An operation waits for all of its operands, a selection for the one arm that it takes. What is left is a mean-payoff
game on the graph of operations: whatever arms are taken, values go round at least as slowly as its value says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hlspart.lowering.graph import Edge

Arms = Mapping[int, Sequence[Sequence[Edge]]]  # by selection: the orders of each arm, of which one holds

_SCALE = 8  # iterations that a cycle may take for its mean to be told from the II below it
_MOST_STEPS = 40_000  # of one question


def least_ii(edges: Sequence[Edge], arms: Arms, aim: int, most: int) -> tuple[int, tuple[Edge, ...]] | None:
    """The greatest II up to ``most`` that this proves, with a cycle of the quickest arms; None: none over ``aim``.

    ``edges`` hold in every iteration; each has a gap. Those of an arm are in ``arms`` alone.
    """
    game = _Game(edges, arms)
    best: tuple[int, tuple[Edge, ...]] | None = None
    low, high = aim, most
    while low < high:
        middle = low + 1 if best is None else (low + high + 1) // 2
        cycle = game.cycle_above(middle - 1)
        if cycle:
            low, best = middle, (middle, cycle)
        elif best is None:
            return None
        else:
            high = middle - 1
    return best


class _Game:
    """Operations wait for the latest of their operands, selections for the earliest of their arms."""

    def __init__(self, edges: Sequence[Edge], arms: Arms) -> None:
        self.waits: dict[int, list[Sequence[Edge]]] = {}  # of each operation: groups of which the latest edge counts
        for edge in edges:
            if edge.sink not in self.waits:
                self.waits[edge.sink] = [[]]
            self.waits[edge.sink][0] = [*self.waits[edge.sink][0], edge]
        self.waits.update({ident: list(groups) for ident, groups in arms.items()})
        self.sinks: dict[int, set[int]] = {}
        for ident, groups in self.waits.items():
            for group in groups:
                for edge in group:
                    self.sinks.setdefault(edge.source, set()).add(ident)

    def cycle_above(self, ii: int) -> tuple[Edge, ...]:
        """A cycle that takes longer than ``ii`` allows, where there is one whatever the arms; () where none is found.

        Levels only fall, to the highest that the edges hold up: below all paths there is nothing to stop at.
        """
        weight = {e: _SCALE * (e.gap or 0) - (_SCALE * ii + 1) * e.distance for e in self._all()}
        floor = -sum(-w for w in weight.values() if w < 0)
        level: dict[int, int] = dict.fromkeys(self.waits, 0)
        waiting, steps = list(self.waits), 0
        while waiting:
            ident = waiting.pop()
            if ident not in level:
                continue
            steps += sum(map(len, self.waits[ident]))
            if steps > _MOST_STEPS:
                return ()
            held = min((self._held(group, level, weight) for group in self.waits[ident]), default=None)
            if held is not None and held >= level[ident]:
                continue
            if held is None or held < floor:
                del level[ident]
            else:
                level[ident] = held
            waiting += self.sinks.get(ident, ())
        return self._round(level, weight) if level else ()

    def _all(self) -> list[Edge]:
        return [edge for groups in self.waits.values() for group in groups for edge in group]

    @staticmethod
    def _held(group: Sequence[Edge], level: Mapping[int, int], weight: Mapping[Edge, int]) -> int:
        """How high the latest edge of a group holds its sink."""
        return max((level[e.source] + weight[e] for e in group if e.source in level), default=-(1 << 60))

    def _round(self, level: Mapping[int, int], weight: Mapping[Edge, int]) -> tuple[Edge, ...]:
        """The cycle that one comes to backwards along what holds each operation, by the quickest arms."""
        at, via = max(level, key=lambda x: level[x]), dict[int, Edge]()
        while at not in via:
            group = min(self.waits[at], key=lambda g: self._held(g, level, weight))
            via[at] = max((e for e in group if e.source in level), key=lambda e: level[e.source] + weight[e])
            at = via[at].source
        cycle = [via[at]]
        while cycle[-1].source != at:
            cycle.append(via[cycle[-1].source])
        return tuple(cycle[::-1])
