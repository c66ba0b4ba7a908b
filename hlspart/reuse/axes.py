"""The loops of a nest with reuse buffers: which points they run over, and when the old body runs."""

from __future__ import annotations

from msgspec import Struct

from hlspart.model.program import Loop


class ScanAxis(Struct, frozen=True):
    """One loop: ``name`` counts points from ``start`` to ``last``; the body runs at ``first`` and on each ``every``."""

    loop: Loop
    iterator: str
    name: str
    start: int
    first: int
    last: int
    every: int
    scale: int
    open: bool  # the loop ends by a value of the run, at ``last`` or before
    exact: bool  # it counts in ``int``, or in a type that C promotes to it

    @property
    def points(self) -> int:
        return self.last - self.start + 1

    @property
    def kept(self) -> bool:
        """Whether the loop counts with its own iterator."""
        return self.name == self.iterator

    def at(self, offset: int) -> str:
        """The text of a point that many away."""
        return self.name if not offset else f"{self.name} {'+' if offset > 0 else '-'} {abs(offset)}"

    @property
    def index(self) -> str:
        """Points since the first one."""
        return self.at(-self.start)

    @property
    def guard(self) -> list[str]:
        """When the body runs."""
        conditions = [f"{self.name} >= {self.first}"] if self.start < self.first else []
        if self.every > 1:
            origin = f"({self.at(-self.first)})" if self.first else self.name
            conditions.append(f"{origin} % {self.every} == 0")
        return conditions

    @property
    def value(self) -> str:
        """The iterator of the body."""
        return self.name if self.scale == 1 else f"{self.name} / {self.scale}"
