"""Banks by a remainder of no power of two: whether the tool sees that an access reaches only some of them.

Index 16 j + 4 is even, so of six cyclic banks it reaches three. Reports of Vitis HLS 2023.2 have the II of all six;
of four banks, where the remainder is bits of the index, they have that of the two that are reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hlspart.banking.accesses import flat_number
from hlspart.banking.counting import PortProblem
from hlspart.layouts.layout import Layout
from hlspart.lowering.doubt import Doubt, about
from hlspart.predict.loops import Prediction


class _Unseen(PortProblem):
    """Counts an access whose bank is such a remainder, and not fixed, for every bank along the dimension."""

    def reach(self, position: int, layout: Layout) -> frozenset[int]:
        found = super().reach(position, layout)
        if len(found) < 2 or layout.per_dimension is None:
            return found
        sizes = [dim.banks for dim in layout.dims]
        along = list(map(set, zip(*(_apart(bank, sizes) for bank in found), strict=True)))
        for k, dim in enumerate(layout.dims):
            if len(along[k]) > 1 and dim.divides:
                along[k] = set(range(dim.banks))
        return found.union(flat_number(place, sizes) for place in product(*along))


def of_remainders(p: Prediction) -> Iterator[Doubt]:
    """Where the II is higher if the tool does not see it."""
    item = p.elaborated
    assert p.schedule is not None
    for variable in p.counts:
        memory = item.storage.memory(variable)
        if not any(dim.divides for dim in memory.layout.dims):
            continue
        problem = _Unseen(item.space, item.accesses[variable], item.storage.target.exclusive_arms)
        load = problem.static(memory.layout, memory.ports)
        if load.interval > p.schedule.ii:
            name = item.storage.program.variable(variable).name
            text = f"whether the tool sees which banks of {name} an index reaches that is divided by no power of two"
            ops = (p.problem.graph.ops[i] for i in item.members[variable])
            yield Doubt(about(f"{text} is not known", ops), ii=load.interval, banks=True)


def _apart(bank: int, sizes: list[int]) -> tuple[int, ...]:
    """The bank along each dimension of a flat one."""
    found = []
    for size in reversed(sizes):
        bank, place = divmod(bank, size)
        found.append(place)
    return tuple(reversed(found))
