"""Arguments that C++ calls leave out: the constants that declarations give in their place."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.frontend import types as ct
from hlspart.frontend.constants import NotConstant, evaluate_tokens, value_of
from hlspart.frontend.context import Context, EnumConstant, FunctionDeclaration, VariableId
from hlspart.frontend.literals import constant
from hlspart.frontend.tokens import Token
from hlspart.model import program as ir
from hlspart.model.source import Origin


def left_out(context: Context, function: FunctionDeclaration, given: int, at: Origin) -> list[ir.Expr]:
    """The arguments behind the first ``given`` ones of a call, as if they stood at ``at``.

    None at all where one of them is no constant: such a call stays one with too few arguments.
    """
    places = function.defaults
    wanted = range(given, max(places, default=-1) + 1)
    if any(k not in places for k in wanted):
        return []
    values = [_constant(context, places[k], at) for k in wanted]
    return [v for v in values if v is not None] if None not in values else []


def _constant(context: Context, tokens: Sequence[Token], at: Origin) -> ir.Expr | None:
    """A literal, a truth value, an enumerator or a constant, with a sign or without; an expression of such integers."""
    signed = len(tokens) == 2 and tokens[0].text in ("-", "+")
    if len(tokens) != 1 + signed:
        return _computed(context, tokens, at)
    token = tokens[-1]
    type_: ir.ScalarType = ir.INT
    value: int | float | None
    if token.kind in ("num", "chr"):
        type_, value = constant(token.text)
    elif token.text in ("true", "false"):
        type_, value = ct.BOOL, int(token.text == "true")
    else:
        value = _named(context, token.text, at)
    if value is None:
        return None
    sign = tokens[0].text if signed else ""
    return ir.Const(at, type_, -value if sign == "-" else value, sign + token.text)


def _computed(context: Context, tokens: Sequence[Token], at: Origin) -> ir.Expr | None:
    """An expression of integers without unsigned ones, which wrap around."""
    if any(t.kind == "num" and "u" in t.text.lower() for t in tokens):
        return None
    try:
        value = evaluate_tokens(tokens, lambda name: _named(context, name, at))
    except NotConstant:
        return None
    least = 0 if any(t.kind == "id" for t in tokens) else -(1 << 31)
    return ir.integer(value, at) if least <= value < 1 << 31 else None


def _named(context: Context, name: str, at: Origin) -> int | None:
    match context.lookup(name):
        case EnumConstant(value=value):
            return value
        case VariableId(id=ident):
            known = context.collected.variables
            return value_of(ir.Name(at, known[ident].type, ident), known)
    return None
