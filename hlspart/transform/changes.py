"""What becomes of the user's text: the changes that a transformed program makes in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.model.program import (
    INT,
    ArrayRef,
    Block,
    Call,
    Const,
    Declare,
    Expr,
    ExprStmt,
    Function,
    Loop,
    PragmaMark,
    Program,
    ScalarType,
    SizeOf,
    Stmt,
    Unary,
    Variable,
    children,
    walk_statements,
)
from hlspart.model.rebuild import map_parts
from hlspart.model.source import Origin, Span
from hlspart.transform.printer import Printer, Unprintable
from hlspart.transform.text import Clash, Kept, Part, Printed, plain

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def made(at: Origin) -> Origin:
    """The origin of a new node in the place of one at ``at``. Raises Unprintable where that is a macro's text."""
    if at.kind not in ("plain", "argument", "new"):
        raise Unprintable(f"it comes out of the macro {at.macro or ''}".rstrip(), at)
    return Origin(at.span, "new", at.macro if at.kind != "plain" else None)


def inserted(path: str, offset: int) -> Origin:
    """The origin of a new node that is put at an offset of the text."""
    return Origin(Span(path, offset, offset), "new")


def number(value: int, at: Origin, kind: ScalarType | None = None, suffix: str = "") -> Expr:
    """A number as C reads it, in the place of a node at ``at``; ``kind``: its type, where ``suffix`` says it."""
    place, size = made(at), abs(value)
    kind = kind or (INT if size < 1 << 31 else ScalarType("long", "int", 64))
    digits = Const(place, kind, size, f"{size}{suffix}")
    return digits if value >= 0 else Unary(place, kind, "-", digits)


def label_span(program: Program, loop: Loop) -> Span:
    """The label of a loop with the blanks behind it, up to the loop; empty where it has none."""
    at = loop.at.span
    if loop.label is None:
        return Span(at.path, at.start, at.start)
    before = program.sources[at.path].text[: at.start]
    match = re.search(rf"\b{re.escape(loop.label)}\s*:(?:\s|/\*(?:(?!\*/).)*\*/|//[^\n]*\n)*\Z", before, re.S)
    if match is None:
        raise Unprintable(f"the label {loop.label} comes out of a macro", loop.at)
    return Span(at.path, match.start(), at.start)


class TextChanges(Printer):
    """Collects the changes of the text, and remembers which piece of it each new or copied node is."""

    def __init__(self, old: Program, new: Program) -> None:
        super().__init__(new)
        self.old = old
        self.roots = {p: Kept(Span(p, 0, len(s.text))) for p, s in new.sources.items()}
        self.bodies: dict[tuple[Span, bool], tuple[Stmt, ...]] = {}
        self.labels: dict[Span, str | None] = {}
        others = {v.function for v, w in zip(new.variables, old.variables, strict=False) if v is not w}
        self.changed = {n for n, f in new.functions.items() if old.functions.get(n) is not f or n in others}
        known = old.functions if self.changed - old.functions.keys() else self.changed
        for stmt in (s for name in known for s in walk_statements(old.functions[name].body)):
            if isinstance(stmt, Block):
                self.bodies[stmt.at.span, stmt.braces] = stmt.body
            elif isinstance(stmt, Loop):
                self.labels[stmt.at.span] = stmt.label
        self.prints: dict[int, Printed] = {}  # by node: what is new
        self.stands: dict[int, Kept] = {}  # by node: what stands inside of what is printed
        self.pieces: dict[int, tuple[Printed, ...]] = {}  # by node: name and brackets, the callee, the header
        self.declared: dict[int, Kept] = {}  # by variable: the stretch that declares it
        self.fresh: dict[int, tuple[Printed, ...]] = {}  # by variable: the pieces of a printed declaration
        self.marks: dict[int, Kept | Printed] = {}  # by pragma
        self.whole: dict[int, Kept] = {}  # by id(function or prototype): its copy
        self.inserts: dict[tuple[str, int, str], int] = {}  # by place and text: the block that it is for
        self.kept_arguments: list[tuple[Kept, Span]] = []
        self.sizes: dict[int, SizeOf] = {}
        self.opening = False  # a loop's body begins on a line of its own

    # ------------------------------------------------------------------------------------- changes

    def draft(self) -> None:
        """Collect all changes."""
        for variable in self.program.variables:
            if variable.function is None and not variable.extern:
                self._global(variable)
        for name in (n for n in self.program.functions if n in self.changed):
            self._function(self.program.functions[name])
        for frame, span in self.kept_arguments:
            if any((start, end) == (span.start, span.end) for (start, end), _ in frame.changes):
                raise Clash(span)

    def _global(self, variable: Variable) -> None:
        declared = variable.declarations[0]
        if declared.name.span.path in self.roots:
            self._initial(variable, self.roots[declared.name.span.path])

    def _initial(self, variable: Variable, frame: Kept) -> None:
        if variable.init is not None and variable.init.at.kind == "new":
            frame.replace(variable.init.at.span, self.value(variable.init))
        elif variable.init is not None:
            self._expr(variable.init, frame)

    def _function(self, function: Function) -> None:
        frame = self.roots[function.at.span.path]
        if function.at.kind == "new":
            span = Span(function.at.span.path, function.signature.span.start, function.body.at.span.end)
            root, frame = frame, Kept(span)
            root.insert(span.end, "\n\n", frame)
            self.whole[id(function)] = frame
        if function.name_at.kind == "new":
            frame.replace(function.name_at.span, function.name)
        for prototype in function.prototypes:
            if prototype.at.kind == "new":
                copy = Kept(prototype.at.span)
                copy.replace(prototype.name.span, function.name)
                self.roots[prototype.at.span.path].insert(prototype.at.span.end, "\n", copy)
                self.whole[id(prototype)] = copy
        for variable in function.params:
            self.declared[variable] = frame
        self._stmt(function.body, frame)

    def _stmt(self, stmt: Stmt, frame: Kept) -> None:
        """The changes inside a statement that keeps its text."""
        match stmt:
            case Block():
                self._body(stmt, frame)
                return
            case Declare():
                for variable in stmt.variables:
                    self.declared[variable] = frame
                    self._initial(self.program.variable(variable), frame)
            case PragmaMark():
                self.marks[stmt.pragma] = frame
            case Loop() if stmt.label is None and self.labels.get(stmt.at.span) is not None:
                frame.replace(label_span(self.program, replace(stmt, label=self.labels[stmt.at.span])), "")

        def expr(e: Expr) -> Expr:
            if e.at.kind == "new":
                frame.replace(e.at.span, self.value(e))
            else:
                self._expr(e, frame)
            return e

        def sub(s: Stmt) -> Stmt:
            if s.at.kind == "new":
                self.opening = isinstance(stmt, Loop)
                space = " " * self.program.text(s.at)[:1].isspace()
                frame.replace(s.at.span, space, self._in_place(s))
            else:
                self._stmt(s, frame)
            return s

        map_parts(stmt, expr, sub)

    def _in_place(self, s: Stmt) -> Part:
        newline = self._newline(s.at.span)
        return self.body(s, newline) if isinstance(s, Block) else self.statement(s, newline)

    def _body(self, block: Block, frame: Kept) -> None:
        """Statements that are in a block now, and those that were.

        One whose text is not of this block is a copy, which is put behind the statement before it.
        """
        own = {s.at.span for s in self.bodies.get((block.at.span, block.braces), block.body)}
        taken = [s.at.span for s in block.body if s.at.kind == "new" or s.at.span in own]
        before: Stmt | None = None
        behind = block.at.span.start + block.braces
        for group in _pragmas_together(block.body):
            stmt, span = group[0], group[0].at.span
            if isinstance(stmt, PragmaMark) and stmt.at.kind == "new" and span.start == span.end:
                self._insert_pragmas(group, before, block, frame)
                continue
            if stmt.at.kind != "new" and span in own:
                self._stmt(stmt, frame)
                behind = span.end
            elif stmt.at.kind == "new" and span.start < span.end:
                frame.replace(span, self._in_place(stmt))
                behind = span.end
            else:
                behind = span.start if stmt.at.kind == "new" else behind
                newline = self._newline(Span(span.path, behind, behind) if before is None else before.at.span)
                space = " " if isinstance(stmt, Declare) else newline
                frame.insert(behind, space, self.statement(stmt, newline))
                continue
            before = stmt
        for gone in self.bodies.get((block.at.span, block.braces), ()):
            at = gone.at.span
            if not any(t.path == at.path and t.start <= at.start and at.end <= t.end for t in taken):
                self._remove(gone, frame)

    def _remove(self, stmt: Stmt, frame: Kept) -> None:
        """Take a statement out; a pragma that is alone on its line with the line."""
        span = made(stmt.at).span
        source = self.program.sources[span.path]
        start = source.line_span(source.line_column(span.start)[0]).start
        end = source.line_span(source.line_column(max(span.start, span.end - 1))[0]).end
        alone = not source.text[start : span.start].strip() and not source.text[span.end : end].strip()
        if isinstance(stmt, PragmaMark) and alone and frame.span.start <= start and end < frame.span.end:
            end += 2 if source.text[end : end + 2] == "\r\n" else 1
            span = Span(span.path, start, end)
        frame.replace(span, "")

    def _insert_pragmas(self, rows: Sequence[Stmt], before: Stmt | None, block: Block, frame: Kept) -> None:
        """Lines behind the line of the place, or right there when more code follows on it."""
        span = rows[0].at.span
        source = self.program.sources[span.path]
        end = source.line_span(source.line_column(span.start)[0]).end
        rest = _COMMENT.sub("", source.text[span.start : end])
        newline = self._pragma_indent(before, block, span)
        parts: list[Part] = []
        for mark in rows:
            assert isinstance(mark, PragmaMark)
            text = Printed(f"#pragma {self.program.pragmas[mark.pragma].text}")
            self.marks[mark.pragma] = self.prints[id(mark)] = text
            parts += [newline, text]
        offset = span.start
        if not rest.strip() and "/*" not in rest:
            offset = end
        else:
            parts.append(newline)
        key = (span.path, offset, plain(parts) or "")
        if self.inserts.setdefault(key, block.id) == block.id:  # else another instance of a template
            frame.insert(offset, *parts)

    def _pragma_indent(self, before: Stmt | None, block: Block, span: Span) -> str:
        if before is not None:
            return self._newline(before.at.span)
        source = self.program.sources[span.path]
        for stmt in self.bodies.get((block.at.span, block.braces), block.body):
            if stmt.at.editable and stmt.at.span.path == span.path:
                line = source.line_column(stmt.at.span.start)[0]
                if not source.text[source.line_span(line).start : stmt.at.span.start].strip():
                    return self._newline(stmt.at.span)
                break
        return self._newline(span) + "    "

    def _newline(self, span: Span) -> str:
        """A line end with the indentation of the line in which ``span`` begins."""
        source = self.program.sources[span.path]
        line = source.line_text(source.line_column(span.start)[0])
        return "\n" + line[: len(line) - len(line.lstrip())]

    def _expr(self, e: Expr, frame: Kept) -> None:
        """The changes inside an expression that keeps its text."""
        if e.at.kind == "argument":
            self.kept_arguments.append((frame, e.at.span))
        if isinstance(e, Call) and e.callee.kind == "new":
            frame.replace(e.callee.span, self.callee(e))
        for child in children(e):
            if child.at.kind == "new":
                frame.replace(child.at.span, self.expr(child))
            else:
                self._expr(child, frame)

    # ------------------------------------------------------------------------------------ printing

    def standing(self, node: Expr | Stmt) -> Part | None:
        """The user's text of a node, where it is all of what a macro did not make."""
        if node.at.kind in ("new", "macro", "mixed"):
            return None
        frame = self.stands[id(node)] = Kept(node.at.span)
        if isinstance(node, Stmt):
            self._stmt(node, frame)
        else:
            self._expr(node, frame)
        text = self.program.text(node.at)
        return Printed(frame, ";") if isinstance(node, ExprStmt) and not text.endswith(";") else frame

    def printed(self, node: Expr | Stmt, *parts: Part) -> Part:
        """Remember where a new node goes."""
        text = self.prints[id(node)] = Printed(*parts)
        return text

    def header(self, loop: Loop, *parts: Part) -> Part:
        text = Printed(*parts)
        self.pieces[id(loop)] = (text,)
        return text

    def reference(self, ref: ArrayRef, write: bool) -> Part:
        name = Printed(self.name(ref.variable))
        brackets = tuple(Printed("[", self.value(i), "]") for i in ref.indices)
        self.pieces[id(ref)] = (name, *brackets)
        return Printed(name, *brackets)

    def block(self, body: tuple[Stmt, ...], newline: str) -> list[Part]:
        """Compact, so that a statement keeps the lines that it has."""
        parts: list[Part] = ["{"]
        opening, self.opening = self.opening, False
        space = newline if opening else " "
        for stmt in body:
            if isinstance(stmt, PragmaMark):
                parts += [newline[: newline.index("\n") + 1], self.statement(stmt, newline)]
                space = newline
                continue
            parts += [space, self.statement(stmt, newline)]
            prelude = stmt.at.kind == "new" and isinstance(stmt, Declare | ExprStmt)
            space = space if prelude else newline
        return [*parts, " }"]

    def declarator(
        self, variable: int, specifiers: Printed, name: Printed, brackets: tuple[Printed, ...], value: Part | None
    ) -> Part:
        whole = Printed(name, *brackets)
        given = () if value is None else (Printed(value),)
        text = Printed(specifiers, " ", whole, *((" = ", *given) if given else ()))
        self.fresh[variable] = (text, specifiers, whole, name, *brackets, *given)
        return text


def _pragmas_together(body: Sequence[Stmt]) -> Iterator[list[Stmt]]:
    """Statements one by one, but new pragmas that are put at one place in a row."""
    rows: list[Stmt] = []
    for stmt in body:
        if rows and not (isinstance(stmt, PragmaMark) and isinstance(rows[0], PragmaMark) and stmt.at == rows[0].at):
            yield rows
            rows = []
        rows.append(stmt)
        if stmt.at.kind != "new":
            yield rows
            rows = []
    if rows:
        yield rows
