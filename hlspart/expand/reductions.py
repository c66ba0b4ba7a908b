"""Statements that only add to a variable, in any order: ``x op= e`` and what means the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    CType,
    Expr,
    ExprStmt,
    If,
    IncDec,
    Loop,
    Name,
    Program,
    Return,
    ScalarType,
    Stmt,
    is_same,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import statement_expressions
from hlspart.semantics.named import mentions, occurs

_COMPOUND = {"+=": "+", "-=": "+", "*=": "*", "&=": "&", "|=": "|", "^=": "^"}
_CALLS = {
    "fmin": "min", "fminf": "min", "fmax": "max", "fmaxf": "max", "std::min": "min", "std::max": "max",
    "hls::min": "min", "hls::max": "max",
}  # fmt: skip
_MORE = {"<": "max", "<=": "max", ">": "min", ">=": "min"}  # `x < e` then x = e keeps the larger


class Update(Struct, frozen=True, eq=False):
    """A statement ``target op value``; ``values`` are the expressions that it combines with the target.

    ``others``: ids of its references to other places of the target's array (``x[i] -= l[i][j] * x[j]``).
    """

    op: str
    target: Name | ArrayRef
    values: tuple[Expr, ...]
    others: frozenset[int] = frozenset()


def update_of(program: Program, stmt: Stmt, variable: int) -> Update | None:
    """The statement as an update of ``variable``, None where it is no such thing."""
    update = _update(program, stmt)
    if update is None or update.target.variable != variable:
        return None
    if isinstance(update.target, ArrayRef) and any(occurs(index, variable) for index in update.target.indices):
        return None
    if any(is_same(use, update.target) for value in update.values for use in _uses(value, variable)):
        return None
    uses = [use for root in statement_expressions(program, stmt) for use in _uses(root, variable)]
    others = [use for use in uses if not is_same(use, update.target)]
    refs = frozenset(use.id for use in others if isinstance(use, ArrayRef))
    return replace(update, others=refs) if len(refs) == len(others) else None


def _update(program: Program, stmt: Stmt) -> Update | None:
    if isinstance(stmt, Block) and len(stmt.body) == 1:
        return _update(program, stmt.body[0])
    if isinstance(stmt, If):
        return _kept_extreme(stmt)
    if not isinstance(stmt, ExprStmt):
        return None
    match stmt.expr:
        case IncDec(operand=Name() | ArrayRef() as target):
            return Update("+", target, ())
        case Assign(op="=", target=Name() | ArrayRef() as target, value=value):
            return _plain(program, target, value)
        case Assign(op=op, target=Name() | ArrayRef() as target, value=value) if op in _COMPOUND:
            return Update(_COMPOUND[op], target, (value,))
    return None


def _plain(program: Program, target: Name | ArrayRef, value: Expr) -> Update | None:
    """``x = x op e`` and its kin."""
    value = _bare(value, target.type)
    if isinstance(value, Binary) and value.op in ("+", "-", "*", "&", "|", "^"):
        op = "+" if value.op in "+-" else value.op
        rest: list[Expr] = []
        if _is_without(value, target, op, rest):
            return Update(op, target, tuple(rest))
    if isinstance(value, Call) and value.function in _CALLS and len(value.args) == 2:
        for one, other in (value.args, value.args[::-1]):
            if is_same(one, target):
                return Update(_CALLS[value.function or ""], target, (other,))
    if isinstance(value, Call) and value.function in program.functions:
        return _called(program, target, value)
    if isinstance(value, Conditional) and isinstance(value.test, Binary) and value.test.op in _MORE:
        for kept, new in ((value.then, value.other), (value.other, value.then)):
            if is_same(kept, target):
                kind = _extreme(value.test, target, new, taken=new is value.then)
                return None if kind is None else Update(kind, target, (new,))
    return None


def _called(program: Program, target: Name | ArrayRef, call: Call) -> Update | None:
    """``x = f(x, e)`` where f returns its parameter, combined with what does not depend on it."""
    function = program.functions[call.function or ""]
    places = [k for k, arg in enumerate(call.args) if is_same(arg, target)]
    if len(places) != 1 or len(call.args) != len(function.params) or mentions(program, function.body, target.variable):
        return None
    param = program.variable(function.params[places[0]])
    users = [s for s in walk_statements(function.body) if not isinstance(s, Block) and mentions(program, s, param.id)]
    if not (param.type == function.return_type == target.type) or param.reference or len(users) != 1:
        return None
    (last,) = users
    if last is not function.body.body[-1] or not isinstance(last, Return) or last.value is None:
        return None
    if any(isinstance(s, Return) and s is not last for s in walk_statements(function.body)):
        return None
    chain = _bare(last.value, target.type)
    own = [e for e in walk(chain) if isinstance(e, Name) and e.variable == param.id]
    if len(own) != 1 or not isinstance(chain, Binary) or chain.op not in ("+", "-", "*", "&", "|", "^"):
        return None
    op, rest = "+" if chain.op in "+-" else chain.op, list[Expr]()
    if not _is_without(chain, own[0], op, rest):
        return None
    return Update(op, target, (*rest, *(a for k, a in enumerate(call.args) if k not in places)))


def _is_without(value: Expr, target: Expr, op: str, rest: list[Expr]) -> bool:
    """Whether ``value`` is a chain of ``op`` with ``target`` in it once, not subtracted; the others go to ``rest``."""
    if is_same(value, target):
        return True
    if not isinstance(value, Binary) or value.op not in (("+", "-") if op == "+" else (op,)):
        return False
    if _is_without(value.left, target, op, rest):
        rest.append(value.right)
        return True
    if value.op != "-" and _is_without(value.right, target, op, rest):
        rest.append(value.left)
        return True
    return False


def _kept_extreme(stmt: If) -> Update | None:
    """``if (e > x) x = e;``"""
    body = stmt.then.body
    if stmt.other is not None or len(body) != 1 or not isinstance(body[0], ExprStmt):
        return None
    inner = body[0].expr
    if not isinstance(inner, Assign) or inner.op != "=" or not isinstance(inner.target, Name | ArrayRef):
        return None
    if not isinstance(stmt.test, Binary) or stmt.test.op not in _MORE:
        return None
    op = _extreme(stmt.test, inner.target, inner.value, taken=True)
    return None if op is None else Update(op, inner.target, (inner.value,))


def _extreme(test: Binary, kept: Expr, new: Expr, taken: bool) -> str | None:
    """min or max when ``new`` replaces ``kept`` if the test holds (``taken``) or if it fails."""
    if is_same(test.left, kept) and is_same(test.right, new):
        op = _MORE[test.op]
    elif is_same(test.right, kept) and is_same(test.left, new):
        op = "min" if _MORE[test.op] == "max" else "max"
    else:
        return None
    return op if taken else ("min" if op == "max" else "max")


def _bare(value: Expr, of: CType) -> Expr:
    while isinstance(value, Cast) and value.type == of:
        value = value.operand
    return value


def guarded_updates(program: Program, stmt: Stmt, variable: int, inside: bool = False) -> list[Update] | None:
    """All uses of ``variable`` in ``stmt`` as updates, under any conditions that do not read it; None otherwise.

    ``inside``: those in loops count as well, once each.
    """
    if not mentions(program, stmt, variable):
        return []
    update = update_of(program, stmt, variable)
    if update is not None:
        return [update]
    if isinstance(stmt, Block):
        return _all(program, stmt.body, variable, inside)
    if isinstance(stmt, If) and not occurs(stmt.test, variable):
        return _all(program, (stmt.then,) if stmt.other is None else (stmt.then, stmt.other), variable, inside)
    if inside and isinstance(stmt, Loop) and stmt.kind == "for" and not stmt.made:
        header = [e for e in (stmt.test, stmt.step) if e is not None and occurs(e, variable)]
        if not header and (stmt.init is None or not mentions(program, stmt.init, variable)):
            return guarded_updates(program, stmt.body, variable, inside)
    return None


def _all(program: Program, stmts: Sequence[Stmt], variable: int, inside: bool) -> list[Update] | None:
    updates: list[Update] = []
    for stmt in stmts:
        more = guarded_updates(program, stmt, variable, inside)
        if more is None:
            return None
        updates += more
    return updates


def _uses(root: Expr, variable: int) -> Iterator[Name | ArrayRef]:
    return (e for e in walk(root) if isinstance(e, Name | ArrayRef) and e.variable == variable)


def is_associative(kind: CType, values: Sequence[Expr], op: str) -> bool:
    """Whether the order of updates cannot be seen: integers, updated with integers."""
    if not isinstance(kind, ScalarType) or kind.kind != "int":
        return False
    return all(isinstance(v.type, ScalarType) and v.type.kind in ("int", "bool") for v in values)
