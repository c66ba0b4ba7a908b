"""Records of loops, and guesses at induction read off the text; the walk of the loop proves or refutes them."""

from __future__ import annotations

from dataclasses import dataclass, field

import islpy as isl

from hlspart.model.program import ArrayRef, Assign, Binary, Call, Comma, Expr, IncDec, Loop, Name, Unary, Variable, walk
from hlspart.poly import algebra
from hlspart.poly.algebra import Known, Pointer, Unknown, Value
from hlspart.poly.evaluate import Evaluator
from hlspart.poly.scope import State, Stored


@dataclass(slots=True)
class Frame:
    """What jumps inside a loop or switch leave behind."""

    loop: Loop | None  # None: a switch
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counted:
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


def conjuncts(test: Expr | None) -> list[Expr]:
    """The operands of ``a && b && ..``."""
    if test is None:
        return []
    if isinstance(test, Binary) and test.op == "&&":
        return conjuncts(test.left) + conjuncts(test.right)
    return [test]


def increments(step: Expr | None, evaluator: Evaluator, st: State) -> dict[int, int]:
    """Variables that the step of a for loop moves by a constant."""
    if step is None:
        return {}
    if isinstance(step, Comma):
        found: dict[int, int] = {}
        for item in step.items:
            for ident, change in increments(item, evaluator, st).items():
                found[ident] = found.get(ident, 0) + change
        return found
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
