"""The layout that validation found for an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import AccessAnalysis
from hlspart.model.program import Program
from hlspart.model.results import DimPartition, Validation

if TYPE_CHECKING:
    from hlspart.layouts.layout import Layout
    from hlspart.model.inferred import InferredArray


def make_layout(extents: Sequence[int | None], dims: Sequence[DimPartition]) -> PerDimLayout | None:
    """Layout of an array of ``extents`` under partitions ``dims``; None when an extent is not known."""
    if not extents or any(e is None or e < 1 for e in extents):
        return None
    wanted = {d.dim: d for d in dims}
    layouts = []
    for k, extent in enumerate(extents):
        assert extent is not None
        part = wanted.get(k + 1)
        layouts.append(
            DimLayout.of("whole", extent, None) if part is None else DimLayout.of(part.type, extent, part.factor)
        )
    return PerDimLayout(tuple(layouts))


def chosen_layout(program: Program, array: InferredArray) -> Layout | None:
    """Layout that inference found for an array; None where it stays whole."""
    dims = program.variable(array.variable).dims
    if array.mapping is not None:
        from hlspart.layouts.mapping import layout_from

        return layout_from(tuple(d for d in dims if d is not None), array.mapping)
    return make_layout(dims, array.dims) if array.dims else None


def layout_of(validation: Validation, analysis: AccessAnalysis, program: Program, variable: int) -> PerDimLayout | None:
    """Layout of an array, whole when it is not partitioned; None when its extents are not known."""
    array = program.variable(variable)
    if not array.is_array:
        return None
    group = validation.groups.get(analysis.group_of.get(variable, -1))
    return make_layout(array.dims, group.of(variable) if group is not None else ())
