"""A schedule at a given II by integer programming (HiGHS, the ``exact`` extra), or the proof that there is none.

Start states are integers; an operation that needs a port or a unit also has a binary variable per
slot. Chaining: a path of operations longer than the period must not lie within one state (J. Cong,
Z. Zhang, "An efficient and versatile scheduling algorithm based on SDC formulation", DAC 2006).
Limits count operations and nodes of the search, never time: equal input, equal result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import highspy  # type: ignore[import-not-found,import-untyped,unused-ignore]

from hlspart.model.answers import Answers
from hlspart.schedule.problem import EPSILON, Problem, Schedule, is_handed_on, topological
from hlspart.schedule.recurrence import incoming_of
from hlspart.schedule.solver import quiet_model

MAX_BINARIES = 240
MAX_WORK = 60 * MAX_BINARIES  # nodes times binary variables: smaller problems are searched further
METHOD = "integer programming"

Order = tuple[int, int, int]  # a source, a sink, and how many states later the sink starts at least
Slots = Mapping[int, int]  # of the operations that need ports or units

_SLOTS: Answers[Slots | bool] = Answers(1024)  # by what they follow from, operations numbered as they come


def fits(problem: Problem, ii: int) -> bool:
    """Whether the problem is small enough to be solved exactly at ``ii``."""
    if any(is_handed_on(problem, edge) for edge in problem.graph.edges):
        return False  # chains over the end of an iteration are no linear constraints
    return _binaries(problem, ii) <= MAX_BINARIES and len(problem.graph.ops) <= MAX_BINARIES


def _binaries(problem: Problem, ii: int) -> int:
    return ii * len(set(problem.ports) | {op for op, t in problem.timing.items() if t.unit in problem.limited})


def schedule_at(problem: Problem, ii: int) -> Schedule | bool:
    """A schedule at ``ii``, of least depth if the search ends in time; False: there is none, True: not decided.

    Slots of any schedule come first: they are found more often. Where there are none, no search for the least depth
    follows.
    """
    if any(problem.gap(e) > ii * e.distance for e in problem.graph.edges if e.source == e.sink):
        return False
    orders = _orders(problem, ii)
    slots = _slots(problem, ii, orders)
    if isinstance(slots, bool):
        return slots
    some = _schedule(problem, ii, _starts(problem, ii, orders, slots))
    least = _Model(problem, ii, problem.graph.ops, orders).least_depth(some.depth)
    return some if least is None else _schedule(problem, ii, least)


def _orders(problem: Problem, ii: int) -> list[Order]:
    """What schedules at ``ii`` must obey but for ports and units, and what an operation hands on to itself."""
    edges = (e for e in problem.graph.edges if e.source != e.sink)
    return [*((e.source, e.sink, problem.gap(e) - ii * e.distance) for e in edges), *long_chains(problem)]


def _slots(problem: Problem, ii: int, orders: Sequence[Order]) -> Slots | bool:
    """Slots that some schedule has; False: there is none, True: not decided.

    Only orders inside strong components matter: what is behind a component may start any number of iterations later,
    in the same slots. The model follows from what the answer is kept by, so that it is the same whoever asks first.
    """
    parts = problem.graph.components
    inside = sorted(x for x in orders if x[0] in parts and parts[x[0]] == parts.get(x[1]))
    within = sorted({op for source, sink, _ in inside for op in (source, sink)})
    asked = sorted({*within, *problem.ports, *(op for op, t in problem.timing.items() if t.unit in problem.limited)})
    number = {op: k for k, op in enumerate(asked)}
    banks, arms = dict[str, int](), dict[int, int]()
    uses = tuple(
        (
            number[op],
            tuple(banks.setdefault(b, len(banks)) for b in use.banks),
            use.read,
            tuple((arms.setdefault(instance, len(arms)), arm) for instance, arm in use.branch),
        )
        for op, use in problem.ports.items()
    )
    units = tuple((number[op], t.unit) for op, t in problem.timing.items() if t.unit in problem.limited)
    waits = tuple((number[source], number[sink], states) for source, sink, states in inside)
    limits = tuple(problem.limits[bank] for bank in banks), tuple(sorted(problem.limited.items()))

    def solved() -> Slots | bool:
        slots = _Model(problem, ii, within, inside).slots()
        return slots if isinstance(slots, bool) else {number[op]: slot for op, slot in slots.items()}

    slots = _SLOTS.of((ii, waits, uses, units, limits), solved)
    return slots if isinstance(slots, bool) else {asked[k]: slot for k, slot in slots.items()}


def _starts(problem: Problem, ii: int, orders: Sequence[Order], slots: Slots) -> dict[int, int]:
    """The first starts that obey the orders, in slots that some schedule has."""
    start = {op: slots.get(op, 0) for op in problem.graph.ops}
    raised = True
    while raised:
        raised = False
        for source, sink, states in orders:
            need = start[source] + states
            if start[sink] < need:
                start[sink] = need + ((slots[sink] - need) % ii if sink in slots else 0)
                raised = True
    return start


def _schedule(problem: Problem, ii: int, starts: Mapping[int, int]) -> Schedule:
    first = min(starts.values(), default=0)
    starts = {op: t - first for op, t in starts.items()}
    depth = max((starts[op] + problem.timing[op].states for op in starts), default=0)
    units = {unit: problem.limited.get(unit, n) for unit, n in problem.counts().items()}
    return Schedule(ii, starts, offsets(problem, starts), units, depth, METHOD)


class _Model:
    """Starts of operations that have ``orders`` among each other, and the slots of all that need ports or units."""

    def __init__(self, problem: Problem, ii: int, within: Collection[int], orders: Sequence[Order]) -> None:
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
        # no path is longer, and each operation on it may wait for its slot
        last = sum(max(0, states) for _, _, states in orders) + _binaries(problem, ii) + ii
        self.start = {op: self.highs.addIntegral(lb=0, ub=last) for op in within}
        self.slot: dict[int, list[Any]] = {}
        for source, sink, states in orders:
            self.highs.addConstr(self.start[sink] - self.start[source] >= states)
        self._ports()
        self._units()

    def slots(self) -> Slots | bool:
        """Slots of the operations that need them; False: there are none, True: not decided."""
        if not self.start and not self.slot:
            return {}
        for made in list(self.slot.values())[:1]:  # a schedule may begin in any slot
            self.highs.changeColBounds(made[0].index, 1.0, 1.0)
        self.highs.run()
        if self.highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return False
        if not self._has_solution():
            return True
        values = self.highs.getSolution().col_value
        return {op: next(s for s, x in enumerate(made) if values[x.index] > 0.5) for op, made in self.slot.items()}

    def least_depth(self, most: int) -> dict[int, int] | None:
        """Starts of a schedule of at most ``most`` states, the fewest if the search ends in time; None: not known."""
        depth = self.highs.addVariable(lb=0, ub=most, obj=1.0)
        for op, timing in self.problem.timing.items():
            self.highs.addConstr(depth - self.start[op] >= timing.states)
        self.highs.run()
        if not self._has_solution():
            return None
        values = self.highs.getSolution().col_value
        return {op: round(values[variable.index]) for op, variable in self.start.items()}

    def _has_solution(self) -> bool:
        """Whether the search ended with a schedule, though it may not be shown to be of least depth."""
        return bool(self.highs.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible)

    def _slots(self, op: int) -> list[Any]:
        """A binary variable per slot: whether the operation starts in it."""
        if op not in self.slot:
            made = [self.highs.addBinary() for _ in range(self.ii)]
            self.highs.addConstr(sum(made, start=0 * made[0]) == 1)
            if op in self.start:
                round_ = self.highs.addIntegral(lb=0)
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
