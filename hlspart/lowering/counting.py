"""Indices by which nested loops count through an array: ``a * B + b`` with ``b < B`` is another element in each copy.

Loops run as often as parameters without values say, so indices are compared as polynomials of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct

from hlspart.model import program as c

Polynomial = dict[tuple[str, ...], int]  # by the names of a product, in order

_ONE: Polynomial = {(): 1}
_WIDE = 16  # bits: an index wraps around in fewer
_PRODUCT = re.compile(r"[A-Za-z_]\w*(?:\s*\*\s*[A-Za-z_]\w*)*")


class CopyIndices(Struct, frozen=True):
    """What is known inside an unrolled loop: iterators of it and of the loops in it, from zero up by one, with what
    they stay below; the scalars that it sets or declares."""

    program: c.Program
    below: Mapping[int, c.Expr]
    own: frozenset[int]
    fixed: Mapping[int, c.Expr]  # declared inside with a value that stays

    def is_another(self, index: c.Expr, iterator: int) -> bool:
        """Whether the index is another one for each value of the iterator, whatever those of the loops inside are."""
        split = self._split(index)
        if split is None or iterator not in split[0]:
            return False
        terms = split[0]
        step, reach = terms.pop(iterator), _ONE
        while terms:
            inner = next((v for v, by in terms.items() if by == reach), None)
            count = self.polynomial(self.below[inner]) if inner is not None else None
            if inner is None or count is None:
                return False
            terms.pop(inner)
            reach = _times(reach, count)
        if step == reach:
            return True
        wide, narrow = step.get((), 0), reach.get((), 0)
        return step.keys() == reach.keys() == {()} and abs(wide) >= narrow > 0

    def is_in_another_bank(self, index: c.Expr, iterator: int, factor: str, multiples: frozenset[int]) -> bool:
        """Whether copies go to the banks of a cyclic partition in turn: one copy for each, from a place all know.

        ``multiples``: names that stay multiples of the factor.
        """
        banks, split = _product(factor), self._split(index)
        if banks is None or split is None or iterator not in self.below:
            return False
        terms, rest = split
        if terms.get(iterator) != _ONE or self.polynomial(self.below[iterator]) != banks:
            return False
        others = [m for v, by in terms.items() if v != iterator for m in by] + list(rest)
        return all(not m or _divides(banks, m) or any(f"#{v}" in m for v in multiples) for m in others)

    def _split(self, index: c.Expr) -> tuple[dict[int, Polynomial], Polynomial] | None:
        """What each iterator counts by, and the rest."""
        whole = self.polynomial(index)
        if whole is None:
            return None
        terms: dict[int, Polynomial] = {}
        rest: Polynomial = {}
        for product, number in whole.items():
            iterators = [v for v in self.below for _ in range(product.count(f"#{v}"))]
            if len(iterators) > 1:
                return None
            by = tuple(n for n in product if not iterators or n != f"#{iterators[0]}")
            (terms.setdefault(iterators[0], {}) if iterators else rest)[by] = number
        return terms, rest

    def polynomial(self, expr: c.Expr) -> Polynomial | None:
        """An expression as one, None where it is none or changes with more than the iterators."""
        match expr:
            case c.Const(value=int(value)):
                return {(): value} if value else {}
            case c.OpaqueExpr(what=c.OPEN_PARAMETER):
                return {(self.program.text(expr.at),): 1}
            case c.Name():
                return self._name(expr.variable)
            case c.Cast() if (
                isinstance(expr.type, c.ScalarType) and expr.type.kind == "int" and expr.type.bits >= _WIDE
            ):
                return self.polynomial(expr.operand)
            case c.Binary(op="+" | "-" | "*" as op):
                left, right = self.polynomial(expr.left), self.polynomial(expr.right)
                if left is None or right is None:
                    return None
                return _times(left, right) if op == "*" else _plus(left, right, -1 if op == "-" else 1)
            case _:
                return None

    def _name(self, variable: int) -> Polynomial | None:
        known = self.program.variable(variable)
        if variable in self.below:
            return {(f"#{variable}",): 1}
        if variable in self.fixed:
            return self.polynomial(self.fixed[variable])
        if variable in self.own:
            return None
        if known.const and isinstance(known.init, c.Expr) and (value := self.polynomial(known.init)) is not None:
            return value
        return {(f"#{variable}",): 1}


def below(loop: c.Loop) -> c.Expr | None:
    """What the iterator of a loop from zero up by one stays below."""
    match loop.init, loop.test, loop.step:
        case _, c.Binary(op="<", left=left, right=bound), c.IncDec(op="++") if isinstance(_plain(left), c.Name):
            return bound
        case _:
            return None


def multiples(program: c.Program, loops: Iterator[c.Loop], factor: str) -> frozenset[int]:
    """Iterators from zero up by as much as there are banks."""
    banks, rising = _product(factor), set[int]()
    plain = CopyIndices(program, {}, frozenset(), {})
    for loop in loops:
        match loop.step:
            case c.Assign(op="+=", target=c.Name(variable=variable), value=value):
                if plain.polynomial(value) == banks and starts_at_zero(program, loop, variable):
                    rising.add(variable)
    return frozenset(rising)


def starts_at_zero(program: c.Program, loop: c.Loop, variable: int) -> bool:
    """Whether a loop starts with zero in a variable."""
    match loop.init:
        case c.ExprStmt(expr=c.Assign(op="=", target=c.Name(variable=only), value=first)):
            init: object = first
        case c.Declare(variables=(only,)):
            init = program.variable(only).init
        case _:
            return False
    value = _plain(init) if isinstance(init, c.Expr) else None
    return only == variable and isinstance(value, c.Const) and value.value == 0


def _plain(expr: c.Expr) -> c.Expr:
    while isinstance(expr, c.Cast):
        expr = expr.operand
    return expr


def _product(text: str) -> Polynomial | None:
    """A product of names."""
    return {tuple(sorted(re.split(r"\s*\*\s*", text))): 1} if _PRODUCT.fullmatch(text) else None


def _divides(banks: Polynomial, product: tuple[str, ...]) -> bool:
    return all(not Counter(names) - Counter(product) for names in banks)


def _plus(left: Polynomial, right: Polynomial, sign: int) -> Polynomial:
    total = {m: left.get(m, 0) + sign * right.get(m, 0) for m in {**left, **right}}
    return {m: n for m, n in total.items() if n}


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for one, a in left.items():
        for other, b in right.items():
            total = _plus(total, {tuple(sorted((*one, *other))): a * b}, 1)
    return total
