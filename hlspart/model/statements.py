"""Statements of a program, and the walk over them. Nodes compare and hash by identity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from hlspart.model.expressions import Expr
from hlspart.model.source import Origin, Span


class Block(Struct, frozen=True, eq=False):
    """``{ ... }``. A loop or branch body without braces is a Block with ``braces`` False."""

    id: int
    at: Origin
    body: tuple[Stmt, ...]
    braces: bool = True


class Declare(Struct, frozen=True, eq=False):
    """Declaration of variables (ids) at this point, in order; initial values are in the variables."""

    at: Origin
    variables: tuple[int, ...]


class ExprStmt(Struct, frozen=True, eq=False):
    """An expression statement."""

    at: Origin
    expr: Expr


class If(Struct, frozen=True, eq=False):
    """``other`` is None without an else."""

    at: Origin
    test: Expr
    then: Block
    other: Block | None


class Loop(Struct, frozen=True, eq=False):
    """``for``, ``while`` or ``do``. ``name`` follows the contract (label, else VITIS_LOOP_line_n).

    ``init`` is a statement (Declare or ExprStmt) or None; ``test`` None means always true.
    ``header`` spans ``for (...)``/``while (...)``. ``made``: the text has a call that a tool makes this loop of.
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
    made: bool = False


class Switch(Struct, frozen=True, eq=False):
    """``body`` holds Case labels among its statements."""

    at: Origin
    test: Expr
    body: Block


class Case(Struct, frozen=True, eq=False):
    """``case low:``, ``case low ... high:`` or (both None) ``default:``, before what follows it."""

    at: Origin
    low: Expr | None
    high: Expr | None


class Return(Struct, frozen=True, eq=False):
    """``return value;``."""

    at: Origin
    value: Expr | None


class Jump(Struct, frozen=True, eq=False):
    """``break``, ``continue`` or ``goto label``."""

    at: Origin
    kind: Literal["break", "continue", "goto"]
    label: str | None = None


class Label(Struct, frozen=True, eq=False):
    """``name:`` before the statement that follows it (labels of loops are in the Loop)."""

    at: Origin
    name: str


class PragmaMark(Struct, frozen=True, eq=False):
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


def block_around(body: Block, at: Span) -> Block | None:
    """The innermost block of ``body``, an arm of an ``if`` too, that a place stands in: a region (UG1399, LATENCY)."""
    around = (s for s in walk_statements(body) if isinstance(s, Block) and s is not body and s.at.span.holds(at))
    return min(around, key=lambda s: s.at.span.end - s.at.span.start, default=None)


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
