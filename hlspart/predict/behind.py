"""What becomes of variables behind a loop, and which of them stand beside zeros."""

from __future__ import annotations

from hlspart.model.code import once_per_code
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Const,
    Declare,
    Expr,
    ExprStmt,
    If,
    Loop,
    Name,
    Program,
    Return,
    Stmt,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import statement_expressions, statement_values


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


def first_use(program: Program, stmt: Stmt, variable: int) -> bool | None:
    """Whether a statement surely reads a variable, ahead of giving it a value; None where it does not name it."""
    if isinstance(stmt, Block):
        return next((x for x in (first_use(program, s, variable) for s in stmt.body) if x is not None), None)
    roots = [root for s in walk_statements(stmt) for root in statement_values(program, s)]
    names = [e for root in roots for e in walk(root) if isinstance(e, Name) and e.variable == variable]
    if not names or not isinstance(stmt, ExprStmt | Declare | Return) or any(map(_is_cleared, roots)):
        return False if names else None
    given = [root.target for root in roots if isinstance(root, Assign) and root.op == "="]
    return any(e not in given for e in names)


def _is_cleared(root: Expr) -> bool:
    """Whether something in an expression is multiplied by zero, or masked with it."""
    products = (e for e in walk(root) if isinstance(e, Binary) and e.op in ("*", "&"))
    return any(isinstance(x, Const) and not x.value for e in products for x in (e.left, e.right))


@once_per_code(8)
def beside_zeros(program: Program) -> frozenset[int]:
    """Variables in expressions of which something is multiplied by zero, or masked with it."""
    bodies = (function.body for function in program.functions.values())
    cleared = filter(_is_cleared, (root for body in bodies for root in statement_expressions(program, body)))
    return frozenset(e.variable for root in cleared for e in walk(root) if isinstance(e, Name | ArrayRef))
