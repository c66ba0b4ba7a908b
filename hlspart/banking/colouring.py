"""Colouring cells so that no constraint holds more than so many cells of one colour: search with a cap on its steps.

Cells are elements (or classes of elements), colours are banks, a constraint is one iteration. Cells with the fewest
choices come first, new colours one at a time (D. Brelaz, "New methods to color the vertices of a graph", 1979). Sets
of cells and of constraints are bit masks.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

MAX_CELLS = 400  # the search is as deep as there are cells

Constraint = tuple[int, int]  # mask of cells, most of one colour


class Colouring(Struct, frozen=True):
    """``colours`` of the cells, None when none were found; ``complete``: then there are none. ``steps`` taken."""

    colours: tuple[int, ...] | None
    complete: bool
    steps: int


def colour(cells: int, constraints: Sequence[Constraint], colours: int, steps: int) -> Colouring:
    """A colouring of cells 0 .. ``cells`` - 1 with so many colours, or that there is none, in at most ``steps``."""
    if cells > MAX_CELLS:
        return Colouring(None, False, 0)
    return _Search(cells, constraints, colours, steps).outcome()


class _Stop(Exception):
    """No steps left."""


class _Search:
    def __init__(self, cells: int, constraints: Sequence[Constraint], colours: int, steps: int) -> None:
        self._cells, self._colours = cells, colours
        self._steps, self._left = steps, steps
        self._members = [mask for mask, _ in constraints]
        self._most = max((cap for _, cap in constraints), default=1)
        self._full = [0] * (self._most + 1)  # by cap: mask of the constraints
        self._least = [mask.bit_count() - (colours - 1) * cap for mask, cap in constraints]  # of each colour
        self._tight = sum(1 << k for k, least in enumerate(self._least) if least > 0)
        self._at = [0] * cells  # constraints of each cell
        for k, (mask, cap) in enumerate(constraints):
            self._full[cap] |= 1 << k
            while mask:
                low = mask & -mask
                self._at[low.bit_length() - 1] |= 1 << k
                mask ^= low
        self._classes: list[int] = []

    def outcome(self) -> Colouring:
        every = (1 << self._cells) - 1
        try:
            done = self._extend(every, [every] * self._colours, [(0,) * self._most] * self._colours, 0)
        except _Stop:
            return Colouring(None, False, self._steps)
        taken = self._steps - self._left
        if not done:
            return Colouring(None, True, taken)
        colours = (next(c for c, mask in enumerate(self._classes) if mask >> x & 1) for x in range(self._cells))
        return Colouring(tuple(colours), True, taken)

    def _extend(self, open_: int, may: list[int], loads: list[tuple[int, ...]], used: int) -> bool:
        """``may``: cells that have each colour or can have it; ``loads``: constraints that hold it once, twice, .."""
        if not open_:
            self._classes = may
            return True
        self._left -= 1
        if self._left < 0:
            raise _Stop
        allowed = min(self._colours, used + 1)
        once = twice = thrice = 0
        for mask in may[:allowed]:
            mask &= open_
            thrice |= twice & mask
            twice |= once & mask
            once |= mask
        if open_ & ~once:
            return False
        fewest = once & ~twice or twice & ~thrice or open_
        bit = fewest & -fewest
        at = self._at[bit.bit_length() - 1]
        for c in range(allowed):
            if not may[c] & bit:
                continue
            load, full = self._loaded(loads[c], at)
            mine = may[c] & ~(self._covered(full) & open_) | bit
            after = [mask & ~bit for mask in may]
            after[c] = mine
            if self._is_short(after, c, may[c] & ~mine, at):
                continue
            if self._extend(open_ & ~bit, after, [*loads[:c], load, *loads[c + 1 :]], max(used, c + 1)):
                return True
        return False

    def _loaded(self, load: tuple[int, ...], at: int) -> tuple[tuple[int, ...], int]:
        """Loads of a colour after one more cell of the constraints ``at``, and those that are full now."""
        after, full = [], 0
        for times, count in enumerate(load, start=1):
            full |= at & ~count & self._full[times]
            after.append(count | at)
            at &= count
        return tuple(after), full

    def _covered(self, constraints: int) -> int:
        """Cells of these constraints."""
        cells = 0
        while constraints:
            low = constraints & -constraints
            cells |= self._members[low.bit_length() - 1]
            constraints ^= low
        return cells

    def _is_short(self, may: Sequence[int], colour: int, lost: int, at: int) -> bool:
        """Whether a constraint that needs every colour cannot get one: ``lost`` cells of ``colour``, one of others."""
        touched = 0
        if self._tight:
            while lost:
                low = lost & -lost
                touched |= self._at[low.bit_length() - 1]
                lost ^= low
        return self._lacks(touched, (may[colour],)) or self._lacks(at, may)

    def _lacks(self, constraints: int, may: Sequence[int]) -> bool:
        constraints &= self._tight
        while constraints:
            low = constraints & -constraints
            k = low.bit_length() - 1
            members, least = self._members[k], self._least[k]
            if any((members & mask).bit_count() < least for mask in may):
                return True
            constraints ^= low
        return False
