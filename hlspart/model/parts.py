"""When the loops and calls of a function run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FunctionPart:
    """A loop or a call in the schedule of its function, from state ``first`` to ``last`` where it takes longest."""

    name: str
    line: int
    first: int
    last: int
