"""Which variables are one array, and what the program does with it."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from hlspart.model.access import AccessAnalysis, ArrayGroup
from hlspart.model.program import ArrayType, PointerType, Program, ScalarType, Variable


class Arrays(Struct, frozen=True, dict=True):
    """The arrays of a program; calls tie the variables of one together."""

    program: Program
    analysis: AccessAnalysis

    @cached_property
    def _groups(self) -> dict[int, ArrayGroup]:
        return {g.id: g for g in self.analysis.groups}

    @cached_property
    def _written(self) -> frozenset[int]:
        return frozenset(a.array for a in self.analysis.accesses if a.kind == "write")

    def group(self, variable: int) -> ArrayGroup | None:
        """The arrays that calls tie to a variable."""
        ident = self.analysis.group_of.get(variable)
        return self._groups.get(ident) if ident is not None else None

    def members(self, variable: int) -> tuple[int, ...]:
        """Variables that share the memory of one."""
        group = self.group(variable)
        return group.members if group is not None else (variable,)

    def width(self, variable: int) -> int:
        """Bits of an element, nearly: what a structure holds counts as one word."""
        kind = self.program.variable(variable).type
        if isinstance(kind, PointerType):
            kind = kind.target
        element = kind.element if isinstance(kind, ArrayType) else kind
        return element.bits if isinstance(element, ScalarType) else 32

    def is_interface(self, variable: Variable) -> bool:
        """Whether the array is an argument of a top function."""
        return any(
            m.storage == "parameter" and m.function in self.analysis.tops
            for m in map(self.program.variable, self.members(variable.id))
        )

    def are_parameters(self, variable: int) -> bool:
        """Whether all variables of an array are parameters of functions that the program calls."""
        members = [self.program.variable(m) for m in self.members(variable)]
        return all(m.storage == "parameter" and m.function not in self.analysis.tops for m in members)

    def is_never_read(self, variable: int) -> bool:
        """Whether nothing loads what is stored in a local array."""
        group, members = self.group(variable), [self.program.variable(m) for m in self.members(variable)]
        local = all(m.storage in ("local", "parameter") and not m.volatile for m in members)
        if not local or self.are_parameters(variable) or self.is_interface(members[0]) or (group and group.faults):
            return False
        pointed = any(isinstance(v.type, PointerType) and v.storage != "parameter" for v in self.program.variables)
        return not pointed and not any(a.kind == "read" for m in members for a in self.analysis.of_array(m.id))

    def are_constants(self, members: list[Variable]) -> bool:
        """Whether elements keep their initial values."""
        written = any(m.id in self._written for m in members)
        return not written and any(m.const or m.init is not None for m in members)

    def is_scalar(self, variable: Variable) -> bool:
        """Whether nothing but the first element of an array is accessed."""
        accesses = self.analysis.of_array(variable.id)
        return bool(accesses) and all(
            a.index is not None and all(f is not None and not f.terms and f.const == 0 for f in a.index)
            for a in accesses
        )
