"""Statements that hand arrays to functions: which functions could take them in another layout, and with whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from hlspart.blocked.forms import sums_products
from hlspart.buffers.steps import Table
from hlspart.model.access import AccessAnalysis, GroupEdge
from hlspart.model.program import Call, Function, Program, Variable
from hlspart.rewrite.uses import Uses
from hlspart.transform.printer import type_text

_MARKS = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[{}]", re.S)


class Calls(Struct, frozen=True, dict=True):
    """Of one function, whose ``table`` it is. A function that is reached gets arrays of it, through other calls or not.

    A function has one text, so all statements that reach it have one layout: they are of one :meth:`group`.
    """

    program: Program
    analysis: AccessAnalysis
    table: Table
    uses: Uses

    @cached_property
    def edges(self) -> tuple[GroupEdge, ...]:
        """All arrays that calls hand on."""
        return tuple(e for g in self.analysis.groups for e in g.edges)

    @cached_property
    def reached(self) -> Mapping[int, frozenset[str]]:
        """Functions that get arrays of each statement, by its number."""
        calls: dict[int, set[str]] = {}
        for edge in self.table.edges():
            stmt = self.table.owners.get(edge.call)
            if stmt in self.table.units:
                calls.setdefault(self.table.units[stmt], set()).add(edge.callee)
        return {unit: self._onwards(first) for unit, first in calls.items()}

    def _onwards(self, first: Iterable[str]) -> frozenset[str]:
        seen, open_ = set(first), list(first)
        while open_:
            name = open_.pop()
            new = {e.callee for e in self.edges if e.caller == name} - seen
            seen |= new
            open_ += new
        return frozenset(seen)

    def group(self, unit: int) -> tuple[int, ...]:
        """The statements that reach a function which this one reaches, directly or by others; itself among them."""
        units, open_ = {unit}, [unit]
        while open_:
            own = self.reached.get(open_.pop(), frozenset())
            new = {u for u, names in self.reached.items() if own & names} - units
            units |= new
            open_ += new
        return tuple(sorted(units))

    def formals(self, unit: int) -> tuple[int, ...]:
        """Parameters that are arrays of a statement, by id."""
        names = self.reached.get(unit, frozenset())
        return tuple(sorted({e.formal for e in self.edges if e.callee in names}))

    def is_plain(self, unit: int) -> bool:
        """Whether all that is done to what a statement hands on are accesses of elements."""
        known = {(e.call, e.argument) for e in self.edges}
        uses = (use for v in self.formals(unit) for use in self.uses.by_variable.get(v, ()))
        return all(
            use.kind == "element" or (use.call is not None and (use.call.id, use.position) in known) for use in uses
        )

    def sums_products(self, unit: int) -> bool:
        """Whether a function that a statement reaches sums up products of arrays of four dimensions."""
        functions = (self.program.functions.get(name) for name in self.reached.get(unit, ()))
        return any(sums_products(s) for f in functions if f is not None for s in f.body.body)

    # --------------------------------------------------------------------------- obstacles

    def obstacle(self, unit: int) -> str | None:
        """Why a function that a statement reaches must get its arrays as they are declared."""
        names = self.reached[unit]
        if self.table.function.name in names:
            return f"calls {self.table.function.name} again"
        for name in sorted(names):
            function = self.program.functions.get(name)
            why = "is not in the given files" if function is None else self._fixed(function)
            if why is not None:
                return f"hands arrays to {name}, which {why}"
        edges = [e for e in self.edges if e.callee in names]
        known = {(e.call, e.argument) for e in edges}
        tied = {e.formal for e in edges}
        for call, caller in self.uses.calls:
            if call.function in names:
                if caller != self.table.function.name and caller not in names:
                    return f"hands arrays to {call.function}, which {caller or 'an initial value'} calls, too"
                if not self._are_all_known(call, known):
                    return f"hands arrays to {call.function}, of which one is not a whole array"
        for edge in edges:
            actual, formal = self.program.variable(edge.actual), self.program.variable(edge.formal)
            if edge.caller != self.table.function.name and edge.actual not in tied:
                return f"hands arrays to {edge.callee}, which gets others from {edge.caller}"
            if not _are_alike(actual, formal):
                return f"hands {actual.name} to {edge.callee} as an array of another type"
        return None

    def _fixed(self, function: Function) -> str | None:
        """Why a function's parameters cannot change."""
        given = self.program.given
        if any(p.at.span.path not in given for p in function.prototypes):
            return "a header declares that is not given"
        declared = (v.declarations[0].name for v in map(self.program.variable, function.params) if v.declarations)
        if not function.signature.editable or not all(name.editable for name in declared):
            return "is a member of a class or written by a macro"
        if self._around(function) != self._around(self.table.function):
            return "is in another namespace"
        if any(
            f is not function and f.name_at != function.name_at and self._named(f) == self._named(function)
            for f in self.program.functions.values()
        ):
            return "has overloads"
        if function.variadic or function.name in self.uses.instances:
            return "is a template or has any number of arguments"
        if any(value.name == function.name for value in self.uses.function_values):
            return "is used other than by calling it"
        return None

    def _named(self, function: Function) -> str:
        return self.program.text(function.name_at)

    def _around(self, function: Function) -> tuple[str, list[int]]:
        """The file, and where the braces open that a definition stands in."""
        at = function.at.span
        open_: list[int] = []
        for mark in _MARKS.finditer(self.program.sources[at.path].text, 0, at.start):
            if mark[0] == "{":
                open_.append(mark.start())
            elif mark[0] == "}" and open_:
                open_.pop()
        return at.path, open_

    def _are_all_known(self, call: Call, known: set[tuple[int, int]]) -> bool:
        """Whether every array that a call's function takes is a whole array."""
        function = self.program.functions[call.function or ""]
        arrays = (k for k, v in enumerate(function.params) if self.program.variable(v).is_array)
        return all((call.id, k) in known for k in arrays)


def _are_alike(one: Variable, other: Variable) -> bool:
    """Whether two arrays have the same rows of the same elements."""
    types = (one.as_array, other.as_array)
    names = [None if t is None else type_text(t.element) for t in types]
    return one.dims == other.dims and names[0] == names[1]
