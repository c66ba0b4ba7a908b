"""What becomes of variables behind a loop."""

from __future__ import annotations

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Cast,
    Const,
    CType,
    Expr,
    If,
    Jump,
    Label,
    Loop,
    Name,
    Program,
    Return,
    ScalarType,
    Stmt,
    Unary,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import statement_values


def statements_behind(stmt: Stmt, loop: Loop) -> tuple[Stmt, ...] | None:
    """Statements that always follow a loop, in order, inside of the loops around it; None where it is not in there."""
    if stmt is loop:
        return ()
    match stmt:
        case Block():
            for k, s in enumerate(stmt.body):
                if (rest := statements_behind(s, loop)) is not None:
                    return (*rest, *stmt.body[k + 1 :])
        case Loop():
            rest = statements_behind(stmt.body, loop)
            return None if rest is None else (*rest, stmt.body)
        case If():
            arms = (stmt.then, stmt.other)
            return next((r for a in arms if a is not None and (r := statements_behind(a, loop)) is not None), None)
        case _:
            pass
    return None


def first_use(program: Program, stmt: Stmt, variable: int) -> ArrayRef | bool | None:
    """The element that surely takes all that a variable holds, True where a function returns it.

    False where it is read in another way first, is given a value, or where the function may end; None where the
    statement does not name it.
    """
    if isinstance(stmt, Block):
        return next((x for x in (first_use(program, s, variable) for s in stmt.body) if x is not None), None)
    inside = list(walk_statements(stmt))
    roots = [root for s in inside for root in statement_values(program, s)]
    if not any(is_named(root, variable) for root in roots):
        return False if any(isinstance(s, Jump | Return | Label) for s in inside) else None
    root = roots[0]
    if len(roots) > 1 or not keeps(root, variable):
        return False
    if isinstance(stmt, Return):
        return True
    is_sum = isinstance(root, Assign) and root.op in ("=", "+=") and not is_named(root.target, variable)
    return root.target if is_sum and isinstance(root, Assign) and isinstance(root.target, ArrayRef) else False


def is_named(root: Expr, variable: int) -> bool:
    """Whether an expression names a variable."""
    return any(isinstance(e, Name | ArrayRef) and e.variable == variable for e in walk(root))


def keeps(expr: Expr, variable: int) -> bool:
    """Whether each value of a variable in an expression makes another one of it."""
    if not is_named(expr, variable):
        return True
    match expr:
        case Name():
            return True
        case ArrayRef():
            return expr.variable == variable and not any(is_named(x, variable) for x in expr.indices)
        case Assign(op="=" | "+=" | "-=", target=ArrayRef() | Name() as target, value=value):
            return keeps(value, variable) and keeps(target, variable) and _holds(target.type, value.type)
        case Cast(operand=operand):
            return keeps(operand, variable) and _holds(expr.type, operand.type)
        case Unary(op="-" | "+", operand=operand):
            return keeps(operand, variable)
        case Binary(op="+" | "-" | "*" | "/" as op, left=left, right=right):
            is_float = isinstance(expr.type, ScalarType) and expr.type.kind == "float"
            other = left if is_named(right, variable) else right
            known = isinstance(other, Const) and bool(other.value if is_float else other.value % 2)
            factor = op in ("+", "-") or known  # any other one may be zero
            one = not (is_named(left, variable) and is_named(right, variable))
            return one and factor and (op != "/" or is_float) and keeps(left, variable) and keeps(right, variable)
    return False


def _holds(kind: CType, other: CType) -> bool:
    """Whether a type keeps apart the values of another one."""
    if not (isinstance(kind, ScalarType) and isinstance(other, ScalarType)):
        return kind == other
    return kind == other or (kind.kind == other.kind in ("int", "float") and kind.bits >= other.bits)
