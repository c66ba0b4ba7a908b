"""Records of loops, and guesses at induction read off the text; the walk of the loop proves or refutes them."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl
from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.accesses import algebra
from hlspart.accesses.algebra import PARAM, Known, Pointer, Unknown, Value
from hlspart.accesses.evaluate import Evaluator
from hlspart.accesses.scope import State, Stored
from hlspart.model.access import Affine
from hlspart.model.program import (
    ArrayRef,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Expr,
    IncDec,
    Loop,
    Name,
    Unary,
    Variable,
    integer,
    walk,
)


class InductionFrame(Struct):
    """What jumps inside a loop or switch leave behind."""

    loop: Loop | None  # None: a switch
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


class Counted(Struct, frozen=True):
    """The counted form of a loop: ``name`` = ``start`` + ``step`` * n inside ``dom``."""

    variable: Variable
    name: str
    start: Known
    step: int
    dom: isl.Set
    reach: isl.Set  # ``dom`` without the test
    facts: isl.Set  # what else holds in every iteration; for proofs, not for domains
    trips: tuple[Known, ...]  # each at least the number of iterations
    tight: bool  # the least of them, clamped, is that number
    least: int  # 1 for do loops
    exact: bool
    why: Unknown | None  # a part of the test that is not affine


class Course(Struct, frozen=True):
    """How a variable moves: by ``change`` in each iteration, or with each return of the variable ``after``.

    With a ``modulus`` it returns: it stays in ``low`` .. ``low + modulus - 1``, as ``if (++c == W) c = 0`` does.
    """

    change: int
    low: int = 0
    modulus: int = 0
    after: int | None = None

    @property
    def steady(self) -> bool:
        """Whether it is ``change`` more in each iteration."""
        return not self.modulus and self.after is None

    def moved(self, old: Known, times: Known) -> Known:
        """The value after so many moves."""
        value = algebra.add(old, algebra.scale(times, self.change))
        if not self.modulus:
            return value
        rest = algebra.floor_mod(algebra.sub(value, Affine((), self.low)), self.modulus)
        return algebra.add(rest, Affine((), self.low))

    def returns(self, old: Known, times: Known) -> Known:
        """How often it has returned after so many moves."""
        value = algebra.sub(algebra.add(old, algebra.scale(times, self.change)), Affine((), self.low))
        return algebra.scale(algebra.floor_div(value, self.modulus), 1 if self.change > 0 else -1)


def course(own: str, end: Stored, entered: isl.Set, symbols: Mapping[str, int]) -> Course | None:
    """How a variable that starts an iteration as the symbol ``own`` and ends it as ``end`` moves, for a proof to come.

    ``entered``: what holds at the start; ``symbols``: variables that may move, by their symbols in conditions.
    """
    if not isinstance(end, isl.PwAff):
        return None
    changes, resets, names, edges = set[int](), set[int](), set[str](), list[isl.Set]()
    for where, form in end.get_pieces():
        value = algebra.simplified(isl.PwAff.from_aff(form))
        if not isinstance(value, Affine) or value.terms not in ((), ((own, 1),)):
            return None
        where = where.gist(entered).drop_unused_params()
        names |= {str(where.get_dim_name(PARAM, k)) for k in range(where.dim(PARAM))}
        (changes if value.terms else resets).add(value.const)
        edges += [] if value.terms else [algebra.to_dims(where, (own,)).project_out_all_params()]
    after = next((symbols[n] for n in sorted(names - {own}) if n in symbols), None)
    moves = changes - {0} if after is not None else changes
    if len(moves) != 1 or len(resets) > 1 or (after is None and not resets) or (0 in changes) != (after is not None):
        return None
    (change,) = moves
    if not resets:
        return Course(change, after=after)
    (first,) = resets
    ends = [algebra.finite(e.dim_min_val(0) if change > 0 else e.dim_max_val(0)) for e in edges]
    last = next((e for e in ends if e is not None), None) if len(ends) == 1 else None
    if last is None or (last - first) % change or (last - first) // change < 0:
        return None
    return Course(change, min(first, last), abs(last - first) + abs(change), after)


def growth(start: Stored, end: Stored) -> int | None:
    """By which constant a value grew, if it did."""
    if isinstance(start, Pointer) and isinstance(end, Pointer):
        if start.array != end.array or start.indices[:-1] != end.indices[:-1]:
            return None
        start, end = start.indices[-1], end.indices[-1]
    if isinstance(start, Pointer) or isinstance(end, Pointer):
        return None
    change = algebra.sub(end, start)
    return algebra.constant(change)


def most_iterations(counted: Counted, completed: isl.Set) -> int | None:
    """The most iterations that there can be when none follows one outside ``completed``."""
    ending = algebra.to_dims(counted.dom.subtract(completed), (counted.name,))
    if ending.is_empty():
        return None
    never = ending.apply(algebra.AFTER_OR_AT if counted.step > 0 else algebra.BEFORE_OR_AT)
    never = never.apply(isl.Map(f"{{ [x] -> [x + {counted.step}] }}"))
    gone = algebra.sub(Affine(((counted.name, 1),), 0), counted.start)
    number = algebra.floor_div(algebra.scale(gone, 1 if counted.step > 0 else -1), abs(counted.step))
    last = algebra.bounds(number, counted.dom.subtract(algebra.from_dim(never, counted.name)))[1]
    return None if last is None else last + 1


def conjuncts(test: Expr | None) -> list[Expr]:
    """The operands of ``a && b && ..``."""
    if test is None:
        return []
    if isinstance(test, Binary) and test.op == "&&":
        return conjuncts(test.left) + conjuncts(test.right)
    return [test]


def passed(test: Expr) -> Expr | None:
    """A test that held, once its side effects are done: ``++i < n`` as ``i < n``, ``i++ < n`` as ``i - 1 < n``.

    None when it has side effects of another kind.
    """
    names = [e.variable for e in walk(test) if isinstance(e, Name)]
    for expr in walk(test):
        match expr:
            case IncDec(operand=Name(variable=ident)) | Assign(target=Name(variable=ident)):
                if names.count(ident) > 1:
                    return None
            case IncDec() | Assign():
                return None
    return _passed(test)


def _passed(test: Expr) -> Expr | None:
    match test:
        case IncDec(prefix=True, operand=changed) | Assign(target=changed):
            return changed
        case IncDec(operand=changed, op=op):
            one = integer(1, test.at)
            return Binary(test.at, changed.type, "-" if op == "++" else "+", changed, one)
        case Binary(left=left, right=right) if test.op != "||":
            one_side, other = _passed(left), _passed(right)
            return None if one_side is None or other is None else replace(test, left=one_side, right=other)
        case Unary(operand=operand) | Cast(operand=operand):
            inner = _passed(operand)
            return None if inner is None else replace(test, operand=inner)
        case _:
            return None if any(isinstance(e, (IncDec, Assign)) for e in walk(test)) else test


def increments(step: Expr | None, evaluator: Evaluator, st: State) -> dict[int, int]:
    """Variables that the step of a for loop moves by a constant."""
    if step is None:
        return {}
    if isinstance(step, Comma):
        steps: dict[int, int] = {}
        for item in step.items:
            for ident, change in increments(item, evaluator, st).items():
                steps[ident] = steps.get(ident, 0) + change
        return steps
    amount: Value | None = None
    match step:
        case IncDec(op=sign, operand=Name(variable=ident)):
            return {ident: 1 if sign == "++" else -1}
        case Assign(op="+=" | "-=" as op, target=Name(variable=ident), value=value):
            amount = evaluator.value(value, st.copy())
        case Assign(op="=", target=Name(variable=ident), value=Binary(op="+" | "-" as op, left=left, right=right)):
            if isinstance(left, Name) and left.variable == ident:
                amount = evaluator.value(right, st.copy())
            elif op == "+" and isinstance(right, Name) and right.variable == ident:
                amount = evaluator.value(left, st.copy())
        case _:
            return {}
    if amount is not None and op[0] == "-":
        amount = algebra.scale(amount, -1)
    number = None if amount is None else algebra.constant(amount)
    return {} if number is None else {ident: number}


def acts(test: Expr) -> bool:
    """Whether evaluating a test accesses memory or changes something."""
    return any(isinstance(e, (ArrayRef, Assign, IncDec, Call, Unary)) for e in walk(test))
