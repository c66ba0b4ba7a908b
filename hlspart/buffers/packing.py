"""Offsets for blocks of memory with lifetimes, as low as possible (dynamic storage allocation).

First fit in several orders gives a packing; a depth-first search then looks for a lower one or proves that there is
none. The search is that of MiniMalloc (Moffitt, ASPLOS 2023) in short: blocks are placed in the order of their
offsets, each as low as those below it allow (every packing can be pushed down to such a one); a branch ends where some
step has not room for what must still come, or where a block is passed over that would fit below; parts of time that no
block ties together any more are searched apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlspart.buffers import solver
from hlspart.model.buffers import MemoryBlock, Packing

MAX_WORK = 4_000_000  # blocks looked at in one packing; some ten seconds
_BEFORE_SOLVER = 4  # part of it, where a solver can go on


def pack(blocks: Sequence[MemoryBlock], capacity: int | None = None, max_work: int = MAX_WORK) -> Packing:
    """The lowest packing found; with ``capacity``, the first one found that is not higher.

    ``max_work`` bounds the search by blocks looked at, so that the answer does not depend on the machine. Where it is
    cut off, CP-SAT goes on if it is installed.
    """
    bound = live_bound(blocks)
    offsets = min((_first_fit(blocks, key) for key in _ORDERS), key=lambda found: _height(blocks, found))
    method = "first fit"
    ended = False
    work = max_work // (_BEFORE_SOLVER if solver.available() else 1)
    goal = max(bound, capacity or 0)
    # at once the least that is possible, which is often there; then a little lower each time until there is none
    for at_once in (True, False):
        while not ended and _height(blocks, offsets) > goal and work > 0:
            limit = goal if at_once else _height(blocks, offsets) - 1
            search = _Search(blocks, limit, work // 4 if at_once else work)
            found = search.run()
            work -= search.work
            if found is not None:
                offsets, method = found, "search"
            elif at_once:
                break
            ended = found is None and not search.stopped
    if not ended and _height(blocks, offsets) > goal and solver.available():
        below = _height(blocks, offsets) - 1
        for limit in dict.fromkeys((goal, below)):  # the goal at once, then the least of what is lower
            found, end = solver.place(blocks, limit, goal)
            ended = end and limit == below
            if found is not None:
                offsets, method = found, "CP-SAT"
                break
    height = _height(blocks, offsets)
    if ended and method == "first fit":
        method = "search"
    return Packing(offsets, height, bound, height == bound or ended, method)


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


def _first_fit(blocks: Sequence[MemoryBlock], key: Callable[[MemoryBlock], tuple[int, ...]]) -> tuple[int, ...]:
    """Each block at the lowest place that is free in its lifetime."""
    offsets = [0] * len(blocks)
    placed: list[int] = []
    for k in sorted(range(len(blocks)), key=lambda k: (key(blocks[k]), k)):
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


class _Search:
    """One search for a packing of at most ``limit`` units."""

    def __init__(self, blocks: Sequence[MemoryBlock], limit: int, max_work: int) -> None:
        self.blocks, self.limit, self.max_work = blocks, limit, max_work
        self.work, self.stopped = 0, False
        marks = sorted({b.lower for b in blocks} | {b.upper for b in blocks})
        number = {at: k for k, at in enumerate(marks)}
        self.sections = [range(number[b.lower], number[b.upper]) for b in blocks]
        count = max(1, len(marks) - 1)
        self.top = [0] * count  # end of the highest block placed in each section of time
        # what is still to be placed in a section takes its sizes, all but the highest rounded up to the least alignment
        of = [[b for k, b in enumerate(blocks) if b.size and s in self.sections[k]] for s in range(count)]
        self.grain = [min((b.align for b in members), default=1) for members in of]
        rounded = [[aligned(b.size, g) for b in members] for g, members in zip(self.grain, of, strict=True)]
        self.rest = [sum(sizes) for sizes in rounded]
        self.slack = [
            max((r - b.size for r, b in zip(sizes, members, strict=True)), default=0)
            for sizes, members in zip(rounded, of, strict=True)
        ]
        self.offsets = [0] * len(blocks)

    def run(self) -> tuple[int, ...] | None:
        """Offsets, or None where there are none or the limit of work is reached (``stopped``)."""
        todo = [k for k, b in enumerate(self.blocks) if b.size and b.upper > b.lower]
        if any(rest - slack > self.limit for rest, slack in zip(self.rest, self.slack, strict=True)):
            return None
        return tuple(self.offsets) if self._place(todo, 0, -1) else None

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
            rest[s] -= aligned(block.size, self.grain[s])
        self.offsets[k] = at
        touched = {s for x in todo for s in self.sections[x]}
        fits = all(
            aligned(max(top[s], at), self.grain[s]) + rest[s] - self.slack[s] <= self.limit for s in touched if rest[s]
        )
        if fits and self._place(todo, at, k):
            return True
        top, rest = self.top, self.rest
        for s, height in zip(mine, old, strict=True):
            top[s] = height
            rest[s] += aligned(block.size, self.grain[s])
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
