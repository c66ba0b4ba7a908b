"""Declarations of old C that name no type: ``static n = 0;`` declares an int."""

from __future__ import annotations

from hlspart.frontend.tokens import Token

_STORAGE = frozenset(("static", "register", "extern", "const", "volatile"))
_BEFORE = frozenset((";", "{", "}"))
_BEHIND = frozenset(("=", ",", "["))


def with_int(tokens: list[Token]) -> list[Token]:
    """Tokens with the ``int`` that such declarations mean, at the place of the name."""
    result: list[Token] = []
    for at, token in enumerate(tokens):
        first = at
        while first > 0 and tokens[first - 1].text in _STORAGE:
            first -= 1
        begins = first == 0 or tokens[first - 1].kind == "pragma" or tokens[first - 1].text in _BEFORE
        if begins and first < at and token.kind == "id" and at + 1 < len(tokens) and tokens[at + 1].text in _BEHIND:
            new = token.copy()
            new.text = "int"
            result.append(new)
        result.append(token)
    return result
