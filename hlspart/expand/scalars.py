"""Values handed on: what an iteration stores and the next ones load goes there in variables, not through the memory.

``y[i] = y[i - 1] + x[i]`` waits for its store and load in every iteration. With the last value in a variable the
memory is only written, and the recurrence is that of the operators (Callahan, Carr and Kennedy 1990, scalar
replacement). The elements keep their values to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from hlspart.expand.interleave import innermost
from hlspart.expand.region import Refusal, build, first_value
from hlspart.expand.texts import Texts, as_many, block_of, in_front, indent_of, names_in, type_text
from hlspart.model.access import Access, AccessAnalysis, LoopInfo
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Comma,
    ExprStmt,
    InitList,
    Loop,
    Name,
    Program,
    ScalarType,
    walk,
)
from hlspart.model.results import IIResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects, statement_expressions

#: Most iterations that a value is handed on.
MOST_DISTANCE = 4


@dataclass(frozen=True)
class HandedOn:
    """The one store of an array in a loop, and loads of what it stored, with the number of iterations since then."""

    loop: Loop
    array: int
    store: ExprStmt
    loads: tuple[tuple[ArrayRef, int], ...]

    @property
    def depth(self) -> int:
        """Values that have to be kept."""
        return max(distance for _, distance in self.loads)


def handed_on(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[HandedOn, ...]:
    """Arrays whose values may be handed on in loops that miss their II by a recurrence."""
    found: list[HandedOn] = []
    for result in figures.loops:
        if result.misses and result.loop >= 0 and any(x.kind == "recurrence" for x in result.limits):
            for loop in innermost(program, result):
                found += _of_loop(program, analysis, loop)
    return tuple(dict.fromkeys(found))


def in_variables(program: Program, analysis: AccessAnalysis, chosen: Sequence[HandedOn]) -> dict[str, tuple[Edit, ...]]:
    """Edits that keep the values in variables; arrays whose text does not allow it stay."""
    return as_many(program, chosen, partial(_edits, program, analysis))


def _of_loop(program: Program, analysis: AccessAnalysis, loop: Loop) -> Iterator[HandedOn]:
    info = analysis.loops[loop.id]
    if loop.kind != "for" or info.iterator is None or info.variable is None or not info.step or info.exits:
        return
    inside = [a for a in analysis.accesses if loop.id in a.loops]
    refs = {
        e.id: e for root in statement_expressions(program, loop.body) for e in walk(root) if isinstance(e, ArrayRef)
    }
    changing = effects(program).modified(loop) - {info.variable}
    for array in dict.fromkeys(a.array for a in inside if a.kind == "write"):
        mine = [a for a in inside if a.array == array]
        writes = [a for a in mine if a.kind == "write"]
        variable = program.variable(array)
        kind = getattr(variable.type, "element", getattr(variable.type, "target", None))
        if len(writes) != 1 or variable.volatile or not isinstance(kind, ScalarType) or writes[0].ref not in refs:
            continue
        target = refs[writes[0].ref]
        store = next((s for s in loop.body.body if isinstance(s, ExprStmt) and _target(s) is target), None)
        if store is None or any(names_in(i) & changing for i in target.indices):
            continue
        loads = []
        for read in (a for a in mine if a.kind == "read" and a.ref != target.id and a.ref in refs):
            distance = _distance(writes[0], read, info)
            # What stands behind the store would see the new value.
            if distance is not None and refs[read.ref].at.span.end <= store.at.span.end:
                loads.append((refs[read.ref], distance, read))
        deepest = max((d for _, d, _ in loads), default=0)
        always = any(d == deepest and r.exact and r.domain == writes[0].domain for _, d, r in loads)
        if loads and always and (info.trip_count.min or 0) >= deepest:
            yield HandedOn(loop, array, store, tuple((ref, d) for ref, d, _ in loads))


def _target(stmt: ExprStmt) -> ArrayRef | None:
    """The element that a statement sets, where it does nothing else."""
    expr = stmt.expr
    return expr.target if isinstance(expr, Assign) and isinstance(expr.target, ArrayRef) else None


def _distance(write: Access, read: Access, info: LoopInfo) -> int | None:
    """Iterations from the store of an element to its load; None where that is not always the same number."""
    if write.index is None or read.index is None or len(write.index) != len(read.index):
        return None
    distance: int | None = None
    for stored, loaded in zip(write.index, read.index, strict=True):
        if stored is None or loaded is None or stored.terms != loaded.terms:
            return None
        moves = dict(stored.terms).get(info.iterator or "", 0) * (info.step or 0)
        behind = stored.const - loaded.const
        if not moves:
            if behind:
                return None
            continue
        if behind % moves or distance not in (None, behind // moves):
            return None
        distance = behind // moves
    return distance if distance is not None and 1 <= distance <= MOST_DISTANCE else None


def _edits(program: Program, analysis: AccessAnalysis, chosen: Sequence[HandedOn], buffer: EditBuffer) -> None:
    names = Names.of(program)
    given = {u.path for u in program.units}
    for found in chosen:
        loop, store = found.loop, found.store
        build(program, analysis, loop.function, (loop.id,), counted=False)
        assign = store.expr
        assert isinstance(assign, Assign)
        plain = all(x.at.kind == "plain" for x in (assign.target, *(ref for ref, _ in found.loads)))
        if block_of(program, loop) is None or loop.at.span.path not in given or not store.at.editable or not plain:
            raise Refusal("macro", "a macro makes the accesses", store.at)
        if isinstance(assign.value, InitList):
            raise Refusal("condition", "a list is stored", store.at)
        variable = program.variable(found.array)
        kind = type_text(program, found.array)
        kept = [names.free(f"{variable.name}_before{k if found.depth > 1 else ''}") for k in range(1, found.depth + 1)]
        new = names.free(f"{variable.name}_new")
        texts = Texts(program, program.functions[loop.function].body)
        in_front(
            program, buffer, loop,
            [f"{kind} {name} = {_element(texts, analysis, found, k)};" for k, name in enumerate(kept, start=1)],
        )  # fmt: skip
        replaced = {ref.at.span: kept[distance - 1] for ref, distance in found.loads}
        value = texts.text(assign.value.at.span, {}, {}, replaced)
        value = f"({value})" if isinstance(assign.value, Comma) else value
        element = program.text(assign.target.at)
        lines = (
            [f"{kind} {new} = {value};"]
            if assign.op == "="
            else [f"{kind} {new} = {element};", f"{new} {assign.op} {value};"]
        )
        lines.append(f"{element} = {new};")
        lines += [f"{old} = {younger};" for old, younger in reversed(list(zip(kept, [new, *kept], strict=False)))]
        pad = indent_of(program, store.at)
        if loop.body.braces:
            buffer.replace(store.at, f"\n{pad}".join(lines))
        else:
            outer = indent_of(program, loop.at)
            pad = pad if pad != outer else outer + "    "
            inner = "".join(f"\n{pad}{line}" for line in lines)
            buffer.replace(store.at, f"{{{inner}\n{outer}}}")
        inside = store.at.span
        for span, name in replaced.items():
            if not (inside.path == span.path and inside.start <= span.start and span.end <= inside.end):
                ref = next(r for r, _ in found.loads if r.at.span == span)
                buffer.replace(ref.at, name)


def _element(texts: Texts, analysis: AccessAnalysis, found: HandedOn, before: int) -> str:
    """The element that iteration ``-before`` of the loop would have stored."""
    info = analysis.loops[found.loop.id]
    assign = found.store.expr
    assert isinstance(assign, Assign) and info.variable is not None and info.step is not None
    back = before * info.step
    if info.lower is not None and not info.lower.terms:
        number = info.lower.const - back
        value = str(number) if number >= 0 else f"({number})"
    else:
        first = first_value(texts.program, found.loop)
        text = texts.text(first.at.span, {}, {})
        value = f"({text if isinstance(first, Name) else f'({text})'} {'-' if back > 0 else '+'} {abs(back)})"
    return texts.text(assign.target.at.span, {info.variable: value}, {})
