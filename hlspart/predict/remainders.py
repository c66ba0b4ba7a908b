"""Accesses whose bank the tool may see better or worse: by a remainder of no power of two, or chosen at run time."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.banking.counting import PortProblem
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Op
from hlspart.predict.loops import Prediction


def of_remainders(p: Prediction) -> Iterator[Doubt]:
    """Where the II is higher if the tool does not see it."""
    item = p.elaborated
    assert p.schedule is not None
    for variable in p.counts:
        memory = item.storage.memory(variable)
        if item.apart(variable) is not None or not any(dim.divides for dim in memory.layout.dims):
            continue
        problem = PortProblem(item.space, item.accesses[variable], item.storage.target.exclusive_arms)
        load = problem.static(memory.layout, memory.ports, widened=True)
        if load.interval > p.schedule.ii:
            name = item.storage.program.variable(variable).name
            text = f"whether the tool sees which banks of {name} an index reaches that is divided by no power of two"
            ops = (p.problem.graph.ops[i] for i in item.members[variable])
            yield Doubt(about(f"{text} is not known", ops), ii=load.interval, banks=True)


def of_rows(p: Prediction) -> Iterator[Doubt]:
    """Loads that choose among all rows of an array at run time, at one place of each row.

    The tool loads that place of every row and selects; the same loads of several accesses may be one. A report has
    II 1 for three rows of one column (teozax/fishery, 2019.2).
    """
    item, ops = p.elaborated, p.problem.graph.ops
    for variable in p.counts:
        dims = item.storage.memory(variable).layout.dims
        if any(dim.is_split and dim.has_local for dim in dims) or not any(dim.is_split for dim in dims):
            continue
        seen: set[tuple[object, ...]] = set()
        again: list[Op] = []
        for k, ident in enumerate(item.members[variable]):
            op = ops[ident]
            index = op.ref.index if op.ref is not None and op.kind == "load" else None
            if index is None or len(item.problems[variable].reach(k, item.storage.memory(variable).layout)) == 1:
                continue
            place = tuple(form for form, dim in zip(index, dims, strict=True) if not dim.is_split)
            if None in place:
                continue
            again += [op] if place in seen else []
            seen.add(place)
        if again:
            name = item.storage.program.variable(variable).name
            text = f"whether loads at one place of all rows of {name} are one is not known"
            yield Doubt(about(text, again), left=frozenset(op.id for op in again), banks=True)
