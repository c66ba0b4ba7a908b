"""Unions without a name in a block: ``union { int i; float f; };`` makes ``i`` and ``f`` names of one memory.

It gets a name, and its members are members of it. One whose names mean something else further down stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hlspart.frontend.cxx_closures import not_in_text
from hlspart.frontend.cxx_collect import TAGS, like
from hlspart.frontend.cxx_members import partner
from hlspart.frontend.cxx_references import are_in_pragmas, declares, end_of_block, renamed
from hlspart.frontend.tokens import Token


def without_unnamed_unions(tokens: list[Token]) -> None:
    """Name those in the bodies of functions."""
    if not any(t.text == "union" and t.kind == "id" for t in tokens):
        return
    blocks: list[bool] = []  # of each open brace: whether statements stand in it
    for at, token in enumerate(tokens):  # which grow behind it
        if token.kind == "op" and token.text == "{":
            blocks.append(_holds_statements(tokens, at, bool(blocks) and blocks[-1]))
        elif token.kind == "op" and token.text == "}" and blocks:
            blocks.pop()
        elif token.kind == "id" and token.text == "union" and blocks and blocks[-1] and tokens[at + 1].text == "{":
            _name(tokens, at)


def _holds_statements(tokens: Sequence[Token], opening: int, within: bool) -> bool:
    """Whether a brace opens a block of a function, not a class, a namespace or a list."""
    first = opening
    while first > 0 and tokens[first - 1].text not in (";", "{", "}"):
        first -= 1
    words = [t.text for t in tokens[first:opening]]
    if not words:
        return within
    if words[-1] in ("=", ",", "return") or "namespace" in words:
        return False
    return ")" in words or (within and set(words).isdisjoint((*TAGS, "enum")))


def _name(tokens: list[Token], at: int) -> None:
    """Name the union whose word stands at an index, where its members can be told from all that follows."""
    close = partner(tokens, at + 1)
    members = list(_members(tokens[at + 2 : close]))
    end = end_of_block(tokens, close + 1)
    rest = tokens[close + 1 : end]  # with the semicolon
    alone = bool(rest) and rest[0].text == ";" and bool(members)
    if not alone or any(declares(m, rest) or not are_in_pragmas(m, rest, False) for m in members):
        return
    name = f"union({', '.join(members)})"  # that nothing else has
    object_ = [like(name, "id", tokens[at])]
    for member in members:
        place = [*object_, like(".", "op", tokens[at]), like(member, "id", tokens[at])]
        rest = list(renamed(rest, member, place))
    tokens[close + 1 : end] = [*not_in_text(object_, tokens[at]), *rest]


def _members(body: Sequence[Token]) -> Iterator[str]:
    """Names that its declarations declare."""
    level = 0
    for here, behind in pairwise(body):
        if here.kind == "op":
            level += (here.text in "([{<") - (here.text in ")]}>")
        elif level == 0 and here.kind == "id" and behind.text in (";", ",", "[", ":"):
            yield here.text
