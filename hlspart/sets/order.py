"""Whether accesses walk through an array from its first element to its last, each once: what a FIFO asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

import islpy as isl
from msgspec import Struct

from hlspart.model.access import Access
from hlspart.sets.effort import EffortError, limited

_MAX_OPERATIONS = 3_000_000
_MOST_ACCESSES = 12


class OutOfOrder(Struct, frozen=True):
    """Two accesses in the order of their execution, each with its iteration and the element, numbered row by row.

    ``backwards``: the second element comes before the first; ``again``: they are one; ``skipped``: ``first`` is None,
    and no access touches the element ``second``, although one with a greater number is touched.
    """

    kind: Literal["backwards", "again", "skipped"]
    first: tuple[Access, Mapping[str, int], int] | None
    second: tuple[Access, Mapping[str, int], int]


def fifo_violation(
    accesses: Sequence[Access], dims: Sequence[int | None], steps: Mapping[int, int | None]
) -> OutOfOrder | None:
    """The first thing that keeps ``accesses`` of one kind in one function from being those of a FIFO.

    ``dims`` are the extents (the first may be None), ``steps`` those of the loops by id. None where all is well or the
    accesses are not known exactly.
    """
    if not accesses or len(accesses) > _MOST_ACCESSES or any(d is None for d in dims[1:]):
        return None
    for a in accesses:
        whole = len(a.loops) == len(a.iterators) and all(steps.get(x) for x in a.loops)
        if not (a.affine and a.exact and a.map and whole):
            return None
    try:
        with limited(_MAX_OPERATIONS):
            return _fifo_violation(accesses, tuple(d or 1 for d in dims), steps)
    except EffortError:
        return None


def unwritten(
    read: Access, writes: Sequence[Access], dims: Sequence[int | None], steps: Mapping[int, int | None]
) -> tuple[bool, bool] | None:
    """Whether an iteration of ``read`` takes an element that no write has reached before it, and whether each does.

    ``writes`` are all that may write the array in the function of the read, in which its content begins; None where
    the order or the elements are not known.
    """
    accesses = [read, *writes]
    if len(accesses) > _MOST_ACCESSES or any(d is None for d in dims[1:]):
        return None
    for a in accesses:
        whole = len(a.loops) == len(a.iterators) and all(steps.get(x) for x in a.loops)
        if not (a.affine and a.map and whole and (a.exact or a is not read)):
            return None
    try:
        with limited(_MAX_OPERATIONS):
            return _unwritten(read, writes, tuple(d or 1 for d in dims), steps)
    except EffortError:
        return None


def _unwritten(
    read: Access, writes: Sequence[Access], dims: tuple[int, ...], steps: Mapping[int, int | None]
) -> tuple[bool, bool]:
    times = executed([read, *writes], steps)
    elements = [_element(a.domain, a.map or "", dims) for a in (read, *writes)]
    earlier = times[0].apply_range(isl.Map.lex_gt(times[0].range().get_space()))
    bare = isl.Set(read.domain)
    everything = bare
    for time, element in zip(times[1:], elements[1:], strict=True):
        meets = earlier.apply_range(time.reverse()).intersect(elements[0].apply_range(element.reverse()))
        bare = bare.subtract(meets.domain())
    some = not bare.is_empty()
    return some, some and everything.is_subset(bare)


def _at_once(pairs: isl.Map) -> isl.Map:
    """Pairs of points with the same coordinates."""
    count = pairs.dim(isl.dim_type.in_)
    space = pairs.get_space()
    same = isl.Map.universe(space)
    for k in range(count):
        same = same.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    return same


def _fifo_violation(
    accesses: Sequence[Access], dims: tuple[int, ...], steps: Mapping[int, int | None]
) -> OutOfOrder | None:
    times = executed(accesses, steps)
    elements = [_element(a.domain, a.map or "", dims) for a in accesses]
    before = isl.Map.lex_lt(times[0].range().get_space())
    violations: list[OutOfOrder] = []
    for kind, test in (("backwards", "y < x"), ("again", "y = x")):
        wrong = isl.Map(f"{{ [x] -> [y] : {test} }}")
        for i, a in enumerate(accesses):
            later = times[i].apply_range(before)
            meets = elements[i].apply_range(wrong)
            for k, b in enumerate(accesses):
                pairs = later.apply_range(times[k].reverse()).intersect(meets.apply_range(elements[k].reverse()))
                if kind == "again" and a.kind == "read" and a.loops == b.loops:
                    pairs = pairs.subtract(_at_once(pairs))  # two loads of an element in one iteration are one
                if not pairs.is_empty():
                    point = pairs.wrap().lexmin().sample_point()
                    one, other = _values(point, 0, len(a.iterators)), _values(point, len(a.iterators), len(b.iterators))
                    violations.append(
                        OutOfOrder(
                            "backwards" if kind == "backwards" else "again",
                            (a, dict(zip(a.iterators, one, strict=True)), _at(elements[i], one)),
                            (b, dict(zip(b.iterators, other, strict=True)), _at(elements[k], other)),
                        )
                    )
        if violations:
            return violations[0]
    touched = elements[0].range()
    for element in elements[1:]:
        touched = touched.union(element.range())
    if touched.dim(isl.dim_type.param):
        return None
    below = isl.Map("{ [x] -> [y] : 0 <= y < x }")
    missing = touched.apply(below).subtract(touched)
    if missing.is_empty():
        return None
    gap = int(missing.dim_min_val(0).to_python())
    for a, element in zip(accesses, elements, strict=True):
        farther = element.intersect_range(isl.Set(f"{{ [x] : x > {gap} }}"))
        if not farther.is_empty():
            point = farther.domain().lexmin().sample_point()
            return OutOfOrder(
                "skipped", None, (a, dict(zip(a.iterators, _values(point, 0, len(a.iterators)), strict=True)), gap)
            )
    return None


def executed(accesses: Sequence[Access], steps: Mapping[int, int | None]) -> list[isl.Map]:
    """Iterations of accesses of one function, all of their loops counted -> a time each, in order of execution."""
    first: dict[int, int] = {}
    for a in accesses:
        for loop in a.loops:
            first[loop] = min(first.get(loop, a.order), a.order)
    deepest = max(len(a.loops) for a in accesses)
    return [_time(a, first, steps, deepest) for a in accesses]


def _time(a: Access, first: Mapping[int, int], steps: Mapping[int, int | None], deepest: int) -> isl.Map:
    vector: list[str] = []
    for loop, name in zip(a.loops, a.iterators, strict=True):
        vector += [str(first[loop]), name if (steps[loop] or 1) > 0 else f"-{name}"]
    vector.append(str(a.order))
    vector += ["0"] * (2 * deepest + 1 - len(vector))
    inside = isl.Set(a.domain)
    return isl.Map(f"{{ [{', '.join(a.iterators)}] -> [{', '.join(vector)}] }}").intersect_domain(inside)


@lru_cache(maxsize=1024)
def _element(domain: str, accessed: str, dims: tuple[int, ...]) -> isl.Map:
    """Iterations -> the number of the element, row by row."""
    names = [f"d{k}" for k in range(len(dims))]
    terms, size = [], 1
    for name, extent in zip(reversed(names), reversed(dims), strict=True):
        terms.append(f"{size}*{name}")
        size *= extent
    flat = isl.Map(f"{{ [{', '.join(names)}] -> [{' + '.join(terms)}] }}")
    return isl.Map(accessed).intersect_domain(isl.Set(domain)).apply_range(flat)


def _values(point: isl.Point, start: int, count: int) -> list[int]:
    return [int(point.get_coordinate_val(isl.dim_type.set, k).to_python()) for k in range(start, start + count)]


def _at(element: isl.Map, values: Sequence[int]) -> int:
    image = element
    for k, value in enumerate(values):
        image = image.fix_val(isl.dim_type.in_, k, isl.Val(value))
    low = image.range().dim_min_val(0)
    return int(low.to_python()) if low.is_int() else 0
