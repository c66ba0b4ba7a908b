"""Statements of a program, and the walk over them. Nodes compare and hash by identity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hlspart.model.expressions import Expr
from hlspart.model.source import Origin


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """``{ ... }``. A loop or branch body without braces is a Block with ``braces`` False."""

    id: int
    at: Origin
    body: tuple[Stmt, ...]
    braces: bool = True


@dataclass(frozen=True, eq=False, slots=True)
class Declare:
    """Declaration of variables (ids) at this point, in order; initial values are in the variables."""

    at: Origin
    variables: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class ExprStmt:
    """An expression statement."""

    at: Origin
    expr: Expr


@dataclass(frozen=True, eq=False, slots=True)
class If:
    """``other`` is None without an else."""

    at: Origin
    test: Expr
    then: Block
    other: Block | None


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """``for``, ``while`` or ``do``. ``name`` follows the contract (label, else VITIS_LOOP_line_n).

    ``init`` is a statement (Declare or ExprStmt) or None; ``test`` None means always true.
    ``header`` spans ``for (...)``/``while (...)``.
    """

    id: int
    at: Origin
    kind: Literal["for", "while", "do"]
    name: str
    label: str | None
    function: str
    header: Origin
    init: Stmt | None
    test: Expr | None
    step: Expr | None
    body: Block


@dataclass(frozen=True, eq=False, slots=True)
class Switch:
    """``body`` holds Case labels among its statements."""

    at: Origin
    test: Expr
    body: Block


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """``case low:``, ``case low ... high:`` or (both None) ``default:``, before what follows it."""

    at: Origin
    low: Expr | None
    high: Expr | None


@dataclass(frozen=True, eq=False, slots=True)
class Return:
    """``return value;``."""

    at: Origin
    value: Expr | None


@dataclass(frozen=True, eq=False, slots=True)
class Jump:
    """``break``, ``continue`` or ``goto label``."""

    at: Origin
    kind: Literal["break", "continue", "goto"]
    label: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Label:
    """``name:`` before the statement that follows it (labels of loops are in the Loop)."""

    at: Origin
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class PragmaMark:
    """A pragma between statements; ``pragma`` indexes Program.pragmas."""

    at: Origin
    pragma: int


Stmt = Block | Declare | ExprStmt | If | Loop | Switch | Case | Return | Jump | Label | PragmaMark


def substatements(stmt: Stmt) -> tuple[Stmt, ...]:
    """Direct sub-statements."""
    match stmt:
        case Block():
            return stmt.body
        case If():
            return (stmt.then,) if stmt.other is None else (stmt.then, stmt.other)
        case Loop():
            return ((stmt.init,) if stmt.init is not None else ()) + (stmt.body,)
        case Switch():
            return (stmt.body,)
        case _:
            return ()


def walk_statements(stmt: Stmt) -> Iterator[Stmt]:
    """``stmt`` and all below it, preorder, in text order."""
    stack = [stmt]
    while stack:
        node = stack.pop()
        yield node
        if below := substatements(node):
            stack.extend(reversed(below))


def expressions(stmt: Stmt) -> tuple[Expr, ...]:
    """Expressions that stand directly in ``stmt`` (not in sub-statements; Declare has none here)."""
    match stmt:
        case ExprStmt():
            return (stmt.expr,)
        case If() | Switch():
            return (stmt.test,)
        case Loop():
            return tuple(e for e in (stmt.test, stmt.step) if e is not None)
        case Case():
            return tuple(e for e in (stmt.low, stmt.high) if e is not None)
        case Return():
            return () if stmt.value is None else (stmt.value,)
        case _:
            return ()
