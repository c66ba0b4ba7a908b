"""Local references: ``T &x = a.m[i];`` makes ``x`` another name of ``a.m[i]``, and is read as such.

What an index was when the reference was bound is kept in a constant of its own, unless nothing changes it meanwhile.
References to what a call gives, and those whose name means something else further down, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hlspart.frontend.cxx_closures import ASSIGNED, changes, not_in_text
from hlspart.frontend.cxx_collect import like, matching_angle
from hlspart.frontend.cxx_members import partner
from hlspart.frontend.cxx_shapes import declared, semicolon
from hlspart.frontend.cxx_types import BASIC, split
from hlspart.frontend.tokens import PragmaToken, Token

_NO_TYPE = frozenset((
    "return", "case", "else", "goto", "delete", "new", "throw", "static", "typedef", "using", "extern", "operator",
    "template", "friend", "do",
))  # fmt: skip
_BEFORE_VALUE = frozenset(("return", "case", "else", "do", "goto", "sizeof", "and", "or", "not"))
_BEGINS = frozenset((";", "{", "}", ":", ""))


class _Binding(Struct):
    """A declaration: its first token, the name, what it is bound to, and the semicolon."""

    first: int
    name: Token
    to: list[Token]
    last: int
    constant: bool  # a reference to a constant of a type that the language has


_BITS = frozenset(("ap_range_ref", "ap_bit_ref", "af_range_ref", "af_bit_ref"))


def with_references_to_bits(tokens: list[Token]) -> list[Token]:
    """``ap_range_ref<8, false> f()``, a function that gives bits to set, as one that gives a reference to a number."""
    if not any(t.text in _BITS or t.text == "decltype" for t in tokens):
        return tokens
    made = list(tokens)
    for at in [k for k, t in enumerate(tokens) if t.text == "decltype" and t.kind == "id"][::-1]:
        _as_bits_of(made, at)
    for at in [k for k, t in enumerate(tokens) if t.text in _BITS and t.kind == "id"][::-1]:
        end = matching_angle(made, at + 1) if made[at + 1].text == "<" else None
        if end is None or made[end + 1].kind != "id":
            continue
        width = split(made[at + 2 : end])[0]
        head, tail = like("ap_uint", "id", made[at]), [like(">", "op", made[end]), like("&", "op", made[end])]
        made[at : end + 1] = [head, made[at + 1], *width, *tail]
    return made


def _as_bits_of(tokens: list[Token], at: int) -> None:
    """``auto f() -> decltype(m(8, 0)) { return m(a, b); }`` as ``T & f() { return m(a, b); }``, in place."""
    end = partner(tokens, at + 1) if at and tokens[at + 1 : at + 2] and tokens[at + 1].text == "(" else at
    if end < at + 4:
        return
    name = tokens[at + 2]
    bits = tokens[at - 1].text == "->" and [t.text for t in (tokens[at + 3], tokens[end - 1])] == ["(", ")"]
    if not bits or [t.text for t in tokens[end + 1 : end + 5]] != ["{", "return", name.text, "("]:
        return
    kind = declared(name.text, tokens, at)
    first = at - 1
    while tokens[first].text not in (*_BEGINS, "auto"):
        first -= 1
    if kind is None or kind.extents or kind.called or tokens[first].text != "auto":
        return
    tokens[at - 1 : end + 1] = []
    tokens[first : first + 1] = [*not_in_text([like(t.text, t.kind, tokens[first]) for t in kind.type], tokens[first])]
    tokens.insert(first + len(kind.type), like("&", "op", tokens[first]))


def without_references(tokens: list[Token]) -> None:
    """Replace the names of local references by what they refer to."""
    at = depth = made = 0
    while at < len(tokens):
        depth += (tokens[at].text == "{") - (tokens[at].text == "}") if tokens[at].kind == "op" else 0
        binding = _binding(tokens, at) if depth and tokens[at].text == "&" and tokens[at].kind == "op" else None
        if binding is None or binding.constant:
            at += 1
            continue
        end = end_of_block(tokens, binding.last)
        rest = tokens[binding.last : end]  # with the semicolon
        target = _target(binding, rest, tokens, made)
        if target is None:
            at += 1
            continue
        kept, place = target
        made += len(kept)
        tokens[binding.first : end] = [*kept, *renamed(rest[1:], binding.name.text, place)]
        at = binding.first


def _binding(tokens: Sequence[Token], sign: int) -> _Binding | None:
    """The reference that a sign declares; None for other signs and other declarations."""
    bracketed = tokens[sign - 1].text == "("
    name = tokens[sign + 1]
    first = sign - 1 - bracketed
    if name.kind != "id" or tokens[first].kind not in ("id", "op"):
        return None
    level = 0
    while first > 0 and not (level == 0 and (tokens[first].text in _BEGINS or isinstance(tokens[first], PragmaToken))):
        text = tokens[first].text
        if tokens[first].kind != "id" and text not in ("::", "<", ">", ">>", ",", "*") and tokens[first].kind != "num":
            return None
        level += (text == ">") + 2 * (text == ">>") - (text == "<")
        if level == 0 and text == ",":
            return None
        first -= 1
    first += 1
    words = [t.text for t in tokens[first : sign - bracketed]]
    equals = sign + 2
    if bracketed:
        if tokens[equals].text != ")":
            return None
        equals += 1
        while tokens[equals].text == "[":
            equals = partner(tokens, equals) + 1
    last = semicolon(tokens, equals)
    if not words or set(words) & _NO_TYPE or words[-1] in ("const", "*") or tokens[equals].text != "=":
        return None
    constant = "const" in words and not bracketed and all(w == "const" or w in BASIC for w in words)
    return _Binding(first, name, list(tokens[equals + 1 : last]), last, constant)


def end_of_block(tokens: Sequence[Token], at: int) -> int:
    level = 0
    for here in range(at, len(tokens)):
        level += (tokens[here].text == "{") - (tokens[here].text == "}") if tokens[here].kind == "op" else 0
        if level < 0:
            return here
    return len(tokens)


def _target(
    binding: _Binding, rest: Sequence[Token], tokens: Sequence[Token], made: int
) -> tuple[list[Token], list[Token]] | None:
    """Constants that keep indices, and the place that a reference stands for. None where it is no such place."""
    to, name = binding.to, binding.name
    if not to or to[0].kind != "id" or to[0].text in BASIC or (len(to) > 1 and to[1].text == "::"):
        return None
    if declares(name.text, rest) or declares(to[0].text, rest) or not are_in_pragmas(name.text, rest, len(to) == 1):
        return None
    shape = declared(to[0].text, tokens, binding.first)
    pointer = shape is not None and shape.type[-1].text == "*"
    if pointer and changes(to[0].text, rest):
        return None
    kept: list[Token] = []
    place = [to[0]]
    at = 1
    while at < len(to):
        text = to[at].text
        if text in (".", "->") and at + 1 < len(to) and to[at + 1].kind == "id":
            place += to[at : at + 2]
            at += 2
        elif text == "[":
            close = partner(to, at)
            index = to[at + 1 : close]
            if any(t.text in ASSIGNED for t in index):
                return None
            if not all(_stays(t, rest) for t in index):
                name_of_index = f"{name.text}_at_{made + len(kept)}"
                words = [("const", "id"), ("int", "id"), (name_of_index, "id"), ("=", "op")]
                kept += [*not_in_text([like(t, k, name) for t, k in words], name), *index, like(";", "op", name)]
                index = [like(name_of_index, "id", name)]
            place += [to[at], *index, to[close]]
            at = close + 1
        else:
            return None
    return kept, place


def _stays(token: Token, rest: Sequence[Token]) -> bool:
    """Whether a token of an index means the same in all of the block."""
    if token.kind == "num":
        return True
    if token.kind != "id":
        return token.text in ("+", "-", "*", "/", "%", "(", ")")
    if changes(token.text, rest) or declares(token.text, rest):
        return False
    handed = (
        before.text in ("(", ",") and after.text in (",", ")")
        for before, here, after in zip(rest, rest[1:], rest[2:], strict=False)
        if here.text == token.text
    )
    return not any(handed)


def declares(name: str, rest: Sequence[Token]) -> bool:
    """Whether tokens give a name another meaning."""
    for at in range(1, len(rest) - 1):
        if rest[at].text != name or rest[at].kind != "id":
            continue
        before = rest[at - 1]
        if before.kind == "id" and before.text not in _BEFORE_VALUE:
            return True
        typed = before.text in ("*", "&", "&&", ">") and rest[at - 2].kind == "id" if at > 1 else False
        if typed and (at < 3 or rest[at - 3].text in _BEGINS or rest[at - 3].text == "const"):
            return True
        if before.text in ("[", ",") and "auto" in (rest[max(0, at - 2)].text, rest[max(0, at - 4)].text):
            return True  # auto [a, name] = ..
    return False


def are_in_pragmas(name: str, rest: Sequence[Token], whole: bool) -> bool:
    """Whether pragmas that speak of a name can speak of what it refers to."""
    said = any(isinstance(t, PragmaToken) and any(w.text == name for w in t.expanded) for t in rest)
    return whole or not said


def renamed(rest: Sequence[Token], name: str, place: Sequence[Token]) -> Iterator[Token]:
    for at, token in enumerate(rest):
        if isinstance(token, PragmaToken):
            words = [like(place[0].text, "id", w) if w.text == name else w for w in token.expanded]
            yield token if words == token.expanded else token.with_words(words)
        elif token.kind == "id" and token.text == name and (at == 0 or rest[at - 1].text not in (".", "->", "::")):
            yield from not_in_text([like(t.text, t.kind, token) for t in place], token)
        else:
            yield token
