"""The outcome of a lint run, ready for any of the report formats."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.model.source import SourceText


class RuleInfo(Struct, frozen=True):
    """What a report says about a rule: ``HLP201``, its kebab-case name, default severity, one sentence, full text."""

    code: str
    name: str
    severity: Severity
    summary: str
    description: str = ""


class LintReport(Struct, frozen=True):
    """Findings in their final order (path, line, column, rule).

    ``files``: every file that was looked at; ``broken``: those of them that could not be read (their
    errors are among ``diagnostics``). ``rules``: the whole catalogue. ``sources``: texts for carets
    and fingerprints. ``suppressed``: findings hidden by comments or a baseline.
    """

    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    suppressed: int
    rules: tuple[RuleInfo, ...]
    sources: Mapping[str, SourceText] = field(default_factory=dict)
    broken: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """Findings of one severity."""
        return sum(1 for d in self.diagnostics if d.severity == severity)


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
