"""A loop written out: copies of its body, each with the iterator's value.

In a full unroll the iterator is a number, in a partial one ``(i + k)``; what is left of the trip count follows
as copies of its own. Where a pipeline is unrolled, copies stand under the loop's test instead, as the tool has
them. An iterator that is not an ``int`` is a variable of its type in each copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.access import LoopInfo
from hlspart.model.program import (
    INT,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Declare,
    Expr,
    ExprStmt,
    If,
    IncDec,
    Jump,
    Label,
    Loop,
    Name,
    OpaqueExpr,
    PragmaMark,
    Program,
    Return,
    ScalarType,
    Stmt,
    Unary,
    Variable,
    VoidType,
    integer,
    walk,
    walk_statements,
)
from hlspart.model.source import Origin, Span
from hlspart.transform.changes import inserted, label_span, made, number
from hlspart.transform.copying import Copier, Value, all_expressions, with_statements
from hlspart.transform.forward import Forward
from hlspart.transform.objects import is_name, is_needed_by_name
from hlspart.transform.printer import Unprintable

#: Copies of a loop body that are still worth reading.
MOST_COPIES = 256

_BASIC = frozenset(("int", "unsigned", "signed", "long", "short", "char"))
_STANDARD = frozenset((*(f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)), "size_t"))


class Spelling(Struct, frozen=True):
    """The words of a program's texts: ``free`` gives a name that none has, ``type`` what a declaration says."""

    free: Callable[[str], str]
    type: Callable[[Variable], str | None]


class Unrolling(Struct, frozen=True):
    """``factor`` copies of the loop's body; None: all iterations.

    ``tested``: copies that may lie behind the last iteration stand under the loop's test.
    """

    loop: int
    factor: int | None
    tested: bool = False


def unroll(program: Program, info: LoopInfo, what: Unrolling, words: Spelling) -> tuple[Program, Forward]:
    """``program`` with one loop written out. Raises Unprintable, with the reason, where that may change a result."""
    refuse_unroll(program, info, what)
    return _Unroll(program, info, what, words).result()


def refuse_unroll(program: Program, info: LoopInfo, what: Unrolling) -> None:
    """Raise Unprintable unless the loop only counts, by constant steps, and its body can stand several times."""
    loop, trips = program.loops[what.loop], info.trip_count.exact

    def refuse(reason: str, at: Origin | None = None) -> None:
        raise Unprintable(reason, at or loop.at)

    if loop.kind != "for" or info.variable is None or info.step is None or info.exits:
        refuse("the loop is not counted")
    if not (loop.at.editable and loop.body.at.editable and loop.header.editable):
        refuse("the loop comes out of a macro")
    if loop.at.span.path not in program.given:
        refuse("the loop stands in a file that is not given")
    if not _only_counts(loop, info):
        refuse("the loop's header does more than count")
    variable = program.variable(info.variable or 0)
    if not isinstance(variable.type, ScalarType) or variable.type.kind != "int":
        refuse("the iterator is no integer")
    for stmt in walk_statements(loop.body):
        if isinstance(stmt, Jump | Label | Return):
            refuse("the body has a jump or a label", stmt.at)
        if isinstance(stmt, Declare) and any(_lasts(program.variable(v)) for v in stmt.variables):
            refuse("the body has a static variable", stmt.at)
    inner = {s.id for s in walk_statements(loop.body) if isinstance(s, Loop)}
    if any(d.loop in inner and d.pragma is None for d in program.directives):
        refuse("a directive file speaks of a loop inside")
    if any(loop.at.span.holds(at) for at, _ in program.counted):
        refuse("text that stands for its own place")
    for e in all_expressions(program, loop.body):
        if isinstance(e, OpaqueExpr) and e.what == "statement expression":
            refuse("the body has a statement expression", e.at)
        if isinstance(e, Unary) and e.op == "&" and is_name(e.operand, variable.id):
            refuse("the address of the iterator is taken", e.at)
    if variable.volatile or variable.storage == "static":
        refuse("the iterator may change on its own")
    most = trips if what.factor is None else what.factor
    if trips is None and not (what.tested and what.factor is not None):
        refuse("the trip count is not known")
    if most is None or most < 1 or most > MOST_COPIES or trips == 0:
        refuse(f"{most} copies of the body")
    first = info.lower is not None and not info.lower.terms
    if not first and (what.factor is None or (trips is not None and trips % what.factor and not what.tested)):
        refuse("the first value of the iterator is not known")
    uneven = trips is None or trips % (what.factor or 1) != 0
    if what.tested and uneven and (loop.step is None or not _overshoots(program, loop, info)):
        refuse("the iterator may not go beyond its last value")


class _Unroll:
    def __init__(self, program: Program, info: LoopInfo, what: Unrolling, words: Spelling) -> None:
        assert info.variable is not None and info.step is not None
        self.program, self.info, self.factor = program, info, what.factor
        self.loop, self.step = program.loops[what.loop], info.step
        self.iterator = program.variable(info.variable)
        self.copier = Copier(program)
        self.copied = 0
        self.body = replace(self.loop.body, body=tuple(s for s in self.loop.body.body if not self._is_of_loop(s)))
        trips = info.trip_count.exact
        self.trips = trips if trips is not None else -1
        self.tested = what.tested and what.factor is not None and (trips is None or trips % what.factor != 0)
        self.free = words.free
        spelled, kind = words.type(self.iterator), self.iterator.type
        assert isinstance(kind, ScalarType)
        if spelled is None:
            raise Unprintable("the iterator's type has no name", self.loop.at)
        self.kind = replace(kind, name=spelled)
        self.literal = set(spelled.split()) <= _BASIC or spelled in _STANDARD
        self.exact = program.is_cxx(self.loop.at.span.path)
        self.by_name = is_needed_by_name(program, self.loop, self.iterator)

    def _is_of_loop(self, stmt: Stmt) -> bool:
        """Whether a statement of the body is a pragma about the loop, not about something declared in the body."""
        if not isinstance(stmt, PragmaMark):
            return False
        named = {v for d in self.program.directives if d.pragma == stmt.pragma for v in d.variables}
        inside = {v for s in self.loop.body.body if isinstance(s, Declare) for v in s.variables}
        return not named & inside

    def result(self) -> tuple[Program, Forward]:
        """The program, and what was copied."""
        function = self.program.functions[self.loop.function]
        statements = tuple(self._whole() if self.factor is None else self._in_part(self.factor))
        body = with_statements(function.body, {self.loop.id: statements})
        assert isinstance(body, Block)
        return self.copier.result(replace(function, body=body))

    # -------------------------------------------------------------------------------------- forms

    def _whole(self) -> Iterator[Stmt]:
        label = label_span(self.program, self.loop)
        at = made(Origin(Span(label.path, label.start, self.loop.at.span.end)))
        copies = [self._copy(self._number(k)) for k in range(self.trips)]
        yield Block(self.copier.ident(), at, (*copies, *self._left_over(at)))

    def _in_part(self, factor: int) -> Iterator[Stmt]:
        loop, at = self.loop, made(self.loop.body.at)
        assert loop.test is not None and loop.step is not None
        rest = 0 if self.tested else self.trips % factor
        test: Expr = loop.test
        if rest:
            limit = self._number(self.trips - rest)
            order = "<" if self.step > 0 else ">"
            test = Binary(made(test.at), test.type, order, self._iterator(made(test.at)), limit(test.at, False))
        step = self._changed(loop.step.at, factor * self.step)
        marks = [s for s in loop.body.body if self._is_of_loop(s)]
        spans = [s.at.span for s in marks if s.at.span.path == at.span.path] + [at.span]
        start, end = min(s.start for s in spans), max(s.end for s in spans)
        if not self.program.text(Span(at.span.path, loop.header.span.end, start)).strip():
            start = loop.header.span.end
        around = Origin(Span(at.span.path, start, end), "new")
        kept_marks = [s for s in marks if not self._unrolls(s)]
        copies = list(self._tested(factor)) if self.tested else [self._copy(self._moved(k)) for k in range(factor)]
        body = Block(self.copier.ident(loop.body.id), around, (*kept_marks, *copies))
        new = replace(loop, test=test, step=step, body=body)
        behind = inserted(loop.at.span.path, loop.at.span.end)
        tail = [self._copy(self._number(self.trips - rest + k), behind) for k in range(rest)]
        if not tail:
            yield new
            return
        rows = (new, *tail, *self._left_over(behind))
        if self._is_among_statements():
            yield from rows
        elif loop.label is None:
            yield Block(self.copier.ident(), made(loop.at), rows)
        else:
            raise Unprintable("a labelled loop that is no statement of a block", loop.at)

    def _tested(self, factor: int) -> Iterator[Stmt]:
        """Copies after the first under the loop's test, which ends the loop as well once it has failed."""
        assert self.loop.test is not None
        for value in map(self._moved, range(factor)):
            body = self._copy(value)
            if value is None:
                yield body
                continue
            test = self.copier.expr(self.loop.test, {self.iterator.id: value})
            assert isinstance(body, Block)
            yield If(made(self.loop.body.at), test, body, None)

    # ------------------------------------------------------------------------------------- pieces

    def _copy(self, value: Value | None, at: Origin | None = None) -> Stmt:
        """One copy of the body, in braces, at ``at`` if it is to be put there; the first is the body itself."""
        own, self.copied = self.copied == 0, self.copied + 1
        place = at or made(self.loop.body.at)
        if value is not None and self.by_name:
            return self._declared(value, own, place)
        new = self.copier.copy(self.body, {} if value is None else {self.iterator.id: value}, own)
        assert isinstance(new, Block)
        if not new.braces:
            return Block(self.copier.ident(), place, new.body)
        return new

    def _declared(self, value: Value, own: bool, place: Origin) -> Stmt:
        """A copy that declares the iterator under its name, first under another where the value names it."""
        inside = made(self.loop.body.at)
        rows: list[Stmt] = []
        first = value(inside, False)
        if any(is_name(e, self.iterator.id) for e in walk(first)):
            rows, first = self._variable(self.free(f"{self.iterator.name}_at"), first, inside)
        again, named = self._variable(self.iterator.name, first, inside)
        assert isinstance(named, Name)

        def use(at: Origin, exact: bool) -> Expr:
            return replace(named, at=at)

        void = ExprStmt(inside, Cast(inside, VoidType(), replace(named)))
        new = self.copier.copy(self.body, {self.iterator.id: use}, own)
        assert isinstance(new, Block)
        body = (new,) if new.braces else new.body
        if not rows:
            return Block(self.copier.ident(), place, (*again, void, *body))
        return Block(self.copier.ident(), place, (*rows, Block(self.copier.ident(), inside, (*again, void, *body))))

    def _variable(self, name: str, value: Expr, at: Origin) -> tuple[list[Stmt], Expr]:
        """A variable of the iterator's type: its declaration, its use. Overloads would tell it from a constant."""
        new = self.copier.variable(
            self.iterator, name=name, type=self.kind, storage="local", init=value, scope=self.loop.body.id
        )
        self.copier.of_variable[new] = self.iterator.id
        return [Declare(at, (new,))], Name(at, self.iterator.type, new)

    def _number(self, k: int) -> Value:
        """The iterator in iteration ``k``, as a number of its type."""
        assert self.info.lower is not None
        count, kind = self.info.lower.const + k * self.step, self.kind
        low, high = (-(1 << kind.bits - 1), 1 << kind.bits - 1) if kind.signed else (0, 1 << kind.bits)
        if not low <= count < high:
            raise Unprintable("the iterator leaves the range of its type", self.loop.at)
        longs = kind.name.split().count("long") or int(kind.bits == 64)
        suffix = ("l" * longs + "u" * (not kind.signed)) if self.literal and kind.bits >= 32 else ""
        plain = kind if suffix else None

        def value(at: Origin, exact: bool) -> Expr:
            return self._typed(at, exact, number(count, at, plain, suffix))

        return value

    def _moved(self, k: int) -> Value | None:
        """The iterator ``k`` iterations on."""
        by = k * self.step
        wide = self.kind if self.kind.bits >= 32 else INT

        def value(at: Origin, exact: bool) -> Expr:
            op, amount = "+" if by > 0 else "-", integer(abs(by), made(at))
            return self._typed(at, exact, Binary(made(at), wide, op, self._iterator(made(at)), amount))

        return value if k else None

    def _typed(self, at: Origin, exact: bool, value: Expr) -> Expr:
        """``value`` with the iterator's own type, where C can tell it from the promoted one."""
        if self.literal and (self.kind.bits >= 32 or not (exact or self.exact)):
            return value
        return Cast(made(at), self.kind, value)

    def _iterator(self, at: Origin) -> Name:
        return Name(at, self.iterator.type, self.iterator.id)

    def _changed(self, at: Origin, by: int) -> Expr:
        op, amount = "+=" if by > 0 else "-=", integer(abs(by), made(at))
        return Assign(made(at), self.iterator.type, op, self._iterator(made(at)), amount)

    def _left_over(self, at: Origin) -> Iterator[Stmt]:
        """The value that the iterator has behind the loop; used even where nothing reads it, or compilers complain."""
        if not isinstance(self.loop.init, Declare):
            assert self.info.lower is not None
            name, value = self._iterator(at), number(self.info.lower.const + self.trips * self.step, at)
            yield ExprStmt(at, Assign(at, name.type, "=", name, value))
            if self._reads(self.program.functions[self.loop.function].body) == self._reads(self.loop):
                yield ExprStmt(at, Cast(at, VoidType(), self._iterator(at)))

    def _reads(self, stmt: Stmt) -> int:
        """How often ``stmt`` names the iterator, but for assignments to it."""
        mine = self.iterator.id
        return sum(is_name(e, mine) - _assigns(e, mine) for e in all_expressions(self.program, stmt))

    def _unrolls(self, mark: Stmt) -> bool:
        """Whether a pragma is about the unrolling that is done."""
        return isinstance(mark, PragmaMark) and any(
            d.kind == "unroll" and d.pragma == mark.pragma for d in self.program.directives
        )

    def _is_among_statements(self) -> bool:
        """Whether more than one statement may stand where the loop stands."""
        body = self.program.functions[self.loop.function].body
        return any(isinstance(s, Block) and s.braces and self.loop in s.body for s in walk_statements(body))


def _lasts(variable: Variable) -> bool:
    """Whether a variable is one object for all iterations."""
    return variable.storage == "static" and not (variable.const and isinstance(variable.type, ScalarType))


def _only_counts(loop: Loop, info: LoopInfo) -> bool:
    """Only the iterator is set and stepped in the header."""
    if isinstance(loop.init, Declare):
        good = loop.init.variables == (info.variable,)
    else:
        first = loop.init.expr if isinstance(loop.init, ExprStmt) else None
        good = isinstance(first, Assign) and isinstance(first.target, Name) and first.target.variable == info.variable
    changes = [] if loop.step is None else [e for e in walk(loop.step) if isinstance(e, Assign | IncDec)]
    return good and len(changes) == 1


def _overshoots(program: Program, loop: Loop, info: LoopInfo) -> bool:
    """Whether the iterator may go beyond the value at which the loop ended.

    The test is an order that stays false, the type wide enough, and each use of the iterator stands in a
    loop that sets it first.
    """
    variable, test = program.variable(info.variable or 0), loop.test
    kind = variable.type
    wide = isinstance(kind, ScalarType) and kind.kind == "int" and kind.bits >= 32 and kind.signed
    if not wide or info.trip_count.max is None:
        return False
    if not isinstance(test, Binary) or test.op not in ("<", "<=", ">", ">=") or variable.storage == "static":
        return False
    on_left = is_name(test.left, variable.id)
    side, bound = (test.left, test.right) if on_left else (test.right, test.left)
    falling = (test.op[0] == ">") == on_left
    if not is_name(side, variable.id) or falling != ((info.step or 0) < 0):
        return False
    if any(isinstance(e, Assign | IncDec | Call) or is_name(e, variable.id) for e in walk(bound)):
        return False
    body = program.functions[loop.function].body
    known = {id(e) for s in walk_statements(body) if _sets(s, variable.id) for e in all_expressions(program, s)}
    return all(id(e) in known for e in all_expressions(program, body) if is_name(e, variable.id))


def _sets(stmt: Stmt, variable: int) -> bool:
    """Whether ``stmt`` is a loop that begins by setting ``variable``."""
    if not isinstance(stmt, Loop):
        return False
    if isinstance(stmt.init, Declare):
        return variable in stmt.init.variables
    return isinstance(stmt.init, ExprStmt) and _assigns(stmt.init.expr, variable)


def _assigns(expr: Expr, variable: int) -> bool:
    return isinstance(expr, Assign) and expr.op == "=" and is_name(expr.target, variable)
