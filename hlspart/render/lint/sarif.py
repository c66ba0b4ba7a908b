"""SARIF 2.1.0 (OASIS), as code-scanning services read it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.linting import LintReport, fingerprints
from hlspart.render import json
from hlspart.render.lint.common import TOOL, VERSION, help_uri, region

_LEVELS = {"error": "error", "warning": "warning", "info": "note", "note": "note"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(report: LintReport) -> str:
    """One run; rules that fired are described, relative URIs only."""
    fired = {d.rule: d.name for d in report.diagnostics}
    known = {r.code: r for r in report.rules}
    codes = sorted(fired)
    rules = []
    for code in codes:
        rule: dict[str, Any] = {"id": code, "name": fired[code], "helpUri": help_uri(code)}
        if code in known:
            rule["shortDescription"] = {"text": known[code].summary}
            page = known[code].description or known[code].summary
            rule["fullDescription"] = {"text": known[code].summary}
            rule["help"] = {"text": page, "markdown": page}
            rule["defaultConfiguration"] = {"level": _LEVELS[known[code].severity]}
        rules.append(rule)
    driver = {"name": TOOL, "semanticVersion": VERSION, "informationUri": f"urn:{TOOL}", "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": _artifact(p)} for p in report.files],
        "invocations": [{"executionSuccessful": not report.broken}],
        "results": [_result(report, d, mark, codes.index(d.rule)) for d, mark in fingerprints(report)],
    }
    return json.render({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(report: LintReport, item: Diagnostic, mark: str, index: int) -> dict[str, Any]:
    text = item.message + (f". {item.hint[0].upper()}{item.hint[1:]}" if item.hint else "")
    result: dict[str, Any] = {
        "ruleId": item.rule,
        "ruleIndex": index,
        "level": _LEVELS[item.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(item.place)}],
        "partialFingerprints": {"hlspart/v1": mark},
    }
    if item.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(r.place), "message": {"text": r.message}} for r in item.related
        ]
    fix = _fix(report, item)
    if fix:
        result["fixes"] = [fix]
    return result


def _fix(report: LintReport, item: Diagnostic) -> dict[str, Any] | None:
    if item.fix is None or not item.fix.edits:
        return None
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in item.fix.edits:
        at = region(report, edit.span)
        if at is None:
            return None
        where = {"startLine": at[0], "startColumn": at[1], "endLine": at[2], "endColumn": at[3]}
        replacement: dict[str, Any] = {"deletedRegion": where}
        if edit.text:
            replacement["insertedContent"] = {"text": edit.text}
        changes.setdefault(edit.span.path, []).append(replacement)
    return {
        "description": {"text": item.fix.message},
        "artifactChanges": [{"artifactLocation": _artifact(p), "replacements": r} for p, r in changes.items()],
    }


def _location(place: Place) -> dict[str, Any]:
    region_ = {"startLine": place.line, "startColumn": place.column}
    if (place.end_line, place.end_column) > (place.line, place.column):
        region_ |= {"endLine": place.end_line, "endColumn": place.end_column}
    return {"artifactLocation": _artifact(place.path), "region": region_}


def _artifact(path: str) -> dict[str, Any]:
    return {"uri": quote(path.replace("\\", "/").encode("utf-8", "surrogateescape"), safe="/"), "uriBaseId": "SRCROOT"}
