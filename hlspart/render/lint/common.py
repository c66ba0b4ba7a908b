"""What several lint formats need: fingerprints, link targets, regions of edits."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from hlspart import __version__
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.linting import LintReport
from hlspart.model.source import Span

TOOL = "hlspart"
VERSION = __version__


def help_uri(rule: str) -> str:
    """Name of a rule's page, the same for every installation; `hlspart explain` prints the page."""
    return f"urn:hlspart:rule:{rule}"


def fingerprints(report: LintReport) -> Iterator[tuple[Diagnostic, str]]:
    """Each finding with a hash that survives moved lines: rule, path, text of its line, and which of those it is."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for item in report.diagnostics:
        key = (item.rule, item.place.path, " ".join(line_text(report, item.place.path, item.place.line).split()))
        seen[key] += 1
        yield item, hashlib.sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "replace")).hexdigest()[:32]


def line_text(report: LintReport, path: str, line: int) -> str:
    """Text of a line, "" where it is not known."""
    source = report.sources.get(path)
    if source is None or not 1 <= line <= source.text.count("\n") + 1:
        return ""
    return source.line_text(line)


def region(report: LintReport, span: Span) -> tuple[int, int, int, int] | None:
    """Line and column of both ends of a span, 1-based, the end exclusive."""
    source = report.sources.get(span.path)
    if source is None:
        return None
    return (*source.line_column(span.start), *source.line_column(span.end))
