"""What ways promise before they are worked out: the cycles that recurrences alone leave to a first text.

Where the loops of a program use up what a search may cost, no way is worked out. That of the fewest such cycles still
is, if they are at most half of what directives and banks alone reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from msgspec import Struct

from hlspart.expand.flattening import kept_apart
from hlspart.infer.size import is_large
from hlspart.model.program import Program
from hlspart.model.results import IIResult
from hlspart.model.rewriting import RewriteResult
from hlspart.predict.regressions import entries
from hlspart.readback import Predicted, price
from hlspart.reuse import Reused, edited

_GAIN = 2  # times fewer cycles that a way is to promise


class Stated(Predicted, Protocol):
    """A program with what is cheap to say of it, and of other texts."""

    @property
    def dependences_stated(self) -> Reused:
        """It with directives on what iterations hand to each other through arrays."""

    def with_texts(self, texts: Mapping[str, str], directives: str = "") -> Stated:
        """What is known of another text."""


class Promise(Struct, frozen=True):
    """A way by the name that a search gives it, its first text, and the cycles that it may come down to."""

    way: str
    first: Reused
    cycles: float


def promising(pipeline: Stated, plain: RewriteResult, untried: list[str]) -> Promise | None:
    """The way among those ``untried`` that promises most beside what ``plain`` reaches; None where none promises much.

    Only ways whose first text differs in directives are looked at: others cost more than their prediction.
    """
    if is_large(pipeline.figures):
        return None
    enough = price(pipeline.program, pipeline.predict(plain.files)).cycles / _GAIN
    promises = [p for way, of in _WAYS.items() if way in untried for p in of(way, pipeline)]
    return min((p for p in promises if p.cycles <= enough), key=lambda p: p.cycles, default=None)


def _by_dependences(way: str, pipeline: Stated) -> Iterator[Promise]:
    stated = pipeline.dependences_stated
    if stated.after is not None:
        yield Promise(way, stated, at_best(pipeline.program, stated.after))


def _apart(way: str, pipeline: Stated) -> Iterator[Promise]:
    for edits in kept_apart(pipeline.program, pipeline.figures):
        first = Reused(edited(pipeline.program, edits), (), {}, None)
        opened = pipeline.with_texts(first.result.files)
        yield Promise(way, first, at_best(opened.program, opened.dependences_stated.after or opened.figures))


_WAYS: dict[str, Callable[[str, Stated], Iterator[Promise]]] = {
    "dependences in directives": _by_dependences, "nests kept apart": _apart,
}  # fmt: skip


def at_best(program: Program, figures: IIResult) -> float:
    """Cycles of the pipelined loops if no memory had too few ports: a bound where recurrences are known."""
    entered = entries(program, figures)
    return float(
        sum(
            entered(x) * (max(x.aim or 1, x.recurrence_ii or 1) * (x.trip_count.max or 1) + (x.depth or 0))
            for x in figures.loops
            if x.pipelined
        )
    )
