"""Reviewdog diagnostic format (rdjson); its columns count bytes of UTF-8."""

from __future__ import annotations

from typing import Any

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.linting import LintReport, line_text
from hlspart.render import json
from hlspart.render.lint.common import TOOL, region

_SEVERITY = {"error": "ERROR", "warning": "WARNING", "info": "INFO", "note": "INFO"}


def render(report: LintReport) -> str:
    """One DiagnosticResult."""
    return json.render({"source": {"name": TOOL}, "diagnostics": [_diagnostic(report, d) for d in report.diagnostics]})


def _diagnostic(report: LintReport, item: Diagnostic) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "message": item.message + (f"; {item.hint}" if item.hint else ""),
        "location": _location(report, item.place),
        "severity": _SEVERITY[item.severity],
        "code": {"value": item.rule},
    }
    if item.related:
        shape["relatedLocations"] = [
            {"message": r.message, "location": _location(report, r.place)} for r in item.related
        ]
    if item.fix:
        suggestions = []
        for edit in item.fix.edits:
            at = region(report, edit.span)
            if at is None or edit.span.path != item.place.path:
                return shape  # a suggestion belongs to the file of its finding
            suggestions.append({"range": _range(report, edit.span.path, *at), "text": edit.text})
        shape["suggestions"] = suggestions
    return shape


def _location(report: LintReport, place: Place) -> dict[str, Any]:
    at = (place.line, place.column, place.end_line, place.end_column)
    return {"path": place.path, "range": _range(report, place.path, *at)}


def _range(report: LintReport, path: str, line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    return {
        "start": {"line": line, "column": _bytes(report, path, line, column)},
        "end": {"line": end_line, "column": _bytes(report, path, end_line, end_column)},
    }


def _bytes(report: LintReport, path: str, line: int, column: int) -> int:
    before = line_text(report, path, line)[: column - 1]
    return column + len(before.encode("utf-8", "surrogateescape")) - len(before)
