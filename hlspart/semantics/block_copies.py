"""Statements that copy or fill a block of memory by a call, of which tools make loops."""

from __future__ import annotations

from hlspart.model.program import Call, Cast, ExprStmt, Stmt, VoidType

_CALLS = frozenset(f"{of}{name}" for of in ("", "std.", "std::") for name in ("memcpy", "memmove", "memset"))


def block_copy(stmt: Stmt) -> Call | None:
    """The call of a statement that is nothing else: ``memcpy(to, from, bytes)``, ``memset(to, value, bytes)``."""
    expr = stmt.expr if isinstance(stmt, ExprStmt) else None
    while isinstance(expr, Cast) and isinstance(expr.type, VoidType):
        expr = expr.operand
    return expr if isinstance(expr, Call) and expr.function in _CALLS and len(expr.args) == 3 else None
