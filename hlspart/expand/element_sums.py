"""Sums into the elements of an array, in as many tables of partials as the adder has states.

Each iteration adds to the table that comes to the front of a shift register of tables; behind the loops that the tool
makes one, every element takes what the tables hold of it. Which elements an iteration adds to may depend on data. Only
sums of floating-point numbers, and only with consent: the result depends on the order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from msgspec import Struct

from hlspart.expand.accumulators import innermost, longest_recurrence, made_one
from hlspart.expand.interleave import around
from hlspart.expand.partials import joined
from hlspart.expand.purity import used_by_calls
from hlspart.expand.reductions import guarded_updates
from hlspart.expand.region import Refusal, build
from hlspart.expand.texts import as_many, block_of, braced, in_front, indent_of, padded, type_text
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Jump,
    Loop,
    Program,
    ScalarType,
    Variable,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.named import mentions

MOST_REGISTERS = 256  # of all tables of an array: what one iteration moves on


class ElementSums(Struct, frozen=True):
    """An array to which the iterations of ``loop`` add, as do all statements of ``nest`` that name it.

    ``nest``: the outermost of the loops that the tool makes one of which that holds; ``partials``: tables.
    """

    loop: Loop
    nest: Loop
    variable: int
    partials: int
    refs: tuple[ArrayRef, ...]


def element_sums(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[ElementSums, ...]:
    """Those of all loops that miss their II by recurrences through sums of floating-point numbers."""
    sums: list[ElementSums] = []
    for result in figures.loops:
        if result.misses and result.loop >= 0 and longest_recurrence(result) > (result.aim or 1):
            for loop in innermost(program, result):
                sums += _of_loop(program, analysis, result, loop)
    return tuple(sums)


def in_tables(program: Program, analysis: AccessAnalysis, chosen: Sequence[ElementSums]) -> dict[str, tuple[Edit, ...]]:
    """Edits that make the tables; arrays whose text does not allow it keep theirs."""
    return as_many(program, chosen, partial(_edits, program, analysis))


def _of_loop(program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop) -> Iterator[ElementSums]:
    aim = result.aim or 1
    recurring = {x.variable for x in result.limits if x.kind == "recurrence" and x.ii > aim}
    partials = max(-(-longest_recurrence(result) // aim), 2)
    for variable in (v for v in program.variables if v.function in (loop.function, None)):
        if not recurring & {variable.name} or _registers(variable, partials) > MOST_REGISTERS:
            continue
        for nest in made_one(program, result, loop):
            refs = _summed(program, analysis, nest, variable)
            if refs:
                yield ElementSums(loop, nest, variable.id, partials, refs)
                break


def _registers(variable: Variable, partials: int) -> float:
    """Elements of so many tables."""
    array = variable.as_array
    extents = array.dims if array is not None else (None,)
    return math.inf if None in extents else partials * math.prod(n for n in extents if n is not None)


def _summed(program: Program, analysis: AccessAnalysis, nest: Loop, variable: Variable) -> tuple[ArrayRef, ...]:
    """The references to an array of floats in a loop that only adds to it; none where it is used in another way."""
    array = variable.as_array
    kind = array.element if array is not None else None
    if not isinstance(kind, ScalarType) or kind.kind != "float" or variable.volatile or variable.reference:
        return ()
    head = [e for e in (nest.test, nest.step) if e is not None]
    if any(isinstance(e, ArrayRef) and e.variable == variable.id for root in head for e in walk(root)):
        return ()
    updates = guarded_updates(program, nest.body, variable.id, inside=True) or []
    if not updates or variable.id in used_by_calls(program, analysis, nest):
        return ()
    for update in updates:
        whole = isinstance(update.target, ArrayRef) and len(update.target.indices) == len(array.dims if array else ())
        if not whole or update.op != "+" or update.others:
            return ()
    roots = statement_expressions(program, nest.body)
    return tuple(e for root in roots for e in walk(root) if isinstance(e, ArrayRef) and e.variable == variable.id)


def _edits(program: Program, analysis: AccessAnalysis, chosen: Sequence[ElementSums], buffer: EditBuffer) -> None:
    names = Names.of(program)
    for sums in chosen:
        loop, nest, variable = sums.loop, sums.nest, program.variable(sums.variable)
        # it only names another place for what is added, and each iteration may end as it does
        jumps = [s for s in walk_statements(nest) if isinstance(s, Jump)]
        build(program, analysis, nest.function, (nest.id,), counted=False, jumps=jumps)
        if block_of(program, nest) is None or not nest.at.editable or nest.at.span.path not in program.given:
            raise Refusal("macro", f"the loop {nest.name} stands in no block", nest.at)
        spelled = {program.text(ref.name) for ref in sums.refs}  # ns::y, or ::y where another y hides it
        if any(ref.name.kind != "plain" for ref in sums.refs) or len(spelled) > 1:
            raise Refusal("macro", "a macro, or several spellings, name the array", nest.at)
        array, kind = variable.as_array, type_text(program, sums.variable)
        extents = [n or 0 for n in array.dims] if array is not None else []
        tables = [names.free(f"{variable.name}_table{k}") for k in range(sums.partials)]
        points, turn = [names.free("k") for _ in extents], names.free(f"{variable.name}_turn")
        place = "".join(f"[{p}]" for p in points)
        for ref in sums.refs:
            buffer.replace(ref.name, tables[0])
        moves = [f"{kind} {turn} = {tables[-1]}{place};"]
        moves += [f"{new}{place} = {old}{place};" for old, new in reversed(list(pairwise(tables)))]
        lines = _over(points, extents, [*moves, f"{tables[0]}{place} = {turn};"], "#pragma HLS UNROLL")
        summing = [s for s in loop.body.body if mentions(program, s, sums.variable)]
        pad = indent_of(program, summing[0].at)
        around(program, loop, (summing[0], summing[-1]), "\n".join(padded(pad, x) for x in lines).lstrip(), (), buffer)
        shape = "".join(f"[{n}]" for n in extents)
        declared = [f"{kind} {', '.join(f'{x}{shape} = {{0}}' for x in tables)};"]
        declared += [f"#pragma HLS ARRAY_PARTITION variable={x} type=complete dim=0" for x in tables]
        in_front(program, buffer, nest, declared)
        total = joined("+", [f"{x}{place}" for x in tables])
        behind = _over(points, extents, ["#pragma HLS PIPELINE II=1", f"{spelled.pop()}{place} += {total};"])
        pad = indent_of(program, nest.at)
        buffer.insert(nest.at.span.path, nest.at.span.end, "".join(f"\n{padded(pad, x)}" for x in behind))
    braced(program, buffer, (sums.nest for sums in chosen))


def _over(points: Sequence[str], extents: Sequence[int], body: Sequence[str], directive: str = "") -> list[str]:
    """Lines of loops over all elements of an array."""
    lines = list[str]()
    for depth, (point, extent) in enumerate(zip(points, extents, strict=True)):
        lines.append(f"{'    ' * depth}for (int {point} = 0; {point} < {extent}; {point}++) {{")
        lines += [directive] if directive else []
    lines += [padded("    " * len(points), x) for x in body]
    return [*lines, *(f"{'    ' * depth}}}" for depth in reversed(range(len(points))))]
