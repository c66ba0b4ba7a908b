"""What dependences alone allow: first starts, the least II, and the cycle that decides it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from hlspart.lowering.graph import Edge
from hlspart.model.answers import Answers
from hlspart.schedule.problem import Problem, Timing, Waits, allowed

_LEAST: Answers[int | None] = Answers(1024)
MAX_ROUNDS = 64  # of a cycle whose chains reach into the next iteration


def earliest(problem: Problem, ii: int) -> tuple[dict[int, int], dict[int, float]] | None:
    """First start of every operation under dependences alone; None when a recurrence forbids ``ii``."""
    start, offset, cycle = _raise(problem.lean.all_waits, ii)
    return None if cycle else (start, offset)


def critical_cycle(problem: Problem, ii: int) -> tuple[Edge, ...]:
    """A cycle of dependences that forbids ``ii - 1``, as edges in order; () when there is none."""
    return _raise(problem.lean.all_waits, ii - 1)[2]


def cycle_latency(problem: Problem, cycle: Sequence[Edge]) -> int:
    """States that one round of a cycle takes, its chains included."""
    return _round(problem, cycle, 0)


def _raise(waits: Waits, ii: int) -> tuple[dict[int, int], dict[int, float], tuple[Edge, ...]]:
    """Starts, raised until all edges hold (Bellman-Ford), or a cycle that never lets them.

    When the edges that raised them last form a cycle that lengthens itself, no start is ever enough;
    without that test a recurrence would be followed state by state.
    """
    problem, incoming, sinks, order = waits.problem, waits.incoming, waits.sinks, waits.order
    start = dict.fromkeys(order, 0)
    offset = dict.fromkeys(order, 0.0)
    via: dict[int, Edge] = {}
    waiting = set(order)
    while waiting:
        for op in order:
            if op not in waiting:
                continue
            waiting.discard(op)
            before = best = (start[op], offset[op])
            for source, states, distance, edge, wait in incoming.get(op, ()):
                if wait is not None:
                    place = allowed(wait, problem.period, start[source], offset[source], ii)
                    if place > best:
                        best, via[op] = place, edge
                elif (state := start[source] + states - ii * distance) > best[0]:
                    best, via[op] = (state, 0.0), edge
            if best > before:
                start[op], offset[op] = best
                waiting |= sinks[op]
                if best[0] > waits.limit:
                    return start, offset, _cycle_behind(via, op)
        if waiting:
            for cycle in _cycles(via):
                if _lengthens(problem, cycle, ii):
                    return start, offset, tuple(cycle)
    return start, offset, ()


def _cycle_behind(via: Mapping[int, Edge], op: int) -> tuple[Edge, ...]:
    """The cycle that one comes to from ``op`` backwards (a start beyond all simple paths has one behind it)."""
    seen = set()
    while op not in seen:
        seen.add(op)
        op = via[op].source
    return tuple(next(c for c in _cycles(via) if any(e.sink == op for e in c)))


def _cycles(via: Mapping[int, Edge]) -> Iterator[list[Edge]]:
    """The cycles of a graph in which every operation has at most one incoming edge."""
    seen: dict[int, int] = {}
    for number, op in enumerate(via):
        at = op
        while at in via and at not in seen:
            seen[at] = number
            at = via[at].source
        if at in via and seen[at] == number:
            cycle = [via[at]]
            while cycle[-1].source != at:
                cycle.append(via[cycle[-1].source])
            yield cycle[::-1]


def goes_round(ahead: Mapping[int, int]) -> bool:
    """Whether following a map comes back to where it was."""
    seen: dict[int, int] = {}
    for number, at in enumerate(ahead):
        while at in ahead and at not in seen:
            seen[at] = number
            at = ahead[at]
        if at in ahead and seen[at] == number:
            return True
    return False


def _lengthens(problem: Problem, cycle: Sequence[Edge], ii: int) -> bool:
    """Whether going round delays an operation by whole states, and so without end."""
    return any(edge.distance for edge in cycle) and _round(problem, cycle, ii) > 0


def _round(problem: Problem, cycle: Sequence[Edge], ii: int) -> int:
    """States by which going round delays an operation that begins with a state.

    A value that is handed on within a state takes its delay along: rounds are repeated until that settles.
    """
    first = next(k for k, edge in enumerate(cycle) if edge.distance)
    waits = problem.along((*cycle[first + 1 :], *cycle[: first + 1]))
    ns = 0.0
    for _ in range(MAX_ROUNDS):
        at = (0, ns)
        for wait in waits:
            at = allowed(wait, problem.period, *at, ii)
        if at[0] or at[1] <= ns:
            break
        ns = at[1]
    return at[0]


def recurrence_ii(problem: Problem, at_least: int = 1) -> int | None:
    """Least II that the dependences allow with unlimited resources; None when none does."""
    return _LEAST.of((problem.key, at_least), lambda: _least_ii(problem, at_least))


def _least_ii(problem: Problem, at_least: int) -> int | None:
    """See :func:`recurrence_ii`: each II that a cycle forbids is followed by the least that this cycle allows.

    Only operations on cycles are looked at: what starts they have behind others moves a whole cycle, not its length.
    """
    problem = problem.lean
    waits = Waits(problem, problem.graph.recurring)
    least, most = max(1, at_least), None
    ii = least
    while most is None or least < most:
        cycle = _raise(waits, ii)[2]
        if not cycle:
            most = ii
        elif ii > waits.limit:
            return None
        else:
            least = max(ii + 1, _least_round(problem, cycle, ii))
        known = least > ii + 1 or most == least
        ii = least if known else (least + most) // 2 if most is not None else 2 * ii
    return most


def _least_round(problem: Problem, cycle: Sequence[Edge], ii: int) -> int:
    """The least II from ``ii`` on under which going round a cycle delays nothing."""
    distance = sum(edge.distance for edge in cycle)
    while distance and (delay := _round(problem, cycle, ii)) > 0:
        ii += -(-delay // distance)
    return ii


def relaxed(
    problem: Problem, kinds: frozenset[str], gone: frozenset[Edge], passed: frozenset[int] = frozenset()
) -> Problem:
    """The problem if operations of ``kinds`` took the fewest states they may (else one), without ``gone``.

    ``passed``: operations that recurrences need not go through.
    """
    ops = problem.graph.ops
    timing = {i: (Timing(max(1, t.least), 0.0, 0.0) if ops[i].kind in kinds else t) for i, t in problem.timing.items()}
    timing |= {i: Timing(1, 0.0, 0.0) for i in passed if i in timing}
    return replace(problem, graph=problem.graph.without(gone), timing=timing)


def incoming_of(edges: Sequence[Edge]) -> dict[int, list[Edge]]:
    out: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        out[edge.sink].append(edge)
    return out
