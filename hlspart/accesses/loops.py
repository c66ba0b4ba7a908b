"""Loops: induction, proved by walking the body; domains, trip counts, values after the loop.

Induction is proved, not recognised: a loop is walked with a guess (``v`` grows by ``c`` in each
iteration, or returns at a bound), and the guess stands only if the walk of the body ends with exactly
that. Otherwise the loop is walked again with ``v`` unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from hlspart.accesses import algebra
from hlspart.accesses.algebra import Pointer, Unknown
from hlspart.accesses.counted import CountedLoops
from hlspart.accesses.induction import (
    Counted,
    Course,
    InductionFrame,
    acts,
    course,
    growth,
    increments,
    most_iterations,
)
from hlspart.accesses.scope import State, Stored
from hlspart.model.access import Affine, Bounds, LoopInfo
from hlspart.model.program import (
    Expr,
    Function,
    Loop,
    PointerType,
    Program,
    ScalarType,
    Stmt,
)
from hlspart.semantics.conversions import limits
from hlspart.semantics.effects import Effects, leaves_early, returns_within

_MAX_TRIALS = 4


class Loops(CountedLoops):
    """The loop part of the walk."""

    def __init__(
        self, program: Program, effects: Effects, function: Function, fixed: Mapping[int, tuple[int, ...]]
    ) -> None:
        super().__init__(program, effects, function, fixed)
        self.function = function
        self.infos: dict[int, LoopInfo] = {}
        self.frames: list[InductionFrame] = []
        self.bodies: list[isl.Set] = []  # domain at the start of each loop body around

    def stmt(self, stmt: Stmt, st: State) -> None:
        """Execute one statement (the walker does)."""
        raise NotImplementedError

    def gather(self, st: State, ends: Sequence[State], at: Stmt) -> None:
        """Continue after several ends (the walker does)."""
        raise NotImplementedError

    def loop(self, loop: Loop, st: State) -> None:
        """A loop of any kind."""
        if loop.init is not None:
            self.stmt(loop.init, st)
        modified = set(self._modified(loop))
        guess = self._guess(loop, st, modified)
        while True:
            mark = len(self.accesses), self._order, dict(self.infos)
            wrong = self._attempt(loop, st, modified, guess)
            if not wrong:
                return
            del self.accesses[mark[0] :]
            self._order, self.infos = mark[1], mark[2]
            for ident in wrong:
                del guess[ident]

    def _modified(self, loop: Loop) -> frozenset[int]:
        modified = self.effects.modified(loop.body)
        for expr in (loop.test, loop.step):
            if expr is not None:
                modified |= self.effects.assigned_in(expr)
        return modified

    def _guess(self, loop: Loop, st: State, modified: set[int]) -> dict[int, Course]:
        """How each variable may move per iteration; to be proved by the walk."""
        guess: dict[int, Course] = {}
        in_body = self.effects.modified(loop.body)
        for ident, change in increments(loop.step, self, st).items():
            if ident not in in_body and (loop.test is None or ident not in self.effects.assigned_in(loop.test)):
                guess[ident] = Course(change)
        moving = self.effects.stepped(loop) | self.effects.returning(loop)
        rest = [v for v in modified - guess.keys() if self._follows(self.program.variable(v)) and v in moving]
        if rest and self.trial < _MAX_TRIALS:
            guess |= self._try(loop, st, modified, rest, guess)
        return guess

    def _try(
        self, loop: Loop, st: State, modified: set[int], rest: list[int], known: dict[int, Course]
    ) -> dict[int, Course]:
        """Walk the body once from symbolic values and see by how much they have grown."""
        inside = st.copy()
        start: dict[int, Stored] = {}
        symbols = {f"_{v}_{self.trial}": v for v in rest}
        for ident in modified:
            variable = self.program.variable(ident)
            if ident in rest or ident in known:
                old = self.lookup(variable, st)
                name = f"_{ident}_{self.trial}"
                form = Affine(((name, 1),), 0)
                span = limits(variable.type) if ident in rest else None
                if span is not None and span[1] > 1:  # none of them moves past the bounds of its type
                    inside.dom = inside.dom.intersect(algebra.between(name, span[0] + 1, span[1] - 1))
                if isinstance(old, Pointer):
                    start[ident] = Pointer(old.array, (*old.indices[:-1], form))
                elif isinstance(variable.type, PointerType):
                    start[ident] = old
                else:
                    start[ident] = form
            else:
                start[ident] = self.unknown("changes", loop.at)
            inside.env[ident] = start[ident]
        mark = len(self.accesses), self._order, dict(self.infos), dict(self._branches)
        entered = inside.dom
        self.trial += 1
        frame = InductionFrame(loop)
        self.frames.append(frame)
        if loop.test is not None:
            self.value(loop.test, inside)
        self.bodies.append(inside.dom)
        self._body(loop, inside, frame)
        self.bodies.pop()
        self.frames.pop()
        self.trial -= 1
        del self.accesses[mark[0] :]
        self._order, self.infos, self._branches = mark[1], mark[2], mark[3]
        courses: dict[int, Course] = {}
        for ident in rest if inside.alive else ():
            end = self.lookup(self.program.variable(ident), inside)
            change = growth(start[ident], end)
            moves = Course(change) if change is not None else course(f"_{ident}_{self.trial}", end, entered, symbols)
            if moves is not None:
                courses[ident] = moves
        return {
            v: c for v, c in courses.items() if c.after is None or (c.after in courses and courses[c.after].modulus)
        }

    def _body(self, loop: Loop, inside: State, frame: InductionFrame) -> None:
        """Walk the body and the step; ``inside`` is then the state at the end of the iteration."""
        entered = inside.dom
        self.stmt(loop.body, inside)
        if frame.continues:
            ends = ([inside.copy()] if inside.alive else []) + frame.continues
            inside.dom = entered
            self.gather(inside, ends, loop)
            inside.alive = True
        if loop.step is not None:
            self.value(loop.step, inside)

    def _attempt(self, loop: Loop, st: State, modified: set[int], guess: dict[int, Course]) -> set[int]:
        """Walk the loop under ``guess``; the variables for which it proved wrong."""
        line = self.program.line(loop.at)
        first = len(self.accesses)
        counted = self._counted(loop, st, modified, guess)
        inside, start = st.copy(), {}
        for ident in modified:
            variable = self.program.variable(ident)
            if isinstance(counted, Counted) and ident in guess:
                start[ident] = self._entry(variable, st, counted, guess)
            elif isinstance(variable.type, (ScalarType, PointerType)):
                start[ident] = self.unknown(f"`{variable.name}` changes from iteration to iteration", loop.header)
            else:
                continue
            inside.env[ident] = start[ident]
        outer_loops, outer_iterators, outer_facts = self.loops, self.iterators, self.facts
        self.loops = (*outer_loops, loop.id)
        if isinstance(counted, Counted):
            self.iterators = (*outer_iterators, counted.name)
            inside.dom, inside.exact = counted.dom, st.exact and counted.exact
            self.facts = self.facts.intersect(counted.facts)
        else:
            inside.exact = False
        if loop.test is not None and loop.kind != "do" and (isinstance(counted, Unknown) or acts(loop.test)):
            self._test(loop.test, inside, counted)
        frame = InductionFrame(loop)
        self.frames.append(frame)
        self.bodies.append(inside.dom)
        self._body(loop, inside, frame)
        if loop.kind == "do" and loop.test is not None:
            self.condition(loop.test, inside)
        self.bodies.pop()
        self.frames.pop()
        self.loops, self.iterators, self.facts = outer_loops, outer_iterators, outer_facts
        if isinstance(counted, Counted) and inside.alive:
            wrong = {
                ident
                for ident in guess
                if ident in start and not self._as_guessed(st, start[ident], inside, ident, counted, guess)
            }
            if wrong:
                return wrong
        completed = inside.dom if inside.alive else inside.dom.subtract(inside.dom)
        self._after(loop, st, modified, guess, counted, first, line, completed)
        return set()

    def _test(self, test: Expr, inside: State, counted: Counted | Unknown) -> None:
        """Evaluate the test of a loop at the start of an iteration: its accesses and side effects.

        It is evaluated at the first iteration and after each one, so once more than the body.
        """
        first = len(self.accesses)
        if isinstance(counted, Counted):
            done = algebra.to_dims(counted.dom, (counted.name,))
            again = algebra.from_dim(done.apply(isl.Map(f"{{ [x] -> [x + {counted.step}] }}")), counted.name)
            begin = algebra.zero(algebra.sub(Affine(((counted.name, 1),), 0), counted.start))
            always = inside.copy()
            always.dom = counted.reach.intersect(begin.union(again)).coalesce()
            self.condition(test, always)
            self._silently(test, inside)
        else:
            inside.dom = inside.dom.intersect(self.condition(test, inside).true)
        for access in self.accesses[first:]:
            access.exact = False

    def _silently(self, test: Expr, st: State) -> None:
        """Side effects of a test whose accesses are noted elsewhere."""
        mark = len(self.accesses), self._order
        self.condition(test, st)
        del self.accesses[mark[0] :]
        self._order = mark[1]

    def _after(
        self, loop: Loop, st: State, modified: set[int], guess: dict[int, Course], counted: Counted | Unknown,
        first: int, line: int, completed: isl.Set,
    ) -> None:  # fmt: skip
        """State after the loop, its LoopInfo, and what early exits do to the accesses inside.

        ``completed`` holds all iterations that may come to their end.
        """
        exits = leaves_early(loop)
        trips = Bounds(None, None)
        complete = isinstance(counted, Counted) and counted.exact and not exits
        if isinstance(counted, Counted) and not self.trial:
            trips = self._trip_bounds(loop, counted, st, complete)
            if exits:
                highs = (trips.max, most_iterations(counted, completed))
                trips = Bounds(trips.min, min((h for h in highs if h is not None), default=None))
        elif not self.trial and loop.id in self._limits:
            trips = Bounds(*self._limits[loop.id])
        for ident in modified:
            variable = self.program.variable(ident)
            if not isinstance(variable.type, (ScalarType, PointerType)):
                continue
            if isinstance(counted, Counted) and complete and ident in guess:
                st.env[ident] = self._leaving(variable, st.copy(), counted, guess, loop)
            else:
                st.env[ident] = self.unknown(f"`{variable.name}` changes in a loop before", loop.header)
        if loop.test is not None and loop.kind != "do" and self.effects.assigned_in(loop.test):
            self._silently(loop.test, st)
        if exits or not isinstance(counted, Counted):
            for access in self.accesses[first:]:
                access.exact = False
        st.left = st.left or returns_within(loop.body)
        what = (loop.id, loop.name, loop.function, line)
        if isinstance(counted, Unknown):
            info = LoopInfo(*what, None, None, None, None, trips, exits, counted.reason)
        else:
            start = counted.start if isinstance(counted.start, Affine) else None
            leaves = exits or not counted.exact
            info = LoopInfo(*what, counted.name, counted.variable.id, start, counted.step, trips, leaves)
        self.infos[loop.id] = info
