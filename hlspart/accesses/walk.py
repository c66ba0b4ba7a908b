"""Symbolic walk over one function: which iterations reach each statement, and with which values."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from hlspart.accesses import algebra
from hlspart.accesses.algebra import NOWHERE, UNIVERSE, Unknown, Value
from hlspart.accesses.calls import CallResults
from hlspart.accesses.induction import InductionFrame
from hlspart.accesses.scope import Condition, State, Stored, split
from hlspart.model.access import Bounds, LoopInfo
from hlspart.model.program import (
    Block,
    Case,
    Const,
    Declare,
    Expr,
    ExprStmt,
    If,
    Jump,
    Label,
    Loop,
    PointerType,
    Return,
    ScalarType,
    Stmt,
    Switch,
    Variable,
    substatements,
)
from hlspart.semantics.effects import returns_within


class Walker(CallResults):
    """Walks one function; results are in ``accesses`` and ``infos``."""

    def run(self) -> None:
        """Walk the whole function."""
        for ident in self.function.params:  # first: they keep their plain names
            variable = self.program.variable(ident)
            numbers = self.fixed.get(ident, ())
            if self.effects.is_tracked(variable) and len(numbers) != 1:
                name = self.name_of(variable)
                self.called = self.called.intersect(algebra.among(name, numbers)) if numbers else self.called
        self.assumed = self.assumed.intersect(self.called)
        state = State({}, UNIVERSE)
        self.stmt(self.function.body, state)
        if self.targets:  # a jump backwards may repeat or skip anything
            for access in self.accesses:
                access.exact = False

    def is_assigned_once(self, variable: Variable) -> bool:
        count = self.effects.assignments.get(variable.id, 0) + (variable.init is not None)
        return count <= 1 and variable.function == self.function.name and self.effects.is_tracked_pointer(variable)

    def effects_of(self, expr: Expr) -> frozenset[int]:
        return self.effects.assigned_in(expr)

    # ------------------------------------------------------------------------------ statements

    def stmt(self, stmt: Stmt, st: State) -> None:
        """Execute one statement on ``st``."""
        match stmt:
            case Block(body=body):
                for sub in body:
                    self.stmt(sub, st)
            case ExprStmt(expr=expr):
                self.value(expr, st)
            case Declare(variables=variables):
                for ident in variables:
                    self.declare(self.program.variable(ident), st)
            case If():
                self.branch(stmt, st)
            case Loop(kind="do", test=Const(value=0)):
                self._once(stmt, st)
            case Loop():
                self.loop(stmt, st)
            case Switch():
                self.switch(stmt, st)
            case Return(value=value):
                self.returned(value, st)
                self._end(st)
            case Jump(kind=kind):
                self.jump(kind, st)
            case Label(name=name):
                if name in self.targets:
                    self._forget_all(st)
            case Case():  # below another statement than the body of its switch
                self._forget_all(st)

    def declare(self, variable: Variable, st: State) -> None:
        """Effect of reaching a declaration."""
        if variable.storage == "static":
            return
        init = variable.init
        if isinstance(variable.type, PointerType):
            if init is None:
                place: Stored = self.unknown(f"`{variable.name}` does not point to an array yet", variable.at)
            else:
                place = self.pointer_to(variable, init, st)
            st.env[variable.id] = place
        elif init is not None:
            value = self.value(init, st)
            if isinstance(variable.type, ScalarType):
                self.store(variable, value, init.type, st, init)
        elif isinstance(variable.type, ScalarType):
            st.env[variable.id] = self.unknown(f"`{variable.name}` has no value yet", variable.at)

    def _end(self, st: State) -> None:
        st.alive = False
        st.dom = NOWHERE

    def _forget_all(self, st: State) -> None:
        """At a place that may be reached from elsewhere: nothing is known but the loops around it."""
        st.alive, st.exact = True, False
        st.dom = self.bodies[-1] if self.bodies else UNIVERSE
        for ident in self.effects.modified(self.function.body):
            variable = self.program.variable(ident)
            if isinstance(variable.type, (ScalarType, PointerType)):
                st.env[ident] = self.unknown(f"`{variable.name}` is assigned before a jump", variable.at)

    def branch(self, stmt: If, st: State) -> None:
        """``if``/``else``."""
        number = self.branch_id(stmt)
        test = self.condition(stmt.test, st)
        affine = test.why is None
        one, two = st.within(test.true, affine), st.within(test.false, affine)
        entered = one.dom, two.dom
        one.branch, two.branch = (*st.branch, (number, 0)), (*st.branch, (number, 1))
        self.stmt(stmt.then, one)
        if stmt.other is not None:
            self.stmt(stmt.other, two)
        self._meet(st, one, two, test, entered)

    def _meet(self, st: State, one: State, two: State, test: Condition, entered: tuple[isl.Set, isl.Set]) -> None:
        """Continue after two arms."""
        if one.alive and two.alive and (one.dom, two.dom) == entered:
            self.join(st, one, two, test)
            return
        self.join(st, one, two, test)
        if one.alive and two.alive:
            st.dom, st.exact = one.dom.union(two.dom).coalesce(), one.exact and two.exact
        elif one.alive or two.alive:
            rest = one if one.alive else two
            st.dom, st.exact = rest.dom, rest.exact
            st.left = rest.left or test.why is not None
        else:
            self._end(st)

    def jump(self, kind: str, st: State) -> None:
        """``break``, ``continue``, ``goto``."""
        if kind == "break" and self.frames:
            self.frames[-1].breaks.append(st.copy())
        elif kind == "continue":
            for frame in reversed(self.frames):
                if frame.loop is not None:
                    frame.continues.append(st.copy())
                    break
        self._end(st)

    def _once(self, loop: Loop, st: State) -> None:
        """``do { .. } while (0)``: a block that break and continue may leave."""
        whole, frame, outer = (st.dom, st.exact, st.left), InductionFrame(loop), self.loops
        self.frames.append(frame)
        self.bodies.append(st.dom)
        self.loops = (*outer, loop.id)
        self.stmt(loop.body, st)
        self.loops = outer
        self.bodies.pop()
        self.frames.pop()
        if frame.breaks or frame.continues:
            self.gather(st, [*([st.copy()] if st.alive else []), *frame.breaks, *frame.continues], loop)
            st.alive = True
            if not returns_within(loop.body):
                st.dom, st.exact, st.left = whole
        line = self.program.line(loop.at)
        self.infos[loop.id] = LoopInfo(loop.id, loop.name, loop.function, line, None, None, None, None, Bounds(1, 1))

    def switch(self, stmt: Switch, st: State) -> None:
        """A switch whose cases stand directly in its body; others forget what they know at each case."""
        number = self.branch_id(stmt)
        value = self.value(stmt.test, st)
        frame = InductionFrame(None)
        self.frames.append(frame)
        entry, here = st.copy(), st.copy()
        self._end(here)
        others, arm, has_default = [c for c in stmt.body.body if isinstance(c, Case)], -1, False
        matched = [self._selects(c, value) for c in others]
        unsure = any(m is not None and m.why is not None for m in matched)
        taken = UNIVERSE if unsure else _union([m.true for m in matched if m is not None])
        for sub in stmt.body.body:
            if not isinstance(sub, Case):
                self.stmt(sub, here)
                continue
            arm += 1
            where = matched[arm]
            if where is None:  # default
                has_default = True
                why = next((m.why for m in matched if m is not None and m.why is not None), None)
                where = Condition(taken.complement() if why is None else UNIVERSE, taken, why)
            came = entry.within(where.true, where.why is None)
            came.branch = (*st.branch, (number, arm))
            if here.alive:  # falls through from the case above
                both = Condition(UNIVERSE, UNIVERSE, self.unknown("cases of a switch meet", sub.at))
                dom, exact = here.dom.union(came.dom).coalesce(), here.exact and came.exact
                self.join(came, here, came.copy(), both)
                came.dom, came.exact = dom, exact
                came.branch = st.branch
            here = came
        self.frames.pop()
        ends = [here] if here.alive else []
        ends += frame.breaks
        if not has_default:
            ends.append(entry.within(UNIVERSE if unsure else taken.complement(), not unsure))
        whole = st.dom, st.exact, st.left
        self.gather(st, ends, stmt)
        if st.alive and not _jumps_out(stmt):
            st.dom, st.exact, st.left = whole
        elif unsure:
            st.left = True

    def _selects(self, case: Case, value: Value) -> Condition | None:
        """Where a case is selected; None for default."""
        if case.low is None:
            return None
        nothing = State({}, UNIVERSE)
        low = self.value(case.low, nothing)
        high = low if case.high is None else self.value(case.high, nothing)
        for unknown in (value, low, high):
            if isinstance(unknown, Unknown):
                return Condition(UNIVERSE, UNIVERSE, unknown)
        assert not isinstance(value, Unknown) and not isinstance(low, Unknown) and not isinstance(high, Unknown)
        above, below = algebra.sub(value, low), algebra.sub(high, value)
        assert not isinstance(above, Unknown) and not isinstance(below, Unknown)
        one, two = split("ge", above), split("ge", below)
        return Condition(one.true.intersect(two.true), one.false.union(two.false))

    def gather(self, st: State, ends: Sequence[State], at: Stmt) -> None:
        """Continue after several ends; where they differ nothing is known."""
        if not ends:
            self._end(st)
            return
        unclear = Condition(UNIVERSE, UNIVERSE, self.unknown("several paths meet here", at.at))
        total = ends[0].copy()
        for end in ends[1:]:
            dom, exact = total.dom.union(end.dom), total.exact and end.exact
            self.join(total, total.copy(), end, unclear)
            total.dom, total.exact = dom, exact
        st.env, st.exact, st.left = total.env, total.exact, total.left
        covered = total.dom.coalesce()
        st.dom = st.dom if st.dom.is_subset(covered) else covered


def _union(sets: Sequence[isl.Set]) -> isl.Set:
    """What is in any of many sets: half of them at a time, as neighbours often make one."""
    if len(sets) < 2:
        return sets[0] if sets else isl.Set("{ : 1 = 0 }")
    half = len(sets) // 2
    return _union(sets[:half]).union(_union(sets[half:])).coalesce()


def _jumps_out(switch: Switch) -> bool:
    """Whether a path through a switch may end elsewhere than behind it."""

    def search(stmt: Stmt, own_continue: bool) -> bool:
        match stmt:
            case Return() | Jump(kind="goto") | Label():
                return True
            case Jump(kind="continue"):
                return own_continue
            case Loop():
                own_continue = False
        return any(search(s, own_continue) for s in substatements(stmt))

    return search(switch.body, True)
