"""Checks a schedule against its problem, independently of how it was found.

Returns what is wrong as sentences; an empty list confirms dependences, ports and units.
"""

from __future__ import annotations

from collections import Counter

from hlspart.schedule.problem import Problem, Schedule


def faults(problem: Problem, schedule: Schedule) -> list[str]:
    """All violations of ``problem`` by ``schedule``."""
    out: list[str] = []
    start, ii = schedule.start, schedule.ii
    if set(start) != set(problem.graph.ops):
        return ["not every operation is scheduled"]
    for edge in problem.graph.edges:
        waited = start[edge.sink] + ii * edge.distance - start[edge.source]
        if waited < problem.gap(edge):
            out.append(f"operation {edge.sink} starts {waited} states after {edge.source}, needs {problem.gap(edge)}")
    out += _chains(problem, schedule)
    slots: dict[tuple[str, int], list[int]] = {}
    for op, use in problem.ports.items():
        for bank in use.banks:
            slots.setdefault((bank, start[op] % ii), []).append(op)
    for (bank, slot), ops in sorted(slots.items()):
        for reads, writes in _runs(problem, ops):
            if problem.limits[bank].interval(reads, writes) > 1:
                out.append(f"{bank} serves {reads} reads and {writes} writes in slot {slot}")
                break
    units = Counter((t.unit, start[op] % ii) for op, t in problem.timing.items() if t.unit is not None)
    for (unit, slot), used in sorted(units.items(), key=str):
        if unit is not None and used > schedule.units[unit]:
            out.append(f"{used} operations on {schedule.units[unit]} units {unit} in slot {slot}")
    return out


def _runs(problem: Problem, ops: list[int]) -> set[tuple[int, int]]:
    """(reads, writes) of every way to run: for each branch one of its arms."""
    runs = {(0, 0, frozenset[tuple[int, int]]())}
    for op in ops:
        use = problem.ports[op]
        mine = frozenset(use.branch)
        taken = set()
        for reads, writes, arms in runs:
            chosen = dict(arms)
            if all(chosen.get(b, arm) == arm for b, arm in mine):
                taken.add((reads + use.read, writes + (not use.read), arms | mine))
                if not mine - arms:
                    continue
            taken.add((reads, writes, arms))
        runs = taken
    return {(reads, writes) for reads, writes, _ in runs}


def _chains(problem: Problem, schedule: Schedule) -> list[str]:
    """Combinational chains must fit the period: recompute the arrival time of every value in its state."""
    incoming: dict[int, list[int]] = {op: [] for op in problem.graph.ops}
    for edge in problem.graph.edges:
        if edge.kind == "data" and edge.distance == 0:
            incoming[edge.sink].append(edge.source)
    ready: dict[int, float] = {}

    def leaves(op: int) -> tuple[int, float]:
        t = problem.timing[op]
        last = schedule.start[op] + t.states - 1
        return last, ready[op] + t.in_ns if t.states == 1 else t.out_ns

    out = []
    for op in sorted(problem.graph.ops, key=lambda x: (schedule.start[x], schedule.offset[x], x)):
        ready[op] = 0.0
        for source in incoming[op]:
            if source not in ready:
                return [f"operation {op} uses {source} before it is made"]
            state, ns = leaves(source)
            if state == schedule.start[op]:
                ready[op] = max(ready[op], ns)
        if ready[op] + problem.timing[op].in_ns > problem.period + 1e-6 and ready[op] > 0:
            out.append(f"chain into operation {op} takes longer than the period")
    return out
