"""What stands directly in a loop's body: references, jumps, calls and inner loops, by statement."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Call,
    Conditional,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    IncDec,
    Jump,
    Label,
    Loop,
    Member,
    PragmaMark,
    Program,
    Return,
    Stmt,
    Subscript,
    Switch,
    children,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin, Span


class StoreForm(Struct, frozen=True, eq=False):
    """The assignment or increment that stores through a reference.

    ``partial``: it changes a member of the element; ``member``: its text before and behind the element's.
    ``used``: its value is used.
    ``nested``: what it stores is computed by an expression that stores, too.
    """

    node: Assign | IncDec
    partial: bool
    used: bool
    nested: bool
    member: tuple[str, str]


class Contents(Struct):
    """What stands directly in a loop body."""

    position: int = 0  # of the body's statement that is looked at
    refs: dict[int, tuple[int, bool]] = field(default_factory=dict)  # ArrayRef.id -> statement, conditional
    jumps: list[tuple[int, Origin]] = field(default_factory=list)
    calls: list[tuple[int, Call]] = field(default_factory=list)
    inner: list[tuple[int, Loop]] = field(default_factory=list)

    def is_jumped(self, position: int) -> bool:
        """Whether a jump may have left the iteration before a statement, or in it."""
        return any(at <= position for at, _ in self.jumps)


def contents(program: Program, loop: Loop) -> Contents:
    """What stands in the body of ``loop``."""
    inside = Contents()
    for inside.position, stmt in enumerate(loop.body.body):
        _statement(program, stmt, False, inside)
    return inside


def loops_in(loop: Loop) -> Iterator[Loop]:
    for stmt in walk_statements(loop):
        if isinstance(stmt, Loop):
            yield stmt


def writers(program: Program, function: Function) -> dict[int, StoreForm]:
    """By ArrayRef.id, the assignment or increment whose target is the reference or a member of it."""
    stores: dict[int, StoreForm] = {}
    for stmt in walk_statements(function.body):
        unused = {id(e) for e in (getattr(stmt, "step", None), stmt.expr if isinstance(stmt, ExprStmt) else None)}
        for expr in expressions(stmt):
            for node in walk(expr):
                target = node.target if isinstance(node, Assign) else node.operand if isinstance(node, IncDec) else None
                ref = None if target is None else _root(target)
                if target is None or not isinstance(ref, ArrayRef) or ref.id in stores:
                    continue
                assert isinstance(node, Assign | IncDec)
                inner = walk(node.value) if isinstance(node, Assign) else iter(())
                nested = any(isinstance(n, Assign | IncDec) for n in inner)
                at, own = target.at.span, ref.at.span
                around = [Span(at.path, at.start, own.start), Span(at.path, own.end, at.end)]
                before, behind = (program.text(Origin(s)) if target is not ref else "" for s in around)
                stores[ref.id] = StoreForm(node, target is not ref, id(node) not in unused, nested, (before, behind))
    return stores


def _root(expr: Expr) -> Expr:
    """The element that ``expr`` is a part of."""
    while isinstance(expr, Member | Subscript):
        expr = expr.base
    return expr


def _statement(program: Program, stmt: Stmt, conditional: bool, contents: Contents, in_switch: bool = False) -> None:
    match stmt:
        case Block():
            for inner in stmt.body:
                _statement(program, inner, conditional, contents, in_switch)
        case If():
            _expression(stmt.test, conditional, contents)
            _statement(program, stmt.then, True, contents, in_switch)
            if stmt.other is not None:
                _statement(program, stmt.other, True, contents, in_switch)
        case Switch():
            _expression(stmt.test, conditional, contents)
            _statement(program, stmt.body, True, contents, True)
        case Loop():
            contents.inner.append((contents.position, stmt))
            for inner in walk_statements(stmt):
                if isinstance(inner, Return) or (isinstance(inner, Jump) and inner.kind == "goto"):
                    contents.jumps.append((contents.position, inner.at))
                for expr in expressions(inner):
                    contents.calls.extend((contents.position, node) for node in walk(expr) if isinstance(node, Call))
        case Declare():
            for variable in stmt.variables:
                init = program.variable(variable).init
                if init is not None:
                    _expression(init, conditional, contents)
        case Return() | Label():
            contents.jumps.append((contents.position, stmt.at))
            for expr in expressions(stmt):
                _expression(expr, conditional, contents)
        case Jump():
            if not (in_switch and stmt.kind == "break"):
                contents.jumps.append((contents.position, stmt.at))
        case PragmaMark():
            pass
        case _:
            for expr in expressions(stmt):
                _expression(expr, conditional, contents)


def _expression(expr: Expr, conditional: bool, contents: Contents) -> None:
    match expr:
        case ArrayRef():
            contents.refs[expr.id] = (contents.position, conditional)
            for index in expr.indices:
                _expression(index, conditional, contents)
        case Conditional():
            _expression(expr.test, conditional, contents)
            _expression(expr.then, True, contents)
            _expression(expr.other, True, contents)
        case Binary(op="&&" | "||"):
            _expression(expr.left, conditional, contents)
            _expression(expr.right, True, contents)
        case Call():
            contents.calls.append((contents.position, expr))
            for argument in expr.args:
                _expression(argument, conditional, contents)
        case _:
            for child in children(expr):
                _expression(child, conditional, contents)
