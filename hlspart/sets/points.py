"""The elements of isl sets, one by one."""

from __future__ import annotations

import math
from typing import Any

import islpy as isl


def numbers_of(axis: Any) -> list[int]:
    """The elements of a bounded set of numbers; an interval is not enumerated by isl."""
    if axis.is_empty():
        return []
    low, high = axis.dim_min_val(0), axis.dim_max_val(0)
    interval = isl.Set.universe(axis.get_space()).lower_bound_val(isl.dim_type.set, 0, low)
    if interval.upper_bound_val(isl.dim_type.set, 0, high).is_subset(axis):
        return list(range(low.to_python(), high.to_python() + 1))
    return [value for (value,) in members_of(axis, 1)]


def members_of(set_: Any, rank: int) -> list[tuple[int, ...]]:
    """All elements of a bounded set, sorted."""
    members, failed = list[tuple[int, ...]](), list[Exception]()

    def note(point: Any) -> None:
        try:
            members.append(coordinates(point, rank))
        except (isl.Error, TypeError) as error:  # beyond the cap on operations: islpy would print it, and go on
            failed.append(error)

    set_.foreach_point(note)
    if failed:
        raise isl.Error("beyond the cap on operations") from failed[0]
    return sorted(members)


def members_within(set_: Any, most: int) -> list[tuple[int, ...]] | None:
    """All elements where they span at most ``most``; None where there are parameters, no end, or more."""
    rank = set_.dim(isl.dim_type.set)
    if set_.dim(isl.dim_type.param) or not set_.is_bounded():
        return None
    if set_.is_empty():
        return []
    spans = (set_.dim_max_val(k).to_python() - set_.dim_min_val(k).to_python() for k in range(rank))
    return members_of(set_, rank) if math.prod(n + 1 for n in spans) <= most else None


def coordinates(point: Any, rank: int) -> tuple[int, ...]:
    """A point as numbers."""
    return tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(rank))
