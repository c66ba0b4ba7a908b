"""Replay the times of a search's tasks on many workers: ``python tests/explore/scaling.py``.

The tasks of a search are run one by one and timed. They are then given, in the order of the search, to the worker
that is free first; the driver hands out and takes in one after the other, ``DRIVER`` seconds each, which is more than a
pool and an fsync took.
"""

import heapq
import time
from collections.abc import Sequence

from hlspart.explore.search import SearchProblem, tasks
from hlspart.explore.space import Space
from hlspart.model.exploring import Dim, ExternalMemory, Operand, ResourceBudget, TiledNest

DRIVER = 0.002


def makespan(seconds: Sequence[float], workers: int, driver: float = DRIVER) -> float:
    """Time until the last record is in."""
    free = [0.0] * workers
    ready: list[float] = []
    now = 0.0
    for cost in seconds:
        now = max(now, heapq.heappop(free)) + driver  # handing out
        heapq.heappush(free, now + cost)
        ready.append(now + cost)
    done = 0.0
    for at in sorted(ready):
        done = max(done, at) + driver
    return max(now, done)


def measured() -> tuple[list[float], int]:
    """Seconds of each task of a product of matrices on 240 elements, and its candidates."""
    dims = [tuple(Dim(((k, 1),), 1) for k in loops) for loops in ((0, 2), (2, 1), (0, 1))]
    operands = tuple(Operand(n, 4, d, True, n == "C") for n, d in zip("ABC", dims, strict=True))
    space = Space(TiledNest("n", (("i", 200), ("j", 220), ("k", 240)), operands, depth=12, dsp=5), 240)
    problem = SearchProblem((space,), ExternalMemory(), ResourceBudget())
    found = []
    for task in tasks([space], ExternalMemory()):
        start = time.perf_counter()
        problem.run(task)
        found.append(time.perf_counter() - start)
    return found, space.size


if __name__ == "__main__":
    once, candidates = measured()
    print(f"{candidates} candidates in {len(once)} tasks, {sum(once):.1f} s, the longest {max(once):.2f} s")
    times = max(1, round(1_000_000 / candidates))
    many = once * times  # a program of so many such nests
    print(f"{times} such nests: {times * candidates} candidates in {len(many)} tasks, {sum(many):.1f} s")
    for workers in (1, 2, 4, 16, 64, 256, 1000):
        took = makespan(many, workers)
        print(f"{workers:5d} workers: {took:8.2f} s, {sum(many) / took:6.1f} times as fast")
