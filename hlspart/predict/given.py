"""Values from outside of a loop that some run makes anything but zero: a top is given them, each by itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property

from msgspec import Struct

from hlspart.hardware.storage import Storage
from hlspart.model.program import (
    ArrayRef,
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
)
from hlspart.semantics.effects import effects

_DEEPEST = 8  # names that stand for each other


class Given(Struct, frozen=True, dict=True):
    """The scalars and the elements that a program is given as they are used."""

    storage: Storage

    def names(self, function: str) -> frozenset[str]:
        """What operations of a function call them; none whose name two of its variables have."""
        own = Counter(v.name for v in self._program.variables if v.function in (function, None))
        records = [v for v in self._program.variables if v.function == function and own[v.name] == 1]
        scalars = {v.name for v in records if isinstance(v.type, ScalarType) and self._is_given(v, _DEEPEST)}
        return frozenset(scalars | {f"{v.name} load" for v in records if v.id in self.only_read})

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
