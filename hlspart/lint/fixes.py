"""Fixes, proved before they are offered: the finding is gone, nothing new appears, no loop or function gets slower.

A fix here only edits pragmas, which a C compiler does not read: what the program computes stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.linting import LintReport
from hlspart.model.program import Program
from hlspart.model.results import IIResult
from hlspart.model.source import Edit, apply_edits
from hlspart.predict.regressions import regressions

_PRAGMAS = re.compile(r"(?:\r?\n[ \t]*#pragma HLS [^\r\n\\]*)+(?:\r?\n[ \t]*)?")

Again = Callable[[Mapping[str, str]], tuple[LintReport, IIResult, str | None]]


class Fixed(Struct, frozen=True):
    """New texts of the files that change, the findings that were fixed, and those that were not with the reason."""

    texts: Mapping[str, str]
    applied: tuple[Diagnostic, ...]
    refused: tuple[tuple[Diagnostic, str], ...]


def fix(
    program: Program,
    report: LintReport,
    ii: IIResult,
    again: Again,
    unsafe: bool = False,
    only: Diagnostic | None = None,
) -> Fixed:
    """Apply the fixes of ``report`` that hold, or that of ``only``. ``again`` lints the program with some texts
    replaced."""
    wanted: list[Diagnostic] = []
    refused: list[tuple[Diagnostic, str]] = []
    for item in report.diagnostics:
        if item.fix is None or (only is not None and item is not only):
            continue
        if not item.fix.safe and not unsafe:
            refused.append((item, "unsafe: it changes what the tool builds (--unsafe-fixes)"))
        elif not _are_in_pragmas(program, item.fix.edits):
            refused.append((item, "it edits more than a pragma"))
        elif any(_overlap(item.fix.edits, other.fix.edits) for other in wanted if other.fix is not None):
            refused.append((item, "it overlaps another fix; run again"))
        else:
            wanted.append(item)
    if not wanted:
        return Fixed({}, (), tuple(refused))
    if _problem(program, report, ii, again, wanted) is None:
        return Fixed(_texts(program, wanted), tuple(wanted), tuple(refused))
    fixed: list[Diagnostic] = []
    for item in wanted:
        problem = _problem(program, report, ii, again, [*fixed, item])
        if problem is None:
            fixed.append(item)
        else:
            refused.append((item, problem))
    return Fixed(_texts(program, fixed), tuple(fixed), tuple(refused))


def _texts(program: Program, items: Sequence[Diagnostic]) -> dict[str, str]:
    edits: dict[str, list[Edit]] = {}
    for item in items:
        for edit in item.fix.edits if item.fix is not None else ():
            edits.setdefault(edit.span.path, []).append(edit)
    return {path: apply_edits(program.sources[path], changes) for path, changes in edits.items()}


def _problem(
    program: Program, report: LintReport, ii: IIResult, again: Again, items: Sequence[Diagnostic]
) -> str | None:
    """What speaks against applying ``items`` together."""
    after, ii_after, moved = again(_texts(program, items))
    if moved is not None:
        return moved
    before_count, after_count = _count(report), _count(after)
    for rule, count in Counter(d.rule for d in items).items():
        if after_count[rule] > before_count[rule] - count:
            return f"{rule} is still found"
    gone = {d.rule for d in items}
    worse = Counter(d.rule for d in after.diagnostics if d.severity in ("error", "warning"))
    for rule, count in worse.items():
        if rule not in gone and count > before_count[rule]:
            return f"it brings {rule}"
    lost = regressions(program, ii, ii_after)
    return f"it would make the program slower: {lost[0].text}" if lost else None


def _count(report: LintReport) -> Counter[str]:
    return Counter(d.rule for d in report.diagnostics)


def _are_in_pragmas(program: Program, edits: Sequence[Edit]) -> bool:
    """Whether every edit adds lines of pragmas, or stays inside pragmas and the blanks of their lines."""
    for edit in edits:
        source = program.sources.get(edit.span.path)
        if source is None:
            return False
        if edit.span.start == edit.span.end and _PRAGMAS.fullmatch(edit.text):
            continue
        inside = [
            p.at.span
            for p in program.pragmas
            if p.at.span.path == edit.span.path
            and p.at.span.start <= max(edit.span.end, edit.span.start)
            and edit.span.start <= p.at.span.end
        ]
        if len(inside) != 1:
            return False
        span = inside[0]
        rest = source.text[edit.span.start : span.start] + source.text[span.end : edit.span.end]
        if rest.strip() or "\n" in edit.text:
            return False
    return True


def _overlap(one: Sequence[Edit], other: Sequence[Edit]) -> bool:
    return any(
        a.span.path == b.span.path and a.span.start <= b.span.end and b.span.start <= a.span.end
        for a in one
        for b in other
    )
