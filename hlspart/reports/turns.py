"""Loops of a report whose labels or lines have changed since, by their turn in their function."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hlspart.model.access import Bounds
from hlspart.model.comparing import Report, ReportedLoop
from hlspart.model.results import LoopResult
from hlspart.reports.reports import UNKNOWN, owner


def in_turn(said: ReportedLoop, report: Report, loops: Sequence[LoopResult]) -> LoopResult | None:
    """The loop at the same turn in its function, whose labels have changed since, where both have as many of them."""
    function = owner(said.module)
    theirs = [x for x in report.loops if owner(x.module) == function and x.ii is not None]
    ours = [x for x in loops if x.function == function and x.loop >= 0 and x.pipelined]
    if not function or len(theirs) != len(ours) or len({x.name for x in theirs}) < len(theirs):
        return None
    if any(_place(x) is None for x in theirs):
        return None
    pairs = list(zip(sorted(theirs, key=lambda x: _place(x) or 0), sorted(ours, key=lambda x: x.line), strict=True))
    if any(UNKNOWN in (a.trip_count, b.trip_count) or not meet(a.trip_count, b.trip_count) for a, b in pairs[1:]):
        return None
    return next((b for a, b in pairs if a is said and meet(a.trip_count, b.trip_count)), None)


def _place(said: ReportedLoop) -> int | None:
    """The line of an unlabelled loop."""
    line = re.match(r"VITIS_LOOP_(\d+)_\d+", said.name)
    return None if line is None else int(line[1])


def meet(a: Bounds, b: Bounds) -> bool:
    """Whether two trip counts can be one."""
    low = max(a.min or 0, b.min or 0)
    highs = [x for x in (a.max, b.max) if x is not None]
    return not highs or low <= min(highs)
