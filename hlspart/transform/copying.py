"""Copies of statements within a function, each with nodes and variables of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from hlspart.model.directives import Directive, RawPragma
from hlspart.model.program import (
    ArrayRef,
    Block,
    Call,
    Declare,
    Expr,
    Function,
    Loop,
    Name,
    OpaqueExpr,
    PragmaMark,
    Program,
    SizeOf,
    Stmt,
    Variable,
    children,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.rebuild import map_parts, moved_expr, moved_stmt, with_children
from hlspart.model.source import Origin
from hlspart.transform.forward import Forward

#: What a use of a variable becomes, given its place and whether its exact type can be seen there (in a ``sizeof``).
Value = Callable[[Origin, bool], Expr]


@dataclass
class Copier:
    """Makes copies for one transformation of ``program`` and collects what they add to it."""

    program: Program
    variables: list[Variable] = field(init=False)
    pragmas: list[RawPragma] = field(init=False)
    directives: list[Directive] = field(default_factory=list)
    sizes: list[SizeOf] = field(default_factory=list)
    of_node: dict[int, int] = field(default_factory=dict)
    of_variable: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.variables, self.pragmas = list(self.program.variables), list(self.program.pragmas)
        self._ids = itertools.count(largest_id(self.program) + 1)

    def ident(self, old: int | None = None) -> int:
        """A number for a new node; ``old`` is the one that it is a copy of."""
        new = next(self._ids)
        if old is not None:
            self.of_node[new] = old
        return new

    def variable(self, like: Variable, **changes: object) -> int:
        """A new variable."""
        new = len(self.variables)
        self.variables.append(replace(like, id=new, **changes))
        return new

    def copy(self, stmt: Stmt, values: Mapping[int, Value], own: bool = False) -> Stmt:
        """A copy with the uses of some variables replaced; ``own``: it keeps the numbers, as one copy can.

        Labels of loops inside go: one stands once in a function.
        """
        return _Copy(self, values, own).stmt(stmt)

    def expr(self, expr: Expr, values: Mapping[int, Value]) -> Expr:
        """A copy of an expression."""
        return _Copy(self, values, False).expr(expr)

    def function(self, old: Function, name: str) -> tuple[tuple[int, ...], Block]:
        """Parameters and body of a copy of a function under another name; its loops keep their labels."""
        copy = _Copy(self, {}, False, name)
        copy.nodes[old.body.id] = self.ident(old.body.id)
        params = tuple(copy.variable(v) for v in old.params)
        body = copy.stmt(old.body)
        assert isinstance(body, Block)
        return params, body

    def result(self, function: Function) -> tuple[Program, Forward]:
        """The program with ``function`` as the one of this name, and what was copied."""
        old = self.program.functions.get(function.name)
        gone = {s.id for s in walk_statements(old.body) if isinstance(s, Loop)} if old is not None else set()
        mine = {s.id: s for s in walk_statements(function.body) if isinstance(s, Loop)}
        loops = {k: mine.get(k, loop) for k, loop in self.program.loops.items() if k in mine or k not in gone}
        left = {s.pragma for s in walk_statements(function.body) if isinstance(s, PragmaMark)}
        dropped = {p.index for p in self.program.pragmas if p.function == function.name} - left
        there = (d for d in self.program.directives if d.pragma not in dropped or d.pragma is None)
        known = {**loops, **mine}
        around: dict[int | None, int] = {
            s.pragma: x.id for x in mine.values() for s in walk_statements(x.body) if isinstance(s, PragmaMark)
        }  # outer loops come first
        directives = (  # what is said of a variable holds without the loop in which it is said, but for dependences
            replace(d, loop=around.get(d.pragma))
            if d.loop not in known and d.variables and d.kind != "dependence"
            else d
            for d in (*there, *self.directives)
        )
        program = replace(
            self.program,
            functions={**self.program.functions, function.name: function},
            variables=tuple(self.variables),
            loops=known,
            pragmas=tuple(self.pragmas),
            directives=tuple(d for d in directives if d.loop is None or d.loop in known),
            sizes=(*self.program.sizes, *self.sizes),
        )
        return program, Forward(dict(self.of_variable), dict(self.of_node))


@dataclass
class _Copy:
    """One copy; ``function``: the other function that it is in, if any."""

    copier: Copier
    values: Mapping[int, Value]
    own: bool
    function: str | None = None
    names: dict[int, int] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)

    def stmt(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Block | Loop) and stmt.id not in self.nodes:
            self.nodes[stmt.id] = stmt.id if self.own else self.copier.ident(stmt.id)
        match stmt:
            case Declare():
                return replace(stmt, variables=tuple(self.variable(v) for v in stmt.variables))
            case PragmaMark():
                return stmt if self.own else replace(stmt, pragma=self._pragma(stmt.pragma))
        new = map_parts(stmt, self.expr, self.stmt)
        if isinstance(new, Loop):
            new = replace(new, label=None) if self.function is None else replace(new, function=self.function)
        if self.own:
            return new
        if isinstance(new, Block | Loop):
            return replace(new, id=self.nodes[new.id])
        return moved_stmt(new, _same)

    def expr(self, expr: Expr, exact: bool = False) -> Expr:
        if isinstance(expr, Name) and expr.variable in self.values:
            return self.values[expr.variable](expr.at, exact)
        exact = exact or isinstance(expr, SizeOf | OpaqueExpr)
        new = with_children(expr, [self.expr(child, exact) for child in children(expr)])
        if self.own:
            return new
        if isinstance(new, Name | ArrayRef):
            new = replace(new, variable=self.names.get(new.variable, new.variable))
        if isinstance(new, ArrayRef | Call):
            return replace(new, id=self.copier.ident(new.id))
        new = moved_expr(new, _same)
        if isinstance(new, SizeOf) and new.operand is not None:
            self.copier.sizes.append(new)
        return new

    def variable(self, old: int) -> int:
        """What a variable that is declared here is in the copy."""
        copier, variable = self.copier, self.copier.variables[old]
        if self.own:
            if variable.init is not None:
                copier.variables[old] = replace(variable, init=self.expr(variable.init))
            return old
        scope = None if variable.scope is None else self.nodes.get(variable.scope, variable.scope)
        function = self.function or variable.function
        new = copier.variable(copier.program.variable(old), scope=scope, function=function)
        self.names[old], copier.of_variable[new] = new, old
        init = copier.program.variable(old).init
        if init is not None:
            copier.variables[new] = replace(copier.variables[new], init=self.expr(init))
        return new

    def _pragma(self, old: int) -> int:
        copier, pragma = self.copier, self.copier.pragmas[old]
        new = len(copier.pragmas)
        function = self.function or pragma.function
        loop, block = self._node(pragma.loop), self._node(pragma.block)
        copier.pragmas.append(replace(pragma, index=new, function=function, loop=loop, block=block))
        for d in (*copier.program.directives, *copier.directives):
            if d.pragma == old:
                variables = tuple(self.names.get(v, v) for v in d.variables)
                function = self.function or d.function
                copier.directives.append(
                    replace(d, pragma=new, function=function, loop=self._node(d.loop), variables=variables)
                )
        return new

    def _node(self, old: int | None) -> int | None:
        return None if old is None else self.nodes.get(old, old)


def _same(at: Origin) -> Origin:
    return at


def largest_id(program: Program) -> int:
    """The largest number of a block, loop, access or call."""
    largest = max(program.loops, default=0)
    for expr in (e for f in program.functions.values() for e in all_expressions(program, f.body)):
        if isinstance(expr, ArrayRef | Call):
            largest = max(largest, expr.id)
    blocks = (s.id for f in program.functions.values() for s in walk_statements(f.body) if isinstance(s, Block))
    outside = (e.id for v in program.variables if v.init for e in walk(v.init) if isinstance(e, ArrayRef | Call))
    return max(largest, *blocks, *outside, 0)


def all_expressions(program: Program, root: Stmt) -> Iterator[Expr]:
    """Every expression below ``root``, those of initial values included."""
    for stmt in walk_statements(root):
        tops = list(expressions(stmt))
        if isinstance(stmt, Declare):
            tops += [init for v in stmt.variables if (init := program.variable(v).init) is not None]
        for top in tops:
            yield from walk(top)


def with_statements(stmt: Stmt, new: Mapping[int, tuple[Stmt, ...]]) -> Stmt:
    """``stmt`` with loops in it (by number) replaced by other statements."""

    def visit(s: Stmt) -> Stmt:
        inner = map_parts(s, lambda e: e, visit)
        if not isinstance(inner, Block) or not any(isinstance(x, Loop) and x.id in new for x in inner.body):
            return inner
        rows = (new[x.id] if isinstance(x, Loop) and x.id in new else (x,) for x in inner.body)
        return replace(inner, body=tuple(x for row in rows for x in row))

    return visit(stmt)
