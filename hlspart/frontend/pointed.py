"""Parameters that point to channels: a pointer to one is a reference, a pointer to the first of several an array."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.frontend import types as ct
from hlspart.model import program as ir

_TESTS = frozenset(("if", "while", "for", "switch", "return", "sizeof"))


def channels(type_: ir.CType, name: str | None, body: Sequence[str]) -> ir.CType:
    """The type of a parameter by what the tokens of the body do with it; unchanged where it is no pointer to channels,
    or does more than look at them.
    """
    if not isinstance(type_, ir.PointerType) or not isinstance(type_.target, ir.StreamType) or name is None:
        return type_
    several = False
    for at in (k for k, text in enumerate(body) if text == name and body[k - 1] not in (".", "->", "::")):
        before, behind = body[at - 1], body[at + 1]
        if behind == "[":
            several = several or list(body[at + 2 : at + 4]) != ["0", "]"]
        elif behind not in ("->", ",", ")") and not (before == "*" and behind not in ("++", "--", "=")):
            return type_
        elif behind in (",", ")") and before != "*":
            called = before == "," or (before == "(" and _names(body[at - 2]))
            if not called:
                return type_
    return ct.array_of(type_.target, None) if several else type_.target


def first(expr: ir.Expr) -> ir.Expr:
    """The channel that ``*expr`` and ``expr->`` mean."""
    of = expr.type
    if isinstance(of, ir.ArrayType) and isinstance(of.element, ir.StreamType) and len(of.dims) == 1:
        return ir.Subscript(expr.at, of.element, expr, ir.integer(0, expr.at))
    return expr


def _names(text: str) -> bool:
    """Whether what stands before a bracket may be called."""
    return (text[:1].isalpha() or text[:1] == "_" or text == ">") and text not in _TESTS
