"""Applying the fixes of lint: each is tried on the text, and kept only if the analysis agrees with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hlspart.cli.tree import report_of
from hlspart.lint import LintConfig
from hlspart.model.diagnostics import Diagnostic, Fix
from hlspart.model.linting import LintReport
from hlspart.model.source import apply_edits
from hlspart.pipeline import Pipeline


def fixed_texts(
    pipeline: Pipeline, report: LintReport, config: LintConfig, unsafe: bool
) -> tuple[dict[str, str], LintReport]:
    """New text of each file that changes, and the report about the new texts.

    A fix is kept when its finding is gone afterwards, no finding is new and no II is worse.
    Otherwise it is left out.
    """
    texts: dict[str, str] = {}
    current = report if len(report.files) == 1 else _again(pipeline, {}, config)
    best = _intervals(pipeline)
    tried: set[tuple[str, str, int, str]] = set()
    while True:
        item = next((d for d in current.diagnostics if _usable(d, unsafe) and _key(d) not in tried), None)
        if item is None:
            return texts, current
        tried.add(_key(item))
        assert item.fix is not None
        trial = {**texts, **_applied(item.fix, current)}
        after_pipeline = pipeline.with_texts(trial)
        after = report_of(after_pipeline, config)
        intervals = _intervals(after_pipeline)
        if _gone(item, current, after) and all(_no_worse(best.get(k), v) for k, v in intervals.items()):
            texts, current, best = trial, after, intervals


def _again(pipeline: Pipeline, texts: Mapping[str, str], config: LintConfig) -> LintReport:
    return report_of(pipeline.with_texts(texts), config)


def _usable(item: Diagnostic, unsafe: bool) -> bool:
    return item.fix is not None and bool(item.fix.edits) and (item.fix.safe or unsafe)


def _key(item: Diagnostic) -> tuple[str, str, int, str]:
    return item.rule, item.place.path, item.place.line, item.message


def _applied(fix: Fix, report: LintReport) -> dict[str, str]:
    paths = dict.fromkeys(e.span.path for e in fix.edits)
    return {p: apply_edits(report.sources[p], [e for e in fix.edits if e.span.path == p]) for p in paths}


def _gone(item: Diagnostic, before: LintReport, after: LintReport) -> bool:
    """One finding of its rule fewer, and of every rule no more than before."""
    old, new = (Counter((d.rule, d.place.path) for d in r.diagnostics) for r in (before, after))
    key = item.rule, item.place.path
    return not after.broken and new[key] < old[key] and all(n <= old[k] for k, n in new.items())


def _intervals(pipeline: Pipeline) -> dict[tuple[str, str], int | None]:
    return {(x.function, x.name): x.ii for x in pipeline.ii.loops}


def _no_worse(before: int | None, after: int | None) -> bool:
    return before is None or (after is not None and after <= before)
