"""State of the symbolic walk: values of variables, the names in sets, and what to note down."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from functools import cached_property, reduce
from typing import Literal

import islpy as isl
from msgspec import Struct

from hlspart.accesses import algebra
from hlspart.accesses.algebra import NOWHERE, ONE, UNIVERSE, ZERO, Known, Pointer, Unknown, Value
from hlspart.accesses.repeated import Repeated
from hlspart.model.access import Affine
from hlspart.model.program import (
    Binary,
    Cast,
    Const,
    CType,
    Expr,
    Name,
    PointerType,
    Program,
    ScalarType,
    Unary,
    Variable,
    walk,
)
from hlspart.model.reals import whole_part
from hlspart.model.source import Origin
from hlspart.semantics.conversions import limits
from hlspart.semantics.effects import Effects

Stored = Value | Pointer
Lazy = Callable[[], Stored]


NO_REFERENCE = -1  # what stands for the reference of an access to a scalar


class State(Struct):
    """What holds at one point of a function.

    ``dom``: condition on iterators and symbols under which control is here (a superset when ``exact``
    is False). ``left``: some iterations of ``dom`` may have jumped away before, under a test
    that is not affine.
    ``env``: values of variables; what is missing has its value of function entry.
    """

    env: dict[int, Stored | Lazy]
    dom: isl.Set
    exact: bool = True
    left: bool = False
    alive: bool = True
    branch: tuple[tuple[int, int], ...] = ()

    def copy(self) -> State:
        """An independent copy."""
        return State(dict(self.env), self.dom, self.exact, self.left, self.alive, self.branch)

    def at(self, dom: isl.Set) -> State:
        """The same values under another condition."""
        return State(self.env, dom, self.exact, self.left, self.alive, self.branch)

    def within(self, where: isl.Set, exact: bool) -> State:
        """A copy in which ``where`` holds too."""
        dom = self.dom if where is UNIVERSE else self.dom.intersect(where)
        return State(dict(self.env), dom, self.exact and exact, self.left, self.alive, self.branch)


class Condition(Struct, frozen=True):
    """Where a test holds and where it fails; both are supersets when ``why`` says that it is not affine."""

    true: isl.Set
    false: isl.Set
    why: Unknown | None = None


class RawAccess(Struct):
    """An access before its sets are written down."""

    ref: int
    array: int
    kind: Literal["read", "write"]
    at: Origin
    loops: tuple[int, ...]
    iterators: tuple[str, ...]
    dom: isl.Set
    exact: bool
    indices: tuple[Value, ...]
    branch: tuple[tuple[int, int], ...]
    order: int


class _Ranges:
    """The bounds of symbols where all of some conditions hold."""

    def __init__(self, *conditions: isl.Set) -> None:
        self._conditions = conditions
        self._known: dict[str, tuple[int | None, int | None]] = {}

    def is_of(self, *conditions: isl.Set) -> bool:
        """Whether these are the conditions."""
        return all(mine is other for mine, other in zip(self._conditions, conditions, strict=True))

    @cached_property
    def where(self) -> isl.Set:
        """Where all of them hold."""
        first, *others = self._conditions
        return reduce(isl.Set.intersect, others, first)

    def of(self, name: str) -> tuple[int | None, int | None]:
        """Least and greatest value of a symbol, None where there is no finite one."""
        if name not in self._known:
            self._known[name] = algebra.bounds(Affine(((name, 1),), 0), self.where)
        return self._known[name]


class Scope:
    """Names, values and notes of one function."""

    def __init__(self, program: Program, effects: Effects, fixed: Mapping[int, tuple[int, ...]]) -> None:
        self.program = program
        self.effects = effects
        self.fixed = fixed  # parameters that have only these values in the whole program
        self.watched: frozenset[int] = frozenset()  # scalars whose accesses are noted as well
        self.accesses: list[RawAccess] = []
        self.loops: tuple[int, ...] = ()
        self.iterators: tuple[str, ...] = ()
        self.called = UNIVERSE  # what the calls in the program give the parameters
        self.assumed = UNIVERSE  # that and type limits of symbols, for proofs only
        self.facts = UNIVERSE  # what else holds in the loops around, for proofs only
        self.trial = 0  # > 0: a run that only guesses; nothing it says is kept
        self._order = 0
        self._work = 0  # spent on values with cases and divisions
        self._branches: dict[object, int] = {}
        self._entry_names: dict[int, str] = {}
        self._symbols: dict[int, Affine] = {}
        self._starting: set[int] = set()  # variables whose initial value is being evaluated
        self._names: set[str] = set()
        self._silent: dict[Expr, bool] = {}
        self._changing: dict[Expr, bool] = {}
        self._repeated = Repeated()
        self._ranges = _Ranges(UNIVERSE, UNIVERSE, UNIVERSE)

    def unknown(self, reason: str, at: Expr | Origin) -> Unknown:
        """A value without affine form."""
        return Unknown(reason, at if isinstance(at, Origin) else at.at)

    def text(self, expr: Expr) -> str:
        """The source of an expression on one line, shortened, for messages."""
        if self.trial:
            return ""
        text = " ".join(self.program.text(expr.at).split())
        return text if len(text) <= 60 else text[:57] + "..."

    def bounds(self, value: Known, st: State) -> tuple[int | None, int | None]:
        """Bounds of a value at this point, with what the types of symbols promise."""
        if isinstance(value, Affine) and len(value.terms) < 2:  # one symbol is at its own bounds
            return self._around(value, st)
        return algebra.bounds(value, self._ranges_at(st).where)

    def _around(self, value: Affine, st: State) -> tuple[int | None, int | None]:
        """Numbers between which a form is: those that it has where its symbols have nothing to do with each other."""
        low: int | None = value.const
        high: int | None = value.const
        for name, coefficient in value.terms:
            least, most = self._ranges_at(st).of(name)
            first, last = (least, most) if coefficient > 0 else (most, least)
            low = None if low is None or first is None else low + coefficient * first
            high = None if high is None or last is None else high + coefficient * last
        return low, high

    def _ranges_at(self, st: State) -> _Ranges:
        """What symbols can be at this point; asked for again and again while its expressions are evaluated."""
        if not self._ranges.is_of(st.dom, self.assumed, self.facts):
            self._ranges = _Ranges(st.dom, self.assumed, self.facts)
        return self._ranges

    def branch_id(self, node: object) -> int:
        """Number of an If, Switch or Conditional in this function."""
        return self._branches.setdefault(node, len(self._branches))

    def fresh_name(self, wanted: str) -> str:
        """A name for a set dimension or parameter that nothing in scope uses, in the characters isl has for names."""
        wanted = _NOT_IN_NAMES.sub(lambda match: f"u{ord(match[0]):04x}", wanted)
        reserved = wanted.lower() in _ISL_WORDS or (wanted[0] == "e" and wanted[1:].isdigit())
        numbered = (f"{wanted}_{k}" for k in itertools.count(2))
        names = numbered if reserved else itertools.chain([wanted], numbered)
        return next(name for name in names if name not in self._names and name not in self.iterators)

    def name_of(self, variable: Variable) -> str:
        """The name of the value that a scalar has at function entry."""
        name = self._entry_names.get(variable.id)
        if name is None:
            name = self._entry_names[variable.id] = self.fresh_name(variable.name)
            self._names.add(name)
        return name

    def symbol_of(self, variable: Variable) -> Affine:
        """The value that a scalar has at function entry, as a symbolic constant."""
        if variable.id not in self._symbols:
            name = self.name_of(variable)
            self._symbols[variable.id] = Affine(((name, 1),), 0)
            span = limits(variable.type)
            if span is not None:
                self.assumed = self.assumed.intersect(algebra.between(name, *span))
        return self._symbols[variable.id]

    def value(self, expr: Expr, st: State) -> Value:
        """Evaluate an expression (the evaluator does)."""
        raise NotImplementedError

    def whole_part(self, expr: Expr, otherwise: Value) -> Value:
        """What a constant of floating point becomes as an integer."""

        def whole(inner: Expr) -> int | None:
            kept = (self.program.variable(e.variable).const for e in walk(inner) if isinstance(e, Name))
            plain = all(isinstance(e, Const | Name | Binary | Unary | Cast) for e in walk(inner))
            return algebra.constant(self.value(inner, State({}, UNIVERSE))) if plain and all(kept) else None

        quotient = whole_part(expr, self.program.variables, whole)
        return otherwise if quotient is None else Affine((), quotient)

    def entry_value(self, variable: Variable, st: State) -> Stored:
        """Value of a variable that this function has not assigned yet."""
        if isinstance(variable.type, PointerType):
            return Pointer(variable.id, (ZERO,))
        if variable.init is not None and (variable.const or self._never_changes(variable)):
            if variable.id in self._starting:  # const int n = n + 1;
                return self.unknown(f"`{variable.name}` has no value yet", variable.at)
            self._starting.add(variable.id)
            value = self.value(variable.init, State({}, UNIVERSE))
            self._starting.discard(variable.id)
            if isinstance(value, Unknown) and isinstance(variable.type, ScalarType) and variable.type.kind == "int":
                value = self.whole_part(variable.init, value)  # const int n = 4.0;
            return self.converted(value, variable.init.type, variable.type, st, variable.init)
        numbers = self.fixed.get(variable.id, ())
        if len(numbers) == 1:
            return Affine((), numbers[0])
        if variable.storage == "parameter" or (variable.function is None):
            return self.symbol_of(variable)
        if variable.storage == "static":
            return self.unknown(f"`{variable.name}` keeps its value from call to call", variable.at)
        return self.unknown(f"`{variable.name}` has no value yet", variable.at)

    def is_constant(self, variable: Variable) -> bool:
        """Whether a variable outside of functions has its first value for ever."""
        kept = variable.const and variable.function is None and not variable.volatile
        return kept and variable.init is not None and not isinstance(variable.type, PointerType)

    def _never_changes(self, variable: Variable) -> bool:
        hidden = variable.internal or variable.storage == "static"
        return hidden and not any(variable.id in self.effects.modified(f.body) for f in self.program.functions.values())

    def lookup(self, variable: Variable, st: State) -> Stored:
        """Current value of a tracked variable."""
        stored = st.env.get(variable.id)
        if stored is None:
            stored = self.entry_value(variable, st)
        elif not isinstance(stored, (Affine, isl.PwAff, Unknown, Pointer)):
            stored = stored()
        st.env[variable.id] = stored
        return stored

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
            return self.affordable(algebra.either(ZERO, is_zero, ONE, is_zero.complement()), at)
        inner = limits(source)
        if inner is not None and span[0] <= inner[0] and inner[1] <= span[1]:
            return value
        return self.fitting(value, span, st, at, getattr(target, "name", "its type"))

    def affordable(self, value: Value, at: Expr | Origin) -> Value:
        """``value``, when it has not too many cases and divisions to calculate with."""
        if isinstance(value, Unknown | Affine):
            return value
        cases, divisions = algebra.size(value)
        work = cases << min(divisions, 20)
        self._work += work if work > algebra.CHEAP else 0
        if cases <= algebra.MOST_CASES and divisions <= algebra.MOST_DIVISIONS and self._work <= algebra.MOST_WORK:
            return value
        what = "the value" if isinstance(at, Origin) else f"`{self.text(at)}`"
        if cases > algebra.MOST_CASES:
            return self.unknown(f"{what} has more than {algebra.MOST_CASES} cases", at)
        if divisions > algebra.MOST_DIVISIONS:
            return self.unknown(f"{what} has more than {algebra.MOST_DIVISIONS} divisions", at)
        return self.unknown(f"{what} comes after too many values with cases and divisions", at)

    def fitting(self, value: Value, span: tuple[int, int], st: State, at: Expr, name: str) -> Value:
        """``value`` when it is proved to lie in ``span``."""
        if isinstance(value, Unknown) or self.trial:
            return value
        if isinstance(value, Affine) and _is_in(self._around(value, st), span):
            return value
        if _is_in(self.bounds(value, st), span) or st.dom.is_empty():
            return value
        return self.unknown(f"`{self.text(at)}` may leave the range of {name}", at)

    def join(self, st: State, one: State, two: State, test: Condition) -> None:
        """Set the values of ``st`` to those after two arms of ``test``."""
        st.left = one.left or two.left
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
            if isinstance(a, Pointer) and isinstance(b, Pointer) and a == b:
                return a
            return self.unknown(f"`{variable.name}` points to different places", variable.at)
        if isinstance(a, Affine) and isinstance(b, Affine) and a == b:
            return a
        if test.why is not None:
            return Unknown(
                f"`{variable.name}` depends on a condition that is not affine: {test.why.reason}", test.why.at
            )
        return self.affordable(algebra.either(a, one.dom, b, two.dom), variable.at)


def split(kind: str, d: Known) -> Condition:
    """Where ``d kind`` holds and where not."""
    number = algebra.constant(d)
    if number is not None:
        holds = number >= 0 if kind == "ge" else (number == 0) == (kind == "eq")
        return Condition(UNIVERSE, NOWHERE) if holds else Condition(NOWHERE, UNIVERSE)
    if kind == "ge":
        return Condition(algebra.nonnegative(d), algebra.nonnegative(algebra.sub(algebra.scale(d, -1), ONE)))
    apart = algebra.pw(d).pos_set().union(algebra.pw(algebra.scale(d, -1)).pos_set())
    return Condition(algebra.zero(d), apart) if kind == "eq" else Condition(apart, algebra.zero(d))


_RESERVED = "exists and or not implies mod floor ceil floord ceild min max infty infinity nan true false rat int"
_ISL_WORDS = frozenset(_RESERVED.split())  # whatever their case
_NOT_IN_NAMES = re.compile("[^A-Za-z0-9_]")


def _is_in(bounds: tuple[int | None, int | None], span: tuple[int, int]) -> bool:
    """Whether what has these bounds is in ``span``."""
    low, high = bounds
    return low is not None and high is not None and span[0] <= low and high <= span[1]
