"""A loop that becomes the innermost one of its nest, so that a recurrence goes around another one.

``y[i] += a[i][j] * x[j]`` waits for its adder in every iteration of j. With i inside, iterations that follow each other
add to different elements. Each element takes its terms in the same order as before, so that floats keep their value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.expand.kept import is_known_ahead
from hlspart.expand.region import Refusal, first_value
from hlspart.expand.texts import names_in
from hlspart.model.access import AccessAnalysis, LoopInfo
from hlspart.model.program import (
    Block,
    Const,
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
    walk_statements,
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
    """Loops, outermost first, each of which holds nothing but the next one; the first is to become the last."""

    loops: tuple[Loop, ...]

    @property
    def outer(self) -> Loop:
        """The loop that moves."""
        return self.loops[0]

    @property
    def inner(self) -> Loop:
        """The loop whose body runs in another order."""
        return self.loops[-1]


def pairs(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[NestedLoops, ...]:
    """Loops that miss their II by a recurrence with those around them that may become the innermost, nearest first."""
    nests: list[NestedLoops] = []
    for result in figures.loops:
        if result.misses and result.loop >= 0 and any(x.kind == "recurrence" for x in result.limits):
            for inner in innermost(program, result):
                nests += (n for n in _around(program, inner) if _legal(program, analysis, n))
    return tuple(dict.fromkeys(nests))


def crossed(program: Program, analysis: AccessAnalysis, figures: IIResult) -> Iterator[NestedLoops]:
    """Loops that miss their II by ports with one inside that they unroll: its iterations and theirs may change places.

    Two nests that go through one array along different dimensions then take the same elements in an iteration.
    """
    for result in figures.loops:
        if result.misses and result.loop >= 0 and any(x.kind == "memory-port" for x in result.limits):
            inner = _only_statement(program.loops[result.loop])
            if isinstance(inner, Loop):
                nest = NestedLoops((program.loops[result.loop], inner))
                if _holds_no_other(nest) and _legal(program, analysis, nest):
                    yield nest


def _holds_no_other(nest: NestedLoops) -> bool:
    """Whether the loop inside holds no other one."""
    return not any(isinstance(s, Loop) for s in walk_statements(nest.inner.body))


def _around(program: Program, inner: Loop) -> Iterator[NestedLoops]:
    """The nests that a loop ends and that hold nothing else, smallest first."""
    loops: tuple[Loop, ...] = (inner,)
    while (outer := next((x for x in program.loops.values() if _only_statement(x) is loops[0]), None)) is not None:
        loops = (outer, *loops)
        yield NestedLoops(loops)


def alternatives(nests: Sequence[NestedLoops]) -> Iterator[tuple[NestedLoops, ...]]:
    """Choices of one nest for each body: all the nearest ones, then the next ones."""
    of = {n.inner.id: [x for x in nests if x.inner is n.inner] for n in nests}
    for k in range(max(map(len, of.values()), default=0)):
        yield tuple(each[min(k, len(each) - 1)] for each in of.values())


def interchanged(program: Program, chosen: Sequence[NestedLoops]) -> dict[str, tuple[Edit, ...]]:
    """Edits that give each loop the header of the next one inside, and the last that of the first."""
    given = program.given
    buffer = EditBuffer(program.sources, given)
    for nest in chosen:
        try:
            for loop, new in zip(nest.loops, (*nest.loops[1:], nest.outer), strict=True):
                buffer.replace(loop.header, program.text(new.header))
        except Conflict:
            return {}
    return {path: edits for path in sorted(given) if path in program.sources and (edits := buffer.edits(path))}


def _only_statement(loop: Loop) -> Stmt | None:
    """The one statement in the body of a loop."""
    body = [s for s in loop.body.body if not isinstance(s, PragmaMark)]
    return body[0] if len(body) == 1 else None


def _legal(program: Program, analysis: AccessAnalysis, nest: NestedLoops) -> bool:
    inner, counters, iterators, rising = nest.inner, list[int](), list[str](), list[bool]()
    for loop in nest.loops:
        info, header = analysis.loops.get(loop.id), loop.header
        if info is None or info.variable is None or info.iterator is None or info.exits:
            return False
        if not info.trip_count.min and not (isinstance(loop.init, Declare) and _stays(program, loop, info, inner)):
            return False
        if loop.kind != "for" or header.kind != "plain" or not header.editable:
            return False
        declared = set(loop.init.variables) if isinstance(loop.init, Declare) else {info.variable}
        if declared != {info.variable}:
            return False
        counters.append(info.variable)
        iterators.append(info.iterator)
        rising.append((info.step or 1) > 0)
    names = {program.variable(v).name for v in counters}
    ids = {loop.id for loop in nest.loops}
    fixed = not any(d.loop in ids and d.kind not in _MOVABLE for d in program.directives)
    if len(names) < len(nest.loops) or not fixed or any(counters[0] in _names(program, x) for x in nest.loops[1:]):
        return False
    try:
        refuse_hidden_order(program, inner.body, _made_anew(program, inner.function, inner))
    except Unprintable:
        return False
    mine = [a for a in analysis.accesses if inner.id in a.loops]
    return not any(program.variable(a.array).volatile for a in mine) and not any(
        is_crossed(write, other, iterators, rising)
        for write in mine if write.kind == "write"
        for other in mine if other.array == write.array
    )  # fmt: skip


def _stays(program: Program, loop: Loop, info: LoopInfo, inner: Loop) -> bool:
    """Whether a loop that may run no iteration has the same ones wherever it stands in a nest."""
    try:
        first = first_value(program, loop)
    except Refusal:
        return False
    plain = all(isinstance(e, Name | Const) for e in walk(first))
    return plain and is_known_ahead(program, loop, info) and not names_in(first) & effects(program).modified(inner)


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
