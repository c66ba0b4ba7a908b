"""Scalars that are 1 or -1, as a test says, and the statements that give scalars their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hlspart.expand.texts import names_in
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Cast,
    Conditional,
    Const,
    Declare,
    Expr,
    ExprStmt,
    If,
    Name,
    Program,
    ScalarType,
    Stmt,
    Unary,
    Variable,
    walk,
)
from hlspart.semantics.effects import effects, statement_expressions


class StatementPlace(Struct, frozen=True):
    """A statement with the block in braces that it stands in."""

    block: Block
    index: int
    stmt: Stmt


def chosen_signs(program: Program, stmt: Stmt) -> Iterator[tuple[int, Expr, tuple[int, ...]]]:
    """A variable that a statement makes 1 or -1, the test, and which of them it is where that holds, and else."""
    for ident, value in given(program, stmt):
        if isinstance(value, Conditional):
            ones = one_of(value.then), one_of(value.other)
            if None not in ones and sum(x or 0 for x in ones) == 0:
                yield ident, value.test, tuple(x or 0 for x in ones)
    if isinstance(stmt, If) and stmt.other is not None and len(stmt.then.body) == len(stmt.other.body) == 1:
        arms = [*given(program, stmt.then.body[0]), *given(program, stmt.other.body[0])]
        numbers = [one_of(value) for _, value in arms]
        declared = any(isinstance(b.body[0], Declare) for b in (stmt.then, stmt.other))
        alike = len(arms) == 2 and arms[0][0] == arms[1][0] and not declared
        if alike and None not in numbers and sum(x or 0 for x in numbers) == 0:
            yield arms[0][0], stmt.test, tuple(x or 0 for x in numbers)


def given(program: Program, stmt: Stmt) -> Iterator[tuple[int, Expr]]:
    """The scalar that a statement does nothing but give a value."""
    match stmt:
        case Declare(variables=(ident,)) if (first := program.variable(ident).init) is not None:
            yield ident, first
        case ExprStmt(expr=Assign(op="=", target=Name(variable=ident), value=value)):
            yield ident, value


def one_of(value: Expr) -> int | None:
    """1 or -1, where an expression is one of them."""
    kind = value.type
    if not (isinstance(kind, ScalarType) and kind.kind in ("int", "float") and kind.signed and kind.library is None):
        return None
    match value:
        case Const(value=number) if number == 1:
            return 1
        case Unary(op="-" | "+" as op, operand=operand) if (one := one_of(operand)) is not None:
            return -one if op == "-" else one
        case Cast(operand=operand):
            return one_of(operand)
    return None


def is_own(program: Program, record: Variable, place: StatementPlace, given: Sequence[object]) -> bool:
    """Whether a scalar gets its value at one place, in front of all its uses, which are in the block of the place."""
    known, kind = effects(program), record.type
    if not isinstance(kind, ScalarType) or kind.kind not in ("int", "float") or kind.library or not kind.signed:
        return False
    if record.storage != "local" or record.volatile or record.reference or record.id in known.addressed:
        return False
    times = 0 if isinstance(place.stmt, Declare) else len(given) if isinstance(place.stmt, If) else 1
    if record.id in known.escaping or known.assignments.get(record.id, 0) != times:
        return False
    root = program.functions[record.function or ""].body
    named = sum(record.id in names_in(top) for top in statement_expressions(program, root))
    behind = [*place.block.body[place.index + 1 :]]
    inside = [top for s in behind for top in statement_expressions(program, s)]
    own = [top for top in statement_expressions(program, place.stmt) if record.id in names_in(top)]
    if any(_reads(top, record.id) for top in own):
        return False
    return named == len(own) + sum(record.id in names_in(top) for top in inside)


def _reads(top: Expr, variable: int) -> bool:
    given = {id(e.target) for e in walk(top) if isinstance(e, Assign) and e.op == "="}
    return any(isinstance(e, Name) and e.variable == variable and id(e) not in given for e in walk(top))


def places(block: Block) -> Iterator[StatementPlace]:
    """The statements of blocks in braces, outermost first, but for those of other loops."""
    for index, stmt in enumerate(block.body):
        if block.braces:
            yield StatementPlace(block, index, stmt)
        inner = [stmt] if isinstance(stmt, Block) else [stmt.then, stmt.other] if isinstance(stmt, If) else []
        for below in inner:
            yield from places(below) if below is not None else ()


def is_pure(program: Program, expr: Expr) -> bool:
    """Whether working out an expression once more, or not, makes no difference.

    Nothing says whether a member, or what an address leads to, is volatile.
    """
    nodes = list(walk(expr))
    named = (program.variable(e.variable) for e in nodes if isinstance(e, Name | ArrayRef))
    return all(map(_is_plain, nodes)) and not any(v.volatile for v in named)


def _is_plain(node: Expr) -> bool:
    if isinstance(node, Unary):
        return node.op not in ("*", "&")
    return isinstance(node, Const | Name | ArrayRef | Binary | Cast | Conditional)
