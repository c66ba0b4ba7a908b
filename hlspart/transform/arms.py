"""A program without the arms that a constant test never takes: for analysis alone, without a text.

``if (IN > OUT)`` with arguments of a template in it is decided before anything is synthesised; an arm that no instance
takes has no hardware. The text keeps it: what rewrites a file must rewrite such an arm as well.
"""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.model.arithmetic import fold, fold_unary
from hlspart.model.code import of_code
from hlspart.model.program import (
    Binary,
    Block,
    Case,
    Cast,
    Const,
    CType,
    Declare,
    Expr,
    If,
    Label,
    Loop,
    Name,
    Program,
    ScalarType,
    SizeOf,
    Stmt,
    Switch,
    Unary,
    walk_statements,
)
from hlspart.model.rebuild import map_parts
from hlspart.semantics.addresses import is_apart
from hlspart.semantics.folding import wrapped
from hlspart.transform.returns import breaks, jumps_out


@of_code
def without_dead_arms(program: Program) -> Program:
    """``program`` itself where every arm may be taken. Nodes that stay keep their ids, directives their loops."""
    if not any(_decided(program, s) for f in program.functions.values() for s in walk_statements(f.body)):
        return program
    loops: dict[int, Loop] = {}

    def live(stmt: Stmt) -> Stmt:
        made = map_parts(stmt, lambda e: e, live)
        if isinstance(made, Loop):
            loops[made.id] = made
        taken = _taken(program, made)
        return made if taken is None else taken

    functions = {
        name: replace(f, body=body) if (body := live(f.body)) is not f.body and isinstance(body, Block) else f
        for name, f in program.functions.items()
    }
    return replace(program, functions=functions, loops={**program.loops, **loops})


def _decided(program: Program, stmt: Stmt) -> bool:
    return _taken(program, stmt) is not None


def _taken(program: Program, stmt: Stmt) -> Stmt | None:
    """The arm of a decided test, an empty block where there is none; None where several may be taken.

    A jump may lead into an arm with a label.
    """
    if isinstance(stmt, Switch):
        return _case(program, stmt)
    if not isinstance(stmt, If) or not isinstance(stmt.then, Block) or not isinstance(stmt.other, Block | If | None):
        return None
    value = constant(program, stmt.test)
    if value is None:
        return None
    dead, taken = (stmt.other, stmt.then) if value else (stmt.then, stmt.other)
    if dead is not None and any(isinstance(s, Label | Case) for s in walk_statements(dead)):
        return None
    return taken if taken is not None else replace(stmt.then, body=())


def _case(program: Program, stmt: Switch) -> Stmt | None:
    """What a switch over a constant does: the statements from its case on, to the ``break`` behind them."""
    rows, value = stmt.body.body, constant(program, stmt.test)
    labels = [(k, s) for k, s in enumerate(rows) if isinstance(s, Case)]
    if value is None or any(isinstance(s, Label) for s in walk_statements(stmt.body)):
        return None
    if any(isinstance(row, Declare) for row in rows):
        return None  # what a case declares is there for those below it
    if any(isinstance(s, Case) for row in rows if not isinstance(row, Case) for s in walk_statements(row)):
        return None
    start = other = len(rows)
    for k, label in labels:
        if label.low is None:
            other = k
            continue
        low = constant(program, label.low)
        high = low if label.high is None else constant(program, label.high)
        if low is None or high is None:
            return None
        if low <= value <= high:
            start = k
    taken: list[Stmt] = []
    for row in rows[start if start < len(rows) else other :]:
        if breaks(row):
            break
        ends = isinstance(row, Block) and bool(row.body) and breaks(row.body[-1])
        kept = replace(row, body=row.body[:-1]) if ends and isinstance(row, Block) else row
        if isinstance(kept, Case):
            continue
        if jumps_out(kept):
            return None
        taken.append(kept)
        if ends:
            break
    return replace(stmt.body, body=tuple(taken))


def constant(program: Program, expr: Expr) -> int | float | None:
    """The value of an expression that the text alone decides; None for others."""
    match expr:
        case Const(value=known) if isinstance(known, int | float):
            return known
        case Name(variable=ident):
            variable = program.variable(ident)
            if not variable.const or variable.volatile or variable.init is None:
                return None
            scalar = isinstance(variable.type, ScalarType)
            return _held(constant(program, variable.init), variable.type) if scalar else None
        case SizeOf(value=size):
            return size
        case Cast(type=ScalarType() as kind, operand=operand):
            return _held(constant(program, operand), kind)
        case Binary(op=op) if is_apart(program, expr):
            return int(op == "!=")
        case Unary(op=op, operand=operand):
            value = constant(program, operand)
            return None if value is None else _held(fold_unary(op, value), expr.type)
        case Binary(op=op, left=left, right=right):
            return _folded(op, left, right, constant(program, left), constant(program, right), expr.type)
    return None


def _held(value: int | float | None, type_: CType) -> int | float | None:
    return None if value is None else wrapped(value, type_)


def _folded(
    op: str, left: Expr, right: Expr, a: int | float | None, b: int | float | None, type_: CType
) -> int | float | None:
    """``a op b`` as C computes it; None where a negative number would become an unsigned one."""
    if a is None or b is None:
        return None
    signs = {x.type.signed for x in (left, right) if isinstance(x.type, ScalarType)}
    if len(signs) > 1 and min(a, b) < 0:
        return None
    return _held(fold(op, a, b), type_)
