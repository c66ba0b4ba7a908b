"""Partitions of array groups: the requests on all members merged per dimension, all or nothing.

Arrays that calls tie together share one partition: a request on one member spreads to all of them;
two requests that differ on a dimension are a conflict and leave the group as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from hlspart.layouts.dimension import DimLayout
from hlspart.model.program import Program
from hlspart.model.results import DimPartition
from hlspart.partition.requests import Evaluated


class Merged(Struct):
    """What the requests on one group come to.

    ``redundant`` and ``conflicts`` map positions of requests to the positions of what they repeat
    or contradict; ``empty`` are requests that make no bank.
    """

    dims: tuple[DimPartition, ...] = ()
    banks: int = 1  # of all dimensions together
    redundant: dict[int, int] = field(default_factory=dict)
    conflicts: dict[int, tuple[int, int]] = field(default_factory=dict)  # position -> (other, 1-based dim)
    empty: set[int] = field(default_factory=set)


def merge(program: Program, items: Sequence[Evaluated]) -> Merged:
    """Merge the valid requests on one group; ``items`` all have a request."""
    result = Merged()
    taken: dict[int, tuple[DimPartition, DimLayout, int]] = {}
    for position, item in enumerate(items):
        parts = _parts(program, item)
        if not parts:
            if item.request is not None and not item.request.off:
                result.empty.add(position)
            continue
        repeats: list[int] = []
        for part, layout in parts:
            known = taken.get(part.dim)
            if known is None:
                taken[part.dim] = (part, layout, position)
            elif known[1].shares_banks(layout):
                repeats.append(known[2])
            elif _complete(item) and _complete(items[known[2]]):
                if layout.banks > known[1].banks:  # a parameter may be declared with fewer rows than it is handed
                    taken[part.dim] = (part, layout, position)
            elif (part.type, part.factor) == (known[0].type, known[0].factor) and _differ(item, items[known[2]]):
                continue  # arrays of two sizes that one function is handed: blocks of each its own length
            else:
                result.conflicts.setdefault(position, (known[2], part.dim))
                result.conflicts.setdefault(known[2], (position, part.dim))
        if len(repeats) == len(parts):
            result.redundant[position] = repeats[0]
    if not result.conflicts:
        result.dims = tuple(taken[d][0] for d in sorted(taken))
        result.banks = math.prod(layout.banks for _, layout, _ in taken.values())
    return result


def _differ(one: Evaluated, other: Evaluated) -> bool:
    return one.request is not None and other.request is not None and one.request.variable != other.request.variable


def _complete(item: Evaluated) -> bool:
    return item.request is not None and item.request.type == "complete"


def _parts(program: Program, item: Evaluated) -> list[tuple[DimPartition, DimLayout]]:
    request = item.request
    assert request is not None
    if request.off:
        return []
    extents = program.variable(request.variable).dims
    dims = range(1, len(extents) + 1) if request.dim == 0 else (request.dim,)
    origin = "pragma" if request.directive.source == "pragma" else "directive"
    parts = []
    for dim in dims:
        extent = extents[dim - 1]
        assert extent is not None
        factor = extent if request.factor is None else min(request.factor, extent)
        layout = DimLayout.of(request.type, extent, factor)
        if layout.banks > 1:
            parts.append((DimPartition(dim, request.type, factor, origin), layout))  # type: ignore[arg-type]
    return parts


def group_items(items: Sequence[Evaluated], group_of: Mapping[int, int]) -> dict[int, list[Evaluated]]:
    """Valid requests by group."""
    by_group: dict[int, list[Evaluated]] = {}
    for item in items:
        if item.request is not None and item.request.variable in group_of:
            by_group.setdefault(group_of[item.request.variable], []).append(item)
    return by_group
