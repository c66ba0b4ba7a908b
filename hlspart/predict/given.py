"""Values from outside of a loop that some run makes anything but zero, all of them at once.

A top is given them, or they are sums of products of such values: where all that is given is
more than zero, so are these.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from hlspart.hardware.storage import Storage
from hlspart.model.access import Access, LoopInfo
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Const,
    CType,
    Declare,
    Expr,
    ExprStmt,
    Jump,
    Label,
    Loop,
    Name,
    Program,
    Return,
    ScalarType,
    Stmt,
    Unary,
    Variable,
    is_same,
    substatements,
    walk,
    walk_statements,
)
from hlspart.semantics.effects import effects, statement_expressions
from hlspart.sets.moved import is_refilled

_UNKNOWN = math.inf  # values, or iterations
_FEW = 16  # times that a float may be divided or multiplied by numbers below 128
_EXACT = {16: 11, 32: 24, 64: 53}  # bits of a float -> up to which power of two it has all whole numbers
_HALF = 15  # the largest power of two that a float of 16 bits has
_DEEPEST = 8  # names that stand for each other


class Given(Struct, frozen=True, dict=True):
    """The scalars and the elements that a program is given as they are used.

    ``each``: what no element exceeds that the top is given. ``whole``: all values are whole numbers, and exact.
    """

    storage: Storage
    each: int = 1
    whole: bool = False

    def names(self, function: str, around: frozenset[int], odd: bool = False) -> frozenset[str]:
        """What operations of a function call them in loops; none whose name two of its variables have.

        ``odd``: those that some run makes odd numbers.
        """
        own = Counter(v.name for v in self._program.variables if v.function in (function, None))
        records = [v for v in self._program.variables if v.function == function and own[v.name] == 1]
        numbers = [v for v in records if isinstance(v.type, ScalarType)]
        scalars = {v.name for v in numbers if self._is_given(v, _DEEPEST, odd=odd)}
        if odd:
            records = [v for v in records if v.id in self.only_read]
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
        return variable in self.only_read or self._most_of_array(variable, around, ()) is not None

    def is_called(self, function: str) -> bool:
        """Whether the program calls a function."""
        return bool(self._calls.get(function))

    def most(self, value: Expr, around: frozenset[int]) -> float | None:
        """What a value in loops is at most in a run that makes it more than zero; None where that is not known."""
        return self._most(value, around, ())

    def holds(self, kind: CType, most: float) -> bool:
        """Whether a type has all values up to one: integers run over, to zero."""
        if not isinstance(kind, ScalarType):
            return False
        if kind.kind == "float":
            return most < 2.0 ** _EXACT.get(kind.bits, 0) if self.whole else kind.bits >= 32 or most < 2.0**_HALF
        if kind.kind == "fixed" and not self.whole:
            return False
        return kind.kind in ("int", "fixed") and most < 2.0 ** (kind.bits - kind.fraction_bits - kind.signed)

    def _divides(self, kind: CType) -> bool:
        """Whether a quotient keeps what is behind the point, and need not be whole."""
        return _is_float(kind) and not self.whole

    def has_no_zero(self, table: int) -> bool:
        """Whether a table lists no zero: of integers, odd ones, products of which are none."""
        record = self._program.variable(table)
        numbers = [e.value for e in walk(record.init) if isinstance(e, Const)] if record.init is not None else []
        shape = record.as_array
        size = math.prod(d or 0 for d in shape.dims) if shape is not None else 0
        is_float = shape is not None and _is_float(shape.element)
        return len(numbers) == size > 0 and all(x % 2 or (x and is_float) for x in numbers)

    def _most_of_array(self, variable: int, around: frozenset[int], seen: tuple[int, ...]) -> float | None:
        """What no element exceeds where all that the top is given is 1; None where one may be zero."""
        members = self.storage.arrays.members(variable)
        records = [self._program.variable(m) for m in members]
        given = any(v.storage == "parameter" and v.function in self.storage.analysis.tops for v in records)
        writes = [(a, self._added_by.get(a.ref)) for m in members for a in self._writes.get(m, ())]
        if variable in seen:
            few = all((a.count or _UNKNOWN) <= _FEW and _is_float(to.target.type) for a, to in writes if to is not None)
            return _UNKNOWN if given and few else None  # it has such values at first, and may grow without an end
        if any(v.volatile or v.init is not None or v.storage not in ("local", "parameter") for v in records):
            return None
        firsts = [a for a, to in writes if to is not None and to.op == "=" and _constant(to.value) is not None]
        sums = [(a, to) for a, to in writes if a not in firsts]
        if (not sums and not given) or not all(any(self._is_before(x, a, around) for a, _ in sums) for x in firsts):
            return None
        most = float(self.each) + sum(
            to.value.value for a, to in writes if a in firsts and to and isinstance(to.value, Const)
        )
        for a, to in sums:
            if to is None or to.op not in ("=", "+="):
                return None
            value = self._most(to.value, around, (*seen, *members))
            if value is None:
                return None
            most += value * (1 if to.op == "=" else self._added(a))
        kinds = [to.target.type for _, to in sums if to is not None]
        return most if all(self.holds(kind, most) for kind in kinds) else None

    def _added(self, access: Access) -> float:
        """How often an access adds to one element, at most."""
        if access.function not in self.storage.analysis.tops or self._calls.get(access.function):
            return _UNKNOWN
        alone = {
            name for form in access.index or () if form is not None and len(form.names) == 1 for name in form.names
        }
        loops = [self.storage.analysis.loops[x] for x in access.loops]
        return math.prod(_most_iterations(x) for x in loops if x.iterator is None or x.iterator not in alone)

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

    @cached_property
    def _added_by(self) -> dict[int, Assign]:
        """The same, where sums of an element and a value are additions to it."""
        known = dict(self._assigned)
        for ref, to in self._assigned.items():
            more = added_to(to.target, to.value) if to.op == "=" else None
            if more is not None:
                known[ref] = Assign(to.at, to.type, "+=", to.target, more)
        return known

    def _most(self, value: Expr, around: frozenset[int], seen: tuple[int, ...]) -> float | None:
        """What a value is at most where all that the top is given is 1; None where it may be zero, or run over."""
        most: float | None = None
        match value:
            case Cast(operand=operand):
                most = self._most(operand, around, seen)
            case Binary(op="+" | "*" | "/" as op, left=left, right=right) if op != "/" or self._divides(value.type):
                one, two = self._most(left, around, seen), self._most(right, around, seen)
                if one is not None and two is not None:
                    most = one * two if op == "*" else one + two
            case Const(value=number):
                most = number if 1 <= number < 128 and not (self.whole and number % 1) else None
            case Name(variable=variable):
                record = self._program.variable(variable)
                if self._is_given(record, _DEEPEST, above=True):
                    most = 128
                else:
                    most = self._most_of_sum(record, value.at.span.start, around, seen)
            case ArrayRef(variable=variable):
                most = self.each if variable in self.only_read else self._most_of_array(variable, around, seen)
            case _:
                pass
        return most if most is not None and self.holds(value.type, most) else None

    def _most_of_sum(self, record: Variable, use: int, around: frozenset[int], seen: tuple[int, ...]) -> float | None:
        """The same of a scalar that is a sum by a place of its function: set, then added to, whatever the data is."""
        function = self._program.functions.get(record.function or "")
        if record.storage != "local" or record.volatile or record.reference or record.id in seen or function is None:
            return None
        known, stmts = effects(self._program), list(walk_statements(function.body))
        start = _constant(record.init) if record.init is not None else 0
        if start is None and record.init is not None:
            start = self._most(record.init, around, (*seen, record.id))
        if (
            start is None
            or record.id in known.addressed
            or any(isinstance(s, Jump | Label | Return) for s in stmts[:-1])
        ):
            return None
        stated = list(unconditional(function.body))
        always = [(s.expr, loops) for s, loops in stated if isinstance(s, ExprStmt)]
        mine = [(e, loops) for e, loops in always if isinstance(e, Assign) and _assigned_name(e) == record.id]
        if len(mine) != known.assignments.get(record.id, 0) or (not mine and record.init is None):
            return None
        firsts = [(e, loops) for e, loops in mine if e.op == "=" and _constant(e.value) is not None]
        sums = [(e, loops) for e, loops in mine if (e, loops) not in firsts]
        first = max((e.at.span.end for e, _ in firsts), default=0)
        if not mine:
            begun = any(isinstance(s, Declare) and record.id in s.variables for s, _ in stated)
            return start if begun and start >= 1 and self.holds(record.type, start) else None
        if not sums or first > sums[0][0].at.span.start or sums[-1][0].at.span.end > use:
            return None
        declared = [loops for s, loops in stated if isinstance(s, Declare) and record.id in s.variables]
        sets = [loops for _, loops in firsts] or (declared if record.init is not None else [])
        again = max(sets, key=len, default=())  # in these loops it begins anew
        most = float(start + sum(_constant(e.value) or 0 for e, _ in firsts))
        for e, loops in sums:
            value = self._most(e.value, around, (*seen, record.id)) if e.op in ("=", "+=") else None
            inside = loops[len(again) :] if loops[: len(again)] == again else loops
            trips = [self.storage.analysis.loops[x].trip_count for x in inside]
            if value is None or not all(t.min for t in trips):
                return None
            most += value * (1 if e.op == "=" else math.prod(t.max or _UNKNOWN for t in trips))
        return most if self.holds(record.type, most) else None

    def _is_given(self, record: Variable, deep: int, above: bool = False, odd: bool = False) -> bool:
        """Whether a scalar never changes, and is an argument of a top, or set from one or from such an element.

        ``above``: it is more than zero where these are, too; ``odd``: and odd.
        """
        known = effects(self._program)
        if not deep or record.volatile or record.reference:
            return False
        if record.id in known.addressed or record.id in known.assignments:
            return False
        calls = self._calls.get(record.function or "", [])
        if record.storage == "parameter" and record.function in self.storage.analysis.tops:
            return not calls
        if record.storage == "local":
            return self._is_given_by(record.init, deep, record.type, above, odd)
        if record.storage == "parameter" and len(calls) == 1:
            params, args = self._program.functions[record.function or ""].params, calls[0].args
            return len(args) == len(params) and self._is_given_by(
                args[params.index(record.id)], deep, record.type, above, odd
            )
        return False

    def _is_given_by(self, value: Expr | None, deep: int, kind: CType, above: bool, odd: bool) -> bool:
        """``kind``: of what is given the value."""
        kinds = [kind]
        while isinstance(value, Cast) or (isinstance(value, Unary) and value.op in ("-", "+")):
            if above and isinstance(value, Unary) and value.op == "-":
                return False
            kinds += [value.type] if isinstance(value, Cast) else []
            value = value.operand
        match value:
            case Const(value=number):
                least = 1 if above or not all(map(_is_float, (*kinds, value.type))) else 2**-20
                held = all(self.holds(k, abs(number)) for k in kinds)
                if (above and number < 0) or (self.whole and number % 1) or (odd and number % 2 != 1) or not held:
                    return False
                return least <= abs(number) < 128
            case Name(variable=variable):
                return self._is_given(self._program.variable(variable), deep - 1, above, odd)
            case ArrayRef(variable=variable):
                return isinstance(value.type, ScalarType) and variable in self.only_read
        return False


def _most_iterations(info: LoopInfo) -> float:
    """Iterations of a loop, at most."""
    return _UNKNOWN if info.trip_count.max is None else info.trip_count.max


def _is_float(kind: CType) -> bool:
    return isinstance(kind, ScalarType) and kind.kind == "float"


def added_to(target: Expr, value: Expr) -> Expr | None:
    """What a sum adds to the target that it begins or ends with."""
    if isinstance(value, Binary) and value.op == "+" and isinstance(target, ArrayRef | Name):
        for one, other in ((value.left, value.right), (value.right, value.left)):
            if is_same(one, target):
                return other
    return None


def _constant(value: Expr) -> int | float | None:
    """A number that is not below zero."""
    kinds = list[CType]()
    while isinstance(value, Cast):
        kinds.append(value.type)
        value = value.operand
    if not isinstance(value, Const) or value.value < 0:
        return None
    plain = all(isinstance(k, ScalarType) and (not value.value or k.kind == "float") for k in kinds)
    return value.value if plain else None


def _assigned_name(expr: Assign) -> int | None:
    """The variable that an assignment gives a value."""
    return expr.target.variable if isinstance(expr.target, Name) else None


def unconditional(stmt: Stmt, loops: tuple[int, ...] = ()) -> Iterator[tuple[Stmt, tuple[int, ...]]]:
    """Statements in no condition, in the order of the text, with the ids of the loops that they stand in."""
    yield stmt, loops
    inside = (*loops, stmt.id) if isinstance(stmt, Loop) else loops
    for inner in substatements(stmt) if isinstance(stmt, Block | Loop) else ():
        yield from unconditional(inner, inside)
