"""The II that the units of ALLOCATION allow: operations of an iteration that no text with the same ones leaves out."""

from __future__ import annotations

from collections import Counter

from hlspart.lowering.graph import Op
from hlspart.model.results import Proof
from hlspart.predict.loops import Prediction


def by_units(p: Prediction, aim: int) -> Proof | None:
    """Why the units that a directive allows keep a loop from II ``aim``; None where nothing proves it."""
    if p.units_ii <= aim:
        return None
    problem, moving = p.problem, _moving(p)
    best: Proof | None = None
    counted = Counter(problem.timing[op.id].unit for op in _sure(p) if op.id in moving)
    for unit, n in counted.items():
        limit = problem.limited.get(unit) if unit is not None else None
        if limit is None or (least := -(-n // limit)) <= aim or (best is not None and least <= best.ii):
            continue
        units = "the one unit" if limit == 1 else f"the {limit} units"
        text = (
            f"proved: the {n} operations {unit} of an iteration take {least} cycles on {units} that ALLOCATION allows"
        )
        best = Proof(least, (), text)
    return best


def _sure(p: Prediction) -> list[Op]:
    """Operations whose values every iteration needs, whatever its conditions are."""
    ops, everywhere = p.problem.graph.ops, p.elaborated.carriers.space.domain
    waiting = [e.source for e in p.problem.graph.edges if e.kind == "data" and e.distance]
    for op in p.problem.graph.memory:
        if op.kind == "store" and op.ref is not None and not op.ref.guarded and op.ref.domain == everywhere:
            waiting += op.args
    seen = set[int]()
    while waiting:
        value = ops.get(waiting.pop())
        if value is None or value.id in seen:
            continue
        seen.add(value.id)
        waiting += value.args[:1] if value.kind == "select" else () if value.kind == "logic" else value.args
    return [ops[i] for i in sorted(seen)]


def _moving(p: Prediction) -> set[int]:
    """Operations that no text may take out of the loop: what they are made of changes."""
    names, moving = set(p.elaborated.space.names), set[int]()
    for ident, op in sorted(p.problem.graph.ops.items()):
        index = () if op.ref is None else op.ref.index or (None,)
        if (
            op.kind in ("index", "phi")
            or any(a in moving for a in op.args)
            or any(form is None or not names.isdisjoint(form.names) for form in index)
        ):
            moving.add(ident)
    return moving
