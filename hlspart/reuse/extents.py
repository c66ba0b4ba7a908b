"""Which elements of an array surely exist: a window passes over more of them than the loop reads."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model.access import Access, Affine
from hlspart.sets.windows import Box, extremes, spread

Span = tuple[int, int]

UNKNOWN: Span = (0, -1)


def there(
    dims: Sequence[int | None],
    dimension: int,
    part: tuple[Affine, tuple[tuple[int, int], ...]],
    hull: Box,
    reads: Sequence[Access],
) -> Span | None:
    """Where elements surely are, by the moving part of a subscript; None where all of ``hull`` is there.

    ``part``: what the subscript does not move by, and (loop of the nest, pitch) pairs. Without a declared extent that
    is what ``reads`` touch that no condition on data leaves out, and what a pointer points to.
    """
    base, moving = part
    low, high = (sum(p * hull[d][k] for d, p in moving) for k in (0, 1))
    extent = dims[dimension] if dimension < len(dims) else None
    if extent is not None and not base.terms:
        first, last = -base.const, extent - 1 - base.const
    else:
        spans = [(a, _moved(a, dimension, base)) for a in reads]
        sure = [s for a, s in spans if a.exact and s]
        if not sure or any(s is None for _, s in spans):
            return UNKNOWN
        first, last = min(s[0] for s in sure), max(s[1] for s in sure)
        first = first if base.terms else min(first, -base.const)
        if any(s and (s[0] < first or last < s[1]) for _, s in spans):
            return UNKNOWN
    return None if first <= low and high <= last else (first, last)


def _moved(access: Access, dimension: int, base: Affine) -> Span | tuple[()] | None:
    """Least and greatest value of a subscript less ``base``; () where it never runs, None without an end."""
    index = access.index[dimension] if access.index is not None else None
    span = spread(access, dimension, base) if index is None else extremes(access, [index - base])
    return span[0] if span else None if span is None else ()
