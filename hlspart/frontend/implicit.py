"""What a text leaves out: the type of ``static n = 0;`` in old C, the block of ``if (c) int n = 0;`` in C++.

And what it may leave out: the exceptions of ``int abs(int) throw ();``, the ``struct`` of ``struct ap_axiu<32,1,1,1>``.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.frontend.tokens import Token

_STORAGE = frozenset(("static", "register", "extern", "const", "volatile"))
_BEFORE = frozenset((";", "{", "}"))
_STATEMENTS = frozenset((
    "return", "case", "else", "goto", "throw", "do", "sizeof", "delete", "new", "if", "for", "while", "switch",
))  # fmt: skip
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


def with_blocks(tokens: list[Token]) -> list[Token]:
    """Tokens with a declaration that is the whole arm of an ``if``, or body of a loop, in a block, as C asks."""
    for at in range(len(tokens) - 4, 0, -1):
        token, first = tokens[at], tokens[at + 1]
        if first.kind != "id" or first.text in _STATEMENTS or not (token.text == "else" or _ends_head(tokens, at)):
            continue
        last = at + 1
        while tokens[last + 1].kind == "id" and last + 2 < len(tokens):
            last += 1
        if tokens[last + 1].text == "<":
            close = next((i for i in range(last + 1, len(tokens) - 2) if tokens[i].text in (">", ">>", ";")), last)
            if tokens[close].text == ";":
                continue  # a comparison
            last = close + (tokens[close + 1].kind == "id")
        if last == at + 1 or tokens[last].kind != "id" or tokens[last + 1].text not in ("=", ";"):
            continue
        end = next((i for i in range(last, len(tokens)) if tokens[i].text == ";"), 0)
        brackets = first.copy(), tokens[end].copy()
        for bracket, text in zip(brackets, "{}", strict=True):
            bracket.kind, bracket.text = "op", text
        tokens = [*tokens[: at + 1], brackets[0], *tokens[at + 1 : end + 1], brackets[1], *tokens[end + 1 :]]
    return tokens


def without_exceptions(tokens: list[Token]) -> list[Token]:
    """Tokens without the exceptions that heads of functions name; ``if (c) throw (x);`` throws one and stays."""
    dropped: set[int] = set()
    for at, token in enumerate(tokens[:-2]):
        if token.text != "throw" or token.kind != "id" or tokens[at + 1].text != "(" or at == 0:
            continue
        head = tokens[at - 1].text in (")", "const") and not _ends_head(tokens, at - 1)
        end = next((i for i in range(at, len(tokens)) if tokens[i].text in (")", ";")), at)
        if head and tokens[end].text == ")":
            dropped.update(range(at, end + 1))
    return [token for at, token in enumerate(tokens) if at not in dropped] if dropped else tokens


def without_tags(tokens: list[Token]) -> list[Token]:
    """Tokens without the ``struct`` before the instance of a library's template, or before a name of a namespace."""
    dropped: set[int] = set()
    for at, token in enumerate(tokens[:-4]):
        if token.text in ("struct", "class") and tokens[at + 1].kind == "id":
            last = at + 1
            while last + 2 < len(tokens) and tokens[last + 1].text == "::" and tokens[last + 2].kind == "id":
                last += 2
            behind = tokens[last + 1].text if last + 1 < len(tokens) else ""
            if behind == "<" or (last > at + 1 and behind not in ("{", ":", ";")):
                dropped.add(at)
    return [token for at, token in enumerate(tokens) if at not in dropped] if dropped else tokens


def _ends_head(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token closes the head of an ``if`` or of a loop."""
    level = 0
    for k in range(at, 0, -1) if tokens[at].text == ")" else ():
        level += (tokens[k].text == ")") - (tokens[k].text == "(")
        if not level:
            return tokens[k - 1].text in ("if", "for", "while")
    return False
