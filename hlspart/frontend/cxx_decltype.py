"""``decltype(..)`` as the type that it names, where the declaration of a variable says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_members import head_of, partner
from hlspart.frontend.cxx_shapes import alias_of, arguments_of, closing, declared
from hlspart.frontend.cxx_types import BASIC
from hlspart.frontend.tokens import PragmaToken, Token

_COMPUTES = frozenset(("+", "-", "*", "/", "%"))
_LIBRARY = {"ap_int": "ap_int", "ap_uint": "ap_int", "ap_fixed": "ap_fixed", "ap_ufixed": "ap_fixed"}
_NO_TYPE = frozenset(("const", "static", "inline", "constexpr", "virtual", "&"))
_OPEN_RESULT = frozenset(("auto", "template", "decltype", "friend", "operator", "__attribute__", "using", "typedef"))
_NARROW = frozenset(("char", "short", "bool", "_Bool"))


def without_decltype(tokens: list[Token]) -> None:
    """Write out ``decltype(x)``, ``decltype(-x)`` and ``decltype(x.method(..))`` of a variable, in place.

    ``decltype(a * b) x = a * b;`` has the type of its value.
    """
    at = 0
    while at < len(tokens):
        if tokens[at].text == "decltype" and tokens[at + 1].text == "(":
            end = partner(tokens, at + 1)
            inside = tokens[at + 2 : end]
            type_ = _of_variable(inside, tokens, at) or _of_method(inside, tokens, at)
            value = [t.text for t in tokens[end + 3 : end + 3 + len(inside) + 1]]
            computed = tokens[end + 2].text == "=" and any(t.text in _COMPUTES for t in inside[1:])
            if type_:
                tokens[at : end + 1] = [_instead(t, tokens[at], tokens[end]) for t in type_]
            elif computed and value == [*(t.text for t in inside), ";"]:
                tokens[at : end + 1] = [_instead(like("auto", "id", tokens[at]), tokens[at], tokens[end])]
        at += 1


def _of_variable(inside: Sequence[Token], tokens: Sequence[Token], at: int) -> Sequence[Token]:
    """The type of ``x`` or ``-x``; nothing where that is not seen."""
    minus = len(inside) == 2 and inside[0].text == "-"
    shape = declared(inside[-1].text, tokens, at) if len(inside) == 1 + minus else None
    if shape is None or shape.extents or shape.type[0].text == "auto":
        return ()
    return _negated(shape.type) if minus else shape.type


def _of_method(inside: Sequence[Token], tokens: Sequence[Token], at: int) -> Sequence[Token]:
    """The type that ``x.method(..)`` gives, all methods of this name of the class of ``x``; nothing where not seen."""
    if [t.text for t in inside[1:4:2]] != [".", "("] or closing(inside, 3) != len(inside) - 1:
        return ()
    shape = declared(inside[0].text, tokens, at)
    if shape is None or shape.extents or shape.called:
        return ()
    alias = alias_of(shape.type[-1].text, tokens)
    names = [(alias or shape.type)[-1].text]
    for name in names:  # that of the class, then those of its bases
        heads = ((k, head_of(tokens, k)) for k in range(at) if tokens[k + 1].text == name)
        head, opening = next(((k, brace) for k, brace in heads if brace is not None), (at, at))
        types = list(_results(tokens, opening, inside[2].text))
        if types:
            return types[0] if all([t.text for t in x] == [t.text for t in types[0]] for x in types) else ()
        names += [t.text for t in tokens[head + 3 : opening] if t.kind == "id" and t.text not in names]
    return ()


def _results(tokens: Sequence[Token], opening: int, method: str) -> Iterator[Sequence[Token]]:
    """The types of what the methods of a class give that have this name; () for one that is not seen."""
    at, first, end = opening + 1, opening + 1, closing(tokens, opening)
    while at < end:
        token = tokens[at]
        if token.text == method and tokens[at + 1].text == "(":
            words = [t for t in tokens[first:at] if t.text not in _NO_TYPE and not isinstance(t, PragmaToken)]
            plain = all(t.kind in ("id", "num") or t.text in ("::", "<", ">", ">>", ",", "*", "(", ")", "+", "-")
                        for t in words)  # fmt: skip
            yield words if plain and words and not {t.text for t in words} & _OPEN_RESULT else ()
        at = closing(tokens, at) + 1 if token.text in ("(", "[", "{") else at + 1
        first = at if token.text in (";", "{", ":") else first


def _negated(type_: Sequence[Token]) -> Sequence[Token]:
    """The type of ``-x``: one of any width has a bit more and a sign, a narrow one of C is promoted."""
    words, first = {t.text for t in type_}, type_[0]
    if words <= BASIC and "void" not in words:
        return [like("int", "id", first)] if words & _NARROW else type_
    widths = arguments_of(type_)[: 1 + ("fixed" in first.text)]
    if first.text not in _LIBRARY or type_[1:2] == [] or type_[1].text != "<" or not widths:
        return ()
    more = [like(t, "num" if t == "1" else "op", first) for t in (")", "+", "1", ",")]
    wider = [t for width in widths for t in (like("(", "op", first), *width, *more)][:-1]
    return [like(_LIBRARY[first.text], "id", first), type_[1], *wider, type_[-1]]


def _instead(word: Token, first: Token, last: Token) -> Token:
    """A word that stands for all tokens from ``first`` to ``last``."""
    new = like(word.text, word.kind, first)
    if first.use is last.use and first.path == last.path:
        new.end = last.end
    return new
