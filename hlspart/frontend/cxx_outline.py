"""Where declarations begin and end, before anything is parsed."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.frontend.cxx_collect import TAGS
from hlspart.frontend.tokens import PragmaToken, Token


def declarations(tokens: Sequence[Token]) -> dict[int, int]:
    """Where the declarations at the level of a namespace begin, each with its end."""
    declarations: dict[int, int] = {}
    inside: list[bool] = []  # of the open braces: whether a namespace
    start: int | None = None
    level, function = 0, False
    for at, token in enumerate(tokens):
        if start is None:
            if isinstance(token, PragmaToken) or token.kind == "eof":
                continue
            start, function = at, False
        text = token.text if token.kind == "op" else ""
        level += (text in ("(", "[")) - (text in (")", "]"))
        outside = all(inside)
        function = function or (text == "(" and outside)
        ends = text == ";" and outside and level == 0
        if text == "{":
            head = [t.text for t in tokens[start:at]]
            space = outside and ("namespace" in head[:2] or (head[:1] == ["extern"] and len(head) == 2))
            inside.append(space)
            if space:
                start = None
                continue
        elif text == "}" and inside:
            closed = inside.pop()
            ends = closed or (all(inside) and level == 0 and function and tokens[start].text not in TAGS)
        if ends:
            declarations[start] = at + 1
            start = None
    if start is not None:
        declarations[start] = len(tokens)
    return declarations
