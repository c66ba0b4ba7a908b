"""What the tool does by itself with an array that no directive binds: its memory, registers, copies, partitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

from hlspart.hardware.arrays import Arrays
from hlspart.hardware.bindings import Bindings
from hlspart.model.access import Access, AccessAnalysis, Affine
from hlspart.model.program import PointerType, Program, Variable
from hlspart.targets import Target
from hlspart.targets.target import REGISTERS


class Automatic(Struct, frozen=True, dict=True):
    """The tool's choices; ``unrolled``: ids of the loops that are unrolled."""

    arrays: Arrays
    bindings: Bindings
    target: Target
    unrolled: frozenset[int]

    @property
    def program(self) -> Program:
        """The program of the arrays."""
        return self.arrays.program

    @property
    def analysis(self) -> AccessAnalysis:
        """Its accesses."""
        return self.arrays.analysis

    def kind(self, variable: Variable) -> tuple[str, bool]:
        """The kind of memory of an array, and whether it follows from how the program uses the array."""
        target = self.target
        members = [self.program.variable(m) for m in self.arrays.members(variable.id)]
        role: Literal["local", "const", "interface"] = "local"
        if any(m.storage == "parameter" and m.function in self.analysis.tops for m in members) or all(
            m.storage == "parameter" for m in members
        ):
            role = "interface"
        if role == "interface":
            if isinstance(variable.type, PointerType) and self.arrays.is_scalar(variable):
                return REGISTERS, False
            storage = target.default_storage(role)
            return storage, False
        if self.arrays.are_constants(members):
            return target.default_storage("const"), True
        owners = (m for m in members if m.storage != "parameter" and not isinstance(m.type, PointerType))
        elements = max((math.prod(d or 0 for d in m.dims) for m in owners), default=0)
        if 0 < elements < target.complete_threshold or (
            elements > 0 and self._has_constant_indices(variable, elements)
        ):
            return REGISTERS, True
        return target.default_storage("local"), False

    def is_table(self, variable: Variable) -> bool:
        """Whether a memory holds constants only and is chosen by the tool."""
        members = [self.program.variable(m) for m in self.arrays.members(variable.id)]
        return self.arrays.are_constants(members) and not self.bindings.is_bound(variable)

    @cached_property
    def tables(self) -> frozenset[int]:
        """Arrays whose elements are constants of the program, and whose memory no directive chooses."""
        return frozenset(v.id for v in self.program.arrays() if v.init is not None and self.is_table(v))

    def _has_constant_indices(self, variable: Variable, elements: int) -> bool:
        """Indexed by nothing but constants once inner loops are unrolled."""
        limit = self.target.constant_index_threshold
        return (not limit or elements <= limit) and len(self.constant_dims(variable)) == max(1, len(variable.dims))

    def constant_dims(self, variable: Variable) -> frozenset[int]:
        """Dimensions of a local array that are indexed by nothing but constants once inner loops are unrolled.

        By the functions that get it as an argument, too.
        """
        members = [self.program.variable(m) for m in self.arrays.members(variable.id)]
        roots = [m for m in members if m.storage != "parameter"]
        # zero: a tool without automatic partitions
        if len(roots) != 1 or not self.target.complete_threshold:
            return frozenset()
        extents = roots[0].dims
        if self.arrays.is_interface(variable) or any(
            self.bindings.is_bound(m) or m.dims[1:] != extents[1:] for m in members
        ):
            return frozenset()
        accesses = [a for m in members for a in self.analysis.of_array(m.id)]
        if not accesses or any(a.index is None or len(a.index) != len(extents) for a in accesses):
            return frozenset()
        return frozenset(
            k for k in range(len(extents)) if all(self._is_constant(a, (a.index or ())[k]) for a in accesses)
        )

    def _is_constant(self, access: Access, form: Affine | None) -> bool:
        """Whether an index is a constant once inner loops are unrolled."""
        names = {self.analysis.loops[x].iterator for x in access.loops if x in self.unrolled}
        return form is not None and set(form.names) <= names

    def changes_unrolled(self, access: int) -> bool:
        """Whether the element of an access changes with a loop that is unrolled."""
        a = self.analysis.by_id.get(access)
        if a is None or a.index is None:
            return False
        names = {self.analysis.loops[x].iterator for x in a.loops if x in self.unrolled}
        return any(f is not None and names & set(f.names) for f in a.index)

    def is_replicated(self, variable: Variable, banks: Sequence[int]) -> bool:
        """Whether the tool copies a local memory for its reads: one write and more than two accesses an iteration.

        Counted per innermost loop that is not unrolled, in the busiest bank (``banks``: of each dimension), accesses of
        different indices once.
        """
        members = [self.program.variable(m) for m in self.arrays.members(variable.id)]
        roots = [m for m in members if m.storage != "parameter"]
        if not self.target.replicated_ports or len(roots) != 1:
            return False
        needs: dict[int, dict[str, dict[object, tuple[Access, int, int]]]] = {}
        for a in (a for m in members for a in self.analysis.of_array(m.id)):
            if not a.loops:
                continue
            copies, together, nest = 1, 1, a.loops[0]
            for x in a.loops:
                name, trip = self.analysis.loops[x].iterator or "", self.analysis.loops[x].trip_count.max or 1
                moves = a.index is None or any(f is None or f.coefficient(name) for f in a.index)
                if x not in self.unrolled:
                    nest, trip = x, self._factor(x)
                copies *= trip if moves else 1
                chosen = _chosen(a, banks)
                together *= trip if moves and chosen is not None and not any(f.coefficient(name) for f in chosen) else 1
            fixed = a.index is not None and all(self._is_constant(a, f) for f in a.index)
            if not (fixed and a.kind == "read"):
                needs.setdefault(nest, {}).setdefault(a.kind, {})[a.index or a.ref] = a, copies, together
        loads = [tuple(_busiest(x.get(kind, {}).values(), banks) for kind in ("read", "write")) for x in needs.values()]
        return max((w for _, w in loads), default=0) <= 1 and max((r + w for r, w in loads), default=0) > 2

    def _factor(self, loop: int) -> int:
        """Copies of a loop's body that UNROLL asks for."""
        for d in self.program.directives:
            if d.usable and d.kind == "unroll" and d.loop == loop:
                return d.values.get("factor") or 1
        return 1


def _chosen(access: Access, banks: Sequence[int]) -> tuple[Affine, ...] | None:
    """The indices that choose the bank of an access; None where they are not known."""
    if access.index is None or len(access.index) != len(banks):
        return None
    forms = [f for f, n in zip(access.index, banks, strict=True) if n > 1]
    known = tuple(f for f in forms if f is not None)
    return known if len(known) == len(forms) else None


def _busiest(accesses: Iterable[tuple[Access, int, int]], banks: Sequence[int]) -> int:
    """The least number of accesses to one bank: what equal indices choose together, and a share of all."""
    all_, groups = 0, Counter[tuple[Affine, ...]]()
    for access, copies, together in accesses:
        all_ += copies
        if (chosen := _chosen(access, banks)) is not None:
            groups[chosen] += together
    return max(math.ceil(all_ / math.prod(banks)), *groups.values(), 0)
