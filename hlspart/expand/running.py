"""Sums that a loop also sets or reads: ``if (k == 0) s = 0; s += e; if (k == K - 1) y = s;``.

What is read is the sum of all partials. Once it is set, those of iterations before count no more.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hlspart.expand.reductions import Update, update_of
from hlspart.expand.region import target_of
from hlspart.model.program import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Comma,
    Conditional,
    CType,
    Declare,
    Expr,
    ExprStmt,
    If,
    Name,
    Program,
    ScalarType,
    Unary,
    children,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import statement_values
from hlspart.semantics.named import assigns, mentions, occurs


class SumUses(Struct, frozen=True):
    """All uses of a variable in a loop's body: statements that add to it or give it a value, and where it is read.

    ``selected``: those that do either, as ``s = (k == 0 ? 0 : s) + e``, with what a test takes in its place.
    """

    updates: tuple[tuple[ExprStmt, Update], ...]
    sets: tuple[ExprStmt, ...]
    selected: tuple[tuple[ExprStmt, Expr], ...]
    reads: tuple[Name, ...]

    @property
    def ops(self) -> set[str]:
        """The operations that combine the terms."""
        added = {
            "+" for stmt, _ in self.selected if isinstance(stmt.expr, Assign) and isinstance(stmt.expr.value, Binary)
        }
        return {update.op for _, update in self.updates} | added


def sum_uses(program: Program, body: Block, variable: int) -> SumUses | None:
    """Those of a body without loops that name it; None where it stands in a test, a subscript or a whole number."""
    updates, sets, reads = list[tuple[ExprStmt, Update]](), list[ExprStmt](), list[Name]()
    selected = list[tuple[ExprStmt, Expr]]()
    for stmt in walk_statements(body):
        match stmt:
            case Block():
                continue
            case If(test=test):
                if occurs(test, variable):
                    return None
            case ExprStmt() if (update := update_of(program, stmt, variable)) is not None:
                updates.append((stmt, update))
            case ExprStmt() if assigns(stmt, variable):
                sets.append(stmt)
            case ExprStmt() if (other := _selected(stmt, variable)) is not None:
                selected.append((stmt, other))
            case ExprStmt() | Declare():
                roots = [root for root in statement_values(program, stmt) if occurs(root, variable)]
                if any(_shows(program, root, variable) for root in roots):
                    return None
                own = [program.variable(v) for v in stmt.variables] if isinstance(stmt, Declare) else []
                if roots and any(v.init is not None and not _has_float(v.type) for v in own):
                    return None
                reads += (name for root in roots for name in names(root, variable))
            case _ if mentions(program, stmt, variable):
                return None
    uses = SumUses(tuple(updates), tuple(sets), tuple(selected), tuple(reads))
    return uses if uses.ops and (sets or selected or reads) else None


def names(root: Expr, variable: int) -> Iterator[Name]:
    """Where an expression names a variable."""
    return (e for e in walk(root) if isinstance(e, Name) and e.variable == variable)


def _selected(stmt: ExprStmt, variable: int) -> Expr | None:
    """What a test takes in the place of a variable in a sum that it is given; None where a statement is no such."""
    assign = stmt.expr
    if not isinstance(assign, Assign) or assign.op != "=" or len(list(names(assign, variable))) != 2:
        return None
    value = assign.value
    while isinstance(value, Binary) and value.op in ("+", "-") and _is_float(value):
        value = value.left if occurs(value.left, variable) or value.op == "-" else value.right
    if not (isinstance(assign.target, Name) and isinstance(value, Conditional) and value.type == assign.target.type):
        return None
    for kept, other in ((value.then, value.other), (value.other, value.then)):
        if isinstance(kept, Name) and kept.variable == variable == assign.target.variable:
            return other
    return None


def _shows(program: Program, expr: Expr, variable: int) -> bool:
    """Whether more than a number of floating point follows from a variable, or something else becomes of it."""
    if isinstance(expr, Name) or not occurs(expr, variable):
        return not _is_float(expr)
    target = target_of(expr)
    if isinstance(target, Name) and target.variable == variable:
        return True
    match expr:
        case Assign(target=place, value=value):
            return occurs(place, variable) or not _is_float(place) or _shows(program, value, variable)
        case Conditional(test=test):
            return occurs(test, variable) or any(_shows(program, x, variable) for x in (expr.then, expr.other))
        case Call(args=args):
            function = program.functions.get(expr.function or "")
            taken = [program.variable(v) for v in function.params] if function is not None else []
            whole = any(isinstance(v.type, ScalarType) and v.type.kind != "float" for v in taken)
            return whole or any(occurs(x, variable) and _shows(program, x, variable) for x in args)
        case Cast() | Comma() | Unary(op="-" | "+") | Binary(op="+" | "-" | "*" | "/"):
            inner = [x for x in children(expr) if occurs(x, variable)]
            return not _is_float(expr) or any(_shows(program, x, variable) for x in inner)
    return True


def _is_float(expr: Expr) -> bool:
    return _has_float(expr.type)


def _has_float(kind: CType) -> bool:
    return isinstance(kind, ScalarType) and kind.kind == "float"
