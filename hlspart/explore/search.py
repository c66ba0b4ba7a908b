"""The search of one nest: a task per shard vector, each on its own, so that any number of workers give one result."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hlspart.explore.bound import Bound
from hlspart.explore.front import Front, front, is_within
from hlspart.explore.space import Space
from hlspart.explore.steps import Costs
from hlspart.model.explored import Explored, Failure
from hlspart.model.exploring import ExternalMemory, Point, ResourceBudget

#: Candidates of a task: enough to make its way to a worker cheap, few enough for a thousand workers.
PART = 4096

#: Names of the figures of a point behind its cycles.
RESOURCES = ("bytes", "dsp", "bram18k")


class Task(Struct, frozen=True):
    """All candidates of a nest under one shard vector, or the first ``limit`` of them, or one of several ``parts``."""

    nest: int
    shard: tuple[int, ...]
    candidates: int
    limit: int | None = None
    part: int = 0
    parts: int = 1

    @property
    def key(self) -> str:
        """Name in the records on disk."""
        how = f"{self.part + 1}/{self.parts}" if self.limit is None else str(self.limit)
        return f"{self.nest}:{','.join(map(str, self.shard))}:{how}"

    @property
    def looked_at(self) -> int:
        """Candidates that it decides."""
        return self.candidates if self.limit is None else min(self.limit, self.candidates)


class SearchProblem(Struct, frozen=True):
    """What a worker needs to run tasks: plain values only."""

    spaces: tuple[Space, ...]
    off_chip: ExternalMemory
    budget: ResourceBudget

    def run(self, task: Task) -> dict[str, Any]:
        """The record of a task."""
        return run(self.spaces[task.nest], self.off_chip, self.budget, task)


class BoundViolated(AssertionError):
    """A candidate costs less than its bound: a defect of this program."""


def run(space: Space, off_chip: ExternalMemory, budget: ResourceBudget, task: Task) -> dict[str, Any]:
    """Evaluate a task: its front within the budget, what failed, what a bound made needless.

    (shard, split) pairs are taken by their bound on cycles; the other figures do not depend on the order of the
    loops, so a pair whose bounds a found point beats is decided without a look at its orders.
    """
    bound, costs = Bound(space.nest, off_chip).under(task.shard), Costs(space.nest, task.shard, off_chip)
    corners = space.corners(task.shard) if task.limit is None and space.nest.memories is None else ()
    if corners and budget.dsp is not None and costs.dsp > budget.dsp:
        return _too_large(task, costs, corners)
    pairs = []
    left = task.looked_at
    for split in itertools.islice(space.slices(task.shard), task.part, None, task.parts):
        orders = list(space.orders(split))[:left]
        if not orders:
            continue
        left -= len(orders)
        pairs.append((bound.cycles(split), split, orders, costs.figures(split)))
    pairs.sort(key=lambda p: (p[0], p[1]))
    front: Front[Point] = Front()
    evaluated = pruned = 0
    missing: dict[str, list[int]] = {}
    limits = budget.limits[1:]
    for low, split, orders, fixed in pairs:
        short = [
            (r, need)
            for r, need, have in zip(RESOURCES, fixed, limits, strict=False)
            if have is not None and need > have
        ]
        if short:
            evaluated += len(orders)
            for resource, need in short:
                entry = missing.setdefault(resource, [0, need])
                entry[0] += len(orders)
                entry[1] = min(entry[1], need)
            continue
        if front.is_beaten((low, *fixed)):
            pruned += len(orders)
            continue
        for order in orders:
            cycles, vector = costs.cycles(split, order), space.vector(task.shard, split, order)
            evaluated += 1
            if cycles < low:
                raise BoundViolated(f"{space.nest.name} {vector}: {cycles} cycles, bound {low}")
            front.add(Point(cycles, fixed[0], fixed[1], vector, *fixed[2:]))
    needs = zip(*(fixed for *_, fixed in pairs), strict=True)
    return {
        "task": task.key,
        "evaluated": evaluated,
        "pruned": pruned,
        "failed": missing,
        "least": dict(zip(RESOURCES, map(min, needs), strict=False)),
        "front": [[*p.figures, p.vector.split, p.vector.order] for p in front.points],
    }


def _too_large(task: Task, costs: Costs, corners: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """The record where a shard vector alone has too many DSP blocks: the first of its parts counts all candidates."""
    first = task.part == 0
    return {
        "task": task.key,
        "evaluated": task.candidates if first else 0,
        "pruned": 0,
        "failed": {"dsp": [task.candidates, costs.dsp]} if first else {},
        "least": {"bytes": min(costs.figures(c)[0] for c in corners), "dsp": costs.dsp},
        "front": [],
    }


def tasks(spaces: Sequence[Space], off_chip: ExternalMemory, limit: int | None = None) -> Iterator[Task]:
    """All tasks: of each nest in turn one, so that a search that is ended has a choice for every nest soon.

    First one with the fewest DSP blocks, since all nests have to fit together, then by their bounds. ``limit``:
    candidates per nest that are looked at, by their bounds.
    """
    every = (_tasks(number, space, off_chip, limit) for number, space in enumerate(spaces))
    yield from (task for turn in itertools.zip_longest(*every) for task in turn if task is not None)


def _tasks(number: int, space: Space, off_chip: ExternalMemory, limit: int | None) -> Iterator[Task]:
    bound = Bound(space.nest, off_chip)
    left = limit
    shards = sorted(space.shards(), key=lambda s: (bound.least(s), s))
    counts = {s: n for s in shards if (n := space.count(s))}
    if left is None:
        every = {s: _parts(number, s, n) for s, n in counts.items()}
        if every:
            yield every[min(every, key=lambda s: (space.nest.dsp_of(s), math.prod(s)))].pop(0)
        yield from itertools.chain.from_iterable(every.values())
        return
    for shard, count in counts.items():
        if left > 0:
            yield Task(number, shard, count, left if left < count else None)
            left -= min(left, count)


def _parts(number: int, shard: tuple[int, ...], candidates: int) -> list[Task]:
    parts = -(-candidates // PART)
    return [Task(number, shard, candidates, None, part, parts) for part in range(parts)]


def collect(
    number: int, space: Space, off_chip: ExternalMemory, budget: ResourceBudget, done: Mapping[str, Mapping[str, Any]],
    planned: Sequence[Task],
) -> Explored:  # fmt: skip
    """The nest's result from the records of its tasks, in whatever order they came."""
    own = [t for t in planned if t.nest == number]
    records = [(t, done[t.key]) for t in own if t.key in done]
    points = [
        Point(c, s, d, space.vector(t.shard, split, order), *blocks)
        for t, r in records
        for c, s, d, *blocks, split, order in r["front"]
    ]
    missing: dict[str, list[int]] = {}
    least: dict[str, int] = {}
    for _, record in records:
        for resource, (count, need) in record["failed"].items():
            entry = missing.setdefault(resource, [0, need])
            entry[0] += count
            entry[1] = min(entry[1], need)
        for resource, need in record["least"].items():
            least[resource] = min(need, least.get(resource, need))
    have = dict(zip(RESOURCES, budget.limits[1:], strict=True))
    failures = tuple(Failure(r, c, n, have[r] or 0) for r, (c, n) in sorted(missing.items()))
    parts = Counter(t.shard for t, _ in records if t.limit is None)
    whole = {t.shard for t in own if t.limit is None and parts[t.shard] == t.parts}
    bound = Bound(space.nest, off_chip)
    open_shards = [s for s in space.shards() if s not in whole and space.count(s)]
    kept = front(p for p in points if is_within(p.figures, budget))
    lows = [bound.least(s) for s in open_shards] + [p.cycles for p in kept[:1]]
    return Explored(
        kept, space.size, sum(r["evaluated"] for _, r in records), sum(r["pruned"] for _, r in records), failures,
        not open_shards, min(lows, default=0), least,
    )  # fmt: skip
