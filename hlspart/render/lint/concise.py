"""One line per finding, in the form of a C compiler."""

from __future__ import annotations

from hlspart.model.linting import LintReport


def render(report: LintReport) -> str:
    """``path:line:column: severity: message [rule]``."""
    return "".join(f"{d}\n" for d in report.diagnostics)
