"""Expressions with what the counters of the loops around them can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from hlspart.model.program import (
    ArrayRef,
    Binary,
    Conditional,
    Expr,
    If,
    Jump,
    Label,
    Loop,
    Name,
    Return,
    SizeOf,
    Stmt,
    Switch,
    children,
    expressions,
    substatements,
    walk,
)
from hlspart.rules._base import Facts
from hlspart.rules._mentions import changed
from hlspart.rules._nests import start_of
from hlspart.rules._traces import constant


class CountedPlace(Struct, frozen=True):
    """An expression; ``ranges``: variable -> (least, greatest) of counters around it that nothing else changes.

    ``sure``: every iteration of these loops comes to it. ``asked``: what the tests on the way to it ask for; None where
    something else decides.
    """

    expr: Expr
    ranges: Mapping[int, tuple[int, int]]
    sure: bool
    asked: frozenset[int] | None = frozenset()


def _named(expr: Expr) -> frozenset[int]:
    """Variables whose value a test asks for, arrays for one of their elements; an index only says which one."""
    if isinstance(expr, Name):
        return frozenset((expr.variable,))
    if isinstance(expr, ArrayRef):
        return frozenset((expr.variable,))
    return frozenset(v for e in children(expr) for v in _named(e))


def _leaves(stmt: Stmt, inside: bool = False) -> bool:
    """Whether a statement may end an iteration of the loop around it early; ``inside`` another loop or a switch."""
    if isinstance(stmt, (Return, Label)) or (isinstance(stmt, Jump) and (not inside or stmt.kind == "goto")):
        return True
    if isinstance(stmt, Switch):
        return any(_leaves(s, True) or _continues(s) for s in substatements(stmt))
    return any(_leaves(s, inside or isinstance(stmt, Loop)) for s in substatements(stmt))


def _jumps(stmt: Stmt) -> bool:
    """Whether a part of a block is jumped to, or left before its end."""
    inner = substatements(stmt)
    return any(
        isinstance(s, (Jump, Return, Label)) and (s is not inner[-1] or not isinstance(s, Return)) for s in inner
    )


def _continues(stmt: Stmt) -> bool:
    """Whether a ``continue`` of the loop around a switch stands in it."""
    if isinstance(stmt, Loop):
        return False
    return (isinstance(stmt, Jump) and stmt.kind == "continue") or any(_continues(s) for s in substatements(stmt))


def greatest(facts: Facts, expr: Expr, place: CountedPlace) -> int | None:
    """The greatest value of a sum or product of counters and constants that are not negative."""
    if isinstance(expr, Name) and expr.variable in place.ranges:
        low, high = place.ranges[expr.variable]
        return high if low >= 0 else None
    if isinstance(expr, Binary) and expr.op in "+*":
        one, other = (greatest(facts, e, place) for e in (expr.left, expr.right))
        return None if one is None or other is None else one + other if expr.op == "+" else one * other
    value = constant(facts.program, expr)
    return value if value is not None and value >= 0 else None


def _evaluated(expr: Expr) -> Iterator[Expr]:
    """An expression and its parts, but for what ``sizeof`` asks the type of."""
    yield expr
    for inner in () if isinstance(expr, SizeOf) else children(expr):
        yield from _evaluated(inner)


def counted(facts: Facts, body: Stmt) -> Iterator[CountedPlace]:
    """All expressions of a function that stand in loops with constant bounds that count by one."""
    yield from _below(facts, body, {}, True)


def _below(
    facts: Facts,
    stmt: Stmt,
    ranges: Mapping[int, tuple[int, int]],
    sure: bool,
    asked: frozenset[int] | None = frozenset(),
) -> Iterator[CountedPlace]:
    if isinstance(stmt, Loop):
        info, trips = facts.analysis.loops.get(stmt.id), facts.trips.get(stmt.id)
        first = start_of(facts.program, stmt)
        begin = constant(facts.program, first) if first is not None else None
        plain = (
            info is not None and info.variable is not None and info.variable not in changed(facts.program, stmt.body)
        )
        if info is not None and info.variable is not None and plain and trips and info.step == 1 and begin is not None:
            ranges = {**ranges, info.variable: (begin, begin + trips - 1)}
        else:
            sure, asked = False, None
        if _leaves(stmt.body):
            sure, asked = False, None
    elif isinstance(stmt, (If, Switch)) or _jumps(stmt):
        yield from (CountedPlace(e, ranges, sure, asked) for x in expressions(stmt) for e in _evaluated(x) if ranges)
        asked = asked | _named(stmt.test) if isinstance(stmt, (If, Switch)) and asked is not None else None
        sure = False
    if ranges and not isinstance(stmt, (Loop, If, Switch)):
        for expr in expressions(stmt):
            chosen = any(isinstance(e, Conditional) or (isinstance(e, Binary) and e.op in _SHORT) for e in walk(expr))
            yield from (
                CountedPlace(e, ranges, sure and not chosen, None if chosen else asked) for e in _evaluated(expr)
            )
    for inner in substatements(stmt):
        yield from _below(facts, inner, ranges, sure, asked)


_SHORT = ("&&", "||")
