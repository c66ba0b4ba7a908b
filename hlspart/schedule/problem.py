"""What a modulo schedule must obey, and what it is: timing, ports, units; shared by scheduler and checker."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from hlspart.lowering.graph import Edge, Graph
from hlspart.model.ports import Ports

EPSILON = 1e-9


class Timing(Struct, frozen=True):
    """Timing of one operation at the target: states, and ns used in its first and last state.

    ``unit`` names the kind of unit it runs on when units are shared, else None. ``is_full``: its last state leaves no
    time to write what the next iteration reads. ``least``/``most``: states that it may take; 0: ``states``.
    """

    states: int
    in_ns: float
    out_ns: float
    unit: str | None = None
    is_full: bool = False
    least: int = 0
    most: int = 0


class PortUse(Struct, frozen=True):
    """The banks (names of resources) that an operation occupies in its first state.

    ``branch``: arms it stands in, as (branch, arm); operations in different arms of one never meet.
    """

    banks: tuple[str, ...]
    read: bool
    branch: tuple[tuple[int, int], ...] = ()


class Wait(NamedTuple):
    """An order with what follows from the timing of its ends: the sink starts ``states`` later, and ``ns`` into that.

    ``chained``: ns of a source whose value is handed on within a state, behind the source's own offset, to a sink of
    ``sink_ns`` where the rest of the period suffices. ``gap``: see :meth:`Problem.gap`.
    """

    source: int
    sink: int
    distance: int
    gap: int
    states: int
    ns: float
    chained: float | None
    sink_ns: float
    edge: Edge


class Problem(Struct, frozen=True, eq=False, dict=True):
    """What a schedule must obey; shared by the scheduler and its checker.

    Problems are equal when nothing that a schedule depends on differs: where the operations stand in the text and what
    banks are called does not.
    """

    graph: Graph
    timing: Mapping[int, Timing]
    ports: Mapping[int, PortUse]
    limits: Mapping[str, Ports]  # by bank name
    period: float
    limited: Mapping[str, int]  # units that ALLOCATION limits
    handing_ns: float = math.inf  # of handing on, in its last state, a sum that a condition sets anew

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for equal problems: banks go by the order in which operations name them."""
        banks: dict[str, int] = {}
        uses = tuple(
            (op, tuple(banks.setdefault(b, len(banks)) for b in use.banks), use.read, use.branch)
            for op, use in self.ports.items()
        )
        kinds = tuple((op.id, op.kind) for op in self.graph.ops.values())
        orders = tuple((e.source, e.sink, e.distance, e.gap, e.scalar) for e in self.graph.edges)
        limits = tuple(self.limits[name] for name in banks)
        timing, limited = tuple(self.timing.items()), tuple(sorted(self.limited.items()))
        return kinds, orders, timing, uses, limits, self.period, limited, self.handing_ns

    @cached_property
    def waits(self) -> tuple[Wait, ...]:
        """The orders, ready to be counted with."""
        return self.along(self.graph.edges)

    @cached_property
    def all_waits(self) -> Waits:
        """The orders by operation."""
        return Waits(self)

    @cached_property
    def lean(self) -> Problem:
        """The same without what other limits imply, at any II: orders, and banks that serve the same accesses.

        Of banks with the same accesses and ports one is left: they are full in the same slots.
        """
        served: dict[str, list[int]] = defaultdict(list)
        for op, use in self.ports.items():
            for bank in use.banks:
                served[bank].append(op)
        left = {(tuple(ops), self.limits[bank]): bank for bank, ops in served.items()}
        if len(left) == len(served) and self.graph.lean is self.graph:
            return self
        kept = set(left.values())
        ports = {op: replace(use, banks=tuple(b for b in use.banks if b in kept)) for op, use in self.ports.items()}
        return replace(self, graph=self.graph.lean, ports=ports if len(left) < len(served) else self.ports)

    @cached_property
    def either(self) -> frozenset[int]:
        """Accesses in an arm of a branch that has accesses in another arm, too."""
        arms: dict[int, set[int]] = {}
        for use in self.ports.values():
            for instance, arm in use.branch:
                arms.setdefault(instance, set()).add(arm)
        split = {instance for instance, seen in arms.items() if len(seen) > 1}
        return frozenset(op for op, use in self.ports.items() if any(x in split for x, _ in use.branch))

    def along(self, path: Iterable[Edge]) -> tuple[Wait, ...]:
        """The same for some orders."""
        return tuple(_wait(self, edge) for edge in path)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.key == other.key

    def counts(self) -> dict[str, int]:
        """Operations per kind of shared unit."""
        out: dict[str, int] = defaultdict(int)
        for timing in self.timing.values():
            if timing.unit is not None:
                out[timing.unit] += 1
        return dict(out)

    def gap(self, edge: Edge) -> int:
        """Least number of states from the start of an edge's source to that of its sink."""
        if edge.gap is not None:
            return edge.gap
        source, sink = self.timing[edge.source], self.timing[edge.sink]
        if edge.distance and edge.source == edge.sink and source.states > 1:
            return source.states - (not source.is_full)  # an accumulator hands its sum on in its last state
        if edge.scalar and min(source.states, sink.states) == 1:
            if source.states == 1 and source.in_ns + sink.in_ns > self.period + EPSILON:
                return 1
            return source.states - (not source.is_full)
        if edge.distance and self.graph.ops[edge.sink].kind == "select" and source.states > 1 and not source.is_full:
            whole = source.out_ns + sink.in_ns + self.handing_ns  # a sum that a condition sets anew
            return source.states - (whole <= self.period + EPSILON)
        if edge.distance or source.out_ns + sink.in_ns > self.period + EPSILON:
            return source.states
        return source.states - 1


class Schedule(Struct, frozen=True):
    """Start state of every operation, the II, units in use, and the number of states of an iteration.

    ``least``: every smaller II from the bound on was shown to have no schedule; ``skipped``: some were not tried.
    ``placements``: how often an operation was given a state until this was found.
    """

    ii: int
    start: Mapping[int, int]
    offset: Mapping[int, float]
    units: Mapping[str, int]
    depth: int
    method: str
    least: bool = True
    skipped: bool = False
    placements: int = 0


def allowed(wait: Wait, period: float, state: int, offset: float, ii: int) -> tuple[int, float]:
    """Earliest (state, ns) of the sink of a wait whose source starts at ``state`` with ``offset``."""
    if wait.chained is None:
        return state + wait.states - ii * wait.distance, wait.ns
    ready = offset + wait.chained
    if ready + wait.sink_ns > period + EPSILON:
        return state + 1 - ii * wait.distance, 0.0
    return state - ii * wait.distance, ready


def _wait(problem: Problem, edge: Edge) -> Wait:
    gap, (states, ns, chained) = problem.gap(edge), _following(problem, edge)
    sink_ns = problem.timing[edge.sink].in_ns
    return Wait(edge.source, edge.sink, edge.distance, gap, states, ns, chained, sink_ns, edge)


def _following(problem: Problem, edge: Edge) -> tuple[int, float, float | None]:
    """States and ns behind the start of an edge's source, or the ns that it adds to its own."""
    if edge.gap is not None:
        return edge.gap, 0.0, None
    source, sink = problem.timing[edge.source], problem.timing[edge.sink]
    if edge.distance and not is_handed_on(problem, edge):
        return problem.gap(edge), 0.0, None
    if source.states == 1:
        return 0, 0.0, source.in_ns
    if source.out_ns + sink.in_ns > problem.period + EPSILON:
        return source.states, 0.0, None
    return source.states - 1, source.out_ns, None


def is_handed_on(problem: Problem, edge: Edge) -> bool:
    """Whether a carried scalar may be used in the state that makes it, as part of one chain of one-state operations.

    What an operation of several states takes or makes crosses the end of an iteration without a delay of its own
    (reports of conditional sums); :meth:`Problem.gap` says when.
    """
    states = (problem.timing[edge.source].states, problem.timing[edge.sink].states)
    return edge.gap is None and edge.distance > 0 and edge.scalar and states == (1, 1)


Incoming = tuple[int, int, int, Edge, Wait | None]


class Waits:
    """What each operation of a problem waits for, whatever the II.

    ``incoming``: by operation (source, states from its start on, distance, edge, and the wait of a value that is handed
    on within a state); of several orders of fixed gaps behind one source those that some II may need. ``sinks``: what
    waits for it.
    ``limit``: no start is later unless a recurrence forbids the II. ``within``: the operations that are looked at.
    """

    def __init__(self, problem: Problem, within: Set[int] | None = None) -> None:
        self.problem = problem
        self.order = [op for op in topological(problem.graph) if within is None or op in within]
        edges = problem.graph.edges
        self.limit = sum(t.states for t in problem.timing.values()) + sum(e.gap or 0 for e in edges) + 1
        self.sinks: dict[int, set[int]] = defaultdict(set)
        self.incoming: dict[int, list[Incoming]] = defaultdict(list)
        inside = edges if within is None else [e for e in edges if e.source in within and e.sink in within]
        met: dict[tuple[int, int], dict[int, int]] = {}  # least gaps of two operations' orders by distance, if fixed
        for edge in inside:
            if edge.gap is not None:
                gaps = met.setdefault((edge.source, edge.sink), {})
                gaps[edge.distance] = max(gaps.get(edge.distance, edge.gap), edge.gap)
        for edge in inside:
            source, sink, distance, gap = edge.source, edge.sink, edge.distance, edge.gap
            self.sinks[source].add(sink)
            if gap is None:
                wait = _wait(problem, edge)
                handed = not distance or is_handed_on(problem, edge)
                self.incoming[sink].append((source, wait.gap, distance, edge, wait if handed else None))
            elif all(g < gap if d < distance else d > distance or g == gap for d, g in met[source, sink].items()):
                self.incoming[sink].append((source, gap, distance, edge, None))


def topological(graph: Graph) -> list[int]:
    """Operations in an order that the edges inside an iteration respect, else by id."""
    outgoing: dict[int, list[int]] = defaultdict(list)
    waiting: dict[int, int] = dict.fromkeys(graph.ops, 0)
    for edge in graph.edges:
        if edge.distance == 0:
            outgoing[edge.source].append(edge.sink)
            waiting[edge.sink] += 1
    ready = sorted((op for op, n in waiting.items() if n == 0), reverse=True)
    order = []
    while ready:
        op = ready.pop()
        order.append(op)
        for sink in outgoing[op]:
            waiting[sink] -= 1
            if waiting[sink] == 0:
                ready.append(sink)
    return order if len(order) == len(waiting) else sorted(waiting)
