"""Bodies of functions with all returns at the end of their paths, so that they can stand inside another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Block,
    Call,
    Case,
    CType,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    IncDec,
    Jump,
    Loop,
    Name,
    PragmaMark,
    Return,
    Stmt,
    Switch,
    substatements,
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
        if isinstance(stmt, Switch):
            groups = _single_exits(stmt, rest)
            return None if groups is None else (*result, _switch_of(stmt, groups))
        if not isinstance(stmt, If):
            return None
        then = single_exit((*stmt.then.body, *rest) if not always_returns(stmt.then.body) else stmt.then.body)
        follow = stmt.other.body if stmt.other is not None else ()
        other = single_exit((*follow, *rest) if not always_returns(follow) else follow)
        if then is None or other is None:
            return None
        if not (_is_repeatable(rest) or always_returns(stmt.then.body) or always_returns(follow)):
            return None  # would copy the rest into both arms
        holder = stmt.other if stmt.other is not None else stmt.then
        return (*result, replace(stmt, then=replace(stmt.then, body=then), other=replace(holder, body=other)))
    return tuple(result)


def _single_exits(stmt: Switch, rest: tuple[Stmt, ...]) -> list[list[Stmt]] | None:
    """The arms of a switch with ``rest`` at the end of those that do not return; None where one falls into the next."""
    arms = list(_arms(stmt))
    if not any(isinstance(s, Case) and s.low is None for labels, _ in arms for s in labels):
        arms.append(([Case(stmt.at, None, None)], []))
    behind = sum(not always_returns(tuple(body)) for _, body in arms)
    if behind > 1 and not _is_repeatable(rest):
        return None
    out: list[list[Stmt]] = []
    for k, (labels, body) in enumerate(arms):
        leaves = bool(body) and breaks(body[-1])
        kept = tuple(body[:-1] if leaves else body)
        ends = leaves or k == len(arms) - 1 or always_returns(kept)
        if not labels or not ends or any(map(jumps_out, kept)):
            return None
        arm = single_exit(kept if always_returns(kept) else (*kept, *rest))
        if arm is None:
            return None
        out.append([*labels, *arm, *(() if always_returns(arm) else (Jump(stmt.at, "break"),))])
    return out


def _arms(stmt: Switch) -> Iterator[tuple[list[Stmt], list[Stmt]]]:
    """The labels and the statements of each arm; what stands before all labels has none."""
    labels, body = list[Stmt](), list[Stmt]()
    for item in stmt.body.body:
        if isinstance(item, Case):
            if body:
                yield labels, body
                labels, body = [], []
            labels.append(item)
        elif isinstance(item, Block) and not _declares(item) and labels:
            body += item.body
        else:
            body.append(item)
    yield labels, body


def _switch_of(stmt: Switch, arms: Sequence[Sequence[Stmt]]) -> Switch:
    return replace(stmt, body=replace(stmt.body, body=tuple(s for arm in arms for s in arm)))


def breaks(stmt: Stmt) -> bool:
    """Whether a statement is a ``break``."""
    return isinstance(stmt, Jump) and stmt.kind == "break"


def jumps_out(stmt: Stmt) -> bool:
    """Whether a statement may leave the switch around it by a ``break``, or is a label of it."""
    if breaks(stmt) or isinstance(stmt, Case):
        return True
    return not isinstance(stmt, Loop | Switch) and any(map(jumps_out, substatements(stmt)))


def _is_repeatable(body: tuple[Stmt, ...]) -> bool:
    """Whether statements may stand at several places: nothing, or a return of values that have no places."""
    match body:
        case ():
            return True
        case (Return(value=value),):
            return value is None or not any(isinstance(e, ArrayRef | Call | Assign | IncDec) for e in walk(value))
    return False


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
        case Switch():
            default = any(isinstance(s, Case) and s.low is None for s in last.body.body)
            leaves = any(jumps_out(s) for s in last.body.body if not isinstance(s, Case))
            return default and not leaves and always_returns(tuple(list(_arms(last))[-1][1]))
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
        case Switch() if any(isinstance(s, Return) for s in walk_statements(last)):
            arms = ((labels, tuple(x[:-1] if x and breaks(x[-1]) else x)) for labels, x in _arms(last))
            leave = Jump(last.at, "break")
            made = _switch_of(last, [(*labels, *returns_assigned(x, result, of), leave) for labels, x in arms])
    return body[:-1] if made is None else (*body[:-1], made)
