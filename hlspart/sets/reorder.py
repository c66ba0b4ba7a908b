"""Whether the order of iterations matters to two accesses."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from hlspart.model.access import Access


def is_carried(a: Access, b: Access, iterator: str) -> bool:
    """Whether ``a`` and ``b`` may meet in one element in two iterations of the loop of this iterator.

    Iterators of loops around it are the same for both. True where an access is not affine.
    """
    if a.map is None or b.map is None or iterator not in a.iterators or iterator not in b.iterators:
        return True
    common = a.iterators.index(iterator)
    if a.iterators[:common] != b.iterators[:common]:
        return True
    meets = _meets(a, b, common)
    before = meets.order_lt(isl.dim_type.in_, common, isl.dim_type.out, common)
    after = meets.order_gt(isl.dim_type.in_, common, isl.dim_type.out, common)
    return not (before.is_empty() and after.is_empty())


def may_meet(a: Access, b: Access, iterator: str) -> bool:
    """Whether ``a`` and ``b`` may touch one element while the loop of this iterator runs once.

    True where an access is not affine.
    """
    if a.map is None or b.map is None or iterator not in a.iterators or iterator not in b.iterators:
        return True
    common = a.iterators.index(iterator)
    return a.iterators[:common] != b.iterators[:common] or not _meets(a, b, common).is_empty()


def is_crossed(a: Access, b: Access, nest: Sequence[str], rising: Sequence[bool]) -> bool:
    """Whether ``a`` and ``b`` may meet in one element in two iterations whose order changes when the outermost loop of
    a nest becomes its innermost one. ``nest``: the iterators; ``rising``: whether they rise, or fall.
    True where an access is not affine.
    """
    if a.map is None or b.map is None or nest[0] not in a.iterators or nest[0] not in b.iterators:
        return True
    k, inner = a.iterators.index(nest[0]), range(1, len(nest))
    if a.iterators[: k + len(nest)] != b.iterators[: k + len(nest)] or a.iterators[k : k + len(nest)] != tuple(nest):
        return True
    meets = _meets(a, b, k)
    for m in inner:
        for outer_first in (True, False):
            ordered = _ordered(meets, k, rising[0] == outer_first)
            if not _ordered(ordered, k + m, rising[m] != outer_first).is_empty():
                return True
        meets = meets.equate(isl.dim_type.in_, k + m, isl.dim_type.out, k + m)
    return False


def _ordered(meets: isl.Map, position: int, below: bool) -> isl.Map:
    """The pairs of which the first one has the smaller value, or the larger one."""
    order = meets.order_lt if below else meets.order_gt
    return order(isl.dim_type.in_, position, isl.dim_type.out, position)


def _meets(a: Access, b: Access, common: int) -> isl.Map:
    """Iterations of ``a`` -> those of ``b`` that touch the same element, the first ``common`` iterators alike."""
    assert a.map is not None and b.map is not None
    there = isl.Map(a.map).intersect_domain(isl.Set(a.domain))
    back = isl.Map(b.map).intersect_domain(isl.Set(b.domain)).reverse()
    meets = there.apply_range(back)
    for k in range(common):
        meets = meets.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    return meets
