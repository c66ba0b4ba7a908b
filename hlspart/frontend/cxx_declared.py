"""Declarations of objects, taken apart into declarators."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hlspart.frontend.cxx_members import OPEN, partner
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import PragmaToken, Token


class ObjectDeclarator(Struct, frozen=True):
    """One of the names that a declaration has: its extents with brackets, and its initial value.

    ``opening`` is what begins the value: ``(``, ``{``, ``=`` or nothing. ``value`` is what stands between the brackets
    or behind the sign.
    """

    name: Token
    extents: list[Token]
    opening: str
    value: list[Token]

    @property
    def arguments(self) -> list[list[Token]]:
        """What a constructor is handed."""
        return [self.value] if self.opening == "=" else split(self.value)


def declarators(tokens: Sequence[Token], at: int) -> tuple[list[ObjectDeclarator], int] | None:
    """The declarators from ``at`` on and the place of the semicolon; None where there are others than plain names."""
    objects: list[ObjectDeclarator] = []
    while True:
        one = _declarator(tokens, at)
        if one is None:
            return None
        declarator, end = one
        objects.append(declarator)
        if tokens[end].text == ";":
            return objects, end
        if tokens[end].text != ",":
            return None
        at = end + 1


def _declarator(tokens: Sequence[Token], at: int) -> tuple[ObjectDeclarator, int] | None:
    name, end = tokens[at], at + 1
    if name.kind != "id" or isinstance(name, PragmaToken):
        return None
    while tokens[end].text == "[":
        end = partner(tokens, end) + 1
    extents, opening = list(tokens[at + 1 : end]), tokens[end].text
    if opening in (";", ","):
        return ObjectDeclarator(name, extents, "", []), end
    if opening in ("(", "{"):
        last = partner(tokens, end)
        return ObjectDeclarator(name, extents, opening, list(tokens[end + 1 : last])), last + 1
    if opening != "=":
        return None
    start = end = end + 1
    while tokens[end].text not in (",", ";"):
        if tokens[end].kind == "eof":
            return None
        end = partner(tokens, end) + 1 if tokens[end].text in OPEN else end + 1
    value = list(tokens[start:end])
    if value and value[0].text == "{":
        return ObjectDeclarator(name, extents, "{", value[1:-1]), end
    return ObjectDeclarator(name, extents, "=", value), end
