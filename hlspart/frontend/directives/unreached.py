"""Pragmas in arms that constant conditions leave out, as arguments of templates do."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.frontend.constants import value_of
from hlspart.model import program as ir


def unreached(program: ir.Program) -> frozenset[int]:
    """The pragmas of all functions that no run comes to, whatever the data."""
    return frozenset(p for f in program.functions.values() for p in _below(program, f.body, reached=True))


def _below(program: ir.Program, stmt: ir.Stmt, reached: bool) -> Iterator[int]:
    if isinstance(stmt, ir.PragmaMark):
        if not reached:
            yield stmt.pragma
        return
    test = value_of(stmt.test, program.variables) if isinstance(stmt, ir.If) and reached else None
    for child in ir.substatements(stmt):
        left_out = isinstance(stmt, ir.If) and test is not None and (child is stmt.then) != bool(test)
        yield from _below(program, child, reached and not left_out)
