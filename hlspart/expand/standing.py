"""An element that stays the same while a loop runs, in a variable for that time: ``x[i] -= l[i][j] * x[j]``.

The tool keeps it in a register itself unless the loop touches other elements, which it cannot tell apart. The element
takes the same operations in the same order, and goes back to its array behind the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.expand.ahead import is_inside
from hlspart.expand.purity import used_by_calls
from hlspart.expand.region import Refusal
from hlspart.expand.scalars import certain_references, subscript_names
from hlspart.expand.texts import as_many, block_of, braced, declared_in, in_front, indent_of, type_text
from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Call,
    IncDec,
    Jump,
    Loop,
    Program,
    ScalarType,
    is_same,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.sets.reorder import may_meet


class StandingElement(Struct, frozen=True):
    """The references to one element in a loop that stores it, all by one text."""

    loop: Loop
    refs: tuple[ArrayRef, ...]


def standing(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[StandingElement, ...]:
    """Those of loops that a recurrence or ports keep from their II."""
    chosen: list[StandingElement] = []
    for result in figures.loops:
        kinds = {x.kind for x in result.limits}
        if result.misses and result.loop >= 0 and kinds & {"recurrence", "memory-port", "schedule"}:
            for loop in innermost(program, result):
                chosen += _of_loop(program, analysis, loop)
    return tuple(dict.fromkeys(chosen))


def held_in_variables(program: Program, chosen: Sequence[StandingElement]) -> dict[str, tuple[Edit, ...]]:
    """Edits that keep the elements in variables while their loops run."""
    return as_many(program, chosen, partial(_edits, program))


def _of_loop(program: Program, analysis: AccessAnalysis, loop: Loop) -> Iterator[StandingElement]:
    info = analysis.loops[loop.id]
    ends_early = any(isinstance(s, Jump) for s in walk_statements(loop.body))
    if loop.kind != "for" or info.iterator is None or info.variable is None or info.exits or ends_early:
        return
    inside = [a for a in analysis.accesses if loop.id in a.loops]
    roots = list(statement_expressions(program, loop.body))
    refs = {e.id: e for root in roots for e in walk(root) if isinstance(e, ArrayRef)}
    elsewhere = used_by_calls(program, analysis, loop)
    faulty = {g.id for g in analysis.groups if any(fault.code != "unknown-extent" for fault in g.faults)}
    certain = {r for s in loop.body.body for r in certain_references(program, s)}
    moved = effects(program).modified(loop) | declared_in(loop) | {info.variable}
    for array in dict.fromkeys(a.array for a in inside if a.kind == "write"):
        variable = program.variable(array)
        kind = getattr(variable.type, "element", getattr(variable.type, "target", None))
        group = analysis.group_of.get(array)
        names = [a for a in inside if analysis.group_of.get(a.array) == group]
        if variable.volatile or not isinstance(kind, ScalarType) or any(a.array != array for a in names):
            continue
        if array in elsewhere or group in faulty or not all(a.ref in refs for a in names):
            continue
        lead = next((refs[a.ref] for a in names if a.kind == "write" and _stays(refs[a.ref], moved)), None)
        if lead is None:
            continue
        own = [a for a in names if is_same(refs[a.ref], lead)]
        others = [a for a in names if not is_same(refs[a.ref], lead)]
        there = any(a.ref in certain for a in own) and (info.trip_count.min or 0) > 0
        outside = [analysis.loops[x] for x in own[0].loops[: own[0].loops.index(loop.id)]]
        if not there and not is_inside(program, outside, lead, own[0]):
            continue
        if all(_is_apart(a, b, info.iterator) for a in own for b in others):
            yield StandingElement(loop, tuple({a.ref: refs[a.ref] for a in own}.values()))


def _stays(ref: ArrayRef, moved: frozenset[int]) -> bool:
    """Whether the subscripts of a reference name one element all the time."""
    plain = all(not isinstance(e, Assign | IncDec | Call | ArrayRef) for index in ref.indices for e in walk(index))
    return plain and not subscript_names(ref) & moved


def _is_apart(one: Access, other: Access, iterator: str) -> bool:
    return not may_meet(one, other, iterator)


def _edits(program: Program, chosen: Sequence[StandingElement], buffer: EditBuffer) -> None:
    names = Names.of(program)
    for element in chosen:
        loop, lead = element.loop, element.refs[0]
        path = loop.at.span.path
        plain = loop.at.editable and all(ref.at.editable for ref in element.refs)
        if block_of(program, loop) is None or path not in program.given or not plain:
            raise Refusal("macro", "a macro makes the accesses", loop.at)
        text, value = program.text(lead.at), names.free(f"{program.text(lead.name)}_kept")
        in_front(program, buffer, loop, [f"{type_text(program, lead.variable)} {value} = {text};"])
        for ref in element.refs:
            buffer.replace(ref.at, value)
        buffer.insert(path, loop.at.span.end, f"\n{indent_of(program, loop.at)}{text} = {value};")
    braced(program, buffer, (element.loop for element in chosen))
