"""The step table: a function's coarse order, and in which steps each array is touched.

A step is a loop nest, a call that is handed arrays, or the statements between those. A loop that holds several such
parts is taken apart and repeats them, unless its iterations may run beside each other (pipelined, unrolled, a DATAFLOW
region): then it is one step, as is a whole function that is pipelined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct

from hlspart.model.access import Access, AccessAnalysis, GroupEdge
from hlspart.model.buffers import ProgramStep
from hlspart.model.program import (
    ArrayRef,
    Block,
    Call,
    Declare,
    Expr,
    Function,
    If,
    Loop,
    Program,
    Stmt,
    expressions,
    substatements,
    walk,
    walk_statements,
)
from hlspart.model.source import Span


class _Part(Struct, frozen=True):
    """One step, or a loop with the steps that it repeats."""

    statements: tuple[Stmt, ...]
    loop: Loop | None = None
    inner: tuple[_Part, ...] = ()
    plain: bool = False


@dataclass
class Table:
    """The steps of one function, numbered from ``first``. ``whole``: it is one step."""

    program: Program
    analysis: AccessAnalysis
    function: Function
    beside: Callable[[Loop], bool]  # whether iterations of a loop may run beside each other
    whole: bool
    first: int
    steps: tuple[ProgramStep, ...] = field(init=False, default=())
    ranges: dict[int, tuple[int, int]] = field(init=False, default_factory=dict)  # loop id -> its first and last step
    _at: dict[Stmt, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        body = self.function.body
        parts = [_Part((body,))] if self.whole else self._parts(body)
        steps: list[ProgramStep] = []
        self._number(parts, (), steps)
        self.steps = tuple(steps)

    @property
    def last(self) -> int:
        """The last step; one before the first where there is none."""
        return self.first + len(self.steps) - 1

    # ------------------------------------------------------------------------------ places

    @cached_property
    def rank(self) -> dict[Stmt, int]:
        """Place of each statement in the order of the text."""
        return {stmt: k for k, stmt in enumerate(walk_statements(self.function.body))}

    @cached_property
    def units(self) -> dict[Stmt, int]:
        """The statement of the function's body that each statement is part of."""
        return {s: k for k, top in enumerate(self.function.body.body) for s in walk_statements(top)}

    @cached_property
    def owners(self) -> dict[int, Stmt]:
        """The statement of each array reference and each call, by id."""
        owners: dict[int, Stmt] = {}
        for stmt in walk_statements(self.function.body):
            roots: list[Expr] = list(expressions(stmt))
            if isinstance(stmt, Declare):
                inits = (self.program.variable(v).init for v in stmt.variables)
                roots += [init for init in inits if init is not None]
            for root in roots:
                for node in walk(root):
                    if isinstance(node, ArrayRef | Call):
                        owners[node.id] = stmt
        return owners

    @cached_property
    def around(self) -> dict[Stmt, tuple[Stmt, ...]]:
        """Loops and branches around each statement, outermost first."""
        around: dict[Stmt, tuple[Stmt, ...]] = {}

        def visit(stmt: Stmt, above: tuple[Stmt, ...]) -> None:
            around[stmt] = above
            own = above if isinstance(stmt, Block) else (*above, stmt)
            for inner in substatements(stmt):
                visit(inner, own)

        visit(self.function.body, ())
        return around

    def step_of(self, ident: int) -> int | None:
        """The step of an array reference or call, by id; None where it is in none."""
        stmt = self.owners.get(ident)
        return None if stmt is None else self._at.get(stmt)

    def edges(self) -> tuple[GroupEdge, ...]:
        """Arrays that the function hands on."""
        name = self.function.name
        return tuple(e for g in self.analysis.groups for e in g.edges if e.caller == name)

    def accesses(self) -> tuple[Access, ...]:
        """Accesses that stand in the function."""
        return tuple(a for a in self.analysis.accesses if a.function == self.function.name)

    # ------------------------------------------------------------------------------ building

    @cached_property
    def _calls(self) -> frozenset[int]:
        return frozenset(e.call for e in self.edges())

    def _parts(self, stmt: Stmt) -> list[_Part]:
        match stmt:
            case Block():
                return _merged([part for inner in stmt.body for part in self._parts(inner)])
            case Loop():
                whole = self.beside(stmt) or stmt in self._touches  # a header is evaluated between its steps
                inner = [] if whole else self._parts(stmt.body)
                if sum(not p.plain for p in inner) > 1 or any(p.loop for p in inner):
                    return [_Part((stmt,), stmt, tuple(inner))]
                return [_Part((stmt,))]
            case If() if self._is_heavy(stmt):
                arms = self._parts(stmt.then) + ([] if stmt.other is None else self._parts(stmt.other))
                return _merged([_Part((stmt,), plain=True), *arms])
        return [_Part((stmt,), plain=not self._is_heavy(stmt))]

    def _is_heavy(self, stmt: Stmt) -> bool:
        """Whether a statement holds a loop or a call that is handed arrays."""
        for inner in walk_statements(stmt):
            if isinstance(inner, Loop):
                return True
            if any(isinstance(n, Call) and n.id in self._calls for e in expressions(inner) for n in walk(e)):
                return True
        return False

    def _number(self, parts: Sequence[_Part], repeats: tuple[int, ...], steps: list[ProgramStep]) -> None:
        for part in parts:
            number = self.first + len(steps)
            if part.loop is not None:
                self._number(part.inner, (*repeats, part.loop.id), steps)
                if len(steps) > number - self.first:
                    self.ranges[part.loop.id] = (number, self.first + len(steps) - 1)
                continue
            tests = {s for s in part.statements if part.plain and isinstance(s, If) and self._is_heavy(s)}  # arms apart
            whole = [s for one in part.statements for s in ([one] if one in tests else walk_statements(one))]
            reads, writes = self._touched(whole)
            if not reads | writes:
                continue
            self._at.update(dict.fromkeys(whole, number))
            span = part.statements[0].at.span
            ends = [span.start if s in tests else s.at.span.end for s in part.statements]
            span = Span(span.path, span.start, max(ends))
            steps.append(ProgramStep(number, self.function.name, span, repeats, reads, writes))

    @cached_property
    def _touches(self) -> dict[Stmt, tuple[set[int], set[int]]]:
        touches: dict[Stmt, tuple[set[int], set[int]]] = {}
        for access in self.accesses():
            stmt = self.owners.get(access.ref)
            if stmt is not None:
                touches.setdefault(stmt, (set(), set()))[access.kind == "write"].add(access.array)
        for edge in self.edges():
            stmt = self.owners.get(edge.call)
            if stmt is not None:
                for writes in (False, True):
                    touches.setdefault(stmt, (set(), set()))[writes].add(edge.actual)
        return touches

    def _touched(self, statements: Sequence[Stmt]) -> tuple[frozenset[int], frozenset[int]]:
        pairs = [self._touches[s] for s in statements if s in self._touches]
        return (
            frozenset(v for reads, _ in pairs for v in reads),
            frozenset(v for _, writes in pairs for v in writes),
        )


def _merged(parts: Sequence[_Part]) -> list[_Part]:
    """Plain statements beside each other as one part."""
    out: list[_Part] = []
    for part in parts:
        if part.plain and out and out[-1].plain:
            out[-1] = _Part(out[-1].statements + part.statements, plain=True)
        else:
            out.append(part)
    return out
