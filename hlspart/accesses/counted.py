"""Counted loops: the value of each variable in each iteration under a guess, the domain, the number of iterations."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from hlspart.accesses import algebra
from hlspart.accesses.algebra import AFTER_OR_AT, BEFORE_OR_AT, ONE, UNIVERSE, ZERO, Known, Pointer, Unknown, Value
from hlspart.accesses.evaluate import Evaluator
from hlspart.accesses.induction import Counted, Course, conjuncts, passed
from hlspart.accesses.scope import Lazy, State, Stored, split
from hlspart.model.access import Affine, Bounds
from hlspart.model.program import (
    Binary,
    Const,
    Expr,
    Function,
    Label,
    Loop,
    Name,
    PointerType,
    Program,
    ScalarType,
    Variable,
    walk,
    walk_statements,
)
from hlspart.semantics.conversions import limits, may_wrap
from hlspart.semantics.effects import Effects, labels_used, leaves_early

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class CountedLoops(Evaluator):
    """What a loop is once it is known how its variables move."""

    def __init__(
        self, program: Program, effects: Effects, function: Function, fixed: Mapping[int, tuple[int, ...]]
    ) -> None:
        super().__init__(program, effects, fixed)
        self.targets = labels_used(function)
        self._limits: dict[int, tuple[int | None, int | None]] = {}
        for directive in program.directives:
            if directive.kind == "loop_tripcount" and directive.usable and directive.loop is not None:
                self._limits[directive.loop] = (directive.values.get("min"), directive.values.get("max"))

    def _follows(self, variable: Variable) -> bool:
        return self.effects.is_tracked(variable) or self.effects.is_tracked_pointer(variable)

    def _as_guessed(
        self, st: State, start: Stored, end: State, ident: int, counted: Counted, guess: dict[int, Course]
    ) -> bool:
        """Whether a variable ends the iteration as ``guess`` says that it starts the next one."""
        variable = self.program.variable(ident)
        now, change = self.lookup(variable, end), guess[ident].change
        if not guess[ident].steady:
            gone = self._gone(counted)
            first = self._after_moves(variable, st, algebra.sub(gone, gone), guess)
            then = self._after_moves(variable, st, algebra.add(gone, ONE), guess)
            old = self.lookup(variable, st)
            if isinstance(now, Pointer) or isinstance(old, Pointer):
                return False
            return algebra.are_equal_on(first, old, st.dom) and algebra.are_equal_on(now, then, end.dom)
        if isinstance(start, Pointer):
            if not isinstance(now, Pointer) or now.array != start.array or now.indices[:-1] != start.indices[:-1]:
                return False
            return algebra.are_equal_on(now.indices[-1], algebra.add(start.indices[-1], Affine((), change)), end.dom)
        if isinstance(now, Pointer) or isinstance(start, Unknown):
            return isinstance(start, Unknown)
        return algebra.are_equal_on(now, algebra.add(start, Affine((), change)), end.dom)

    def _after_moves(self, variable: Variable, st: State, times: Known, guess: dict[int, Course]) -> Value:
        """The value of a variable that is not steady after so many iterations from ``st``."""
        old, moves = self.lookup(variable, st), guess[variable.id]
        if moves.after is not None:
            other = self.lookup(self.program.variable(moves.after), st)
            around = guess.get(moves.after)
            if around is None or not around.modulus or isinstance(other, Pointer | Unknown):
                return self.unknown(f"`{variable.name}` moves with what is not known", variable.at)
            if around.after is not None:
                return self.unknown(f"`{variable.name}` moves with what moves with another", variable.at)
            times = around.returns(other, times)
        if isinstance(old, Pointer):
            return self.unknown(f"`{variable.name}` is a pointer", variable.at)
        return old if isinstance(old, Unknown) else moves.moved(old, times)

    @staticmethod
    def _gone(counted: Counted) -> Known:
        """Iterations before ``counted.name``."""
        gone = algebra.sub(Affine(((counted.name, 1),), 0), counted.start)
        return algebra.floor_div(algebra.scale(gone, 1 if counted.step > 0 else -1), abs(counted.step))

    def _entry(self, variable: Variable, st: State, counted: Counted, guess: dict[int, Course]) -> Stored:
        """Value at the start of iteration ``counted.name``."""
        old, change = self.lookup(variable, st), guess[variable.id].change
        if not guess[variable.id].steady:
            return self._after_moves(variable, st, self._gone(counted), guess)
        if variable.id == counted.variable.id:
            here = Affine(((counted.name, 1),), 0)
            return Pointer(old.array, (*old.indices[:-1], here)) if isinstance(old, Pointer) else here
        gone = algebra.sub(Affine(((counted.name, 1),), 0), counted.start)
        if change % counted.step == 0:
            growth = algebra.scale(gone, change // counted.step)
        else:
            sign = 1 if counted.step > 0 else -1
            distance = algebra.scale(gone, sign)
            growth = algebra.scale(algebra.floor_div(distance, abs(counted.step)), change)
        if isinstance(old, Pointer):
            return Pointer(old.array, (*old.indices[:-1], algebra.add(old.indices[-1], growth)))
        return algebra.add(old, growth)

    def _counted(self, loop: Loop, st: State, modified: set[int], guess: dict[int, Course]) -> Counted | Unknown:
        """The counted form of a loop under ``guess``, or why there is none."""
        test = loop.test
        if loop.kind == "do" and test is not None and self.effects.assigned_in(test) and passed(test) is None:
            return self.unknown("the test of the loop has side effects", test)
        tested = {e.variable for e in walk(test) if isinstance(e, Name)} if test is not None else set()
        stepped = {e.variable for e in walk(loop.step) if isinstance(e, Name)} if loop.step is not None else set()
        candidates = sorted(
            (v for v in guess if guess[v].steady and guess[v].change and self._follows(self.program.variable(v))),
            key=lambda v: (v not in tested, v not in stepped, v),
        )
        if self.targets and any(isinstance(s, Label) and s.name in self.targets for s in walk_statements(loop.body)):
            return self.unknown("a goto may enter the loop", loop.header)
        why: Unknown | None = None
        endless: Counted | None = None  # counts, but what ends the loop is not known
        for ident in candidates:
            counted = self._count_by(loop, st, modified, guess, self.program.variable(ident))
            if isinstance(counted, Unknown):
                why = why or counted
            elif counted.trips or counted.exact:
                return counted
            else:
                endless = endless or counted
        if endless is not None:
            return endless
        if why is not None:
            return why
        if escaping := sorted(self.program.variable(v).name for v in tested & self.effects.escaping):
            return self.unknown(f"`{escaping[0]}` may be changed by code that is not analysed", loop.header)
        changing = sorted(self.program.variable(v).name for v in tested & modified)
        if changing:
            return self.unknown(f"`{changing[0]}` does not grow by a constant in each iteration", loop.header)
        if test is None or isinstance(test, Const):
            return self.unknown("the loop has no test", loop.header)
        return self.unknown(f"`{self.text(test)}` tests nothing that is counted", test)

    def _count_by(
        self, loop: Loop, st: State, modified: set[int], guess: dict[int, Course], variable: Variable
    ) -> Counted | Unknown:
        """The counted form with ``variable`` as iterator."""
        start = self.lookup(variable, st)
        if isinstance(start, Pointer):
            start = start.indices[-1]
        if isinstance(start, Unknown):
            return start
        step = guess[variable.id].change
        name = self.fresh_name(variable.name)
        here = Affine(((name, 1),), 0)
        gone = algebra.scale(algebra.sub(here, start), 1 if step > 0 else -1)
        lattice = algebra.nonnegative(gone)
        if abs(step) > 1:
            lattice = lattice.intersect(algebra.zero(algebra.floor_mod(gone, abs(step))))
        reach = st.dom.intersect(lattice)
        probe = Counted(variable, name, start, step, reach, reach, UNIVERSE, (), False, 0, True, None)
        state = st.copy()
        state.dom = reach
        span = limits(variable.type)
        if span is not None:  # for proofs about the test only
            state.dom = reach.intersect(algebra.between(name, *span))
        for ident in modified:
            other = self.program.variable(ident)
            if ident in guess:
                state.env[ident] = self._entry(other, st, probe, guess)
            elif isinstance(other.type, (ScalarType, PointerType)):
                state.env[ident] = self.unknown(f"`{other.name}` changes in the loop", loop.header)
        dom, tight, facts = reach, True, UNIVERSE
        why: Unknown | None = None
        trips: list[Known] = []
        mark = len(self.accesses), self._order
        tested = reach
        if loop.kind == "do":  # the test comes after the first iteration
            tested = reach.intersect(algebra.nonnegative(algebra.sub(gone, ONE)))
        # that of a do loop is looked at from the start of the next iteration
        parts = conjuncts(passed(loop.test) if loop.kind == "do" and loop.test is not None else loop.test)
        if not parts:
            why = self.unknown("the loop has no test", loop.header)
        for part in parts:
            closing = self._closing(part, state, probe, tested, alone=len(parts) == 1)
            if isinstance(closing, Unknown):
                why = why or closing
                facts = facts.intersect(self.fact(part, state))
                continue
            where, trip = closing
            dom = dom.intersect(where)
            state.dom = state.dom.intersect(where)
            trips += [trip] if trip is not None else []
            tight = tight and trip is not None
        del self.accesses[mark[0] :]
        self._order = mark[1]
        if why is None and not trips and not algebra.to_dims(dom, (name,)).is_bounded():
            if not leaves_early(loop):
                return self.unknown("the test may never end the loop", loop.header)
            why = self.unknown("the loop has no test", loop.header)
        at_most = self._limits.get(loop.id, (None, None))[1]
        if at_most is not None and not any(algebra.constant(t) is not None for t in trips):
            room = algebra.sub(Affine((), (at_most - 1) * abs(step)), gone)
            dom = dom.intersect(algebra.nonnegative(room))
        least = 0
        if loop.kind == "do":
            dom, least = dom.union(st.dom.intersect(algebra.zero(gone))), 1
        dom = dom.coalesce()
        return Counted(variable, name, start, step, dom, reach, facts, tuple(trips), tight, least, why is None, why)

    def _closing(
        self, part: Expr, state: State, counted: Counted, tested: isl.Set, alone: bool
    ) -> tuple[isl.Set, Known | None] | Unknown:  # fmt: skip
        """Iterations before the first at which ``part`` fails, and how many that are, if it has a formula."""
        name, start, step = counted.name, counted.start, counted.step
        kind: str
        d: Known
        if isinstance(part, Binary) and part.op in _COMPARISONS:
            difference = self.difference(part, state)
            if isinstance(difference, Unknown):
                return difference
            kind, d = difference
        else:
            value = self.value(part, state)
            if isinstance(value, Unknown):
                return value
            kind, d = "ne", value
        if isinstance(d, Affine):
            slope = d.coefficient(name) * step  # change of d per iteration
            rest = Affine(tuple(t for t in d.terms if t[0] != name), d.const)
            first = algebra.add(rest, algebra.scale(start, d.coefficient(name)))
            if kind == "ge" and slope < 0:
                return algebra.nonnegative(d), algebra.floor_div(algebra.add(first, Affine((), -slope)), -slope)
            if kind == "ge" and slope == 0:
                return algebra.nonnegative(d), None
            if kind == "ne" and slope:
                ahead = first if slope < 0 else algebra.scale(first, -1)
                least = abs(slope) if tested is not counted.dom else 0
                low, _ = self.bounds(ahead, state.at(tested))
                hits = abs(slope) == 1 or algebra.are_equal_on(algebra.floor_mod(ahead, abs(slope)), ZERO, tested)
                # A signed iterator that runs past a bound of "!=" ends in undefined overflow.
                of = counted.variable.type
                undefined = alone and abs(slope) == 1 and isinstance(of, ScalarType) and not may_wrap(of)
                if hits and ((low is not None and low >= least) or undefined):
                    until = d if slope < 0 else algebra.scale(d, -1)
                    return algebra.nonnegative(algebra.sub(until, ONE)), algebra.floor_div(ahead, abs(slope))
        test = split(kind, d)
        failing = algebra.to_dims(tested.intersect(test.false), (name,))
        later = algebra.from_dim(failing.apply(AFTER_OR_AT if step > 0 else BEFORE_OR_AT), name)
        return test.true.subtract(later), None

    def _trip(self, counted: Counted) -> Known | None:
        """Number of iterations as an expression."""
        if not counted.trips or not counted.tight:
            return None
        total = counted.trips[0]
        for other in counted.trips[1:]:
            total = algebra.minimum(total, other)
        number = algebra.constant(total)
        if number is not None:
            return Affine((), max(counted.least, number))
        return algebra.maximum(total, Affine((), counted.least))

    def _trip_bounds(self, loop: Loop, counted: Counted, st: State, complete: bool) -> Bounds:
        low: int | None = None
        high: int | None = None
        if counted.trips:
            spans = [algebra.bounds(t, st.dom) for t in counted.trips]
            total = self._trip(counted) if len(spans) > 1 else None
            if total is not None:
                low, high = algebra.bounds(total, st.dom)
            elif len(spans) == 1 and counted.tight:
                low, high = spans[0]
            else:
                high = min((h for _, h in spans if h is not None), default=None)
            low = None if low is None else max(counted.least, low)
            high = None if high is None else max(counted.least, high)
        given = self._limits.get(loop.id, (None, None))
        if high is None:
            high = given[1]
            low = given[0] if given[0] is not None and (low is None or given[0] > low) else low
        low = counted.least if low is None and counted.trips else low
        if not complete:
            low = counted.least
        if low is not None and high is not None and low > high:
            low = high
        return Bounds(low, high)

    def _leaving(
        self, variable: Variable, st: State, counted: Counted, guess: dict[int, Course], loop: Loop
    ) -> Lazy:  # fmt: skip
        """Value after the loop, worked out only if somebody asks."""
        before, moves = self.lookup(variable, st), guess[variable.id]

        def final() -> Stored:
            trip = self._trip(counted)
            if trip is None:
                return self.unknown(f"`{variable.name}` has no closed form after the loop", loop.header)
            if not moves.steady:
                return self._after_moves(variable, st, trip, guess)
            growth = algebra.scale(trip, moves.change)
            if isinstance(before, Pointer):
                return Pointer(before.array, (*before.indices[:-1], algebra.add(before.indices[-1], growth)))
            return algebra.add(before, growth)

        return final
