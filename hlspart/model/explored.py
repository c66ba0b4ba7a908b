"""What a search for the best elements, tiles and orders ends with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.exploring import Point, figures_of


class Failure(Struct, frozen=True):
    """Candidates that miss one limit: how many, and the least that any of them needs."""

    resource: str
    count: int
    need: int
    have: int

    def to_json(self) -> dict[str, Any]:
        """Entry of ``failed``."""
        return {
            "reason": f"{self.resource}: needs {self.need}, have {self.have}",
            "count": self.count,
            "least": {"resource": self.resource, "need": self.need, "have": self.have},
        }


class Explored(Struct, frozen=True):
    """A nest after its search. ``complete``: no candidate was left out but by a bound that proves it no better."""

    front: tuple[Point, ...]
    candidates: int
    evaluated: int
    pruned: int
    failures: tuple[Failure, ...]
    complete: bool
    bound: int  # no candidate within the budget takes fewer cycles
    least: Mapping[str, int] = field(default_factory=dict)  # resource -> least of all candidates


class Combined(Struct, frozen=True):
    """One candidate per nest, together: cycles add along the chain of layers, memory is shared or adds up."""

    cycles: int
    size: int
    dsp: int
    points: tuple[Point, ...]
    bram18k: int | None = None

    @property
    def figures(self) -> tuple[int, ...]:
        """Cycles, bytes, DSP blocks, and blocks of BRAM where they count."""
        return figures_of(self.cycles, self.size, self.dsp, self.bram18k)

    @property
    def key(self) -> tuple[Any, ...]:
        """Total order: better first, equals by their vectors."""
        return (*self.figures, tuple(p.vector.key for p in self.points))


class Readback(Struct, frozen=True):
    """What ``ii`` says of the C of a choice; None where it does not know.

    ``used``: ``dsp`` of the functions that compute, ``bram18k``, ``uram``, and ``lut`` and ``ff`` of memories alone.
    """

    cycles: int | None
    used: Mapping[str, int]
    size: int | None  # bytes of all arrays on the chip
    cause: str | None = None


class ExploreResult(Struct, frozen=True):
    """``shape``: the entry of ``files``; ``texts``: the changed files; ``fits``: something was found within limits."""

    shape: Mapping[str, Any]
    diagnostics: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    fits: bool = True
