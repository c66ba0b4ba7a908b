"""Pieces of the user's text inside a region: statements with other names in places, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct

from hlspart.expand.region import Refusal, may_be_passed_over
from hlspart.model.access import AccessAnalysis, Affine
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Block,
    Declare,
    Expr,
    Function,
    Loop,
    Name,
    PointerType,
    PragmaMark,
    Program,
    ScalarType,
    Stmt,
    substatements,
    walk,
    walk_statements,
)
from hlspart.model.source import Edit, Origin, SourceText, Span, apply_edits
from hlspart.rewrite.buffer import Conflict, EditBuffer
from hlspart.rewrite.declare import element_text
from hlspart.semantics.effects import statement_expressions

_NO_TYPE = re.compile(r"const(?:expr)?|static|register|auto|extern|inline|mutable|(?:__t|_T|t)hread(?:_local)?")
_Candidate = TypeVar("_Candidate")
_DIRECTIVE = re.compile(r"^[ \t]*#", re.M)
#: Declarations of types, constants, macros, functions and other names; the last group of each is a name, or a list.
_SCOPED = (
    re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M),
    re.compile(r"\b(?:struct|union|class|enum|using)\s+(\w+)\s*[{:;=]"),
    re.compile(r"\btypedef\b[^;{]*?(\w+)\s*(?:\[[^;]*\]\s*)?;"),
    re.compile(r"\btypedef\b[^;{]*\{[^}]*\}\s*(\w+)\s*;"),
    re.compile(r"\benum\b[^;{]*\{([^}]*)\}"),
    re.compile(r"\busing\s+(?:namespace\b|[\w:]*::)\s*(\w+)\s*;"),
    re.compile(r"\bnamespace\s+(\w+)\s*="),
    re.compile(r"\bauto\s*&{0,2}\s*(\w+)\s*=\s*\["),
    re.compile(r"\bauto\s*&{0,2}\s*\[([^\]]*)\]\s*="),
    re.compile(r"[\w>]\s*&{1,2}\s*(\w+)\s*(?:=(?!=)|\{)"),
)
#: What an operand stands behind that is not evaluated.
_UNEVALUATED = re.compile(
    r"\b(?:sizeof|_Alignof|(?:__)?alignof(?:__)?|(?:__)?typeof(?:__)?|decltype)[\s*&!~+-]*(\(|\w+)"
)


@dataclass
class Texts:
    """The text of statements and expressions of one function; ``uses`` are the places of each variable's name.

    ``others``: ids of references that keep their subscripts where the array's element has another name.
    """

    program: Program
    root: Stmt
    others: frozenset[int] = frozenset()
    uses: Mapping[int, list[Name | ArrayRef]] = field(init=False)

    def __post_init__(self) -> None:
        uses: dict[int, list[Name | ArrayRef]] = {}
        for top in statement_expressions(self.program, self.root):
            for expr in walk(top):
                if isinstance(expr, Name | ArrayRef):
                    uses.setdefault(expr.variable, []).append(expr)
        self.uses = uses

    def within(self, span: Span, variable: int) -> Iterator[Name | ArrayRef]:
        """Uses of a variable in a piece of text."""
        for use in self.uses.get(variable, ()):
            at = use.at.span
            if at.path == span.path and span.start <= at.start and at.end <= span.end:
                yield use

    def mentions(self, span: Span, variable: int) -> bool:
        """Whether a piece of text uses a variable."""
        return next(self.within(span, variable), None) is not None

    def is_read_outside_loops(self, analysis: AccessAnalysis, iterator: int) -> bool:
        """Whether an iterator is named outside of all loops that count with it."""
        counted = [loop.at.span for loop in self.program.loops.values() if analysis.loops[loop.id].variable == iterator]
        return any(
            not any(c.path == u.at.span.path and c.start <= u.at.span.start and u.at.span.end <= c.end for c in counted)
            for u in self.uses.get(iterator, ())
        )

    def text(
        self, span: Span, names: Mapping[int, str], whole: Mapping[int, str], replaced: Mapping[Span, str] | None = None
    ) -> str:
        """The text of ``span`` with other names for variables; those in ``whole`` lose their subscripts too.

        ``replaced``: pieces with another text. Raises :class:`Refusal` where a macro's body makes the use.
        """
        edits = {s: t for s, t in (replaced or {}).items() if span.start <= s.start and s.end <= span.end}
        for variable in dict.fromkeys((*names, *whole)):
            for use in self.within(span, variable):
                element = variable in whole and not self.reads_another(use)
                if not element and variable not in names:
                    continue
                at = use.at if element or isinstance(use, Name) else use.name
                if at.kind not in ("plain", "argument"):
                    name = self.program.variable(variable).name
                    raise Refusal("condition", f"a macro's body names {name}, which needs another name here", use.at)
                edits.setdefault(at.span, whole[variable] if element else names[variable])
        return self.edited(span, edits)

    def reads_another(self, use: Name | ArrayRef) -> bool:
        """Whether a use reads another element than the one that has another name."""
        return isinstance(use, ArrayRef) and use.id in self.others

    def edited(self, span: Span, edits: Mapping[Span, str]) -> str:
        """The text of ``span`` with pieces replaced; a piece inside another is part of that."""
        source = self.program.sources[span.path]
        outer = [s for s in edits if not any(o != s and o.start <= s.start and s.end <= o.end for o in edits)]
        inside = [
            Edit(Span(span.path, s.start - span.start, s.end - span.start), edits[s])
            for s in sorted(outer, key=lambda s: s.start)
        ]
        return apply_edits(SourceText(span.path, source.slice(span)), inside)


class Piece(Struct, frozen=True):
    """A statement of a block with what stands before it on lines of its own and behind it on its last line."""

    stmt: Stmt
    before: tuple[str, ...]
    behind: str


def pieces(program: Program, block: Block) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    """The statements of a block, and the comment lines behind the last one. Raises :class:`Refusal`."""
    path = block.at.span.path
    text = program.sources[path].text
    if not block.braces or not block.body:
        inside = text[block.at.span.start + 1 : block.at.span.end - 1] if block.braces else ""
        return tuple(Piece(stmt, (), "") for stmt in block.body), _lines(inside)
    starts = [stmt.at.span.start for stmt in block.body]
    ends = [stmt.at.span.end for stmt in block.body]
    parts: list[Piece] = []
    gap = text[block.at.span.start + 1 : starts[0]]
    _check(program, block.at, gap)
    before = _lines(gap)
    for k, stmt in enumerate(block.body):
        if stmt.at.kind != "plain" or stmt.at.span.path != path:
            raise Refusal("condition", "a macro makes the statement", stmt.at)
        last = k + 1 == len(block.body)
        gap = text[ends[k] : block.at.span.end - 1 if last else starts[k + 1]]
        _check(program, stmt.at, gap)
        line, newline, rest = gap.partition("\n")
        behind = line.strip()
        if behind.startswith("/*") and "*/" not in behind:
            behind, rest = "", gap
        elif not newline:
            behind, rest = (behind, "") if last or behind.startswith("/*") else ("", gap)
        parts.append(Piece(stmt, before, behind))
        before = _lines(rest)
    return tuple(parts), before


def _check(program: Program, at: Origin, gap: str) -> None:
    if _DIRECTIVE.search(gap):
        raise Refusal("condition", "lines of the preprocessor stand between the statements", at)


def _lines(gap: str) -> tuple[str, ...]:
    """Lines with text, without the white space around them."""
    return tuple(line.strip() for line in gap.split("\n") if line.strip())


def without_label(lines: list[str], loop: Loop) -> list[str]:
    """Comment lines before a loop without its label, which is written with the loop."""
    if loop.label is None:
        return lines
    texts = (re.sub(rf"\b{re.escape(loop.label)}\s*:\s*", "", line) for line in lines)
    return [text for text in texts if text.strip()]


def indented(text: str, by: str, column: int) -> list[str]:
    """Lines of a statement that began at ``column`` (0-based), moved to the indentation ``by``.

    A text with continued lines keeps them: white space counts there.
    """
    first, *rest = text.split("\n")
    if any(line.endswith("\\") for line in (first, *rest)):
        return [by + first, *rest]
    plain = [line for line in rest if line.strip() and not line.lstrip().startswith("#")]
    width = min([column, *(len(line) - len(line.lstrip()) for line in plain)])
    return [by + first, *(by + line[width:] if line in plain else line for line in rest)]


def scoped_names(text: str) -> frozenset[str]:
    """Names that a function's text declares, but for its objects."""
    declarators = (name for pattern in _SCOPED for names in pattern.findall(text) for name in names.split(","))
    return frozenset(match[1] for name in declarators if (match := re.match(r"\s*(\w+)", name)))


def unevaluated(text: str) -> Iterator[str]:
    """The words of operands that are not evaluated, of which no access is on record."""
    for match in _UNEVALUATED.finditer(text):
        end, depth = match.end(), int(match[1] == "(")
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield from re.findall(r"\b[A-Za-z_]\w*", text[match.start(1) : end])


def known_there_only(program: Program, function: Function, inside: Origin, lines: Iterable[str]) -> str | None:
    """A word of ``lines``, functions in front of ``function``, that its text alone gives a meaning.

    Names that are declared ``inside`` go with them. Objects of the function are those of parameters; an operand of
    ``sizeof`` that is none has nobody to hand it on.
    """
    whole = program.text(function.body.at)
    if match := re.search(r"\busing\s+namespace\s+[\w:]+", whole):
        return match[0]
    scoped = scoped_names(whole) - scoped_names(program.text(inside))
    lines = list(lines)
    words = (word for line in lines for word in re.findall(r"\w+", line)) if scoped else ()
    local = {v.name for v in program.variables if v.function == function.name}
    return next((word for word in words if word in scoped), None) or next(_undeclared(lines, local), None)


def _undeclared(lines: Sequence[str], local: Collection[str]) -> Iterator[str]:
    """Objects in operands that are not evaluated that the function around them does not declare."""
    heads = [k for k, line in enumerate(lines) if line.startswith("static ")]
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        text = "\n".join(lines[start:end])
        for name in (n for n in unevaluated(text) if n in local):
            declared = rf"(?!\b(?:sizeof|return)\b)\b\w+[\s*&]+{name}\s*[\[,)=;{{]"
            if re.search(declared, text) is None:
                yield name


def type_text(program: Program, variable: int) -> str:
    """The type of a scalar or of an array's elements as the source spells it, without qualifiers.

    Raises :class:`Refusal` for one without a name.
    """
    v = program.variable(variable)
    at = v.declarations[0].specifiers
    before = program.sources[at.span.path].text[: at.span.start]
    outer = re.search(r"(?:\w+\s*::\s*)*\Z", before)  # namespaces, which may stand in front of it
    text = " ".join(((outer[0] if outer else "") + program.text(at)).split())
    element = v.type.element if isinstance(v.type, ArrayType) else v.type
    array, brackets = v.as_array, len(v.declarations[0].brackets)
    if array is not None and brackets + isinstance(v.type, PointerType) < len(array.dims):  # extents of a typedef
        if (spelled := element_text(program, v)) is None:
            raise Refusal("condition", f"the element type of {v.name} has no name", v.at)
        return spelled
    if not at.editable and not (at.kind == "macro" and re.fullmatch(r"\w+", text)):
        if not isinstance(element, ScalarType):
            raise Refusal("condition", f"the type of {v.name} cannot be written down again", v.at)
        return element.name
    if "{" in text:
        tag = re.search(r"\b(?:struct|union|class|enum)\s+\w+(?=\s*\{)", text)
        if tag is None:
            raise Refusal("condition", f"the type of {v.name} has no name", v.at)
        text = tag[0]
    if "(" in text and isinstance(element, ScalarType):  # decltype(x), of what may not be there
        return element.name
    words = [w for w in re.split(r"\s+", text) if not _NO_TYPE.fullmatch(w)]
    return " ".join(words) if words or not isinstance(element, ScalarType) else element.name


def declared_in(stmt: Stmt) -> frozenset[int]:
    """Variables declared at or below a statement."""
    return frozenset(v for s in walk_statements(stmt) if isinstance(s, Declare) for v in s.variables)


def names_in(expr: Expr | None) -> frozenset[int]:
    """Variables that an expression names."""
    if expr is None:
        return frozenset()
    return frozenset(e.variable for e in walk(expr) if isinstance(e, Name | ArrayRef))


def affine_text(program: Program, analysis: AccessAnalysis, function: str, form: Affine) -> str:
    """An affine form over iterators of a function with the names of the source."""
    own = (i for i in analysis.loops.values() if i.function == function)
    named = {i.iterator: program.variable(i.variable).name for i in own if i.iterator and i.variable is not None}
    parts = []
    for name, factor in form.terms:
        text = named[name] if abs(factor) == 1 else f"{abs(factor)} * {named[name]}"
        parts.append((factor > 0, text))
    if form.const or not parts:
        parts.append((form.const >= 0, str(abs(form.const))))
    parts.sort(key=lambda p: not p[0])
    text = parts[0][1] if parts[0][0] else f"-{parts[0][1]}"
    return text + "".join(f" {'+' if plus else '-'} {part}" for plus, part in parts[1:])


def padded(pad: str, text: str) -> str:
    """A line; directives begin at its start."""
    return text if text.startswith("#") else pad + text


def indent_of(program: Program, at: Origin) -> str:
    """White space at the start of a line."""
    source = program.sources[at.span.path]
    line = source.line_text(source.line_column(at.span.start)[0])
    return line[: len(line) - len(line.lstrip())]


def begin(program: Program, loop: Loop) -> int:
    """Offset at which a loop begins, with its label and what compilers want directly in front (``#pragma unroll``)."""
    ahead = program.sources[loop.at.span.path].text[: loop.at.span.start]
    above = rf"(?:\b{loop.label or '(?!)'}\s*:\s*)?(?:^[ \t]*#[ \t]*pragma[ \t]+(?!(?i:HLS)\b)[^\n]*\n\s*)*\Z"
    return next(re.finditer(above, ahead, re.M)).start()


def in_front(program: Program, buffer: EditBuffer, loop: Loop, lines: Sequence[str]) -> None:
    """Insert lines in front of a loop and its label."""
    path, text = loop.at.span.path, program.sources[loop.at.span.path].text
    pad, start = indent_of(program, loop.at), begin(program, loop)
    line = text.rfind("\n", 0, start) + 1
    above = "".join("\n" + padded(pad, x) for x in lines)
    if line and not text[line:start].strip():
        buffer.insert(path, program.sources[path].above(line), above)
    else:
        buffer.insert(path, start, f"{above}\n{pad}")


def with_directives(program: Program, buffer: EditBuffer, loop: Loop, lines: Sequence[str]) -> None:
    """Insert directives into the body of a loop, behind its first one. Raises :class:`Refusal` where a macro has it."""
    body, path = loop.body, loop.at.span.path
    if not body.at.editable or not loop.header.editable:
        raise Refusal("macro", f"the loop {loop.name} stands in a macro", loop.at)
    source = program.sources[path].text
    pad = indent_of(program, loop.at) + "    "
    text = "".join("\n" + padded(pad, x) for x in lines)
    marks = [s for s in body.body if isinstance(s, PragmaMark) and s.at.kind == "plain"]
    if marks and body.braces:
        buffer.insert(path, marks[0].at.span.end, text)
        return
    at = body.at.span.start + 1 if body.braces else loop.header.span.end
    behind = source[at : source.find("\n", at)]
    end = f"\n{pad}" if behind.strip() else ""
    if body.braces:
        buffer.insert(path, at, text + end)
    else:
        buffer.insert(path, at, f" {{{text}{end}")
        buffer.insert(path, body.at.span.end, f"\n{pad[4:]}}}")


def as_many(
    program: Program, chosen: Sequence[_Candidate], write: Callable[[Sequence[_Candidate], EditBuffer], None]
) -> dict[str, tuple[Edit, ...]]:
    """The edits that ``write`` makes for as many candidates as the text allows, the first ones first."""
    given = program.given
    done: list[_Candidate] = []
    for candidate in chosen:
        try:
            write([*done, candidate], EditBuffer(program.sources, given))
        except (Refusal, Conflict):
            continue
        done.append(candidate)
    buffer = EditBuffer(program.sources, given)
    write(done, buffer)
    return {path: edits for path in sorted(given) if path in program.sources and (edits := buffer.edits(path))}


def block_of(program: Program, loop: Loop) -> Block | None:
    """The block, in braces, that a loop stands in directly, or that :func:`braced` makes of a loop's whole body."""
    above, around = _around(program, loop)
    alone = isinstance(above, Loop) and above.kind != "do" and above.header.editable and len(above.body.body) == 1
    fits = isinstance(around, Block) and (around.braces or alone) and not may_be_passed_over(program, loop)
    return around if isinstance(around, Block) and fits else None


def braced(program: Program, buffer: EditBuffer, loops: Iterable[Loop]) -> None:
    """Braces around loops that are the whole body of another one, once lines stand in front of and behind them."""
    for loop in dict.fromkeys(loops):
        above, around = _around(program, loop)
        if isinstance(above, Loop) and isinstance(around, Block) and not around.braces:
            buffer.insert(loop.at.span.path, above.header.span.end, " {", closing=True)
            buffer.insert(loop.at.span.path, loop.at.span.end, f"\n{indent_of(program, above.at)}}}")


def _around(program: Program, loop: Loop) -> tuple[Stmt | None, Stmt | None]:
    """What a loop stands in directly, and what that is in."""

    def below(stmt: Stmt, above: Stmt | None) -> tuple[Stmt | None, Stmt | None]:
        for child in substatements(stmt):
            neighbours = (above, stmt) if child is loop else below(child, stmt)
            if neighbours[1] is not None:
                return neighbours
        return None, None

    return below(program.functions[loop.function].body, None)
