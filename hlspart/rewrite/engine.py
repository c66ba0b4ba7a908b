"""The rewrite itself: plans in, edits and new texts out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from hlspart.layouts.layout import Layout
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.options import RewriteOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, Validation
from hlspart.model.rewriting import ArrayMapping, BankArray, DimMapping, GroupOutcome, RewriteResult, Style
from hlspart.model.source import Origin, apply_edits
from hlspart.rewrite.access import edit_use
from hlspart.rewrite.adapter import edit_callers
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.rewrite.crossbar import crossbars, edit_regions, insert_regions
from hlspart.rewrite.decide import Decider
from hlspart.rewrite.declare import declare_parameter, declare_variable, mark_unused
from hlspart.rewrite.gather import edit_gather
from hlspart.rewrite.outcomes import outcome_of
from hlspart.rewrite.plan import GroupRefusal, Plan
from hlspart.rewrite.pragmas import edit_pragmas, refuse_pragmas
from hlspart.rewrite.structs import left_alone
from hlspart.rewrite.uses import Use, Uses
from hlspart.transform.lines import line_runs


def rewrite(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    options: RewriteOptions,
    ii: IIResult | None = None,
    generic: bool = False,
    layouts: Mapping[int, Layout] | None = None,
    pipelined: frozenset[int] = frozenset(),
) -> RewriteResult:
    """Banked C for every partitioned group that allows it (contract ``rewrite``).

    ``ii`` is the port check under the static bank model; ``auto`` needs it to see which partitions
    the tool cannot use as they are. ``generic``: the target is a tool without partitioning.
    ``layouts``: by group id, layouts that no pragma says (from the inference); written as crossbar.
    ``pipelined``: the loops that the tool pipelines, inside of which it writes all loops out.
    """
    uses = Uses(program)
    costly = {group.id: _costly(program, group.members, ii) for group in analysis.groups} if ii is not None else {}
    styles = {group.id: _style(options, generic, costly.get(group.id)) for group in analysis.groups}
    strict = None
    if options.style == "auto" and ii is not None and not generic:
        strict = frozenset(loop.loop for loop in ii.loops if loop.pipelined)
    known = program, analysis, validation, options, uses, styles, layouts or {}, strict, costly, pipelined
    decision = Decider(*known).decide()
    plans = list(decision.plans)
    refused: list[GroupOutcome] = []
    while True:  # a refusal found while editing starts over without that group
        buffer = EditBuffer(program.sources, program.given)
        failed = _edit_all(program, uses, plans, buffer)
        if failed is None:
            break
        plan, refusal = failed
        plans.remove(plan)
        refused.append(outcome_of(program, plan.group, "refused", plan.style, refusal))
    done = [outcome_of(program, p.group, "rewritten", p.style, None) for p in plans]
    members = () if options.split_struct else left_alone(program)
    outcomes = tuple(sorted((*decision.outcomes, *refused, *done, *members), key=lambda o: o.group))
    return _result(program, plans, outcomes, buffer)


def _style(options: RewriteOptions, generic: bool, costly: frozenset[int] | None) -> Style | None:
    if options.style in ("split", "bankdim", "crossbar", "reuse"):
        return options.style
    if generic:
        return "split"
    return "crossbar" if costly else None


def _costly(program: Program, members: tuple[int, ...], ii: IIResult) -> frozenset[int]:
    """Pipelined loops in which undecided banks of these arrays cost cycles that true conflicts would not."""
    names = {(v.name, v.function) for v in map(program.variable, members)}
    costly = set()
    for loop in ii.loops:
        for limit in loop.limits:
            mine = (limit.array, loop.function) in names or (limit.array, None) in names
            if limit.kind == "memory-port" and mine and loop.ideal_ii is not None and limit.ii > loop.ideal_ii:
                costly.add(loop.loop)
    return frozenset(costly)


class _Job(Struct, frozen=True):
    """One use to edit; smaller spans first, so that nested edits are ready for the enclosing one."""

    plan: Plan
    use: Use
    size: int


_CLASHES = {"macro": "one text stands for different accesses", "declaration": "declarations that share their text"}


def _edit_all(program: Program, uses: Uses, plans: list[Plan], buffer: EditBuffer) -> tuple[Plan, GroupRefusal] | None:
    for plan, code, step in _steps(program, uses, plans, buffer):
        try:
            refusal = step()
        except Conflict as conflict:
            refusal = GroupRefusal(code, _CLASHES[code], conflict.origin)
        if refusal is not None:
            return plan, refusal
    split = [plan for plan in plans if not plan.gathered]
    failed = edit_callers(program, uses, split, buffer)
    if failed is None:
        insert_regions(program, [plan for plan in split if plan.formulas is not None], buffer)
    return failed


def _steps(
    program: Program, uses: Uses, plans: list[Plan], buffer: EditBuffer
) -> Iterator[tuple[Plan, str, Callable[[], GroupRefusal | None]]]:
    """(plan, code of the refusal where two edits clash, what to edit), such that texts inside others come first."""
    for plan in plans:
        if plan.gathered:
            yield plan, "macro", partial(edit_gather, program, plan, buffer)
    plans = [plan for plan in plans if not plan.gathered]
    jobs = []
    for plan in plans:
        yield plan, "macro", partial(refuse_pragmas, program, plan)
        for member in plan.group.members:
            for use in uses.by_variable.get(member, ()):
                if plan.style == "crossbar" and use.kind == "element":
                    continue
                span = use.node.at.span
                jobs.append(_Job(plan, use, span.end - span.start))
    for job in sorted(jobs, key=lambda j: j.size):
        yield job.plan, "macro", partial(edit_use, program, job.plan, job.use, buffer)
    for plan in plans:
        if plan.style == "crossbar":
            yield plan, "macro", partial(edit_regions, program, plan, buffer)
    for step in (_edit_declarations, edit_pragmas):  # whole lines go behind what stands with a declaration
        for plan in plans:
            yield plan, "declaration", partial(step, program, plan, buffer)


def _edit_declarations(program: Program, plan: Plan, buffer: EditBuffer) -> GroupRefusal | None:
    for variable in map(program.variable, plan.group.members):
        if variable.storage != "parameter":
            refusal = declare_variable(program, plan, variable, buffer)
            if refusal is not None:
                return refusal
            continue
        function = program.functions[variable.function or ""]
        position = function.params.index(variable.id)
        lists = [variable.declarations[0], *(p.params[position] for p in function.prototypes if p.params)]
        for declarator in lists:
            refusal = declare_parameter(program, plan, variable, declarator, buffer)
            if refusal is not None:
                return refusal
    if plan.style != "bankdim":
        for member in plan.group.members:
            mark_unused(program, plan, program.variable(member), buffer)
    return None


def _result(
    program: Program, plans: list[Plan], outcomes: tuple[GroupOutcome, ...], buffer: EditBuffer
) -> RewriteResult:
    files: dict[str, str] = {}
    lines = {}
    edits = {}
    for unit in program.units:
        if unit.source is None:
            continue
        edits[unit.path] = buffer.edits(unit.path)
        files[unit.path] = apply_edits(unit.source, edits[unit.path])
        lines[unit.path] = line_runs(unit.source, edits[unit.path])
    widths = _parameter_widths(program, plans)
    arrays = tuple(
        _mapping(program, plan, member, widths) for plan in plans if not plan.gathered for member in plan.group.members
    )
    diagnostics = tuple(diagnostic(program, o) for o in outcomes if o.reason is not None)
    reports = tuple(report for plan in plans for report in crossbars(program, plan))
    return RewriteResult(files, edits, lines, arrays, outcomes, diagnostics, reports)


def _parameter_widths(program: Program, plans: list[Plan]) -> Mapping[int, int]:
    """How many parameters each split parameter became."""
    return {v: len(plan.names[v]) for plan in plans if not plan.gathered for v in plan.group.members}


def _mapping(program: Program, plan: Plan, member: int, widths: Mapping[int, int]) -> ArrayMapping:
    variable = program.variable(member)
    parameter = position = None
    if variable.storage == "parameter":
        params = program.functions[variable.function or ""].params
        parameter = params.index(member)
        position = sum(widths.get(v, 1) for v in params[:parameter])
    return ArrayMapping(
        variable.name,
        variable.function,
        variable.at.span.path,
        program.line(variable.at),
        plan.layout.shape,
        plan.style,
        tuple(BankArray(n, s) for n, s in zip(plan.names[member], plan.shapes, strict=True)),
        tuple(DimMapping(d.kind, d.extent, d.banks, d.block) for d in plan.dims),
        plan.layout.mapping,
        parameter,
        position,
    )


def diagnostic(program: Program, outcome: GroupOutcome) -> Diagnostic:
    """What a group's outcome says to the user."""
    finding = outcome.status in ("refused", "conflict", "kept")
    assert outcome.at is not None
    names = ", ".join(f"'{name}'" for name in outcome.arrays)
    return Diagnostic(
        rule=f"rewrite-{outcome.code}",
        name=f"rewrite-{outcome.code}",
        severity="warning" if finding else "info",
        place=place(program, outcome.at),
        message=f"{names} left as it is: {outcome.reason}{remedy(outcome)}",
    )


def remedy(outcome: GroupOutcome) -> str:
    """What would lift a refusal, or what is had without, in words behind its reason."""
    if outcome.status == "kept":
        return "; its pragma stays, and the II that it reaches"
    return "; --split-top splits it too" if outcome.code == "top-level" else ""


def with_reasons(program: Program, result: RewriteResult, refusals: Mapping[int, GroupOutcome]) -> RewriteResult:
    """``result`` with the reasons that keep some groups from a rewrite even where the first one is out of the way."""
    outcomes = tuple(
        replace(o, code=refusals[o.group].code, reason=refusals[o.group].reason, at=refusals[o.group].at)
        if o.status == "refused" and o.group in refusals
        else o
        for o in result.outcomes
    )
    gone = {diagnostic(program, o) for o in result.outcomes if o.reason is not None} - {
        diagnostic(program, o) for o in outcomes if o.reason is not None
    }
    added = [diagnostic(program, o) for o in outcomes if o.reason is not None and o not in result.outcomes]
    kept = [d for d in result.diagnostics if d not in gone]
    return replace(result, outcomes=outcomes, diagnostics=(*kept, *added))


def with_moved(program: Program, result: RewriteResult, moved: Sequence[GroupOutcome]) -> RewriteResult:
    """``result`` with groups that are rewritten after all, in a further step."""
    groups = {o.group for o in moved}
    gone = [o for o in result.outcomes if o.group in groups and o.status in ("refused", "conflict")]
    said = {diagnostic(program, o) for o in gone if o.reason is not None}
    left = (o for o in result.outcomes if o not in gone)
    return replace(
        result,
        outcomes=tuple(sorted((*moved, *left), key=lambda o: o.group)),
        diagnostics=tuple(d for d in result.diagnostics if d not in said),
    )


def withheld(program: Program, result: RewriteResult, refusal: GroupRefusal) -> RewriteResult:
    """Nothing of ``result``: every group that it would rewrite is refused."""
    texts = {unit.path: unit.source.text for unit in program.units if unit.source is not None}
    lines = {unit.path: line_runs(unit.source, ()) for unit in program.units if unit.source is not None}
    left = [o for o in result.outcomes if o.status != "rewritten"]
    refused = [
        replace(o, status="refused", code=refusal.code, reason=refusal.reason, at=refusal.at)
        for o in result.outcomes
        if o.status == "rewritten"
    ]
    diagnostics = [*result.diagnostics, *(diagnostic(program, o) for o in refused)]
    if not refused:  # loops or values that move, no arrays
        diagnostics.append(held_back(program, refusal))
    outcomes = tuple(sorted((*left, *refused), key=lambda o: o.group))
    return RewriteResult(texts, dict.fromkeys(texts, ()), lines, (), outcomes, tuple(diagnostics), ())


def held_back(program: Program, refusal: GroupRefusal) -> Diagnostic:
    """Why a text that moves loops or values is not written."""
    rule, said = f"rewrite-{refusal.code}", f"the text is left as it is: {refusal.reason}"
    return Diagnostic(rule, rule, "warning", place(program, refusal.at), said)


def with_outcomes(program: Program, result: RewriteResult, outcomes: Iterable[GroupOutcome]) -> RewriteResult:
    """``result`` with the outcomes of arrays that the rewrite itself was not asked about."""
    added = tuple(outcomes)
    diagnostics = (*result.diagnostics, *(diagnostic(program, o) for o in added))
    return replace(result, outcomes=(*added, *result.outcomes), diagnostics=diagnostics)


def place(program: Program, origin: Origin) -> Place:
    """1-based place of an origin."""
    source = program.sources[origin.span.path]
    line, column = source.line_column(origin.span.start)
    end_line, end_column = source.line_column(origin.span.end)
    return Place(origin.span.path, line, column, end_line, end_column)
