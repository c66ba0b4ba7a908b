"""The one emitter: a transformed program as text, the user's bytes where a node is unchanged, printed where it is new.

A transformation leaves the origin of what it keeps, also in copies, and gives what it makes an origin of kind
``new`` (:func:`made`, :func:`inserted`). Here both become text, and the program comes back with the places it
has in that text: reading the text would give the same program.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from hlspart.model.directives import Directive, Option, RawPragma
from hlspart.model.program import (
    ArrayRef,
    Block,
    Call,
    Declarator,
    Expr,
    Function,
    Loop,
    PragmaMark,
    Program,
    Prototype,
    SizeOf,
    Stmt,
    Variable,
    children,
    walk_statements,
)
from hlspart.model.rebuild import map_parts, moved_expr, moved_stmt, with_children
from hlspart.model.source import Origin, Span
from hlspart.transform.changes import TextChanges
from hlspart.transform.forward import Forward
from hlspart.transform.printer import Unprintable
from hlspart.transform.text import Clash, Kept, Printed, Rendered, render


def emit(old: Program, new: Program) -> tuple[Program, Forward]:
    """``new``, a transformation of ``old``, with its text and its places in it.

    Raises :class:`Unprintable` for a change that the text does not allow: of a part of a macro's body, or of an
    argument that the macro uses in several ways.
    """
    if new is old:
        return old, Forward()
    emitter = _drafted(old, new)
    rendered = emitter.rendered()
    return emitter.result(rendered), Forward(texts={path: (text,) for path, text in rendered.items()})


def texts(old: Program, new: Program) -> dict[str, Rendered]:
    """The files of ``old`` that have another text in ``new``, as :func:`emit`."""
    return {} if new is old else _drafted(old, new).rendered()


def _drafted(old: Program, new: Program) -> _Emitter:
    emitter = _Emitter(old, new)
    try:
        emitter.draft()
    except Clash as clash:
        raise Unprintable("one text stands for what becomes different", Origin(clash.span)) from None
    return emitter


class _Emitter(TextChanges):
    """The changes, and then every node at the place that it has."""

    def rendered(self) -> dict[str, Rendered]:
        """The files whose text changes; all stretches then have their place."""
        rendered = {p: render(self.program.sources[p], root) for p, root in self.roots.items()}
        return {path: text for path, text in rendered.items() if text.new.text != text.old.text}

    def result(self, rendered: Mapping[str, Rendered]) -> Program:
        """The program at its new places."""
        sources = {p: rendered[p].new if p in rendered else s for p, s in self.program.sources.items()}
        order = self._order()
        functions = {name: self._moved_function(f, order) for name, f in self.program.functions.items()}
        loops = {s.id: s for f in functions.values() for s in walk_statements(f.body) if isinstance(s, Loop)}
        moved = (replace(self._moved_pragma(p), index=order[p.index]) for p in self.program.pragmas if p.index in order)
        pragmas = sorted(moved, key=lambda p: p.index)
        directives = [self._moved_directive(d, order) for d in self.program.directives]
        directives.sort(key=lambda d: len(pragmas) if d.pragma is None else d.pragma)
        return replace(
            self.program,
            units=tuple(replace(u, source=sources[u.path]) if u.source is not None else u for u in self.program.units),
            sources=sources,
            functions=functions,
            variables=tuple(self._moved_variable(v) for v in self.program.variables),
            loops={k: loops[k] for k in (*self.program.loops, *loops) if k in loops},
            pragmas=tuple(pragmas),
            directives=tuple(directives),
            undefined={name: self._moved(at, None) for name, at in self.program.undefined.items()},
            inactive=tuple(self._moved(Origin(s), None).span for s in self.program.inactive),
            holes=tuple(replace(h, at=self._moved(Origin(h.at), None).span) for h in self.program.holes),
            sizes=self._moved_sizes(),
            mentions=_everywhere(self.program.mentions, rendered),
            counted=tuple(
                (new, text)
                for at, text in self.program.counted
                for new in _everywhere({"": (at,)}, rendered).get("", ())
            ),
        )

    def _order(self) -> dict[int, int]:
        """New numbers of the pragmas that are left: in order of the text."""
        given = [p for p in self.program.pragmas if p.function not in self.changed or p.index in self.marks]
        paths = [unit.path for unit in self.program.units]
        place = {}
        for pragma in given:
            at = self._moved_pragma(pragma).at.span
            place[pragma.index] = (paths.index(at.path) if at.path in paths else -1, at.start)
        kept = [p for p in given if p.index < len(self.old.pragmas)]
        for pragma in given[len(kept) :]:
            behind = [k for k, p in enumerate(kept) if place[p.index] <= place[pragma.index]]
            kept.insert(behind[-1] + 1 if behind else 0, pragma)
        return {pragma.index: k for k, pragma in enumerate(kept)}

    def _moved(self, at: Origin, frame: Kept | None) -> Origin:
        root = self.roots.get(at.span.path)
        if root is None:
            return at
        stretch = frame if frame is not None and frame.span.path == at.span.path else root
        return Origin(stretch.moved(at.span), at.kind, at.macro)

    def _moved_expr(self, e: Expr, frame: Kept | None) -> Expr:
        frame = self.stands.get(id(e), frame)
        new = with_children(e, [self._moved_expr(c, frame) for c in children(e)])
        if id(e) in self.prints:
            new = moved_expr(new, lambda _: _at(self.prints[id(e)], e.at))
            if isinstance(new, ArrayRef) and id(e) in self.pieces:
                name, *brackets = map(_at, self.pieces[id(e)])
                new = replace(new, name=name, brackets=tuple(brackets))
        else:
            new = moved_expr(new, lambda at: self._moved(at, frame))
            if isinstance(new, Call) and new.callee.kind == "new":  # another name, which now stands there
                new = replace(new, callee=replace(new.callee, kind="plain"))
        if isinstance(new, SizeOf):
            self.sizes[id(e)] = new
        return new

    def _moved_stmt(self, s: Stmt, frame: Kept | None, order: Mapping[int, int]) -> Stmt:
        frame = self.stands.get(id(s), frame)
        new = map_parts(s, lambda e: self._moved_expr(e, frame), lambda x: self._moved_stmt(x, frame, order))
        if isinstance(new, PragmaMark):
            new = replace(new, pragma=order[new.pragma])
        if isinstance(new, Block) and not new.braces and len(new.body) == 1 and isinstance(new.body[0], Block):
            return new.body[0]  # a loop was all of a branch or a body, which is a block now
        if id(s) not in self.prints:
            return moved_stmt(new, lambda at: self._moved(at, frame))
        new = moved_stmt(new, lambda _: _at(self.prints[id(s)]))
        return replace(new, header=_at(self.pieces[id(s)][0])) if isinstance(new, Loop) else new

    def _moved_function(self, function: Function, order: Mapping[int, int]) -> Function:
        frame = self.whole.get(id(function))
        body = self._moved_stmt(function.body, frame, order)
        assert isinstance(body, Block)
        prototypes = tuple(self._moved_prototype(p) for p in function.prototypes)
        return replace(
            function,
            at=self._moved(function.at, None) if frame is None else _at(frame),
            signature=self._moved(function.signature, frame),
            name_at=replace(self._moved(function.name_at, frame), kind="plain"),
            body=body,
            prototypes=prototypes,
        )

    def _moved_prototype(self, prototype: Prototype) -> Prototype:
        frame = self.whole.get(id(prototype))
        return Prototype(
            self._moved(prototype.at, None) if frame is None else _at(frame),
            self._moved(prototype.name, frame),
            tuple(self._moved_declarator(d, frame) for d in prototype.params),
        )

    def _moved_declarator(self, d: Declarator, frame: Kept | None) -> Declarator:
        statement, specifiers, declarator, name = (
            self._moved(at, frame) for at in (d.statement, d.specifiers, d.declarator, d.name)
        )
        return replace(
            d,
            statement=statement,
            specifiers=specifiers,
            declarator=declarator,
            name=name,
            brackets=tuple(self._moved(at, frame) for at in d.brackets),
            initialiser=None if d.initialiser is None else self._moved(d.initialiser, frame),
        )

    def _moved_variable(self, variable: Variable) -> Variable:
        frame = self.declared.get(variable.id)
        init = None if variable.init is None else self._moved_expr(variable.init, frame)
        if variable.id not in self.fresh:
            declarations = tuple(self._moved_declarator(d, frame) for d in variable.declarations)
            return replace(variable, declarations=declarations, init=init)
        text, specifiers, whole, name, *rest = map(_at, self.fresh[variable.id])
        brackets, given = (rest[:-1], rest[-1]) if init is not None else (rest, None)
        source = self.roots[text.span.path]
        assert source.at is not None
        statement = Origin(Span(text.span.path, text.span.start, text.span.end + 1))
        only = Declarator(statement, specifiers, whole, name, tuple(brackets), given, 0, 1)
        return replace(variable, declarations=(only,), init=init)

    def _moved_pragma(self, pragma: RawPragma) -> RawPragma:
        place = self.marks.get(pragma.index)
        if isinstance(place, Printed):
            return replace(pragma, at=_at(place))
        return replace(pragma, at=self._moved(pragma.at, place))

    def _moved_directive(self, directive: Directive, order: Mapping[int, int]) -> Directive:
        place = None if directive.pragma is None else self.marks.get(directive.pragma)

        def moved(at: Origin) -> Origin:
            return _at(place) if isinstance(place, Printed) else self._moved(at, place)

        return replace(
            directive,
            at=moved(directive.at),
            options=tuple(Option(o.name, o.value, moved(o.at)) for o in directive.options),
            problems=tuple(replace(p, at=moved(p.at)) for p in directive.problems),
            pragma=None if directive.pragma is None else order[directive.pragma],
        )

    def _moved_sizes(self) -> tuple[SizeOf, ...]:
        """Those in statements that are left, copies among them, and those in declarations."""
        given = {id(size) for size in self.program.sizes}
        copies = [new for old, new in self.sizes.items() if old not in given and new.operand is not None]
        kept = [self.sizes.get(id(size)) or self._outside(size) for size in self.program.sizes]
        return (*(size for size in kept if size is not None), *copies)

    def _outside(self, size: SizeOf) -> SizeOf | None:
        """One that no statement has: None where copies have taken the place of the text around it."""
        moved = self._moved_expr(size, None)
        assert isinstance(moved, SizeOf)
        return None if moved.at.span.start == moved.at.span.end else moved


def _everywhere(
    spans: Mapping[str, tuple[Span, ...]], rendered: Mapping[str, Rendered]
) -> Mapping[str, tuple[Span, ...]]:
    """Where text of the user's is now, in all of its copies; ``spans`` by what they say."""
    if not rendered:
        return spans
    all_places: dict[str, list[Span]] = {}
    said: dict[Span, list[str]] = {}
    for name, places in spans.items():
        for at in places:
            if at.path in rendered:
                said.setdefault(at, []).append(name)
            else:
                all_places.setdefault(name, []).append(at)
    for path, text in rendered.items():
        for old, new in text.images(at for at in said if at.path == path):
            for name in said[old]:
                all_places.setdefault(name, []).append(new)
    return {name: tuple(places) for name, places in all_places.items()}


def _at(text: Printed | Kept, old: Origin | None = None) -> Origin:
    """The place of a rendered piece; ``old``: where a transformation put the node, which may be a macro's argument."""
    if text.at is None:
        raise Unprintable("one text stands for several new ones", old)
    macro = old.macro if old is not None else None
    return Origin(text.at, "plain" if macro is None else "argument", macro)
