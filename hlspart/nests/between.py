"""What the tool puts between the loops of a nest, so that they stay apart."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.lowering.dependence import is_of_next_iteration
from hlspart.lowering.history import is_different
from hlspart.model import program as c
from hlspart.model.access import AccessAnalysis
from hlspart.semantics.folding import modified


def hands_on(analysis: AccessAnalysis, loop: c.Loop) -> bool:
    """Whether iterations hand an element on in a register, whose first value is loaded ahead (reports: seidel)."""
    info = analysis.loops.get(loop.id)
    if info is None or info.step is None:
        return False
    inside = [a for a in analysis.accesses if a.loops and a.loops[-1] == loop.id]
    stores = [a for a in inside if a.kind == "write" and not a.branch]
    return any(
        is_of_next_iteration(store.index, load.index, info.iterator or "", info.step)
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


def resumes(analysis: AccessAnalysis, parent: c.Loop, chain: Sequence[c.Loop], unrolls_later: bool) -> bool:
    """Whether ``chain`` adds to an element that stays in it and changes with ``parent``, which does not set it first.

    That is a register loaded ahead of the inner loop (reports of 2022.2: such nests stay apart).
    ``unrolls_later``: the loops inside are unrolled after that.
    """
    around = analysis.loops[parent.id].iterator or ""
    inside = [a for a in analysis.accesses if chain[-1].id in a.loops]
    for store in (a for a in inside if a.kind == "write" and not a.branch and a.index is not None):
        forms = [f for f in store.index or () if f is not None]
        own = store.loops[store.loops.index(chain[0].id) :] if unrolls_later else [x.id for x in chain]
        iterators = {analysis.loops[x].iterator or "" for x in own}
        if len(forms) < len(store.index or ()) or any(f.coefficient(n) for f in forms for n in iterators):
            continue
        if not any(f.coefficient(around) for f in forms):
            continue
        same = [a for a in inside if a.array == store.array]
        loaded = any(a.kind == "read" and a.index == store.index and a.order < store.order for a in same)
        apart = all(a.index == store.index or is_different(a.index, store.index) for a in same)
        ahead = [a for a in analysis.accesses if a.loops[-1:] == (parent.id,) and a.order < store.order]
        preset = any(a.kind == "write" and a.array == store.array and a.index == store.index for a in ahead)
        # set under a condition inside, it is no register loaded ahead (reports of 2023.2: 86 nests of one generator)
        started = any(a.kind == "write" and a.branch and a.index == store.index and a.order < store.order for a in same)
        if loaded and apart and not preset and not started:
            return True
    return False
