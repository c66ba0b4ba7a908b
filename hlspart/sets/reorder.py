"""Whether the order of iterations matters to two accesses."""

from __future__ import annotations

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


def is_crossed(a: Access, b: Access, outer: str, inner: str, *, opposed: bool) -> bool:
    """Whether ``a`` and ``b`` may meet in one element in two iterations whose order changes when a loop and the one
    inside it change places. ``opposed``: one of the iterators rises, the other falls.
    True where an access is not affine.
    """
    if a.map is None or b.map is None or outer not in a.iterators or outer not in b.iterators:
        return True
    k = a.iterators.index(outer)
    if a.iterators[: k + 2] != b.iterators[: k + 2] or a.iterators[k + 1 : k + 2] != (inner,):
        return True
    meets = _meets(a, b, k)
    first, second = isl.dim_type.in_, isl.dim_type.out
    below, above = meets.order_lt(first, k, second, k), meets.order_gt(first, k, second, k)
    if opposed:
        below, above = above, below
    one = below.order_gt(first, k + 1, second, k + 1)
    other = above.order_lt(first, k + 1, second, k + 1)
    return not (one.is_empty() and other.is_empty())


def _meets(a: Access, b: Access, common: int) -> isl.Map:
    """Iterations of ``a`` -> those of ``b`` that touch the same element, the first ``common`` iterators alike."""
    assert a.map is not None and b.map is not None
    there = isl.Map(a.map).intersect_domain(isl.Set(a.domain))
    back = isl.Map(b.map).intersect_domain(isl.Set(b.domain)).reverse()
    meets = there.apply_range(back)
    for k in range(common):
        meets = meets.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    return meets
