"""Accesses that the tool may count otherwise: by a remainder of no power of two, chosen at run time, stores."""

from __future__ import annotations

import math
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


def of_stores(p: Prediction) -> Iterator[Doubt]:
    """Where the II is higher if a memory of two ports takes stores one at a time."""
    item, ops = p.elaborated, p.problem.graph.ops
    assert p.schedule is not None
    for variable in p.counts if item.storage.target.stores_alone else ():
        members = [ops[i] for i in item.members[variable]]
        stores = [op for op in members if op.kind == "store"]
        ports, banks = item.storage.memory(variable).ports, item.storage.memory(variable).layout.banks
        alone = math.ceil((len(members) - len(stores)) / 2) + len(stores)
        if len(stores) > 1 and banks == 1 and ports.total == 2 and alone > p.schedule.ii:
            text = f"whether {item.storage.program.variable(variable).name} takes two stores at once is not known"
            yield Doubt(about(text, stores), ii=alone, banks=True)


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


def of_pointers(p: Prediction) -> Iterator[Doubt]:
    """Accesses through a pointer to a place of a partitioned array that is chosen at run time.

    A tool may well see that ``r[3]``, where ``r`` is ``a[k]``, has the bank of ``a[k][3]``: the same in all rows.
    """
    item, ops = p.elaborated, p.problem.graph.ops
    for variable in p.counts:
        layout = item.storage.memory(variable).layout
        hidden = [
            op
            for k, ident in enumerate(item.members[variable])
            if (ref := (op := ops[ident]).ref) is not None
            and (ref.index, ref.key[0], len(ref.key)) == (None, "value", 3)  # its second part is the pointer
            and len(item.problems[variable].reach(k, layout)) > 1
        ]
        if hidden:
            name = item.storage.program.variable(variable).name
            text = f"which banks of {name} a pointer into it reaches is not known"
            yield Doubt(about(text, hidden), idle=lambda v, _, mine=variable: v == mine, banks=True)  # type: ignore[misc]
