"""Operators of C on numbers, before a type cuts the result."""

from __future__ import annotations

from typing import overload


@overload
def fold(op: str, a: int, b: int) -> int | None: ...


@overload
def fold(op: str, a: int | float, b: int | float) -> int | float | None: ...


def fold(op: str, a: int | float, b: int | float) -> int | float | None:
    """Value of a binary operation on constants as C computes it; None when undefined."""
    if op in ("/", "%") and b == 0:
        return None
    whole = isinstance(a, int) and isinstance(b, int)
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" if whole:
            return int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
        case "/":
            return a / b
        case "<":
            return int(a < b)
        case ">":
            return int(a > b)
        case "<=":
            return int(a <= b)
        case ">=":
            return int(a >= b)
        case "==":
            return int(a == b)
        case "!=":
            return int(a != b)
        case "&&":
            return int(bool(a) and bool(b))
        case "||":
            return int(bool(a) or bool(b))
    if not (isinstance(a, int) and isinstance(b, int)):
        return None
    match op:
        case "%":
            return (abs(a) % abs(b)) * (1 if a >= 0 else -1)
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "<<":
            return a << b if 0 <= b < 128 else None
        case ">>":
            return a >> b if 0 <= b < 128 else None
    return None


def fold_unary(op: str, value: int | float) -> int | float | None:
    """Value of a unary operation on a constant."""
    match op:
        case "-":
            return -value
        case "!":
            return int(not value)
        case "~":
            return ~value if isinstance(value, int) else None
    return None
