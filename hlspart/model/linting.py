"""The outcome of a lint run, ready for any of the report formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.model.source import SourceText


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What a report says about a rule: ``HLP201``, its kebab-case name, default severity, one sentence, full text."""

    code: str
    name: str
    severity: Severity
    summary: str
    description: str = ""


@dataclass(frozen=True)
class LintReport:
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
