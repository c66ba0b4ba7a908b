"""Updates of elements that data choose: ``h[x[i]] += 1`` waits in each iteration for the store of the one before.

The value stays in a variable while iterations choose the same element, and is stored when another one is chosen
(Kastner, Matai and Neuendorffer, Parallel Programming for FPGAs, 2018, histogram). An iteration then loads an element
that it does not store, as a directive says. Every element takes the same operations in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.accumulators import innermost
from hlspart.expand.purity import used_by_calls
from hlspart.expand.region import Refusal, build
from hlspart.expand.scalars import certain_references, subscript_names
from hlspart.expand.texts import (
    as_many,
    block_of,
    braced,
    declared_in,
    in_front,
    indent_of,
    type_text,
    with_directives,
)
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Block,
    Call,
    IncDec,
    Loop,
    PragmaMark,
    Program,
    ScalarType,
    Stmt,
    Variable,
    is_same,
    substatements,
    walk,
    walk_statements,
)
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Edit
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.semantics.effects import effects, statement_expressions


class ElementUpdate(Struct, frozen=True):
    """One element of an array that each iteration of ``loop`` chooses by data, in some statements in a row.

    ``nest``: the outermost loop of those that the tool makes one; ``block`` holds the statements, of which ``first`` is
    the first one; ``refs``: all references to the array in the nest.
    """

    loop: Loop
    nest: Loop
    array: int
    block: Block
    first: Stmt
    refs: tuple[ArrayRef, ...]


def by_data(program: Program, analysis: AccessAnalysis, figures: IIResult) -> tuple[ElementUpdate, ...]:
    """Those of loops that recurrences through memories keep from their II, or may."""
    element_updates: list[ElementUpdate] = []
    for result in figures.loops:
        recurring = {x.variable for x in result.limits if x.kind == "recurrence" and x.ii > (result.aim or 1)}
        if result.pipelined and result.loop >= 0 and recurring:
            for loop in innermost(program, result):
                mine = list(_of_loop(program, analysis, result, loop))
                if any(
                    program.variable(x.array).name in recurring for x in mine
                ):  # of cycles as long only one is a limit
                    element_updates += mine
    return tuple(element_updates)


def in_variables(
    program: Program, analysis: AccessAnalysis, chosen: Sequence[ElementUpdate]
) -> dict[str, tuple[Edit, ...]]:
    """Edits that keep the values in variables; arrays whose text does not allow it stay."""
    return as_many(program, chosen, partial(_edits, program, analysis))


def _of_loop(program: Program, analysis: AccessAnalysis, result: LoopResult, loop: Loop) -> Iterator[ElementUpdate]:
    nest = _outermost(program, result, loop)
    inside = [a for a in analysis.accesses if nest.id in a.loops]
    refs: Mapping[int, ArrayRef] = {
        e.id: e for root in statement_expressions(program, nest) for e in walk(root) if isinstance(e, ArrayRef)
    }
    read = {a.array for a in inside if a.kind == "read"} - used_by_calls(program, analysis, nest)
    for array in dict.fromkeys(a.array for a in inside if a.kind == "write" and a.array in read):
        variable = program.variable(array)
        by_index = all(a.index is None or None in a.index for a in inside if a.array == array)
        own = {r: ref for r, ref in refs.items() if ref.variable == array}  # none by another name, such as a pointer
        known = all(a.ref in own for a in inside if a.array == array)
        if by_index and known and _is_plain(variable):
            update = _of_array(program, loop, nest, array, tuple(own.values()))
            if update is not None:
                yield update


def _outermost(program: Program, result: LoopResult, loop: Loop) -> Loop:
    """The loop around all those that the tool makes one."""
    first = result.flattened[0] if result.flattened else loop.name
    around = (x for x in program.loops.values() if x.function == loop.function and x.name == first)
    return next((x for x in around if any(s is loop for s in walk_statements(x))), loop)


def _is_plain(variable: Variable) -> bool:
    """Whether its elements are numbers, and all extents known: a subscript is then never negative."""
    kind = variable.type
    return (
        isinstance(kind, ArrayType) and isinstance(kind.element, ScalarType) and None not in kind.dims
        and not variable.volatile
    )  # fmt: skip


def _of_array(program: Program, loop: Loop, nest: Loop, array: int, refs: tuple[ArrayRef, ...]) -> ElementUpdate | None:
    """The statements that use the array, if they all choose one element and run at most once in an iteration."""
    block = _holding(program, loop.body, refs)
    if block is None or not all(is_same(ref, refs[0]) for ref in refs):
        return None
    used = [k for k, s in enumerate(block.body) if any(_holds(program, s, ref) for ref in refs)]
    if not all(any(_holds(program, block.body[k], ref) for k in used) for ref in refs):
        return None
    statements = [s for s in block.body[used[0] : used[-1] + 1] if not isinstance(s, PragmaMark)]
    subscripts = [e for index in refs[0].indices for e in walk(index)]
    known = effects(program)
    moved = frozenset[int]().union(*(known.modified(s) | declared_in(s) for s in statements))
    stored = {
        e.target.variable for s in statements for root in statement_expressions(program, s) for e in walk(root)
        if isinstance(e, Assign) and isinstance(e.target, ArrayRef)
    }  # fmt: skip
    stays = all(not isinstance(e, Assign | IncDec | Call) for e in subscripts)
    if not stays or subscript_names(refs[0]) & (moved | stored | {array}):
        return None
    certain = any(ref.id in set(certain_references(program, s)) for s in statements for ref in refs)
    return ElementUpdate(loop, nest, array, block, block.body[used[0]], refs) if certain else None


def _holding(program: Program, block: Block, refs: Sequence[ArrayRef]) -> Block | None:
    """The innermost block that holds all references, with no loop on the way; None where a loop does."""
    for stmt in block.body:
        if all(_holds(program, stmt, ref) for ref in refs):
            if isinstance(stmt, Loop):
                return None
            for child in substatements(stmt):
                if isinstance(child, Block) and all(_holds(program, child, ref) for ref in refs):
                    return _holding(program, child, refs)
            return block
    loops = (s for s in walk_statements(block) if isinstance(s, Loop))
    return None if any(_holds(program, s, ref) for s in loops for ref in refs) else block


def _holds(program: Program, stmt: Stmt, ref: ArrayRef) -> bool:
    return any(e is ref for root in statement_expressions(program, stmt) for e in walk(root))


def _edits(program: Program, analysis: AccessAnalysis, chosen: Sequence[ElementUpdate], buffer: EditBuffer) -> None:
    names = Names.of(program)
    for update in chosen:
        nest, path = update.nest, update.nest.at.span.path
        build(program, analysis, nest.function, (nest.id,), counted=False, in_order=True)
        plain = all(ref.at.editable for ref in update.refs) and update.first.at.editable
        if block_of(program, nest) is None or path not in program.given or not plain:
            raise Refusal("macro", "a macro makes the accesses", update.first.at)
        array, kind = program.text(update.refs[0].name), type_text(program, update.array)
        value, rank = names.free(f"{array}_kept"), len(update.refs[0].indices)
        numbers = ["" if rank == 1 else str(k) for k in range(rank)]
        kept, asked = ([names.free(f"{array}_{word}{k}") for k in numbers] for word in ("at", "next"))
        element = array + "".join(f"[{x}]" for x in kept)
        store = f"if ({kept[0]} >= 0) {element} = {value};"
        in_front(
            program, buffer, nest,
            [f"int {', '.join(f'{x} = -1' for x in kept)}; /* of {array}, whose value is in {value} */",
             f"{kind} {value} = 0;"],
        )  # fmt: skip
        lines = [
            *(f"const int {x} = {program.text(i.at)};" for x, i in zip(asked, update.refs[0].indices, strict=True)),
            f"if ({' || '.join(f'{a} != {b}' for a, b in zip(asked, kept, strict=True))}) {{",
            f"    {store}",
            f"    {value} = {array}{''.join(f'[{x}]' for x in asked)};",
            *(f"    {b} = {a};" for a, b in zip(asked, kept, strict=True)),
            "}",
        ]
        claim = f"#pragma HLS DEPENDENCE variable={array} type=intra direction=RAW dependent=false"
        with_directives(program, buffer, update.loop, [claim])
        for ref in update.refs:
            buffer.replace(ref.at, value)
        pad, at = indent_of(program, update.first.at), update.first.at.span
        if update.block.braces or update.block is update.loop.body:
            buffer.insert(path, at.start, "".join(f"{line}\n{pad}" for line in lines))
        else:
            buffer.insert(path, at.start, "{" + "".join(f"\n{pad}    {line}" for line in lines) + f"\n{pad}    ")
            buffer.insert(path, at.end, f"\n{pad}}}", closing=True)
        buffer.insert(path, nest.at.span.end, f"\n{indent_of(program, nest.at)}{store}")

    braced(program, buffer, (update.nest for update in chosen))
