"""Classes whose only member functions are constructors that set members to what they are given: plain structures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.frontend.cxx_shapes import closing
from hlspart.frontend.tokens import PragmaToken, Token

_TAGS = ("struct", "class")


def without_constructors(tokens: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """The tokens without such constructors, and the names of those classes."""
    if not any(t.text in _TAGS for t in tokens):
        return tokens, frozenset()
    names: set[str] = set()
    dropped = bytearray(len(tokens))
    changed: dict[int, Token] = {}
    bases, built = _bases(tokens), _built(tokens)
    for at in range(len(tokens) - 2):
        if tokens[at].text not in _TAGS or tokens[at + 1].kind != "id" or tokens[at + 2].text != "{":
            continue
        if tokens[at + 1].text in bases:  # heirs call them
            continue
        last = closing(tokens, at + 2)
        if any(t.text in built and t.text != tokens[at + 1].text for t in tokens[at + 3 : last]):
            continue  # its constructor has more to do
        ranges = _constructors(tokens, at + 1, last) if last + 1 < len(tokens) else []
        if ranges:
            names.add(tokens[at + 1].text)
            for first, end in ranges:
                dropped[first:end] = b"\1" * (end - first)
            if tokens[at].text == "class":
                changed[at] = tokens[at].copy()
                changed[at].text = "struct"
    if not names:
        return tokens, frozenset()
    return [changed.get(i, t) for i, t in enumerate(tokens) if not dropped[i]], frozenset(names)


def _bases(tokens: Sequence[Token]) -> frozenset[str]:
    """What classes inherit from, as a name."""
    bases: set[str] = set()
    for at in range(len(tokens) - 3):
        if tokens[at].text not in _TAGS or tokens[at + 1].kind != "id" or tokens[at + 2].text != ":":
            continue
        end = at + 3
        while end < len(tokens) and tokens[end].text not in ("{", ";", "(", ")"):
            bases.add(tokens[end].text)
            end += 1
    return frozenset(bases)


def _built(tokens: Sequence[Token]) -> frozenset[str]:
    """Classes with constructors that do more than set members."""
    built: set[str] = set()
    for at in range(len(tokens) - 2):
        if tokens[at].text in _TAGS and tokens[at + 1].kind == "id" and tokens[at + 2].text == "{":
            name, last = tokens[at + 1].text, min(closing(tokens, at + 2), len(tokens) - 1)
            own = any(tokens[k].text == name and tokens[k + 1].text == "(" for k in range(at + 3, last))
            if own and not _constructors(tokens, at + 1, last):
                built.add(name)
    return frozenset(built)


def _constructors(tokens: Sequence[Token], name: int, last: int) -> list[tuple[int, int]]:
    """The ranges of the constructors of the class whose name is at ``name``; none where it has other functions."""
    constructors: list[tuple[int, int]] = []
    at = name + 2
    while at < last:
        text = tokens[at].text
        if isinstance(tokens[at], PragmaToken):
            return []
        if text in ("public", "private", "protected") and tokens[at + 1].text == ":":
            at += 2
            continue
        if text == tokens[name].text and tokens[at + 1].text == "(":
            end = _plain(tokens, at + 1, last)
            if end is None:
                return []
            constructors.append((at, end))
            at = end
            continue
        while at < last and tokens[at].text != ";":  # a member
            if tokens[at].text == "(" or tokens[at].text in ("operator", "~", "virtual", "template", "static", *_TAGS):
                return []
            at = closing(tokens, at) + 1 if tokens[at].text in ("[", "{") else at + 1
        at += 1
    return constructors


def _plain(tokens: Sequence[Token], opening: int, last: int) -> int | None:
    """Behind a constructor that only sets members to names and numbers; None for others."""
    last = min(last, len(tokens) - 1)  # brackets may be open
    close = closing(tokens, opening)
    at = close + 1
    if at >= last:
        return None
    if tokens[at].text == ":":
        at += 1
        while at < last and tokens[at].text != "{":
            if tokens[at].kind != "id" or tokens[at + 1].text != "(":
                return None
            end = closing(tokens, at + 1)
            if end >= last or not _value(tokens[at + 2 : end]):
                return None
            at = end + 1 + (tokens[end + 1].text == ",")
    if at >= last or tokens[at].text != "{":
        return None
    end = closing(tokens, at)
    if end >= last:
        return None
    for statement in _statements(tokens[at + 1 : end]):
        words = statement[2:] if [t.text for t in statement[:2]] == ["this", "->"] else statement
        if len(words) < 3 or words[0].kind != "id" or words[1].text != "=" or not _value(words[2:]):
            return None
    return end + 1 + (tokens[end + 1].text == ";")


def _statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    statement: list[Token] = []
    for token in tokens:
        if token.text == ";":
            yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _value(tokens: Sequence[Token]) -> bool:
    """A name or a number, or nothing."""
    if tokens and tokens[0].text == "-":
        tokens = tokens[1:]
    if not tokens:
        return True
    return len(tokens) == 1 and tokens[0].kind in ("num", "chr", "id")
