"""Loops around and inside of others, and the directives that are about them."""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from hlspart.model.directives import Directive
from hlspart.model.program import (
    Assign,
    Declare,
    Expr,
    ExprStmt,
    Jump,
    Loop,
    Program,
    Return,
    Stmt,
    Switch,
    substatements,
)


@lru_cache(maxsize=8)
def parents(program: Program) -> dict[int, tuple[int, ...]]:
    """Loop id -> the loops around it, innermost first."""
    outer: dict[int, tuple[int, ...]] = {}
    for function in program.functions.values():
        stack: list[tuple[Stmt, tuple[int, ...]]] = [(function.body, ())]
        while stack:
            stmt, around = stack.pop()
            if isinstance(stmt, Loop):
                outer[stmt.id] = around
                around = (stmt.id, *around)
            stack.extend((child, around) for child in substatements(stmt))
    return outer


def active(program: Program, kind: str) -> list[Directive]:
    """Usable Vitis directives of a kind that are not switched off."""
    return [d for d in program.directives if d.kind == kind and d.dialect == "vitis" and d.usable and not d.has("off")]


@lru_cache(maxsize=8)
def inlined(program: Program) -> dict[str | None, Directive]:
    """Functions that INLINE leaves no body of their own, nor a PIPELINE of it, each with the directive."""
    return {d.function: d for d in active(program, "inline") if d.loop is None and not d.options}


def pipelined_around(program: Program, function: str, loop: int | None) -> Directive | None:
    """The PIPELINE of a loop, of a loop around it, or of its function."""
    pipelines = active(program, "pipeline")
    for ident in (loop, *parents(program).get(loop, ())) if loop is not None else ():
        for d in pipelines:
            if d.loop == ident:
                return d
    return next((d for d in pipelines if d.function == function and d.loop is None), None)


def exit_of(loop: Loop) -> Stmt | None:
    """The first statement that may leave a loop before its test does."""
    stack: list[tuple[Stmt, bool]] = [(loop.body, True)]
    while stack:
        stmt, own = stack.pop()
        if isinstance(stmt, Return) or (
            isinstance(stmt, Jump) and (stmt.kind == "goto" or (stmt.kind == "break" and own))
        ):
            return stmt
        own = own and not isinstance(stmt, Loop | Switch)
        stack.extend((child, own) for child in reversed(substatements(stmt)))
    return None


def start_of(program: Program, loop: Loop) -> Expr | None:
    """What the header of a loop sets its counter to."""
    match loop.init:
        case Declare(variables=(ident,)):
            return program.variable(ident).init
        case ExprStmt(expr=Assign(op="=", value=value)):
            return value
    return None


def is_of_member(directive: Directive) -> bool:
    """Whether a directive names a member of a struct."""
    names = (o.value or "" for o in directive.options if o.name in ("variable", "port"))
    return any("." in n or "->" in n for n in names)


def loops_of(program: Program, directive: Directive) -> list[Directive]:
    """The directive of one loop: in a function it is about each loop that is pipelined there."""
    if directive.loop is not None:
        return [directive]
    loops = (d.loop for d in active(program, "pipeline") if d.function == directive.function)
    return [replace(directive, loop=loop) for loop in loops if loop is not None]
