"""Loops of a template that nothing instantiates: an II is given where it is that of every instance.

So it is with names that nothing declares, which a build gives. A parameter counts as a value that is not known, an
operator on a type that is one as an operator of unknown latency. What an instance knows more only takes work and orders
away, so an II that no loop can be below is that of all.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.hardware.storage import Storage
from hlspart.lowering.doubt import open_latency
from hlspart.model import program as c
from hlspart.model.causes import OPEN_BANKS, Cause
from hlspart.nests.nests import Nest
from hlspart.predict.loops import Prediction
from hlspart.schedule.recurrence import recurrence_ii
from hlspart.semantics.parameters import open_extent, open_parts, parameter_in

_LONG = 1000  # states: more than any operator takes
_PORTS = 2  # of a memory, at the least


def of_parameters(program: c.Program, nest: Nest, p: Prediction, floor: int) -> Iterator[Cause]:
    """Why instances of the template may differ in the II of a loop; ``floor``: the II asked for."""
    assert p.schedule is not None
    ops = p.problem.graph.ops
    of_type = {i for i in p.problem.timing if ops[i].kind == "open"}
    if of_type:
        timing = {i: replace(t, states=_LONG) if i in of_type else t for i, t in p.problem.timing.items()}
        slow = recurrence_ii(replace(p.problem, timing=timing))
        bound = sum(ops[i].impl is not None for i in of_type)
        products = bound + sum(op.kind == "mul" for op in ops.values())
        few = bound > 0 and products > p.problem.limited.get("mul", products) * p.schedule.ii
        if slow is None or slow > p.schedule.ii or few:
            yield open_latency(ops[i] for i in of_type)
            return
    copies = [op for op in ops.values() if op.of_copies]
    if copies and (p.schedule.ii > floor or p.problem.limited):
        yield open_latency(copies)
    loads = {i for i in p.problem.graph.recurring if ops[i].kind == "load"}
    if any(p.elaborated.storage.has_open_partition(v) for v, m in p.elaborated.members.items() if loads & set(m)):
        yield Cause(OPEN_BANKS)  # choosing one of them takes time
    if array := _memory_of_one(p):
        yield Cause(f"the II may differ with what nothing here says: whether {array} has one element")
    if p.schedule.ii <= floor:
        return
    local = (
        p.elaborated.storage.program.variable(v) for v in p.elaborated.accesses
    )  # it has those of expanded calls as well
    name = parameter_in(program, nest.body) or open_extent(v for v in local if v.storage == "local")
    if name is not None:
        yield Cause(f"the II may differ with what nothing here says: {name}")


def _memory_of_one(p: Prediction) -> str | None:
    """An array of registers that the loop needs to be some: with one element there is nothing to split, and it is none.

    A memory has ports, and states in which what comes from it, or through it, is on its way.
    """
    graph, storage = p.problem.graph, p.elaborated.storage
    for variable, members in p.elaborated.members.items():
        if not storage.is_memory_of_one(variable):
            continue
        ops = [graph.ops[i] for i in members]
        forms = [f for op in ops if op.ref is not None for f in op.ref.index or ()]
        if any(f is not None and f.const and not f.terms for f in forms):
            continue  # it has more
        loads = {op.id for op in ops if op.kind == "load"}
        if len(ops) > _PORTS or 0 < len(loads) < len(ops) or not graph.recurring.isdisjoint(loads):
            return storage.program.variable(variable).name
    return None


def states_differ(storage: Storage, function: str) -> Cause | None:
    """Why instances may differ in states: a parameter counts something in the function, or banks of its arrays."""
    parts = open_parts(storage.program).get(function)
    if parts is not None and parts.number is not None:
        return Cause(f"the states may differ with what nothing here says: {parts.number}")
    arrays = {a.array for a in storage.analysis.accesses if a.function == function}
    return Cause(OPEN_BANKS) if any(map(storage.has_open_partition, arrays)) else None
