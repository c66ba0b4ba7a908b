"""Frame buffers that a loop only fills for a window: where an element is loaded, its value is taken instead."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hlspart.buffers.emit import without_variables
from hlspart.expand.region import PURE, Refusal, build
from hlspart.expand.texts import Texts, begin, block_of, names_in
from hlspart.model.access import Access, Affine
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Call,
    Expr,
    ExprStmt,
    IncDec,
    Loop,
    Name,
    OpaqueExpr,
    Program,
    ScalarType,
    Stmt,
    Unary,
    walk,
)
from hlspart.model.source import Origin, Span, comments
from hlspart.reuse.windows import Window, WindowNest, form_of, only, plain_body
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.uses import Uses
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.sets.windows import covers


@dataclass(frozen=True)
class Fill:
    """The loop that fills an array: its value, and by dimension the iterator, ``offsets`` less than the point.

    ``alike``: the dimensions are those of the window; else those of the array.
    """

    program: Program
    variable: int
    loop: Loop
    expr: Expr
    iterators: tuple[int, ...]
    offsets: tuple[int, ...]
    alike: bool

    def value(self, texts: Texts, points: Sequence[str]) -> str:
        """The text of the value, with ``points`` for the iterators."""
        names = {v: p if re.fullmatch(r"\w+", p) else f"({p})" for v, p in zip(self.iterators, points, strict=True)}
        text = texts.text(self.expr.at.span, names, {})
        return re.sub(r"\[\(([^()\[\]]*)\)\]", r"[\1]", " ".join(text.split()))

    def remove(self, buffer: EditBuffer) -> None:
        """Take the loop and the array out of the text."""
        program = self.program
        span = self.loop.at.span
        source = program.sources[span.path].text
        start = begin(program, self.loop)
        kept = " ".join(comments(source[start : span.end]))
        note = f"/* {program.variable(self.variable).name}: its elements go into the window as they come */"
        line = source.rfind("\n", 0, start) + 1
        if not source[line:start].strip():
            own = source.rfind("\n", 0, span.start) + 1
            text = source[own : span.end]
            start, note = line, text[: len(text) - len(text.lstrip())] + note
        buffer.replace(Origin(Span(span.path, start, span.end)), f"{note} {kept}".rstrip())
        for directive in program.directives:
            if self.variable in directive.variables and directive.pragma is not None:
                _replace(program, program.pragmas[directive.pragma].at, "", buffer)
        declared = program.variable(self.variable).declarations[0].statement
        _replace(program, declared, without_variables(program, declared.span, {self.variable}), buffer)


def _replace(program: Program, at: Origin, text: str, buffer: EditBuffer) -> None:
    """Other text for a piece, and nothing for a line that it leaves blank."""
    source, span = program.sources[at.span.path].text, at.span
    start, end = source.rfind("\n", 0, span.start) + 1, source.find("\n", span.end) + 1
    if not text.strip() and end and not (source[start : span.start] + source[span.end : end]).strip():
        at, text = Origin(Span(span.path, start, end), at.kind), ""
    buffer.replace(at, text)


def fill_of(nest: WindowNest, window: Window, uses: Uses) -> Fill | None:
    """The fill of a window's array, where nothing else uses that; None where it is to stay."""
    region = nest.region
    program, analysis = region.program, region.analysis
    variable = program.variable(window.variable)
    if variable.storage not in ("local", "static") or variable.volatile or variable.init is not None:
        return None
    reads = {a.ref for a in analysis.accesses if a.id in window.reads}
    nodes = [u.node for u in uses.by_variable.get(variable.id, ())]
    others = [n for n in nodes if not (isinstance(n, ArrayRef) and n.id in reads)]
    writes = [a for a in analysis.accesses if a.array == variable.id and a.kind == "write"]
    if len(others) != 1 or len(writes) != 1 or not isinstance(others[0], ArrayRef) or others[0].id != writes[0].ref:
        return None
    if any(variable.id in d.variables and d.pragma is None for d in program.directives):
        return None
    return _fill(nest, window, writes[0])


def _fill(nest: WindowNest, window: Window, write: Access) -> Fill | None:
    region = nest.region
    program, analysis = region.program, region.analysis
    block = block_of(program, nest.loops[0])
    if block is None or not write.affine or not write.exact:
        return None
    inside = [k for k in write.loops if program.loops[k] in block.body]
    chain = tuple(program.loops[k] for k in write.loops[write.loops.index(inside[0]) :]) if inside else ()
    if not chain or any(only(a) is not b for a, b in itertools.pairwise(chain)):
        return None
    place, there = block.body.index(chain[0]), block.body.index(nest.loops[0])
    body = plain_body(chain[-1])
    if place > there or len(body) != 1 or not isinstance(body[0], ExprStmt) or not isinstance(body[0].expr, Assign):
        return None
    assign = body[0].expr
    try:
        build(program, analysis, region.function, tuple(loop.id for loop in chain))
    except Refusal:
        return None
    form = form_of(write, [analysis.loops[loop.id].iterator or "" for loop in chain])
    if form is None or assign.op != "=" or not isinstance(assign.target, ArrayRef) or assign.target.id != write.ref:
        return None
    template, scale, offsets = form
    names = [analysis.loops[loop.id].iterator or "" for loop in chain]
    if any(s != 1 for s in scale) or any(g.terms for g in offsets):
        return None
    alike = template == window.template
    places = window.elements
    if alike:
        forms, needed = [Affine.of({n: 1}) + g for n, g in zip(names, offsets, strict=True)], window.hull
    elif places is None or any(base.terms or [p for _, p in moving] != [1] for base, moving in template.parts):
        return None
    else:
        order = [moving[0][0] for _, moving in template.parts]
        offsets = tuple(
            Affine((), base.const + offsets[d].const) for d, (base, _) in zip(order, template.parts, strict=True)
        )
        names = [names[d] for d in order]
        chain = tuple(chain[d] for d in order)
        forms, needed = [Affine.of({n: 1}) + g for n, g in zip(names, offsets, strict=True)], places
    if not covers(write, forms, needed):
        return None
    known = [v for loop in chain if (v := analysis.loops[loop.id].variable) is not None]
    if not _steady(program, assign.value, known, (*block.body[place + 1 : there], nest.loops[0])):
        return None
    whole = program.loops[write.loops[len(write.loops) - len(chain)]]
    if not whole.at.editable or assign.value.at.kind != "plain":
        return None
    return Fill(program, window.variable, whole, assign.value, tuple(known), tuple(g.const for g in offsets), alike)


def _steady(program: Program, value: Expr, iterators: Sequence[int], stmts: Sequence[Stmt]) -> bool:
    """Whether a value is the same wherever it is taken before the end of ``stmts``, the last of which is the nest."""
    named = names_in(value) - set(iterators)
    for variable in map(program.variable, named):
        if variable.volatile or not (isinstance(variable.type, ScalarType) or variable.as_array is not None):
            return False
    if any(isinstance(e, Assign | IncDec | OpaqueExpr) for e in walk(value)):
        return False
    stored = set[int]()
    for stmt in stmts:
        stored |= effects(program).modified(stmt)
        for node in (e for root in statement_expressions(program, stmt) for e in walk(root)):
            match node:
                case Assign(target=target) | IncDec(operand=target):
                    stored |= {e.variable for e in walk(target) if isinstance(e, ArrayRef | Name)}
                case Call(function=name) if name not in PURE and stmt is not stmts[-1]:
                    return False
                case OpaqueExpr() | Unary(op="&"):
                    return False
    return not named & stored
