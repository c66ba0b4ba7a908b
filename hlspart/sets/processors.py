"""Set questions of parallel expansion: which dependences join processing elements, and in which order.

A loop with N iterations n = 0, 1, .. is spread over P elements: cyclic, n = t*P + p, or in blocks of T,
n = p*T + t (docs/expand.md). Answers are plain; sets come and go as strings in isl notation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

import islpy as isl
from msgspec import Struct

from hlspart.model.access import Access, Affine
from hlspart.sets.effort import limited

_MAX_OPERATIONS = 20_000_000
_T = TypeVar("_T")


class Axis(Struct, frozen=True):
    """A loop spread over ``pes`` elements; ``block``: consecutive iterations per element, None: cyclic.

    Iteration n has the iterator's value ``lower + step * n``.
    """

    lower: Affine
    step: int
    pes: int
    block: int | None = None


class Pair(Struct, frozen=True):
    """Two accesses to one array, the source executed first or in an earlier iteration.

    ``common``: loops around both, outermost first, as the signs of their steps; ``outer`` of them stand around the
    region. ``first``: in one iteration of all common loops the source is evaluated before the sink; ``apart``: its
    statement stands before the sink's. ``axes``: by position in ``common``. ``same``: positions of loops for which
    the variable has a copy for every iteration or element, so that only accesses of one iteration meet.
    """

    source: Access
    sink: Access
    common: tuple[int, ...]
    outer: int
    first: bool
    apart: bool
    axes: tuple[tuple[int, Axis], ...]
    same: tuple[int, ...] = ()


Iteration = Mapping[str, int]


def are_joined(pair: Pair) -> bool:
    """Whether the pair is a dependence that joins two elements."""
    return not _guarded(lambda: _crossing(pair).is_empty())


def depends(pair: Pair) -> bool:
    """Whether the pair is a dependence at all."""
    return not _guarded(lambda: _pairs(pair).is_empty())


def out_of_step(pair: Pair) -> tuple[Iteration, Iteration] | None:
    """Two iterations, of source and sink, on different elements of which the second does not come strictly later.

    Elements work in lock-step: an instance has the time (iterations of other loops, t of spread ones, position of its
    statement). None when every dependence between elements goes forward in time.
    """

    def ask() -> tuple[Iteration, Iteration] | None:
        crossing = _crossing(pair)
        if crossing.is_empty():
            return None
        return _sample(pair, crossing.subtract(_parsed(_later(pair))))

    return _guarded(ask)


def joining(pair: Pair) -> tuple[Iteration, Iteration] | None:
    """Two iterations on different elements that touch one element of the array, or None."""
    return _guarded(lambda: _sample(pair, _crossing(pair)))


def is_covered(read: Access, writes: Sequence[tuple[Access, int]], inside: int, directions: Sequence[int]) -> bool:
    """Whether every element that ``read`` touches was written before, whatever happens.

    ``writes`` are certain, each with the number of loops around both it and the read; the iterations of the first
    ``inside`` of these are the same. ``directions``: signs of the steps of the loops around the read.
    """

    def ask() -> bool:
        rest = _relation(read.domain, read.map or "").domain()
        for write, common in writes:
            rank = len(read.iterators), len(write.iterators)
            met = _met(read.domain, read.map or "", write.domain, write.map or "")
            same = [f"_a{k} = _b{k}" for k in range(min(inside, common))]
            options = [] if write.order > read.order else [[*same, *(f"_a{k} = _b{k}" for k in range(inside, common))]]
            for k in range(inside, common):
                before = f"_b{k} < _a{k}" if directions[k] > 0 else f"_b{k} > _a{k}"
                options.append([*same, *(f"_a{m} = _b{m}" for m in range(inside, k)), before])
            texts = tuple(" and ".join(option) or "true" for option in options)
            if texts:
                rest = rest.subtract(met.intersect(_parsed((*rank, frozenset(), texts))).domain())
        return bool(rest.is_empty())

    return _guarded(ask)


def is_same_elements(some: Sequence[Access], all_: Sequence[Access], position: int, last: str) -> bool:
    """Whether ``some`` touch, in the iteration ``last`` (isl condition on x, the iterator at ``position``) of a loop,
    every element that ``all_`` touch in any iteration, the iterations of the loops around being the same."""

    def ask() -> bool:
        at_last: isl.Map | None = None
        anywhere: isl.Map | None = None
        for accesses, final in ((some, True), (all_, False)):
            for access in accesses:
                names = [f"_a{k}" for k in range(len(access.iterators))]
                relation = _relation(access.domain, access.map or "")
                if final:
                    text = last.replace("x", names[position])
                    relation = relation.intersect_domain(isl.Set(f"{{ [{', '.join(names)}] : {text} }}"))
                outer = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(names[:position])}] }}")
                relation = outer.reverse().apply_range(relation)
                if final:
                    at_last = relation if at_last is None else at_last.union(relation)
                else:
                    anywhere = relation if anywhere is None else anywhere.union(relation)
        if anywhere is None:
            return True
        return at_last is not None and bool(anywhere.is_subset(at_last))

    return _guarded(ask)


def written_box(writes: Sequence[Access]) -> tuple[tuple[int, int], ...] | None:
    """Least and greatest index per dimension, where ``writes`` together touch all elements between these."""

    def ask() -> tuple[tuple[int, int], ...] | None:
        touched: isl.Set | None = None
        for write in writes:
            elements = _relation(write.domain, write.map or "").range()
            touched = elements if touched is None else touched.union(elements)
        if touched is None or touched.dim(isl.dim_type.param):
            return None
        box = []
        for k in range(touched.dim(isl.dim_type.set)):
            low, high = touched.dim_min_val(k), touched.dim_max_val(k)
            if not low.is_int() or not high.is_int():
                return None
            box.append((int(low.to_python()), int(high.to_python())))
        names = ", ".join(f"x{k}" for k in range(len(box)))
        inside = " and ".join(f"{low} <= x{k} <= {high}" for k, (low, high) in enumerate(box)) or "true"
        return tuple(box) if isl.Set(f"{{ [{names}] : {inside} }}").is_subset(touched) else None

    return _guarded(ask)


def written_by(
    writes: Sequence[tuple[Access, Sequence[tuple[int, Axis]]]],
    element: Sequence[int],
    outer: Sequence[str],
    last: Sequence[int] = (),
) -> str | None:
    """What an element may write in one execution of its region, in isl notation; None where more than ``outer``, the
    names of the loops around the region, has a say in it.

    ``writes``: accesses, with the positions of the spread loops among their iterators; ``element``: the element's
    number for each axis; ``last``: numbers of the only iterations that count, of the first axes.
    """

    def ask() -> str | None:
        total: isl.Set | None = None
        for write, axes in writes:
            symbols: set[str] = set()
            mine = [
                f"{_element(axis, k, '_a', write, symbols)} = {p}" for (k, axis), p in zip(axes, element, strict=True)
            ]
            mine += [f"{_count(axis, k, '_a', write, symbols)} = {n}" for (k, axis), n in zip(axes, last, strict=False)]
            names = ", ".join(f"_a{k}" for k in range(len(write.iterators)))
            head = f"[{', '.join(sorted(symbols))}] -> " if symbols else ""
            relation = _relation(write.domain, write.map or "")
            relation = relation.intersect_domain(isl.Set(f"{head}{{ [{names}] : {' and '.join(mine)} }}"))
            if relation.dim(isl.dim_type.param):
                return None
            relation = relation.move_dims(isl.dim_type.param, 0, isl.dim_type.in_, 0, len(outer))
            for k, name in enumerate(outer):
                relation = relation.set_dim_name(isl.dim_type.param, k, name)
            elements = relation.range()
            total = elements if total is None else total.union(elements)
        assert total is not None
        return str(total.coalesce())

    return _guarded(ask)


# --------------------------------------------------------------------------------- relations

_Condition = tuple[int, int, frozenset[str], tuple[str, ...]]  # ranks, parameters, alternatives


def _crossing(pair: Pair) -> isl.Map:
    """The dependence, between different elements."""
    names: set[str] = set()
    apart = []
    for position, axis in pair.axes:
        here, there = (_element(axis, position, side, access, names) for side, access in _sides(pair))
        apart.append(f"{here} != {there}")
    if not apart:
        return _pairs(pair).subtract(_pairs(pair))
    return _pairs(pair).intersect(_parsed((*_ranks(pair), frozenset(names), tuple(apart))))


def _pairs(pair: Pair) -> isl.Map:
    """(iteration of the source, of the sink) that touch one element, the first executed first."""
    one, other = pair.source, pair.sink
    texts = one.domain, one.map or "", other.domain, other.map or ""
    return _ordered(texts, _ranks(pair), pair.common, pair.outer, pair.first, pair.same)


@lru_cache(maxsize=4096)
def _ordered(
    texts: tuple[str, str, str, str],
    ranks: tuple[int, int],
    common: tuple[int, ...],
    outer: int,
    first: bool,
    same_at: tuple[int, ...],
) -> isl.Map:
    met = _met(*texts)
    equal = [f"_a{k} = _b{k}" for k in sorted({*range(outer), *same_at})]
    options = []
    for k in range(outer, len(common)):
        same = [f"_a{m} = _b{m}" for m in range(outer, k)]
        options.append([*equal, *same, f"_a{k} < _b{k}" if common[k] > 0 else f"_a{k} > _b{k}"])
    if first:
        options.append([*equal, *(f"_a{m} = _b{m}" for m in range(outer, len(common)))])
    return met.intersect(_parsed((*ranks, frozenset(), tuple(" and ".join(option) or "true" for option in options))))


@lru_cache(maxsize=4096)
def _met(source: str, touched: str, sink: str, also: str) -> isl.Map:
    return _relation(source, touched).apply_range(_relation(sink, also).reverse())


@lru_cache(maxsize=4096)
def _relation(domain: str, accessed: str) -> isl.Map:
    """An access map on its domain."""
    return isl.Map(accessed).intersect_domain(isl.Set(domain))


def _later(pair: Pair) -> _Condition:
    """Pairs whose second iteration has the later time stamp."""
    names: set[str] = set()
    axes = dict(pair.axes)
    options, same = [], [f"_a{k} = _b{k}" for k in range(pair.outer)]
    for k in range(pair.outer, len(pair.common)):
        if k in axes:
            here, there = (_time(axes[k], k, side, access, names) for side, access in _sides(pair))
        else:
            here, there = (f"_a{k}", f"_b{k}") if pair.common[k] > 0 else (f"-_a{k}", f"-_b{k}")
        options.append(" and ".join([*same, f"{here} < {there}"]))
        same.append(f"{here} = {there}")
    if pair.apart:
        options.append(" and ".join(same) or "true")
    return (*_ranks(pair), frozenset(names), tuple(options))


def _ranks(pair: Pair) -> tuple[int, int]:
    return len(pair.source.iterators), len(pair.sink.iterators)


@lru_cache(maxsize=4096)
def _parsed(condition: _Condition) -> isl.Map:
    """A condition on a pair of iterations as a map; alternatives are joined."""
    rank, other, names, options = condition
    head = f"[{', '.join(sorted(names))}] -> " if names else ""
    a, b = (", ".join(f"{side}{k}" for k in range(n)) for side, n in (("_a", rank), ("_b", other)))
    text = " or ".join(f"({option})" for option in options) or "false"
    return isl.Map(f"{head}{{ [{a}] -> [{b}] : {text} }}")


def _count(axis: Axis, position: int, side: str, access: Access, symbols: set[str]) -> str:
    """Number of the iteration, from 0."""
    first = axis.lower.const
    gone = f"{side}{position} {'-' if first >= 0 else '+'} {abs(first)}"
    for name, factor in axis.lower.terms:
        if name in access.iterators:
            name = f"{side}{access.iterators.index(name)}"
        else:
            symbols.add(name)
        gone += f" {'-' if factor > 0 else '+'} {abs(factor)} * {name}"
    up = f"({gone})" if axis.step > 0 else f"(-({gone}))"
    return up if abs(axis.step) == 1 else f"floor({up} / {abs(axis.step)})"


def _element(axis: Axis, position: int, side: str, access: Access, symbols: set[str]) -> str:
    n = _count(axis, position, side, access, symbols)
    return f"({n} mod {axis.pes})" if axis.block is None else f"floor({n} / {axis.block})"


def _time(axis: Axis, position: int, side: str, access: Access, symbols: set[str]) -> str:
    n = _count(axis, position, side, access, symbols)
    return f"floor({n} / {axis.pes})" if axis.block is None else f"({n} mod {axis.block})"


def _sides(pair: Pair) -> tuple[tuple[str, Access], tuple[str, Access]]:
    return ("_a", pair.source), ("_b", pair.sink)


def _sample(pair: Pair, relation: isl.Map) -> tuple[Iteration, Iteration] | None:
    """The first pair of iterations, where there is a first one."""
    if relation.is_empty():
        return None
    wrapped = relation.wrap()
    try:
        point = wrapped.lexmin().sample_point()
    except isl.Error:
        point = wrapped.sample_point()
    ranks = _ranks(pair)
    values = [int(point.get_coordinate_val(isl.dim_type.set, k).to_python()) for k in range(sum(ranks))]
    source = dict(zip(pair.source.iterators, values[: ranks[0]], strict=True))
    return source, dict(zip(pair.sink.iterators, values[ranks[0] :], strict=True))


def _guarded(ask: Callable[[], _T]) -> _T:
    with limited(_MAX_OPERATIONS):
        return ask()
