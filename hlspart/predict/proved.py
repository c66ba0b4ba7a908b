"""The II that no memories help below: values that go round from iteration to iteration, through operators alone.

Ports, banks, registers, buffers and the schedule are left out: a value that is stored and loaded again costs nothing.
What is left is a lower bound for every text that does the same operations of a loop in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hlspart.hardware.shared import shared
from hlspart.lowering.distances import MEETING
from hlspart.lowering.graph import Edge, Graph, MemoryRef, Op
from hlspart.model.results import Proof
from hlspart.predict.arm_proofs import least_ii
from hlspart.predict.avoidable import avoidable
from hlspart.predict.decided import Decided
from hlspart.predict.doubts import loosest
from hlspart.predict.lasting import lasting
from hlspart.predict.limits import along
from hlspart.predict.loops import Prediction
from hlspart.schedule.problem import Problem
from hlspart.schedule.recurrence import critical_cycle, incoming_of, recurrence_ii

_FREE = frozenset({"logic", "call"})  # what a tool may merge, and calls, whose text may be another one
_GROUPS = {"add": "sum", "sub": "sum", "mul": "product"}  # operations on integers of which a tool may regroup several
_PARTS = frozenset({"&", "|", "~", "<<", ">>", "%", "/"})  # keep some bits, of which a quotient may be one constant
_TESTS = frozenset({"cmp", "fcmp", "dcmp", "logic"})  # of one bit, or of as many as their parts


def by_values(p: Prediction, aim: int, most: int | None = None) -> Proof | None:
    """Why no text with these operations in this order reaches II ``aim``; None where nothing proves it.

    ``most``: how often the loop runs at the most.
    """
    if p.recurrence_ii <= aim:
        return None
    decided, loose = Decided(p), _loosest(p)
    proofs = (_by_arms(p, loose, decided, arm, aim) for arm in ((1, 2) if decided.shared else (1,)))
    best = max((x for x in proofs if x is not None), key=lambda x: x.ii, default=None)
    if best is None or most is None:
        return best
    # the first round may take constants, and the last one, whose value no iteration waits for, ends behind the loop
    apart = sum(s.distance for s in best.cycle)
    least = -(-best.ii * (most - 1 - apart) // max(1, most - 1))
    return replace(best, ii=least) if least > aim else None


def _by_arms(p: Prediction, loose: Problem, decided: Decided, arm: int, aim: int) -> Proof | None:
    """The same of the runs in which tests that decide several selections come out for one arm."""
    problem = _values_alone(p, loose, decided, arm)
    least = recurrence_ii(problem)
    if least is None:
        return None
    proof = Proof(least, along(problem, critical_cycle(problem, least))) if least > aim else None
    arms = _arms(p, problem, decided)
    quickest = least_ii(problem.graph.edges, arms, max(aim, least), p.recurrence_ii) if arms else None
    if quickest is None:
        return proof
    ways = (edge for groups in arms.values() for group in groups for edge in group)
    either = replace(problem, graph=replace(problem.graph, edges=(*problem.graph.edges, *ways)))
    return Proof(quickest[0], along(either, quickest[1]))


def _arms(p: Prediction, problem: Problem, decided: Decided) -> dict[int, tuple[tuple[Edge, ...], ...]]:
    """The orders of each arm of selections that no data decide: those of one of them hold in every iteration."""
    graph, known = problem.graph, dict[int, tuple[tuple[Edge, ...], ...]]()
    handed = incoming_of([e for e in p.problem.graph.edges if e.kind == "data" and e.gap is None])
    for ident, op in graph.ops.items():
        if op.kind != "select" or op.args[0] in decided.free:
            continue
        into = [replace(e, gap=_least_gap(problem, e)) for e in handed.get(ident, ())]
        before = [a for a in op.args if a not in graph.ops and a not in graph.outside]
        earlier = tuple(e for e in into if e.source not in op.args)  # what the iteration before has left in a variable
        arms = tuple(
            tuple(e for e in into if e.source == arg) if arg in graph.ops else earlier if before == [arg] else ()
            for arg in op.args[1:]
        )
        if all(arms):
            known[ident] = arms
    return known


def _loosest(p: Prediction) -> Problem:
    """The problem with every doubt for the best, in which what a text may do without takes no time."""
    graph = p.problem.graph
    free = {i for i, op in graph.ops.items() if op.ref is not None or op.kind in _FREE}
    free |= {i for i, op in graph.ops.items() if op.kind in _GROUPS and _goes_on(graph, op)}
    free |= {i for i, op in graph.ops.items() if op.kind == "div" and _is_of_parts(graph, op)}
    return loosest(p, frozenset(free) | avoidable(p))


def _values_alone(p: Prediction, loose: Problem, decided: Decided, arm: int) -> Problem:
    """The orders of ``loose`` that values ask for."""
    needed = lasting(p)
    values = (edge for edge in _values(p, loose.graph, decided, arm) if edge.sink in needed)
    edges = (replace(edge, gap=_least_gap(loose, edge)) for edge in values)
    return replace(loose, graph=replace(p.problem.graph, edges=tuple(edges)))


def _least_gap(problem: Problem, edge: Edge) -> int:
    """States from the start of an operation to that of one that takes its value, wherever the iteration ends."""
    source, sink = problem.timing[edge.source], problem.timing[edge.sink]
    apart = edge.source != edge.sink and min(source.states, sink.states) > 1
    return source.states - (not apart or source.out_ns + sink.in_ns <= problem.period)


def _goes_on(graph: Graph, op: Op) -> bool:
    """Whether a sum takes in a sum, or a product a product, selected or not: the two may change places."""
    group = _GROUPS[op.kind]
    return any(_GROUPS.get(x.kind) == group for x in _taken_in(graph, op, ("select", "wire")))


def _is_of_parts(graph: Graph, op: Op) -> bool:
    """Whether a quotient or remainder takes in tests, or what masks, shifts or other quotients have left of a value."""
    taken = list(_taken_in(graph, op, ("select", "wire", "add", "sub", "mul")))
    choosing = {x.args[0] for x in taken if x.kind == "select" and x.args}
    return any(x.text in _PARTS or (x.kind in _TESTS and x.id not in choosing) for x in taken)


def _taken_in(graph: Graph, op: Op, through: Sequence[str]) -> Iterator[Op]:
    """Operations whose values one takes in, directly or through others of the kinds ``through``."""
    waiting, seen = list(op.args), set[int]()
    while waiting:
        arg = graph.ops.get(waiting.pop())
        if arg is None or arg.id in seen:
            continue
        seen.add(arg.id)
        yield arg
        waiting += arg.args if arg.kind in through else ()


def _values(p: Prediction, graph: Graph, decided: Decided, arm: int) -> Iterator[Edge]:
    """Orders of a value and what is made of it, over memories too where it is certainly this value."""
    ops, stated = graph.ops, {v for d in p.elaborated.carriers.pragmas for v in d.variables}
    everywhere = any(not d.variables for d in p.elaborated.carriers.pragmas)
    meeting = p.elaborated.carriers.uncertain[MEETING]
    stores = [op.ref.variable for op in graph.memory if op.kind == "store" and op.ref is not None]
    names = {op.ref.variable: _names(p, op.ref.variable) for op in graph.memory if op.ref is not None}
    met = {v: sum(x in known for x in stores) for v, known in names.items()}  # stores to what may be this array
    for edge in graph.edges:
        a, b, sink = ops[edge.source].ref, ops[edge.sink].ref, ops[edge.sink]
        if sink.kind == "select" and (sink.args[0] not in decided.free or not decided.takes(edge, arm)):
            continue
        if edge.kind == "data" and edge.gap is None:
            if not _is_guard(sink, edge.source):
                yield edge
        elif (edge.source, edge.sink) in meeting:
            continue  # other data, and the two never meet
        elif edge.kind == "memory" and edge.distance and a is not None and b is not None:
            certain = not everywhere and a.variable not in stated and _is_handed_on(p, a, b)
            if certain and met[a.variable] == 1:
                yield edge


def _is_guard(op: Op, source: int) -> bool:
    """Whether a load waits for a value as the condition under which it runs alone: a text may load ahead of it."""
    if op.kind != "load" or op.ref is None:
        return False
    indices = len(op.args) - len(op.ref.branch)
    return source in op.args[indices:] and source not in op.args[:indices]


def _is_handed_on(p: Prediction, store: MemoryRef, load: MemoryRef) -> bool:
    """Whether each iteration stores an element that another one loads, always as many iterations later."""
    if (store.kind, load.kind) != ("write", "read") or store.guarded or load.guarded:
        return False
    if {store.domain, load.domain} != {p.elaborated.carriers.space.domain}:
        return False
    moves = [[None if f is None else f.terms for f in ref.index or (None,)] for ref in (store, load)]
    return None not in moves[0] and moves[0] == moves[1]


def _names(p: Prediction, variable: int) -> set[int]:
    """All that may be a name of an array."""
    storage = p.elaborated.storage
    also = {v for pair in shared(storage.program) if variable in pair for v in pair}
    return {*storage.arrays.members(variable), *also, variable}
