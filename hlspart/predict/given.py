"""Values from outside of a loop that some run makes anything but zero, all of them at once.

A top is given them, or they are sums of products of such values: where all that is given is
more than zero, so are these.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property

from msgspec import Struct

from hlspart.hardware.storage import Storage
from hlspart.model.access import Access
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    CType,
    Expr,
    Name,
    Program,
    ScalarType,
    Unary,
    Variable,
    walk,
)
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.sets.moved import is_refilled

_DEEPEST = 8  # names that stand for each other


class Given(Struct, frozen=True, dict=True):
    """The scalars and the elements that a program is given as they are used."""

    storage: Storage

    def names(self, function: str, around: frozenset[int]) -> frozenset[str]:
        """What operations of a function call them in loops; none whose name two of its variables have."""
        own = Counter(v.name for v in self._program.variables if v.function in (function, None))
        records = [v for v in self._program.variables if v.function == function and own[v.name] == 1]
        scalars = {v.name for v in records if isinstance(v.type, ScalarType) and self._is_given(v, _DEEPEST)}
        return frozenset(scalars | {f"{v.name} load" for v in records if v.as_array and self.is_filled(v.id, around)})

    @property
    def _program(self) -> Program:
        return self.storage.program

    @cached_property
    def _calls(self) -> dict[str, list[Call]]:
        known, calls = effects(self._program), defaultdict[str, list[Call]](list)
        for function in self._program.functions.values():
            for call in known.calls_in(function.body):
                calls[call.function or ""].append(call)
        return calls

    @cached_property
    def only_read(self) -> frozenset[int]:
        """Arrays that a top is given, of which nothing stores an element."""
        arrays = self.storage.arrays
        written = frozenset(a.array for a in self.storage.analysis.accesses if a.kind == "write")
        known = (v for v in self._program.variables if v.as_array is not None and arrays.is_interface(v))
        return frozenset(v.id for v in known if written.isdisjoint(arrays.members(v.id)))

    def is_filled(self, variable: int, around: frozenset[int]) -> bool:
        """Whether some run has no zero in an array: a top is given it, or loops fill it that are not ``around``."""
        return variable in self.only_read or self._is_worked_out(variable, around, ())

    def _is_worked_out(self, variable: int, around: frozenset[int], seen: tuple[int, ...]) -> bool:
        members = self.storage.arrays.members(variable)
        records = [self._program.variable(m) for m in members]
        if variable in seen or any(v.volatile or v.init is not None for v in records):
            return False
        tops = self.storage.analysis.tops
        if not all(v.storage == "local" or (v.storage == "parameter" and v.function not in tops) for v in records):
            return False
        writes = [(a, self._assigned.get(a.ref)) for m in members for a in self._writes.get(m, ())]
        firsts = [a for a, to in writes if to is not None and to.op == "=" and isinstance(to.value, Const)]
        sums = [(a, to) for a, to in writes if a not in firsts]
        if not sums or not all(
            to is not None and to.op in ("=", "+=") and self._is_positive(to.value, around, (*seen, *members))
            for _, to in sums
        ):
            return False
        return all(any(self._is_before(first, a, around) for a, _ in sums) for first in firsts)

    def _is_before(self, first: Access, then: Access, around: frozenset[int]) -> bool:
        """Whether a sum is always added to an element once it is set, before a loop inside of ``around`` reads it."""
        shared = first.function == then.function and first.loops and first.loops == then.loops[: len(first.loops)]
        if not shared or first.order > then.order or not around.isdisjoint(first.loops) or then.branch:
            return False
        steps = {x: info.step for x, info in self.storage.analysis.loops.items()}
        return is_refilled(first, then, steps)

    @cached_property
    def _writes(self) -> dict[int, list[Access]]:
        writes = defaultdict[int, list[Access]](list)
        for a in self.storage.analysis.accesses:
            if a.kind == "write":
                writes[a.array].append(a)
        return writes

    @cached_property
    def _assigned(self) -> dict[int, Assign]:
        """What is assigned to an element, by its reference."""
        bodies = (function.body for function in self._program.functions.values())
        roots = (root for body in bodies for root in statement_expressions(self._program, body))
        nodes = (e for root in roots for e in walk(root) if isinstance(e, Assign) and isinstance(e.target, ArrayRef))
        return {e.target.id: e for e in nodes if isinstance(e.target, ArrayRef)}

    def _is_positive(self, value: Expr, around: frozenset[int], seen: tuple[int, ...]) -> bool:
        """Whether a value is more than zero where all that the top is given is."""
        match value:
            case Cast(operand=operand):
                return self._is_positive(operand, around, seen)
            case Binary(op="+" | "*", left=left, right=right):
                return self._is_positive(left, around, seen) and self._is_positive(right, around, seen)
            case Const(value=number):
                return 1 <= number < 128
            case Name(variable=variable):
                return self._is_given(self._program.variable(variable), _DEEPEST)
            case ArrayRef(variable=variable):
                return variable in self.only_read or self._is_worked_out(variable, around, seen)
        return False

    def _is_given(self, record: Variable, deep: int) -> bool:
        """Whether a scalar never changes, and is an argument of a top, or set from one or from such an element."""
        known = effects(self._program)
        if not deep or record.volatile or record.reference:
            return False
        if record.id in known.addressed or record.id in known.assignments:
            return False
        calls = self._calls.get(record.function or "", [])
        if record.storage == "parameter" and record.function in self.storage.analysis.tops:
            return not calls
        if record.storage == "local":
            return self._is_given_by(record.init, deep, _is_float(record.type))
        if record.storage == "parameter" and len(calls) == 1:
            params, args = self._program.functions[record.function or ""].params, calls[0].args
            return len(args) == len(params) and self._is_given_by(
                args[params.index(record.id)], deep, _is_float(record.type)
            )
        return False

    def _is_given_by(self, value: Expr | None, deep: int, whole: bool) -> bool:
        """``whole``: it keeps what is behind the point."""
        while isinstance(value, Cast) or (isinstance(value, Unary) and value.op in ("-", "+")):
            value = value.operand
        match value:
            case Const(value=number):
                return (2**-20 if whole and _is_float(value.type) else 1) <= abs(number) < 128
            case Name(variable=variable):
                return self._is_given(self._program.variable(variable), deep - 1)
            case ArrayRef(variable=variable):
                return isinstance(value.type, ScalarType) and variable in self.only_read
        return False


def _is_float(kind: CType) -> bool:
    return isinstance(kind, ScalarType) and kind.kind == "float"
