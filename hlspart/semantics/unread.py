"""Local variables that nothing reads but statements which only set other such variables."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.code import once_per_code
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Call,
    CType,
    Declare,
    Expr,
    ExprStmt,
    Function,
    IncDec,
    Name,
    Program,
    ScalarType,
    Stmt,
    StructType,
    Variable,
    expressions,
    walk,
    walk_statements,
)

NOWHERE = -1  # where the value of a statement without an effect goes
_WHOLE = (ScalarType, StructType)


@once_per_code(4)
def unread(program: Program) -> frozenset[int]:
    """Scalars, structures and arrays of functions whose values reach nothing that lasts, in any order of statements."""
    kept = (*_WHOLE, ArrayType)
    mine = {v.id for v in program.variables if _is_own(v, kept)}
    return frozenset(mine.difference(*(live(program, f, kept)[0] for f in program.functions.values())))


def live(
    program: Program, function: Function, kinds: tuple[type[CType], ...] = _WHOLE
) -> tuple[set[int], list[tuple[int | None, Expr]]]:
    """Variables that something reads, and where each value of a function goes; None: to something that counts.

    A value is used by every statement but an assignment to a local variable of ``kinds``, its initial value, and a
    statement without an effect; by those it is used when the variable is.
    """
    used: set[int] = set()
    flows = [flow for stmt in walk_statements(function.body) for flow in _flows(program, stmt, kinds)]
    while True:
        more = {v for to, expr in flows if to is None or to in used for v in _read(expr)}
        if more <= used:
            return used, flows
        used |= more


def _flows(program: Program, stmt: Stmt, kinds: tuple[type[CType], ...]) -> Iterator[tuple[int | None, Expr]]:
    match stmt:
        case Declare():
            for variable in stmt.variables:
                init = program.variable(variable).init
                if init is not None:
                    yield _target(program, variable, init, kinds), init
        case ExprStmt(expr=Assign(target=Name() as target) as assign):
            yield _target(program, target.variable, assign.value, kinds), assign.value
        case ExprStmt(expr=Assign(target=ArrayRef() as element) as assign) if ArrayType in kinds:
            for value in (assign.value, *element.indices):
                yield _target(program, element.variable, value, kinds), value
        case ExprStmt(expr=IncDec(operand=Name())):
            return
        case ExprStmt():
            yield NOWHERE if _pure(stmt.expr) else None, stmt.expr
        case _:
            for expr in expressions(stmt):
                yield None, expr


def _target(program: Program, variable: int, value: Expr, kinds: tuple[type[CType], ...]) -> int | None:
    return variable if _is_own(program.variable(variable), kinds) and _pure(value) else None


def _is_own(variable: Variable, kinds: tuple[type[CType], ...]) -> bool:
    plain = variable.storage == "local" and not (variable.volatile or variable.reference)
    return plain and isinstance(variable.type, kinds)


def _pure(expr: Expr) -> bool:
    return not any(isinstance(node, Assign | IncDec | Call) for node in walk(expr))


def _read(expr: Expr) -> Iterator[int]:
    return (node.variable for node in walk(expr) if isinstance(node, Name | ArrayRef))
