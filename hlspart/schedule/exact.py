"""A schedule at a given II by integer programming (HiGHS, the ``exact`` extra), or the proof that there is none.

Start states are integers; an operation that needs a port or a unit also has a binary variable per
slot. Chaining: a path of operations longer than the period must not lie within one state (J. Cong,
Z. Zhang, "An efficient and versatile scheduling algorithm based on SDC formulation", DAC 2006).
Limits count operations and nodes of the search, never time: equal input, equal result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import highspy  # type: ignore[import-not-found,import-untyped,unused-ignore]

from hlspart.schedule.problem import EPSILON, Problem, Schedule, is_handed_on, topological
from hlspart.schedule.recurrence import incoming_of
from hlspart.schedule.solver import quiet_model

MAX_BINARIES = 240
MAX_WORK = 60 * MAX_BINARIES  # nodes times binary variables: smaller problems are searched further
METHOD = "integer programming"


def fits(problem: Problem, ii: int) -> bool:
    """Whether the problem is small enough to be solved exactly at ``ii``."""
    if any(is_handed_on(problem, edge) for edge in problem.graph.edges):
        return False  # chains over the end of an iteration are no linear constraints
    return _binaries(problem, ii) <= MAX_BINARIES and len(problem.graph.ops) <= MAX_BINARIES


def _binaries(problem: Problem, ii: int) -> int:
    return ii * len(set(problem.ports) | {op for op, t in problem.timing.items() if t.unit in problem.limited})


def schedule_at(problem: Problem, ii: int) -> Schedule | bool:
    """A schedule at ``ii``, of least depth if the search ends in time; False: there is none, True: not decided.

    A search that heeds no depth finds slots more often; what it finds is moved together. Where it finds none,
    no search for the least depth follows.
    """
    schedule = _Model(problem, ii).solve(anyhow=True)
    least = _Model(problem, ii).solve() if isinstance(schedule, Schedule) else schedule
    return schedule if least is True else least


class _Model:
    def __init__(self, problem: Problem, ii: int) -> None:
        self.problem, self.ii = problem, ii
        self.highs: Any = quiet_model()
        for option, value in (
            ("threads", 1),
            ("random_seed", 1),
            ("mip_max_nodes", MAX_WORK // max(1, _binaries(problem, ii))),
            ("mip_abs_gap", 0.5),
            ("presolve", "off"),  # HiGHS 1.15.1: with it, "optimal" schedules deeper than others found
        ):
            self.highs.setOptionValue(option, value)
        last = sum(t.states for t in problem.timing.values()) + sum(e.gap or 0 for e in problem.graph.edges)
        last += ii * (len(problem.ports) + 1)
        self.start = {op: self.highs.addIntegral(lb=0, ub=last) for op in problem.graph.ops}
        self.depth = self.highs.addVariable(lb=0, ub=2 * last, obj=1.0)
        self.slot: dict[int, list[Any]] = {}

    def solve(self, anyhow: bool = False) -> Schedule | bool:
        """See :func:`schedule_at`; ``anyhow``: slots of any schedule first, its depth after that."""
        problem, highs, start = self.problem, self.highs, self.start
        for edge in problem.graph.edges:
            if edge.source == edge.sink:
                if problem.gap(edge) > self.ii * edge.distance:
                    return False
                continue
            highs.addConstr(start[edge.sink] - start[edge.source] >= problem.gap(edge) - self.ii * edge.distance)
        for source, sink, wait in long_chains(problem):
            highs.addConstr(start[sink] - start[source] >= wait)
        for op, timing in problem.timing.items():
            highs.addConstr(self.depth - start[op] >= timing.states)
        self._ports()
        self._units()
        highs.changeColCost(self.depth.index, float(not anyhow))
        highs.run()
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return False
        if status != highspy.HighsModelStatus.kOptimal and not self._has_solution():
            return True
        values = highs.getSolution().col_value
        if anyhow:
            for variable in (x for slots in self.slot.values() for x in slots):
                highs.changeColBounds(variable.index, round(values[variable.index]), round(values[variable.index]))
            highs.changeColCost(self.depth.index, 1.0)
            highs.run()
            values = highs.getSolution().col_value if self._has_solution() else values
        start_times = {op: round(values[variable.index]) for op, variable in start.items()}
        first = min(start_times.values(), default=0)
        start_times = {op: t - first for op, t in start_times.items()}
        depth = max((start_times[op] + problem.timing[op].states for op in start_times), default=0)
        counts = problem.counts()
        units = {unit: problem.limited.get(unit, n) for unit, n in counts.items()}
        return Schedule(self.ii, start_times, offsets(problem, start_times), units, depth, METHOD)

    def _has_solution(self) -> bool:
        """Whether the search ended early with a schedule, not shown to be of least depth."""
        return bool(self.highs.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible)

    def _slots(self, op: int) -> list[Any]:
        """A binary variable per slot: whether the operation starts in it."""
        if op not in self.slot:
            made = [self.highs.addBinary() for _ in range(self.ii)]
            round_ = self.highs.addIntegral(lb=0)
            self.highs.addConstr(sum(made, start=0 * made[0]) == 1)
            total = sum((s * x for s, x in enumerate(made)), start=0 * made[0])
            self.highs.addConstr(self.start[op] - total - self.ii * round_ == 0)
            self.slot[op] = made
        return self.slot[op]

    def _ports(self) -> None:
        by_bank: dict[str, list[int]] = defaultdict(list)
        for op, use in self.problem.ports.items():
            for bank in use.banks:
                by_bank[bank].append(op)
        done = set()
        for bank, ops in by_bank.items():
            ports = self.problem.limits[bank]
            if (tuple(ops), ports) in done:
                continue
            done.add((tuple(ops), ports))
            reads = [op for op in ops if self.problem.ports[op].read]
            writes = [op for op in ops if not self.problem.ports[op].read]
            for members, limit in ((reads, ports.reads), (writes, ports.writes), (ops, ports.total)):
                if limit is not None and len(members) > limit:
                    for slot in range(self.ii):
                        self.highs.addConstr(
                            self._most([(op, self.problem.ports[op].branch) for op in members], slot) <= limit
                        )

    def _most(self, members: Sequence[tuple[int, tuple[tuple[int, int], ...]]], slot: int) -> Any:
        """Most accesses in a slot that run in one iteration: of the arms of each branch the fullest."""
        terms = [self._slots(op)[slot] for op, branch in members if not branch]
        arms: dict[int, dict[int, list[tuple[int, tuple[tuple[int, int], ...]]]]] = {}
        for op, branch in members:
            if branch:
                arms.setdefault(branch[0][0], {}).setdefault(branch[0][1], []).append((op, branch[1:]))
        for by_arm in arms.values():
            most = self.highs.addVariable(lb=0)
            for rest in by_arm.values():
                self.highs.addConstr(most - self._most(rest, slot) >= 0)
            terms.append(most)
        return sum(terms[1:], start=1 * terms[0])

    def _units(self) -> None:
        for unit, limit in self.problem.limited.items():
            members = [op for op, t in self.problem.timing.items() if t.unit == unit]
            if len(members) > limit:
                for slot in range(self.ii):
                    terms = [self._slots(op)[slot] for op in members]
                    self.highs.addConstr(sum(terms[1:], start=1 * terms[0]) <= limit)


def long_chains(problem: Problem) -> list[tuple[int, int, int]]:
    """(first, last, states) of paths that do not fit a period: how much later ``last`` must start at least."""
    incoming = incoming_of([e for e in problem.graph.edges if e.gap is None and e.distance == 0])
    ready: dict[int, dict[int, float]] = {}  # ns at which a chain that began with the key reaches an operation
    chains = []
    for op in topological(problem.graph):
        timing, arrivals = problem.timing[op], dict[int, float]()
        for edge in incoming.get(op, ()):
            source = problem.timing[edge.source]
            begun = {edge.source: source.out_ns if source.states > 1 else source.in_ns}
            if source.states == 1:
                begun |= {first: ns + source.in_ns for first, ns in ready.get(edge.source, {}).items()}
            for first, ns in begun.items():
                if ns + timing.in_ns > problem.period + EPSILON:
                    chains.append((first, op, problem.timing[first].states))
                else:
                    arrivals[first] = max(arrivals.get(first, 0.0), ns)
        ready[op] = arrivals
    return chains


def offsets(problem: Problem, start: Mapping[int, int]) -> dict[int, float]:
    """When in its state each operation starts, in ns."""
    incoming = incoming_of([e for e in problem.graph.edges if e.gap is None and e.distance == 0])
    out: dict[int, float] = {}
    for op in topological(problem.graph):
        out[op] = max(_arrivals(problem, start, out, op, (e.source for e in incoming.get(op, ()))), default=0.0)
    return out


def _arrivals(
    problem: Problem, start: Mapping[int, int], out: Mapping[int, float], op: int, sources: Iterable[int]
) -> list[float]:
    arrivals = []
    for source in sources:
        timing = problem.timing[source]
        if start[source] + timing.states - 1 == start[op]:
            arrivals.append(out[source] + timing.in_ns if timing.states == 1 else timing.out_ns)
    return arrivals
