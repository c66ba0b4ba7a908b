"""Which statements name a variable, and which give it a value of its own."""

from __future__ import annotations

from hlspart.model.program import ArrayRef, Assign, Expr, ExprStmt, Name, Program, Stmt, walk
from hlspart.semantics.effects import statement_expressions


def occurs(root: Expr, variable: int) -> bool:
    """Whether an expression names a variable."""
    return any(isinstance(e, Name | ArrayRef) and e.variable == variable for e in walk(root))


def mentions(program: Program, stmt: Stmt, variable: int) -> bool:
    """Whether a statement names a variable."""
    return any(occurs(root, variable) for root in statement_expressions(program, stmt))


def assigns(stmt: Stmt | None, variable: int) -> bool:
    """Whether a statement is ``x = e``, without x in e."""
    expr = stmt.expr if isinstance(stmt, ExprStmt) else None
    if not isinstance(expr, Assign) or expr.op != "=" or not isinstance(expr.target, Name):
        return False
    return expr.target.variable == variable and not occurs(expr.value, variable)
