"""What a synthesis report or log says, and how it compares with a prediction."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from hlspart.model.access import Bounds


class ReportedLoop(Struct, frozen=True):
    """One loop of a report. ``module``: the function it stands in, as the tool names it (None in old logs).

    ``name`` as reported: a label, ``VITIS_LOOP_7_1``, ``A_B`` of a flattened nest, or ``Loop 1.1`` of
    Vivado HLS. ``ii``/``target_ii`` None for "-" or NA. ``depth``: iteration latency.
    """

    module: str | None
    name: str
    ii: int | None
    target_ii: int | None
    depth: int | None
    trip_count: Bounds
    latency: Bounds
    pipelined: bool | None
    source: str  # the file it was read from


class ReportedPartition(Struct, frozen=True):
    """One array partition of a log: asked for by the user ("applied") or made by the tool ("added")."""

    variable: str
    type: Literal["cyclic", "block", "complete"]
    factor: int | None
    dim: int | None
    origin: Literal["applied", "added"]


class ToolMessage(Struct, frozen=True):
    """A message of a log that explains an II or a storage: its id, text and source line."""

    code: str  # "200-885"
    text: str
    line: int | None
    loop: str | None = None


class Report(Struct, frozen=True):
    """All that was read; what the files do not say of tool, part, clock and flow target is None."""

    tool: str | None
    part: str | None
    clock_ns: float | None
    loops: tuple[ReportedLoop, ...]
    partitions: tuple[ReportedPartition, ...]
    messages: tuple[ToolMessage, ...]
    uncertainty_ns: float | None = None
    flow: Literal["vivado", "vitis"] | None = None


class LoopComparison(Struct, frozen=True):
    """A loop as predicted and as reported; either side may be missing.

    ``drift`` names what differs beyond the tolerance; ``why`` is the first point where both part.
    """

    function: str
    name: str
    predicted_ii: int | None
    predicted_bounds: tuple[int, int] | None
    predicted_depth: int | None
    predicted_trip: Bounds | None
    predicted_latency: Bounds | None
    reported: ReportedLoop | None
    drift: tuple[str, ...]
    why: str | None


class PartitionComparison(Struct, frozen=True):
    """A partition: asked for in the source or not, and what the tool did with it."""

    variable: str
    type: str
    factor: int | None
    dim: int | None
    fate: Literal["applied", "ignored", "added"]
    line: int | None


class Comparison(Struct, frozen=True):
    """Result of ``hlspart compare``."""

    report: Report
    loops: tuple[LoopComparison, ...]
    partitions: tuple[PartitionComparison, ...]
    mismatches: tuple[str, ...]  # tool, part or clock of the report that differ from the target

    @property
    def drift(self) -> bool:
        """Whether any loop drifts."""
        return any(x.drift for x in self.loops)
