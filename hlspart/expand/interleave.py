"""Accumulators in turns: a sum that waits for its adder is taken in as many partials as the adder has states.

The loop keeps its form. Each update adds to the oldest partial, which then comes to the front of a shift register;
behind the loops that the tool makes one, as far as they sum up one element, the accumulator takes them all. What loops
inside add is summed up first, also where iterations add to several elements. Where the loop sets the accumulator, the
iterations since then are counted: partials of those before are no part of what is read. Only sums and products of
floating-point numbers, and only with consent: the result depends on the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hlspart.expand.accumulators import Accumulator, places
from hlspart.expand.partials import joined, rotation
from hlspart.expand.reductions import update_of
from hlspart.expand.region import Refusal, build
from hlspart.expand.running import names as occurrences
from hlspart.expand.texts import (
    Texts,
    as_many,
    block_of,
    braced,
    declared_in,
    in_front,
    indent_of,
    names_in,
    type_text,
)
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Block,
    Jump,
    Label,
    Loop,
    Program,
    Return,
    ScalarType,
    Stmt,
    walk_statements,
)
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects
from hlspart.semantics.named import assigns, mentions

MOST_MORE = 4  # numbers of partials that are tried


def split(program: Program, analysis: AccessAnalysis, chosen: Sequence[Accumulator]) -> dict[str, tuple[Edit, ...]]:
    """Edits that take the accumulators in turns; those whose text does not allow it keep theirs."""
    return as_many(program, chosen, partial(_edits, program, analysis))


def _edits(program: Program, analysis: AccessAnalysis, chosen: Sequence[Accumulator], buffer: EditBuffer) -> None:
    names = Names.of(program)
    for accumulator in chosen:
        loop, nest = accumulator.loop, accumulator.nest
        body = loop.body.body
        inside = [k for k, s in enumerate(body) if _takes_part(program, accumulator, s)]
        summed = body[inside[0] : inside[-1] + 1]
        _undisturbed(program, analysis, accumulator, summed)
        block = block_of(program, nest)
        if block is None or not nest.at.editable or nest.at.span.path not in program.given:
            raise Refusal("macro", f"the loop {nest.name} stands in no block", nest.at)
        updates = [(u.at, update_of(program, u, accumulator.variable)) for u in accumulator.updates]
        for at, one in updates:
            if not at.editable or one is None or one.target.at.kind != "plain":
                raise Refusal("macro", "a macro makes the update", at)
        given = [update for _, update in updates if update is not None]
        op = accumulator.op or given[0].op
        record, deep = program.variable(accumulator.variable), accumulator.partials
        kind, part = type_text(program, accumulator.variable), names.free(f"{record.name}_part")
        turn = names.free(f"{record.name}_turn") if deep > 1 else part
        noted = names.free(f"{record.name}_any") if accumulator.noted else ""
        identity = "1" if op == "*" else "0"
        before, after = _outside(program, accumulator)
        lines = [f"{kind} {part} = {identity};"]
        if deep > 1:
            first = ", ".join([*[identity] * (deep - 1), before or identity])
            lines = [f"{kind} {part}[{deep}] = {{{first}}};"]
            lines += [f"#pragma HLS ARRAY_PARTITION variable={part} type=complete dim=0"]
        lines += [f"int {noted} = 0;"] if noted else []
        texts = Texts(program, program.functions[loop.function].body)
        for at, _ in updates:
            text = texts.text(at.span, {}, {accumulator.variable: turn})
            buffer.replace(at, f"{noted} = 1, {text}" if noted else text)
        since = names.free(f"{record.name}_since") if accumulator.sets or accumulator.selected else ""
        terms = [f"{part}[{k}]" for k in range(deep)]
        terms = [f"({since} > {k} ? {x} : ({kind}) {identity})" for k, x in enumerate(terms)] if since else terms
        _set_or_read(program, accumulator, (turn, since), joined(op, [turn, *terms[:-1]]), buffer)
        oldest, moves = f"{kind} {turn} = {terms[-1]};", rotation(part, deep, turn)
        if since:
            lines += [f"int {since} = {deep};"]
            moves += [f"{since} += {since} < {deep};"]
        if accumulator.inside:
            oldest, moves = f"{kind} {turn} = {identity};", [f"{turn} {op}= {part}[{deep - 1}];", *moves]
        if deep > 1:
            around(program, loop, (summed[0], summed[-1]), oldest, moves, buffer)
        in_front(program, buffer, nest, lines)
        total = joined(op, terms) if deep > 1 else part
        pad = indent_of(program, nest.at)
        if before is None:
            test = f"if ({noted}) " if noted else ""
            behind = f"\n{pad}{test}{program.text(given[0].target.at)} {op}= {total};"
        else:
            behind = f"\n{pad}{before or record.name} = {total};" if after else ""
        buffer.insert(nest.at.span.path, nest.at.span.end, behind)
    braced(program, buffer, (accumulator.nest for accumulator in chosen))


def _set_or_read(
    program: Program, accumulator: Accumulator, names: tuple[str, str], total: str, buffer: EditBuffer
) -> None:
    """The text where the sum gets a value, in the partial whose turn it is, and where it is read.

    ``names``: of that partial, and of the iterations since then.
    """
    turn, since = names
    for stmt in (*accumulator.sets, *(stmt for stmt, _ in accumulator.selected)):
        if not stmt.at.editable:
            raise Refusal("macro", "a macro gives the sum a value", stmt.at)
    for stmt in accumulator.sets:
        if isinstance(stmt.expr, Assign):
            buffer.replace(stmt.at, f"{turn} = {program.text(stmt.expr.value.at)}, {since} = 0;")
    for stmt, other in accumulator.selected:
        buffer.replace(other.at, f"({since} = 0, {program.text(other.at)})")
        for name in occurrences(stmt.expr, accumulator.variable):
            buffer.replace(name.at, turn)
    for name in accumulator.reads:
        if not name.at.editable:
            raise Refusal("macro", "a macro reads the sum", name.at)
        buffer.replace(name.at, f"({total})")


def _takes_part(program: Program, accumulator: Accumulator, stmt: Stmt) -> bool:
    if accumulator.op:
        return mentions(program, stmt, accumulator.variable)
    return any(update in walk_statements(stmt) for update in accumulator.updates)


def _outside(program: Program, accumulator: Accumulator) -> tuple[str | None, bool]:
    """What the partials of a variable that is set or read start from, "" for nothing, and whether it has a use behind.

    Of others it is what they add to, None where that is to be named behind the loops alone.
    """
    nest, record = accumulator.nest, program.variable(accumulator.variable)
    if not accumulator.op:
        update = update_of(program, accumulator.updates[0], record.id)
        if update is None or accumulator.noted or accumulator.partials == 1:
            return None, True
        indices = update.target.indices if isinstance(update.target, ArrayRef) else ()
        moved = effects(program).modified(nest) | declared_in(nest)
        alike = moved.isdisjoint(v for index in indices for v in names_in(index))
        return (program.text(update.target.at) if alike else None), True
    body = program.functions[nest.function].body
    inside = nest.at.span
    outside = [x for x in places(program, body, record.id) if not inside.start <= x.start < inside.end]
    again = any(isinstance(s, Loop) and s is not nest and nest in walk_statements(s) for s in walk_statements(body))
    blocks = [s for s in walk_statements(body) if isinstance(s, Block) and nest in walk_statements(s)]
    given = any(assigns(s, record.id) and s.at.span.end <= inside.start for block in blocks for s in block.body)
    if record.init is not None or record.storage == "parameter" or given:
        return record.name, bool(outside) or again
    if again or any(x.start < inside.start for x in outside):
        raise Refusal("condition", f"{record.name} may have no value in front of the loop {nest.name}", nest.at)
    return "", bool(outside)


def _undisturbed(program: Program, analysis: AccessAnalysis, accumulator: Accumulator, summed: Sequence[Stmt]) -> None:
    """Raise unless nothing but the statements that sum up may reach the accumulator, in each iteration of its loops."""
    nest = accumulator.nest
    scalar = isinstance(program.variable(accumulator.variable).type, ScalarType)
    if scalar and accumulator.variable not in effects(program).addressed:
        _whole(nest, summed)
        return
    within = {id(s) for one in summed for s in walk_statements(one)}
    jumps = [s for s in walk_statements(nest) if isinstance(s, Jump) and id(s) not in within]
    build(program, analysis, nest.function, (nest.id,), counted=False, jumps=jumps)


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
