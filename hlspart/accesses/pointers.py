"""Pointers as places in arrays, lvalues, and the recording of accesses."""

from __future__ import annotations

from typing import Literal

from hlspart.accesses import algebra
from hlspart.accesses.algebra import ZERO, Pointer, Unknown, Value
from hlspart.accesses.scope import NO_REFERENCE, RawAccess, Scope, State
from hlspart.model.access import Affine
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Const,
    CType,
    Expr,
    IncDec,
    InitList,
    Member,
    Name,
    PointerType,
    Subscript,
    Unary,
    Variable,
    children,
    walk,
)
from hlspart.model.source import Origin
from hlspart.semantics.conversions import extents, is_same_target, rank


class Pointers(Scope):
    """Evaluates expressions of pointer type; what they contain is evaluated on the way."""

    def record(self, ref: ArrayRef, kind: Literal["read", "write"], pointer: Pointer | Unknown, st: State) -> None:
        """Note one access; a reference to less than an element is none."""
        if isinstance(pointer, Unknown):
            array = ref.variable
            indices: tuple[Value, ...] = (pointer,) * max(1, len(ref.indices))
        else:
            array, indices = pointer.array, pointer.indices
            sizes = extents(self.program.variable(array).type)
            if len(indices) < len(sizes):
                return
            if array != ref.variable or not (ref.brackets or ref.in_rows):
                indices = self._carried(indices, sizes, st)
        self.accesses.append(
            RawAccess(
                ref.id, array, kind, ref.at, self.loops, self.iterators, st.dom, st.exact and not st.left, indices,
                st.branch, self._order,
            )
        )  # fmt: skip
        self._order += 1

    def listed(self, place: Pointer) -> Expr | None:
        """The number that an element of a constant array has at a constant place, from the array's initial value."""
        variable = self.program.variable(place.array)
        item = variable.init if variable.const and not variable.volatile else None
        numbers = [algebra.constant(index) for index in place.indices]
        if len(numbers) != rank(variable.type):
            return None
        for number in numbers:
            plain = isinstance(item, InitList) and all(not names for names, _ in item.items)
            if not plain or not isinstance(item, InitList) or number is None or not 0 <= number < len(item.items):
                return None
            item = item.items[number][1]
        parts = (Const, Unary, Binary, Cast)
        return item if item is not None and all(isinstance(e, parts) for e in walk(item)) else None

    def touch(self, variable: Variable, kind: Literal["read", "write"], at: Origin, st: State) -> None:
        """Note an access to a scalar that is watched, as to an array without dimensions."""
        if variable.id in self.watched:
            self.accesses.append(
                RawAccess(
                    NO_REFERENCE, variable.id, kind, at, self.loops, self.iterators, st.dom, st.exact and not st.left,
                    (), st.branch, self._order,
                )
            )  # fmt: skip
            self._order += 1

    def _carried(self, indices: tuple[Value, ...], sizes: tuple[int | None, ...], st: State) -> tuple[Value, ...]:
        """Indices of an address that runs on over the ends of rows, as a pointer may."""
        moved = list(indices)
        for k in range(len(moved) - 1, 0, -1):
            index, size, before = moved[k], sizes[k], moved[k - 1]
            if isinstance(index, Unknown) or isinstance(before, Unknown) or not size:
                break
            low, high = self.bounds(index, st)
            if low is None or low < 0 or high is None or high >= size:
                moved[k - 1] = algebra.add(before, algebra.floor_div(index, size))
                moved[k] = algebra.floor_mod(index, size)
        return tuple(moved)

    def call(self, expr: Call, st: State) -> Value:
        """Evaluate a call (the evaluator does)."""
        raise NotImplementedError

    def assign(self, expr: Assign, st: State) -> Value:
        """Evaluate an assignment (the evaluator does)."""
        raise NotImplementedError

    def place(self, ref: ArrayRef, st: State) -> Pointer | Unknown:
        """Evaluate the subscripts of a reference: which element (or row) of which array it is."""
        indices = tuple(self.value(e, st) for e in ref.indices)
        variable = self.program.variable(ref.variable)
        if not isinstance(variable.type, PointerType):
            return Pointer(ref.variable, indices)
        base = self.pointer_of(variable, ref, st)
        if isinstance(base, Unknown):
            return base
        if not indices:
            return base
        return Pointer(base.array, (*base.indices[:-1], algebra.add(base.indices[-1], indices[0]), *indices[1:]))

    def pointer_of(self, variable: Variable, at: Expr, st: State) -> Pointer | Unknown:
        """Where a pointer variable points."""
        if not self.effects.is_tracked_pointer(variable):
            if variable.storage == "parameter" and variable.id not in self.effects.addressed:
                return Pointer(variable.id, (ZERO,))
            return self.unknown(f"`{variable.name}` may be changed through its address", at)
        pointer = self.lookup(variable, st)
        assert isinstance(pointer, (Pointer, Unknown))
        return pointer

    def pointer(self, expr: Expr, st: State) -> Pointer | Unknown:
        """Evaluate an expression of pointer or array type."""
        match expr:
            case Name(variable=ident):
                variable = self.program.variable(ident)
                if variable.is_array:
                    return Pointer(ident, (ZERO,))
                if isinstance(variable.type, PointerType):
                    return self.pointer_of(variable, expr, st)
            case ArrayRef():
                place = self.place(expr, st)
                if isinstance(place, Unknown):
                    return place
                if len(place.indices) < rank(self.program.variable(place.array).type):
                    return Pointer(place.array, (*place.indices, ZERO))
                self.record(expr, "read", place, st)
                return self.unknown(f"`{self.text(expr)}` is a pointer read from memory", expr)
            case Unary(op="&", operand=ArrayRef() as ref):
                return self.place(ref, st)
            case Unary(op="&"):
                self.target(expr.operand, st)
                return self.unknown(f"`{self.text(expr)}` is not an address in an array", expr)
            case Binary(op="+" | "-" as op, left=left, right=right) if isinstance(left.type, (PointerType, ArrayType)):
                base, offset = self.pointer(left, st), self.value(right, st)
                return self._moved(base, offset if op == "+" else algebra.scale(offset, -1))
            case Binary(op="+", left=left, right=right) if isinstance(right.type, (PointerType, ArrayType)):
                offset, base = self.value(left, st), self.pointer(right, st)
                return self._moved(base, offset)
            case Cast(operand=operand) if isinstance(operand.type, (PointerType, ArrayType)):
                base = self.pointer(operand, st)
                if isinstance(base, Pointer) and not is_same_target(expr.type, operand.type):
                    return self.unknown(f"`{self.text(expr)}` changes the type of the pointer", expr)
                return base
            case IncDec(operand=Name(variable=ident), op=op, prefix=prefix):
                variable = self.program.variable(ident)
                old = self.pointer_of(variable, expr, st)
                new = self._moved(old, Affine((), 1 if op == "++" else -1))
                st.env[ident] = new
                return new if prefix else old
            case Assign(op="=", target=Name(variable=ident), value=value):
                st.env[ident] = new = self.pointer_to(self.program.variable(ident), value, st)
                return new
            case Assign(op="+=" | "-=" as op, target=Name(variable=ident), value=value):
                offset = self.value(value, st)
                base = self.pointer_of(self.program.variable(ident), expr, st)
                st.env[ident] = new = self._moved(base, offset if op == "+=" else algebra.scale(offset, -1))
                return new
            case Call():
                self.call(expr, st)
                return self.unknown(f"`{self.text(expr)}` returns a pointer", expr)
            case Comma(items=items):
                for item in items[:-1]:
                    self.value(item, st)
                return self.pointer(items[-1], st)
            case Assign():
                self.assign(expr, st)
                return self.unknown(f"`{self.text(expr)}` is a computed pointer", expr)
        for child in children(expr):
            self.value(child, st)
        return self.unknown(f"`{self.text(expr)}` is a computed pointer", expr)

    def pointer_to(self, variable: Variable, value: Expr, st: State) -> Pointer | Unknown:
        """The pointer that ``variable`` holds after ``variable = value``.

        Memory that has no other name (``malloc``) is named by the pointer itself, if nothing moves it.
        """
        pointer = self.pointer(value, st)
        if isinstance(pointer, Pointer) and not is_same_target(variable.type, self._pointee_type(pointer)):
            return self.unknown(f"`{variable.name}` points to another type than it is assigned", value)
        if isinstance(pointer, Unknown) and self.is_assigned_once(variable) and _allocates(value):
            return Pointer(variable.id, (ZERO,))
        return pointer

    def is_assigned_once(self, variable: Variable) -> bool:
        """Whether one place alone gives this variable its value (the walker counts them)."""
        raise NotImplementedError

    def _pointee_type(self, pointer: Pointer) -> CType:
        of = self.program.variable(pointer.array).type
        for _ in range(len(pointer.indices) - 1):
            if isinstance(of, ArrayType):
                of = ArrayType(of.element, of.dims[1:]) if len(of.dims) > 1 else of.element
            elif isinstance(of, PointerType):
                of = of.target
        return of

    def _moved(self, base: Pointer | Unknown, by: Value) -> Pointer | Unknown:
        if isinstance(base, Unknown):
            return base
        return Pointer(base.array, (*base.indices[:-1], algebra.add(base.indices[-1], by)))

    def target(self, expr: Expr, st: State) -> tuple[ArrayRef, Pointer | Unknown] | None:
        """Evaluate what an lvalue needs; the array element that it writes to, if any."""
        match expr:
            case ArrayRef():
                return expr, self.place(expr, st)
            case Member(base=base, arrow=False):
                return self.target(base, st)
            case Subscript(base=base, index=index):
                inner = self.target(base, st)
                self.value(index, st)
                return inner
            case Name():
                return None
            case Cast(operand=operand):
                return self.target(operand, st)
            case _:
                for child in children(expr):
                    self.value(child, st)
                return None


def _allocates(value: Expr) -> bool:
    while isinstance(value, Cast):
        value = value.operand
    return isinstance(value, Call)
