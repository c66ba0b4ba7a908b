"""The scheduler against all schedules of small problems, and against integer programming."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys

import pytest
from msgspec.structs import replace

from hlspart.lowering.graph import Edge, Graph, Op
from hlspart.model.ports import Ports
from hlspart.schedule.confirm import faults
from hlspart.schedule.modulo import modulo_schedule
from hlspart.schedule.problem import PortUse, Problem, Schedule, Timing
from hlspart.schedule.recurrence import recurrence_ii

PERIOD = 7.3
TIMINGS = (Timing(1, 3.0, 3.0), Timing(1, 1.0, 1.0), Timing(2, 0.0, 1.2), Timing(3, 4.2, 6.4))
ARMS = ((), (), ((1, 0),), ((1, 1),))


def make(seed: int, most: int) -> Problem:
    """Chains and cycles over two memories, some accesses in opposite arms."""
    pick = random.Random(seed)
    n = pick.randint(3, most)
    edges = []
    for sink in range(1, n):
        for source in pick.sample(range(sink), pick.randint(0, min(2, sink))):
            gap = pick.choice((None, None, 1, 2))
            edges.append(Edge(source, sink, 0, gap, "data" if gap is None else "memory", "v"))
    for _ in range(pick.randint(0, 2)):
        edges.append(
            Edge(pick.randrange(n), pick.randrange(n), pick.randint(1, 2), pick.choice((None, 1)), "memory", "c")
        )
    ports = {
        op: PortUse((pick.choice("mk"),), pick.random() < 0.5, pick.choice(ARMS))
        for op in range(n)
        if pick.random() < 0.7
    }
    ops = {i: Op(i, "op", 32, (), 1) for i in range(n)}
    timing = {i: pick.choice(TIMINGS) for i in range(n)}
    return Problem(Graph(ops, tuple(edges)), timing, ports, {"m": Ports(total=1), "k": Ports(1, 1)}, PERIOD, {})


def waits(problem: Problem) -> list[tuple[int, int, int, int]]:
    """(source, sink, states, distance) of all orders, chains of three operations included."""
    found = [(e.source, e.sink, problem.gap(e), e.distance) for e in problem.graph.edges]
    links = [e for e in problem.graph.edges if e.gap is None and not e.distance]
    paths = [[e.source, e.sink] for e in links]
    while paths:
        longer = []
        for path in paths:
            first, *middle, last = (problem.timing[op] for op in path)
            inside = sum(t.in_ns for t in middle)
            start = first.out_ns if first.states > 1 else first.in_ns
            if start + inside + last.in_ns > problem.period + 1e-9:
                found.append((path[0], path[-1], first.states, 0))
            elif last.states == 1:
                longer += [[*path, e.sink] for e in links if e.source == path[-1]]
        paths = longer
    return found


def possible(problem: Problem, ii: int) -> bool:
    """Whether any choice of slots has a schedule: ports by counting, orders by longest paths."""
    ops, orders = list(problem.graph.ops), waits(problem)
    for slots in itertools.product(range(ii), repeat=len(ops)):
        if all(serves(problem, [op for op in problem.ports if slots[op] == s]) for s in range(ii)):
            start = list(slots)
            for _ in range(len(ops) * (ii + 12)):
                late = [(a, b, w - ii * d) for a, b, w, d in orders if start[b] - start[a] < w - ii * d]
                if not late:
                    return True
                a, b, need = late[0]
                start[b] += -(-(start[a] + need - start[b]) // ii) * ii
                if start[b] > 40 * ii:
                    break
    return False


def serves(problem: Problem, ops: list[int]) -> bool:
    """Whether the ports serve these accesses in one cycle, whichever arm runs."""
    for arm, bank in itertools.product((0, 1), "mk"):
        uses = [problem.ports[op] for op in ops if problem.ports[op].banks == (bank,)]
        run = [u for u in uses if all(a == arm for _, a in u.branch)]
        reads = sum(u.read for u in run)
        if problem.limits[bank].interval(reads, len(run) - reads) > 1:
            return False
    return True


@pytest.mark.parametrize("seed", range(24))
def test_the_ii_is_that_of_all_schedules(seed):
    problem = make(seed, 5)
    low = recurrence_ii(problem)
    if low is None:
        return
    found = modulo_schedule(problem, low, 12)
    assert found is not None and faults(problem, found) == []
    assert found.ii == next(ii for ii in itertools.count(low) if possible(problem, ii))


@pytest.mark.parametrize("seed", range(100, 110))
def test_integer_programming_agrees(seed):
    exact = pytest.importorskip("hlspart.schedule.exact")
    problem = make(seed, 12)
    low = recurrence_ii(problem)
    if low is None:
        return
    found = modulo_schedule(problem, low, 12)
    assert found is not None
    if found.ii > 1:
        assert exact.schedule_at(problem, found.ii - 1) is False
    best = exact.schedule_at(problem, found.ii)
    assert isinstance(best, Schedule) and faults(problem, best) == []
    assert best.depth <= found.depth


@pytest.mark.parametrize("seed", range(200, 224))
def test_integer_programming_decides_each_ii_as_all_schedules_do(seed):
    exact = pytest.importorskip("hlspart.schedule.exact")
    problem = make(seed, 5)
    for ii in (ii for ii in range(1, 4) if exact.fits(problem, ii)):
        schedule = exact.schedule_at(problem, ii)
        assert isinstance(schedule, Schedule) == possible(problem, ii)
        assert schedule is False or faults(problem, schedule) == []


@pytest.mark.parametrize("seed", range(300, 316))
def test_a_unit_that_allocation_limits_is_like_a_port_of_its_own(seed):
    exact = pytest.importorskip("hlspart.schedule.exact")
    problem = make(seed, 9)
    on_unit = [op for op in problem.graph.ops if op not in problem.ports]
    timing = {op: replace(t, unit="u") if op in on_unit else t for op, t in problem.timing.items()}
    limited = replace(problem, timing=timing, limited={"u": 1})
    ports = dict(problem.ports) | {op: PortUse(("u",), True) for op in on_unit}
    alike = replace(problem, ports=ports, limits=dict(problem.limits) | {"u": Ports(total=1)})
    for ii in (ii for ii in range(1, 6) if exact.fits(problem, ii)):
        one, other = exact.schedule_at(limited, ii), exact.schedule_at(alike, ii)
        assert isinstance(one, Schedule) == isinstance(other, Schedule) and True not in (one, other)
        if isinstance(one, Schedule):
            assert faults(limited, one) == [] and one.depth == other.depth


def test_operations_behind_a_recurrence_are_no_matter_to_its_ii():
    """Two rings of three loads of one memory with one port, each in one round of five cycles: six loads do not fit.

    What follows each ring, which a search for starts has to place, leaves the answer as it is.
    """
    exact = pytest.importorskip("hlspart.schedule.exact")
    load, add = Timing(2, 0.0, 1.2), Timing(1, 3.0, 3.0)
    for behind in (0, 24):
        ops = {i: Op(i, "op", 32, (), 1) for i in range(6 + behind)}
        edges = [Edge(3 * r + k, 3 * r + (k + 1) % 3, k == 2, 1, "memory", "m") for r in (0, 1) for k in range(3)]
        edges += [Edge(k % 6 if k < 12 else k - 6, k, 0, None, "data", "v") for k in range(6, 6 + behind)]
        timing = {i: load if i < 6 else add for i in ops}
        ports = {i: PortUse(("m",), True) for i in range(6)}
        problem = Problem(Graph(ops, tuple(edges)), timing, ports, {"m": Ports(total=1)}, PERIOD, {})
        assert exact.schedule_at(problem, 5) is False
        six = exact.schedule_at(problem, 6)
        assert isinstance(six, Schedule) and faults(problem, six) == []


@pytest.mark.parametrize(("operations", "ii"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_a_scalar_handed_on_brings_its_delay_along(operations, ii):
    """A ring of operations of 3 ns, two in a period: the value of one round is the start of the next."""
    ops = {i: Op(i, "op", 32, (), 1) for i in range(operations)}
    edges = [Edge(k, k + 1, 0, None, "data", "s") for k in range(operations - 1)]
    edges.append(Edge(operations - 1, 0, 1, None, "data", "s", scalar=True))
    timing = dict.fromkeys(ops, Timing(1, 3.0, 3.0))
    problem = Problem(Graph(ops, tuple(edges)), timing, {}, {}, PERIOD, {})
    assert recurrence_ii(problem) == ii
    found = modulo_schedule(problem, 1, 12)
    assert found is not None and found.ii == ii and faults(problem, found) == []


def test_the_solver_prints_nothing() -> None:
    pytest.importorskip("highspy")
    text = """
from hlspart.schedule.solver import quiet_model
for _ in range(2):
    model = quiet_model()
    model.addVariable(lb=0, ub=1, obj=1.0)
    model.run()
print(model.getInfo().objective_function_value)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "0.0\n"
