"""Banks by a remainder of no power of two: whether the tool sees that an access reaches only some of them."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.banking.counting import PortProblem
from hlspart.lowering.doubt import Doubt, about
from hlspart.predict.loops import Prediction


def of_remainders(p: Prediction) -> Iterator[Doubt]:
    """Where the II is higher if the tool does not see it."""
    item = p.elaborated
    assert p.schedule is not None
    for variable in p.counts:
        memory = item.storage.memory(variable)
        if not any(dim.divides for dim in memory.layout.dims):
            continue
        problem = PortProblem(item.space, item.accesses[variable], item.storage.target.exclusive_arms)
        load = problem.static(memory.layout, memory.ports, widened=True)
        if load.interval > p.schedule.ii:
            name = item.storage.program.variable(variable).name
            text = f"whether the tool sees which banks of {name} an index reaches that is divided by no power of two"
            ops = (p.problem.graph.ops[i] for i in item.members[variable])
            yield Doubt(about(f"{text} is not known", ops), ii=load.interval, banks=True)
