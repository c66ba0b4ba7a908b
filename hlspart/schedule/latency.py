"""Latency of loops that are not pipelined and of functions, in cycles: parts in sequence.

A lower-level figure is used for a higher one: a plain loop takes its trip count times the states of
its body plus the loops inside; a function the sum over its statements; unknown parts make the sum unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from hlspart.model import program as c
from hlspart.model.access import Bounds
from hlspart.model.program import Program
from hlspart.model.results import LoopResult
from hlspart.schedule import depths
from hlspart.schedule.loops import LoopModel, cautious
from hlspart.schedule.modulo import modulo_schedule
from hlspart.schedule.nests import Nest
from hlspart.targets import Target

NOTHING = Bounds(0, 0)


def pipelined_latency(trip: int | None, ii: int, depth: int) -> int | None:
    """Cycles of a pipelined loop as csynth counts them: states of one iteration less one, but at least its II."""
    if trip is None:
        return None
    return (trip - 1) * ii + max(depth - 1, ii) if trip else 0


class Latencies:
    """Latencies of all loops and functions, from what is known of pipelined loops and plain bodies."""

    def __init__(
        self, program: Program, loops: Sequence[LoopResult], target: Target, waiting: Collection[str] = ()
    ) -> None:
        """``waiting``: functions with m_axi accesses, whose requests and responses take states that are not known."""
        self.program, self.target, self.waiting = program, target, waiting
        self._index = {x.loop: k for k, x in enumerate(loops) if x.loop >= 0}
        self._whole = {x.function: x for x in loops if x.loop < 0}
        self.loops = list(loops)
        self._functions: dict[str, Bounds] = {}
        self._overlapped = {(d.function, d.loop) for d in program.directives if d.kind == "dataflow" and d.usable}
        for name in program.functions:
            self.of(name)

    @staticmethod
    def body_depth(model: LoopModel, nest: Nest) -> int:
        """States of the statements of a plain loop's body that stand in no inner loop.

        The first tests whether the loop goes on; a module of an inner loop starts in the last state ahead
        of it. What stands behind an inner loop starts in the state that ends it. Raises :class:`depths.Unknown`.
        """
        modules = {nest.loop for nest in model.nests.all() if nest.pipelined} if model.target.outlined_loops else set()
        segments: list[tuple[list[c.Stmt], int]] = [([], 0)]  # statements, shared states
        for stmt in nest.body:
            inside = [s for s in c.walk_statements(stmt) if isinstance(s, c.Loop)]
            if not inside:
                segments[-1][0].append(stmt)
                continue
            segments[-1] = (segments[-1][0], segments[-1][1] + any(x in modules for x in inside))
            segments.append(([], 1))
        total = 0
        for number, (segment, shared) in enumerate(segments):
            depth = Latencies._states(model, nest, segment) if segment else 0
            total += max(0, (depth if number else max(1, depth)) - shared)
        return total

    @staticmethod
    def _states(model: LoopModel, nest: Nest, segment: list[c.Stmt]) -> int:
        """States of statements in sequence."""
        item = model.elaborate(nest, segment)
        problem, estimated = model.problem(item)
        problem = cautious(item, problem)
        if not problem.graph.ops:
            return 0
        problem = replace(problem, graph=replace(problem.graph, edges=_inside(problem.graph.edges)))
        wide = sum(t.states for t in problem.timing.values()) + sum(e.gap or 0 for e in problem.graph.edges) + 1
        if why := depths.unknown(problem, estimated, model.storage, wide):
            raise depths.Unknown(why)
        schedule = modulo_schedule(problem, wide, wide, 1)
        return schedule.depth if schedule is not None else 0

    def of(self, function: str) -> Bounds:
        """Latency of a function; unknown while it calls itself."""
        if function not in self._functions:
            self._functions[function] = Bounds(None, None)
            whole = self._whole.get(function)
            if function in self.waiting:
                self._sequence(self.program.functions[function].body.body)  # the loops in it
            elif whole is not None:
                self._functions[function] = Bounds(whole.depth, whole.depth)
            else:
                body = self.program.functions[function].body.body
                together = self._parallel if (function, None) in self._overlapped else self._sequence
                self._functions[function] = together(body)
        return self._functions[function]

    def _sequence(self, statements: Iterable[c.Stmt]) -> Bounds:
        total = NOTHING
        for stmt in statements:
            total = _sum(total, self._statement(stmt))
        return total

    def _parallel(self, statements: Iterable[c.Stmt]) -> Bounds:
        """Processes of a DATAFLOW region: the longest one."""
        longest = NOTHING
        for stmt in statements:
            found = self._statement(stmt)
            longest = Bounds(
                None if longest.min is None or found.min is None else max(longest.min, found.min),
                None if longest.max is None or found.max is None else max(longest.max, found.max),
            )
        return longest

    def _statement(self, stmt: c.Stmt) -> Bounds:
        match stmt:
            case c.Block():
                return self._sequence(stmt.body)
            case c.If():
                then = self._sequence(stmt.then.body)
                other = self._sequence(stmt.other.body) if stmt.other is not None else NOTHING
                return _either(then, other)
            case c.Loop():
                return self._loop(stmt)
            case c.Switch():
                return _either(NOTHING, self._sequence(stmt.body.body))
        total = NOTHING
        for root in c.expressions(stmt):
            for expr in c.walk(root):
                if isinstance(expr, c.Call) and expr.function and expr.function in self.program.functions:
                    total = _sum(total, self.of(expr.function))
        return total

    def _loop(self, loop: c.Loop) -> Bounds:
        at = self._index.get(loop.id)
        if at is None:  # flattened into or unrolled with another loop
            return self._sequence(loop.body.body)
        known = self.loops[at]
        if known.pipelined:
            # a pipeline has a state ahead and one behind; as a module it is started and awaited in two more
            around = 4 if self.target.outlined_loops else 2
            return _sum(known.latency, Bounds(around, around))
        overlapped = (known.function, loop.id) in self._overlapped
        inner = self._parallel(loop.body.body) if overlapped else self._sequence(loop.body.body)
        once = _sum(inner, Bounds(known.depth, known.depth))
        trip = known.trip_count
        total = Bounds(
            None if trip.min is None or once.min is None else trip.min * once.min,
            None if trip.max is None or once.max is None else trip.max * once.max,
        )
        depth = once.exact if inner != NOTHING else known.depth
        self.loops[at] = replace(known, latency=total, depth=depth)
        return _sum(total, Bounds(1, 1))  # the test that ends it


def _inside(edges: Sequence[object]) -> tuple:  # type: ignore[type-arg]
    return tuple(e for e in edges if getattr(e, "distance", 0) == 0)


def _sum(a: Bounds, b: Bounds) -> Bounds:
    return Bounds(
        None if a.min is None or b.min is None else a.min + b.min,
        None if a.max is None or b.max is None else a.max + b.max,
    )


def _either(a: Bounds, b: Bounds) -> Bounds:
    return Bounds(
        None if a.min is None or b.min is None else min(a.min, b.min),
        None if a.max is None or b.max is None else max(a.max, b.max),
    )
