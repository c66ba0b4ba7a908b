"""What a condition in an expression decides, as statements under ``if``: whether a call runs, what it is handed.

For expansion, without a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from hlspart.model.program import (
    INT,
    Assign,
    Binary,
    Block,
    Call,
    Conditional,
    Declare,
    Expr,
    ExprStmt,
    If,
    IncDec,
    Name,
    OpaqueExpr,
    ScalarType,
    Stmt,
    Unary,
    children,
    integer,
    is_same,
    walk,
)
from hlspart.transform.handed import array_place

_TRUTHS = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))


def later(e: Binary | Conditional) -> Iterator[Call]:
    """The calls in operands of ``&&``, ``||`` and ``?:`` that the first one decides, where the whole is a number."""
    if isinstance(e.type, ScalarType):
        yield from (x for part in children(e)[1:] for x in walk(part) if isinstance(x, Call))


def as_statements(
    e: Binary | Conditional, truth: Name, expr: Callable[[Expr, list[Stmt]], Expr], ids: Iterator[int]
) -> tuple[list[Stmt], Expr]:
    """``a && f(b)`` and ``a ? f(b) : c`` as statements, and the value: a variable that ``told`` names.

    ``expr`` copies an operand, with what must run in front of it.
    """
    at, before = e.at, list[Stmt]()
    before.append(Declare(at, (truth.variable,)))

    def arm(value: Expr) -> Block:
        inner: list[Stmt] = []
        set_ = Assign(at, e.type, "=", replace(truth), expr(value, inner))
        return Block(next(ids), at, (*inner, ExprStmt(at, set_)))

    if isinstance(e, Conditional):
        test = expr(e.test, before)
        before.append(If(at, test, arm(e.then), arm(e.other)))
        return before, truth
    first = _truth(expr(e.left, before))
    before.append(ExprStmt(at, Assign(at, e.type, "=", replace(truth), first)))
    test = replace(truth) if e.op == "&&" else Unary(at, e.type, "!", replace(truth))
    before.append(If(at, test, arm(_truth(e.right)), None))
    return before, truth


def _truth(e: Expr) -> Expr:
    """A value as 0 or 1."""
    is_truth = isinstance(e, Binary) and e.op in _TRUTHS
    return e if is_truth else Binary(e.at, INT, "!=", e, integer(0, e.at))


def choice(call: Call) -> Expr | None:
    """The test that says which array a call is handed: ``f(c ? a : b)``."""
    for arg in call.args:
        if isinstance(arg, Conditional) and array_place(arg.then) and array_place(arg.other):
            acts = any(isinstance(x, (Call, Assign, IncDec, OpaqueExpr)) for x in walk(arg.test))
            return None if acts else arg.test
    return None


def arms(call: Call, test: Expr) -> Sequence[Call]:
    """The call where the test holds, and where it does not."""
    return [replace(call, args=tuple(_arm(a, test, taken) for a in call.args)) for taken in (0, 1)]


def _arm(e: Expr, test: Expr, taken: int) -> Expr:
    if not isinstance(e, Conditional) or not is_same(e.test, test):
        return e
    return e.other if taken else e.then
