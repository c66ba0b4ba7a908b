"""``--clone``: a function that is called with arrays partitioned in different ways gets a copy for each way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from hlspart import partition
from hlspart.model.access import ArrayGroup, GroupEdge
from hlspart.model.program import Program
from hlspart.model.source import Origin
from hlspart.rewrite.names import Names
from hlspart.rewrite.uses import Uses
from hlspart.transform.clone import clone, refuse_clone
from hlspart.transform.forward import Forward

#: What directives ask of an array: (type, factor, dimension) of each.
Wish = frozenset[tuple[str, int | None, int]]


class FunctionCopies(Struct, frozen=True):
    """What settles the conflict of a group: copies of a function, each for some of its calls (by number)."""

    group: int
    function: str
    ways: tuple[tuple[int, ...], ...]


class Cloning(Struct, frozen=True, dict=True):
    """Finds the functions of a conflicting group that can be copied, callers before callees."""

    program: Program
    uses: Uses
    group: ArrayGroup

    @cached_property
    def own(self) -> Mapping[int, Wish]:
        """What the directives about each member ask."""
        by_variable: dict[int, set[tuple[str, int | None, int]]] = {}
        for request in partition.requests(self.program):
            by_variable.setdefault(request.variable, set()).add((request.type, request.factor, request.dim))
        return {variable: frozenset(wishes) for variable, wishes in by_variable.items()}

    def wish(self, variable: int, seen: frozenset[int] = frozenset()) -> Wish | None:
        """What is asked of an array here, or of all that callers hand to it; None where they differ."""
        if variable in self.own:
            return self.own[variable]
        actuals = [edge.actual for edge in self.group.edges if edge.formal == variable]
        if variable in seen:
            return None
        wishes = {self.wish(actual, seen | {variable}) for actual in actuals} - {frozenset()}
        return frozenset() if not wishes else wishes.pop() if len(wishes) == 1 else None

    def copies(self) -> Iterator[FunctionCopies]:
        """The first functions that are called in several ways."""
        calls: dict[str, dict[int, list[GroupEdge]]] = {}
        for edge in self.group.edges:
            calls.setdefault(edge.callee, {}).setdefault(edge.call, []).append(edge)
        for name, sites in calls.items():
            ways: dict[tuple[tuple[int, Wish], ...], list[int]] = {}
            for call, edges in sites.items():
                wishes = [(edge.argument, self.wish(edge.actual)) for edge in edges]
                known = tuple((k, w) for k, w in wishes if w is not None)
                if len(known) == len(wishes):
                    ways.setdefault(known, []).append(call)
            if len(ways) > 1 and sum(map(len, ways.values())) == len(sites) and self._copyable(name):
                others = [tuple(way) for way in list(ways.values())[1:]]
                editable = tuple(way for way in others if all(self._callees[call].editable for call in way))
                if editable:
                    yield FunctionCopies(self.group.id, name, editable)

    @cached_property
    def _callees(self) -> Mapping[int, Origin]:
        return {call.id: call.callee for call, _ in self.uses.calls}

    def _copyable(self, name: str) -> bool:
        """A function of which no pointer is taken, that is no template's, and may have a copy."""
        taken = any(value.name == name for value in self.uses.function_values)
        return (
            not taken
            and name not in self.uses.instances
            and not refuse_clone(self.program, self.program.functions[name])
        )


def copied(program: Program, steps: Iterable[FunctionCopies]) -> tuple[Program, Forward]:
    """``program`` with the copies of ``steps``, one function at a time: what is called in it follows."""
    names, forward, done = Names.of(program), Forward(), set[str]()
    for step in steps:
        if step.function in done:
            continue
        done.add(step.function)
        for way in step.ways:
            program, following = clone(program, step.function, names.free(f"{step.function}_2"), way)
            forward = forward.then(following)
    return program, forward
