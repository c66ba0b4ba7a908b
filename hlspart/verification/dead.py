"""Loads whose values nobody uses: every compiler leaves them out, so they ask no memory for anything."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Call,
    Declare,
    Expr,
    ExprStmt,
    IncDec,
    Name,
    Program,
    ScalarType,
    Stmt,
    StructType,
    expressions,
    walk,
    walk_statements,
)


def dead_loads(program: Program) -> frozenset[int]:
    """ArrayRef.id of loads that only reach local scalars which nothing reads, whatever the order of the statements.

    A value is used by every statement but an assignment to a local scalar, its initial value, and a statement
    without an effect; by those it is used when the scalar is.
    """
    positions: set[int] = set()
    for function in program.functions.values():
        live: set[int] = set()
        flows = [flow for stmt in walk_statements(function.body) for flow in _flows(program, stmt)]
        while True:
            used = {n.variable for to, expr in flows if to is None or to in live for n in _names(expr)}
            if used <= live:
                break
            live |= used
        positions.update(
            node.id
            for to, expr in flows
            if to is not None and to not in live
            for node in walk(expr)
            if isinstance(node, ArrayRef) and not program.variable(node.variable).volatile
        )
    return frozenset(positions)


NOWHERE = -1  # a statement without an effect


def _flows(program: Program, stmt: Stmt) -> Iterator[tuple[int | None, Expr]]:
    """(what the value of an expression goes to, the expression); None: to something that counts."""
    match stmt:
        case Declare():
            for variable in stmt.variables:
                init = program.variable(variable).init
                if init is not None:
                    yield _target(program, variable, init), init
        case ExprStmt(expr=Assign(target=Name() as target) as assign):
            yield _target(program, target.variable, assign.value), assign.value
        case ExprStmt(expr=IncDec(operand=Name() as target)):
            return
        case ExprStmt():
            yield NOWHERE if _pure(stmt.expr) else None, stmt.expr
        case _:
            for expr in expressions(stmt):
                yield None, expr


def _target(program: Program, variable: int, value: Expr) -> int | None:
    known = program.variable(variable)
    whole = isinstance(known.type, ScalarType | StructType)
    plain = known.storage == "local" and whole and not known.volatile
    return variable if plain and _pure(value) else None


def _pure(expr: Expr) -> bool:
    return not any(isinstance(node, Assign | IncDec | Call) for node in walk(expr))


def _names(expr: Expr) -> Iterator[Name]:
    return (node for node in walk(expr) if isinstance(node, Name))
