"""Bodies of functions with all returns at the end of their paths, so that they can stand inside another."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.model.program import (
    Assign,
    Block,
    CType,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    IncDec,
    Name,
    PragmaMark,
    Return,
    Stmt,
    walk,
    walk_statements,
)


def single_exit(body: tuple[Stmt, ...]) -> tuple[Stmt, ...] | None:
    """``body`` with every return in tail position: what follows ``if (c) return;`` becomes its else."""
    result: list[Stmt] = []
    for k, stmt in enumerate(body):
        if isinstance(stmt, Return):
            return (*result, stmt)
        if not any(isinstance(s, Return) for s in walk_statements(stmt)):
            result.append(stmt)
            continue
        rest = body[k + 1 :]
        if isinstance(stmt, Block):
            inner = single_exit((*stmt.body, *rest)) if not _declares(stmt) or not rest else None
            return None if inner is None else (*result, replace(stmt, body=inner))
        if not isinstance(stmt, If):
            return None
        then = single_exit((*stmt.then.body, *rest) if not always_returns(stmt.then.body) else stmt.then.body)
        follow = stmt.other.body if stmt.other is not None else ()
        other = single_exit((*follow, *rest) if not always_returns(follow) else follow)
        if then is None or other is None:
            return None
        if rest and not always_returns(stmt.then.body) and not always_returns(follow):
            return None  # would copy the rest into both arms
        holder = stmt.other if stmt.other is not None else stmt.then
        return (*result, replace(stmt, then=replace(stmt.then, body=then), other=replace(holder, body=other)))
    return tuple(result)


def only_expression(function: Function) -> Expr | None:
    """What a function of one statement evaluates."""
    match [s for s in function.body.body if not isinstance(s, PragmaMark)]:
        case [Return(value=value)]:
            return value
        case [ExprStmt(expr=value)]:
            return value
    return None


def only_value(function: Function) -> Expr | None:
    """What a function returns that does nothing else."""
    value = only_expression(function) if always_returns(function.body.body) else None
    return None if value is None or any(isinstance(e, Assign | IncDec) for e in walk(value)) else value


def _declares(block: Block) -> bool:
    return any(isinstance(s, Declare) for s in block.body)


def always_returns(body: tuple[Stmt, ...]) -> bool:
    """Whether no path runs off the end of ``body``."""
    if not body:
        return False
    last = body[-1]
    match last:
        case Return():
            return True
        case Block():
            return always_returns(last.body)
        case If():
            return last.other is not None and always_returns(last.then.body) and always_returns(last.other.body)
    return False


def returns_assigned(body: tuple[Stmt, ...], result: int | None, of: CType) -> tuple[Stmt, ...]:
    """Returns in tail position as assignments to the variable ``result``."""
    if not body:
        return body
    last = body[-1]
    made: Stmt | None = last
    match last:
        case Return(value=None):
            made = None
        case Return(value=value) if value is not None:
            if result is None:
                made = ExprStmt(last.at, value)
            else:
                made = ExprStmt(last.at, Assign(last.at, of, "=", Name(last.at, of, result), value))
        case Block():
            made = replace(last, body=returns_assigned(last.body, result, of))
        case If():
            then = replace(last.then, body=returns_assigned(last.then.body, result, of))
            other = (
                None if last.other is None else replace(last.other, body=returns_assigned(last.other.body, result, of))
            )
            made = replace(last, then=then, other=other)
    return body[:-1] if made is None else (*body[:-1], made)
