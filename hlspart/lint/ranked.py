"""The ways of late loops in findings that name `advise`: its own first one, for who takes the time to find it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from hlspart.model.advising import LoopAdvice
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.linting import LintReport
from hlspart.model.program import Program
from hlspart.model.results import IIResult
from hlspart.rules._base import WAYS


class Advised(Protocol):
    """A program with the ways of its late loops."""

    @property
    def program(self) -> Program:
        """The files as records."""

    @property
    def figures(self) -> IIResult:
        """Its loops."""

    @property
    def advice(self) -> Sequence[LoopAdvice]:
        """The ways of those that miss their target."""


def with_ways(report: LintReport, advised: Advised, files: str) -> LintReport:
    """``report`` with the first way of ``advised`` where a finding at a loop names the command that ranks them."""
    program, ways = advised.program, {(x.function, x.name): x for x in advised.advice}
    known = {}
    for loop in advised.figures.loops if ways else ():
        if loop.loop in program.loops and (loop.function, loop.name) in ways:
            header = program.loops[loop.loop].header
            known[header.span.path, program.line(header)] = ways[loop.function, loop.name]

    def ranked(d: Diagnostic) -> Diagnostic:
        way = known.get((d.place.path, d.place.line))
        if way is None or d.hint is None or WAYS not in d.hint:
            return d
        before, _, _ = d.hint.partition(WAYS)
        return replace(d, hint=f"{before}{way.advised(files)}")

    return replace(report, diagnostics=tuple(map(ranked, report.diagnostics)))
