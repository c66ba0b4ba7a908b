"""Symbolic evaluation of C expressions: integer values, conditions, pointers, and the accesses on the way.

C's own rules decide what counts as an affine value: operands are converted as the standard says,
unsigned and narrow results must be proved not to wrap, ``/`` and ``%`` round toward zero. What cannot
be proved becomes :class:`~hlspart.poly.algebra.Unknown` with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import islpy as isl

from hlspart.model.access import Affine
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    Const,
    CType,
    Expr,
    IncDec,
    Member,
    Name,
    PointerType,
    Program,
    ScalarType,
    SizeOf,
    Subscript,
    Unary,
    Variable,
    children,
)
from hlspart.model.source import Origin
from hlspart.poly import algebra
from hlspart.poly.algebra import NOWHERE, ONE, UNIVERSE, ZERO, Pointer, Unknown, Value
from hlspart.poly.effects import Effects

INT = ScalarType("int", "int", 32)
Stored = Value | Pointer
Lazy = Callable[[], Stored]


@dataclass(slots=True)
class State:
    """What holds at one point of a function.

    ``dom``: condition on iterators and symbols under which control is here (a superset when ``exact``
    is False). ``env``: values of variables; what is missing has its value of function entry.
    """

    env: dict[int, Stored | Lazy]
    dom: isl.Set
    exact: bool = True
    alive: bool = True
    branch: tuple[tuple[int, int], ...] = ()

    def copy(self) -> State:
        """An independent copy."""
        return State(dict(self.env), self.dom, self.exact, self.alive, self.branch)

    def within(self, where: isl.Set, exact: bool) -> State:
        """A copy in which ``where`` holds too."""
        dom = self.dom if where is UNIVERSE else self.dom.intersect(where)
        return State(dict(self.env), dom, self.exact and exact, self.alive, self.branch)


@dataclass(frozen=True, slots=True)
class Condition:
    """Where a test holds and where it fails; both are supersets when ``why`` says that it is not affine."""

    true: isl.Set
    false: isl.Set
    why: Unknown | None = None


@dataclass(slots=True)
class RawAccess:
    """An access before its sets are written down."""

    ref: int
    array: int
    kind: str
    at: Origin
    loops: tuple[int, ...]
    iterators: tuple[str, ...]
    dom: isl.Set
    exact: bool
    indices: tuple[Value, ...]
    branch: tuple[tuple[int, int], ...]
    order: int


def rank(of: CType) -> int:
    """Number of subscripts from a variable of this type to one element."""
    match of:
        case ArrayType(dims=dims):
            return len(dims)
        case PointerType(target=target):
            return 1 + rank(target)
        case _:
            return 0


def limits(of: CType) -> tuple[int, int] | None:
    """Least and greatest value of an integer type."""
    if not isinstance(of, ScalarType) or of.kind not in ("int", "bool") or of.bits <= 0:
        return None
    if of.kind == "bool":
        return 0, 1
    return (-(1 << of.bits - 1), (1 << of.bits - 1) - 1) if of.signed else (0, (1 << of.bits) - 1)


def _arbitrary(of: ScalarType) -> bool:
    return of.name.startswith(("ap_", "_ExtInt", "_BitInt", "ac_"))


def promoted(of: ScalarType) -> ScalarType:
    """Integer promotion (C11 6.3.1.1); arbitrary-precision types keep their width."""
    return INT if of.kind == "bool" or (of.bits < 32 and not _arbitrary(of)) else of


def common(a: CType, b: CType) -> ScalarType | None:
    """Usual arithmetic conversions (C11 6.3.1.8); None when an operand is no integer."""
    if limits(a) is None or limits(b) is None:
        return None
    assert isinstance(a, ScalarType) and isinstance(b, ScalarType)
    if _arbitrary(a) or _arbitrary(b):  # these libraries widen until both fit
        low = min(limits(a)[0], limits(b)[0])  # type: ignore[index]
        high = max(limits(a)[1], limits(b)[1])  # type: ignore[index]
        bits = max(high.bit_length() + (low < 0), (-low - 1).bit_length() + 1 if low < 0 else 0)
        return ScalarType("ap_int", "int", bits, low < 0)
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def may_wrap(of: ScalarType) -> bool:
    """Whether overflow in this type has a defined result that we must exclude (else it is undefined)."""
    return not of.signed or of.bits < 32 or _arbitrary(of)


class Evaluator:
    """Evaluates expressions of one function in a :class:`State`, recording array accesses in order."""

    def __init__(self, program: Program, effects: Effects) -> None:
        self.program = program
        self.effects = effects
        self.accesses: list[RawAccess] = []
        self.loops: tuple[int, ...] = ()
        self.iterators: tuple[str, ...] = ()
        self.assumed = UNIVERSE  # type limits of symbols, for proofs only
        self.trial = 0  # > 0: a run that only guesses; nothing it says is kept
        self._order = 0
        self._branches: dict[object, int] = {}
        self._symbols: dict[int, Affine] = {}
        self._names: set[str] = set()
        self._bounds: dict[tuple[object, int], tuple[isl.Set, tuple[int | None, int | None]]] = {}

    # ------------------------------------------------------------------------------- helpers

    def unknown(self, reason: str, at: Expr | Origin) -> Unknown:
        """A value without affine form."""
        return Unknown(reason, at if isinstance(at, Origin) else at.at)

    def text(self, expr: Expr) -> str:
        """The source of an expression on one line, shortened, for messages."""
        if self.trial:
            return ""
        text = " ".join(self.program.text(expr.at).split())
        return text if len(text) <= 60 else text[:57] + "..."

    def bounds(self, value: Affine | isl.PwAff, st: State) -> tuple[int | None, int | None]:
        """Bounds of a value at this point, with what the types of symbols promise."""
        if isinstance(value, Affine) and not value.terms:
            return value.const, value.const
        return algebra.bounds(value, st.dom.intersect(self.assumed))

    def branch_id(self, node: object) -> int:
        """Number of an If, Switch or Conditional in this function."""
        return self._branches.setdefault(node, len(self._branches))

    def fresh_name(self, wanted: str) -> str:
        """A name for a set dimension or parameter that nothing in scope uses."""
        taken = self._names.union(self.iterators)
        reserved = wanted in _ISL_WORDS or (wanted[0] == "e" and wanted[1:].isdigit())
        if wanted not in taken and not reserved:
            return wanted
        k = 2
        while f"{wanted}_{k}" in taken:
            k += 1
        return f"{wanted}_{k}"

    def symbol_of(self, variable: Variable) -> Affine:
        """The value that a scalar has at function entry, as a symbolic constant."""
        if variable.id not in self._symbols:
            name = self.fresh_name(variable.name)
            self._names.add(name)
            self._symbols[variable.id] = Affine(((name, 1),), 0)
            span = limits(variable.type)
            if span is not None:
                self.assumed = self.assumed.intersect(isl.Set(f"[{name}] -> {{ : {span[0]} <= {name} <= {span[1]} }}"))
        return self._symbols[variable.id]

    def entry_value(self, variable: Variable, st: State) -> Stored:
        """Value of a variable that this function has not assigned yet."""
        if isinstance(variable.type, PointerType):
            return Pointer(variable.id, (ZERO,))
        if variable.init is not None and (variable.const or self._never_changes(variable)):
            value = self.value(variable.init, State({}, UNIVERSE))
            return self.converted(value, variable.init.type, variable.type, st, variable.init)
        if variable.storage == "parameter" or (variable.function is None):
            return self.symbol_of(variable)
        if variable.storage == "static":
            return self.unknown(f"`{variable.name}` keeps its value from call to call", variable.at)
        return self.unknown(f"`{variable.name}` has no value yet", variable.at)

    def _never_changes(self, variable: Variable) -> bool:
        hidden = variable.internal or variable.storage == "static"
        return hidden and not any(variable.id in self.effects.modified(f.body) for f in self.program.functions.values())

    def lookup(self, variable: Variable, st: State) -> Stored:
        """Current value of a tracked variable."""
        found = st.env.get(variable.id)
        if found is None:
            found = self.entry_value(variable, st)
        elif not isinstance(found, (Affine, isl.PwAff, Unknown, Pointer)):
            found = found()
        st.env[variable.id] = found
        return found

    def converted(self, value: Value, source: CType, target: CType, st: State, at: Expr) -> Value:
        """``value`` of type ``source`` converted to an integer type, if that keeps it."""
        span = limits(target)
        if isinstance(value, Unknown):
            return value
        if span is None:
            return self.unknown(f"`{self.text(at)}` is not an integer", at)
        if isinstance(target, ScalarType) and target.kind == "bool":
            if self.bounds(value, st) in ((0, 0), (0, 1), (1, 1)):
                return value
            is_zero = algebra.zero(value)
            return algebra.either(ZERO, is_zero, ONE, is_zero.complement())
        inner = limits(source)
        if inner is not None and span[0] <= inner[0] and inner[1] <= span[1]:
            return value
        return self.fitting(value, span, st, at, getattr(target, "name", "its type"))

    def fitting(self, value: Value, span: tuple[int, int], st: State, at: Expr, name: str) -> Value:
        """``value`` when it is proved to lie in ``span``."""
        if isinstance(value, Unknown) or self.trial:
            return value
        low, high = self.bounds(value, st)
        if low is not None and high is not None and span[0] <= low and high <= span[1]:
            return value
        if st.dom.is_empty():
            return value
        return self.unknown(f"`{self.text(at)}` may leave the range of {name}", at)

    # ------------------------------------------------------------------------------- accesses

    def record(self, ref: ArrayRef, kind: str, pointer: Pointer | Unknown, st: State) -> None:
        """Note one access; a reference to less than an element is none."""
        if isinstance(pointer, Unknown):
            array, indices = ref.variable, (pointer,) * max(1, len(ref.indices))
        else:
            array, indices = pointer.array, pointer.indices
            if len(indices) < rank(self.program.variable(array).type):
                return
        self.accesses.append(
            RawAccess(
                ref.id, array, kind, ref.at, self.loops, self.iterators, st.dom, st.exact, indices, st.branch,
                self._order,
            )
        )  # fmt: skip
        self._order += 1

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
        if not self.effects.tracked_pointer(variable):
            if variable.storage == "parameter" and variable.id not in self.effects.addressed:
                return Pointer(variable.id, (ZERO,))
            return self.unknown(f"`{variable.name}` may be changed through its address", at)
        found = self.lookup(variable, st)
        assert isinstance(found, (Pointer, Unknown))
        return found

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
                found = self.place(expr, st)
                if isinstance(found, Unknown):
                    return found
                if len(found.indices) < rank(self.program.variable(found.array).type):
                    return Pointer(found.array, (*found.indices, ZERO))
                self.record(expr, "read", found, st)
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
                if isinstance(base, Pointer) and not _same_target(expr.type, operand.type):
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
        found = self.pointer(value, st)
        if isinstance(found, Pointer) and not _same_target(variable.type, self._pointee_type(found)):
            return self.unknown(f"`{variable.name}` points to another type than it is assigned", value)
        if isinstance(found, Unknown) and self.assigned_once(variable) and _allocates(value):
            return Pointer(variable.id, (ZERO,))
        return found

    def assigned_once(self, variable: Variable) -> bool:
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
                found = self.target(base, st)
                self.value(index, st)
                return found
            case Name():
                return None
            case Cast(operand=operand):
                return self.target(operand, st)
            case _:
                for child in children(expr):
                    self.value(child, st)
                return None

    # ------------------------------------------------------------------------------- values

    def value(self, expr: Expr, st: State) -> Value:
        """Integer value of an expression; effects and accesses happen in evaluation order."""
        match expr:
            case Const(value=number):
                if isinstance(number, int):
                    return Affine((), number)
                return self.unknown("a floating-point number", expr)
            case Name(variable=ident):
                return self.name(expr, self.program.variable(ident), st)
            case ArrayRef():
                if isinstance(expr.type, (ArrayType, PointerType)):
                    self.pointer(expr, st)
                    return self.unknown(f"`{self.text(expr)}` is an address", expr)
                self.record(expr, "read", self.place(expr, st), st)
                return self.unknown(f"it depends on the value of `{self.text(expr)}`", expr)
            case Assign():
                return self.assign(expr, st)
            case IncDec():
                return self.incdec(expr, st)
            case Call():
                return self.call(expr, st)
            case SizeOf(value=size):
                return self.unknown("a size that is not known", expr) if size is None else Affine((), size)
            case Comma(items=items):
                for item in items[:-1]:
                    self.value(item, st)
                return self.value(items[-1], st)
        if isinstance(expr.type, (PointerType, ArrayType)):
            self.pointer(expr, st)
            return self.unknown(f"`{self.text(expr)}` is an address", expr)
        match expr:
            case Unary(op=op, operand=operand):
                return self.unary(expr, op, operand, st)
            case Binary(op="&&" | "||" | "<" | "<=" | ">" | ">=" | "==" | "!="):
                return self.truth(expr, st)
            case Binary(op=op, left=left, right=right):
                a, b = self.value(left, st), self.value(right, st)
                return self.arithmetic(expr, op, a, left.type, b, right.type, st)
            case Cast(operand=operand):
                value = self.value(operand, st)
                return self.converted(value, operand.type, expr.type, st, expr)
            case Conditional():
                return self.conditional(expr, st)
        for child in children(expr):
            self.value(child, st)
        if isinstance(expr, Member):
            return self.unknown(f"it depends on the struct member `{self.text(expr)}`", expr)
        return self.unknown(f"`{self.text(expr)}` is not analysed", expr)

    def name(self, expr: Expr, variable: Variable, st: State) -> Value:
        """Value of a scalar variable."""
        if self.effects.tracked(variable):
            found = self.lookup(variable, st)
            assert not isinstance(found, Pointer)
            return found
        if limits(variable.type) is None:
            return self.unknown(f"`{variable.name}` is not an integer", expr)
        if variable.volatile:
            return self.unknown(f"`{variable.name}` is volatile", expr)
        return self.unknown(f"`{variable.name}` may be changed through its address", expr)

    def unary(self, expr: Expr, op: str, operand: Expr, st: State) -> Value:
        """``+ - ~ !``; ``*`` and ``&`` of what is no array."""
        if op == "!":
            return self.truth(expr, st)
        if op == "&":
            self.target(operand, st)
            return self.unknown(f"`{self.text(expr)}` is an address", expr)
        value = self.value(operand, st)
        kind = operand.type if limits(operand.type) is not None else None
        if isinstance(value, Unknown):
            return value
        if op not in "+-~" or not isinstance(kind, ScalarType):
            return self.unknown(f"it depends on the value of `{self.text(expr)}`", expr)
        if op == "+":
            return value
        result = algebra.scale(value, -1) if op == "-" else algebra.sub(algebra.scale(value, -1), ONE)
        return self._typed(result, promoted(kind), st, expr)

    def _typed(self, value: Value, of: ScalarType, st: State, at: Expr) -> Value:
        if isinstance(value, Unknown) or not may_wrap(of):
            return value
        span = limits(of)
        assert span is not None
        return self.fitting(value, span, st, at, of.name)

    def arithmetic(
        self, expr: Expr, op: str, a: Value, a_type: CType, b: Value, b_type: CType, st: State
    ) -> Value:  # fmt: skip
        """``a op b`` for arithmetic and bitwise operators."""
        if isinstance(a, Unknown):
            return a
        if isinstance(b, Unknown):
            return b
        shift = op in ("<<", ">>")
        of = promoted(a_type) if shift and isinstance(a_type, ScalarType) else common(a_type, b_type)
        if of is None or limits(a_type) is None or limits(b_type) is None:
            return self.unknown(f"`{self.text(expr)}` is not an integer", expr)
        if not shift and not _arbitrary(of):
            a, b = self.converted(a, a_type, of, st, expr), self.converted(b, b_type, of, st, expr)
            if isinstance(a, Unknown) or isinstance(b, Unknown):
                return a if isinstance(a, Unknown) else b
        result = self._operate(expr, op, a, b, st)
        if _arbitrary(of):  # the library's result is as wide as it needs to be
            return result if op in ("+", "-", "*", "/", "%", "&", "|", ">>") else self._typed(result, of, st, expr)
        return self._typed(result, of, st, expr)

    def _operate(self, expr: Expr, op: str, a: Affine | isl.PwAff, b: Affine | isl.PwAff, st: State) -> Value:
        number = algebra.constant(b)
        match op:
            case "+":
                return algebra.add(a, b)
            case "-":
                return algebra.sub(a, b)
            case "*":
                return algebra.mul(a, b, self.unknown(f"`{self.text(expr)}` multiplies two variables", expr))
            case "<<":
                if number is None or not 0 <= number < 64:
                    return self.unknown(f"`{self.text(expr)}` shifts by a variable", expr)
                return algebra.scale(a, 1 << number)
            case ">>":
                if number is None or not 0 <= number < 64:
                    return self.unknown(f"`{self.text(expr)}` shifts by a variable", expr)
                return algebra.floor_div(a, 1 << number)
            case "/" | "%":
                if number is None or number == 0:
                    return self.unknown(f"`{self.text(expr)}` divides by a variable or zero", expr)
                low, _ = self.bounds(a, st)
                if low is not None and low >= 0 and number > 0:
                    return algebra.floor_div(a, number) if op == "/" else algebra.floor_mod(a, number)
                return algebra.trunc_div(a, number) if op == "/" else algebra.trunc_mod(a, number)
            case "&":
                for x, mask in ((a, number), (b, algebra.constant(a))):
                    if mask is not None and mask >= 0 and mask & (mask + 1) == 0:
                        return algebra.floor_mod(x, mask + 1) if mask else ZERO
            case "|" | "^":
                for x, y in ((a, b), (b, a)):  # disjoint bits: the same as a sum
                    low, high = self.bounds(y, st)
                    if low is not None and high is not None and low >= 0:
                        width = 1 << high.bit_length()
                        if algebra.equal_on(algebra.floor_mod(x, width), ZERO, st.dom):
                            return algebra.add(x, y)
        return self.unknown(f"`{self.text(expr)}` is not affine", expr)

    def truth(self, expr: Expr, st: State) -> Value:
        """A test as 0 or 1."""
        test = self.condition(expr, st)
        if test.why is not None:
            return test.why
        return algebra.either(ONE, test.true, ZERO, test.false)

    def conditional(self, expr: Conditional, st: State) -> Value:
        """``test ? then : other``."""
        test = self.condition(expr.test, st)
        number = self.branch_id(expr)
        one, two = st.within(test.true, test.why is None), st.within(test.false, test.why is None)
        one.branch, two.branch = (*st.branch, (number, 0)), (*st.branch, (number, 1))
        a, b = self.value(expr.then, one), self.value(expr.other, two)
        self.join(st, one, two, test)
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return a if isinstance(a, Unknown) else b
        of = common(expr.then.type, expr.other.type)
        if of is not None:
            a = self.converted(a, expr.then.type, of, one, expr)
            b = self.converted(b, expr.other.type, of, two, expr)
        if isinstance(a, Unknown) or isinstance(b, Unknown) or of is None:
            return self.unknown(f"`{self.text(expr)}` is not an integer", expr) if of is None else a  # type: ignore
        if test.why is not None:
            return a if a is b or (isinstance(a, Affine) and a == b) else test.why
        return algebra.either(a, test.true, b, test.false)

    # ------------------------------------------------------------------------------- conditions

    def difference(self, expr: Binary, st: State) -> tuple[str, Affine | isl.PwAff] | Unknown:
        """A comparison as ("ge" | "eq" | "ne", d): it holds where d >= 0, d == 0, d != 0."""
        a, b = self.value(expr.left, st), self.value(expr.right, st)
        of = common(expr.left.type, expr.right.type)
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return a if isinstance(a, Unknown) else b  # type: ignore[return-value]
        if of is None:
            return self.unknown(f"`{self.text(expr)}` compares what are not integers", expr)
        a = self.converted(a, expr.left.type, of, st, expr.left)
        b = self.converted(b, expr.right.type, of, st, expr.right)
        match expr.op:
            case "<":
                kind, d = "ge", algebra.sub(algebra.sub(b, a), ONE)
            case "<=":
                kind, d = "ge", algebra.sub(b, a)
            case ">":
                kind, d = "ge", algebra.sub(algebra.sub(a, b), ONE)
            case ">=":
                kind, d = "ge", algebra.sub(a, b)
            case "==":
                kind, d = "eq", algebra.sub(a, b)
            case _:
                kind, d = "ne", algebra.sub(a, b)
        return d if isinstance(d, Unknown) else (kind, d)

    def condition(self, expr: Expr, st: State) -> Condition:
        """Where a test is true and where it is false."""
        match expr:
            case Binary(op="&&" | "||" as op, left=left, right=right):
                a = self.condition(left, st)
                into = a.true if op == "&&" else a.false
                later = st.within(into, a.why is None)
                b = self.condition(right, later)
                self._forget_changes(st, later, right)
                if op == "&&":
                    return Condition(a.true.intersect(b.true), a.false.union(b.false), a.why or b.why)
                return Condition(a.true.union(b.true), a.false.intersect(b.false), a.why or b.why)
            case Unary(op="!", operand=operand):
                inner = self.condition(operand, st)
                return Condition(inner.false, inner.true, inner.why)
            case Binary(op="<" | "<=" | ">" | ">=" | "==" | "!="):
                if isinstance(expr.left.type, (PointerType, ArrayType)):
                    self.value(expr.left, st)
                    self.value(expr.right, st)
                    return Condition(UNIVERSE, UNIVERSE, self.unknown("it compares addresses", expr))
                found = self.difference(expr, st)
                if isinstance(found, Unknown):
                    return Condition(UNIVERSE, UNIVERSE, found)
                return split(*found)
            case Cast(operand=operand, type=ScalarType(kind="bool")):
                return self.condition(operand, st)
        value = self.value(expr, st)
        if isinstance(value, Unknown):
            return Condition(UNIVERSE, UNIVERSE, value)
        return split("ne", value)

    def _forget_changes(self, st: State, later: State, at: Expr) -> None:
        """Variables that a conditionally evaluated operand assigned have no known value."""
        for ident, new in later.env.items():
            old = st.env.get(ident)
            if new is not old and ident in st.env:
                st.env[ident] = self.unknown("it is assigned in a condition", at)
            elif old is None:
                fresh = self.effects_of(at)
                st.env[ident] = self.unknown("it is assigned in a condition", at) if ident in fresh else new

    def effects_of(self, expr: Expr) -> frozenset[int]:
        """Variables that evaluating ``expr`` may assign."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------- effects

    def assign(self, expr: Assign, st: State) -> Value:
        """``target op value``."""
        if isinstance(expr.target, Name):
            variable = self.program.variable(expr.target.variable)
            if isinstance(variable.type, PointerType):
                self.pointer(expr, st)
                return self.unknown(f"`{self.text(expr)}` is an address", expr)
            value = self.value(expr.value, st)
            if expr.op != "=" and limits(variable.type) is not None:
                old = self.name(expr.target, variable, st)
                kind = common(variable.type, expr.value.type) or expr.value.type
                value = self.arithmetic(expr, expr.op[:-1], old, variable.type, value, expr.value.type, st)
            else:
                kind = expr.value.type
            return self.store(variable, value, kind, st, expr)
        if expr.op == "=":
            self.value(expr.value, st)
            found = self.target(expr.target, st)
        else:
            found = self.target(expr.target, st)
            if found is not None:
                self.record(found[0], "read", found[1], st)
            self.value(expr.value, st)
        if found is not None:
            self.record(found[0], "write", found[1], st)
            return self.unknown(f"it depends on the value of `{self.text(expr.target)}`", expr)
        return self.unknown(f"`{self.text(expr)}` is not analysed", expr)

    def store(self, variable: Variable, value: Value, source: CType, st: State, at: Expr) -> Value:
        """Assign a scalar; the value that it then has."""
        if limits(variable.type) is None:
            return self.unknown(f"`{variable.name}` is not an integer", at)
        new = self.converted(value, source, variable.type, st, at)
        if self.effects.tracked(variable):
            st.env[variable.id] = new
        return new

    def incdec(self, expr: IncDec, st: State) -> Value:
        """``++`` and ``--``."""
        if isinstance(expr.operand, Name):
            variable = self.program.variable(expr.operand.variable)
            if isinstance(variable.type, PointerType):
                self.pointer(expr, st)
                return self.unknown(f"`{self.text(expr)}` is an address", expr)
            old = self.name(expr.operand, variable, st)
            new = self.arithmetic(expr, expr.op[0], old, variable.type, ONE, INT, st)
            new = self.store(variable, new, common(variable.type, INT) or variable.type, st, expr)
            return new if expr.prefix else old
        found = self.target(expr.operand, st)
        if found is not None:
            self.record(found[0], "read", found[1], st)
            self.record(found[0], "write", found[1], st)
        return self.unknown(f"it depends on the value of `{self.text(expr.operand)}`", expr)

    def call(self, expr: Call, st: State) -> Value:
        """A call: its arguments, then what it may change."""
        if expr.function in ("assert", "__builtin_assume", "__builtin_expect", "assume") and expr.args:
            test = self.condition(expr.args[0], st)
            if expr.function != "__builtin_expect":
                st.dom = st.dom.intersect(test.true)
            return self.unknown("the result of an assertion", expr)
        values = [self.value(arg, st) for arg in expr.args]
        for ident in self.effects.killed_by(expr):
            variable = self.program.variable(ident)
            if isinstance(variable.type, (ScalarType, PointerType)):
                st.env[ident] = self.unknown(f"`{variable.name}` may be changed by the call of {expr.function}", expr)
        kinds = tuple(a.type for a in expr.args)
        if expr.function in _EXTREMA and expr.function not in self.program.functions and len(values) == 2:
            of = common(*kinds)
            a, b = values
            if of is not None and not isinstance(a, Unknown) and not isinstance(b, Unknown):
                return algebra.minimum(a, b) if _EXTREMA[expr.function] == "min" else algebra.maximum(a, b)
        return self.unknown(f"it is the result of the call `{self.text(expr)}`", expr)

    # ------------------------------------------------------------------------------- joins

    def join(self, st: State, one: State, two: State, test: Condition) -> None:
        """Set the values of ``st`` to those after two arms of ``test``."""
        if not one.alive or not two.alive:
            st.env = dict((two if two.alive else one).env)
            return
        merged: dict[int, Stored | Lazy] = {}
        for ident in one.env.keys() | two.env.keys():
            left, right = one.env.get(ident), two.env.get(ident)
            if left is right:
                assert left is not None
                merged[ident] = left
                continue
            variable = self.program.variable(ident)
            a, b = self.lookup(variable, one), self.lookup(variable, two)
            merged[ident] = self._joined(variable, a, one, b, two, test)
        st.env = merged

    def _joined(self, variable: Variable, a: Stored, one: State, b: Stored, two: State, test: Condition) -> Stored:
        if isinstance(a, Unknown):
            return a
        if isinstance(b, Unknown):
            return b
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            if a == b:
                return a
            return self.unknown(f"`{variable.name}` points to different places", variable.at)
        if isinstance(a, Affine) and a == b:
            return a
        if test.why is not None:
            return Unknown(
                f"`{variable.name}` depends on a condition that is not affine: {test.why.reason}", test.why.at
            )
        return algebra.either(a, one.dom, b, two.dom)


def split(kind: str, d: Affine | isl.PwAff) -> Condition:
    """Where ``d kind`` holds and where not."""
    number = algebra.constant(d)
    if number is not None:
        holds = number >= 0 if kind == "ge" else (number == 0) == (kind == "eq")
        return Condition(UNIVERSE, NOWHERE) if holds else Condition(NOWHERE, UNIVERSE)
    if kind == "ge":
        return Condition(algebra.nonnegative(d), algebra.nonnegative(algebra.sub(algebra.scale(d, -1), ONE)))  # type: ignore[arg-type]
    apart = algebra.pw(d).pos_set().union(algebra.pw(algebra.scale(d, -1)).pos_set())  # type: ignore[arg-type]
    return Condition(algebra.zero(d), apart) if kind == "eq" else Condition(apart, algebra.zero(d))


def _same_target(a: CType, b: CType) -> bool:
    def below(of: CType) -> CType:
        if isinstance(of, PointerType):
            return of.target
        if isinstance(of, ArrayType):
            return ArrayType(of.element, of.dims[1:]) if len(of.dims) > 1 else of.element
        return of

    return below(a) == below(b)


def _allocates(value: Expr) -> bool:
    while isinstance(value, Cast):
        value = value.operand
    return isinstance(value, Call)


_EXTREMA = {"std::min": "min", "std::max": "max"}
_ISL_WORDS = frozenset(
    "exists and or not implies mod floor ceil floord ceild min max infty infinity nan true false rat int".split()
)
