"""A program in which ``p->x`` of a top function's argument is ``(*p).x``: an access of the port. For analysis alone.

So is ``(p + i)->x``, and ``q->x`` where ``q`` is handed ``p``. What structures that are apart leave: arguments that are
memories, channels or words.
"""

from __future__ import annotations

import itertools

from msgspec.structs import replace

from hlspart.model.code import of_code
from hlspart.model.program import (
    ArrayRef,
    Binary,
    Block,
    Cast,
    Expr,
    Function,
    Loop,
    Member,
    Name,
    PointerType,
    Program,
    Stmt,
    StructType,
    integer,
    walk,
)
from hlspart.model.rebuild import map_children, map_parts
from hlspart.semantics.effects import effects, statement_expressions


@of_code
def dereferenced(program: Program, tops: tuple[str, ...]) -> Program:
    """The copy; ``program`` itself where nothing changes."""
    ports = _ports(program, tops)
    changed = [f for f in program.functions.values() if ports and _needs(program, f, ports)]
    if not changed:
        return program
    work = _Copy(program, ports)
    functions = {**program.functions, **{f.name: replace(f, body=work.block(f.body)) for f in changed}}
    named = {f.name for f in changed}
    begun = tuple(
        v if v.init is None or v.function not in named else replace(v, init=work.expr(v.init))
        for v in program.variables
    )
    return replace(program, functions=functions, variables=begun, loops={**program.loops, **work.loops})


def _points(program: Program, variable: int) -> bool:
    of = program.variable(variable).type
    return isinstance(of, PointerType) and isinstance(of.target, StructType)


def _ports(program: Program, tops: tuple[str, ...]) -> frozenset[int]:
    """Arguments of top functions that point to structures, and parameters that are only handed such ones."""
    known = {v for t in tops for v in program.functions[t].params if _points(program, v)}
    calls = [c for of in effects(program).calls.values() for c in of] if known else []
    grown = bool(calls)
    while grown:
        handed: dict[int, bool] = {}
        for call in calls:
            function = program.functions.get(call.function or "")
            for formal, arg in zip(() if function is None else function.params, call.args, strict=False):
                port = isinstance(arg, Name) and arg.variable in known
                handed[formal] = port and handed.get(formal, True)
        more = {v for v, port in handed.items() if port and _points(program, v)}
        grown = not more <= known
        known |= more
    return frozenset(known)


def _needs(program: Program, function: Function, ports: frozenset[int]) -> bool:
    tops = statement_expressions(program, function.body)
    return any(_port(e, ports) is not None for top in tops for e in walk(top))


def _port(expr: Expr, ports: frozenset[int]) -> tuple[Name, Expr] | None:
    """The argument and the index that ``->`` is about."""
    match expr:
        case Member(base=Name(variable=v) as base, arrow=True) if v in ports:
            return base, integer(0, base.at)
        case Member(base=Binary(op="+", left=Name(variable=v) as base, right=index), arrow=True) if v in ports:
            return base, index
        case Member(base=Cast(operand=inner) as cast, arrow=True) if cast.type == inner.type:
            return _port(replace(expr, base=inner), ports)
    return None


class _Copy:
    """Builds the copy; ``loops``: those in it."""

    def __init__(self, program: Program, ports: frozenset[int]) -> None:
        self.program, self.ports = program, ports
        self.loops: dict[int, Loop] = {}
        self._ids = itertools.count(max((effects(program).largest_id, *program.loops, 0)) + 1)

    def expr(self, e: Expr) -> Expr:
        """Copy of an expression."""
        port = _port(e, self.ports)
        if port is None or not isinstance(e, Member) or not isinstance(port[0].type, PointerType):
            return map_children(e, self.expr)
        base, index = port
        of = port[0].type.target
        place = ArrayRef(next(self._ids), e.base.at, of, base.variable, (self.expr(index),), base.at, ())
        return replace(e, base=place, arrow=False)

    def block(self, block: Block) -> Block:
        """Copy of a block."""
        return replace(block, body=tuple(map(self._stmt, block.body)))

    def _stmt(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Block):
            return self.block(stmt)
        made = map_parts(stmt, self.expr, self._stmt)
        if isinstance(made, Loop):
            self.loops[made.id] = made
        return made
