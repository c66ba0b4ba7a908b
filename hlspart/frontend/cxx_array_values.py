"""Arrays that constructors set, as statements: ``a{x, y}`` as ``self.a[0] = x; self.a[1] = y;``, the rest zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_members import OPEN, partner, refuse
from hlspart.frontend.cxx_scope import SELF
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import Token

_Extents = list[list[Token]]


def extents_of(tokens: Sequence[Token]) -> _Extents:
    """What stands in each pair of brackets of ``[3][N]``."""
    dims: _Extents = []
    at = 0
    while at < len(tokens):
        last = partner(tokens, at)
        dims, at = [*dims, list(tokens[at + 1 : last])], last + 1
    return dims


def set_array(
    name: Token, extents: _Extents, value: list[Token], at: Token, count: Callable[[list[Token]], int | None]
) -> Iterator[Token]:
    """The statements that set the member ``name`` of the object at hand to a list. Raises SourceError.

    ``count``: the value of an extent, None where it is not seen.
    """
    if all(t.text in ("0", "{", "}", ",") for t in value):
        yield from _zeros(name, [], extents, 0, at)
    else:
        yield from _listed(name, [], extents, value, at, count)


def _listed(
    name: Token, place: list[Token], extents: _Extents, value: list[Token], at: Token,
    count: Callable[[list[Token]], int | None],
) -> Iterator[Token]:  # fmt: skip
    """The elements at ``place``, of the dimensions that are left."""
    parts = [part for part in split(value) if part]
    for number, part in enumerate(parts):
        here = [*place, *_words(["[", str(number), "]"], at)]
        row = part[0].text == "{" and partner(part, 0) == len(part) - 1
        if row != (len(extents) > 1) or any(t.kind == "str" for t in part):
            raise refuse(at, "array that a constructor sets in another form than by rows")
        if row:
            yield from _listed(name, here, extents[1:], part[1:-1], at, count)
        else:
            yield from (*_element(name, here, at), *_words(["="], at), *part, *_words([";"], at))
    if count(extents[0]) != len(parts):
        yield from _zeros(name, place, extents, len(parts), at)


def _zeros(name: Token, place: list[Token], extents: _Extents, first: int, at: Token) -> Iterator[Token]:
    """Loops that set the elements from ``first`` on to zero."""
    begin, place = first, list(place)
    for extent in extents:
        counter = f"{name.text}_{sum(t.text in OPEN for t in place)}"
        yield from _words(["for", "(", "int", counter, "=", str(begin), ";", counter, "<", "("], at)
        yield from extent
        yield from _words([")", ";", counter, "++", ")"], at)
        place += _words(["[", counter, "]"], at)
        begin = 0
    yield from (*_element(name, place, at), *_words(["=", "0", ";"], at))


def _element(name: Token, place: list[Token], at: Token) -> list[Token]:
    return [*_words([SELF, "."], at), like(name.text, "id", at), *(like(t.text, t.kind, at) for t in place)]


def _words(words: Sequence[str], at: Token) -> list[Token]:
    return [like(w, "id" if w.isidentifier() else "num" if w.isdigit() else "op", at) for w in words]
