"""Whether the order of a loop's iterations matters to two accesses."""

from __future__ import annotations

import islpy as isl

from hlspart.model.access import Access


def carried(a: Access, b: Access, iterator: str) -> bool:
    """Whether ``a`` and ``b`` may meet in one element in two iterations of the loop of this iterator.

    Iterators of loops around it are the same for both. True where an access is not affine.
    """
    if a.map is None or b.map is None or iterator not in a.iterators or iterator not in b.iterators:
        return True
    common = a.iterators.index(iterator)
    if a.iterators[:common] != b.iterators[:common]:
        return True
    there = isl.Map(a.map).intersect_domain(isl.Set(a.domain))
    back = isl.Map(b.map).intersect_domain(isl.Set(b.domain)).reverse()
    meets = there.apply_range(back)
    for k in range(common):
        meets = meets.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    before = meets.order_lt(isl.dim_type.in_, common, isl.dim_type.out, common)
    after = meets.order_gt(isl.dim_type.in_, common, isl.dim_type.out, common)
    return not (before.is_empty() and after.is_empty())
