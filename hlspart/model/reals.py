"""Constants of floating point that become whole numbers: ``const int N = M * 0.5f;``."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from hlspart.model import program as ir

Whole = Callable[[ir.Expr], int | None]
_MOST = 2.0**63


def whole_part(expr: ir.Expr, variables: Sequence[ir.Variable], whole: Whole) -> int | None:
    """What a constant of floating point becomes as an integer; ``whole`` gives the values of integers."""
    real = isinstance(expr.type, ir.ScalarType) and expr.type.kind == "float"
    value = real_value(expr, variables, whole) if real else None
    return None if value is None or not abs(value) < _MOST else int(value)


def real_value(expr: ir.Expr, variables: Sequence[ir.Variable], whole: Whole) -> float | None:
    """A constant as a real number, rounded as its type holds it; ``whole`` gives the values of integers."""

    def of(inner: ir.Expr) -> float | None:
        return real_value(inner, variables, whole)

    if not isinstance(expr.type, ir.ScalarType):
        return None
    if expr.type.kind in ("int", "bool"):
        value = whole(expr)
        return None if value is None or abs(value) >= 1 << 53 else float(value)
    if expr.type.kind != "float":
        return None
    real: float | None = None
    match expr:
        case ir.Const(value=number) if isinstance(number, int | float):
            real = float(number)
        case ir.Name(variable=ident):
            variable = variables[ident]
            constant = variable.const and not variable.volatile and variable.storage != "parameter"
            real = of(variable.init) if constant and variable.init is not None else None
        case ir.Cast(operand=inner) | ir.Unary(op="+", operand=inner):
            real = of(inner)
        case ir.Unary(op="-", operand=inner):
            operand = of(inner)
            real = None if operand is None else -operand
        case ir.Binary(op="+" | "-" | "*" | "/", left=one, right=other):
            left, right = of(one), of(other)
            if left is not None and right is not None:
                real = _computed(expr.op, left, right)
    return None if real is None else _rounded(real, expr.type)


def _computed(op: str, left: float, right: float) -> float | None:
    if op == "/":
        return left / right if right else None
    return left + right if op == "+" else left - right if op == "-" else left * right


def _rounded(value: float, type_: ir.ScalarType) -> float | None:
    """As the type holds it: a ``float`` has 24 bits of it."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0]) if type_.bits == 32 else value
    except OverflowError:
        return None
