"""What a task does with its channels, step by step, where loop bounds and conditions are constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct, field

from hlspart.model import program as c
from hlspart.model.arithmetic import fold
from hlspart.model.source import Origin
from hlspart.rules._mentions import changed, handed, mentioned, mentioned_in
from hlspart.rules._uses import Path, root_of

MOST_STEPS = 20_000  # of all tasks together

Channel = tuple[int, Path]  # a variable, and the element or member that is meant


class OpenBehaviour(Exception):
    """The text does not tell what happens: a condition or bound is no constant, an index chooses the channel."""


class ManySteps(Exception):
    """More steps than are followed."""


class FifoStep(Struct, frozen=True):
    """One read or write of a channel."""

    channel: Channel
    kind: Literal["read", "write"]
    at: Origin


class TaskFrame(Struct):
    """Variables of one call: what is known of integers, and the channels that names mean."""

    values: dict[int, int | None] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)


class TaskReturn(Exception):
    """The task returns."""


class TaskJump(Exception):
    """A ``break`` or ``continue``, which its loop takes."""


@lru_cache(maxsize=4096)
def _leaves(stmt: c.Stmt) -> bool:
    """Whether a ``break`` or ``continue`` in a statement is about a loop around it."""
    if isinstance(stmt, (c.Loop, c.Switch)):
        return False
    return isinstance(stmt, c.Jump) or any(map(_leaves, c.substatements(stmt)))


@lru_cache(maxsize=4096)
def _returns(stmt: c.Stmt) -> bool:
    """Whether a statement may leave the function."""
    return any(isinstance(s, c.Return) for s in c.walk_statements(stmt))


class TaskTrace:
    """The steps of one task, one after the other."""

    def __init__(self, program: c.Program, channels: frozenset[Channel]) -> None:
        self.program, self.known = program, channels
        self.fuel = 4 * MOST_STEPS
        self._names = {v for v, _ in channels}

    def of(self, stmt: c.Stmt) -> Iterator[FifoStep]:
        """Raises OpenBehaviour and ManySteps."""
        frame = TaskFrame({}, {v: (v, ()) for v in self._names})
        yield from self._statement(stmt, frame)

    # ------------------------------------------------------------------------- statements

    def _statement(self, stmt: c.Stmt, frame: TaskFrame) -> Iterator[FifoStep]:
        self.fuel -= 1
        if self.fuel < 0:
            raise ManySteps
        if not self._touches(stmt, frame):
            self._skip(stmt, frame)
            return
        match stmt:
            case c.Block(body=body):
                for inner in body:
                    yield from self._statement(inner, frame)
            case c.Declare(variables=variables):
                for ident in variables:
                    init = self.program.variable(ident).init
                    frame.values[ident] = None
                    if init is not None:
                        yield from self._steps(init, frame)
                        frame.values[ident] = self._value(init, frame)
            case c.ExprStmt(expr=expr):
                yield from self._steps(expr, frame)
                self._assign(expr, frame)
            case c.If(test=test, then=then, other=other):
                yield from self._steps(test, frame)
                chosen = self._value(test, frame)
                if chosen is None:
                    raise OpenBehaviour
                if chosen:
                    yield from self._statement(then, frame)
                elif other is not None:
                    yield from self._statement(other, frame)
            case c.Loop():
                yield from self._loop(stmt, frame)
            case c.Return(value=value):
                if value is not None:
                    yield from self._steps(value, frame)
                raise TaskReturn
            case c.Jump(kind="continue" | "break" as kind):
                raise TaskJump(kind)
            case _:
                raise OpenBehaviour

    def _loop(self, loop: c.Loop, frame: TaskFrame) -> Iterator[FifoStep]:
        if any(isinstance(s, (c.Return, c.Switch)) for s in c.walk_statements(loop.body)):
            raise OpenBehaviour
        if loop.init is not None:
            self._skip(loop.init, frame)
            match loop.init:
                case c.Declare(variables=variables):
                    for ident in variables:
                        init = self.program.variable(ident).init
                        frame.values[ident] = self._value(init, frame) if init is not None else None
                case c.ExprStmt(expr=expr):
                    self._assign(expr, frame)
        first = loop.kind == "do"
        while True:
            if not first:
                if loop.test is None:
                    raise OpenBehaviour
                yield from self._steps(loop.test, frame)
                more = self._value(loop.test, frame)
                if more is None:
                    raise OpenBehaviour
                if not more:
                    return
            first = False
            try:
                yield from self._statement(loop.body, frame)
            except TaskJump as jump:
                if jump.args[0] == "break":
                    return
            if loop.step is not None:
                self._assign(loop.step, frame)

    def _skip(self, stmt: c.Stmt, frame: TaskFrame) -> None:
        """Forget what a statement without steps may change; one assignment is followed."""
        if isinstance(stmt, c.ExprStmt):
            self._assign(stmt.expr, frame)
            return
        if isinstance(stmt, c.Declare):
            for ident in stmt.variables:
                init = self.program.variable(ident).init
                frame.values[ident] = self._value(init, frame) if init is not None else None
            return
        if isinstance(stmt, (c.Jump, c.Return)):
            raise OpenBehaviour
        for variable in changed(self.program, stmt):
            frame.values[variable] = None

    def _touches(self, stmt: c.Stmt, frame: TaskFrame) -> bool:
        if mentioned(self.program, stmt) & frame.channels.keys():
            return True
        # what leaves the loop or the function, or goes on with the loop, decides about what stands behind it
        return _returns(stmt) or (isinstance(stmt, (c.Jump, c.If, c.Block)) and _leaves(stmt))

    # ------------------------------------------------------------------------- expressions

    def _channel(self, expr: c.Expr, frame: TaskFrame) -> Channel | None:
        root = root_of(expr)
        if root is None or root[0] not in frame.channels:
            return None
        base = frame.channels[root[0]]
        fifo = isinstance(self.program.variable(root[0]).type, c.ArrayType) and (base[0], ()) in self.known
        if fifo and self.program.variable(base[0]).is_array:
            return base
        if not root[2]:
            indices = self._path(expr, frame)
            return (base[0], (*base[1], *indices))
        return base[0], (*base[1], *root[1])

    def _path(self, expr: c.Expr, frame: TaskFrame) -> Path:
        match expr:
            case c.Name():
                return ()
            case c.Subscript(base=base, index=index):
                return (*self._path(base, frame), *self._positions((index,), frame))
            case c.ArrayRef(indices=indices):
                return self._positions(indices, frame)
            case c.Member(base=base, field=name):
                return (*self._path(base, frame), name)
        raise OpenBehaviour

    def _positions(self, indices: Sequence[c.Expr], frame: TaskFrame) -> tuple[int, ...]:
        values = [self._value(index, frame) for index in indices]
        if None in values:
            raise OpenBehaviour
        return tuple(k for k in values if k is not None)

    def _steps(self, expr: c.Expr, frame: TaskFrame) -> Iterator[FifoStep]:
        if not mentioned_in(expr) & frame.channels.keys():
            return
        match expr:
            case c.Call(function=name) if name is not None and name.startswith("stream."):
                yield from self._stream(expr, frame)
            case c.Call():
                yield from self._call(expr, frame)
            case c.Assign(op=op, target=target, value=value):
                yield from self._steps(value, frame)
                for part in c.children(target):
                    yield from self._steps(part, frame)
                if isinstance(target, c.ArrayRef):
                    if op != "=":
                        yield from self._element(target, "read", frame)
                    yield from self._element(target, "write", frame)
            case c.ArrayRef(indices=indices):
                for index in indices:
                    yield from self._steps(index, frame)
                yield from self._element(expr, "read", frame)
            case c.Conditional() | c.OpaqueExpr():
                raise OpenBehaviour
            case c.Binary(op="&&" | "||", left=left, right=right):
                yield from self._steps(left, frame)
                decides = self._value(left, frame)
                if decides is None:
                    raise OpenBehaviour
                if bool(decides) == (expr.op == "&&"):
                    yield from self._steps(right, frame)
            case _:
                for child in c.children(expr):
                    yield from self._steps(child, frame)

    def _element(self, ref: c.ArrayRef, kind: Literal["read", "write"], frame: TaskFrame) -> Iterator[FifoStep]:
        if ref.variable in frame.channels:
            channel = frame.channels[ref.variable]
            if channel in self.known:
                yield FifoStep(channel, kind, ref.at)

    def _stream(self, call: c.Call, frame: TaskFrame) -> Iterator[FifoStep]:
        if call.function not in ("stream.read", "stream.write"):
            raise OpenBehaviour  # what a task does then depends on the moment
        for arg in call.args[1:]:
            yield from self._steps(arg, frame)
        channel = self._channel(call.args[0], frame)
        if channel in self.known and channel is not None:
            yield FifoStep(channel, "read" if call.function == "stream.read" else "write", call.at)

    def _call(self, call: c.Call, frame: TaskFrame) -> Iterator[FifoStep]:
        function = self.program.functions.get(call.function or "")
        if function is None:
            raise OpenBehaviour
        inner = TaskFrame()
        for arg, formal in zip(call.args, function.params, strict=False):
            root = root_of(arg)
            if root is not None and root[0] in frame.channels:
                channel = self._channel(arg, frame)
                assert channel is not None
                inner.channels[formal] = channel
            else:
                yield from self._steps(arg, frame)
                inner.values[formal] = self._value(arg, frame)
        try:
            yield from self._statement(function.body, inner)
        except TaskReturn:
            return

    def _assign(self, expr: c.Expr, frame: TaskFrame) -> None:
        match expr:
            case c.Assign(op="=", target=c.Name(variable=ident), value=value):
                frame.values[ident] = self._value(value, frame)
            case c.Assign(op=op, target=c.Name(variable=ident) as target, value=value):
                left, right = self._value(target, frame), self._value(value, frame)
                frame.values[ident] = None if left is None or right is None else fold(op[:-1], left, right)
            case c.IncDec(op=op, operand=c.Name(variable=ident) as operand):
                old = self._value(operand, frame)
                frame.values[ident] = None if old is None else old + (1 if op == "++" else -1)
            case c.Comma(items=items):
                for item in items:
                    self._assign(item, frame)
            case _:
                for node in c.walk(expr):
                    match node:
                        case c.Assign(target=c.Name(variable=ident)) | c.IncDec(operand=c.Name(variable=ident)):
                            frame.values[ident] = None
                        case c.Call():
                            frame.values.update(dict.fromkeys(handed(self.program, node)))

    def _value(self, expr: c.Expr, frame: TaskFrame) -> int | None:
        match expr:
            case c.Const(value=value):
                return value if isinstance(value, int) else None
            case c.SizeOf(value=size):
                return size
            case c.Name(variable=ident):
                if ident in frame.values:
                    return frame.values[ident]
                variable = self.program.variable(ident)
                return self._value(variable.init, frame) if variable.const and variable.init is not None else None
            case c.Cast(operand=operand, type=c.ScalarType(kind="int", bits=bits)) if bits >= 16:
                return self._value(operand, frame)
            case c.Unary(op="-" | "+" | "!" | "~" as op, operand=operand):
                inner = self._value(operand, frame)
                if inner is None:
                    return None
                return {"-": -inner, "+": inner, "!": int(not inner), "~": ~inner}[op]
            case c.Binary(op=op, left=left, right=right):
                a, b = self._value(left, frame), self._value(right, frame)
                if op in ("&&", "||") and a is not None and bool(a) == (op == "||"):
                    return int(bool(a))
                return None if a is None or b is None else fold(op, a, b)
            case c.Conditional(test=test, then=then, other=other):
                chosen = self._value(test, frame)
                return None if chosen is None else self._value(then if chosen else other, frame)
        return None


def constant(program: c.Program, expr: c.Expr) -> int | None:
    """The value of an integer expression of constants."""
    return TaskTrace(program, frozenset())._value(expr, TaskFrame())


def value_of(program: c.Program, expr: c.Expr, values: Mapping[int, int]) -> int | None:
    """The value of an integer expression of constants and of variables with these values."""
    return TaskTrace(program, frozenset())._value(expr, TaskFrame(dict(values)))


class TaskCount(TaskTrace):
    """How often a task reads and writes its channels, whatever the trip counts are."""

    def __init__(self, program: c.Program, channels: frozenset[Channel], trips: Mapping[int, int]) -> None:
        super().__init__(program, channels)
        self.trips, self._times = trips, 1

    def total(self, stmt: c.Stmt) -> dict[tuple[Channel, str], tuple[int, Origin]]:
        """(channel, kind) -> (count, the first place). Raises OpenBehaviour and ManySteps."""
        totals: dict[tuple[Channel, str], tuple[int, Origin]] = {}
        try:
            for step in self.of(stmt):
                before, at = totals.get((step.channel, step.kind), (0, step.at))
                totals[step.channel, step.kind] = (before + self._times, at)
        except TaskReturn:
            pass
        return totals

    def _loop(self, loop: c.Loop, frame: TaskFrame) -> Iterator[FifoStep]:
        if loop.id not in self.trips or any(isinstance(s, (c.Jump, c.Return)) for s in c.walk_statements(loop.body)):
            raise OpenBehaviour
        if any(mentioned_in(e) & frame.channels.keys() for e in c.expressions(loop)):
            raise OpenBehaviour
        for variable in changed(self.program, loop):
            frame.values[variable] = None
        outside, self._times = self._times, self._times * self.trips[loop.id]
        if self._times:
            yield from self._statement(loop.body, frame)
        self._times = outside
