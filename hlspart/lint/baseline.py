"""A file with the findings that are known already (``--write-baseline``, ``--baseline``)."""

from __future__ import annotations

import json

from msgspec.structs import replace

from hlspart.model.linting import LintReport, fingerprints

SCHEMA = "hlspart.baseline/1"


class BaselineError(Exception):
    """A file that is no baseline; one line."""


def write(report: LintReport) -> str:
    """Text of the baseline of ``report``: fingerprints that survive moved lines, with what they stand for."""
    findings = [
        {"fingerprint": mark, "rule": item.rule, "path": item.place.path, "message": item.message}
        for item, mark in fingerprints(report)
    ]
    findings.sort(key=lambda f: (f["path"], f["rule"], f["fingerprint"]))
    return json.dumps({"schema": SCHEMA, "findings": findings}, indent=1) + "\n"


def read(text: str, name: str) -> frozenset[str]:
    """Fingerprints of a baseline. Raises BaselineError."""
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise BaselineError(f"{name}: schema is {data['schema']!r}, not {SCHEMA!r}")
        return frozenset(str(f["fingerprint"]) for f in data["findings"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BaselineError(f"{name} is no baseline of hlspart") from None


def without(report: LintReport, known: frozenset[str]) -> LintReport:
    """``report`` less the known findings, which count as suppressed."""
    kept = tuple(item for item, mark in fingerprints(report) if mark not in known)
    return replace(report, diagnostics=kept, suppressed=report.suppressed + len(report.diagnostics) - len(kept))
