"""Functions as predicted: latency, when their loops and calls run, what they are built of."""

from __future__ import annotations

from msgspec import Struct

from hlspart.model.access import Bounds
from hlspart.model.causes import Cause, as_text


class FunctionPart(Struct, frozen=True):
    """A loop or a call in the schedule of its function, from state ``first`` to ``last`` where it takes longest."""

    name: str
    line: int
    first: int
    last: int


class FunctionUse(Struct, frozen=True):
    """What a function is built of, with the modules that it starts; None where it is not known.

    ``ff`` and ``lut`` are estimates. Arrays of callers are theirs.
    """

    bram18k: int | None = None
    uram: int | None = None
    dsp: int | None = None
    ff: int | None = None
    lut: int | None = None


class FunctionResult(Struct, frozen=True):
    """Latency of a function in cycles; ``parts``: when what runs, () where that is not known.

    ``interval``: cycles from one start to the next, at the most. ``causes``: why the latency is not known.
    """

    name: str
    latency: Bounds
    parts: tuple[FunctionPart, ...] = ()
    line: int = 0
    interval: int | None = None
    resources: FunctionUse = FunctionUse()
    causes: tuple[Cause, ...] = ()

    @property
    def cause(self) -> str | None:
        """Why the latency is not known, in words."""
        return as_text(self.causes)
