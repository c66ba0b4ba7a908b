"""Local copies of arguments: a memory at a port of the top has two ports, one of its own has what it is given.

Where the ports of an argument keep loops from their II, the statements of the top function that hold those loops work
on a copy. It is loaded ahead of them, and stored behind them if they write it. What it gains is for banks or copies
of the local memory to show; this text alone is slower.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from hlspart.expand.region import Refusal
from hlspart.expand.texts import as_many, in_front, indent_of, padded, type_text
from hlspart.model.access import Access, AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Function,
    Jump,
    Label,
    Loop,
    Program,
    Return,
    ScalarType,
    Stmt,
    StructType,
    walk_statements,
)
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Edit
from hlspart.predict.regressions import most_cycles
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.names import Names
from hlspart.rewrite.uses import Use, Uses


class LocalCopy(Struct, frozen=True):
    """``variable`` is copied around the statements of its function from ``first`` to ``last``.

    ``box``: least and greatest index in each dimension; ``written``: it is copied back, too.
    """

    variable: int
    first: Loop
    last: Stmt
    uses: tuple[ArrayRef, ...]
    box: tuple[tuple[int, int], ...]
    written: bool

    @property
    def words(self) -> int:
        """Elements that are copied."""
        return math.prod(high - low + 1 for low, high in self.box) * (1 + self.written)


def local_copies(program: Program, analysis: AccessAnalysis, figures: IIResult, uses: Uses) -> tuple[LocalCopy, ...]:
    """Arguments of top functions whose ports are what keeps loops from their II."""
    found = []
    most = {f.name: most_cycles(figures, f) for f in figures.functions}
    for name in sorted(set(analysis.tops) & most.keys()):
        function = program.functions[name]
        flows = any(
            d.kind in ("dataflow", "pipeline") and d.loop is None and d.function == name for d in program.directives
        )
        if flows or uses.instances.get(name):
            continue
        copies = [c for v in function.params if (c := _copy(program, analysis, function, v, figures, uses)) is not None]
        found += [c for c in copies if c.words < most[name]]
    return tuple(found)


def _copy(
    program: Program, analysis: AccessAnalysis, function: Function, ident: int, figures: IIResult, uses: Uses
) -> LocalCopy | None:
    variable = program.variable(ident)
    late = {x.loop for x in figures.loops if x.function == function.name and _short_of_ports(x, variable.name)}
    stmts = _around(function, late)
    array = variable.as_array
    if not stmts or array is None or variable.volatile or not isinstance(array.element, ScalarType | StructType):
        return None
    everywhere = uses.by_variable.get(ident, ())
    inside = [u for u in everywhere if any(_holds(s, u) for s in stmts)]
    if any(u.kind not in ("element", "argument") for u in everywhere):
        return None  # a pointer may know it
    nodes = tuple(u.node for u in inside if u.kind == "element" and isinstance(u.node, ArrayRef))
    box = _box(array, [a for a in analysis.accesses if a.ref in {n.id for n in nodes}])
    first, refs = stmts[0], {n.id for n in nodes}
    if box is None or len(nodes) < len(inside) or not isinstance(first, Loop) or variable.name in uses.unknown:
        return None
    written = any(a.kind == "write" and a.ref in refs for a in analysis.accesses)
    if written and any(isinstance(s, Return | Label) or _goes(s) for top in stmts for s in walk_statements(top)):
        return None
    return LocalCopy(ident, first, stmts[-1], nodes, box, written)


def _short_of_ports(loop: LoopResult, array: str) -> bool:
    """Whether a loop misses its II, and the ports of a memory alone would see to that."""
    return loop.misses and any(b.array == array and b.ii > (loop.aim or 1) for b in loop.banks)


def _around(function: Function, late: set[int]) -> Sequence[Stmt]:
    """The statements of a body from the first to the last one that holds one of these loops."""
    body = function.body.body
    held = [k for k, s in enumerate(body) if any(isinstance(x, Loop) and x.id in late for x in walk_statements(s))]
    return body[held[0] : held[-1] + 1] if held else ()


def _holds(stmt: Stmt, use: Use) -> bool:
    here, there = stmt.at.span, use.node.at.span
    return here.path == there.path and here.start <= there.start and there.end <= here.end


def _goes(stmt: Stmt) -> bool:
    return isinstance(stmt, Jump) and stmt.kind == "goto"


def _box(array: ArrayType, accesses: Sequence[Access]) -> tuple[tuple[int, int], ...] | None:
    """What is accessed; all of the array where that is not known, None where that is not known either."""
    found = []
    for k, extent in enumerate(array.dims):
        ends = [None if a.range is None else a.range[k] for a in accesses]
        lows = [e[0] for e in ends if e is not None and e[0] is not None]
        highs = [e[1] for e in ends if e is not None and e[1] is not None]
        if extent is None:
            return None
        known = len(lows) == len(highs) == len(accesses) > 0
        found.append((max(0, min(lows)), min(extent - 1, max(highs))) if known else (0, extent - 1))
    return tuple(found)


def with_local_copies(program: Program, copies: Sequence[LocalCopy]) -> Mapping[str, tuple[Edit, ...]]:
    """Edits that make them; those whose text does not allow it are left out."""
    return as_many(program, copies, partial(_edits, program))


def _edits(program: Program, copies: Sequence[LocalCopy], buffer: EditBuffer) -> None:
    names = Names.of(program)
    for copy in copies:
        variable = program.variable(copy.variable)
        local = names.free(f"{variable.name}_local")
        points = [names.free("k") for _ in copy.box]
        array = variable.as_array
        assert array is not None
        shape = "".join(f"[{n}]" for n in array.dims)
        declared = f"{type_text(program, copy.variable)} {local}{shape};"
        in_front(program, buffer, copy.first, [declared, *_moved(variable.name, local, points, copy)])
        for use in copy.uses:
            if use.name.kind != "plain":
                raise Refusal("macro", "a macro names the array", use.at)
            buffer.replace(use.name, local)
        if copy.written:
            pad = indent_of(program, copy.last.at)
            lines = _moved(local, variable.name, points, copy)
            buffer.insert(copy.last.at.span.path, copy.last.at.span.end, "".join("\n" + padded(pad, x) for x in lines))


def _moved(source: str, target: str, points: Sequence[str], copy: LocalCopy) -> list[str]:
    """Loops that copy the elements of the box."""
    lines = []
    for depth, (point, (low, high)) in enumerate(zip(points, copy.box, strict=True)):
        brace = " {" if depth + 1 == len(points) else ""
        lines.append(f"{'    ' * depth}for (int {point} = {low}; {point} < {high + 1}; {point}++){brace}")
    at = "".join(f"[{p}]" for p in points)
    pad = "    " * len(points)
    return [*lines, "#pragma HLS PIPELINE II=1", f"{pad}{target}{at} = {source}{at};", f"{pad[4:]}}}"]
