"""``--clone``: a function that is called with arrays partitioned in different ways gets a copy for each way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from hlspart import partition
from hlspart.model.access import ArrayGroup, GroupEdge
from hlspart.model.program import Function, Program
from hlspart.model.source import Edit, Span
from hlspart.rewrite.names import Names, renamed
from hlspart.rewrite.uses import Uses

#: What directives ask of an array: (type, factor, dimension) of each.
Wish = frozenset[tuple[str, int | None, int]]


@dataclass(frozen=True)
class Cloning:
    """Finds the functions of a conflicting group that can be copied, callers before callees."""

    program: Program
    uses: Uses
    group: ArrayGroup

    @cached_property
    def own(self) -> Mapping[int, Wish]:
        """What the directives about each member ask."""
        found: dict[int, set[tuple[str, int | None, int]]] = {}
        for request in partition.requests(self.program):
            found.setdefault(request.variable, set()).add((request.type, request.factor, request.dim))
        return {variable: frozenset(wishes) for variable, wishes in found.items()}

    def wish(self, variable: int, seen: frozenset[int] = frozenset()) -> Wish | None:
        """What is asked of an array here, or of all that callers hand to it; None where they differ."""
        if variable in self.own:
            return self.own[variable]
        actuals = [edge.actual for edge in self.group.edges if edge.formal == variable]
        if variable in seen:
            return None
        wishes = {self.wish(actual, seen | {variable}) for actual in actuals} - {frozenset()}
        return frozenset() if not wishes else wishes.pop() if len(wishes) == 1 else None

    def edits(self, names: Names) -> tuple[Edit, ...]:
        """Copies of the first functions that are called in several ways, and their calls."""
        calls: dict[str, dict[int, list[GroupEdge]]] = {}
        for edge in self.group.edges:
            calls.setdefault(edge.callee, {}).setdefault(edge.call, []).append(edge)
        edits: list[Edit] = []
        for name, sites in calls.items():
            ways: dict[tuple[tuple[int, Wish], ...], list[int]] = {}
            for call, edges in sites.items():
                wishes = [(edge.argument, self.wish(edge.actual)) for edge in edges]
                known = tuple((k, w) for k, w in wishes if w is not None)
                if len(known) == len(wishes):
                    ways.setdefault(known, []).append(call)
            function = self.program.functions[name]
            if len(ways) > 1 and sum(map(len, ways.values())) == len(sites) and self._copyable(function):
                edits += self._copies(function, list(ways.values())[1:], names)
        return tuple(edits)

    def _copyable(self, function: Function) -> bool:
        """The text stands once in a given file, knows no state, name or place, and no directive file speaks of it."""
        given = {unit.path for unit in self.program.units}
        state = any(
            v.function == function.name and v.storage == "static" and not v.const for v in self.program.variables
        )
        outside = any(d.function == function.name and d.source != "pragma" for d in self.program.directives)
        places = [function.at, function.name_at, *(p.at for p in function.prototypes)]
        editable = all(at.editable and at.span.path in given for at in places)
        taken = any(value.name == function.name for value in self.uses.function_values)
        names_itself = re.search(r"\b__(?:func|FUNCTION|PRETTY_FUNCTION)__\b", self.program.text(function.at))
        named = names_itself is not None or "__func__" in self.program.made  # its own name
        counted = any(
            at.path == function.at.span.path and function.at.span.start <= at.start < function.at.span.end
            for at, _ in self.program.counted
        )
        template = function.name in self.uses.instances
        return editable and not (state or outside or taken or named or counted or template)

    def _copies(self, function: Function, ways: Iterable[list[int]], names: Names) -> Iterable[Edit]:
        callees = {call.id: call.callee for call, _ in self.uses.calls}
        whole = function.at.span
        text = ""
        declared = {p.at.span: "" for p in function.prototypes}
        for calls in ways:
            if not all(callees[call].editable for call in calls):
                continue
            name = names.free(f"{function.name}_2")
            text += "\n\n" + self._renamed(whole, function.name_at.span, name)
            for prototype in function.prototypes:
                declared[prototype.at.span] += "\n" + self._renamed(prototype.at.span, prototype.name.span, name)
            for call in calls:
                yield Edit(callees[call].span, renamed(self.program.text(callees[call]), name))
        yield Edit(Span(whole.path, whole.end, whole.end), text)
        for span, copies in declared.items():
            yield Edit(Span(span.path, span.end, span.end), copies)

    def _renamed(self, whole: Span, at: Span, name: str) -> str:
        text = self.program.text(whole)
        return text[: at.start - whole.start] + name + text[at.end - whole.start :]
