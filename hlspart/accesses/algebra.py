"""Symbolic integers: affine forms while that suffices, isl piecewise quasi-affine expressions beyond.

Everything lives in *parameter space*: loop iterators and symbolic constants alike are named isl
parameters, so values of different nesting depth combine without any bookkeeping of dimensions.
``relations`` turns iterators into set dimensions when an access is written down.

Arithmetic here is that of the mathematical integers. Whoever calls it must prove that the C
expression does not wrap (:func:`bounds` over the context does that).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import overload

import islpy as isl
from msgspec import Struct

from hlspart.model.access import Affine
from hlspart.model.source import Origin

PARAM = isl.dim_type.param
SET = isl.dim_type.set
UNIVERSE = isl.Set("{ : }")
NOWHERE = isl.Set("{ : 1 = 0 }")


class Unknown(Struct, frozen=True):
    """A value that has no affine form: why, in words, and the place that causes it."""

    reason: str
    at: Origin


class Pointer(Struct, frozen=True):
    """Address of an element (or row) of ``array``: its indices, the last one moves with ``p + k``."""

    array: int
    indices: tuple[Value, ...]


Known = Affine | isl.PwAff
"""An integer over the names in scope."""

Value = Known | Unknown
"""The same, or the reason why there is none."""

ZERO = Affine((), 0)
ONE = Affine((), 1)


MOST_CASES = 16  # of a value; each operation on two values may multiply them
MOST_DIVISIONS = 8  # of a case; the cost of questions about sets grows with a power of them
MOST_WORK = 6_000  # over the values of a function: cases times that power, for values where it exceeds
CHEAP = 8


def size(value: Known) -> tuple[int, int]:
    """Cases of a value, and the most divisions in one of them."""
    if isinstance(value, Affine):
        return 1, 0
    cases, most = 0, 0
    for where, form in value.get_pieces():
        parts = where.get_basic_sets()
        cases += len(parts)
        most = max(most, form.dim(isl.dim_type.div), *(part.dim(isl.dim_type.div) for part in parts))
    return cases, most


def divisions(where: isl.Set) -> int:
    """The most divisions in one piece of a set."""
    return max((part.dim(isl.dim_type.div) for part in where.get_basic_sets()), default=0)


Cases = list[tuple[isl.Set, int]]
"""Disjoint conditions on parameters, and the number that holds under each."""


def cases(value: Known, where: isl.Set, small: bool) -> Cases | None:
    """The few numbers that ``value`` can be in ``where``, if it is made of such, or (``small``) has a small range."""
    if isinstance(value, isl.PwAff):
        pieces = value.get_pieces() if value.n_piece() <= MOST_CASES else []
        if pieces and all(form.is_cst() for _, form in pieces):
            constants = [(part.intersect(where), form.get_constant_val()) for part, form in pieces]
            return [(part, number.to_python()) for part, number in constants if number.is_int() and not part.is_empty()]
    low, high = bounds(value, where) if small else (None, None)
    if low is None or high is None or high - low >= MOST_CASES:
        return None
    parts = ((zero(sub(value, Affine((), n))).intersect(where), n) for n in range(low, high + 1))
    return [(part, n) for part, n in parts if not part.is_empty()]


def within(value: Known, where: isl.Set) -> Known:
    """``value`` where only ``where`` is asked for."""
    return value if isinstance(value, Affine) else simplified(value.intersect_params(where))


def constant(value: Value) -> int | None:
    """The integer that ``value`` is, if it is one."""
    return value.const if isinstance(value, Affine) and not value.terms else None


def _val(number: int) -> isl.Val:
    return isl.Val(number) if abs(number) < 1 << 31 else isl.Val(str(number))


@lru_cache(maxsize=4096)
def symbol(name: str) -> isl.PwAff:
    """The parameter ``name`` as an expression."""
    return isl.PwAff(f"[{name}] -> {{ [({name})] }}")


@lru_cache(maxsize=4096)
def _number(value: int) -> isl.PwAff:
    return isl.PwAff(f"{{ [({value})] }}")


@lru_cache(maxsize=8192)
def _affine_pw(form: Affine) -> isl.PwAff:
    total = _number(form.const)
    for name, coefficient in form.terms:
        term = symbol(name)
        total = total + (term if coefficient == 1 else term.scale_val(_val(coefficient)))
    return total


def pw(value: Known) -> isl.PwAff:
    """``value`` as an isl expression."""
    return _affine_pw(value) if isinstance(value, Affine) else value


def simplified(value: isl.PwAff) -> Known:
    """The affine form of a one-piece expression without divisions, else ``value`` itself.

    The piece's own domain may be dropped: a value is only asked for inside the context it was made in.
    """
    value = value.coalesce()
    if value.n_piece() != 1:
        return value
    _, aff = value.get_pieces()[0]
    if aff.dim(isl.dim_type.div) or not aff.get_denominator_val().is_one():
        return value
    terms: dict[str, int] = {}
    for k in range(aff.dim(PARAM)):
        coefficient = aff.get_coefficient_val(PARAM, k).to_python()
        if coefficient:
            terms[str(aff.get_dim_name(PARAM, k))] = coefficient
    return Affine.of(terms, aff.get_constant_val().to_python())


@overload
def add(a: Known, b: Known) -> Known: ...
@overload
def add(a: Value, b: Value) -> Value: ...
def add(a: Value, b: Value) -> Value:
    """a + b."""
    if isinstance(a, Unknown):
        return a
    if isinstance(b, Unknown):
        return b
    if isinstance(a, Affine) and isinstance(b, Affine):
        return a + b
    return simplified(pw(a) + pw(b))


@overload
def scale(a: Known, factor: int) -> Known: ...
@overload
def scale(a: Value, factor: int) -> Value: ...
def scale(a: Value, factor: int) -> Value:
    """factor * a."""
    if isinstance(a, Unknown):
        return a
    if isinstance(a, Affine):
        return a.scaled(factor)
    return simplified(a.scale_val(_val(factor)))


@overload
def sub(a: Known, b: Known) -> Known: ...
@overload
def sub(a: Value, b: Value) -> Value: ...
def sub(a: Value, b: Value) -> Value:
    """a - b."""
    return add(a, scale(b, -1))


def mul(a: Value, b: Value, otherwise: Unknown) -> Value:
    """a * b when one of them is a number, else ``otherwise``."""
    for x, y in ((a, b), (b, a)):
        number = constant(x)
        if number is not None:
            return scale(y, number)
    return a if isinstance(a, Unknown) else b if isinstance(b, Unknown) else otherwise


def floor_div(a: Known, divisor: int) -> Known:
    """floor(a / divisor), divisor > 0."""
    if isinstance(a, Affine) and all(c % divisor == 0 for _, c in a.terms):
        return Affine(tuple((n, c // divisor) for n, c in a.terms), a.const // divisor)
    return simplified(pw(a).scale_down_val(_val(divisor)).floor())


def reciprocal(factor: int, bits: int, product: tuple[int | None, int | None]) -> int | None:
    """The d for which factor * n >> bits is n / d for all n >= 0 whose ``product`` with the factor is in bounds.

    With e = factor * d - 2^bits >= 0 that holds as long as e * n < 2^bits (Granlund, Montgomery, PLDI 1994).
    """
    low, high = product
    if factor <= 0 or low is None or low < 0 or high is None:
        return None
    divisor = -(-(1 << bits) // factor)
    return divisor if (factor * divisor - (1 << bits)) * (high // factor) < 1 << bits else None


def floor_mod(a: Known, divisor: int) -> Known:
    """a mod divisor, in [0, divisor)."""
    if isinstance(a, Affine) and all(c % divisor == 0 for _, c in a.terms):
        return Affine((), a.const % divisor)
    return simplified(pw(a).mod_val(_val(divisor)))


def bits_of(a: Known, mask: int) -> Known | None:
    """``a & mask`` for a mask of neighbouring bits, as in ``x & ~3``; None for another mask."""
    if (number := constant(a)) is not None:
        return Affine((), number & mask)
    lowest = mask & -mask
    above = mask + lowest  # 0 where all bits from the lowest one on are set
    if mask == 0 or above & (above - 1):
        return ZERO if mask == 0 else None
    kept = floor_mod(a, above) if above else a
    return sub(kept, floor_mod(a, lowest)) if lowest > 1 else kept


def trunc_div(a: Known, divisor: int) -> Known:
    """a / divisor as C rounds it, toward zero; divisor not 0."""
    return simplified(pw(a).tdiv_q(_number(divisor)))


def trunc_mod(a: Known, divisor: int) -> Known:
    """a % divisor as in C: the sign of a; divisor not 0."""
    return simplified(pw(a).tdiv_r(_number(abs(divisor))))


def minimum(a: Known, b: Known) -> Known:
    """The lesser of both."""
    return simplified(pw(a).min(pw(b)))


def maximum(a: Known, b: Known) -> Known:
    """The greater of both."""
    return simplified(pw(a).max(pw(b)))


def either(a: Known, where_a: isl.Set, b: Known, where_b: isl.Set) -> Known:
    """a on ``where_a``, b on the disjoint ``where_b``."""
    if isinstance(a, Affine) and isinstance(b, Affine) and a == b:
        return a
    left, right = pw(a).intersect_params(where_a), pw(b).intersect_params(where_b)
    return simplified(left.union_add(right))


def nonnegative(a: Known) -> isl.Set:
    """Where a >= 0."""
    return pw(a).nonneg_set()


_MOST_BITS = 8192  # of a bound: Python writes no longer numbers


@lru_cache(maxsize=1024)
def between(name: str, low: int, high: int) -> isl.Set:
    """Where the parameter ``name`` lies in [low, high]; anywhere where these are numbers of thousands of bits."""
    if max(low.bit_length(), high.bit_length()) > _MOST_BITS:
        return isl.Set(f"[{name}] -> {{ : }}")
    return isl.Set(f"[{name}] -> {{ : {low} <= {name} <= {high} }}")


def among(name: str, numbers: Sequence[int]) -> isl.Set:
    """Where the parameter ``name`` is one of ``numbers``."""
    return isl.Set(f"[{name}] -> {{ : {' or '.join(f'{name} = {n}' for n in numbers)} }}").coalesce()


def zero(a: Known) -> isl.Set:
    """Where a == 0."""
    return pw(a).zero_set()


def are_equal_on(a: Value, b: Value, where: isl.Set) -> bool:
    """Whether both are known and equal everywhere in ``where``."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return False
    if isinstance(a, Affine) and isinstance(b, Affine) and a == b:
        return True
    return bool(where.is_subset(zero(simplified(pw(a) - pw(b)))))


def finite(value: isl.Val) -> int | None:
    """A bound as an integer, None when infinite or absent."""
    return value.to_python() if value.is_int() else None


def bounds(a: Known, where: isl.Set) -> tuple[int | None, int | None]:
    """Least and greatest value of a over ``where``, None where there is no finite one."""
    if isinstance(a, Affine) and not a.terms:
        return a.const, a.const
    values = isl.Set.from_pw_aff(pw(a).intersect_params(where)).project_out_all_params()
    return finite(values.dim_min_val(0)), finite(values.dim_max_val(0))


def to_dims(where: isl.Set, names: tuple[str, ...]) -> isl.Set:
    """A parameter set with the parameters ``names`` made set dimensions, in that order."""
    result = isl.Set.from_params(where)
    for k, name in enumerate(names):
        position = result.find_dim_by_name(PARAM, name)
        if position < 0:
            result = result.insert_dims(SET, k, 1)
            result = result.set_dim_name(SET, k, name)
        else:
            result = result.move_dims(SET, k, PARAM, position, 1)
    return result.drop_unused_params()


def from_dim(values: isl.Set, name: str) -> isl.Set:
    """A set of one dimension as a condition on the parameter ``name``."""
    return values.intersect(isl.Set(f"[{name}] -> {{ [x] : x = {name} }}")).params()


AFTER_OR_AT = isl.Map("{ [x] -> [y] : y >= x }")
BEFORE_OR_AT = isl.Map("{ [x] -> [y] : y <= x }")
