"""Latency of loops that are not pipelined and of functions, in cycles: parts in sequence.

A lower-level figure is used for a higher one: a plain loop takes its trip count times the states of
its body plus the loops inside; a function the sum over its statements; unknown parts make the sum unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hlspart.model import program as c
from hlspart.model.access import Bounds
from hlspart.model.program import Program
from hlspart.model.results import LoopResult
from hlspart.schedule.loops import LoopModel
from hlspart.schedule.modulo import modulo_schedule
from hlspart.schedule.nests import Nest

NOTHING = Bounds(0, 0)


class Latencies:
    """Latencies of all loops and functions, from what is known of pipelined loops and plain bodies."""

    def __init__(self, program: Program, loops: Sequence[LoopResult]) -> None:
        self.program = program
        self._index = {x.loop: k for k, x in enumerate(loops) if x.loop >= 0}
        self._whole = {x.function: x for x in loops if x.loop < 0}
        self.loops = list(loops)
        self._functions: dict[str, Bounds] = {}
        for name in program.functions:
            self.of(name)

    @staticmethod
    def body_depth(model: LoopModel, nest: Nest) -> int:
        """States of the statements of a plain loop's body that stand in no inner loop."""
        segments: list[list[c.Stmt]] = [[]]
        for stmt in nest.body:
            if any(isinstance(s, c.Loop) for s in c.walk_statements(stmt)):
                segments.append([])
            else:
                segments[-1].append(stmt)
        depth = 0
        for segment in segments:
            if not segment:
                continue
            item = model.elaborate(nest, segment)
            problem, _ = model.problem(item)
            if not problem.graph.ops:
                continue
            problem = replace(problem, graph=replace(problem.graph, edges=_inside(problem.graph.edges)))
            wide = sum(t.states for t in problem.timing.values()) + sum(e.gap or 0 for e in problem.graph.edges) + 1
            schedule = modulo_schedule(problem, wide, wide, 1)
            depth += schedule.depth if schedule is not None else 0
        return max(1, depth)

    def of(self, function: str) -> Bounds:
        """Latency of a function; unknown while it calls itself."""
        if function not in self._functions:
            self._functions[function] = Bounds(None, None)
            whole = self._whole.get(function)
            if whole is not None:
                self._functions[function] = Bounds(whole.depth, whole.depth)
            else:
                self._functions[function] = self._sequence(self.program.functions[function].body.body)
        return self._functions[function]

    def _sequence(self, statements: Iterable[c.Stmt]) -> Bounds:
        total = NOTHING
        for stmt in statements:
            total = _sum(total, self._statement(stmt))
        return total

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
            return known.latency
        inner = self._sequence(loop.body.body)
        once = _sum(inner, Bounds(known.depth, known.depth))
        trip = known.trip_count
        total = Bounds(
            None if trip.min is None or once.min is None else trip.min * once.min,
            None if trip.max is None or once.max is None else trip.max * once.max,
        )
        depth = once.exact if inner != NOTHING else known.depth
        self.loops[at] = replace(known, latency=total, depth=depth)
        return total


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
