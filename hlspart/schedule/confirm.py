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
        loads = sum(problem.ports[op].read for op in ops)
        if problem.limits[bank].interval(loads, len(ops) - loads) <= 1:  # even if all of them run
            continue
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
    """Combinational chains must fit the period, also those that reach into the next iteration.

    The arrival time of every value in its state is computed anew, until it settles.
    """
    start, out = schedule.start, []
    links = [
        (e.source, e.sink)
        for e in problem.graph.edges
        if e.kind == "data" and e.gap is None
        and (e.distance == 0 or (e.scalar and problem.timing[e.source].states == problem.timing[e.sink].states == 1))
        and start[e.source] + problem.timing[e.source].states - 1 == start[e.sink] + schedule.ii * e.distance
    ]  # fmt: skip
    ready = dict.fromkeys(problem.graph.ops, 0.0)
    for _ in range(len(ready) + 1):
        changed = False
        for source, sink in links:
            t = problem.timing[source]
            ns = ready[source] + t.in_ns if t.states == 1 else t.out_ns
            if ns > ready[sink] + 1e-9:
                ready[sink], changed = ns, True
        if not changed:
            break
    else:
        return ["a chain of operations runs into itself within one state"]
    for op, ns in ready.items():
        if ns > 0 and ns + problem.timing[op].in_ns > problem.period + 1e-6:
            out.append(f"chain into operation {op} takes longer than the period")
    return out
