"""Elaboration: the statements of one pipelined iteration become operations.

Inner loops are unrolled by running them (their tests must fold to constants), branches become
selections; expressions are evaluated by :mod:`hlspart.lowering.values`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from threading import Lock
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.hardware.unmodelled import Unmodelled
from hlspart.lowering.graph import Carried
from hlspart.lowering.open_loops import OpenLoops
from hlspart.lowering.operations import Body, Frame, Location
from hlspart.model import program as c
from hlspart.model.access import Affine
from hlspart.model.causes import NOT_CONSTANT
from hlspart.model.code import is_same_code
from hlspart.semantics import folding, spans

MAX_COPIES = 8_192


class Control(Struct, frozen=True):
    """What decides whether a pipelined loop goes on: its test (None: always true), before or after the body.

    ``step`` is run after the body when the loop has no iterator that analysis knows.
    """

    test: c.Expr | None
    step: c.Expr | None
    tests_after: bool

    @property
    def statements(self) -> tuple[c.Stmt, ...]:
        """Test and step as statements."""
        return tuple(c.ExprStmt(x.at, x) for x in (self.test, self.step) if x is not None)


class Iteration(Struct, frozen=True):
    """The statements of one iteration: of flattened parents ahead of and behind the body, and how each copy moves.

    ``shifts``: an iterator and by how much it moves, for each unrolled copy of ``body``.
    """

    before: tuple[c.Stmt, ...]
    body: tuple[c.Stmt, ...]
    after: tuple[c.Stmt, ...]
    shifts: tuple[tuple[tuple[str, int], ...], ...]
    control: Control | None = None


def elaborate(frame: Frame, iteration: Iteration) -> Body:
    """The operations of an iteration, not to be changed. Raises :class:`Unmodelled`.

    They do not depend on partitions, so whoever tries several of them finds them made.
    """
    body = _MADE.of(frame, iteration)
    if body is None:
        body = _MADE.keep(frame, iteration, _elaborated(frame, iteration))
    if isinstance(body, Unmodelled):
        raise body
    return body


class _Made:
    """What was elaborated lately: of ``most`` operations together."""

    def __init__(self, most: int) -> None:
        self._most, self._ops, self._lock = most, 0, Lock()
        self._bodies: dict[Iteration, list[tuple[Frame, Body | Unmodelled]]] = {}  # the latest last

    def of(self, frame: Frame, iteration: Iteration) -> Body | Unmodelled | None:
        """The operations, where they are there."""
        with self._lock:
            known = self._bodies.pop(iteration, None)
            if known is None:
                return None
            self._bodies[iteration] = known
            return next((x for f, x in known if _is_same(f, frame)), None)

    def keep(self, frame: Frame, iteration: Iteration, made: Body | Unmodelled) -> Body | Unmodelled:
        """``made``, which takes the place of what was asked for the longest time ago."""
        with self._lock:
            self._bodies.setdefault(iteration, []).append((frame, made))
            self._ops += _size(made)
            while self._ops > self._most:
                gone = self._bodies.pop(next(iter(self._bodies)))
                self._ops -= sum(_size(x) for _, x in gone)
        return made


def _size(made: Body | Unmodelled) -> int:
    return 100 + (len(made.ops) if isinstance(made, Body) else 0)  # a frame counts as well


_MADE = _Made(200_000)


def _is_same(frame: Frame, other: Frame) -> bool:
    """Whether two frames say the same of the same code."""
    return replace(frame, program=other.program) == other and is_same_code(frame.program, other.program)


def _elaborated(frame: Frame, iteration: Iteration) -> Body | Unmodelled:
    elaborator = Elaborator(frame, [*iteration.before, *iteration.after], iteration.body, iteration.control)
    try:
        if iteration.before:
            elaborator.run([], {})
            elaborator.guarded(iteration.before, "first")
        for shift in iteration.shifts:
            elaborator.run(iteration.body, dict(shift))
        if iteration.after:
            elaborator.guarded(iteration.after, "last")
    except Unmodelled as stop:
        return stop.with_traceback(None)
    return elaborator.finish()


class Elaborator(OpenLoops):
    """Runs statements symbolically; :meth:`run` per unrolled copy, then :meth:`finish`."""

    def __init__(
        self, frame: Frame, before: Sequence[c.Stmt], statements: Sequence[c.Stmt], control: Control | None = None
    ) -> None:
        """``before``: statements of flattened parents; what they declare lives on in later iterations.

        ``control``: of a loop that data may end.
        """
        ends = control.statements if control is not None else ()
        modified = folding.modified([*before, *statements, *ends]) | folding.declared(before)
        own = (v for v in folding.declared(statements) if frame.program.variable(v).storage != "static")
        super().__init__(frame, frozenset(own), modified)
        self.control = control
        self.inside = 0  # unrolled loops that the current statement stands in
        self.copies = 0

    # ------------------------------------------------------------------------------ driving

    def run(self, statements: Sequence[c.Stmt], shift: Mapping[str, int]) -> None:
        """Elaborate one copy of the body, its own iterators moved by ``shift``."""
        self.shift = dict(shift)
        for loop in self.frame.own:
            info = self.frame.analysis.loops[loop]
            if info.variable is not None and info.iterator is not None:
                moved = shift.get(info.iterator, 0)
                value = self.make("index", 32, (), 0, ("iterator", info.iterator, moved), info.iterator)
                self.env[info.variable] = value
                self.forms[value] = Affine.of({info.iterator: 1}, moved)
                span = spans.of_loop(info)
                if span is not None:
                    self.spans[value] = (span[0] + moved, span[1] + moved)
        control = self.control
        if control is not None and not control.tests_after:
            self._test(control.test)
        self._statements(statements)
        self._drop("continue")
        if control is not None and control.step is not None:
            self.value(control.step)
        if control is not None and control.tests_after:
            self._test(control.test)

    def _test(self, test: c.Expr | None) -> None:
        """The loop's own test, as far as it is not decided."""
        value = self.value(test) if test is not None else None
        if value is not None and value not in self.constants:
            self._leaves(value, self.program.line(test.at) if test is not None else 0)

    def _leaves(self, test: int, line: int) -> None:
        """Data decides here whether this iteration is the last."""
        made = self.make("wire", 1, (test, *self.guards), line, ("exit", len(self.body.exits)), "exit test")
        self.body.live.add(made)
        self.body.exits.append((made, self.position))

    def guarded(self, statements: Sequence[c.Stmt], when: Literal["first", "last"]) -> None:
        """Elaborate statements that run in the first or last iteration of the inner loop only."""
        before = dict(self.env)
        condition = self.make("index", 1, (), 0, (when,), f"{when} iteration")
        with self._arm(self._branch(condition, when), 0, condition):
            self._statements(statements)
        self._merge(condition, before, dict(self.env), before, 0)

    def finish(self) -> Body:
        """Close the iteration: values that the next one starts from."""
        self.whole_words()
        for key, phi in self.phis.items():
            value = self.env.get(key, phi)  # read on a path that leaves, and only there: unchanged on the others
            if value != phi:
                self.body.carried.append(Carried(phi, value, self._key_name(key), True))
        self.ranges.split(self.body.ops, self.spans)
        self.body.sliced = frozenset(self.ranges.sliced(self.body.carried, self.spans))
        for key, value in self.env.items():
            variable = key if isinstance(key, int) else key[0]
            local = variable in self.declared and variable not in self.frame.outliving
            if (variable in self.modified or variable in self.declared) and not local:
                self.body.live.add(value)
        return self.body

    # --------------------------------------------------------------------------- statements

    def _statements(self, statements: Sequence[c.Stmt]) -> str | None:
        for stmt in statements:
            signal = self._statement(stmt)
            if signal is not None:
                return signal
        return None

    def _statement(self, stmt: c.Stmt) -> str | None:
        match stmt:
            case c.Block():
                return self._statements(stmt.body)
            case c.ExprStmt():
                self.value(stmt.expr)
            case c.Declare():
                self._declare(stmt)
            case c.If():
                return self._if(stmt)
            case c.Loop():
                self._loop(stmt)
            case c.Switch():
                self._switch(stmt)
            case c.Return():
                if stmt.value is not None:
                    self.body.live.add(self.value(stmt.value))
                return "return"
            case c.Jump(kind="goto"):
                raise Unmodelled("goto is not modelled", self.program.line(stmt.at))
            case c.Jump():
                return stmt.kind
            case c.Case() | c.Label() | c.PragmaMark():
                pass
        return None

    def _declare(self, stmt: c.Declare) -> None:
        for ident in stmt.variables:
            variable = self.program.variable(ident)
            if variable.init is None and variable.storage != "static":
                for key in [k for k in self.env if k == ident or (isinstance(k, tuple) and k[0] == ident)]:
                    del self.env[key]  # of an earlier copy of the loop around
            if variable.init is None or variable.storage == "static":
                continue
            if isinstance(variable.type, c.StructType) and isinstance(variable.init, c.InitList):
                self.env[ident] = self._built((variable.init,), self.program.line(variable.at))
                continue
            if isinstance(variable.init, c.InitList) or isinstance(variable.type, c.ArrayType):
                if not variable.const and ident not in self.frame.tables:
                    self._initialise(variable, variable.init)
                continue
            if isinstance(variable.type, c.PointerType):
                continue  # a use that is understood has been made an access of the array it points to
            line = self.program.line(variable.at)
            if isinstance(variable.type, c.OtherType) and isinstance(variable.init.type, c.StreamType):
                raise Unmodelled(f"what {variable.name} does with its stream is not known", line)
            self.env[ident] = self._convert(self.value(variable.init), variable.init.type, variable.type, line)
            self.bind(ident, self.env[ident])

    def _initialise(self, variable: c.Variable, init: c.InitList | c.Expr) -> None:
        """Registers that start from zero in each iteration: a store per element."""
        line = self.program.line(variable.at)
        extents, kind = variable.dims, variable.type
        items = init.items if isinstance(init, c.InitList) else None
        zero = items is not None and all(isinstance(x, c.Const) and not x.value and not where for where, x in items)
        known = zero and None not in extents and isinstance(kind, c.ArrayType)
        if not known or variable.id not in self.frame.registers or self.frame.uneven:
            raise Unmodelled(f"{variable.name} is initialised in each iteration", line)
        value = self.constant(0.0 if isinstance(kind, c.ArrayType) and folding.is_float(kind.element) else 0)
        for place in product(*(range(n or 0) for n in extents)):
            index = tuple(Affine.of({}, n) for n in place)
            location = Location(variable.id, -1, ("affine", index), index, None, (), self.frame.domain)
            self.store(location, value, line)

    def _if(self, stmt: c.If) -> str | None:
        test = self.value(stmt.test)
        if test in self.constants:
            chosen = stmt.then if self.constants[test] else stmt.other
            return None if chosen is None else self._statements(chosen.body)
        instance, before, first = self._branch(test), dict(self.env), len(self.body.ops)
        with self._arm(instance, 0, test):
            left = self._statements(stmt.then.body)
        after_then, self.env = self.env, dict(before)
        right = None
        if stmt.other is not None:
            with self._arm(instance, 1, test):
                right = self._statements(stmt.other.body)
        if left is None and right is None:
            self._merge(test, before, after_then, self.env, self.program.line(stmt.at))
            if stmt.other is not None:
                self._join(test, instance, first, self.program.line(stmt.at))
            return None
        if left is not None and right is not None:
            return left
        if self.control is not None and (
            (left or right) == "return" or ((left or right) == "break" and not self.inside)
        ):
            self._leaves(test, self.program.line(stmt.at))
        # one arm leaves: what follows runs under the other
        self.pending.append((left or right or "", self.branch, self.guards))
        if left is None:
            self.env = after_then
        self.branch = (*self.branch, (instance, 0 if left is None else 1))
        self.guards = (*self.guards, test)
        return None

    def _loop(self, loop: c.Loop) -> None:
        """Run a loop that is unrolled completely."""
        line = self.program.line(loop.at)
        info = self.frame.analysis.loops.get(loop.id)
        name = info.iterator if info is not None else None
        if loop.init is not None:
            self._statement(loop.init)
        if info is not None and self._is_open(loop, info):
            self._stand_in(loop, info, line)
            return
        first, since, turns = loop.kind == "do", len(self.pending), 0
        while True:
            if not first:
                if loop.test is None:
                    raise Unmodelled(f"{loop.name} has no test and must be unrolled", line)
                if not self._goes_on(loop, loop.test, turns):
                    break
            first, turns = False, turns + 1
            self.copies += 1
            if self.copies > MAX_COPIES:
                text = f"more than {MAX_COPIES} copies after unrolling {loop.name}"
                raise Unmodelled(text, line, len(self.body.ops))
            if name is not None and info is not None and info.variable is not None:
                number = self.constants.get(self.env.get(info.variable, -1))
                if number is None:
                    self.fixed.pop(name, None)
                else:
                    self.fixed[name] = int(number)
            self.inside += 1
            signal = self._statements(loop.body.body)
            self.inside -= 1
            self._drop("continue", since)
            if signal in ("break", "return"):
                break
            if loop.step is not None:
                self.value(loop.step)
            if loop.kind == "do" and loop.test is not None:
                if not self._goes_on(loop, loop.test, turns):
                    break
                first = True
        self._drop("break", since)
        if name is not None:
            self.fixed.pop(name, None)

    def _goes_on(self, loop: c.Loop, test: c.Expr, turns: int) -> bool:
        """The test of a loop that is written out, after so many iterations."""
        value = self.value(test)
        if value not in self.constants:
            info = self.frame.analysis.loops.get(loop.id)
            trip = None if info is None else info.trip_count.exact
            if info is not None and trip is not None and self.env.get(info.variable or -1) in self.constants:
                return turns < trip  # an argument that every call gives the same value
            line = self.program.line(loop.at)
            raise Unmodelled(f"{loop.name} (line {line}) {NOT_CONSTANT}", line)
        return bool(self.constants[value])

    def _switch(self, stmt: c.Switch) -> None:
        test = self.value(stmt.test)
        cases: list[list[c.Stmt]] = []
        for item in stmt.body.body:
            if isinstance(item, c.Case):
                if not cases or cases[-1]:
                    cases.append([])
            elif cases:
                cases[-1].append(item)
        instance = self._branch(test, "switch")
        before = dict(self.env)
        for arm, statements in enumerate(cases):
            after, self.env = self.env, dict(before)
            with self._arm(instance, arm, test):
                self._statements(statements)
            self._merge(test, before, self.env, after, self.program.line(stmt.at))
