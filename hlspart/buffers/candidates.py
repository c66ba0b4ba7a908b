"""Which arrays of a program are memories on the chip, which of them may share, and why the others may not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct

from hlspart.buffers.lifetimes import Life, Lifetimes, Summaries
from hlspart.buffers.steps import Table
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Loop,
    Program,
    ScalarType,
    StructType,
    Variable,
    storage_bits,
    walk_statements,
)
from hlspart.model.results import ArrayResult, IIResult
from hlspart.rewrite.uses import Uses
from hlspart.targets.target import REGISTERS

_CARRIED = frozenset(("array_partition", "bind_storage", "resource"))  # directives that a pool can have, too
_KINDS = {
    "row": "a row of it is used by itself",
    "address": "its address is taken",
    "whole": "its address is taken",
    "sizeof": "its size is asked for",
}


class Candidate(Struct, frozen=True):
    """One array on the chip. ``key``: equal where arrays may share; None with the ``reason`` why it may with none."""

    variable: Variable
    life: Life
    size: int  # bytes of one copy
    copies: int
    key: tuple[object, ...] | None
    reason: str | None
    exact: bool = False  # a pool must have exactly its rows: a call is handed it, or its banks depend on their number
    steps: frozenset[int] = frozenset()


@dataclass
class Candidates:
    """The arrays of all functions that the tops reach. Steps are numbered through all functions."""

    program: Program
    analysis: AccessAnalysis
    figures: IIResult
    tables: dict[str, Table] = field(init=False, default_factory=dict)
    all: tuple[Candidate, ...] = field(init=False)

    def __post_init__(self) -> None:
        first = 0
        for name in self._reached:
            function = self.program.functions[name]
            whole = any(d.kind in ("pipeline", "loop_merge") for d in self._of_function(name))
            table = Table(self.program, self.analysis, function, self._beside, whole, first)
            self.tables[name] = table
            first = table.last + 1
        self.end = max(0, first - 1)
        self._summaries = Summaries(self.program, self._table)
        self._results = {a.variable: a for a in self.figures.arrays}
        shown = [v for v in self.program.arrays() if self._on_chip(v)]
        self.all = tuple(self._candidate(v) for v in shown)

    # --------------------------------------------------------------------------- functions

    @cached_property
    def _reached(self) -> list[str]:
        from hlspart.semantics.effects import effects

        reached = effects(self.program).reachable(self.analysis.tops)
        return [name for name in self.program.functions if name in reached]

    def _table(self, name: str) -> Table:
        return self.tables[name]

    def _of_function(self, name: str) -> list[Directive]:
        return [
            d
            for d in self.program.directives
            if d.usable and d.function == name and d.loop is None and not d.has("off")
        ]

    @cached_property
    def _beside_loops(self) -> frozenset[int]:
        kinds = ("pipeline", "unroll", "dataflow", "loop_merge")
        asked = {d.loop for d in self.program.directives if d.usable and d.kind in kinds and d.loop is not None}
        return frozenset(asked | {r.loop for r in self.figures.loops if r.pipelined})

    def _beside(self, loop: Loop) -> bool:
        return loop.id in self._beside_loops

    @cached_property
    def _concurrent(self) -> Mapping[int, bool]:
        """Arrays of DATAFLOW regions: whether the tool doubles them (no stream)."""
        dataflow = [d for d in self.program.directives if d.usable and d.kind == "dataflow" and not d.has("off")]
        streams = {v for d in self.program.directives if d.usable and d.kind == "stream" for v in d.variables}
        concurrent: dict[int, bool] = {}
        for directive in dataflow:
            name = directive.function
            if name not in self.tables:
                continue
            table = self.tables[name]
            loop = next((x for x in self.program.loops.values() if x.id == directive.loop), None)
            inside = set(walk_statements(loop.body if loop is not None else table.function.body))
            for variable in self.program.arrays():
                touching = [a for a in table.accesses() if a.array == variable.id and table.owners.get(a.ref) in inside]
                handed = [e for e in table.edges() if e.actual == variable.id and table.owners.get(e.call) in inside]
                if touching or handed:
                    concurrent[variable.id] = variable.id not in streams and variable.storage == "local"
        return concurrent

    @cached_property
    def calls(self) -> frozenset[int]:
        """Steps that hand arrays to calls."""
        return frozenset(s for t in self.tables.values() for e in t.edges() if (s := t.step_of(e.call)) is not None)

    # ------------------------------------------------------------------------------ arrays

    def _on_chip(self, variable: Variable) -> bool:
        if variable.storage == "parameter" or variable.extern or variable.reference or None in variable.dims:
            return False
        used = any(a.function in self.tables for a in self.analysis.of_array(variable.id)) or any(
            e.actual == variable.id for t in self.tables.values() for e in t.edges()
        )
        return variable.function in self.tables if variable.function is not None else used

    def _candidate(self, variable: Variable) -> Candidate:
        assert isinstance(variable.type, ArrayType)
        size = math.prod(d or 0 for d in variable.dims) * element_bytes(variable.type)
        copies = 2 if self._concurrent.get(variable.id) else 1
        everywhere = Life(0, self.end)
        reason = self._reason(variable)
        if variable.storage != "local":
            return Candidate(variable, everywhere, size, copies, None, reason)
        table = self.tables[variable.function or ""]
        if reason is not None:
            life = Life(table.first, max(table.first, table.last))
            return Candidate(variable, life, size, copies, None, reason)
        life = Lifetimes(table, self._summaries).life(variable)
        result = self._results[variable.id]
        steps = frozenset(s.number for s in table.steps if variable.id in s.touched)
        exact = any(use.kind == "argument" for use in self._uses.by_variable.get(variable.id, ()))
        exact = exact or any(p.dim == 1 and p.type != "cyclic" for p in result.partition)
        key = None if life.reason is not None else self._key(variable, result)
        return Candidate(variable, life, size, copies, key, life.reason, exact, steps)

    def _key(self, variable: Variable, result: ArrayResult) -> tuple[object, ...]:
        assert isinstance(variable.type, ArrayType)
        parts = tuple((p.dim, p.type, p.factor) for p in result.partition)
        others = [d for d in self._about(variable) if d.kind != "array_partition"]
        words = sorted(re.sub(rf"\b{variable.name}\b", "", " ".join(d.text.split()).lower()) for d in others)
        return (
            variable.function, variable.type.element, variable.dims[1:], parts, result.storage, result.ports,
            result.auto, result.copies, tuple(words), self._specifiers(variable),
        )  # fmt: skip

    def _specifiers(self, variable: Variable) -> str:
        return " ".join(self.program.text(variable.declarations[0].specifiers).split())

    def _about(self, variable: Variable) -> list[Directive]:
        return [d for d in self.program.directives if d.usable and variable.id in d.variables]

    @cached_property
    def _uses(self) -> Uses:
        return Uses(self.program)

    @cached_property
    def _faults(self) -> Mapping[int, str]:
        """Why uses of an array cannot all be seen, by any member of its group."""
        return {
            member: fault.reason
            for group in self.analysis.groups
            for member in group.members
            for fault in group.faults
            if fault.code != "non-affine"
        }

    def _reason(self, variable: Variable) -> str | None:
        """Why an array keeps a memory of its own, whatever its lifetime."""
        program = self.program
        if variable.storage == "global":
            return "it keeps its values between calls"
        if variable.storage == "static":
            return "it is static and keeps its values between calls"
        if variable.volatile:
            return "it is volatile"
        if variable.init is not None or variable.const:
            return "it has initial values"
        if variable.id in self._concurrent:
            return "processes of a DATAFLOW region use it at the same time"
        if variable.id in self._faults:
            return self._faults[variable.id]
        for use in self._uses.by_variable.get(variable.id, ()):
            if use.kind in _KINDS:
                return _KINDS[use.kind]
            if use.kind == "argument" and (use.call is None or use.call.function not in program.functions):
                return "a function that is not given gets it"
        for directive in self._about(variable):
            if directive.kind not in _CARRIED:
                return f"{directive.kind.upper()} names it"
            if directive.source != "pragma":
                return f"a directive in {directive.at.span.path} names it"
            if len(directive.variables) > 1 or not directive.at.editable:
                return "a pragma names it together with others, or comes out of a macro"
        assert isinstance(variable.type, ArrayType)
        element = variable.type.element
        if not isinstance(element, ScalarType | StructType) or element_bytes(variable.type) == 0:
            return "its elements have no size that is known"
        result = self._results.get(variable.id)
        if result is None or result.storage == REGISTERS or result.registers:
            return "its elements are registers"
        return self._unwritable(variable)

    def _unwritable(self, variable: Variable) -> str | None:
        """Why its text cannot be edited."""
        program, given = self.program, self.program.given
        declarator = variable.declarations[0]
        at = declarator.statement
        if not at.editable or not declarator.declarator.editable or at.span.path not in given:
            return "its declaration comes out of a macro or a header"
        plain = re.fullmatch(rf"{variable.name}(?:\s*\[[^\[\]]*\])+", program.text(declarator.declarator))
        text = program.text(at)
        if (
            variable.scope in program.loops
            or not text.endswith(";")
            or not plain
            or "{" in text
            or "__attribute__" in text
        ):
            return "its declaration is unusual"
        for use in self._uses.by_variable.get(variable.id, ()):
            name = use.node.name if isinstance(use.node, ArrayRef) else use.node.at
            place = (name.span.path, name.span.start, name.span.end)
            if not name.editable or name.span.path not in given or program.text(name) != variable.name:
                return f"it is used in a macro at line {program.line(name)}"
            if len(self._uses.shared_spans.get(place, ())) > 1:
                return "its name stands for several arrays"
        word = re.compile(rf"\b{variable.name}\b")
        if any(word.search(program.text(region)) for region in program.inactive):
            return "text that #if leaves out may name it"
        if any(variable.name in hole.names for hole in program.holes):
            return "text that is not read names it"
        function = program.functions[variable.function or ""]
        if not function.body.at.editable:
            return "its function comes out of a macro"
        return None


def element_bytes(kind: ArrayType) -> int:
    """Bytes of an element in memory, 0 where they are not known; structures without padding."""
    return -(-(storage_bits(kind.element) or 0) // 8)
