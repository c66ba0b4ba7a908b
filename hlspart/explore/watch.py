"""How far a search is: for people who wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hlspart.explore.bound import Bound
from hlspart.explore.search import SearchProblem, Task

#: Takes a line that says how far the work is.
Progress = Callable[[str], None]


class Watch:
    """Counts finished tasks of the nests of a problem and says what is known by then."""

    def __init__(self, problem: SearchProblem, tasks: Sequence[Task], progress: Progress | None) -> None:
        self.progress, self.tasks = progress, len(tasks)
        bounds = [Bound(space.nest, problem.off_chip) for space in problem.spaces]
        self._open = {t.key: (t.nest, bounds[t.nest].least(t.shard)) for t in tasks}
        self._best: dict[int, int] = {}
        self._counts = [0, 0]
        self._nests = len(problem.spaces)

    def take(self, records: Sequence[dict[str, Any]]) -> None:
        """Finished tasks."""
        for record in records:
            nest, _ = self._open.pop(record["task"], (0, 0))
            self._counts[0] += record["evaluated"]
            self._counts[1] += record["pruned"]
            for point in record["front"][:1]:
                self._best[nest] = min(point[0], self._best.get(nest, point[0]))
        if self.progress is not None:  # a line looks at all that is open
            self.progress(self.line)

    @property
    def line(self) -> str:
        """Counts, the best so far, the bound of all that is open, and their ratio."""
        evaluated, pruned = self._counts
        said = f"{self.tasks - len(self._open)} of {self.tasks} tasks, {evaluated} evaluated, {pruned} pruned"
        if len(self._best) < self._nests:
            return said
        best = sum(self._best.values())
        lows = dict(self._best)
        for nest, low in self._open.values():
            lows[nest] = min(low, lows[nest])
        bound = sum(lows.values())
        return f"{said}, best {best}, bound {bound}, gap {best / max(1, bound):.3f}"
