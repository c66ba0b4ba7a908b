"""Frame buffers that a loop only fills for a window: where an element is loaded, what is stored is taken instead."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.buffers.emit import without_variables
from hlspart.expand.purity import BLOCKING, impure
from hlspart.expand.region import Refusal, build, target_of
from hlspart.expand.texts import Texts, begin, block_of, declared_in, indented, scoped_names, type_text
from hlspart.model.access import Access, Affine
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Call,
    Declare,
    Expr,
    ExprStmt,
    Jump,
    Label,
    Loop,
    Name,
    OpaqueExpr,
    Program,
    Return,
    ScalarType,
    Stmt,
    StreamType,
    Unary,
    walk,
    walk_statements,
)
from hlspart.model.pure_functions import is_pure
from hlspart.model.source import Origin, Span, comments
from hlspart.reuse.forms import form_of
from hlspart.reuse.windows import Window, WindowNest, is_int, only, plain_body
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.uses import Uses
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.semantics.overlap import overlaps
from hlspart.sets.windows import is_covered, is_in_step

#: Lines that give words another meaning.
_DEFINES = re.compile(r"^[ \t]*#[ \t]*(?:define|undef|include)\b", re.M)


class Fill(Struct, frozen=True):
    """The loop that fills an array: its body, and by dimension the iterator, ``offsets`` less than the point.

    ``alike``: the dimensions are those of the window; else those of the array.
    """

    program: Program
    variable: int
    loop: Loop
    body: tuple[Stmt, ...]
    iterators: tuple[int, ...]
    offsets: tuple[int, ...]
    alike: bool

    def statements(self, points: Sequence[str], register: str, plain: bool) -> list[str]:
        """Lines that give ``register`` the value of an element, with ``points`` for the iterators.

        ``plain``: the points are of the type ``int``, single names too. Each iterator keeps its own type.
        """
        at = dict(zip(self.iterators, points, strict=True))
        names = {v: p if re.fullmatch(r"\w+", p) else f"({p})" for v, p in at.items()}
        for variable in map(self.program.variable, at):
            if not plain or not is_int(variable.type):
                names[variable.id] = f"(({type_text(self.program, variable.id)}){names[variable.id]})"
        roots = (e for stmt in self.body for e in statement_expressions(self.program, stmt))
        indices = (i for root in roots for e in walk(root) if isinstance(e, ArrayRef) for i in e.indices)
        subscripts = {i.at.span: at[i.variable] for i in indices if isinstance(i, Name) and i.variable in at}
        texts = Texts(self.program, self.program.functions[self.loop.function].body)
        lines: list[str] = []
        for stmt in self.body:
            text = texts.text(stmt.at.span, names, {self.variable: register}, subscripts)
            column = self.program.sources[stmt.at.span.path].line_column(stmt.at.span.start)[1] - 1
            lines += indented(text, "", column)
        return lines

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
    if window.planes:
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
    body = tuple(plain_body(chain[-1]))
    target = _target(body, write)
    leaving = any(isinstance(s, Jump) and s.kind == "continue" for top in body for s in walk_statements(top))
    if place > there or target is None or leaving:
        return None
    try:
        build(program, analysis, region.function, tuple(loop.id for loop in chain), in_order=True)
    except Refusal:
        return None
    form = form_of(write, [analysis.loops[loop.id].iterator or "" for loop in chain])
    if form is None:
        return None
    template, scale, index = form
    offsets = tuple(g for g in index if isinstance(g, Affine))
    names = [analysis.loops[loop.id].iterator or "" for loop in chain]
    if len(offsets) < len(index) or any(s != 1 for s in scale) or any(g.terms for g in offsets):
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
    if not is_covered([(write, forms)], needed):
        return None
    known = [v for loop in chain if (v := analysis.loops[loop.id].variable) is not None]
    taken = _Taken(program, body, frozenset(known), write.array)
    later = (*block.body[place + 1 : there], nest.loops[0])
    if not taken.is_steady(later) or not taken.means_the_same(chain[0], later):
        return None
    if taken.channels and not (len(write.loops) == len(chain) and taken.are_apart(later)):
        return None
    steps = {ident: info.step for ident, info in analysis.loops.items()}
    if taken.channels and not is_in_step(write, forms, None if alike else _elements(window), window.hull, steps):
        return None
    whole = program.loops[write.loops[len(write.loops) - len(chain)]]
    if not whole.at.editable or any(stmt.at.kind != "plain" for stmt in body):
        return None
    return Fill(program, window.variable, whole, body, tuple(known), tuple(g.const for g in offsets), alike)


def _target(body: Sequence[Stmt], write: Access) -> ArrayRef | None:
    """The element that a body assigns, whole, in one of its statements."""
    for stmt in (s for top in body for s in walk_statements(top)):
        if isinstance(stmt, ExprStmt) and isinstance(stmt.expr, Assign) and stmt.expr.op == "=":
            target = stmt.expr.target
            if isinstance(target, ArrayRef) and target.id == write.ref:
                return target
    return None


def _elements(window: Window) -> tuple[Affine, ...]:
    """The element of a point, by dimension of the array; the point is x0, x1, .."""
    return tuple(Affine.of({f"x{d}": p for d, p in moving}, base.const) for base, moving in window.template.parts)


class _Taken(Struct, frozen=True, dict=True):
    """What the body of a fill takes from outside of it."""

    program: Program
    body: tuple[Stmt, ...]
    iterators: frozenset[int]
    array: int

    @cached_property
    def expressions(self) -> list[Expr]:
        """All of the body."""
        return [e for stmt in self.body for root in statement_expressions(self.program, stmt) for e in walk(root)]

    @cached_property
    def own(self) -> frozenset[int]:
        """Variables that the body declares."""
        return frozenset(v for stmt in self.body for v in declared_in(stmt))

    @cached_property
    def named(self) -> frozenset[int]:
        """Variables of others that the body names."""
        used = {e.variable for e in self.expressions if isinstance(e, ArrayRef | Name)}
        return frozenset(used - self.own - self.iterators - {self.array})

    @cached_property
    def channels(self) -> frozenset[int]:
        """Channels that the body reads: each element is there once, in its order."""
        return frozenset(v for v in self.named if isinstance(self.program.variable(v).type, StreamType))

    def is_steady(self, stmts: Sequence[Stmt]) -> bool:
        """Whether a value is the same until the end of ``stmts``, the last of which is the nest."""
        program = self.program
        if any(program.variable(v).storage == "static" for v in self.own):
            return False
        for variable in map(program.variable, self.named - self.channels):
            if variable.volatile or not (isinstance(variable.type, ScalarType) or variable.as_array is not None):
                return False
        if any(isinstance(e, OpaqueExpr) or _changed(e) & self.named for e in self.expressions):
            return False
        if any(isinstance(e, Call) and e.function != "stream.read" and self._acts(e) for e in self.expressions):
            return False
        if any(isinstance(s, Label) for top in stmts for s in walk_statements(top)):
            return False  # the nest may run again without the fill
        stored = set[int]()
        for stmt in stmts:
            stored |= effects(program).modified(stmt)
            for node in (e for root in statement_expressions(program, stmt) for e in walk(root)):
                stored |= _changed(node)
                match node:
                    case Call(function=name) if self._acts(node) and not (name in BLOCKING and stmt is stmts[-1]):
                        return False
                    case OpaqueExpr() | Unary(op="&"):
                        return False
        return not any(overlaps(program).may_be(a, b) for a in self.named - self.channels for b in stored)

    def means_the_same(self, fill: Loop, stmts: Sequence[Stmt]) -> bool:
        """Whether the words of the body mean in ``stmts[-1]``, a nest behind the fill, what they mean in the fill."""
        program, span, inner = self.program, fill.at.span, stmts[-1]
        while isinstance(inner, Loop) and (deeper := only(inner)) is not None:
            inner = deeper
        assert isinstance(inner, Loop)
        source = program.sources[span.path]
        text = source.text[span.start : inner.body.at.span.start]
        if inner.at.span.path != span.path or _DEFINES.search(text) or scoped_names(text[span.end - span.start :]):
            return False
        words = {word for stmt in self.body for word in re.findall(r"[A-Za-z_]\w*", program.text(stmt.at))}
        words -= {program.variable(v).name for v in self.iterators}
        words |= {program.variable(v).name for v in self.named}  # those that macros say, too
        heads = (
            s.init for s in walk_statements(stmts[-1]) if isinstance(s, Loop) and s.at.span.end >= inner.at.span.end
        )
        declared = (v for s in (*stmts, *heads) if isinstance(s, Declare) for v in s.variables)
        return words.isdisjoint(program.variable(v).name for v in declared)

    def _acts(self, call: Call) -> bool:
        """Whether a call may do more than work out a value."""
        program, name = self.program, call.function
        if name in program.functions:
            return name is not None and impure(program, name, frozenset()) is not None
        return not is_pure(name or "") and effects(program).extremum(call) is None

    def are_apart(self, stmts: Sequence[Stmt]) -> bool:
        """Whether ``stmts`` all run, and none of them knows a channel of the body."""
        program = self.program
        used = {
            e.variable for s in stmts for r in statement_expressions(program, s) for e in walk(r) if isinstance(e, Name)
        }
        leaving = any(isinstance(s, Jump | Label | Return) for top in stmts[:-1] for s in walk_statements(top))
        shared = any(program.variable(v).function is None for v in self.channels)
        return not leaving and not shared and not used & self.channels


def _changed(node: Expr) -> frozenset[int]:
    """Variables that an expression changes by itself, not by its operands."""
    target = target_of(node)
    if target is None:
        return frozenset()
    return frozenset(e.variable for e in walk(target) if isinstance(e, ArrayRef | Name))
