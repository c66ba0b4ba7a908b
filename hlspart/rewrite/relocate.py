"""A rewrite that started from an intermediate text, told in lines of the user's text.

``rewrite --infer`` first puts the inferred pragmas into the text; nobody has seen that text, so all
places must be those of the original.
"""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.program import Program
from hlspart.model.rewriting import LineRun, RewriteResult
from hlspart.model.source import Edit, Origin, SourceText, Span


def relocated(program: Program, middle: Mapping[str, str], result: RewriteResult) -> RewriteResult:
    """``result`` was made from the texts ``middle``; give it the places of ``program``'s texts."""
    back = {path: _Back(program.sources[path], SourceText(path, text)) for path, text in middle.items()}
    files, edits, lines = dict(result.files), dict(result.edits), dict(result.lines)
    for path in middle:
        old, new = program.sources[path].text, result.files[path]
        edits[path] = () if old == new else (Edit(Span(path, 0, len(old)), new),)
        lines[path] = _composed(back[path].runs, result.lines[path])
    return RewriteResult(
        files,
        edits,
        lines,
        tuple(replace(a, line=back[a.path].line(a.line)) if a.path in back else a for a in result.arrays),
        tuple(replace(o, at=_origin(o.at, back)) for o in result.outcomes),
        tuple(_diagnostic(d, back) for d in result.diagnostics),
        tuple(replace(c, line=back[c.path].line(c.line)) if c.path in back else c for c in result.crossbars),
    )


def followed(program: Program, result: RewriteResult, again: RewriteResult) -> RewriteResult:
    """``result`` with the texts of ``again``, which edits them further and moves no array."""
    edits, lines = dict(result.edits), dict(result.lines)
    for path, new in again.files.items():
        old = program.sources[path].text
        edits[path] = () if old == new else (Edit(Span(path, 0, len(old)), new),)
        lines[path] = _composed(result.lines[path], again.lines[path])
    return replace(result, files=again.files, edits=edits, lines=lines)


def line_runs(old: str, new: str) -> tuple[LineRun, ...]:
    """Old line -> new line: equal lines, and changed ones in the order they stand between those."""
    match = difflib.SequenceMatcher(None, old.split("\n"), new.split("\n"), autojunk=False)
    runs: list[LineRun] = []
    for _, start, end, at, stop in match.get_opcodes():
        count = min(end - start, stop - at)
        _extend(runs, LineRun(start + 1, at + 1, count))
        last = max(stop, 1)  # what has no line of its own stands where the text before it ends
        runs += [LineRun(line + 1, last, 1) for line in range(start + count, end)]
    return tuple(runs)


def _composed(first: Sequence[LineRun], second: Sequence[LineRun]) -> tuple[LineRun, ...]:
    """Old line -> middle line -> new line; both in order of their old lines."""
    starts = [run.old for run in second]
    found: list[LineRun] = []
    for run in first:
        line = run.new
        while line < run.new + run.count:
            step = second[bisect_right(starts, line) - 1]
            count = min(run.new + run.count, step.old + step.count) - line
            _extend(found, LineRun(run.old + line - run.new, step.new + line - step.old, count))
            line += count
    return tuple(found)


def _extend(runs: list[LineRun], run: LineRun) -> None:
    """Append ``run``, as part of the last one where it goes on."""
    if runs and (runs[-1].old + runs[-1].count, runs[-1].new + runs[-1].count) == (run.old, run.new):
        runs[-1] = LineRun(runs[-1].old, runs[-1].new, runs[-1].count + run.count)
    elif run.count:
        runs.append(run)


class _Back:
    def __init__(self, old: SourceText, middle: SourceText) -> None:
        self._old, self._middle = old, middle
        self.runs: Sequence[LineRun] = line_runs(old.text, middle.text)

    def line(self, line: int) -> int:
        """Original line of a line of the middle text; for a line that is new, the one before it."""
        best = 1
        for run in self.runs:
            if run.new <= line:
                best = run.old + min(line - run.new, run.count - 1)
        return best

    def span(self, span: Span) -> Span:
        """The same place in the original text, as exactly as its line allows."""
        return Span(span.path, self._offset(span.start), self._offset(span.end))

    def _offset(self, offset: int) -> int:
        line, column = self._middle.line_column(offset)
        whole = self._old.line_span(self.line(line))
        return min(whole.start + column - 1, whole.end)


def _origin(at: Origin | None, back: Mapping[str, _Back]) -> Origin | None:
    if at is None or at.span.path not in back:
        return at
    return replace(at, span=back[at.span.path].span(at.span))


def _diagnostic(item: Diagnostic, back: Mapping[str, _Back]) -> Diagnostic:
    related = tuple(replace(r, place=_place(r.place, back)) for r in item.related)
    return replace(item, place=_place(item.place, back), related=related, fix=None)


def _place(place: Place, back: Mapping[str, _Back]) -> Place:
    if place.path not in back:
        return place
    to = back[place.path]
    return replace(place, line=to.line(place.line), end_line=to.line(place.end_line))
