"""Lambdas that are handed on, as the objects of classes that C++ says they are.

``apply(a, [k](int x) { return x + k; })`` becomes ``apply(a, lambda_1{k})`` with
``struct lambda_1 { int k; auto operator()(int x) const { return x + k; } };`` above the function, so that templates are
made for it like for any class. What is captured by reference is a copy, too, where nothing changes it afterwards.
A lambda in a template, one with parameters of ``auto`` and one that captures arrays stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from hlspart.frontend.cxx_collect import TAGS, like
from hlspart.frontend.cxx_cursor import LOOK_AHEAD
from hlspart.frontend.cxx_members import partner
from hlspart.frontend.cxx_outline import declarations
from hlspart.frontend.cxx_shapes import DeclaredShape, declared, semicolon
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import MacroUse, Token

ASSIGNED = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_FREE = frozenset(("&", "=", ","))  # what stands in a list of captures beside names


class Lambda(Struct, frozen=True):
    """Where the parts of a lambda are; ``last``: the brace that closes its body."""

    first: int
    captures: list[Token]
    params: list[Token]
    returns: list[Token]  # none are said where it is empty
    body: list[Token]
    last: int

    @property
    def names(self) -> set[str]:
        """Its parameters."""
        return {part[-1].text for part in split(self.params) if part}


def lambda_at(tokens: Sequence[Token], at: int) -> Lambda | None:
    """The lambda whose captures open at ``at``."""
    close = partner(tokens, at)
    if tokens[close + 1].text != "(":
        return None
    end = partner(tokens, close + 1)
    cursor = end + 1
    returns: list[Token] = []
    if tokens[cursor].text == "->":
        while tokens[cursor].text != "{" and cursor < len(tokens) - LOOK_AHEAD:
            cursor += 1
        returns = list(tokens[end + 2 : cursor])
    if tokens[cursor].text != "{":
        return None
    last = partner(tokens, cursor)
    captures, params = list(tokens[at + 1 : close]), list(tokens[close + 2 : end])
    return Lambda(at, captures, params, returns, list(tokens[cursor : last + 1]), last)


def captured(body: Sequence[Token], head: list[Token], own: set[str]) -> dict[str, DeclaredShape] | None:
    """The variables of the function around that a body uses; None where a type is not said."""
    shapes: dict[str, DeclaredShape] = {}
    known = set(own)
    for at, token in enumerate(body):
        if token.kind != "id" or token.text in known or body[at - 1].text in (".", "->", "::"):
            continue
        before, after = body[at - 1], body[at + 1].text
        if before.kind == "id" and before.text not in ("return", "else", "case") and after in ("=", ";", "[", ","):
            known.add(token.text)
            continue
        shape = declared(token.text, head, len(head))
        if shape is None:
            continue
        if shape.type[0].text == "auto" or not all(shape.extents):
            return None
        shapes[token.text] = shape
    return shapes


def changes(name: str, tokens: Sequence[Token]) -> bool:
    """Whether tokens assign to a variable, or take its address."""
    for at, token in enumerate(tokens[1:-1], 1):
        if token.text == name and token.kind == "id":
            end = at + 1
            while end < len(tokens) and tokens[end].text == "[":
                end = partner(tokens, end) + 1
            assigned = end < len(tokens) and tokens[end].text in ASSIGNED
            if assigned or tokens[at - 1].text in ("++", "--", "&", ">>"):
                return True
    return False


def by_reference(words: Sequence[Token]) -> set[str]:
    """The names that a list of captures takes by reference."""
    return {b.text for a, b in pairwise(words) if a.text == "&"}


def not_in_text(tokens: list[Token], at: Token) -> list[Token]:
    """Tokens that are not in the text: nothing of them is edited."""
    for token in tokens:
        if token.use is None:
            token.use, token.lo, token.hi = MacroUse(at.text, at.path, at.start, at.end), at.start, at.end
            token.arg = 1
            token.deep = True
    return tokens


def without_closures(tokens: list[Token]) -> list[Token]:
    """The tokens with lambdas that are handed on as objects."""
    if not any(a.text in ("(", ",", "=") and b.text == "[" for a, b in pairwise(tokens)):
        return tokens
    work = [*tokens, *([like("", "eof", tokens[-1])] * LOOK_AHEAD)]
    words = {t.text for t in tokens}
    at = count = 0
    while at < len(work) - LOOK_AHEAD:
        if work[at].text == "[" and at > 2 and work[at].kind == "op" and work[at - 1].text in ("(", ",", "="):
            name = f"lambda_{count + 1}"
            while name in words:
                name += "_"
            longer = _as_object(work, at, name)
            count += longer > 0
            at += longer
        at += 1
    return work[:-LOOK_AHEAD]


def _as_object(tokens: list[Token], at: int, name: str) -> int:
    """Write out the lambda at ``at``; by how many tokens what stands before it is longer, 0 where it stays."""
    closure = lambda_at(tokens, at)
    around = next(((a, b) for a, b in declarations(tokens).items() if a <= at < b), None)
    if closure is None or around is None or tokens[around[0]].text in (*TAGS, "template"):
        return 0
    first, end = around
    variable = tokens[at - 2] if tokens[at - 1].text == "=" else None
    if variable is not None:
        if tokens[at - 3].text != "auto" or not _is_handed_on(variable.text, tokens[closure.last + 1 : end]):
            return 0
    elif _opens_a_list(tokens, at):
        return 0
    taken = captured(closure.body, tokens[first:at], closure.names)
    start = at
    while start > first and tokens[start - 1].text not in (";", "{", "}"):
        start -= 1
    if variable is None:  # it is gone at the end of the statement
        end = min(semicolon(tokens, closure.last + 1), end)
    if taken is None or not _can_be_copied(closure, taken, [*tokens[start:at], *tokens[closure.last + 1 : end]]):
        return 0
    near = tokens[at]
    value = list(_words(name, "{", *_listed([[c] for c in taken]), "}", near=near))
    tokens[at : closure.last + 1] = not_in_text(value, near)
    if variable is not None:
        tokens[at - 3] = like(name, "id", tokens[at - 3])
    made = list(_words("struct", name, "{", near=near))
    for word, shape in taken.items():
        made += [*(like(t.text, t.kind, near) for t in shape.type), *_words(word, ";", near=near)]
    kind = closure.returns or [like("auto" if any(t.text == "return" for t in closure.body) else "void", "id", near)]
    made += [*(like(t.text, t.kind, near) for t in kind), *_words("operator", "(", ")", "(", near=near)]
    made = [
        *not_in_text(made, near),
        *closure.params,
        *not_in_text(list(_words(")", "const", near=near)), near),
        *closure.body,
    ]
    made += not_in_text(list(_words("}", ";", near=near)), near)
    tokens[first:first] = made
    return len(made)


def _is_handed_on(name: str, tokens: Sequence[Token]) -> bool:
    """Whether a variable is an argument of some call, and is only called otherwise."""
    uses = [k for k, t in enumerate(tokens[:-1]) if t.text == name and t.kind == "id"]
    called = sum(tokens[k + 1].text == "(" for k in uses)
    return called < len(uses) == called + _as_argument(name, tokens)


def _opens_a_list(tokens: Sequence[Token], at: int) -> bool:
    """Whether the bracket at ``at`` is in the braces of an initial value, not among the arguments of a call."""
    level = 0
    for here in range(at - 1, -1, -1):
        text = tokens[here].text
        level += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        if level < 0:
            return text != "(" or tokens[here - 1].kind != "id"
        if text == ";" and level == 0:
            return True
    return True


def _can_be_copied(closure: Lambda, taken: Mapping[str, DeclaredShape], around: Sequence[Token]) -> bool:
    """Whether copies of what is captured serve: numbers and objects that nothing changes while the lambda lives.

    ``around``: the tokens of that. An argument beside the lambda may be a reference.
    """
    said = {t.text for t in closure.captures}
    names = {t.text for t in closure.captures if t.kind == "id"}
    if "this" in said or said - names - _FREE or any(t.text == "auto" for t in closure.params):
        return False
    if "=" in said and [t.text for t in closure.captures[:1]] != ["="]:  # [k = n + 1]
        return False
    if any(shape.extents or shape.type[-1].text == "*" for shape in taken.values()):
        return False
    if any(changes(word, closure.body) for word in taken):
        return False
    referred = by_reference(closure.captures) | (set(taken) - names if closure.captures[:1] and "&" in said else set())
    return not any(changes(word, around) or _as_argument(word, around) for word in referred & set(taken))


def _as_argument(name: str, tokens: Sequence[Token]) -> int:
    """How often a variable is by itself an argument of some call, which may change it."""
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return sum(b.text == name and a.text in ("(", ",") and c.text in (")", ",") for a, b, c in triples)


def _listed(parts: Sequence[Sequence[str]]) -> Iterator[str]:
    for k, part in enumerate(parts):
        yield from ((",", *part) if k else part)


def _words(*texts: str, near: Token) -> Iterator[Token]:
    for text in texts:
        yield like(text, "id" if text[0].isalpha() or text[0] == "_" else "op", near)
