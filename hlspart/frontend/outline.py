"""Where declarations and statements begin and end, from brackets and a few words, before anything is parsed.

The grammar of C++ is not needed for that; it is how what cannot be read is kept apart from what can.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from hlspart.frontend.tokens import PragmaToken, Token

Kind = Literal["declaration", "class", "method", "function", "body", "statement", "loop"]

_CONTAINERS = frozenset(("struct", "class", "union", "enum"))
_LOOPS = frozenset(("for", "while", "do"))
_CONTINUES = frozenset((",", ";", "=", "(", "[", ".", "->"))  # what follows a brace that ends no function


class OutlineItem(Struct, frozen=True):
    """Tokens ``first..last``. A "body" is what stands between the braces of a function.

    A "method" is the body of a member function with its braces, where it may be left out.
    """

    kind: Kind
    first: int
    last: int


class Outline:
    """The items of a unit. ``match``: bracket partners by token."""

    def __init__(self, tokens: Sequence[Token], match: Sequence[int]) -> None:
        self.tokens, self.match = tokens, match
        self.texts = [t.text if t.kind in ("op", "id") else "" for t in tokens]
        self._known: dict[int, list[tuple[int, int, int | None, Kind | None]]] = {}  # by the first token
        self._blocks: dict[tuple[int, int], list[tuple[int, int, list[tuple[int, int]]]]] = {}

    def around(self, at: int) -> tuple[OutlineItem, ...]:
        """Everything that holds token ``at``, from the outermost item to the innermost."""
        return tuple(self._within(0, len(self.tokens), at, False))

    # ------------------------------------------------------------------------- declarations

    def _skipped(self, at: int) -> bool:
        return isinstance(self.tokens[at], PragmaToken) or self.texts[at] == ";"

    def _namespace(self, at: int, end: int) -> int | None:
        """The brace of the namespace or linkage block that begins here."""
        texts = self.texts
        if texts[at] == "extern" and at + 2 < end and self.tokens[at + 1].kind == "str" and texts[at + 2] == "{":
            return at + 2
        first = at + (texts[at] == "inline")
        if first < end and texts[first] == "namespace":
            while at < end and texts[at] not in ("{", ";", "="):
                at += 1
            return at if at < end and texts[at] == "{" else None
        return None

    def _declaration(self, start: int, end: int) -> tuple[int, int | None, Kind]:
        """Last token of the declaration that begins here, the brace of its class or function, and what it is."""
        at, head, called, value = start, False, False, False
        angle = self._template_end(start, end)
        if angle is not None:
            at = angle + 1
        opening: int | None = None
        kind: Kind = "declaration"
        while at < end:
            text = self.texts[at]
            if text == ";":
                return at, opening, kind
            head = head or (text in _CONTAINERS and not called)
            value = value or (text == "=" and self.texts[at - 1] != "operator")
            called = called or text == "("
            if text == "{":
                last = self.match[at]
                if opening is None and not value:
                    opening = at
                    kind = "class" if head and not called else "function"
                    following = self._next(last + 1, end)
                    continued = following is not None and self.texts[following] in (*_CONTINUES, "{")
                    if kind == "function" and not continued:
                        return last, opening, kind
                    if kind == "function":  # a member's initial value
                        opening = None
                elif kind == "function" or (called and not value):
                    return last, at, "function"
                at = last
            elif self.match[at] > at:
                at = self.match[at]
            at += 1
        return end - 1, opening, kind

    def _next(self, at: int, end: int) -> int | None:
        while at < end and isinstance(self.tokens[at], PragmaToken):
            at += 1
        return at if at < end else None

    def _template_end(self, at: int, end: int) -> int | None:
        """The ``>`` of the template heads that begin here."""
        end_of: int | None = None
        while at + 1 < end and self.texts[at] == "template" and self.texts[at + 1] == "<":
            level = 0
            at += 1
            while at < end:
                text = self.texts[at]
                level += (text == "<") - (text == ">") - 2 * (text == ">>")
                if level <= 0:
                    break
                at = self.match[at] + 1 if self.match[at] > at else at + 1
            end_of = min(at, end - 1)
            at += 1
        return end_of

    def _items(self, start: int, end: int, members: bool) -> list[tuple[int, int, int | None, Kind | None]]:
        """Declarations between two tokens, each with its last token, its brace and its kind (None: a namespace)."""
        known = self._known.get(start)
        if known is not None:
            return known
        items: list[tuple[int, int, int | None, Kind | None]] = []
        at = start
        while at < end:
            if self._skipped(at) or (members and self.texts[at + 1 : at + 2] == [":"]):
                at += 1
                continue
            opening = None if members else self._namespace(at, end)
            if opening is not None:
                items.append((at, self.match[opening], opening, None))
            else:
                items.append((at, *self._declaration(at, end)))
            at = items[-1][1] + 1
        self._known[start] = items
        return items

    def _within(self, start: int, end: int, place: int, members: bool) -> Iterator[OutlineItem]:
        items = self._items(start, end, members)
        number = bisect_right(items, place, key=lambda item: item[0]) - 1
        if number < 0 or items[number][1] < place:
            return
        at, last, brace, kind = items[number]
        if kind is not None:
            yield OutlineItem(kind, at, last)
        if brace is None or not brace < place < self.match[brace]:
            return
        if kind is None or kind == "class":
            yield from self._within(brace + 1, self.match[brace], place, kind == "class")
        else:
            yield OutlineItem("body", brace + 1, self.match[brace] - 1)
            yield from self._statements(brace + 1, self.match[brace], place)

    # --------------------------------------------------------------------------- statements

    def _statements(self, start: int, end: int, place: int) -> Iterator[OutlineItem]:
        statements = self._statements_of(start, end)
        number = bisect_right(statements, place, key=lambda statement: statement[0]) - 1
        if number < 0 or statements[number][1] < place:
            return
        at, last, inner = statements[number]
        if self.texts[at] != "{":
            yield OutlineItem("loop" if self.texts[at] in _LOOPS else "statement", at, last)
        for low, high in inner:
            if low <= place < high:
                yield from self._statements(low, high, place)

    def _statements_of(self, start: int, end: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
        """Statements between two tokens, each with its last token and the ranges of the statements in it."""
        known = self._blocks.get((start, end))
        if known is not None:
            return known
        statements = self._blocks[start, end] = []
        at = start
        while at < end:
            if isinstance(self.tokens[at], PragmaToken):
                at += 1
                continue
            statements.append((at, *self._statement(at, end)))
            at = statements[-1][1] + 1
        return statements

    def _statement(self, at: int, end: int) -> tuple[int, list[tuple[int, int]]]:
        """Last token of the statement that begins here, and the ranges of the statements in it."""
        inner: list[tuple[int, int]] = []
        while True:
            following = self._next(at, end)
            if following is None:
                return end - 1, inner
            at = following
            text = self.texts[at]
            if text == "{":
                inner.append((at + 1, self.match[at]))
                return self.match[at], inner
            if text in ("for", "while", "switch", "if"):
                at += 1
                while at < end and self.texts[at] != "(":  # if constexpr
                    at += 1
                if at >= end:
                    return end - 1, inner
                first = self.match[at] + 1
                last, _ = self._statement(first, end)
                inner.append((first, last + 1))
                other = self._next(last + 1, end)
                if text != "if" or other is None or self.texts[other] != "else":
                    return last, inner
                at = other + 1
                last, _ = self._statement(at, end)
                inner.append((at, last + 1))
                return last, inner
            if text == "do":
                last, _ = self._statement(at + 1, end)
                inner.append((at + 1, last + 1))
                at = last + 1
                break
            if text in ("case", "default") or (self.texts[at + 1 : at + 2] == [":"] and self.tokens[at].kind == "id"):
                while at < end and self.texts[at] not in (":", ";", "{"):
                    at += 1
                return at, inner
            break
        while at < end and self.texts[at] != ";":
            at = self.match[at] + 1 if self.match[at] > at else at + 1
        return min(at, end - 1), inner
