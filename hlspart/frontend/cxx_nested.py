"""Classes with member functions that stand in other classes, as classes of their own.

``struct A { struct B { int x; B(int v) : x(v) {} }; B b; };`` becomes ``struct A::B { .. }; struct A { A::B b; };``,
where ``A::B`` is one name. What the inner class says of the outer one's types and constants is written out in it. One
that says more of it, such as the outer class itself, stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_members import TAGS, ClassText, head_of, read_class
from hlspart.frontend.cxx_shapes import closing
from hlspart.frontend.tokens import PragmaToken, SourceError, Token

_NO_HEAD = ("enum", "<", ",", "typedef", "(", "friend")
_MORE = frozenset(("operator", "static", "typedef", "using", "enum", "friend", "template", "virtual"))
_MEMBER_OF = (".", "->")


def without_nested(tokens: list[Token]) -> list[Token]:
    """The tokens with such classes before those that they stand in."""
    if not any(t.text in TAGS for t in tokens):
        return tokens
    end = like("", "eof", tokens[-1])
    tokens = [*tokens, *[end] * LOOK_AHEAD]
    at = 0
    while at < len(tokens) - LOOK_AHEAD:
        opening = _opens(tokens, at)
        while opening is not None and (inner := next(_inner(tokens, at, opening), None)) is not None:
            _taken_out(tokens, at, *inner)
            opening = _opens(tokens, at)  # of the class that now stands there
        at += 1
    return tokens[:-LOOK_AHEAD]


def _opens(tokens: Sequence[Token], at: int) -> int | None:
    if tokens[at].text not in TAGS or (at and tokens[at - 1].text in _NO_HEAD):
        return None
    return head_of(tokens, at)


def _inner(tokens: list[Token], at: int, opening: int) -> Iterator[tuple[int, int, list[Token]]]:
    """Classes directly in one that can stand before it: where they begin and end, and their text there."""
    last = closing(tokens, opening)
    here, own = opening + 1, None
    while here < last:
        inner = _opens(tokens, here)
        if inner is not None:
            end = closing(tokens, inner)
            if end < last and tokens[end + 1].text == ";" and _has_functions(tokens, inner, end):
                own = _text(tokens, at) if own is None else own
                text = own and _alone(tokens[here : end + 2], own, tokens[opening + 1 : last])
                if text:
                    yield here, end + 2, text
            here = end
        elif tokens[here].text in ("{", "(", "["):
            here = closing(tokens, here)
        here += 1


def _has_functions(tokens: Sequence[Token], opening: int, last: int) -> bool:
    """Whether a class has what a structure of C has not."""
    at = opening + 1
    while at < last:
        text = tokens[at].text
        if text in _MORE or (text == "(" and tokens[at + 1].text != "*" and tokens[at - 1].kind == "id"):
            return True
        if text in ("=", "{") and (tokens[at - 1].kind == "id" or tokens[at - 1].text == "]"):
            return True
        at = closing(tokens, at) + 1 if text in ("{", "(", "[") else at + 1
    return False


def _text(tokens: list[Token], at: int) -> ClassText | None:
    try:
        return read_class(tokens, at)
    except SourceError:
        return None


def _alone(words: list[Token], outer: ClassText, around: Sequence[Token]) -> list[Token] | None:
    """A class without what it says of the one around it; None where it says more than can be written out."""
    name = words[1]
    if sum(t.text == name.text and b.text in TAGS for b, t in pairwise(around)) > 1:
        return None  # declared apart from its definition
    known: dict[str, list[Token]] = {}
    for alias, text in outer.types:
        plain = [t for t in text[1:-2] if t.text != "typename"] if text and text[0].text == "typedef" else []
        known[alias] = plain if alias != name.text else [name]
    for member in outer.statics:
        value = [t for t in member.value if t.text not in ("=", "{", "}")]
        constant = any(t.text in ("const", "constexpr") for t in member.type) and not member.extents
        bracket = [like("(", "op", name), *value, like(")", "op", name)]
        known[member.name.text] = bracket if constant and value else []
    others = {m.name.text for m in outer.data} | {f.name.text for f in outer.functions} | {*outer.enumerators}
    others |= {outer.name.text, outer.name.text.partition("<")[0]} - {name.text}
    own = _declared(words)
    made: list[Token] = []
    k = 0
    while k < len(words):
        token = words[k]
        k += 1
        if token.kind != "id" or isinstance(token, PragmaToken) or (k > 1 and words[k - 2].text in _MEMBER_OF):
            made.append(token)
            continue
        named = token.text not in own
        if token.text == outer.name.text and words[k].text == "::" and words[k + 1].text in known:
            token, named, k = words[k + 1], True, k + 2
        if token.text in known and named and token.text != name.text:
            if not known[token.text]:
                return None
            made += [like(t.text, t.kind, token) for t in known[token.text]]
        elif token.text in others and named:
            return None
        else:
            made.append(token)
    return made


def _declared(words: Sequence[Token]) -> set[str]:
    """The names that a class gives a meaning of its own: those behind a type."""
    pairs = zip(words, words[1:], words[2:], strict=False)
    ends = (";", ",", ")", "=", "[", "(", "{", ":")
    said = ("return", "else", "case")
    return {
        b.text
        for a, b, c in pairs
        if b.kind == "id" and c.text in ends and (a.text in ("*", "&", ">") or (a.kind == "id" and a.text not in said))
    }


def _taken_out(tokens: list[Token], outer: int, first: int, behind: int, text: list[Token]) -> None:
    """Put a class before the one that it stands in, in place, and its new name where it is meant."""
    name, around = text[1].text, tokens[outer + 1].text
    full = f"{around}::{name}"
    del tokens[first:behind]
    heirs = {around}
    at = 0
    while at < len(tokens):
        opening = _opens(tokens, at)
        if opening is not None and (tokens[at + 1].text in heirs or _has_one(tokens[at + 2 : opening], heirs)):
            heirs.add(tokens[at + 1].text)
            _renamed(tokens, opening, closing(tokens, opening), name, full)
        elif tokens[at].text in heirs and tokens[at].kind == "id" and tokens[at + 1].text == "::":
            if tokens[at + 2].text == name:
                tokens[at : at + 3] = [like(full, "id", tokens[at])]
            elif tokens[at + 2].kind == "id" and tokens[at + 3].text == "(":
                _renamed(tokens, at + 2, _end_of_definition(tokens, at + 3), name, full)
        at += 1
    for own in {name, name.partition("<")[0]}:  # an instance of a template has both
        _renamed(text, 0, len(text), own, full)
    tokens[outer:outer] = text


def _has_one(words: Sequence[Token], names: set[str]) -> bool:
    return any(t.text in names for t in words)


def _end_of_definition(tokens: Sequence[Token], opening: int) -> int:
    """The end of the function whose parameters begin there; its start for a call."""
    at = closing(tokens, opening) + 1
    while tokens[at].text not in ("{", ";", "}", ")", ",") and tokens[at].kind != "eof":
        at = closing(tokens, at) + 1 if tokens[at].text == "(" else at + 1
    return closing(tokens, at) if tokens[at].text == "{" else opening


def _renamed(tokens: list[Token], first: int, last: int, name: str, full: str) -> None:
    for at in range(first, last):
        token = tokens[at]
        if token.kind != "id" or token.text != name or tokens[at + 1].text == "<":
            continue
        if at == 0 or tokens[at - 1].text not in (*_MEMBER_OF, "::"):
            tokens[at] = like(full, "id", token)
