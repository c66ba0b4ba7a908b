"""Accumulators in turns: a sum that waits for its adder is taken in as many partials as the adder has states.

The loop keeps its form. Each update adds to the oldest partial, which then comes to the front of a shift register;
behind the loops that the tool makes one, as far as they sum up one element, the accumulator takes them all. What loops
inside add is summed up first, also where iterations add to several elements. Only sums and products of floating-point
numbers, and only with consent: the result depends on the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import partial

from msgspec import Struct

from hlspart.expand.partials import rotation
from hlspart.expand.reductions import Update, guarded_updates, update_of
from hlspart.expand.region import Refusal, build
from hlspart.expand.texts import Texts, as_many, block_of, braced, declared_in, in_front, indent_of, names_in, type_text
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Block,
    Const,
    ExprStmt,
    Jump,
    Label,
    Loop,
    Name,
    Program,
    Return,
    ScalarType,
    Stmt,
    is_same,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects
from hlspart.semantics.named import assigns, mentions

MOST_PARTIALS = 64
MOST_MORE = 4  # numbers of partials that are tried


class Accumulator(Struct, frozen=True):
    """A variable, or an element, whose updates in ``loop`` hold up its pipeline, and the partials that would not.

    All ``updates`` of an iteration are of one partial, one behind the other or in arms that exclude each other;
    ``inside``: some stand in loops inside, so that the iteration has a sum of its own, which the partial takes.
    ``nest``: the outermost of the loops that the tool makes one in which it is the same element. With one partial the
    loop is one inside of an iteration, which sums up first what it adds. ``noted``: it is an element that no run need
    touch, so that the loops note whether they do.
    """

    loop: Loop
    nest: Loop
    variable: int
    partials: int
    updates: tuple[ExprStmt, ...]
    inside: bool = False
    noted: bool = False


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


def innermost(program: Program, result: LoopResult) -> Iterator[Loop]:
    """The loop whose body is pipelined."""
    name = result.flattened[-1] if result.flattened else result.name
    outer = program.loops[result.loop]
    inside = (s for s in walk_statements(outer) if isinstance(s, Loop) and s.name == name)
    yield next(inside, outer)


def _of_loop(program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop) -> Iterator[Accumulator]:
    """All sums of the loop: of recurrences that are as long only the first one is a limit."""
    aim, states = result.aim or 1, _states(result)
    sums = list[Accumulator]()
    for variable in _own_variables(program, loop) if states > aim else ():
        nests = ((nest, _updates(program, analysis, nest, variable)) for nest in _made_one(program, result, loop))
        nest, targets = next((x for x in nests if x[1]), (loop, []))
        for updates in targets:
            times = _times(analysis, loop, updates)
            partials = max(-(-states // (aim * (times or 1))), 2)
            noted = not _is_sure(program, analysis, nest, variable, updates)
            sums.append(Accumulator(loop, nest, variable, partials, updates, times is not None, noted))
    yield from _recurring(program, analysis, result, [x for x in sums if x.partials <= MOST_PARTIALS])


def _of_loops_inside(
    program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop
) -> Iterator[Accumulator]:
    """Sums of loops inside an iteration, which adds to several elements: the outermost ones that keep theirs."""
    sums = list[Accumulator]()
    inside = (
        [s for s in walk_statements(loop.body) if isinstance(s, Loop)] if _states(result) > (result.aim or 1) else []
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


def _states(result: LoopResult) -> int:
    """Of the longest recurrence that keeps a loop from its II."""
    return max((x.ii for x in result.limits if x.kind == "recurrence"), default=0)


def _own_variables(program: Program, loop: Loop) -> Iterator[int]:
    return (v.id for v in program.variables if v.function in (loop.function, None))


def _made_one(program: Program, result: LoopResult, loop: Loop) -> list[Loop]:
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

    def runs(stmt: Stmt) -> bool:
        match stmt:
            case Block():
                return any(map(runs, stmt.body))
            case Loop():
                return bool(analysis.loops[stmt.id].trip_count.min) and runs(stmt.body)
        return any(stmt is u for u in updates)

    return runs(loop)


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
    for target in (u.target for u in updates if isinstance(u.target, ArrayRef)):
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

    What moves in them is given its values in the loop's own block, in front of the update: ``j = 4 * b + c;``.
    """
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


def split(program: Program, analysis: AccessAnalysis, chosen: Sequence[Accumulator]) -> dict[str, tuple[Edit, ...]]:
    """Edits that take the accumulators in turns; those whose text does not allow it keep theirs."""
    return as_many(program, chosen, partial(_edits, program, analysis))


def _edits(program: Program, analysis: AccessAnalysis, chosen: Sequence[Accumulator], buffer: EditBuffer) -> None:
    names = Names.of(program)
    for accumulator in chosen:
        loop, nest = accumulator.loop, accumulator.nest
        body = loop.body.body
        inside = [k for k, s in enumerate(body) if any(u in walk_statements(s) for u in accumulator.updates)]
        summed = body[inside[0] : inside[-1] + 1]
        scalar = isinstance(program.variable(accumulator.variable).type, ScalarType)
        if scalar and accumulator.variable not in effects(program).addressed:
            _whole(nest, summed)
        else:
            build(program, analysis, loop.function, (nest.id,), counted=False)
        block = block_of(program, nest)
        if block is None or not nest.at.editable or nest.at.span.path not in program.given:
            raise Refusal("macro", f"the loop {nest.name} stands in no block", nest.at)
        updates = [(u.at, update_of(program, u, accumulator.variable)) for u in accumulator.updates]
        for at, one in updates:
            if not at.editable or one is None or one.target.at.kind != "plain":
                raise Refusal("macro", "a macro makes the update", at)
        update = updates[0][1]
        assert update is not None
        record, deep = program.variable(accumulator.variable), accumulator.partials
        kind, partial = type_text(program, accumulator.variable), names.free(f"{record.name}_part")
        turn = names.free(f"{record.name}_turn") if deep > 1 else partial
        noted = names.free(f"{record.name}_any") if accumulator.noted else ""
        identity = "1" if update.op == "*" else "0"
        lines = [f"{kind} {partial} = {identity};"]
        if deep > 1:
            first = ", ".join([identity] * deep)
            lines = [f"{kind} {partial}[{deep}] = {{{first}}};"]
            lines += [f"#pragma HLS ARRAY_PARTITION variable={partial} type=complete dim=0"]
        in_front(program, buffer, nest, [*lines, *([f"int {noted} = 0;"] if noted else [])])
        texts = Texts(program, program.functions[loop.function].body)
        for at, _ in updates:
            text = texts.text(at.span, {}, {accumulator.variable: turn})
            buffer.replace(at, f"{noted} = 1, {text}" if noted else text)
        oldest, moves = f"{kind} {turn} = {partial}[{deep - 1}];", rotation(partial, deep, turn)
        if accumulator.inside:
            oldest, moves = f"{kind} {turn} = {identity};", [f"{turn} {update.op}= {partial}[{deep - 1}];", *moves]
        if deep > 1:
            around(program, loop, (summed[0], summed[-1]), oldest, moves, buffer)
        total = f" {update.op} ".join(f"{partial}[{k}]" for k in range(deep)) if deep > 1 else partial
        pad = indent_of(program, nest.at)
        test = f"if ({noted}) " if noted else ""
        behind = f"\n{pad}{test}{program.text(update.target.at)} {update.op}= {total};"
        buffer.insert(nest.at.span.path, nest.at.span.end, behind)

    braced(program, buffer, (accumulator.nest for accumulator in chosen))


def _whole(loop: Loop, around: Sequence[Stmt]) -> None:
    """Raise unless the loop is left at its end, by a break or not at all, and ``around`` runs to its own end.

    That is all to be known where nothing but its name reaches the accumulator: iterations keep their order, and
    everything else its place.
    """
    for stmt in walk_statements(loop):
        if isinstance(stmt, Return | Label) or (isinstance(stmt, Jump) and stmt.kind == "goto"):
            raise Refusal("exit", f"the loop {loop.name} is left or entered by a jump", stmt.at)
    for stmt in (s for one in around for s in walk_statements(one)):
        if isinstance(stmt, Jump):
            raise Refusal("exit", f"a {stmt.kind} stands beside the sum", stmt.at)


def around(
    program: Program, loop: Loop, ends: tuple[Stmt, Stmt], first: str, last: Sequence[str], buffer: EditBuffer
) -> None:
    """Lines in front of and behind statements of a loop's body, conditions and all: every iteration runs them."""
    path, text = loop.at.span.path, program.sources[loop.at.span.path].text
    pad, start = indent_of(program, ends[0].at), ends[0].at.span.start
    line = text.rfind("\n", 0, start) + 1
    outer = indent_of(program, loop.at)
    behind = "".join(f"\n{pad}{x}" for x in last)
    heads = loop.kind != "do"  # whose header stands in front of the body
    if not loop.body.braces:
        behind += f"\n{outer}}}"
        if heads:
            buffer.insert(path, loop.header.span.end, " {")
        else:
            first = f"{{ {first}"
    if heads and line > loop.header.span.end and not text[line:start].strip():
        buffer.insert(path, program.sources[path].above(line), f"\n{pad}{first}")
    else:
        buffer.insert(path, start, f"{first} ")
    buffer.insert(path, ends[1].at.span.end, behind)
