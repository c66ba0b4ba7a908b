"""Indices by which nested loops count through an array: ``a * B + b`` with ``b < B`` is another element in each copy.

Loops run as often as parameters without values say, so indices are compared as polynomials of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct

from hlspart.model import program as c
from hlspart.semantics.effects import effects, statement_expressions

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
                return {(expr.name,): 1}
            case c.Name():
                return self._name(expr.variable)
            case c.Cast() if _is_wide(expr.type):
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
            return self.polynomial(self.fixed[variable]) if _is_wide(known.type) else None
        if variable in self.own:
            return None
        if known.const and isinstance(known.init, c.Expr) and _is_wide(known.type):
            value = self.polynomial(known.init)
            if value is not None and not any(name.startswith("#") for product in value for name in product):
                return value  # of nothing that may have changed since
        return {(f"#{variable}",): 1}


def counted(program: c.Program, loop: c.Loop, own: frozenset[int]) -> CopyIndices:
    """What an unrolled loop and those in it count by; ``own``: what its body declares."""
    below: dict[int, c.Expr] = {}
    for each in (s for s in c.walk_statements(loop) if isinstance(s, c.Loop)):
        match each.init, each.test, each.step:
            case c.Declare(variables=(variable,)), c.Binary(op="<", left=left, right=bound), c.IncDec(
                op="++", operand=up
            ):
                of_it = all(isinstance(e, c.Name) and e.variable == variable for e in (_plain(left), _plain(up)))
                if of_it and _starts_at_zero(program, each, variable) and variable not in _set(program, each):
                    below[variable] = bound
    set_ = _set(program, loop)
    locals_ = (program.variable(v) for v in own - set_)
    fixed = {v.id: v.init for v in locals_ if v.storage == "local" and isinstance(v.init, c.Expr)}
    return CopyIndices(program, below, own | set_, fixed)


def multiples(program: c.Program, loops: Iterator[c.Loop], factor: str) -> frozenset[int]:
    """Iterators from zero up by as much as there are banks."""
    banks, rising = _product(factor), set[int]()
    plain = CopyIndices(program, {}, frozenset(), {})
    for loop in loops:
        match loop.step:
            case c.Assign(op="+=", target=c.Name(variable=variable), value=value):
                alone = variable not in _set(program, loop)
                if alone and plain.polynomial(value) == banks and _starts_at_zero(program, loop, variable):
                    rising.add(variable)
    return frozenset(rising)


def _set(program: c.Program, loop: c.Loop) -> frozenset[int]:
    """What the body of a loop sets."""
    known = effects(program)
    return frozenset(v for top in statement_expressions(program, loop.body) for v in known.assigned_in(top))


def _is_wide(kind: c.CType) -> bool:
    return isinstance(kind, c.ScalarType) and kind.kind == "int" and kind.bits >= _WIDE


def _starts_at_zero(program: c.Program, loop: c.Loop, variable: int) -> bool:
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
