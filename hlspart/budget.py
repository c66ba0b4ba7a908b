"""What a search of the ways to write a program may cost: the texts that it reads, and their scheduled operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from msgspec import Struct, field

from hlspart.model.access import effort
from hlspart.model.inferred import InferResult
from hlspart.readback import Predicted

_CHARACTERS = 500  # of the files of a text that take as long to read as an operation to schedule, or longer
_DIVISIONS = 8  # of the effort of subscripts that takes as long as an operation


class Search(Struct):
    """What a search has looked at, in scheduled operations, and what it left out because that was enough.

    A loop counts once for all texts in which it is alike, and so do subscripts that divide: what is asked about them
    takes as long as the operations of a loop. The predictions of an inference count one by one. Counted by texts, not
    by what had to be computed, so that an answer does not depend on the ones before it.
    """

    most: int
    work: int = 0
    untried: list[str] = field(default_factory=list)
    seen: Counter[tuple[str, int, int | None, int | None, int | None]] = field(default_factory=Counter)
    divided: Counter[int] = field(default_factory=Counter)  # accesses by their divisions

    def goes_on(self, way: str, candidates: Callable[[], object] = lambda: True) -> bool:
        """Whether there is budget left; else ``way`` is not tried, which is noted where it has ``candidates``."""
        if self.work <= self.most:
            return True
        if candidates():
            self.untried.append(way)
        return False

    @property
    def left(self) -> int:
        """The budget that is left."""
        return max(self.most - self.work, 0)

    @property
    def next(self) -> Search:
        """A search of the text that this one ends with: with what is left, with a quarter of the budget at least."""
        return Search(max(self.left, self.most // 4))

    def inferred(self, result: InferResult) -> None:
        """The predictions of one more inference."""
        self.work += result.work

    def looked_at(self, text: Predicted) -> None:
        """One more text."""
        self.work += sum(len(source.text) for source in text.program.sources.values()) // _CHARACTERS
        lasting = [x for x in text.figures.loops if not x.given_up]  # nothing is kept of one that was given up
        self.work += sum(x.cost for x in text.figures.loops if x.given_up)
        loops = Counter((x.function, x.cost, x.ii, x.depth, x.trip_count.max) for x in lasting)
        self.work += sum(loop[1] * count for loop, count in (loops - self.seen).items())
        self.seen |= loops
        self.work += effort(text.analysis.divided - self.divided) // _DIVISIONS
        self.divided |= text.analysis.divided
