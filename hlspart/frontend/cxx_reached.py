"""Pragmas of a text that constants leave in it: those in arms of ``if`` that are never taken say nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hlspart.frontend.constants import NotConstant, evaluate_tokens
from hlspart.frontend.cxx_collect import like
from hlspart.frontend.cxx_conditions import arms
from hlspart.frontend.cxx_shapes import closing
from hlspart.frontend.cxx_types import split
from hlspart.frontend.tokens import PragmaToken, Token

_HEAD = 8  # tokens between the name of an enumeration and its enumerators


def reached_pragmas(tokens: Sequence[Token], value: Callable[[list[Token]], int | None]) -> Iterator[PragmaToken]:
    """``value``: of a condition of constants, None where it is not seen: then both arms may be taken."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "id" and token.text == "if" and tokens[at + 1].text == "(":
            close, then, end = arms(tokens, at)
            meant = value(list(tokens[at + 2 : close]))
            if meant is not None:
                yield from reached_pragmas(tokens[close + 1 : then] if meant else tokens[then + 1 : end], value)
                at = end
                continue
        if isinstance(token, PragmaToken):
            yield token
        at += 1


def enumerators(tokens: Sequence[Token]) -> dict[str, int]:
    """Those of ``enum class E { A, B = 4 };`` as ``E::A``, where their values are numbers."""
    known: dict[str, int] = {}
    for at in range(len(tokens) - 3):
        if tokens[at].text != "enum" or tokens[at + 1].text not in ("class", "struct"):
            continue
        opening = next((i for i in range(at + 3, min(at + 3 + _HEAD, len(tokens))) if tokens[i].text in ("{", ";")), at)
        if tokens[opening].text != "{":
            continue
        value = -1
        for part in split(list(tokens[opening + 1 : closing(tokens, opening)])):
            if not part:
                break  # two commas: no C++
            try:
                value = evaluate_tokens(part[2:], lambda _: None) if part[1:] else value + 1
            except NotConstant:
                break
            known[f"{tokens[at + 2].text}::{part[0].text}"] = value
    return known


def joined(words: Sequence[Token]) -> list[Token]:
    """``A::b`` as one word."""
    out: list[Token] = []
    for token in words:
        if len(out) > 1 and out[-1].text == "::":
            out[-2:] = [like(f"{out[-2].text}::{token.text}", "id", token)]
        else:
            out.append(token)
    return out
