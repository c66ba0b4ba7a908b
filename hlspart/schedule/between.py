"""What the tool puts between the loops of a nest, so that they stay apart."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis
from hlspart.schedule.dependence import next_iteration
from hlspart.schedule.folding import modified


def hands_on(analysis: AccessAnalysis, loop: c.Loop) -> bool:
    """Whether iterations hand an element on in a register, whose first value is loaded ahead (reports: seidel)."""
    info = analysis.loops.get(loop.id)
    if info is None or info.step is None:
        return False
    inside = [a for a in analysis.accesses if a.loops and a.loops[-1] == loop.id]
    stores = [a for a in inside if a.kind == "write" and not a.branch]
    return any(
        next_iteration(store.index, load.index, info.iterator or "", info.step)
        for store in stores
        for load in inside
        if load.kind == "read" and load.array == store.array
    )


def continues(program: c.Program, before: Sequence[c.Stmt], inner: c.Loop) -> bool:
    """Whether ``inner`` goes on from a value that is loaded ahead of it (reports: a sparse product stays apart)."""
    changed = modified([inner])
    for stmt in before:
        starts: dict[int, c.Expr | c.InitList | None] = {}
        if isinstance(stmt, c.Declare):
            starts = {v: program.variable(v).init for v in stmt.variables}
        elif isinstance(stmt, c.ExprStmt) and isinstance(stmt.expr, c.Assign):
            target = stmt.expr.target
            starts = {target.variable: stmt.expr.value} if isinstance(target, c.Name) else {}
        for variable, value in starts.items():
            if variable in changed and value is not None and any(isinstance(e, c.ArrayRef) for e in c.walk(value)):
                return True
    return False
