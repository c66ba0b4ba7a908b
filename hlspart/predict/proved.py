"""The II that no memories help below: values that go round from iteration to iteration, through operators alone.

Ports, banks, registers, buffers and the schedule are left out: a value that is stored and loaded again costs nothing.
What is left is a lower bound for every text that does the same operations of a loop in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.lowering.distances import MEETING
from hlspart.lowering.graph import Edge, Graph, Op
from hlspart.model.results import Proof
from hlspart.predict.doubts import loosest
from hlspart.predict.limits import along
from hlspart.predict.loops import Prediction
from hlspart.schedule.problem import Problem
from hlspart.schedule.recurrence import critical_cycle, recurrence_ii

_FREE = frozenset({"logic", "call"})  # what a tool may merge, and calls, whose text may be another one
_GROUPS = {"add": "sum", "sub": "sum", "mul": "product"}  # operations on integers of which a tool may regroup several
_MOST_SELECTIONS = 8  # of a loop that are looked at


def by_values(p: Prediction, aim: int) -> Proof | None:
    """Why no text with these operations in this order reaches II ``aim``; None where nothing proves it."""
    if p.recurrence_ii <= aim:
        return None
    problem = _values_alone(p)
    least = recurrence_ii(problem)
    for arms in _either(p, problem)[:_MOST_SELECTIONS] if least is not None and least <= aim else ():
        problems: list[tuple[int, Problem]] = []
        for arm in arms:
            one = replace(problem, graph=replace(problem.graph, edges=(*problem.graph.edges, *arm)))
            if (ii := recurrence_ii(one)) is None or ii <= aim:
                break
            problems.append((ii, one))
        if len(problems) == len(arms):
            least, problem = min(problems, key=lambda x: x[0])
            break
    if least is None or least <= aim:
        return None
    return Proof(least, along(problem, critical_cycle(problem, least)))


def _either(p: Prediction, problem: Problem) -> list[tuple[tuple[Edge, ...], ...]]:
    """Of selections that no data decide the orders of their arms: one of them holds in every iteration.

    With the orders of one selection alone, each round that they close passes it: as long as the quickest arm takes.
    """
    graph, choices = problem.graph, []
    for ident, op in graph.ops.items():
        if op.kind == "select" and not _is_by_data(graph, op.args[0]) and all(a in graph.ops for a in op.args[1:]):
            into = [e for e in p.problem.graph.edges if e.sink == ident and e.kind == "data" and e.gap is None]
            arms = [tuple(e for e in into if e.source == arg) for arg in op.args[1:]]
            if all(arms):
                choices.append(tuple(tuple(replace(e, gap=_least_gap(problem, e)) for e in arm) for arm in arms))
    return choices


def _values_alone(p: Prediction) -> Problem:
    """The problem with the orders that values ask for, every doubt for the best."""
    graph = p.problem.graph
    free = {i for i, op in graph.ops.items() if op.ref is not None or op.kind in _FREE}
    free |= {i for i, op in graph.ops.items() if op.kind in _GROUPS and _goes_on(graph, op)}
    loose = loosest(p, frozenset(free))
    edges = (replace(edge, gap=_least_gap(loose, edge)) for edge in _values(p, loose.graph))
    return replace(loose, graph=replace(graph, edges=tuple(edges)))


def _least_gap(problem: Problem, edge: Edge) -> int:
    """States from the start of an operation to that of one that takes its value, wherever the iteration ends."""
    source, sink = problem.timing[edge.source], problem.timing[edge.sink]
    apart = edge.source != edge.sink and min(source.states, sink.states) > 1
    return source.states - (not apart or source.out_ns + sink.in_ns <= problem.period)


def _goes_on(graph: Graph, op: Op) -> bool:
    """Whether a sum takes in a sum, or a product a product, selected or not: the two may change places."""
    waiting, seen = list(op.args), set[int]()
    while waiting:
        arg = graph.ops.get(waiting.pop())
        if arg is None or arg.id in seen:
            continue
        seen.add(arg.id)
        if _GROUPS.get(arg.kind) == _GROUPS[op.kind]:
            return True
        waiting += arg.args if arg.kind in ("select", "wire") else ()
    return False


def _values(p: Prediction, graph: Graph) -> Iterator[Edge]:
    """Orders of a value and what is made of it, over memories too where it is certainly this value."""
    ops, stated = graph.ops, {v for d in p.elaborated.carriers.pragmas for v in d.variables}
    everywhere = any(not d.variables for d in p.elaborated.carriers.pragmas)
    meeting = p.elaborated.carriers.uncertain[MEETING]
    stores = Counter(op.ref.variable for op in graph.memory if op.kind == "store" and op.ref is not None)
    for edge in graph.edges:
        a, b = ops[edge.source].ref, ops[edge.sink].ref
        if ops[edge.sink].kind == "select" and not _is_by_data(graph, ops[edge.sink].args[0]):
            continue
        if edge.kind == "data" and edge.gap is None:
            yield edge
        elif (edge.source, edge.sink) in meeting:
            continue  # other data, and the two never meet
        elif edge.kind == "memory" and edge.distance and a is not None and b is not None:
            certain = not (a.guarded or b.guarded or everywhere) and a.variable not in stated
            if (a.kind, b.kind) == ("write", "read") and certain and stores[a.variable] == 1:
                yield edge


def _is_by_data(graph: Graph, test: int) -> bool:
    """Whether loaded values decide every comparison of a test, so that some run passes it in each iteration."""
    op = graph.ops.get(test)
    if op is None:
        return False
    if op.kind in ("logic", "select"):
        return all(_is_by_data(graph, arg) for arg in op.args)
    waiting, seen = list(op.args), set[int]()
    while waiting:
        ident = waiting.pop()
        if ident in graph.ops and ident not in seen:
            seen.add(ident)
            waiting += graph.ops[ident].args
    return any(graph.ops[ident].ref is not None for ident in seen)
