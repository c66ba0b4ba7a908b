"""What each iteration of a loop reads that ends by a value of the run, and whether it ends alike begun earlier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.program import (
    ArrayRef,
    Binary,
    Block,
    Const,
    Expr,
    ExprStmt,
    If,
    Jump,
    Loop,
    Name,
    Program,
    Return,
    Stmt,
    always,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.sets.windows import Box


def open_hull(
    program: Program,
    analysis: AccessAnalysis,
    nest: Sequence[Loop],
    extents: Sequence[int | None],
    parts: Sequence[tuple[Affine, tuple[tuple[int, int], ...]]],
    reads: Sequence[Access],
    boxes: Sequence[Box | None],
) -> tuple[tuple[int, ...], tuple[int, ...], Box] | None:
    """Least and greatest offsets of a window in a nest with open ends, and the box of all points; None: not known.

    ``parts``: per dimension of the array what ``nest`` does not move, and (loop, pitch) pairs; ``boxes``: offsets of
    ``reads``. What every iteration reads keeps open loops inside the array.
    """
    always = always_read(program, analysis, nest[-1])
    known = [(b, a) for b, a in zip(boxes, reads, strict=True) if b]
    sure = [b for b, a in known if a.ref in always]
    if len(known) < len(reads) or not sure:
        return None
    low = tuple(min(b[d][0] for b, _ in known) for d in range(len(nest)))
    high = tuple(max(b[d][1] for b, _ in known) for d in range(len(nest)))
    for k, (base, _) in enumerate(parts):
        extent = extents[k] if k < len(extents) else None
        for access in reads if base.terms else ():  # rows of which the loop may read nothing
            least, most = access.range[k] if access.range is not None else (None, None)
            if least is None or most is None or extent is None or least < 0 or most >= extent:
                return None
    hull = []
    for d, loop in enumerate(nest):
        info = analysis.loops[loop.id]
        moved = [k for k, (_, moving) in enumerate(parts) if d in {m for m, _ in moving}]
        if info.lower is None or info.lower.terms or len(moved) != 1:
            return None
        base, moving = parts[moved[0]]
        extent = extents[moved[0]] if moved[0] < len(extents) else None
        if info.trip_count.exact is not None:
            last = info.lower.const + (info.step or 1) * (info.trip_count.exact - 1)
            hull.append((info.lower.const + low[d], last + high[d]))
        elif max(b[d][1] for b in sure) < high[d] or extent is None or base.terms:
            return None
        elif info.step == 1 and moving == ((d, 1),):
            hull.append((info.lower.const + low[d], extent - 1 - base.const))
        else:
            return None
    return low, high, tuple(hull)


def always_read(program: Program, analysis: AccessAnalysis, loop: Loop) -> frozenset[int]:
    """Ids of references that every iteration of a loop evaluates."""
    if any(isinstance(s, Jump | Return) for s in walk_statements(loop.body)):
        return frozenset()
    return frozenset(e.id for root in _always(program, analysis, loop.body) for e in _evaluated(root))


def _always(program: Program, analysis: AccessAnalysis, stmt: Stmt) -> Iterator[Expr]:
    """Expressions that are evaluated whenever a statement is."""
    if isinstance(stmt, Block):
        for inner in stmt.body:
            yield from _always(program, analysis, inner)
    elif isinstance(stmt, If):
        yield stmt.test
    elif isinstance(stmt, Loop):
        if analysis.loops[stmt.id].trip_count.min:
            yield from _always(program, analysis, stmt.body)
    elif isinstance(stmt, ExprStmt) or not any(isinstance(s, Stmt) for s in walk_statements(stmt) if s is not stmt):
        yield from statement_expressions(program, stmt)


def _evaluated(expr: Expr) -> Iterator[ArrayRef]:
    """References in an expression, but for those that it may leave out."""
    if isinstance(expr, ArrayRef):
        yield expr
    for part in always(expr):
        yield from _evaluated(part)


def ends_alike(program: Program, nest: Loop, loop: Loop) -> bool:
    """Whether a loop that begins earlier runs on to the same last iteration: `i < e`, e without change in ``nest``."""
    test = loop.test
    if not isinstance(test, Binary) or test.op not in ("<", "<=") or not isinstance(test.left, Name):
        return False
    changed = effects(program).modified(nest.body) | {
        v for x in (nest, *walk_statements(nest.body)) if isinstance(x, Loop)
        for e in (x.test, x.step) if e is not None for v in effects(program).assigned_in(e)
    }  # fmt: skip
    parts = list(walk(test.right))
    return all(isinstance(e, Name | Const | Binary) for e in parts) and not any(
        isinstance(e, Name) and e.variable in changed for e in parts
    )
