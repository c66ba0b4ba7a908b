"""Workflow commands that GitHub shows as annotations."""

from __future__ import annotations

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.linting import LintReport
from hlspart.model.printable import printable

_LEVELS = {"error": "error", "warning": "warning", "info": "notice", "note": "notice"}


def render(report: LintReport) -> str:
    """One command per finding."""
    return "".join(_command(d) for d in report.diagnostics)


def _command(item: Diagnostic) -> str:
    p = item.place
    fields = {"file": p.path, "line": str(p.line), "endLine": str(p.end_line)}
    if p.line == p.end_line:  # columns are shown for single lines only
        fields |= {"col": str(p.column), "endColumn": str(max(p.column, p.end_column - 1))}
    fields["title"] = f"{item.rule} {item.name}"
    text = item.message + (f"\nhelp: {item.hint}" if item.hint else "")
    text = printable(text)
    return f"::{_LEVELS[item.severity]} {','.join(f'{k}={_property(v)}' for k, v in fields.items())}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")
