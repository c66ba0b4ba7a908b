"""Which line of one text is which line of another, as runs of consecutive lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from hlspart.model.rewriting import LineRun
from hlspart.model.source import Edit, SourceText


def line_runs(source: SourceText, edits: Sequence[Edit]) -> tuple[LineRun, ...]:
    """Old line -> new line after ``edits``, which are in order; an edited line maps to where its edit begins."""
    total = source.line_column(len(source.text))[0]
    runs: list[LineRun] = []
    old, shift = 1, 0
    for edit in edits:
        removed = source.slice(edit.span).count("\n")
        added = edit.text.count("\n")
        if removed == added:
            continue
        first = source.line_column(edit.span.start)[0]
        last = source.line_column(edit.span.end)[0]
        kept = min(removed, added)
        upto = first + kept
        if upto >= old:
            _extend(runs, LineRun(old, old + shift, upto - old + 1))
            old = upto + 1
        while old <= last:  # lines that were joined into one
            _extend(runs, LineRun(old, first + shift + added, 1))
            old += 1
        shift += added - removed
    if old <= total:
        _extend(runs, LineRun(old, old + shift, total - old + 1))
    return tuple(runs)


def old_line(runs: Sequence[LineRun], new: int) -> int:
    """The old line of a new one; of a line that is added, the one before it."""
    run = max((r for r in runs if r.new <= new), key=lambda r: (r.new, r.old), default=LineRun(1, 1, 1))
    return run.old + max(0, min(new - run.new, run.count - 1))


def composed(first: Sequence[LineRun], second: Sequence[LineRun]) -> tuple[LineRun, ...]:
    """Old line -> middle line -> new line; both in order of their old lines."""
    starts = [run.old for run in second]
    runs: list[LineRun] = []
    for run in first:
        line = run.new
        while line < run.new + run.count:
            step = second[bisect_right(starts, line) - 1]
            count = min(run.new + run.count, step.old + step.count) - line
            _extend(runs, LineRun(run.old + line - run.new, step.new + line - step.old, count))
            line += count
    return tuple(runs)


def _extend(runs: list[LineRun], run: LineRun) -> None:
    """Append ``run``, as part of the last one where it goes on."""
    if runs and (runs[-1].old + runs[-1].count, runs[-1].new + runs[-1].count) == (run.old, run.new):
        runs[-1] = LineRun(runs[-1].old, runs[-1].new, runs[-1].count + run.count)
    else:
        runs.append(run)
