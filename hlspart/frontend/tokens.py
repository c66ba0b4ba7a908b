"""Preprocessing tokens that know where they were written, and the lexer that makes them.

Every token carries the path and offsets of its spelling. A token that a macro expansion produced
also carries the outermost :class:`MacroUse` and, when its text came from that use's arguments, the part
of the argument it stands for. :mod:`hlspart.frontend.origins` turns this into exact spans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from hlspart.model.program import OPEN

Kind = Literal["id", "num", "str", "chr", "op", "bad", "pragma", "eof"]

NTH = "__member_"  # s.__member_1: the second member of a structure, in the C that C++ becomes
# names of the parameters of a template that nothing in the text uses
#: Operators of C++ that are words.
ALTERNATIVES = {
    "and": "&&", "or": "||", "not": "!", "not_eq": "!=", "and_eq": "&=", "or_eq": "|=", "xor": "^", "xor_eq": "^=",
    "bitand": "&", "bitor": "|", "compl": "~",
}  # fmt: skip
OPEN_TYPE, OPEN_VALUE = f" (a type {OPEN})", f" (a value {OPEN})"


class MacroUse:
    """One use of a macro in the text of a file: ``[start, end)`` with its arguments.

    ``first``/``last`` are the indices of its first and last token in the preprocessed output. ``macro``
    and ``arguments`` are its definition there and the tokens that were given to it.
    """

    __slots__ = ("arguments", "end", "first", "last", "macro", "name", "path", "start")

    def __init__(self, name: str, path: str, start: int, end: int) -> None:
        self.name, self.path, self.start, self.end = name, path, start, end
        self.first = self.last = -1
        self.macro: MacroDefinition | None = None
        self.arguments: list[list[Token]] = []


class UsesByFile:
    """The use of a class whose text stands in several files, by file: a member may be defined beside its class."""

    def __init__(self, use: MacroUse) -> None:
        self._name, self._uses = use.name, {use.path: use}

    def of(self, token: Token) -> MacroUse:
        """The use that a token of the text belongs to."""
        use = self._uses.get(token.path)
        if use is None:
            use = self._uses[token.path] = MacroUse(self._name, token.path, token.start, token.end)
        return use


NO_HIDE: frozenset[str] = frozenset()


class Token:
    """A preprocessing token. ``lo``/``hi`` delimit the argument text it stands for (-1: macro body);
    ``arg`` is the number of that argument; ``deep`` says that a further macro inside it made the token.
    ``space``: white space stands before it. ``reference``: a name declared as a C++ reference. ``counts``: it was
    ``__LINE__`` or ``__COUNTER__``.
    """

    __slots__ = (
        "arg", "counts", "deep", "end", "hi", "hide", "kind", "lo", "path", "reference", "space", "start", "text",
        "use",
    )  # fmt: skip

    def __init__(self, kind: Kind, text: str, path: str, start: int, end: int, space: bool) -> None:
        self.kind: Kind = kind
        self.text, self.path, self.start, self.end, self.space = text, path, start, end, space
        self.hide = NO_HIDE
        self.use: MacroUse | None = None
        self.lo = self.hi = self.arg = -1
        self.deep = self.reference = self.counts = False

    def copy(self) -> Token:
        """An own copy that expansion may mark."""
        new = Token(self.kind, self.text, self.path, self.start, self.end, self.space)
        new.hide, new.use, new.deep, new.counts = self.hide, self.use, self.deep, self.counts
        new.lo, new.hi, new.arg, new.reference = self.lo, self.hi, self.arg, self.reference
        return new

    def __repr__(self) -> str:
        return f"{self.kind}:{self.text}@{self.start}"


class PragmaToken(Token):
    """A pragma travelling through the token stream; ``body`` is what follows ``#pragma``.

    ``open``: parameters of the templates around it that have no argument.
    """

    __slots__ = ("body", "expanded", "open", "spelling")

    def __init__(self, path: str, start: int, end: int, body: list[Token], spelling: str) -> None:
        super().__init__("pragma", "", path, start, end, True)
        self.body = body
        self.expanded = body
        self.spelling = spelling
        self.open: frozenset[str] = frozenset()

    def with_words(self, expanded: list[Token]) -> PragmaToken:
        """The pragma at its place with other words."""
        made = PragmaToken(self.path, self.start, self.end, self.body, self.spelling)
        made.expanded, made.open, made.use = expanded, self.open, self.use
        return made


class MacroDefinition(Struct):
    """A definition. ``params`` None: object-like."""

    name: str
    params: tuple[str, ...] | None
    variadic: str | None
    body: tuple[Token, ...]
    builtin: bool = False


class SourceError(Exception):
    """A fault in the user's text. Internal to the frontend: ``load`` turns it into a diagnostic.

    ``whole``: the text around it cannot be read without it. ``others``: further faults that were found at once.
    ``quiet``: nothing is wrong, the text only has no meaning by itself. ``unread``: tokens of a file it keeps unread.
    """

    whole = quiet = False
    unread: Sequence[Token | PragmaToken] = ()
    others: tuple[SourceError, ...] = ()

    def __init__(self, rule: str, message: str, path: str, start: int, end: int | None = None, hint: str | None = None):
        super().__init__(message)
        self.rule, self.message, self.path, self.start, self.hint = rule, message, path, start, hint
        self.end = start if end is None else end


_TOKEN = r"""(?P<ws>[ \t\f\v\r\ufeff]+)
    |(?P<nl>\n)
    |(?P<id>[^\W\d][\w$]*|\$[\w$]*)
    |(?P<num>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
    |(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)
    |(?P<open>/\*)
    |(?P<str>(?:)"(?:[^"\\\n]|\\[^\n])*")
    |(?P<chr>'(?:[^'\\\n]|\\[^\n])+')
    |(?P<op>\.\.\.|<<=|>>=|\+\+|--|->|&&|\|\||<<|>>|<=|>=|==|!=|\*=|/=|%=|\+=|-=|&=|\|=|\^=|\#\#|::|[][(){}.,;:?~!%^&*+=|<>/#-])
    |(?P<bad>.)"""
_RAW = r"""(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\((?P<inner>.*?)\)(?P=mark)")"""
_MASTER, _WITH_RAW = (re.compile(text, re.VERBOSE | re.DOTALL) for text in (_TOKEN, f"{_RAW}|{_TOKEN}"))
_PREFIXES = {"L", "u", "U", "u8"}
_SPLICE = re.compile(r"\\[ \t]*\r?\n")


class Line(Struct, frozen=True):
    """A directive line (tokens after ``#``; ``start`` is the place of the ``#``) or a run of text lines."""

    directive: bool
    start: int
    tokens: tuple[Token, ...]


class _Splices:
    """Offsets of the text with backslash-newlines removed, mapped back to the file."""

    def __init__(self, text: str) -> None:
        parts: list[str] = []
        self.at: list[int] = [0]  # offsets in the spliced text where a new shift begins
        self.shift: list[int] = [0]
        position = total = length = 0
        for match in _SPLICE.finditer(text):
            parts.append(text[position : match.start()])
            length += match.start() - position
            position = match.end()
            total += match.end() - match.start()
            self.at.append(length)
            self.shift.append(total)
        parts.append(text[position:])
        self.text = "".join(parts)

    def __call__(self, offset: int) -> int:
        return offset + self.shift[bisect_right(self.at, offset) - 1]


@lru_cache(maxsize=64)
def lex(path: str, text: str) -> tuple[Line, ...]:
    """Split a file into directive lines and runs of text. Raises SourceError on an unterminated comment."""
    if "\\" in text and _SPLICE.search(text):
        spliced = _Splices(text)
        return tuple(_lines(path, spliced.text, spliced))
    return tuple(_lines(path, text, None))


def _lines(path: str, text: str, place: _Splices | None) -> list[Line]:
    lines: list[Line] = []
    run: list[Token] = []
    current: list[Token] = []  # of a directive
    in_directive = False
    directive_start = 0
    fresh, space = True, False
    append = run.append
    raw = 'R"' in text and not path.endswith(".c")  # of C++
    for match in (_WITH_RAW if raw else _MASTER).finditer(text):
        kind = match.lastgroup
        if kind == "ws" or kind == "comment":
            space = True
            continue
        if kind == "nl":
            if in_directive:
                lines.append(Line(True, directive_start, tuple(current)))
                current, in_directive = [], False
                append = run.append
            fresh = space = True
            continue
        start, end = match.span()
        if place is not None:
            start, end = place(start), place(end - 1) + 1
        if kind == "open":
            raise SourceError("HLP002", "unterminated comment", path, start, end)
        value = match.group()
        if kind == "raw":  # the same characters as a plain literal
            kind, inner = "str", match["inner"].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            value = f'{value[: value.index("R")]}"{inner}"'
        if fresh and value == "#":
            if run:
                lines.append(Line(False, run[0].start, tuple(run)))
                run = []
            in_directive, directive_start = True, start
            append = current.append
            fresh = False
            space = False
            continue
        fresh = False
        token = Token(kind, value, path, start, end, space)  # type: ignore[arg-type]
        space = False
        if (kind == "str" or kind == "chr") and not token.space:
            previous = current if in_directive else run
            if previous and previous[-1].text in _PREFIXES and previous[-1].end == start:
                prefix = previous.pop()
                token.text, token.start, token.space = prefix.text + value, prefix.start, prefix.space
        append(token)
    if in_directive:
        lines.append(Line(True, directive_start, tuple(current)))
    if run:
        lines.append(Line(False, run[0].start, tuple(run)))
    return lines


def lex_line(text: str, path: str = "<text>") -> list[Token]:
    """Tokens of a piece of text that holds no directive."""
    return [token for line in lex(path, " " + text) for token in line.tokens]


def spell(tokens: Sequence[Token]) -> str:
    """Text of tokens, with one blank wherever there was white space."""
    return "".join((" " if t.space and i else "") + t.text for i, t in enumerate(tokens))


def with_qualified_names(tokens: Sequence[Token]) -> list[Token]:
    """``C::n``, a constant of a class, as one name."""
    out: list[Token] = []
    for token in tokens:
        if token.kind == "id" and len(out) > 1 and out[-1].text == "::" and out[-2].kind == "id":
            name = out[-2].copy()
            name.text = f"{name.text}::{token.text}"
            out[-2:] = [name]
        else:
            out.append(token)
    return out
