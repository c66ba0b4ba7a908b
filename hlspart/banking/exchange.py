"""Colouring by exchange: a cell takes a colour, and cells that are in its way lose it; nothing is proved.

Local search over partial colourings with a tabu list (I. Blochliger and N. Zufferey, "A graph coloring heuristic
using partial solutions and a reactive tabu scheme", 2008), for constraints that allow a colour more than once, too.
Sets of cells and of constraints are bit masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hlspart.banking.colouring import Constraint


class Exchange:
    """Cells 0 .. ``cells`` - 1, to be coloured so that no constraint holds a colour more often than it may.

    ``work``: what was done so far, in units of about a microsecond.
    """

    def __init__(self, cells: int, constraints: Sequence[Constraint]) -> None:
        self.work = sum(mask.bit_count() + 2 for mask, _ in constraints) // 2
        self._near = [0] * cells  # cells that must have another colour
        self._at = [0] * cells  # the constraints with a cap above 1 of each cell
        self._members = [mask for mask, cap in constraints if cap > 1]
        self._full = [0] * max((cap for _, cap in constraints), default=1)  # by cap - 1: mask of these constraints
        for k, (mask, cap) in enumerate((mask, cap) for mask, cap in constraints if cap > 1):
            self._full[cap - 1] |= 1 << k
            for x in _bits(mask):
                self._at[x] |= 1 << k
        for mask in (mask for mask, cap in constraints if cap == 1):
            for x in _bits(mask):
                self._near[x] |= mask
        for x, near in enumerate(self._near):
            self._near[x] = near & ~(1 << x)

    def holds(self, number: int, limit: int) -> bool:
        """Whether one colour could have so many cells, the first among them, or ``limit`` steps do not tell."""
        end, step = self.work + limit, 7 if self._members else 3

        def extend(free: int, more: int, loads: tuple[int, ...]) -> bool:
            while free.bit_count() >= more > 0:
                low = free & -free
                free ^= low
                self.work += step
                if self.work > end or extend(*self._beside(free, low.bit_length() - 1, more, loads)):
                    return True
            return more == 0

        return extend(*self._beside((1 << len(self._at)) - 2, 0, number, (0,) * len(self._full)))

    def _beside(self, free: int, x: int, more: int, loads: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        """What is still free once x has the colour, how many more it needs, and its loads."""
        free, at = free & ~self._near[x], self._at[x]
        if at:
            after = []
            for loaded, full in zip(loads, self._full, strict=True):
                filled = at & ~loaded & full
                while filled:
                    low = filled & -filled
                    free &= ~self._members[low.bit_length() - 1]
                    filled ^= low
                after.append(loaded | at)
                at &= loaded
            loads = tuple(after)
        return free, more - 1, loads

    def colours(self, number: int, moves: int, random: Random) -> tuple[int, ...] | None:
        """Colours below ``number`` of all cells, when so many moves find some."""
        search = _Search(self._near, self._at, self._members, self._full, number, random)
        colours = search.run(moves)
        self.work += search.work
        return colours


class _Search:
    def __init__(
        self,
        near: Sequence[int],
        at: Sequence[int],
        members: Sequence[int],
        full: Sequence[int],
        colours: int,
        random: Random,
    ) -> None:
        self._near, self._at, self._members, self._full = near, at, members, full
        self._random = random.random
        self._held = [0] * colours  # cells of each colour
        self._loads = [[0] * len(full) for _ in range(colours)]  # constraints that hold it once, twice, ..
        self._crowded = [0] * colours  # constraints that hold as many as they may
        self._open = list(range(len(at)))
        self._barred = [[0] * colours for _ in at]  # until this move
        self._moves = 0
        self.work = 3 * len(at)

    def run(self, moves: int) -> tuple[int, ...] | None:
        for x in self._open[:]:
            near, at = self._near[x], self._at[x]
            for c, mask in enumerate(self._held):
                if not (near & mask or at & self._crowded[c]):
                    self._give(x, c)
                    break
        while self._open:
            if self._moves >= moves:
                return None
            self._moves += 1
            self.work += 5 + len(self._open) * len(self._held) // (3 if self._members else 6)
            self._exchange(*self._best())
        colours = [0] * len(self._at)
        for c, mask in enumerate(self._held):
            for x in _bits(mask):
                colours[x] = c
        return tuple(colours)

    def _best(self) -> tuple[int, int]:
        """An open cell and a colour for it with least in the way."""
        least, ties, best = len(self._at) ** 2, 0, None
        for x in self._open:
            near, at, barred = self._near[x], self._at[x], self._barred[x]
            costs = [(near & mask).bit_count() for mask in self._held]
            if at:
                costs = [cost + (at & full).bit_count() for cost, full in zip(costs, self._crowded, strict=True)]
            if min(costs) > least:
                continue
            for c, cost in enumerate(costs):
                if cost <= least and barred[c] < self._moves:
                    ties = 1 if cost < least else ties + 1
                    least = cost
                    if self._random() * ties < 1:
                        best = x, c
        if best is None:
            best = self._open[int(self._random() * len(self._open))], int(self._random() * len(self._held))
        return best

    def _exchange(self, x: int, c: int) -> None:
        for y in _bits(self._near[x] & self._held[c]):
            self._take(y, c)
        crowded = self._at[x] & self._crowded[c]
        while crowded:
            first = self._members[(crowded & -crowded).bit_length() - 1] & self._held[c]
            weights = [((self._at[y] & crowded).bit_count() + self._random() / 2, y) for y in _bits(first)]
            y = max(weights)[1]
            self._take(y, c)
            crowded &= ~self._at[y]
        self._give(x, c)

    def _give(self, x: int, c: int) -> None:
        at, loads = self._at[x], self._loads[c]
        if at:
            for k in range(len(loads) - 1, 0, -1):
                loads[k] |= loads[k - 1] & at
            loads[0] |= at
            self._weigh(c)
        self._held[c] |= 1 << x
        self._open.remove(x)

    def _take(self, x: int, c: int) -> None:
        at, loads = self._at[x], self._loads[c]
        if at:
            for k in range(len(loads) - 1):
                loads[k] &= ~(at & ~loads[k + 1])
            loads[-1] &= ~at
            self._weigh(c)
        self._held[c] &= ~(1 << x)
        self._open.append(x)
        self._barred[x][c] = self._moves + 1 + int(0.6 * len(self._open) + 8 * self._random())

    def _weigh(self, c: int) -> None:
        crowded = 0
        for load, full in zip(self._loads[c], self._full, strict=True):
            crowded |= load & full
        self._crowded[c] = crowded


def _bits(mask: int) -> list[int]:
    bits = []
    while mask:
        low = mask & -mask
        bits.append(low.bit_length() - 1)
        mask ^= low
    return bits
