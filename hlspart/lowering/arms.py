"""Branches of an iteration: what stands in which arm of which condition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlspart.lowering.operations import Frame, Operations
from hlspart.semantics import spans


class Arms(Operations):
    """Keeps the conditions that hold where the elaboration stands; ``pending``: those of jumps that were not taken."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.pending: list[tuple[str, tuple[tuple[int, int], ...], tuple[int, ...]]] = []
        self.branches: dict[tuple[str, int], int] = {}

    def _branch(self, test: int, kind: str = "if") -> int:
        """Number of a branch: one value decides alike wherever it is tested."""
        made = self.branches.setdefault((kind, test), len(self.branches) + 1)
        if kind == "if":
            self.tests[made] = test
        return made

    @contextmanager
    def _arm(self, instance: int, arm: int, test: int) -> Iterator[None]:
        saved = (self.branch, self.guards)
        self.branch, self.guards = (*self.branch, (instance, arm)), (*self.guards, test)
        depth = len(self.pending)
        yield
        self.pending = self.pending[:depth]
        self.branch, self.guards = saved

    def _drop(self, kind: str, since: int = 0) -> None:
        """End of an iteration ("continue") or of a loop ("break"): conditions of its jumps (from ``since`` on) end."""
        kinds = ("continue",) if kind == "continue" else ("continue", "break")
        while len(self.pending) > since and self.pending[-1][0] in kinds:
            _, self.branch, self.guards = self.pending.pop()

    def _either(self, made: int, one: int, other: int) -> None:
        """``made`` is one of two values."""
        if one in self.spans and other in self.spans:
            span = spans.both(self.spans[one], self.spans[other])
            if span is not None:
                self.spans[made] = span
