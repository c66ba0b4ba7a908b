"""Questions that several rules ask."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from hlspart.model.access import Access
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.directives import Directive
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Block,
    Declare,
    Expr,
    ExprStmt,
    Return,
    Stmt,
    Variable,
    is_same,
    walk_statements,
)
from hlspart.model.results import DimPartition, GroupPartition, IIResult, LoopResult, Validation
from hlspart.model.source import Origin
from hlspart.partition.unrolling import is_decided
from hlspart.rules._base import Facts, Remark, Rule
from hlspart.rules._left_out import is_undecided
from hlspart.rules._mentions import mentioned_in
from hlspart.rules._nests import active
from hlspart.rules._uses import nodes

_MOST_RECHECKS = 8  # per rule and run: each one schedules every loop again
_MOST_PLACES = 4  # of a loop that is late
_MOST_OPERATIONS = 4000  # scheduled in all, above which no second prediction is made


def binding(loop: LoopResult) -> str | None:
    """The kind of limit that gives a loop its II, None where none of them does alone."""
    if loop.binding:
        return loop.binding[0].kind
    return "recurrence" if loop.recurrence_ii == loop.ii and loop.resource_ii != loop.ii else None


def sets_bits(e: Assign) -> bool:
    """``x.range(7, 0) = v``, which has the origin of the whole assignment as its value."""
    return e.op == "|=" and e.value.at == e.at


def places_of(facts: Facts, loop: LoopResult) -> list[tuple[Origin, str]]:
    """The places that make a loop late: the PIPELINE that asks for its II, and the statements that limit it."""
    asked = [d for d in active(facts.program, "pipeline") if d.function == loop.function]
    mine = [d for d in asked if d.loop == (loop.loop if loop.loop in facts.program.loops else None)]
    related = [(d.at, "the II is asked for here") for d in mine[:1]]
    body = facts.program.loops[loop.loop].body if loop.loop in facts.program.loops else None
    path = facts.loop_at(loop).span.path
    lines = set(loop.binding[0].lines) if loop.binding else set()
    for stmt in walk_statements(body or facts.program.functions[loop.function].body):
        if lines and isinstance(stmt, (Declare, ExprStmt, Return)) and stmt.at.span.path == path:
            place = facts.place(stmt.at)
            its = lines & set(range(place.line, place.end_line + 1))
            if its:
                related.append((stmt.at, "it limits the II"))
            lines -= its
    return related[:_MOST_PLACES]


def has_open_extent(facts: Facts, variable: Variable) -> bool:
    """Whether an extent of an array is made with a name that a header which was not found may define."""
    if not variable.declarations or not facts.lacks_header(variable.at.span.path):
        return False
    said = " ".join(facts.program.text(b) for b in variable.declarations[0].brackets)
    held = (v.name for v in facts.program.variables if v.const and v.init is not None)
    return not set(re.findall(r"[A-Za-z_]\w*", said)) <= {*facts.program.constants, *held}


def is_split_elsewhere(facts: Facts, variable: Variable) -> bool:
    """Whether something else may split an array: a function around that hands it over, a script, a directive of the
    object whose member it is, or one in an arm that arguments of a template decide."""
    asked = [d for d in facts.program.directives if d.kind in ("array_partition", "array_reshape") and d.usable]
    if any(variable.id in d.variables and is_undecided(facts.program, d) for d in asked):
        return True
    objects = (facts.program.variable(v) for d in asked if d.function == variable.function for v in d.variables)
    if any(variable.name.startswith(v.name + ".") for v in objects):
        return True
    function = facts.program.functions.get(variable.function or "")
    if function is None or facts.around is None:
        return False
    name = function.name.partition("<")[0]
    said = (name, variable.name) in facts.around.split
    return said or (variable.storage == "parameter" and facts.around.calls(name, function.at.span.path))


def has_banks_by_data(facts: Facts, loop: LoopResult, lines: Collection[int], variable: Variable | None = None) -> bool:
    """Whether data decide which banks of a split array are read there: reads of one place of each may be one load.

    Without a ``variable``, of arrays that are registers, but for elements that the same text writes.
    """
    groups, group_of = facts.validation.groups, facts.analysis.group_of
    below = facts.loops_inside(loop.loop) if loop.loop in facts.program.loops else ()
    inner = {i.iterator for x in below if (i := facts.analysis.loops.get(x.id)) is not None}
    refs = {e.id: e for own in nodes(facts.program).values() for e in own if isinstance(e, ArrayRef)}
    places = list[Sequence[Expr]]()
    for a in facts.analysis.accesses:
        group = groups.get(group_of.get(a.array, -1))
        verdict = group.verdicts.get(a.id) if group is not None and group.dims else None
        if verdict is None or verdict.kind != "non-affine" or a.kind != "read" or facts.place(a.at).line not in lines:
            continue
        if variable is None and facts.storage(a.array) == "registers" and not _is_updated(facts, a, refs):
            return True
        if group is not None and variable is not None and group_of.get(variable.id) == group_of.get(a.array):
            split = {d.dim - 1 for d in group.dims}
            kept = [s for k, s in enumerate(refs[a.ref].indices) if k not in split] if a.ref in refs else []
            if not kept or any(facts.program.variable(v).name in inner for s in kept for v in mentioned_in(s)):
                continue
            copied = a.function != loop.function or any(x.id in a.loops for x in below)
            if copied or any(all(map(is_same, kept, place)) for place in places):
                return True
            places.append(kept)
    return False


def _is_updated(facts: Facts, read: Access, refs: Mapping[int, ArrayRef]) -> bool:
    """Whether the statement that reads an element writes it, too: ``h[x[i]] += v``."""
    there = [refs[a.ref] for a in facts.analysis.of_array(read.array) if a.kind == "write" and a.ref in refs]
    line, own = facts.place(read.at).line, refs.get(read.ref)
    return own is not None and any(is_same(own, e) for e in there if facts.place(e.at).line == line)


def unroll_mismatch(facts: Facts, remark: Remark) -> tuple[int, int, int] | None:
    """(loop, its unroll factor, the factor that decides the bank) of an access that a remark is about."""
    for variable in remark.directive.variables:
        group = facts.validation.groups.get(facts.analysis.group_of.get(variable, -1))
        if group is None:
            continue
        for access in facts.analysis.accesses:
            verdict = group.verdicts.get(access.id)
            if verdict is None or verdict.kind != "const-after-unroll" or access.at != remark.problem.at:
                continue
            for loop, needs in verdict.unrolls:
                has, trips = facts.unrolled.get(loop), facts.analysis.loops[loop].trip_count.max
                if has is not None and 1 < has < (trips or has + 1) and has % needs:
                    return loop, has, needs
    return None


def is_unrolled_by_the_tool(facts: Facts, remark: Remark) -> bool:
    """Whether the bank is decided by loops that the prediction unrolls, because the tool pipelines one around them."""
    automatic = [x.loop for x in facts.ii.loops if x.pipelined and x.origin == "auto"] if facts.ii is not None else []
    inside = {x.id for loop in automatic if loop in facts.program.loops for x in facts.loops_inside(loop)}
    for variable in remark.directive.variables:
        group = facts.validation.groups.get(facts.analysis.group_of.get(variable, -1))
        for access in facts.analysis.accesses if group is not None else ():
            verdict = group.verdicts.get(access.id) if group is not None else None
            if verdict is not None and verdict.kind == "const-after-unroll" and access.at == remark.problem.at:
                return bool(inside) and {loop for loop, _ in verdict.unrolls} <= inside
    return False


def undecided_bank(facts: Facts, rule: Rule, remark: Remark) -> Diagnostic:
    """The finding about an undecided bank: a warning at the access of a loop that loses II by it, else information.

    ``remark`` names the first access whose bank is open, which need not be one that costs anything.
    """
    partition = [(remark.directive.at, "the partition")]
    groups = {facts.analysis.group_of.get(v) for v in remark.directive.variables}
    for loop in facts.pipelined():
        ideal = loop.ideal_ii or loop.ii
        if loop.ii is None or ideal is None or loop.ii <= max(loop.aim or 1, ideal):
            continue
        variable = facts.limit_array(loop)
        if variable is None or facts.analysis.group_of.get(variable.id) not in groups:
            continue
        access = _open_access(facts, loop, variable)
        if access is None:
            continue
        if access.at == remark.problem.at:
            return facts.report(rule, access.at, remark.problem.message, remark.problem.hint, partition)
        text = " ".join(facts.program.text(access.at).split())
        message = f"the bank of '{text}' is not constant: loop {loop.name} has II {loop.ii}, {ideal} if it were"
        return facts.report(rule, access.at, message, None, [*partition, (facts.loop_at(loop), "the loop")])
    hint = remark.problem.hint
    if hint is not None and not groups & _groups_in_doubt(facts):
        hint = f"no pipelined loop is slower by it; {hint} to save the multiplexer"
    return facts.report(rule, remark.problem.at, remark.problem.message, hint, partition, severity="info")


def _groups_in_doubt(facts: Facts) -> set[int]:
    """Groups accessed in a pipelined loop whose II is not known or above the one to reach."""
    loops = facts.ii.loops if facts.ii is not None else ()
    missing = {x.loop for x in loops if x.pipelined and (x.ii is None or x.misses)}
    reached = (a for a in facts.analysis.accesses if facts.ii is None or missing & set(a.loops))
    return {facts.analysis.group_of.get(a.array, -1) for a in reached}


def _open_access(facts: Facts, loop: LoopResult, variable: Variable) -> Access | None:
    """The first access in a loop to the group of an array of which the bank is open."""
    ident = facts.analysis.group_of.get(variable.id, -1)
    group = facts.validation.groups.get(ident)
    if group is None:
        return None
    for access in sorted(facts.analysis.accesses, key=lambda a: (a.at.span.path, a.at.span.start)):
        verdict = group.verdicts.get(access.id)
        if verdict is None or loop.loop not in access.loops or verdict.kind == "const":
            continue
        if verdict.kind != "const-after-unroll" or not is_decided(verdict.unrolls, facts.unrolled):
            return access
    return None


def partitioned_groups(facts: Facts) -> Iterator[tuple[int, Directive]]:
    """Groups with a partition in effect, each with the directive that asked first."""
    for ident, group in sorted(facts.validation.groups.items()):
        if group.dims and group.requests:
            yield ident, group.requests[0].directive


def in_blocks(body: Block) -> Iterator[Stmt]:
    """The statements of a block, those of bare blocks in it in their place."""
    for stmt in body.body:
        if isinstance(stmt, Block):
            yield from in_blocks(stmt)
        else:
            yield stmt


def in_lock_step(facts: Facts) -> set[int]:
    """Groups that loops access which ``hlspart expand`` has written: their banks follow the elements, not the II."""
    marked: set[str] = set()
    for name, function in facts.program.functions.items():
        source = facts.program.sources.get(function.at.span.path)
        if source is not None and "/* hlspart expand" in source.text:
            at = function.body.at.span
            marked |= {name} if "/* hlspart expand" in source.text[at.start : at.end] else set()
    return {facts.analysis.group_of.get(a.array, -1) for a in facts.analysis.accesses if a.function in marked}


def is_same_without(facts: Facts, group: int) -> bool:
    """Whether every loop keeps its II and latency when ``group`` is not partitioned, all figures being known."""
    if facts.recheck is None or facts.ii is None or group not in _first_groups(facts) or _is_large(facts):
        return False
    touched = _loops_of(facts, group)
    if any(x.loop in touched and (x.misses or x.latency.max is None) for x in facts.ii.loops) or not touched:
        return False  # where something else still limits a loop, the partition may be half of the answer
    other = facts.recheck(_with_dims(facts.validation, group, ()))
    if _banks_of(facts.ii, facts, group) == _banks_of(other, facts, group):
        return False  # the tool divides the array alike by itself; the directive says so
    after = {loop.loop: loop for loop in other.loops}
    for loop in facts.ii.loops:
        if loop.loop not in touched:
            continue
        if loop.loop not in after or loop.ii != after[loop.loop].ii or loop.latency != after[loop.loop].latency:
            return False
    return True


def _banks_of(figures: IIResult, facts: Facts, group: int) -> list[int | None]:
    members = {v for v, g in facts.analysis.group_of.items() if g == group}
    return [a.banks for a in figures.arrays if a.variable in members]


def _is_large(facts: Facts) -> bool:
    """Whether predicting again would take long."""
    return facts.operations > _MOST_OPERATIONS


def _first_groups(facts: Facts) -> list[int]:
    return [ident for ident, _ in partitioned_groups(facts)][:_MOST_RECHECKS]


def _loops_of(facts: Facts, group: int) -> set[int]:
    """Reported loops in or around which the group is accessed; empty when an access stands in none.

    All of them where a function gets a part of it: accesses through that parameter are none of the group.
    """
    assert facts.ii is not None
    reported = {loop.loop for loop in facts.ii.loops}
    if any(g.faults for g in facts.analysis.groups if g.id == group):
        return reported
    loops: set[int] = set()
    for access in facts.analysis.accesses:
        if facts.analysis.group_of.get(access.array) == group:
            around = reported & set(access.loops)
            if not around:
                return set()
            loops |= around
    return loops


def _with_dims(validation: Validation, group: int, dims: tuple[DimPartition, ...]) -> Validation:
    changed: GroupPartition = replace(validation.groups[group], dims=dims)
    return replace(validation, groups={**validation.groups, group: changed})


def better_dimension(facts: Facts, loop: LoopResult, variable: Variable) -> tuple[Directive, int, int, int] | None:
    """(directive, its dimension, a better one, the II it gives) for an array with a partition of one dimension."""
    ident = facts.analysis.group_of.get(variable.id, -1)
    group = facts.validation.groups.get(ident)
    if facts.recheck is None or facts.ii is None or group is None or len(group.dims) != 1 or loop.ii is None:
        return None
    if _is_large(facts):
        return None
    old, best = group.dims[0], None
    for dim, extent in enumerate(variable.dims[:_MOST_RECHECKS], 1):
        factor = extent if old.type == "complete" else old.factor
        if dim == old.dim or extent is None or factor is None or factor > extent:
            continue
        moved = replace(old, dim=dim, factor=factor)
        after = facts.recheck(_with_dims(facts.validation, ident, (moved,)))
        ii = next((x.ii for x in after.loops if x.loop == loop.loop), None)
        known = {(x.function, x.loop): x.ii for x in after.loops}
        if any((known.get((x.function, x.loop)) or x.ii or 0) > (x.ii or 0) for x in facts.ii.loops if x.ii):
            continue  # another loop gets slower
        if ii is not None and ii < (loop.ii if best is None else best[1]):
            best = (dim, ii)
    if best is None:
        return None
    return group.requests[0].directive, old.dim, best[0], best[1]
