"""Source text, spans into it and edits on it.

Offsets are indices into :attr:`SourceText.text`, which is the file decoded as UTF-8 with
``surrogateescape`` and with its line ends untouched, so that encoding it again gives the file's
own bytes back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from msgspec import Struct

OWN = "<hlspart>/"  # path prefix of the headers that hlspart brings along


class Span(Struct, frozen=True, order=True):
    """Half-open range ``[start, end)`` of offsets in the file ``path``."""

    path: str
    start: int
    end: int

    def holds(self, other: Span) -> bool:
        """Whether ``other`` lies in this span."""
        return self.path == other.path and self.start <= other.start and other.end <= self.end


class SourceText(Struct, frozen=True, dict=True):
    """One file's text; ``path`` is as the user gave it."""

    path: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    @cached_property
    def newline(self) -> str:
        """The line end of the file: that of its first line."""
        at = self.text.find("\n")
        return "\r\n" if at > 0 and self.text[at - 1] == "\r" else "\n"

    def with_line_ends(self, text: str) -> str:
        """New text with the line ends of the file."""
        return re.sub(r"\r?\n", "\r\n", text) if self.newline == "\r\n" and "\n" in text else text

    def line_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column of ``offset``; columns count characters."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_span(self, line: int) -> Span:
        """Span of a 1-based line, without its line end (LF or CRLF)."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return Span(self.path, start, end)

    def above(self, offset: int) -> int:
        """Where the line above that of ``offset`` ends: what is inserted there begins with a line end."""
        return self.line_span(self.line_column(offset)[0] - 1).end

    def line_text(self, line: int) -> str:
        """Text of a 1-based line, without its line end."""
        span = self.line_span(line)
        return self.text[span.start : span.end]

    def slice(self, span: Span) -> str:
        """The text of ``span``."""
        return self.text[span.start : span.end]


OriginKind = Literal["plain", "argument", "macro", "mixed", "new"]


class Origin(Struct, frozen=True):
    """Where a piece of the program comes from.

    ``plain``: first and last token stand in the file at the ends of ``span`` and nothing of the
    piece lies outside it (macro uses *inside* are allowed): the span may be edited.
    ``argument``: the tokens were passed to a macro; ``span`` is their text in the argument. It may
    be edited only when the argument is expanded exactly once with one meaning.
    ``macro``: made by a macro's body; ``span`` is the use of ``macro``, never editable in parts.
    ``mixed``: begins and ends in different expansions; ``span`` covers the uses.
    ``new``: a transformation made it, in the place of ``span`` (empty: it is put there). Only between a
    transformation and the text that is made of its result.
    """

    span: Span
    kind: OriginKind = "plain"
    macro: str | None = None

    @property
    def editable(self) -> bool:
        """Whether replacing ``span`` replaces exactly this piece."""
        return self.kind == "plain"


class Edit(Struct, frozen=True):
    """Replace the text of ``span`` (empty span: insert) with ``text``."""

    span: Span
    text: str


_PIECE = re.compile(r"/\*.*?\*/|//(?:\\\r?\n|[^\n])*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\\\r?\n|\s+", re.S)


def one_line(text: str, keep: bool = True) -> str:
    """A piece of C in one line; ``keep``: with its comments, as ``/* */``."""

    def plain(match: re.Match[str]) -> str:
        piece = match[0]
        if piece[0] in "\"'":
            return piece
        if piece[0] == "/":
            return f"/*{_inside(piece)}*/" if keep else " "
        return "" if piece[0] == "\\" else " "

    return _PIECE.sub(lambda m: " " if m[0].isspace() else m[0], _PIECE.sub(plain, text)).strip()


def comments(text: str) -> list[str]:
    """The comments of a piece of C, each fit to stand on any line."""
    pieces = [m[0] for m in _PIECE.finditer(text) if m[0][0] == "/"]
    return [p if p.startswith("/*") else f"/*{_inside(p)}*/" for p in pieces]


def _inside(comment: str) -> str:
    """The text of a comment, in one line."""
    if comment.startswith("/*"):
        return re.sub(r"\s*\n\s*", " ", comment[2:-2])
    return re.sub(r"\\\r?\n", " ", comment[2:]).replace("*/", "* /").rstrip() + " "


def apply_edits(source: SourceText, edits: Iterable[Edit]) -> str:
    """Text of ``source`` after ``edits``, in its line ends; insertions at one offset keep their given order.

    Raises ValueError on overlapping edits or on an edit of another file: that is a bug of the caller.
    """
    ordered = sorted(edits, key=lambda e: (e.span.start, e.span.end))
    parts: list[str] = []
    at = 0
    for edit in ordered:
        if edit.span.path != source.path:
            raise ValueError(f"edit of {edit.span.path} applied to {source.path}")
        if edit.span.start < at:
            raise ValueError(f"overlapping edits at offset {edit.span.start} of {source.path}")
        parts += (source.text[at : edit.span.start], source.with_line_ends(edit.text))
        at = edit.span.end
    parts.append(source.text[at:])
    return "".join(parts)
