"""Set questions of the scheduler: instances of domains after unrolling, and distances of dependences.

Answers are plain; sets come and go as strings in isl notation over named dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import islpy as isl

from hlspart.sets.effort import limited

_MAX_OPERATIONS = 3_000_000
_MOST_COPIES = 1 << 15  # kept: those of a thousand accesses of one iteration, in some texts
_MOST_PAIRS = 1 << 16  # kept: the pairs of some hundred accesses, asked about again in each prediction of their loop


def instance(
    domain: str, names: tuple[str, ...], fixed: Mapping[str, int], shift: Mapping[str, int], keep: tuple[str, ...]
) -> str:
    """The iterations ``keep`` for which an unrolled copy of an access is performed.

    ``domain`` is a set over ``names``; ``fixed`` names become numbers, ``shift`` adds a number to a
    name (a copy of an unrolled loop), names that are neither kept nor fixed are projected out.
    """
    key = (domain, names, tuple(sorted(fixed.items())), tuple(sorted(shift.items())), keep)
    return _instance(*key)


@lru_cache(maxsize=_MOST_COPIES)
def _instance(
    domain: str,
    names: tuple[str, ...],
    fixed: tuple[tuple[str, int], ...],
    shift: tuple[tuple[str, int], ...],
    keep: tuple[str, ...],
) -> str:
    return _copied(_set(domain), isl.dim_type.set, isl.Set.apply, names, dict(fixed), dict(shift), keep)


def _copied(
    every: isl.Set | isl.Map,
    dims: isl.dim_type,
    apply: Callable[[Any, isl.Map], isl.Set | isl.Map],
    names: tuple[str, ...],
    fixed: Mapping[str, int],
    shift: Mapping[str, int],
    keep: tuple[str, ...],
) -> str:
    """A set, or the inputs of a map, as an unrolled copy has it; ``apply``: of a map to its ``dims``."""
    for position, name in reversed(list(enumerate(names))):
        if name in fixed:
            every = every.fix_val(dims, position, fixed[name])
        if name in fixed or name not in keep:
            every = every.project_out(dims, position, 1)
    left = [n for n in names if n in keep and n not in fixed]
    if tuple(left) != keep or any(shift.get(n) for n in left):
        every = apply(every, _shifted(every.get_space(), keep, left, shift).reverse())
    for position, name in enumerate(keep):
        every = every.set_dim_name(dims, position, name)
    return str(every.coalesce())


def _shifted(space: isl.Space, keep: Sequence[str], left: Sequence[str], moved: Mapping[str, int]) -> isl.Map:
    """From iterators ``keep`` to those ``left``, which may have moved; others may have any value."""
    params = [str(space.get_dim_name(isl.dim_type.param, k)) for k in range(space.dim(isl.dim_type.param))]
    text = f"[{', '.join(params)}] -> " if params else ""
    outputs = ", ".join(f"{n} + {moved.get(n, 0)}" for n in left)
    return isl.Map(f"{text}{{ [{', '.join(keep)}] -> [{outputs}] }}")


@lru_cache(maxsize=4096)
def _set(text: str) -> isl.Set:
    return isl.Set(text)


@lru_cache(maxsize=4096)
def _map(text: str) -> isl.Map:
    return isl.Map(text)


def instance_map(
    relation: str, names: tuple[str, ...], fixed: Mapping[str, int], shift: Mapping[str, int], keep: tuple[str, ...]
) -> str:
    """The access map of an unrolled copy, from ``keep`` to elements."""
    return _instance_map(relation, names, tuple(sorted(fixed.items())), tuple(sorted(shift.items())), keep)


@lru_cache(maxsize=_MOST_COPIES)
def _instance_map(
    relation: str,
    names: tuple[str, ...],
    fixed: tuple[tuple[str, int], ...],
    shift: tuple[tuple[str, int], ...],
    keep: tuple[str, ...],
) -> str:
    return _copied(_map(relation), isl.dim_type.in_, isl.Map.apply_domain, names, dict(fixed), dict(shift), keep)


def first_distance(
    names: tuple[str, ...],
    own: int,
    weights: tuple[int, ...],
    steps: tuple[int, ...],
    source: tuple[str, str],
    sink: tuple[str, str],
) -> int | None:
    """Least number of iterations d >= 1 after which ``sink`` touches an element that ``source`` touched.

    ``source`` and ``sink`` are (domain, map) over ``names``; the last ``own`` names belong to the
    pipelined loop (flattened parents included), the others are the same for both. An iteration
    that differs by ``delta`` in the own names is ``weights . (delta / steps)`` iterations later. None
    when no two iterations meet.
    Raises ArithmeticError when the question is beyond the effort limit.
    """
    with limited(_MAX_OPERATIONS):
        return _first_distance(names, own, weights, steps, source, sink)


@lru_cache(maxsize=_MOST_PAIRS)
def _first_distance(
    names: tuple[str, ...],
    own: int,
    weights: tuple[int, ...],
    steps: tuple[int, ...],
    source: tuple[str, str],
    sink: tuple[str, str],
) -> int | None:
    later, distance = _order(len(names), own, weights, steps)
    pairs = _relation(*source).apply_range(_relation(*sink).reverse()).intersect(later)
    if pairs.is_empty():
        return None
    least = pairs.wrap().apply(distance).dim_min_val(0)
    if not least.is_int():
        return 1
    return int(least.to_python())


def least_distance(
    outer: int,
    steps: tuple[int, ...],
    weights: tuple[int, ...],
    source: tuple[str, str, int],
    sink: tuple[str, str, int],
) -> int | None:
    """Least number of iterations d >= 1 of a loop after which ``sink`` touches an element that ``source`` touched.

    Each is (domain, map, rank): the first ``outer`` iterators are those of loops around it and the same for both, the
    next ones are those of the loop, flattened parents included, with these ``steps`` and ``weights`` as in
    :func:`first_distance`, those behind them may be anything. None when no two iterations meet.
    Raises ArithmeticError when the question is beyond the effort limit.
    """
    with limited(_MAX_OPERATIONS):
        return _least_distance(outer, steps, weights, source, sink)


@lru_cache(maxsize=_MOST_COPIES)
def _least_distance(
    outer: int,
    steps: tuple[int, ...],
    weights: tuple[int, ...],
    source: tuple[str, str, int],
    sink: tuple[str, str, int],
) -> int | None:
    sides, kept = [], outer + len(steps)
    for domain, accessed, rank in (source, sink):
        sides.append(_relation(domain, accessed).project_out(isl.dim_type.in_, kept, rank - kept))
    later, distance = _order(kept, len(steps), weights, steps)
    pairs = sides[0].apply_range(sides[1].reverse()).intersect(later)
    if pairs.is_empty():
        return None
    least = pairs.wrap().apply(distance).dim_min_val(0)
    return int(least.to_python()) if least.is_int() else 1


@lru_cache(maxsize=_MOST_COPIES)
def constants(domain: str, accessed: str) -> tuple[int | None, ...]:
    """The value of each dimension of the element where all iterations give the same."""
    elements = _relation(domain, accessed).range()
    out = []
    for k in range(elements.dim(isl.dim_type.set)):
        low, high = elements.dim_min_val(k), elements.dim_max_val(k)
        out.append(int(low.to_python()) if low.is_int() and high.is_int() and low.eq(high) else None)
    return tuple(out)


@lru_cache(maxsize=_MOST_PAIRS)
def meet(source: tuple[str, str], sink: tuple[str, str]) -> bool:
    """Whether some iteration touches one element with both; (domain, map) over the same names each."""
    return not _relation(*source).intersect(_relation(*sink)).is_empty()


@lru_cache(maxsize=_MOST_PAIRS)
def share(one: tuple[str, str], other: tuple[str, str], outer: int) -> bool:
    """Whether two accesses touch one element in iterations that agree in their first ``outer`` names."""

    def touched(access: tuple[str, str]) -> isl.Map:
        relation = _relation(*access)
        inner = relation.dim(isl.dim_type.in_) - outer
        return relation.project_out(isl.dim_type.in_, outer, inner)

    return not touched(one).intersect(touched(other)).is_empty()


@lru_cache(maxsize=_MOST_COPIES)
def _relation(domain: str, accessed: str) -> isl.Map:
    """An access map on its domain."""
    return isl.Map(accessed).intersect_domain(isl.Set(domain))


@lru_cache(maxsize=64)
def _order(rank: int, own: int, weights: tuple[int, ...], steps: tuple[int, ...]) -> tuple[isl.Map, isl.Map]:
    """Pairs of iterations of which the second is later, and the number of iterations between a wrapped pair."""
    outer = rank - own
    same = [f"a{k} = b{k}" for k in range(outer)]
    moves = [
        (w, f"(b{k} - a{k})" if s > 0 else f"(a{k} - b{k})", abs(s))
        for k, w, s in zip(range(outer, rank), weights, steps, strict=True)
    ]
    delta = " + ".join(f"{w} * floor({difference}/{s})" for w, difference, s in moves)
    same += [f"{difference} mod {s} = 0" for _, difference, s in moves]
    a = ", ".join(f"a{k}" for k in range(rank))
    b = ", ".join(f"b{k}" for k in range(rank))
    condition = " and ".join([*same, f"{delta} >= 1"])
    return isl.Map(f"{{ [{a}] -> [{b}] : {condition} }}"), isl.Map(f"{{ [[{a}] -> [{b}]] -> [{delta}] }}")


@lru_cache(maxsize=_MOST_COPIES)
def within(domain: str, names: tuple[str, ...], space: str) -> str:
    """The part of ``domain`` that lies in ``space``, both over ``names``; ``space`` itself where that is all of it."""
    inside, whole = isl.Set(domain).intersect(isl.Set(space)), isl.Set(space)
    if inside.is_equal(whole):
        return space
    for position, name in enumerate(names):
        inside = inside.set_dim_name(isl.dim_type.set, position, name)
    return str(inside.coalesce())


@lru_cache(maxsize=_MOST_COPIES)
def without(domain: str, names: tuple[str, ...], part: str) -> str:
    """The iterations of ``domain`` that are not in ``part``, both over ``names``."""
    rest = isl.Set(domain).subtract(isl.Set(part))
    for position, name in enumerate(names):
        rest = rest.set_dim_name(isl.dim_type.set, position, name)
    return str(rest.coalesce())


def either(one: str, other: str, names: tuple[str, ...]) -> str:
    """The iterations in one domain or the other, both over ``names``."""
    if one == other:
        return one
    both = isl.Set(one).union(isl.Set(other)).coalesce()
    for position, name in enumerate(names):
        both = both.set_dim_name(isl.dim_type.set, position, name)
    return str(both)


@lru_cache(maxsize=256)
def _before(space: str, outer: int) -> isl.Map:
    """The last iteration ahead of each one of ``space``, the first ``outer`` names staying."""
    whole = isl.Set(space)
    pairs = isl.Map.lex_gt(whole.get_space()).intersect_domain(whole).intersect_range(whole)
    for k in range(outer):
        pairs = pairs.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    return pairs.lexmax()


@lru_cache(maxsize=_MOST_COPIES)
def follows(load: tuple[str, str], store: tuple[str, str], space: str, outer: int) -> bool:
    """Whether ``load`` is always of the element of ``store`` in the iteration before, ``outer`` names staying.

    Both as (domain, map) over the names of ``space``.
    """
    return bool(_relation(*load).is_subset(_before(space, outer).apply_range(_relation(*store))))


def constrain(domain: str, names: tuple[str, ...], conditions: Sequence[str]) -> str:
    """``domain`` with further conditions (isl syntax over ``names``)."""
    extra = isl.Set(f"{{ [{', '.join(names)}] : {' and '.join(conditions) or 'true'} }}")
    result = isl.Set(domain).intersect(extra)
    for position, name in enumerate(names):
        result = result.set_dim_name(isl.dim_type.set, position, name)
    return str(result.coalesce())
