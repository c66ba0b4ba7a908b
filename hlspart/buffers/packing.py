"""Offsets for blocks of memory with lifetimes, as low as possible (dynamic storage allocation).

First fit gives a packing; moving what lies too high to an earlier place in its order mostly gives one that meets the
bound: the least height of what is live at one step, alignment included. Otherwise a depth-first search looks for a
lower packing or proves that there is none. It is that of MiniMalloc (Moffitt, ASPLOS 2023) in short: blocks are placed
in the order of their offsets, each as low as those below it allow (every packing can be pushed down to such a one); a
branch ends where some step has not room for what must still come, or where a block is passed over that would fit below;
parts of time that no block ties together any more are searched apart.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from hlspart.buffers import solver
from hlspart.model.buffers import MemoryBlock, Packing

MAX_WORK = 4_000_000  # blocks looked at in one packing; some ten seconds
_MOVES = 8_000_000  # pairs of blocks looked at while orders of first fit are tried; some seconds
_STACKED = 16  # blocks of which all orders are tried; fewer in the midst of a search
_STACKED_ON = 10
_WINDOWS = 50  # short times are looked at with this part of their work each
_BEFORE_SOLVER = 4  # part of it, where a solver can go on


def pack(blocks: Sequence[MemoryBlock], capacity: int | None = None, max_work: int = MAX_WORK) -> Packing:
    """The lowest packing found; with ``capacity``, the first one found that is not higher.

    ``max_work`` bounds the search by blocks looked at, so that the answer does not depend on the machine. Where it is
    cut off, CP-SAT goes on if it is installed. ``bound`` of the result is the most units live at one step, or where
    the least is not proved the best bound known.
    """
    stacks = Stacks(blocks)
    bound = max((stacks.height(members, 0) for members in stacks.live()), default=0)
    goal = max(bound, capacity or 0)
    offsets = min(
        (_first_fit(blocks, sorted(range(len(blocks)), key=lambda k: (key(blocks[k]), k))) for key in _ORDERS),
        key=lambda packing: _height(blocks, packing),
    )
    method = "first fit"
    if _height(blocks, offsets) > goal:
        offsets = _moved(blocks, goal, min(_MOVES, max_work))
    ended = looked = False
    work = max_work // (_BEFORE_SOLVER if solver.is_available() else 1)
    # at once the least that is possible, which is often there; then a little lower each time until there is none
    for at_once in (True, False):
        while not ended and _height(blocks, offsets) > goal and work > 0:
            limit = goal if at_once else _height(blocks, offsets) - 1
            if not at_once and not looked:
                looked = True
                ended, spent = _refuted(stacks, limit, work // 2)
                work -= spent
                if ended:
                    break
            search = _Search(stacks, range(len(blocks)), limit, work // 4 if at_once else work)
            packing = search.run()
            work -= search.work
            if packing is not None:
                offsets, method = packing, "search"
            elif at_once:
                break
            ended = packing is None and not search.stopped
    if not ended and _height(blocks, offsets) > goal and solver.is_available():
        below = _height(blocks, offsets) - 1
        for limit in dict.fromkeys((goal, below)):  # the goal at once, then the least of what is lower
            packing, end = solver.place(blocks, limit, goal)
            ended = end and limit == below
            if packing is not None:
                offsets, method = packing, "CP-SAT"
                break
    height = _height(blocks, offsets)
    if ended and method == "first fit":
        method = "search"
    proved = height == bound or ended
    return Packing(offsets, height, live_bound(blocks) if proved else bound, proved, method)


def _refuted(stacks: Stacks, limit: int, work: int) -> tuple[bool, int]:
    """Whether the blocks of some short time alone cannot be packed into ``limit`` units, and the work that took."""
    starts = sorted({b.lower for b in stacks.blocks})
    left = work
    for count in (2, 4, 8):
        for first, last in zip(starts, starts[count - 1 :], strict=False):
            members = [k for k, b in enumerate(stacks.blocks) if b.lower <= last and first < b.upper]
            search = _Search(stacks, members, limit, min(left, work // _WINDOWS))
            if search.run() is None and not search.stopped:
                return True, work - left + search.work
            left -= search.work
            if left <= 0:
                return False, work
    return False, work - left


def live_bound(blocks: Sequence[MemoryBlock]) -> int:
    """The most units that are live at one step: no packing is lower."""
    starts = {b.lower for b in blocks}
    return max((sum(b.size for b in blocks if b.lower <= at < b.upper) for at in starts), default=0)


def _height(blocks: Sequence[MemoryBlock], offsets: Sequence[int]) -> int:
    return max((at + b.size for at, b in zip(offsets, blocks, strict=True) if b.size), default=0)


_ORDERS: tuple[Callable[[MemoryBlock], tuple[int, ...]], ...] = (
    lambda b: (b.lower, -b.size),
    lambda b: (-b.size, b.lower),
    lambda b: (-b.size * (b.upper - b.lower), b.lower),
    lambda b: (b.lower - b.upper, -b.size),
    lambda b: (-b.align, -b.size, b.lower),
)


def aligned(offset: int, align: int) -> int:
    """The least multiple of ``align`` from ``offset`` on."""
    return -(-offset // align) * align


def _first_fit(blocks: Sequence[MemoryBlock], order: Sequence[int]) -> tuple[int, ...]:
    """Each block of ``order`` at the lowest place that is free in its lifetime."""
    offsets = [0] * len(blocks)
    placed: list[int] = []
    for k in order:
        block, at = blocks[k], 0
        if not block.size:
            continue
        for start, end in sorted(
            (offsets[p], offsets[p] + blocks[p].size) for p in placed if blocks[p].overlaps(block)
        ):
            if at + block.size <= start:
                break
            at = max(at, aligned(end, block.align))
        offsets[k] = at
        placed.append(k)
    return tuple(offsets)


def _moved(blocks: Sequence[MemoryBlock], goal: int, work: int) -> tuple[int, ...]:
    """The lowest first fit met while a block that ends above ``goal`` moves to another place in the order.

    A move stays where less ends above the goal, and now and then where more does. ``work``: pairs of blocks looked at.
    """
    rng = random.Random(len(blocks))
    own = range(len(blocks))

    def above(offsets: Sequence[int]) -> int:
        return sum(max(0, at + b.size - goal) for at, b in zip(offsets, blocks, strict=True))

    order = min(
        (sorted(own, key=lambda k: (key(blocks[k]), k)) for key in _ORDERS),
        key=lambda o: _height(blocks, _first_fit(blocks, o)),
    )
    offsets = lowest = _first_fit(blocks, order)
    for _ in range(work // max(1, len(blocks) ** 2)):
        high = [k for k in own if offsets[k] + blocks[k].size > goal]
        moved = rng.choice(high) if rng.random() < 0.7 else rng.randrange(len(blocks))
        to = rng.randrange(order.index(moved) + 1) if rng.random() < 0.8 else rng.randrange(len(blocks))
        tried = [k for k in order if k != moved]
        tried.insert(to, moved)
        fit = _first_fit(blocks, tried)
        if _height(blocks, fit) < _height(blocks, lowest):
            lowest = fit
            if _height(blocks, lowest) <= goal:
                break
        if above(fit) <= above(offsets) or rng.random() < 0.02:
            order, offsets = tried, fit
    return lowest


class Stacks:
    """The least height of blocks one above the other; sets of blocks are numbers with a bit for each."""

    def __init__(self, blocks: Sequence[MemoryBlock]) -> None:
        self.blocks = blocks
        self._align = max((b.align for b in blocks), default=1)
        self._known: dict[tuple[int, int, int], int] = {}

    def live(self) -> list[int]:
        """What is live at each step where a lifetime begins."""
        steps = sorted({b.lower for b in self.blocks})
        return [sum(1 << k for k, b in enumerate(self.blocks) if b.size and b.lower <= at < b.upper) for at in steps]

    def height(self, members: int, start: int, most: int = _STACKED) -> int:
        """Where a stack of ``members`` upon ``start`` ends at least (exact up to ``most`` blocks)."""
        lap = start % self._align
        key = members, lap, most
        if key not in self._known:
            own = [b for k, b in enumerate(self.blocks) if members >> k & 1]
            self._known[key] = (_stack(own, lap) if len(own) <= most else piled(own, lap)) - lap
        return start + self._known[key]


def _stack(blocks: Sequence[MemoryBlock], start: int) -> int:
    """By the best last block of every subset."""
    if all(b.align == 1 for b in blocks):
        return piled(blocks, start)
    ends = [start] * (1 << len(blocks))
    for members in range(1, len(ends)):
        ends[members] = min(
            aligned(ends[members ^ 1 << k], b.align) + b.size for k, b in enumerate(blocks) if members >> k & 1
        )
    return ends[-1]


def piled(blocks: Sequence[MemoryBlock], start: int) -> int:
    """A bound: all sizes but one are rounded up to the least alignment."""
    if not blocks:
        return start
    grain = min(b.align for b in blocks)
    rounded = [aligned(b.size, grain) for b in blocks]
    return aligned(start, grain) + sum(rounded) - max(r - b.size for r, b in zip(rounded, blocks, strict=True))


class _Search:
    """One search for a packing of at most ``limit`` units."""

    def __init__(self, stacks: Stacks, members: Sequence[int], limit: int, max_work: int) -> None:
        self.blocks, self.stacks, self.limit, self.max_work = stacks.blocks, stacks, limit, max_work
        self.members = [k for k in members if self.blocks[k].size]
        self.work, self.stopped = 0, False
        marks = sorted({at for b in self.blocks for at in (b.lower, b.upper)})
        number = {at: k for k, at in enumerate(marks)}
        self.sections = [range(number[b.lower], number[b.upper]) for b in self.blocks]
        count = max(1, len(marks) - 1)
        self.top = [0] * count  # end of the highest block placed in each section of time
        self.rest = [sum(1 << k for k in self.members if s in self.sections[k]) for s in range(count)]  # still to place
        self.offsets = [0] * len(self.blocks)

    def run(self) -> tuple[int, ...] | None:
        """Offsets, or None where there are none or the limit of work is reached (``stopped``)."""
        if any(self.stacks.height(rest, 0) > self.limit for rest in self.rest):
            return None
        return tuple(self.offsets) if self._place(self.members, 0, -1) else None

    def _place(self, todo: list[int], floor: int, last: int) -> bool:
        """Place all of ``todo`` at ``floor`` or above; those at ``floor`` come in the order of their numbers."""
        if not todo:
            return True
        parts = self._parts(todo)
        if len(parts) > 1:
            parts.sort(key=len)
            done: list[tuple[list[int], list[int]]] = []
            for part in parts:
                before = list(self.top), list(self.rest)
                done.append(before)
                if not self._place(part, floor, last):
                    self.top, self.rest = done[0]
                    return False
            return True
        blocks, top, sections = self.blocks, self.top, self.sections
        lowest = {k: aligned(max(top[s] for s in sections[k]), blocks[k].align) for k in todo}
        ceiling = min(lowest[k] + blocks[k].size for k in todo)
        choices = [k for k in todo if floor <= lowest[k] < ceiling and (lowest[k] > floor or k > last)]
        choices.sort(key=lambda k: (lowest[k], -len(sections[k]) * blocks[k].size, -blocks[k].size, k))
        for k in choices:
            if self.work >= self.max_work:
                self.stopped = True
                return False
            self.work += len(todo)
            if self._try(k, lowest[k], [x for x in todo if x != k]):
                return True
            if self.stopped:
                return False
        return False

    def _try(self, k: int, at: int, todo: list[int]) -> bool:
        block, top, rest = self.blocks[k], self.top, self.rest
        end, mine = at + block.size, self.sections[k]
        if end > self.limit:
            return False
        old = [top[s] for s in mine]
        for s in mine:
            top[s] = end
            rest[s] ^= 1 << k
        self.offsets[k] = at
        touched = {s for x in todo for s in self.sections[x]}
        fits = all(self.stacks.height(rest[s], max(top[s], at), _STACKED_ON) <= self.limit for s in touched)
        if fits and self._place(todo, at, k):
            return True
        top, rest = self.top, self.rest
        for s, height in zip(mine, old, strict=True):
            top[s] = height
            rest[s] ^= 1 << k
        return False

    def _parts(self, todo: list[int]) -> list[list[int]]:
        """``todo`` in groups whose lifetimes do not meet."""
        parts: list[list[int]] = []
        end = -1
        for k in sorted(todo, key=lambda k: self.sections[k].start):
            if not parts or self.sections[k].start >= end:
                parts.append([])
            parts[-1].append(k)
            end = max(end, self.sections[k].stop)
        return parts
