"""Loads of tables ahead of the test under which they stand, so that what a test decides does not wait for them.

``if (y > 0) x += y * k[i]; else x -= y * k[i];`` waits for the test, then for the table. In a variable in front of the
test the element is there when the test is; the arms compute what they did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.expand.region import Refusal
from hlspart.expand.scalars import certain_references
from hlspart.expand.texts import as_many, declared_in, indent_of, type_text
from hlspart.model.access import Access, AccessAnalysis, LoopInfo
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
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
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects, statement_expressions

_LABEL = re.compile(r":(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/|#[^\n]*\n)*\Z")  # a declaration takes none


class LoadAhead(Struct, frozen=True):
    """The references to one element in ``statement``, which does not always load it."""

    statement: Stmt
    refs: tuple[ArrayRef, ...]


def tested_loads(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[LoadAhead, ...]:
    """Those on the recurrences that keep loops from their II."""
    chosen: list[LoadAhead] = []
    for result in figures.loops:
        recurring = any(x.kind == "recurrence" and x.ii > (result.aim or 1) for x in result.limits)
        if result.pipelined and result.loop >= 0 and recurring:
            for loop in innermost(program, result):
                chosen += _of_loop(program, analysis, result, loop)
    return tuple(chosen)


def ahead_of_tests(program: Program, chosen: Sequence[LoadAhead]) -> dict[str, tuple[Edit, ...]]:
    """Edits that load the elements into variables in front of the statements."""
    return as_many(program, chosen, partial(_edits, program))


def _of_loop(program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop) -> Iterator[LoadAhead]:
    waiting = {s.operation for s in result.cycle}
    if not loop.body.braces:
        return
    changed = {a.array for a in analysis.accesses if a.kind == "write" and _may_run_in(a, loop)}
    accesses = {a.ref: a for a in analysis.accesses if a.kind == "read" and a.loops and a.loops[-1] == loop.id}
    written = {a.ref for a in analysis.accesses if a.kind == "write"}
    for statement in loop.body.body:
        if any(isinstance(s, Loop) for s in walk_statements(statement)):
            continue
        own = declared_in(statement)  # no name in front of it
        certain, groups = set(certain_references(program, statement)), list[list[ArrayRef]]()
        for ref in (e for root in statement_expressions(program, statement) for e in walk(root)):
            access = accesses.get(ref.id) if isinstance(ref, ArrayRef) else None
            if not isinstance(ref, ArrayRef) or access is None or ref.id in certain or ref.id in written:
                continue
            known = f"{program.variable(ref.variable).name} load" in waiting and ref.variable not in changed | own
            if (
                known
                and _is_table(program, analysis, ref.variable)
                and is_inside(program, [analysis.loops[x] for x in access.loops], ref, access)
            ):
                same = next((g for g in groups if is_same(g[0], ref)), None)
                groups += [[ref]] if same is None else []
                if same is not None:
                    same.append(ref)
        yield from (LoadAhead(statement, tuple(group)) for group in groups)


def _may_run_in(access: Access, loop: Loop) -> bool:
    """Whether an access may be one of the loop, or of a function that it calls."""
    return loop.id in access.loops or access.function != loop.function


def _is_table(program: Program, analysis: AccessAnalysis, ident: int) -> bool:
    """Whether all elements that an array declares are there and have values, and it has no other name."""
    variable = program.variable(ident)
    whole = isinstance(variable.type, ArrayType) and isinstance(variable.type.element, ScalarType)
    filled = variable.storage in ("global", "static") or (variable.storage == "local" and variable.init is not None)
    group = analysis.group_of.get(ident)
    others = any(g == group and v != ident for v, g in analysis.group_of.items() if group is not None)
    alone = not others and ident not in effects(program).addressed
    return whole and None not in variable.dims and filled and alone and not variable.volatile and not variable.extern


def is_inside(program: Program, loops: Sequence[LoopInfo], ref: ArrayRef, access: Access) -> bool:
    """Whether every iteration of some loops may load an element: its subscripts are iterators inside the array."""
    names = {e.variable for index in ref.indices for e in walk(index) if isinstance(e, Name)}
    kinds = all(isinstance(e, Name) or not isinstance(e, ArrayRef) for index in ref.indices for e in walk(index))
    if access.index is None or not kinds or not names <= {info.variable for info in loops}:
        return False
    spans: dict[str, tuple[int, int]] = {}
    for info in loops:
        n = info.trip_count.exact
        if info.iterator is not None and info.lower is not None and not info.lower.terms and info.step and n:
            ends = info.lower.const, info.lower.const + info.step * (n - 1)
            spans[info.iterator] = (min(ends), max(ends))
    for form, extent in zip(access.index, program.variable(ref.variable).dims, strict=False):
        if form is None or extent is None or not spans.keys() >= set(form.names):
            return False
        moved = [[c * x for x in spans[name]] for name, c in form.terms]
        if form.const + sum(map(min, moved)) < 0 or form.const + sum(map(max, moved)) >= extent:
            return False
    return len(access.index) == len(program.variable(ref.variable).dims)


def _edits(program: Program, chosen: Sequence[LoadAhead], buffer: EditBuffer) -> None:
    names = Names.of(program)
    for load in chosen:
        ref, at = load.refs[0], load.statement.at
        path = at.span.path
        labelled = _LABEL.search(program.sources[path].text[: at.span.start])
        plain = at.editable and all(x.at.editable for x in load.refs)
        if not plain or path not in program.given or labelled:
            raise Refusal("macro", "a macro makes the accesses, or a label stands in front of them", at)
        array = program.text(ref.name)
        value = names.free(f"{array}_ahead")
        line = f"const {type_text(program, ref.variable)} {value} = {program.text(ref.at)};"
        for x in load.refs:
            buffer.replace(x.at, value)
        buffer.insert(path, at.span.start, f"{line}\n{indent_of(program, at)}")
