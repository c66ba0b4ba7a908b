"""Schema ``hlspart.lint/1``."""

from __future__ import annotations

from typing import Any

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.linting import LintReport
from hlspart.render import json
from hlspart.render.lint.common import region


def render(report: LintReport) -> str:
    """The text of ``lint --format json``."""
    return json.render(shape(report))


def shape(report: LintReport) -> dict[str, Any]:
    """The one object of ``lint --format json``."""
    return {
        "schema": "hlspart.lint/1",
        "files": list(report.files),
        "diagnostics": [_diagnostic(report, d) for d in report.diagnostics],
        "summary": {
            "errors": report.count("error"),
            "warnings": report.count("warning"),
            "infos": report.count("info"),
            "suppressed": report.suppressed,
            "files": len(report.files),
        },
    }


def _diagnostic(report: LintReport, item: Diagnostic) -> dict[str, Any]:
    p = item.place
    return {
        "rule": item.rule,
        "name": item.name,
        "severity": item.severity,
        "path": p.path,
        "line": p.line,
        "column": p.column,
        "end_line": p.end_line,
        "end_column": p.end_column,
        "message": item.message,
        "hint": item.hint,
        "related": [
            {"path": r.place.path, "line": r.place.line, "column": r.place.column, "message": r.message}
            for r in item.related
        ],
        "fix": _fix(report, item),
    }


def _fix(report: LintReport, item: Diagnostic) -> dict[str, Any] | None:
    if item.fix is None:
        return None
    edits = []
    for edit in item.fix.edits:
        at = region(report, edit.span)
        if at is None:
            return None
        edits.append({"path": edit.span.path, "line": at[0], "column": at[1], "end_line": at[2], "end_column": at[3],
                      "text": edit.text})  # fmt: skip
    return {"message": item.fix.message, "safe": item.fix.safe, "edits": edits}
