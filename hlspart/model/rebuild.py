"""Copies of records with other children or other places: the only code that takes a node apart to build it anew.

A node of which nothing changes comes back itself, so that identity tells what a transformation touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec.structs import replace

from hlspart.model.expressions import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    Expr,
    IncDec,
    InitList,
    Member,
    OpaqueExpr,
    SizeOf,
    Subscript,
    Unary,
    children,
)
from hlspart.model.source import Origin
from hlspart.model.statements import Block, Case, ExprStmt, If, Loop, Return, Stmt, Switch

Move = Callable[[Origin], Origin]
_E = TypeVar("_E", bound=Expr)


def map_children(expr: Expr, change: Callable[[Expr], Expr], fresh: bool = False) -> Expr:
    """``expr`` with ``change`` applied to each direct sub-expression, in the order of :func:`children`."""
    return with_children(expr, [change(child) for child in children(expr)], fresh)


def with_children(expr: Expr, new: Iterable[Expr], fresh: bool = False) -> Expr:
    """``expr`` with other direct sub-expressions: as many as :func:`children` gives, in that order.

    ``fresh``: a node of its own also where they are the same ones.
    """
    given = tuple(new)
    if not given or (not fresh and all(a is b for a, b in zip(given, children(expr), strict=True))):
        return expr
    match expr:
        case ArrayRef():
            return replace(expr, indices=given)
        case Subscript():
            return replace(expr, base=given[0], index=given[1])
        case Member():
            return replace(expr, base=given[0])
        case Unary() | Cast() | IncDec() | SizeOf():
            return replace(expr, operand=given[0])
        case Binary():
            return replace(expr, left=given[0], right=given[1])
        case Assign():
            return replace(expr, target=given[0], value=given[1])
        case Call():
            return replace(expr, args=given)
        case Conditional():
            return replace(expr, test=given[0], then=given[1], other=given[2])
        case Comma():
            return replace(expr, items=given)
        case InitList():
            return replace(expr, items=tuple((names, x) for (names, _), x in zip(expr.items, given, strict=True)))
        case OpaqueExpr():
            return replace(expr, children=given)
    raise AssertionError(type(expr))


def map_parts(stmt: Stmt, expr: Callable[[Expr], Expr], sub: Callable[[Stmt], Stmt]) -> Stmt:
    """``stmt`` with ``expr`` applied to the expressions that stand in it and ``sub`` to its direct sub-statements.

    ``sub`` gives a block for a block. The initial values of a declaration are its variables' business.
    """
    new: dict[str, Any] = {}
    match stmt:
        case Block():
            new["body"] = tuple(sub(s) for s in stmt.body)
            if all(a is b for a, b in zip(new["body"], stmt.body, strict=True)):
                return stmt
        case ExprStmt():
            new["expr"] = expr(stmt.expr)
        case If():
            new.update(test=expr(stmt.test), then=sub(stmt.then))
            new["other"] = None if stmt.other is None else sub(stmt.other)
        case Loop():
            new["init"] = None if stmt.init is None else sub(stmt.init)
            new["test"] = None if stmt.test is None else expr(stmt.test)
            new["step"] = None if stmt.step is None else expr(stmt.step)
            new["body"] = sub(stmt.body)
        case Switch():
            new.update(test=expr(stmt.test), body=sub(stmt.body))
        case Case():
            new["low"] = None if stmt.low is None else expr(stmt.low)
            new["high"] = None if stmt.high is None else expr(stmt.high)
        case Return():
            new["value"] = None if stmt.value is None else expr(stmt.value)
    changed = any(getattr(stmt, name) is not value for name, value in new.items())
    return replace(stmt, **new) if changed else stmt


def moved_expr(expr: _E, move: Move) -> _E:
    """``expr`` itself, without its children, at the places that ``move`` gives."""
    match expr:
        case ArrayRef():
            return replace(expr, at=move(expr.at), name=move(expr.name), brackets=tuple(map(move, expr.brackets)))
        case Call():
            return replace(expr, at=move(expr.at), callee=move(expr.callee))
    return replace(expr, at=move(expr.at))


def moved_stmt(stmt: Stmt, move: Move) -> Stmt:
    """``stmt`` itself, without what stands in it, at the places that ``move`` gives."""
    if isinstance(stmt, Loop):
        return replace(stmt, at=move(stmt.at), header=move(stmt.header))
    return replace(stmt, at=move(stmt.at))
