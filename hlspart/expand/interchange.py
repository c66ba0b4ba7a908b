"""Two loops that change places, so that a recurrence goes around the outer one.

``y[i] += a[i][j] * x[j]`` waits for its adder in every iteration of j. With i inside, iterations that follow each other
add to different elements. Each element takes its terms in the same order as before, so that floats keep their value.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    Block,
    Declare,
    Loop,
    Name,
    PragmaMark,
    Program,
    ScalarType,
    Stmt,
    expressions,
    substatements,
    walk,
)  # fmt: skip
from hlspart.model.results import IIResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.semantics.effects import effects
from hlspart.semantics.named import assigns, mentions, occurs
from hlspart.sets.reorder import is_crossed
from hlspart.transform.copying import all_expressions
from hlspart.transform.printer import Unprintable
from hlspart.transform.reverse import refuse_hidden_order

_MOVABLE = frozenset({"pipeline", "loop_flatten"})  # directives that hold for any loop at that depth


class NestedLoops(Struct, frozen=True):
    """A loop that holds nothing but another one."""

    outer: Loop
    inner: Loop


def pairs(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[NestedLoops, ...]:
    """Loops that miss their II by a recurrence, each with the one around it, that may change places."""
    nests: list[NestedLoops] = []
    for result in figures.loops:
        if result.misses and result.loop >= 0 and any(x.kind == "recurrence" for x in result.limits):
            for inner in innermost(program, result):
                outer = next((x for x in program.loops.values() if _only_statement(x) is inner), None)
                if outer is not None and _legal(program, analysis, NestedLoops(outer, inner)):
                    nests.append(NestedLoops(outer, inner))
    return tuple(dict.fromkeys(nests))


def interchanged(program: Program, chosen: Sequence[NestedLoops]) -> dict[str, tuple[Edit, ...]]:
    """Edits that swap the headers of loops."""
    given = program.given
    buffer = EditBuffer(program.sources, given)
    for pair in chosen:
        try:
            buffer.replace(pair.outer.header, program.text(pair.inner.header))
            buffer.replace(pair.inner.header, program.text(pair.outer.header))
        except Conflict:
            return {}
    return {path: edits for path in sorted(given) if path in program.sources and (edits := buffer.edits(path))}


def _only_statement(loop: Loop) -> Stmt | None:
    """The one statement in the body of a loop."""
    body = [s for s in loop.body.body if not isinstance(s, PragmaMark)]
    return body[0] if len(body) == 1 else None


def _legal(program: Program, analysis: AccessAnalysis, pair: NestedLoops) -> bool:
    outer, inner = pair.outer, pair.inner
    infos = [analysis.loops.get(x.id) for x in (outer, inner)]
    counters = set[int]()
    for loop, info in zip((outer, inner), infos, strict=True):
        counted = info is not None and info.variable is not None and not info.exits and bool(info.trip_count.min)
        header = loop.header
        if not counted or loop.kind != "for" or header.kind != "plain" or not header.editable:
            return False
        assert info is not None and info.variable is not None
        counters.add(info.variable)
        declared = set(loop.init.variables) if isinstance(loop.init, Declare) else {info.variable}
        if declared != {info.variable}:
            return False
    names = {program.variable(v).name for v in counters}
    fixed = not any(d.loop in (outer.id, inner.id) and d.kind not in _MOVABLE for d in program.directives)
    if len(names) < 2 or not fixed or _names(program, inner) & {infos[0].variable if infos[0] else None}:
        return False
    try:
        refuse_hidden_order(program, inner.body, _made_anew(program, outer.function, inner))
    except Unprintable:
        return False
    mine = [a for a in analysis.accesses if inner.id in a.loops]
    if any(program.variable(a.array).volatile for a in mine):
        return False
    (first, rises), (second, climbs) = ((i.iterator, (i.step or 1) > 0) if i else (None, True) for i in infos)
    return first is not None and second is not None and not any(
        is_crossed(write, other, first, second, opposed=rises != climbs)
        for write in mine if write.kind == "write"
        for other in mine if other.array == write.array
    )  # fmt: skip


def _made_anew(program: Program, function: str, loop: Loop) -> frozenset[int]:
    """Scalars of a function that each iteration of a loop writes first, and that nothing else reads as it left them."""
    known, variables = effects(program), set[int]()
    for ident in known.modified(loop.body):
        variable = program.variable(ident)
        plain = variable.storage == "local" and isinstance(variable.type, ScalarType) and not variable.volatile
        if not plain or ident in known.addressed or not _is_written_first(program, loop.body, ident):
            continue
        if not _is_read_as_left(program, program.functions[function].body, loop, ident):
            variables.add(ident)
    return frozenset(variables)


def _is_written_first(program: Program, body: Block, ident: int) -> bool:
    """Whether a block gives a variable a value before all else that it does with it."""
    for stmt in body.body:
        if isinstance(stmt, Loop) and assigns(stmt.init, ident):
            return True
        if mentions(program, stmt, ident):
            return assigns(stmt, ident)
    return False


def _is_read_as_left(program: Program, stmt: Stmt, loop: Loop, ident: int) -> bool:
    """Whether a variable is named outside of ``loop`` and of loops that count with it."""
    if stmt is loop or (isinstance(stmt, Loop) and assigns(stmt.init, ident)):
        return False
    inner = substatements(stmt)
    if not inner:
        return mentions(program, stmt, ident)
    return any(occurs(root, ident) for root in expressions(stmt)) or any(
        _is_read_as_left(program, s, loop, ident) for s in inner
    )


def _names(program: Program, loop: Loop) -> set[int | None]:
    """Variables in the header of a loop."""
    expressions = [e for e in (loop.test, loop.step) if e is not None]
    names: set[int | None] = {n.variable for e in expressions for n in walk(e) if isinstance(n, Name)}
    if loop.init is not None:
        names |= {n.variable for n in all_expressions(program, loop.init) if isinstance(n, Name)}
    return names
