"""GitLab code-quality report (a subset of the Code Climate form)."""

from __future__ import annotations

import json

from hlspart.model.linting import LintReport, fingerprints

_SEVERITY = {"error": "major", "warning": "minor", "info": "info", "note": "info"}


def render(report: LintReport) -> str:
    """A list of issues."""
    issues = [
        {
            "description": f"{item.message}{f'; {item.hint}' if item.hint else ''}",
            "check_name": f"{item.rule} {item.name}",
            "fingerprint": mark,
            "severity": _SEVERITY[item.severity],
            "location": {
                "path": item.place.path,
                "lines": {"begin": item.place.line, "end": max(item.place.line, item.place.end_line)},
            },
        }
        for item, mark in fingerprints(report)
    ]
    return json.dumps(issues, indent=1) + "\n"
