"""What a function does beside its tiled nest: the host runs it as the source has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.mars.codegen.printer import RESERVED, NestPrinter, new_names
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Block,
    Declare,
    Expr,
    ExprStmt,
    Function,
    If,
    IncDec,
    Loop,
    Name,
    PragmaMark,
    Program,
    Return,
    Stmt,
    Variable,
    walk,
    walk_statements,
)
from hlspart.semantics import folding
from hlspart.semantics.effects import Effects, statement_expressions
from hlspart.transform.printer import Printer, Unprintable
from hlspart.transform.text import Part


class _RestPrinter(NestPrinter):
    subject = "the function has, beside the nest,"

    def first(self, loop: Loop) -> Part:
        return Printer.first(self, loop)  # a counter keeps its value after the loop


class Rest:
    """The statements of ``function`` before and after its outermost loop ``loop``.

    Raises :class:`Unprintable` where the nest is not reached exactly once, or leaves a scalar that is used later.
    """

    def __init__(self, program: Program, function: Function, loop: Loop) -> None:
        self.program, self.function, self.loop = program, function, loop
        self._before, self._after = _around(function.body, loop)
        self._own = folding.declared((loop,))
        self._declared = folding.declared((function.body,)) - self._own
        self._changed = Effects(program).modified(loop)
        for ident in sorted(self._changed & {*self._declared, *function.params}):
            user, _ = _keeps(program, self._after, ident)
            if user is not None:
                v = program.variable(ident)
                raise Unprintable(f"{v.name} has its value from the nest where it is used after it", user.at)

    def scalars(self) -> tuple[Variable, ...]:
        """Scalars of the function that the nest reads: the host hands them to each tile."""
        read = _names(self.program, self.loop) - {*self._own, *self._changed, *self.function.params}
        scalars = []
        for ident in sorted(read):
            v = self.program.variable(ident)
            if v.is_array:
                continue
            if ident not in self._declared:
                raise Unprintable(f"{v.name} is neither a parameter nor a variable of {self.function.name}", v.at)
            if RESERVED.fullmatch(v.name):
                raise Unprintable(f"the generated code needs the name {v.name} itself: rename it", v.at)
            scalars.append(v)
        return tuple(scalars)

    def lines(self, arrays: Sequence[int], taken: Sequence[str]) -> tuple[list[str], list[str], dict[int, str]]:
        """C lines before and after the tiles, and the names of the variables in them.

        ``arrays``: variables that the nest uses; ``taken``: names that generated code needs.
        """
        needed = {*arrays, *(v.id for v in self.scalars())}
        rest = (*self._before, *self._after)
        needed |= {v for s in rest if not isinstance(s, Declare) for v in _names(self.program, s)}
        more = needed
        while more:  # what the initial values of needed variables name
            initial = [self.program.variable(v).init for v in more]
            named = {x.variable for e in initial if e is not None for x in walk(e) if isinstance(x, Name | ArrayRef)}
            more = named - needed
            needed |= more
        whole = Block(self.function.body.id, self.function.body.at, rest)
        for ident in sorted(needed - {*folding.declared(rest), *self.function.params}):
            v = self.program.variable(ident)
            raise Unprintable(f"{v.name} is neither a parameter nor a variable of {self.function.name}", v.at)
        names = new_names(self.program, whole, {}, taken)
        printer = _RestPrinter(self.program, lambda ref, _: _element(printer, ref), names)
        text = []
        for part in (self._before, self._after):
            kept = [x for s in part for x in self._kept(s, needed)]
            text.append([line for s in kept for line in printer.lines((s,), "    ")])
        return text[0], text[1], names

    def _kept(self, s: Stmt, needed: set[int]) -> Iterator[Stmt]:
        """A statement without declarations that nobody needs."""
        if not isinstance(s, Declare):
            yield s
            return
        initial = [self.program.variable(v).init for v in s.variables]
        used = [
            v for v, init in zip(s.variables, initial, strict=True) if v in needed or (init is not None and _acts(init))
        ]
        if used:
            yield Declare(s.at, tuple(used))


def _element(printer: NestPrinter, ref: ArrayRef) -> str:
    return printer.name(ref.variable) + "".join(f"[{printer.text(i)}]" for i in ref.indices)


def _around(block: Block, loop: Loop) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...]]:
    """What stands before and after ``loop`` in the body of a function."""
    body = [s for s in block.body if not isinstance(s, PragmaMark)]
    if body and isinstance(body[-1], Return) and body[-1].value is None:
        body.pop()
    for k, s in enumerate(body):
        if s is loop:
            return tuple(body[:k]), tuple(body[k + 1 :])
        if isinstance(s, Block) and any(x is loop for x in walk_statements(s)):
            before, after = _around(s, loop)
            if after or not all(isinstance(x, Declare) for x in before):
                raise Unprintable("the nest stands beside other statements in a block of its own", s.at)
            return (*body[:k], *before), tuple(body[k + 1 :])
    raise Unprintable("the nest is not run exactly once: it stands under a condition", loop.at)


def _names(program: Program, s: Stmt) -> set[int]:
    """Variables that a statement names."""
    every = (x for e in statement_expressions(program, s) for x in walk(e))
    return {x.variable for x in every if isinstance(x, Name | ArrayRef)}


def _keeps(program: Program, body: Sequence[Stmt], variable: int) -> tuple[Stmt | None, bool]:
    """The first of ``body`` that may read what ``variable`` held before, and whether it surely has a new value then."""
    for s in body:
        reader, renewed = _keeps_one(program, s, variable)
        if reader is not None or renewed:
            return reader, renewed
    return None, False


def _keeps_one(program: Program, s: Stmt, variable: int) -> tuple[Stmt | None, bool]:
    if variable not in _names(program, s):
        return None, False
    match s:
        case Block():
            return _keeps(program, s.body, variable)
        case ExprStmt(expr=Assign(op="=", target=Name() as target) as e) if target.variable == variable:
            reads = any(isinstance(x, Name) and x.variable == variable for x in walk(e.value))
            return (s, False) if reads else (None, True)
        case If() if not _in(s.test, variable):
            ways = [_keeps(program, b.body, variable) for b in (s.then, s.other) if b is not None]
            reader = next((r for r, _ in ways if r is not None), None)
            return reader, len(ways) == 2 and all(renewed for _, renewed in ways)
        case Loop(kind="for"):
            first = _keeps(program, () if s.init is None else (s.init,), variable)
            if first[0] is not None or first[1]:
                return first
            if s.test is not None and _in(s.test, variable):
                return s, False
            reader, renewed = _keeps(program, s.body.body, variable)
            if reader is None and not renewed and s.step is not None and _in(s.step, variable):
                return s, False
            return reader, False
    return s, False


def _in(e: Expr, variable: int) -> bool:
    return any(isinstance(x, Name) and x.variable == variable for x in walk(e))


def _acts(e: Expr) -> bool:
    return any(isinstance(x, Assign | IncDec) for x in walk(e))
