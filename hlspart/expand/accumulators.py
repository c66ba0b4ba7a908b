"""Sums that hold up a pipeline, and whether another order of their terms would not: what :mod:`interleave` writes.

Only sums and products of floating-point numbers, and only with consent: the result depends on the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from msgspec import Struct

from hlspart.expand.purity import used_by_calls
from hlspart.expand.reductions import Update, guarded_updates, update_of
from hlspart.expand.running import sum_uses
from hlspart.expand.texts import declared_in, names_in
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Block,
    Const,
    Expr,
    ExprStmt,
    Jump,
    Loop,
    Name,
    Program,
    ScalarType,
    Stmt,
    is_same,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Span
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.semantics.named import assigns, mentions

MOST_PARTIALS = 64


class Accumulator(Struct, frozen=True):
    """A variable, or an element, whose updates in ``loop`` hold up its pipeline, and the partials that would not.

    All ``updates`` of an iteration are of one partial, one behind the other or in arms that exclude each other;
    ``inside``: some stand in loops inside, so that the iteration has a sum of its own, which the partial takes.
    ``nest``: the outermost of the loops that the tool makes one in which it is the same element. With one partial the
    loop is one inside of an iteration, which sums up first what it adds. ``noted``: it is an element that no run need
    touch, so that the loops note whether they do. ``op`` of one that is set or read as well, see
    :class:`SumUses`.
    """

    loop: Loop
    nest: Loop
    variable: int
    partials: int
    updates: tuple[ExprStmt, ...]
    inside: bool = False
    noted: bool = False
    op: str = ""
    sets: tuple[ExprStmt, ...] = ()
    selected: tuple[tuple[ExprStmt, Expr], ...] = ()
    reads: tuple[Name, ...] = ()


def accumulators(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[Accumulator, ...]:
    """Those of all loops that miss their II by recurrences through floating-point sums and products."""
    sums: list[Accumulator] = []
    for result in figures.loops:
        if result.misses and result.loop >= 0:
            for loop in innermost(program, result):
                partials = list(_of_loop(program, analysis, result, loop))
                sums += partials or _of_loops_inside(program, analysis, result, loop)
    return tuple(sums)


def slowest(figures: IIResult, aimed: bool = False) -> int:
    """The sum of the II of all pipelined loops, or of those that they aim at."""
    return sum((x.aim or 1) if aimed else x.least for x in figures.loops if x.pipelined)


def at_most(figures: IIResult) -> int:
    """The sum of the II of all pipelined loops, of each the most that it may be."""
    return sum(x.ii or (x.bounds[1] if x.bounds else 0) for x in figures.loops if x.pipelined)


def innermost(program: Program, result: LoopResult) -> Iterator[Loop]:
    """The loop whose body is pipelined."""
    name = result.flattened[-1] if result.flattened else result.name
    outer = program.loops[result.loop]
    inside = (s for s in walk_statements(outer) if isinstance(s, Loop) and s.name == name)
    yield next(inside, outer)


def _of_loop(program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop) -> Iterator[Accumulator]:
    """All sums of the loop: of recurrences that are as long only the first one is a limit."""
    aim, states = result.aim or 1, longest_recurrence(result)
    sums = list[Accumulator]()
    for variable in _own_variables(program, loop) if states > aim else ():
        nests = ((nest, _updates(program, analysis, nest, variable)) for nest in made_one(program, result, loop))
        nest, targets = next((x for x in nests if x[1]), (loop, []))
        for updates in targets:
            times = _times(analysis, loop, updates)
            partials = max(-(-states // (aim * (times or 1))), 2)
            noted = not _is_sure(program, analysis, nest, variable, updates)
            sums.append(Accumulator(loop, nest, variable, partials, updates, times is not None, noted))
        sums += () if targets else _running(program, result, loop, variable, max(-(-states // aim), 2))
    yield from _recurring(program, analysis, result, [x for x in sums if x.partials <= MOST_PARTIALS])


def _running(program: Program, result: LoopResult, loop: Loop, variable: int, partials: int) -> Iterator[Accumulator]:
    """A variable that the loop sets or reads as well."""
    record, uses = program.variable(variable), sum_uses(program, loop.body, variable)
    plain = record.storage in ("local", "parameter") and not (record.reference or record.volatile)
    if uses is None or not plain or variable in effects(program).addressed:
        return
    nests = [x for x in made_one(program, result, loop) if variable not in declared_in(x)]
    inside = set(places(program, loop.body, variable))
    updates = tuple(stmt for stmt, _ in uses.updates)
    if len(uses.ops) == 1 and all(_of_floats(u) for _, u in uses.updates):
        for nest in nests[:1] if nests and inside == set(places(program, nests[0], variable)) else ():
            (op,), given = uses.ops, (uses.sets, uses.selected, uses.reads)
            yield Accumulator(loop, nest, variable, partials, updates, False, False, op, *given)


def places(program: Program, root: Stmt, variable: int) -> list[Span]:
    """Where a variable is named."""
    roots = statement_expressions(program, root)
    return [e.at.span for x in roots for e in walk(x) if isinstance(e, Name) and e.variable == variable]


def _of_loops_inside(
    program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop
) -> Iterator[Accumulator]:
    """Sums of loops inside an iteration, which adds to several elements: the outermost ones that keep theirs."""
    sums = list[Accumulator]()
    inside = (
        [s for s in walk_statements(loop.body) if isinstance(s, Loop)]
        if longest_recurrence(result) > (result.aim or 1)
        else []
    )
    for variable in _own_variables(program, loop):
        within = set[int]()
        for inner in inside:
            targets = _updates(program, analysis, inner, variable) if inner.id not in within else []
            for updates in targets:
                within |= {s.id for s in walk_statements(inner.body) if isinstance(s, Loop)}
                noted = not _is_sure(program, analysis, inner, variable, updates)
                sums.append(Accumulator(inner, inner, variable, 1, updates, False, noted))
    yield from _recurring(program, analysis, result, sums)


def _recurring(
    program: Program, analysis: AccessAnalysis, result: LoopResult, sums: Sequence[Accumulator]
) -> Sequence[Accumulator]:
    """All of them if the limit of the loop is one of them."""
    names = {x.variable for x in result.limits if x.kind == "recurrence" and x.ii > (result.aim or 1)}
    return sums if any(not names.isdisjoint(_names(program, analysis, x)) for x in sums) else ()


def longest_recurrence(result: LoopResult) -> int:
    """Of the longest recurrence that keeps a loop from its II."""
    return max((x.ii for x in result.limits if x.kind == "recurrence"), default=0)


def _own_variables(program: Program, loop: Loop) -> Iterator[int]:
    return (v.id for v in program.variables if v.function in (loop.function, None))


def made_one(program: Program, result: LoopResult, loop: Loop) -> list[Loop]:
    """The loops that the tool makes one with ``loop``, outermost first, itself last."""
    loops = (s for s in walk_statements(program.functions[loop.function].body) if isinstance(s, Loop))
    around = [x for x in loops if x is loop or any(s is loop for s in walk_statements(x.body))]
    return around[-max(1, len(result.flattened)) :]


def _names(program: Program, analysis: AccessAnalysis, of: Accumulator) -> set[str]:
    """The name of what is summed up, and that of the array that it is a pointer into."""
    targets = {t.id for u in of.updates for t in walk(u.expr) if isinstance(t, ArrayRef) and t.variable == of.variable}
    arrays = {a.array for a in analysis.accesses if a.ref in targets}
    return {program.variable(v).name for v in (of.variable, *arrays)}


def _is_sure(
    program: Program, analysis: AccessAnalysis, loop: Loop, variable: int, updates: Sequence[ExprStmt]
) -> bool:
    """Whether one more update may stand behind the loop: of a variable, or of an element that it surely touches."""
    if isinstance(program.variable(variable).type, ScalarType):
        return True
    jumps = [s.at.span.start for s in walk_statements(loop) if isinstance(s, Jump)]
    return any(_runs(analysis, loop, u.at.span) and all(u.at.span.end <= x for x in jumps) for u in updates)


def _runs(analysis: AccessAnalysis, stmt: Stmt, at: Span) -> bool:
    """Whether what stands at a place runs whenever the statement around it does."""
    if isinstance(stmt, Block):
        return any(_runs(analysis, s, at) for s in stmt.body)
    if isinstance(stmt, Loop):
        return bool(analysis.loops[stmt.id].trip_count.min) and _runs(analysis, stmt.body, at)
    own = stmt.at.span
    return isinstance(stmt, ExprStmt) and own.start <= at.start and at.end <= own.end


def _times(analysis: AccessAnalysis, loop: Loop, updates: Sequence[ExprStmt]) -> int | None:
    """How often an iteration runs its updates, at most; None where none of them stands in a loop inside."""
    times = dict.fromkeys((id(u) for u in updates), 1)
    within = False
    for inner in (s for s in walk_statements(loop.body) if isinstance(s, Loop)):
        for stmt in walk_statements(inner.body):
            if id(stmt) in times:
                within = True
                times[id(stmt)] *= analysis.loops[inner.id].trip_count.max or 1
    return sum(times.values()) if within else None


def _updates(program: Program, analysis: AccessAnalysis, loop: Loop, variable: int) -> list[tuple[ExprStmt, ...]]:
    """The updates of the variable in a loop, by the element that they are of; none where it is used in another way."""
    record = program.variable(variable)
    group = [e for e in (loop.test, loop.step) if e is not None]
    if any(isinstance(n, Name) and n.variable == variable for e in group for n in walk(e)):
        return []
    updates = guarded_updates(program, loop.body, variable, inside=True)
    own = declared_in(loop)
    if not updates or variable in own or record.volatile:
        return []
    if any(u.others or not _of_floats(u) for u in updates):
        return []
    pairs = [(u, v) for k, u in enumerate(updates) for v in updates[:k]]
    alike = [is_same(u.target, v.target) for u, v in pairs]
    if any(
        u.op != v.op if one else not _is_apart(u.target, v.target) for one, (u, v) in zip(alike, pairs, strict=True)
    ):
        return []
    if isinstance(updates[0].target, Name) and (record.storage not in ("local", "parameter") or record.reference):
        return []
    stored = {a.array for a in analysis.accesses if loop.id in a.loops and a.kind == "write"}
    moving = effects(program).modified(loop) | stored
    elsewhere = used_by_calls(program, analysis, loop)
    for target in (u.target for u in updates if isinstance(u.target, ArrayRef)):
        if target.variable in elsewhere:
            return []
        named = {v for index in target.indices for v in names_in(index)}
        if named & own or (named & moving and not _is_one_element(program, analysis, loop, target, named & moving)):
            return []
    stmts = [s for s in walk_statements(loop.body) if isinstance(s, ExprStmt) and mentions(program, s, variable)]
    targets: list[tuple[Name | ArrayRef, list[ExprStmt]]] = []
    for stmt in stmts:
        update = update_of(program, stmt, variable)
        if update is None:
            return []
        of = next((group for target, group in targets if is_same(target, update.target)), None)
        if of is None:
            targets.append((update.target, [stmt]))
        else:
            of.append(stmt)
    return [tuple(group) for _, group in targets]


def _is_one_element(program: Program, analysis: AccessAnalysis, loop: Loop, target: ArrayRef, moving: Set[int]) -> bool:
    """Whether all iterations of a loop touch one element, which its subscripts still name behind the loop.

    What moves in them is given its values in the loop's own block, in front of the update, which the last iteration
    has as well: ``j = 4 * b + c;``.
    """
    if not _runs(analysis, loop.body, target.at.span):
        return False
    within = {s.id for s in walk_statements(loop) if isinstance(s, Loop)}
    counted = {analysis.loops[x].iterator for x in within}
    mine = [a for a in analysis.accesses if a.ref == target.id]
    forms = [form for a in mine for form in a.index or (None,)]
    if not forms or any(form is None or not counted.isdisjoint(form.names) for form in forms):
        return False
    known, given = effects(program), set[int]()
    later = known.modified(loop) - known.modified(loop.body)
    for stmt in loop.body.body:
        if isinstance(stmt, ExprStmt) and stmt.at.span.end <= target.at.span.start:
            given |= {v for v in moving if assigns(stmt, v)}
        else:
            later |= known.modified(stmt)
    return moving <= given and moving.isdisjoint(later)


def _of_floats(update: Update) -> bool:
    kind = update.target.type
    return isinstance(kind, ScalarType) and kind.kind == "float" and update.op in ("+", "*")


def _is_apart(one: Name | ArrayRef, other: Name | ArrayRef) -> bool:
    """Whether two elements of an array are certainly different: a subscript of each is another number."""
    if not (isinstance(one, ArrayRef) and isinstance(other, ArrayRef)):
        return False
    pairs = zip(one.indices, other.indices, strict=False)
    return any(isinstance(a, Const) and isinstance(b, Const) and a.value != b.value for a, b in pairs)
