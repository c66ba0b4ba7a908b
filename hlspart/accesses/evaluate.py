"""Symbolic evaluation of C expressions: integer values, conditions, pointers, and the accesses on the way.

C's own rules decide what counts as an affine value: operands are converted as the standard says,
unsigned and narrow results must be proved not to wrap, ``/`` and ``%`` round toward zero. What cannot
be proved becomes :class:`~hlspart.accesses.algebra.Unknown` with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from hlspart.accesses import algebra
from hlspart.accesses.algebra import ONE, UNIVERSE, ZERO, Known, Pointer, Unknown, Value, divisions
from hlspart.accesses.pointers import Pointers
from hlspart.accesses.scope import Condition, State, split
from hlspart.model.access import Affine
from hlspart.model.program import (
    INT,
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
    OpaqueExpr,
    PointerType,
    ScalarType,
    SizeOf,
    Unary,
    Variable,
    children,
    places,
)
from hlspart.semantics.conversions import common, limits, may_wrap, negated, promoted

MOST_PIECES = 4  # of a condition, from which arms of further selections are not told apart
MOST_DIVISIONS = 4  # likewise, in one of its pieces


_BY_CASES = ("<<", ">>", "/", "%", "*", "&")  # operations that have a form where one operand is a number
_BY_RANGE = ("<<", ">>", "/", "%")  # of which every value of a small range is looked at


class Evaluator(Pointers):
    """Evaluates expressions of one function in a :class:`State`, recording array accesses in order."""

    def value(self, expr: Expr, st: State) -> Value:
        """Integer value of an expression; effects and accesses happen in evaluation order."""
        if not isinstance(expr, Binary | Conditional | Cast) or not self.is_silent(expr):
            return self._evaluated(expr, st)
        form = self._repeated.form(expr)
        values = tuple(map(st.env.get, form.variables))
        proofs = self.assumed, self.facts, self.trial
        value = self._repeated.value(form, values, st.dom, proofs)
        if value is not None:
            return value
        result, dom = self._evaluated(expr, st), st.dom
        self._repeated.note(form, tuple(map(st.env.get, form.variables)), dom, proofs, result)
        return result

    def _evaluated(self, expr: Expr, st: State) -> Value:
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
                if self._guesses_only(expr):
                    return self.unknown(f"it depends on the value of `{self.text(expr)}`", expr)
                place = self.place(expr, st)
                self.record(expr, "read", place, st)
                listed = None if isinstance(place, Unknown) else self.listed(place)
                if listed is not None:
                    return self.converted(self.value(listed, State({}, UNIVERSE)), listed.type, expr.type, st, expr)
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
                a = self.value(left, st)
                if isinstance(a, Unknown) and self.is_silent(right):
                    return a
                b = self.value(right, st)
                return self.arithmetic(expr, op, a, left.type, b, right.type, st)
            case Cast(operand=operand):
                value = self.value(operand, st)
                if isinstance(value, Unknown):
                    value = self.whole_part(operand, value)
                return self.converted(value, operand.type, expr.type, st, expr)
            case Conditional():
                return self.conditional(expr, st)
        for child in children(expr):
            self.value(child, st)
        if isinstance(expr, Member):
            return self.unknown(f"it depends on the struct member `{self.text(expr)}`", expr)
        if isinstance(expr, OpaqueExpr):
            return self.unknown(f"`{self.text(expr)}` is not analysed: {expr.what}", expr)
        return self.unknown(f"`{self.text(expr)}` is not analysed", expr)

    def _guesses_only(self, ref: ArrayRef) -> bool:
        """Whether this is a trial, which asks how variables move, and the place of an element says nothing of that.

        Subscripts of banks that are selected at run time are chains of selections, and cost most of a walk.
        """
        variable = self.program.variable(ref.variable)
        plain = not isinstance(variable.type, PointerType) and not variable.const
        return self.trial > 0 and plain and all(map(self.is_silent, ref.indices))

    def name(self, expr: Expr, variable: Variable, st: State) -> Value:
        """Value of a scalar variable."""
        self.touch(variable, "read", expr.at, st)
        if self.effects.is_tracked(variable) or self.is_constant(variable):  # also where somebody has its address
            value = self.lookup(variable, st)
            assert not isinstance(value, Pointer)
            return value
        if limits(variable.type) is None:
            return self.unknown(f"`{variable.name}` is not an integer", expr)
        if variable.volatile:
            return self.unknown(f"`{variable.name}` is volatile", expr)
        how = "by code that is not analysed" if variable.id in self.effects.escaping else "through its address"
        return self.unknown(f"`{variable.name}` may be changed {how}", expr)

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
        of = negated(kind) if op == "-" else promoted(kind)
        return self._typed(result, of, st, expr)

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
        if not shift and of.library is None:
            a, b = self.converted(a, a_type, of, st, expr), self.converted(b, b_type, of, st, expr)
            if isinstance(a, Unknown) or isinstance(b, Unknown):
                return a if isinstance(a, Unknown) else b
        result = self.affordable(self._operate(expr, op, a, b, st), expr)
        if of.library is not None:  # the library's result is as wide as it needs to be
            return result if op in ("+", "-", "*", "/", "%", "&", "|", ">>") else self._typed(result, of, st, expr)
        return self._typed(result, of, st, expr)

    def _operate(self, expr: Expr, op: str, a: Known, b: Known, st: State) -> Value:
        number = algebra.constant(b)
        if number is None and op in _BY_CASES:
            cases = algebra.cases(b, st.dom, op in _BY_RANGE)
            if cases:
                return self._by_cases(expr, op, a, cases, st)
            if op in ("*", "&") and algebra.constant(a) is None and (cases := algebra.cases(a, st.dom, False)):
                return self._by_cases(expr, op, b, cases, st)
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
                return algebra.floor_div(a, self._divisor(expr, a, number, st))
            case "/" | "%":
                if number is None or number == 0:
                    return self.unknown(f"`{self.text(expr)}` divides by a variable or zero", expr)
                low, _ = self.bounds(a, st)
                if low is not None and low >= 0 and number > 0:
                    return algebra.floor_div(a, number) if op == "/" else algebra.floor_mod(a, number)
                return algebra.trunc_div(a, number) if op == "/" else algebra.trunc_mod(a, number)
            case "&":
                for x, mask in ((a, number), (b, algebra.constant(a))):
                    if mask is not None and (some := algebra.bits_of(x, mask)) is not None:
                        return some
            case "|" | "^":
                for x, y in ((a, b), (b, a)):  # disjoint bits: the same as a sum
                    low, high = self.bounds(y, st)
                    if low is not None and high is not None and low >= 0:
                        width = 1 << high.bit_length()
                        if algebra.are_equal_on(algebra.floor_mod(x, width), ZERO, st.dom):
                            return algebra.add(x, y)
        return self.unknown(f"`{self.text(expr)}` is not affine", expr)

    def _divisor(self, expr: Expr, a: Known, bits: int, st: State) -> int:
        """What ``a >> bits`` divides by; of a product with a rounded reciprocal, what makes it the plain division."""
        left = expr.left if isinstance(expr, Binary) else expr
        factors = children(left) if isinstance(left, Binary) and left.op == "*" else ()
        numbers = (x.value for x in factors if isinstance(x, Const) and isinstance(x.value, int))
        return next((n * d for n in numbers if (d := algebra.reciprocal(n, bits, self.bounds(a, st)))), 1 << bits)

    def _by_cases(self, expr: Expr, op: str, a: Known, cases: algebra.Cases, st: State) -> Value:
        """``a op b`` where b is one of a few numbers: each of them by itself, as stages of an FFT have them."""
        result: Known | None = None
        seen = algebra.NOWHERE
        for where, number in cases:
            part = self._operate(expr, op, algebra.within(a, where), Affine((), number), st)
            if isinstance(part, Unknown):
                return part
            result = part if result is None else algebra.either(result, seen, part, where)
            seen = seen.union(where)
        assert result is not None
        return result

    def truth(self, expr: Expr, st: State) -> Value:
        """A test as 0 or 1."""
        test = self.condition(expr, st)
        if test.why is not None:
            return test.why
        return self.affordable(algebra.either(ONE, test.true, ZERO, test.false), expr)

    def conditional(self, expr: Conditional, st: State) -> Value:
        """``test ? then : other``."""
        test = self.condition(expr.test, st)
        number = self.branch_id(expr)
        one, two = self._arm(st, test.true, test.why is None), self._arm(st, test.false, test.why is None)
        one.branch, two.branch = (*st.branch, (number, 0)), (*st.branch, (number, 1))
        a = self.value(expr.then, one)
        if isinstance(a, Unknown) and self.is_silent(expr.then) and self.is_silent(expr.other):
            return a
        b = self.value(expr.other, two)
        if self.is_changing(expr):
            self.join(st, one, two, test)
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return a if isinstance(a, Unknown) else b
        of = common(expr.then.type, expr.other.type)
        if of is not None:
            a = self.converted(a, expr.then.type, of, one, expr)
            b = self.converted(b, expr.other.type, of, two, expr)
        if of is None:
            return self.unknown(f"`{self.text(expr)}` is not an integer", expr)
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return a if isinstance(a, Unknown) else b
        if test.why is not None:
            same = a is b or (isinstance(a, Affine) and isinstance(b, Affine) and a == b)
            return a if same else test.why
        return self.affordable(algebra.either(a, test.true, b, test.false), expr)

    @staticmethod
    def _arm(st: State, where: isl.Set, exact: bool) -> State:
        """``st`` where a test holds, or a superset: a chain of selections falls into ever more pieces."""
        few = st.dom.n_basic_set() < MOST_PIECES and divisions(st.dom) + divisions(where) <= MOST_DIVISIONS
        return st.within(where, exact) if few else st.within(algebra.UNIVERSE, False)

    def is_silent(self, expr: Expr) -> bool:
        """Whether evaluating ``expr`` notes and changes nothing, so that only its value can be of interest.

        Banks that are found in tables are chains of some twenty selections with such arms.
        """
        if self.watched and not self.trial:
            return False
        known = self._silent.get(expr)
        if known is None:
            plain = isinstance(expr, Const | Name | SizeOf | Binary | Cast | Conditional) or (
                isinstance(expr, Unary) and expr.op in "+-~!"
            )
            known = self._silent[expr] = plain and all(map(self.is_silent, children(expr)))
        return known

    def is_changing(self, expr: Expr) -> bool:
        """Whether evaluating ``expr`` may change a variable; what chooses among banks only reads."""
        known = self._changing.get(expr)
        if known is None:
            acts = isinstance(expr, Assign | IncDec | Call | OpaqueExpr)
            known = self._changing[expr] = acts or any(map(self.is_changing, children(expr)))
        return known

    # ------------------------------------------------------------------------------- conditions

    def difference(self, expr: Binary, st: State) -> tuple[str, Known] | Unknown:
        """A comparison as ("ge" | "eq" | "ne", d): it holds where d >= 0, d == 0, d != 0."""
        a: Value
        b: Value
        if isinstance(expr.left.type, (PointerType, ArrayType)):
            p, q = self.pointer(expr.left, st), self.pointer(expr.right, st)
            if isinstance(p, Unknown):
                return p
            if isinstance(q, Unknown):
                return q
            if p.array != q.array or p.indices[:-1] != q.indices[:-1]:
                return self.unknown(f"`{self.text(expr)}` compares places in different arrays", expr)
            a, b = p.indices[-1], q.indices[-1]
        else:
            a, b = self.value(expr.left, st), self.value(expr.right, st)
            of = common(expr.left.type, expr.right.type)
            if of is None and not isinstance(a, Unknown) and not isinstance(b, Unknown):
                return self.unknown(f"`{self.text(expr)}` compares what are not integers", expr)
            if of is not None:
                a = self.converted(a, expr.left.type, of, st, expr.left)
                b = self.converted(b, expr.right.type, of, st, expr.right)
        if isinstance(a, Unknown):
            return a
        if isinstance(b, Unknown):
            return b
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

    def fact(self, part: Expr, state: State) -> isl.Set:
        """What ``x < y`` tells about x when only the type of y is known (it excludes wrapping)."""
        if not isinstance(part, Binary) or part.op not in ("<", ">"):
            return UNIVERSE
        small, large = (part.left, part.right) if part.op == "<" else (part.right, part.left)
        of, span = common(small.type, large.type), limits(large.type)
        if of is not None and span is not None and not of.signed and span[0] < 0:
            span = limits(of)  # what y is converted to
        if of is None or span is None or isinstance(value := self.value(small, state.copy()), Unknown):
            return UNIVERSE
        return algebra.nonnegative(algebra.sub(Affine((), span[1] - 1), value))

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
                difference = self.difference(expr, st)
                if isinstance(difference, Unknown):
                    return Condition(UNIVERSE, UNIVERSE, difference)
                return split(*difference)
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
                if expr.op != "=":
                    self.touch(variable, "read", expr.target.at, st)
            return self.store(variable, value, kind, st, expr)
        if expr.op == "=":
            self.value(expr.value, st)
            target = self.target(expr.target, st)
        else:
            target = self.target(expr.target, st)
            if target is not None:
                self.record(target[0], "read", target[1], st)
            self.value(expr.value, st)
        if target is not None:
            self.record(target[0], "write", target[1], st)
            return self.unknown(f"it depends on the value of `{self.text(expr.target)}`", expr)
        self.chosen(expr.target, st)
        return self.unknown(f"`{self.text(expr)}` is not analysed", expr)

    def chosen(self, target: Expr, st: State) -> None:
        """Stores to what an expression chooses, as in ``(c ? A[i] : B[j]) = x`` of C++."""
        for ref in places(target):
            if isinstance(ref, ArrayRef):
                self.record(ref, "write", self.unknown(f"`{self.text(target)}` is a choice of places", target), st)

    def store(self, variable: Variable, value: Value, source: CType, st: State, at: Expr) -> Value:
        """Assign a scalar; the value that it then has."""
        self.touch(variable, "write", at.at, st)
        if limits(variable.type) is None:
            return self.unknown(f"`{variable.name}` is not an integer", at)
        new = self.converted(value, source, variable.type, st, at)
        if self.effects.is_tracked(variable):
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
        target = self.target(expr.operand, st)
        if target is not None:
            self.record(target[0], "read", target[1], st)
            self.record(target[0], "write", target[1], st)
        else:
            self.chosen(expr.operand, st)
        return self.unknown(f"it depends on the value of `{self.text(expr.operand)}`", expr)

    def call(self, expr: Call, st: State) -> Value:
        """A call: its arguments, then what it may change."""
        if expr.function in ("assert", "__builtin_assume", "__builtin_expect", "assume") and expr.args:
            test = self.condition(expr.args[0], st)
            if expr.function != "__builtin_expect":
                st.dom = st.dom.intersect(test.true)
            return self.unknown("the result of an assertion", expr)
        values = [self.value(arg, st) for arg in expr.args]
        for arg in self.effects.changed_arguments(expr):
            target = self.target(arg, st)
            if target is not None:
                self.record(target[0], "write", target[1], st)
        for ident in self.effects.killed_by(expr):
            variable = self.program.variable(ident)
            if isinstance(variable.type, (ScalarType, PointerType)):
                st.env[ident] = self.unknown(f"`{variable.name}` may be changed by the call of {expr.function}", expr)
        kinds = tuple(a.type for a in expr.args)
        which = self.effects.extremum(expr)
        if which is not None:
            of = common(*kinds)
            a, b = values
            if of is not None and not isinstance(a, Unknown) and not isinstance(b, Unknown):
                least = which == "min"
                return self.affordable(algebra.minimum(a, b) if least else algebra.maximum(a, b), expr)
        return self.result_of(expr, values, st)

    def result_of(self, expr: Call, values: Sequence[Value], st: State) -> Value:
        """What a function of the program returns for some arguments; functions are followed by :class:`CallResults`."""
        return self.unknown(f"it is the result of the call `{self.text(expr)}`", expr)
