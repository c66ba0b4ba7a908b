"""Run the rules over the records of all analyses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from hlspart.accesses import proved
from hlspart.around import Around
from hlspart.lint.brevity import folded, independent
from hlspart.lint.catalogue import catalogue, entries
from hlspart.lint.config import LintConfig
from hlspart.lint.dependence import carried, fifo_violation, least, never_meet, unwritten
from hlspart.lint.suppressions import apply, suppressions
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.inferred import InferResult
from hlspart.model.linting import LintReport
from hlspart.model.program import Program
from hlspart.model.results import IIResult, Validation
from hlspart.model.source import Edit
from hlspart.partition.unrolling import unroll_factors
from hlspart.rules._base import Facts
from hlspart.targets import Target

_ARGUMENTS = re.compile(r"(?<=\w)<[^<>()]*>(?=\()")  # of the function of a template
_OF_ALL_TOOLS = frozenset(("HLP000", "HLP001", "HLP107", "HLP210", "HLP901", "HLP902"))


def run(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    ii: IIResult | None = None,
    infer: Callable[[tuple[str, ...]], InferResult | None] | None = None,
    config: LintConfig | None = None,
    *,
    target: Target | None = None,
    recheck: Callable[[Validation], IIResult] | None = None,
    expansions: Callable[[], Sequence[Diagnostic]] | None = None,
    defined: frozenset[str] = frozenset(),
    device: bool = True,
    around: Around | None = None,
) -> LintReport:
    """All findings, in order of path, line, column and rule; suppressions by comments are applied.

    ``infer`` looks for the least partition of some arrays (none named: of all) when a rule needs it.
    ``target``: whose directives these are; without it rules about tools stay silent. ``recheck`` predicts the II
    under another validation; without it the rules that compare two predictions stay silent. ``expansions``: what
    `expand` says of the pragmas at loops.
    ``defined``: macros that the command line defines. ``device``: somebody named the device of ``target``.
    ``around``: the files around.
    """
    config = config or LintConfig()
    facts = Facts(
        program=program,
        analysis=analysis,
        validation=validation,
        ii=ii,
        infer=infer,
        tool=target.tool if target is not None else ii.tool if ii is not None else "",
        recheck=recheck,
        insert=lambda result: _pragmas(program, result),
        carried=lambda directive: carried(analysis, directive),
        fifo_violation=lambda accesses: fifo_violation(program, analysis, accesses),
        unwritten=lambda read: unwritten(program, analysis, read),
        proved=lambda: proved(program),
        least=lambda loop, variable: least(analysis, loop, variable, ("write", "read")),
        never_meet=lambda loop, variable: never_meet(analysis, loop, variable),
        kernels=target is not None and target.kernels,
        unrolled=unroll_factors(program),
        small=target.complete_threshold if target is not None else 0,
        expansions=expansions,
        large=config.large_complete,
        bare_types=target is not None and target.bare_types,
        control_bundle=target.control_bundle if target is not None else "",
        deprecated=target.deprecated if target is not None else frozenset(),
        counts_freely=target is not None and bool(target.profile["directives"]["counts_freely"]),
        fills_uram=target.ultra[2] if target is not None and device else None,
        cycles=_cycles(target),
        defined=defined,
        around=around,
    )
    enabled = frozenset(e.rule.code for e in entries() if config.is_enabled(e.rule.code, e.rule.name))
    diagnostics: dict[Diagnostic, None] = {}
    for entry in entries():
        if entry.rule.code in enabled:
            diagnostics.update(dict.fromkeys(entry.findings(facts)))
    files = tuple(unit.path for unit in program.units)
    others = facts.foreign  # what is said to another tool is no fault
    shown = [
        _with_severity(d, config)
        for d in diagnostics
        if _belongs(d, program)
        and (d.place.path not in others or d.rule in _OF_ALL_TOOLS)
        and not config.excuses(d.rule, d.name, d.place.path)
    ]
    broken = tuple(unit.path for unit in program.units if unit.error is not None)
    marks = suppressions({p: s for p, s in program.sources.items() if p not in broken and _given(p, program)})
    rules = {entry.rule.code: entry.rule for entry in entries()}
    kept, hidden = apply(independent(facts, shown, rules), marks, enabled)
    reported = folded(once_per_template(in_order(kept)), rules, config.select)
    return LintReport(files, tuple(reported), hidden, catalogue(), program.sources, broken)


def _pragmas(program: Program, result: InferResult) -> tuple[Edit, ...]:
    """The edits that write what inference proposes, which few files ask for."""
    from hlspart.infer.emission import pragma_edits

    return pragma_edits(program, result)


def once_per_template(findings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Of findings that instances of a template have at one place, and that differ in its arguments only, the first."""
    first: dict[tuple[str, Place, str], Diagnostic] = {}
    for d in findings:
        first.setdefault((d.rule, d.place, _ARGUMENTS.sub("", d.message)), d)
    return tuple(first.values())


def merged(paths: Sequence[str], reports: Sequence[LintReport]) -> LintReport:
    """The reports of several programs as one; a header that several of them include is reported once."""
    diagnostics = in_order(dict.fromkeys(d for r in reports for d in r.diagnostics))
    sources = {p: s for r in reports for p, s in r.sources.items()}
    broken = tuple(p for r in reports for p in r.broken)
    return LintReport(tuple(paths), diagnostics, sum(r.suppressed for r in reports), catalogue(), sources, broken)


def in_order(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Final order: path, line, column, rule, message."""
    return tuple(sorted(findings, key=lambda d: (d.place.path, d.place.line, d.place.column, d.rule, d.message)))


def _with_severity(item: Diagnostic, config: LintConfig) -> Diagnostic:
    severity = config.severity.get(item.rule)
    return item if severity is None else replace(item, severity=severity)


def _given(path: str, program: Program) -> bool:
    """Given files, their headers, directive files; not what hlspart brings, nor sources that are read beside."""
    return not path.startswith("<") and all(path not in unit.beside for unit in program.units)


def _belongs(item: Diagnostic, program: Program) -> bool:
    return _given(item.place.path, program)


def _cycles(target: Target | None) -> dict[str, int]:
    """The cycles that each operator of floating-point numbers takes at least."""
    known = {f"{kind}{op}": bits for kind, bits in (("f", 32), ("d", 64)) for op in ("add", "mul", "div")}
    times = {op: target.operator(op, bits) for op, bits in known.items()} if target is not None else {}
    return {op: (time.least or time.states) - 1 for op, time in times.items() if time is not None}
