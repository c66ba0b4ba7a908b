"""Proof that no mapping whatever has so few banks: a finite window of iterations cannot be coloured.

Elements are cells, banks are colours. Each iteration of the window is a constraint: no colour on
more of its cells than a bank serves in one interval. If already these finitely many iterations
cannot be satisfied, no mapping of the array can. A colouring that exists proves nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hlspart.banking.need import Cluster, Need

Constraint = tuple[tuple[int, ...], int]  # cells, most of one colour


def no_mapping(needs: Sequence[Need], shape: tuple[int, ...], banks: int, nodes: int) -> bool:
    """True only when proved that ``banks`` banks cannot serve all ``needs``, whatever the mapping.

    ``nodes`` bounds the steps of the search over all windows that are tried.
    """
    if banks < 1:
        return True
    previous = 0
    for side in {1: (8, 16, 32, 64), 2: (3, 4, 5, 7)}.get(len(shape), (2, 3, 4)):
        cells, constraints = _window(needs, side, shape)
        if len(constraints) == previous:
            return False
        previous = len(constraints)
        verdict, nodes = _Colouring(len(cells), constraints, banks).impossible(nodes)
        if verdict:
            return True
        if nodes <= 0:
            return False
    return False


def _window(
    needs: Sequence[Need], side: int, shape: tuple[int, ...]
) -> tuple[dict[tuple[int, ...], int], list[Constraint]]:
    """Cells touched and constraints made by the first ``side`` values of each iterator that moves."""
    cells: dict[tuple[int, ...], int] = {}
    constraints: set[Constraint] = set()
    for need in needs:
        for cluster in need.clusters:
            for touched in _iterations(need, cluster, side):
                if any(not 0 <= i < n for x in touched for i, n in zip(x, shape, strict=True)):
                    continue
                for kind, cap in need.limits:
                    chosen = {x for x, p in zip(touched, cluster.positions, strict=True) if kind >> p & 1}
                    if len(chosen) > cap:
                        constraints.add((tuple(sorted(cells.setdefault(x, len(cells)) for x in sorted(chosen))), cap))
    return cells, sorted(constraints)


def _iterations(need: Need, cluster: Cluster, side: int) -> list[tuple[tuple[int, ...], ...]]:
    """Elements that the cluster touches, for a few iterations that are proved to happen."""
    box = cluster.box
    names = need.problem.space.names
    if box is None or any(n not in names for f in cluster.forms for n in f.names):
        return []
    used = {n for f in cluster.forms for n in f.names}
    ranges = [
        range(low, low + step * min(times, side if n in used else 1), step)
        for n, low, step, times in zip(names, box.low, box.step, box.count, strict=True)
    ]
    first = cluster.offsets[0]
    found = []
    for values in itertools.islice(itertools.product(*ranges), 2000):
        at = dict(zip(names, values, strict=True))
        base = tuple(f.at(at).const for f in cluster.forms)
        found.append(tuple(tuple(b + o - z for b, o, z in zip(base, x, first, strict=True)) for x in cluster.offsets))
    return found


class _Colouring:
    """Depth-first search for a colouring, fewest choices first, new colours one at a time."""

    def __init__(self, cells: int, constraints: Sequence[Constraint], colours: int) -> None:
        self._colours = colours
        self._constraints = constraints
        self._of: list[list[int]] = [[] for _ in range(cells)]
        for k, (members, _) in enumerate(constraints):
            for cell in members:
                self._of[cell].append(k)

    def impossible(self, nodes: int) -> tuple[bool, int]:
        """(proved that no colouring exists, steps left)."""
        self._left = nodes
        every = (1 << self._colours) - 1
        order_free = [every] * len(self._of)
        found = self._extend(order_free, {}, 0)
        return (not found and self._left > 0), self._left

    def _extend(self, free: list[int], colour: dict[int, int], used: int) -> bool:
        self._left -= 1
        if self._left <= 0:
            return True
        best, fewest = -1, self._colours + 1
        allowed = (1 << min(self._colours, used + 1)) - 1
        for cell, options in enumerate(free):
            if cell not in colour and self._of[cell]:
                count = (options & allowed).bit_count()
                if count == 0:
                    return False
                if (count, -len(self._of[cell])) < (fewest, -len(self._of[best]) if best >= 0 else 0):
                    best, fewest = cell, count
        if best < 0:
            return True
        options = free[best] & allowed
        while options:
            c = (options & -options).bit_length() - 1
            options &= options - 1
            after = self._assign(free, colour, best, c)
            if after is not None and self._extend(after, {**colour, best: c}, max(used, c + 1)):
                return True
        return False

    def _assign(self, free: list[int], colour: dict[int, int], cell: int, c: int) -> list[int] | None:
        """Choices left after one more cell is coloured; None on a dead end."""
        free = free[:]
        free[cell] = 1 << c
        for k in self._of[cell]:
            members, cap = self._constraints[k]
            have = sum(1 for m in members if m == cell or colour.get(m) == c)
            if have == cap:
                for m in members:
                    if m != cell and m not in colour:
                        free[m] &= ~(1 << c)
                        if not free[m]:
                            return None
            needed = len(members) - (self._colours - 1) * cap  # each colour must appear this often
            if needed > 0:
                for other in range(self._colours):
                    if sum(1 for m in members if free[m] >> other & 1) < needed:
                        return None
        return free
