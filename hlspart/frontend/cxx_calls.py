"""Calls of objects whose class has templates of ``operator()``, by the name that such a template has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from hlspart.frontend.cxx_collect import class_ranges, like
from hlspart.frontend.cxx_shapes import declared
from hlspart.frontend.tokens import Token

CALLED = "operator()_"  # how the name of such a template begins, its class behind it


def with_names(tokens: list[Token]) -> list[Token]:
    """The tokens with a name for each template of ``operator()`` in a class that has no other ``operator()``."""
    if all(t.text != "operator" for t in tokens):
        return tokens
    for opening, last, owner in reversed(list(class_ranges(tokens))):
        places = [at for at in _own(tokens, opening, last) if _is_call(tokens, at)]
        if all(_is_of_a_template(tokens, at) for at in places):
            for at in reversed(places):
                tokens[at : at + 3] = [like(f"{CALLED}{owner}", "id", tokens[at])]
    return tokens


def _own(tokens: list[Token], opening: int, last: int) -> Iterator[int]:
    """The places directly in a class, not in a class or a body inside of it."""
    level = 0
    for at in range(opening + 1, last):
        level += (tokens[at].text == "{") - (tokens[at].text == "}")
        if not level:
            yield at


def _is_call(tokens: list[Token], at: int) -> bool:
    return tokens[at].text == "operator" and [t.text for t in tokens[at + 1 : at + 4]] == ["(", ")", "("]


def _is_of_a_template(tokens: list[Token], at: int) -> bool:
    """Whether the declaration of a member is a template's."""
    while tokens[at - 1].text not in (";", "{", "}", ":"):
        at -= 1
    return tokens[at].text == "template"


def has_calls(names: Iterable[str]) -> bool:
    """Whether one is the name of a template of ``operator()``."""
    return any(name.startswith(CALLED) for name in names)


def named_call(tokens: list[Token], at: int, templates: Collection[str]) -> None:
    """``f(x)``, ``F()(x)`` and ``f.operator()<T>(x)`` as a call of a member of that name, in place.

    ``at``: where the object ends. The member must be among ``templates``.
    """
    end = at + 1
    if end + 4 >= len(tokens):
        return
    said = tokens[end].text == "." and tokens[end + 1].text == "operator"
    end += 4 if said else 0
    if tokens[end].text != "(" and not (said and tokens[end].text == "<"):
        return
    called = f"{CALLED}{_class_of(tokens, at)}"
    if called in templates:
        tokens[at + 1 : end] = [like(".", "op", tokens[at]), like(called, "id", tokens[at])]


def _class_of(tokens: list[Token], at: int) -> str:
    """The class of the object that ends at ``at``: a variable, or one that is built there."""
    if tokens[at].text != ")":
        shape = declared(tokens[at].text, tokens, at)
        return "" if shape is None or shape.called or shape.extents else shape.type[-1].text
    opening, level = at, 1
    while level and opening:
        opening -= 1
        level += (tokens[opening].text == ")") - (tokens[opening].text == "(")
    return tokens[opening - 1].text
