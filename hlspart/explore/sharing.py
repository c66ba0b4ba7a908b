"""What elements share: an operation whose value does not depend on a loop is there once for all elements along it.

Which of an iteration's DSP blocks are such is not read off the text, where products may be folded or split: their
number is taken from ``ii`` for a few small numbers of elements, and solved for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from hlspart.expand.region import target_of
from hlspart.explore.records import ReadNest
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import ArrayRef, Assign, Binary, Call, Declare, Expr, Name, Program, walk, walk_statements
from hlspart.semantics.effects import statement_expressions

Loops = frozenset[int]


def operation_loops(program: Program, analysis: AccessAnalysis, nest: ReadNest) -> frozenset[Loops]:
    """The loops on which operations of an iteration depend, a set for each operation."""
    every = frozenset(range(len(nest.loops)))
    known: dict[int, Loops] = dict.fromkeys((*nest.stands_for, *nest.private), every)
    roots = []
    for stmt in (*(s for _, s, _ in nest.kept), nest.body):
        for part in walk_statements(stmt):
            for v in part.variables if isinstance(part, Declare) else ():
                init = program.variable(v).init
                known.setdefault(v, every if init is None else frozenset())
        roots += list(statement_expressions(program, stmt))
    changed = {t.variable for r in roots for e in walk(r) if isinstance(t := target_of(e), Name)}
    known |= dict.fromkeys(changed, every)
    counters = (analysis.loops[x.id].variable for x in nest.loops)
    known |= {v: frozenset({k}) for k, v in enumerate(counters) if v is not None}

    def of(expr: Expr) -> Loops:
        loops: set[int] = set()
        for e in walk(expr):
            if isinstance(e, ArrayRef) and (number := nest.owner.get(e.id)) is not None:
                loops |= nest.nest.operands[number].loops
            elif isinstance(e, Name | ArrayRef):
                loops |= known.get(e.variable, frozenset())
        return frozenset(loops)

    for stmt in walk_statements(nest.body):
        for v in stmt.variables if isinstance(stmt, Declare) else ():
            init = program.variable(v).init
            if v not in changed and v not in nest.stands_for and init is not None:
                known[v] = of(init)
    operations = (e for r in roots for e in walk(r) if isinstance(e, Binary | Call | Assign))
    return frozenset(of(e) for e in operations if not isinstance(e, Assign) or e.op != "=")


def shared_blocks(
    sets: frozenset[Loops], spread: Loops, dsp: int, blocks: Callable[[Loops], int | None]
) -> tuple[tuple[Loops, int], ...]:
    """DSP blocks of operations that depend on some loops of ``spread`` alone, with these loops.

    ``dsp``: of one element; ``blocks``: of two elements along each of some loops, None where they are not known.
    Nothing is shared where the figures do not say so.
    """
    unknown = sorted({s & spread for s in sets} | {spread}, key=lambda s: (len(s), sorted(s)))
    if len(unknown) < 2 or not dsp:
        return ()
    figures = [dsp if not s else blocks(s) for s in unknown]
    if None in figures:
        return ()
    # as many figures as unknown numbers: the matrix is positive definite, since the sets differ
    rows = [[Fraction(2 ** len(s & p)) for s in unknown] for p in unknown]
    solution = _solved(rows, [Fraction(f or 0) for f in figures])
    if sum(solution) != dsp or any(x < 0 or x.denominator > 1 for x in solution):
        return ()
    return tuple((s, int(x)) for s, x in zip(unknown, solution, strict=True) if x and s != spread)


def _solved(rows: list[list[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a square system that has one, by elimination."""
    table = [[*row, r] for row, r in zip(rows, right, strict=True)]
    for at in range(len(table)):
        pivot = next(k for k in range(at, len(table)) if table[k][at])
        table[at], table[pivot] = table[pivot], table[at]
        table[at] = [x / table[at][at] for x in table[at]]
        for k, row in enumerate(table):
            if k != at and row[at]:
                table[k] = [x - row[at] * y for x, y in zip(row, table[at], strict=True)]
    return [row[-1] for row in table]
