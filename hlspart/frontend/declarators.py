"""Declarators in their exact pieces: where a name, its brackets and its initial value stand."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from hlspart.frontend.context import Context
from hlspart.model import program as ir
from hlspart.model.source import Origin


class Declarators:
    """Places the declarators of one unit."""

    def __init__(self, context: Context) -> None:
        self.context, self.text = context, context.text

    def name_index(self, node: Any, name: str, start: int, end: int) -> int:
        """Token of the declared name inside ``start..end``."""
        inner = node
        while inner is not None and not isinstance(inner, c_ast.TypeDecl):
            inner = getattr(inner, "type", None)
        texts = self.text.texts
        if inner is not None and inner.coord is not None:
            at: int = inner.coord.line
            if start <= at <= end and texts[at] == name:
                return at
        for at in range(start, end + 1):
            if texts[at] == name:
                return at
        raise self.context.fail(start, f"cannot place the declaration of '{name}'")

    def pieces(
        self, name_at: int, start: int, first: int | None, end: int, index: int, count: int, stop: int
    ) -> ir.Declarator:
        """Pieces of a declarator. ``start..stop``: the statement; ``first``: where this declarator begins
        (None: after the specifiers); ``end``: its last token, initial value included."""
        texts, match = self.text.texts, self.text.match
        begin = self.start_of(name_at, start) if first is None else first
        brackets: list[Origin] = []
        last = at = name_at
        while at + 1 <= end:
            following = texts[at + 1]
            if following == "[":
                brackets.append(self.text.origin(at + 1, match[at + 1]))
                at = last = match[at + 1]
            elif following == "(":
                at = last = match[at + 1]
            elif following == ")" and match[at + 1] >= begin:
                at = last = at + 1
            else:
                break
        initialiser = None
        if last + 1 < end and texts[last + 1] == "=":
            initialiser = self.text.origin(last + 2, end)
        specifiers = self.start_of(self.first_name, start) - 1 if index else begin - 1
        specifiers = max(start, specifiers)
        origin = self.text.origin
        return ir.Declarator(
            origin(start, stop), origin(start, specifiers), origin(begin, last), origin(name_at, name_at),
            tuple(brackets), initialiser, index, count,
        )  # fmt: skip

    first_name = 0

    def start_of(self, name_at: int, start: int) -> int:
        """Where the declarator around a name begins: its stars, references and opening brackets."""
        texts = self.text.texts
        at = name_at
        while at - 1 > start:
            before = texts[at - 1]
            if before in ("*", "(", "&"):
                at -= 1
            elif before in ("const", "restrict", "volatile", "__restrict", "__restrict__", "__const"):
                back = at - 1
                while back > start and texts[back] in (
                    "const",
                    "restrict",
                    "volatile",
                    "__restrict",
                    "__restrict__",
                    "__const",
                ):
                    back -= 1
                if texts[back] != "*":
                    break
                at = back
            else:
                break
        return at

    def split(self, start: int, end: int) -> list[tuple[int, int]]:
        """Ranges between commas outside of brackets in ``start..end`` (inclusive)."""
        ranges: list[tuple[int, int]] = []
        texts, match = self.text.texts, self.text.match
        begin = at = start
        while at <= end:
            if texts[at] == ",":
                ranges.append((begin, at - 1))
                begin = at + 1
            at = match[at] + 1 if match[at] > at else at + 1
        if begin <= end:
            ranges.append((begin, end))
        return ranges
