"""What several lint formats need: link targets, regions of edits."""

from __future__ import annotations

from hlspart.model.linting import LintReport
from hlspart.model.source import Span
from hlspart.version import __version__

TOOL = "hlspart"
VERSION = __version__


def help_uri(rule: str) -> str:
    """Name of a rule's page, the same for every installation; `hlspart explain` prints the page."""
    return f"urn:hlspart:rule:{rule}"


def region(report: LintReport, span: Span) -> tuple[int, int, int, int] | None:
    """Line and column of both ends of a span, 1-based, the end exclusive."""
    source = report.sources.get(span.path)
    if source is None:
        return None
    return (*source.line_column(span.start), *source.line_column(span.end))
