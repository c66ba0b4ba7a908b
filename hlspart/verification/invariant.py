"""Which addresses can leave a loop: those that mention nothing that changes in it, as the text shows."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Call,
    Declare,
    Expr,
    IncDec,
    Loop,
    Name,
    Program,
    Stmt,
    expressions,
    walk,
    walk_statements,
)


def steady_references(program: Program, loop: Loop) -> frozenset[int]:
    """ArrayRef.id of the references in ``loop`` whose indices are built from values of before the loop.

    An address that only happens to be the same in all iterations of a run is not among them.
    """
    exprs = [expr for stmt in walk_statements(loop) for expr in _roots(program, stmt)]
    changes = list(_changes(program, loop))
    changing: set[int] = set()
    while True:
        varying = {v for v, value in changes if value is None or _varies(value, changing)}
        if varying <= changing:
            break
        changing |= varying
    refs = (node for expr in exprs for node in walk(expr) if isinstance(node, ArrayRef))
    return frozenset(r.id for r in refs if not any(_varies(index, changing) for index in r.indices))


def _roots(program: Program, stmt: Stmt) -> Iterator[Expr]:
    yield from expressions(stmt)
    for variable in stmt.variables if isinstance(stmt, Declare) else ():
        init = program.variable(variable).init
        if init is not None:
            yield init


def _changes(program: Program, loop: Loop) -> Iterator[tuple[int, Expr | None]]:
    """(scalar, what it becomes); None: what it was takes part."""
    for stmt in walk_statements(loop):
        for variable in stmt.variables if isinstance(stmt, Declare) else ():
            init = program.variable(variable).init
            if init is not None:
                yield variable, init
        for expr in expressions(stmt):
            for node in walk(expr):
                match node:
                    case Assign(target=Name() as target):
                        yield target.variable, node.value if node.op == "=" else None
                    case IncDec(operand=Name() as target):
                        yield target.variable, None


def _varies(expr: Expr, changing: set[int]) -> bool:
    return any(isinstance(n, ArrayRef | Call) or (isinstance(n, Name) and n.variable in changing) for n in walk(expr))
