"""Values that integers may have, for the width of products and of tables: a tool narrows operators to them."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model import program as c
from hlspart.model.access import LoopInfo

Span = tuple[int, int]  # least and greatest value

_NESTED = 16  # levels of braces


def of_type(type_: c.CType) -> Span | None:
    """What an integer type holds; None for anything else."""
    if isinstance(type_, c.ScalarType) and type_.kind == "bool":
        return (0, 1)
    if not isinstance(type_, c.ScalarType) or type_.kind != "int":
        return None
    return (-(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1) if type_.signed else (0, (1 << type_.bits) - 1)


def of_loop(info: LoopInfo) -> Span | None:
    """What the iterator of a loop of constant bounds holds in its body."""
    trip = info.trip_count.max
    if info.lower is None or info.lower.terms or info.step is None or not trip:
        return None
    ends = (info.lower.const, info.lower.const + info.step * (trip - 1))
    return min(ends), max(ends)


def keeps(span: Span | None, type_: c.CType) -> bool:
    """Whether an integer keeps its value as one of ``type_``; in 32 bits and more it is taken to."""
    whole = of_type(type_)
    return whole is None or whole[1] >= 2**31 - 1 or (span is not None and within(span, type_) == span)


def within(span: Span | None, type_: c.CType) -> Span | None:
    """``found`` where the type holds it, else all that the type holds (the value wraps around)."""
    whole = of_type(type_)
    if span is None or whole is None:
        return whole
    return span if whole[0] <= span[0] and span[1] <= whole[1] else whole


def both(a: Span | None, b: Span | None) -> Span | None:
    """Values of either."""
    return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))


def combine(op: str, a: Span | None, b: Span | None) -> Span | None:
    """What an integer operation makes, before it wraps around; None: anything."""
    if op in ("<", ">", "<=", ">=", "==", "!=", "&&", "||"):
        return (0, 1)
    if op == "&":
        known = [x[1] for x in (a, b) if x is not None and x[0] >= 0]
        return (0, min(known)) if known else None
    if a is None or b is None:
        return None
    fixed = b[0] if b[0] == b[1] else None
    match op:
        case "+":
            return a[0] + b[0], a[1] + b[1]
        case "-":
            return a[0] - b[1], a[1] - b[0]
        case "*":
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        case "<<" if fixed is not None and 0 <= fixed < 64:
            return a[0] << fixed, a[1] << fixed
        case ">>" if fixed is not None and 0 <= fixed < 64:
            return a[0] >> fixed, a[1] >> fixed
        case "/" if b[0] > 0:
            return min(a[0], 0), max(a[1], 0)
        case "%" if b[0] > 0:
            return (0 if a[0] >= 0 else 1 - b[1]), (b[1] - 1 if a[1] > 0 else 0)
    return None


def decided(op: str, a: Span | None, b: Span | None) -> bool | None:
    """What a comparison of values from two spans always is; None where it depends on the values."""
    if a is None or b is None:
        return None
    below, above = a[1] < b[0], a[0] > b[1]
    same = a[0] == a[1] == b[0] == b[1]
    match op:
        case "==" | "!=" if below or above or same:
            return same == (op == "==")
        case "<" if below or a[0] >= b[1]:
            return below
        case ">" if above or a[1] <= b[0]:
            return above
        case "<=" if above or a[1] <= b[0]:
            return not above
        case ">=" if below or a[0] >= b[1]:
            return not below
    return None


def width(span: Span) -> int:
    """Bits of a signed operand that holds all of ``found``."""
    return max(span[1].bit_length(), (-span[0] - 1).bit_length() if span[0] < 0 else 0) + 1


def needed(span: Span) -> int:
    """Bits of an operation that a tool builds for values of ``span``: without a sign where none is negative."""
    return max(1, width(span) - (span[0] >= 0))


def item(init: c.Expr, dims: Sequence[int | None], index: Sequence[int]) -> c.Expr | int | None:
    """The initial value at ``index`` of a list that has all its braces or none of the inner ones.

    0 where the list ends before it; None when the list is written in another way.
    """
    if not isinstance(init, c.InitList) or any(names for names, _ in init.items) or None in dims:
        return None
    sizes = [d for d in dims if d is not None]
    values = [value for _, value in init.items]
    nested = [isinstance(value, c.InitList) for value in values]
    if any(not 0 <= i < d for i, d in zip(index, sizes, strict=True)) or len(sizes) > _NESTED:
        return None
    if len(sizes) > 1 and values and all(nested):
        return 0 if index[0] >= len(values) else item(values[index[0]], sizes[1:], index[1:])
    if any(nested) or any(isinstance(value, c.StringLit) for value in values):
        return None
    place = 0
    for i, d in zip(index, sizes, strict=True):
        place = place * d + i
    return values[place] if place < len(values) else 0
