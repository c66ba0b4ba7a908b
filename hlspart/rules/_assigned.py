"""Which local scalars have a value at a place: definite assignment (Java Language Specification, chapter 16)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from hlspart.model import program as c
from hlspart.model.source import Origin
from hlspart.rules._mentions import changed
from hlspart.rules._traces import constant

Unwritten = tuple[c.Variable, Origin, bool]  # the variable, the read, whether no path has a write

_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


class WrittenState(Struct):
    """``sure``: written on every path to here, ``maybe``: on one of them. ``over``: no path goes on."""

    sure: set[int] = field(default_factory=set)
    maybe: set[int] = field(default_factory=set)
    over: bool = False

    def copy(self) -> WrittenState:
        return WrittenState(set(self.sure), set(self.maybe), self.over)


def unwritten(program: c.Program, function: c.Function) -> Iterator[Unwritten]:
    """The first read of each local scalar that may have no value there."""
    walk = _Walk(program)
    walk.statement(function.body, WrittenState())
    yield from walk.unwritten.values()


class _Walk:
    """Statements in the order in which they run; a loop is taken to run, and what a loop writes in a branch is."""

    def __init__(self, program: c.Program) -> None:
        self.program = program
        self.unwritten: dict[int, Unwritten] = {}
        self.open: dict[int, tuple[int, int]] = {}  # variable -> loops and branches around its declaration
        self.loops = self.branches = 0
        self.counters: list[int | None] = []
        self.later: list[frozenset[int]] = []  # what each loop around may write
        self.moves: list[frozenset[tuple[int, int]]] = []  # the plain copies of each loop: (to, from)

    # ------------------------------------------------------------------------- statements

    def statement(self, stmt: c.Stmt, state: WrittenState) -> None:
        match stmt:
            case c.Block(body=body):
                for inner in body:
                    if not state.over:
                        self.statement(inner, state)
            case c.Declare(variables=variables):
                for ident in variables:
                    self._declare(ident, state)
            case c.If():
                self._if(stmt, state)
            case c.Loop():
                self._loop(stmt, state)
            case c.Switch(test=test, body=body):
                self.expression(test, state)
                inside, left = state.copy(), list[set[int]]()  # what is written on each way out
                self.branches += 1
                statements = _without_empty_default(body.body) if _is_state(test) else body.body
                for inner in statements:
                    if isinstance(inner, c.Case):
                        inside.sure = set(state.sure)
                    inside.over = False
                    self.statement(inner, inside)
                    if isinstance(inner, c.Jump) and inner.kind == "break":
                        left.append(set(inside.sure))
                self.branches -= 1
                left += [] if inside.over else [set(inside.sure)]
                inside.sure |= set.intersection(*left) if left else set()
                if any(isinstance(s, c.Case) and s.low is None for s in statements) and left:
                    state.sure |= set.intersection(*left)
                    state.maybe |= inside.maybe
                    return
                kind = test.type
                if not (isinstance(kind, c.ScalarType) and kind.library is not None and _leaves_out(body, kind)):
                    # some value of a type of few bits has no case; whether one of the others can come is not known
                    state.sure |= inside.maybe
                state.maybe |= inside.maybe
            case c.Return() | c.Jump():
                for expr in c.expressions(stmt):
                    self.expression(expr, state)
                state.over = True
            case _:
                for expr in c.expressions(stmt):
                    self.expression(expr, state)

    def _declare(self, ident: int, state: WrittenState) -> None:
        variable = self.program.variable(ident)
        if variable.init is not None:
            self.expression(variable.init, state)
        for written in (state.sure, state.maybe):
            written.discard(ident)
        bare = variable.init is None and variable.storage == "local" and not variable.reference
        word = isinstance(variable.type, c.StructType) and {"data", "last"} <= {n for n, _ in variable.type.members}
        if bare and (word or isinstance(variable.type, c.ScalarType)) and not variable.volatile:
            self.open[ident] = (self.loops, self.branches)

    def _if(self, stmt: c.If, state: WrittenState, before: tuple[c.Expr, ...] = ()) -> None:
        """``before``: the tests of the ``if``s of which this is the ``else if``."""
        self.expression(stmt.test, state)
        if (value := constant(self.program, stmt.test)) is not None:
            chosen = stmt.then if value else stmt.other
            if chosen is not None:
                self.statement(chosen, state)
            return
        self.branches += 1
        arms = [state.copy(), state.copy()]
        self.statement(stmt.then, arms[0])
        below = stmt.other.body if stmt.other is not None else ()
        if len(below) == 1 and isinstance(below[0], c.If):
            self._if(below[0], arms[1], (*before, stmt.test))
        elif stmt.other is not None:
            self.statement(stmt.other, arms[1])
        self.branches -= 1
        nowhere = stmt.other is not None and stmt.other.braces and not stmt.other.body and bool(before)
        going = [arm for arm in (arms[:1] if nowhere else arms) if not arm.over]  # {}: it cannot come to this
        state.over = not going
        state.maybe |= {v for arm in arms for v in arm.maybe}
        counted = len(before) > 1 and all(self._is_of_counter(test) for test in (*before, stmt.test))
        counted = counted or len(before) > 3  # five cases and more are meant to be all there are
        if stmt.other is None and (counted or any(_are_opposite(stmt.test, test) for test in before)):
            going = [arm for arm in arms[:1] if not arm.over]  # an ``else`` would never be reached
        state.sure |= set.intersection(*(arm.sure for arm in going)) if going else set()
        # of an iteration before, where the variable is older than the loop
        state.sure |= {v for v in state.maybe if self.open.get(v, (self.loops, 0))[0] < self.loops}

    def _is_of_counter(self, test: c.Expr) -> bool:
        """Whether a test asks for a part of the range of a loop's counter: several may cover all of it."""
        leaves = [e for e in c.walk(test) if not isinstance(e, (c.Binary, c.Cast))]
        names = {e.variable for e in leaves if isinstance(e, c.Name)}
        return all(isinstance(e, (c.Name, c.Const)) for e in leaves) and len(names) == 1 and names <= set(self.counters)

    def _loop(self, loop: c.Loop, state: WrittenState) -> None:
        if loop.init is not None:
            self.statement(loop.init, state)
        if loop.test is not None and loop.kind != "do":
            self.expression(loop.test, state)
        self.loops += 1
        self.counters.append(_stepped(loop))
        self.later.append(changed(self.program, loop))
        copies = (_copy(s.expr) for s in c.walk_statements(loop.body) if isinstance(s, c.ExprStmt))
        self.moves.append(frozenset(x for x in copies if x is not None))
        self.statement(loop.body, state)
        self.moves.pop()
        self.later.pop()
        self.counters.pop()
        state.over = False
        for expr in (loop.step, loop.test if loop.kind == "do" else None):
            if expr is not None:
                self.expression(expr, state)
        self.loops -= 1
        state.sure |= state.maybe

    # ------------------------------------------------------------------------- expressions

    def expression(self, expr: c.Expr, state: WrittenState) -> None:
        match expr:
            case c.Name(variable=ident):
                self._read(ident, expr.at, state)
            case c.Assign(op=op, target=target, value=value):
                if any(isinstance(e, (c.Name, c.Member)) and e.at == target.at for e in c.walk(value)):
                    self._write(target, state)  # a part of it: the text does not read the rest
                if not self._is_delayed(expr):
                    self.expression(value, state)
                self._target(target, state, op == "=")
            case c.IncDec(operand=target):
                self._target(target, state, False)
            case c.Unary(op="&", operand=operand):
                self._write(operand, state)
            case c.Cast(operand=c.Name(), type=c.VoidType()):
                return
            case c.Binary(op="&&" | "||", left=left, right=right):
                self.expression(left, state)
                self._aside(right, state)
            case c.Conditional(test=test, then=then, other=other):
                self.expression(test, state)
                self._aside(then, state)
                self._aside(other, state)
            case c.Binary(op=">>", left=left, right=right) if not isinstance(left.type, c.ScalarType):
                self.expression(left, state)
                self._write(right, state)
            case c.Call():
                self._call(expr, state)
            case c.OpaqueExpr():
                self._write(expr, state)
            case c.SizeOf():
                return
            case _:
                for child in c.children(expr):
                    self.expression(child, state)

    def _is_delayed(self, expr: c.Expr) -> bool:
        """Whether a copy is one of a row of registers that hand their values on: the first ones are of no use."""
        copy, here = _copy(expr), self.moves[-1] if self.moves else frozenset()
        if copy is None or any(self.open.get(v, (self.loops, 0))[0] >= self.loops for v in copy):
            return False
        to, of = copy
        next_to = {v for t, f in here - {copy} if to == f or of == t for v in (t, f)}
        return any(self.open.get(v, (self.loops, 0))[0] < self.loops for v in next_to - {to, of})

    def _aside(self, expr: c.Expr, state: WrittenState) -> None:
        self.branches += 1
        self.expression(expr, state)
        self.branches -= 1

    def _target(self, target: c.Expr, state: WrittenState, alone: bool) -> None:
        if isinstance(target, c.Name):
            if not alone:
                self._read(target.variable, target.at, state)
            self._write(target, state)
            return
        if isinstance(target, c.ArrayRef):
            for index in target.indices:
                self.expression(index, state)
            return
        self._write(target, state)  # a part of it, such as some of its bits

    def _call(self, call: c.Call, state: WrittenState) -> None:
        function = self.program.functions.get(call.function or "")
        for k, arg in enumerate(call.args):
            known = function is not None and k < len(function.params)
            by_value = known and function is not None and not self.program.variable(function.params[k]).reference
            if by_value or (call.function == "stream.write" and k == 1):
                self.expression(arg, state)
            else:
                self._write(arg, state)

    def _write(self, expr: c.Expr, state: WrittenState) -> None:
        """Whatever stands in an expression may be written by it."""
        written = {e.variable for e in c.walk(expr) if isinstance(e, (c.Name, c.ArrayRef))}
        state.sure |= written
        state.maybe |= written

    def _read(self, ident: int, at: Origin, state: WrittenState) -> None:
        around = self.open.get(ident)
        if around is None or ident in self.unwritten or ident in state.sure:
            return
        never = ident not in state.maybe
        before = self.branches > around[1] and any(ident in written for written in self.later[around[0] :])
        if (never and not before) or around == (self.loops, self.branches):
            self.unwritten[ident] = (self.program.variable(ident), at, never)
        state.sure.add(ident)


def _copy(expr: c.Expr) -> tuple[int, int] | None:
    """(to, from) of a copy of one variable."""
    match expr:
        case c.Assign(
            op="=", target=c.Name(variable=to), value=c.Name(variable=of) | c.Cast(operand=c.Name(variable=of))
        ):
            return to, of
    return None


def _stepped(loop: c.Loop) -> int | None:
    match loop.step:
        case c.IncDec(operand=c.Name(variable=ident)) | c.Assign(target=c.Name(variable=ident)):
            return ident
    return None


def _is_state(test: c.Expr) -> bool:
    """Whether a ``switch`` is over what a variable holds, not over a value computed there, of which any may come."""
    while isinstance(test, c.Cast):
        test = test.operand
    return isinstance(test, c.Name | c.Member | c.ArrayRef)


def _without_empty_default(body: Sequence[c.Stmt]) -> Sequence[c.Stmt]:
    """The statements of a ``switch``, but for a last ``default: break;``, which is one that nobody has written."""
    last = [s for s in body[-2:] if not isinstance(s, c.PragmaMark)]
    empty = len(last) == 2 and isinstance(last[0], c.Case) and last[0].low is None and isinstance(last[1], c.Jump)
    before = body[-3] if len(body) > 2 else None
    ended = isinstance(before, (c.Jump, c.Return)) or (isinstance(before, c.Block) and bool(before.body))
    return body[:-2] if empty and ended else body


def _leaves_out(body: c.Block, of: c.ScalarType) -> bool:
    """Whether a ``switch`` over a type of less than 8 bits has fewer cases than values; no default and no range."""
    cases = [s for s in body.body if isinstance(s, c.Case)]
    return of.bits < 8 and len(cases) < 1 << of.bits and all(s.low is not None and s.high is None for s in cases)


def _are_opposite(one: c.Expr, other: c.Expr) -> bool:
    """Whether one of two tests holds exactly where the other does not."""
    match one, other:
        case (c.Unary(op="!", operand=inner), plain) | (plain, c.Unary(op="!", operand=inner)):
            return c.is_same(inner, plain)
        case c.Binary(op=a, left=la, right=ra), c.Binary(op=b, left=lb, right=rb):
            return _OPPOSITE.get(a) == b and c.is_same(la, lb) and c.is_same(ra, rb)
    return False
