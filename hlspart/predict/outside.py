"""Accesses that always lie outside of their array: what a tool makes of them is not defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.banking.accesses import affine_index
from hlspart.banking.counting import PortProblem
from hlspart.lowering.doubt import Doubt, about
from hlspart.model.ports import PortAccess
from hlspart.predict.loops import Prediction


def of_outside(p: Prediction) -> Iterator[Doubt]:
    """Whether they are there at all: a report has II 1 where they would ask for a port too many (2023.2)."""
    item = p.elaborated
    for variable in p.counts:
        problem, extents = item.problems[variable], item.storage.memory(variable).layout.shape
        members = zip(item.members[variable], item.accesses[variable], strict=True)
        gone = frozenset(ident for ident, access in members if _is_outside(problem, access, extents))
        if gone:
            name = item.storage.program.variable(variable).name
            text = f"what the tool makes of accesses outside of {name} is not known"
            edges = frozenset(e for e in p.problem.graph.edges if {e.source, e.sink} & gone)
            yield Doubt(about(text, (p.problem.graph.ops[i] for i in gone)), gone=edges, left=gone)


def _is_outside(problem: PortProblem, access: PortAccess, extents: Sequence[int]) -> bool:
    """Whether an index is below zero or behind its extent in every iteration."""
    names = problem.space.names
    for form, extent in zip(affine_index(access) or (), extents, strict=False):
        low = high = form.const
        if form.terms:
            box = problem.shadow(access.domain, form.names) if set(form.names) <= set(names) else None
            if box is None:
                continue
            for name, first, step, count in zip(names, box.low, box.step, box.count, strict=True):
                ends = [form.coefficient(name) * x for x in (first, first + step * (count - 1))]
                low, high = low + min(ends), high + max(ends)
        if high < 0 or low >= extent:
            return True
    return False
