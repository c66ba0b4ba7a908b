"""Banks for expanded loops: every element has banks of its own, fixed at compile time, or no pragma is written.

A dimension that all accesses of the region index by ``c * i + k`` gets P * |c * step| cyclic banks under a cyclic map,
P blocks under a block map where blocks and slices coincide (docs/expand.md, "Banks").
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hlspart.expand.region import Region, accesses_inside
from hlspart.model.access import Access
from hlspart.model.expanding import Map, Placement
from hlspart.model.inferred import InferredArray
from hlspart.model.results import DimPartition, Validation


class Wanted(Struct, frozen=True):
    """Banks of one dimension (1-based) of an array; ``reason`` says why there are none."""

    variable: int
    dim: int
    type: str
    factor: int
    reason: str | None = None


def wanted(
    region: Region, placement: Placement, maps: Sequence[Map], skip: frozenset[int], validation: Validation
) -> list[Wanted]:
    """What the arrays of a region need, by the rule; ``skip``: variables that every element has its own of."""
    by_array: dict[int, list[Access]] = {}
    for a in accesses_inside(region):
        if a.array not in skip and a.array not in region.declared_inside():
            by_array.setdefault(a.array, []).append(a)
    wishes: list[Wanted] = []
    for variable, accesses in by_array.items():
        dims = region.program.variable(variable).dims
        existing = {d.dim: d for d in _held(region, validation, variable)}
        for dim, extent in enumerate(dims, 1):
            one = _dimension(region, placement, maps, variable, dim, extent, accesses)
            if one is not None and dim not in existing:
                wishes.append(one)
    return wishes


def _held(region: Region, validation: Validation, variable: int) -> tuple[DimPartition, ...]:
    group = region.analysis.group_of.get(variable)
    return validation.groups[group].dims if group is not None and group in validation.groups else ()


def _dimension(
    region: Region, placement: Placement, maps: Sequence[Map], variable: int, dim: int, extent: int | None,
    accesses: Sequence[Access],
) -> Wanted | None:  # fmt: skip
    names = {info.iterator: k for k, info in enumerate(region.infos)}
    forms = [None if not a.affine or a.index is None else a.index[dim - 1] for a in accesses]
    touched = {names[n] for f in forms if f is not None for n in f.names if n in names}
    touched = {k for k in touched if placement.space[k] > 1}
    if not touched:
        return None
    if len(touched) > 1 or any(f is None for f in forms):
        return Wanted(variable, dim, "none", 1, "its index mixes loops")
    position = touched.pop()
    info, pes = region.infos[position], placement.space[position]
    iterator = info.iterator or ""
    factors = {f.coefficient(iterator) for f in forms if f is not None}
    if any(set(f.names) != {iterator} for f in forms if f is not None) or len(factors) > 1:
        return Wanted(variable, dim, "none", 1, "its index has other terms beside the expanded iterator")
    stride = abs(factors.pop() * (info.step or 1))
    if maps[position] == "cyclic":
        factor = pes * stride
        if extent is not None and factor >= extent:
            return Wanted(variable, dim, "complete", extent)
        return Wanted(variable, dim, "cyclic", factor)
    trips, lower = info.trip_count.exact, info.lower
    if extent is None or trips is None or lower is None or lower.terms:
        return Wanted(variable, dim, "none", 1, "its slices are not known")
    chunk, size = -(-trips // pes), -(-extent // pes)
    for f in forms:
        assert f is not None
        c = f.coefficient(iterator)
        ends = [c * (lower.const + (info.step or 1) * n) + f.const for n in range(trips)]
        if any(len({e // size for e in ends[p * chunk : (p + 1) * chunk]}) > 1 for p in range(pes)):
            text = f"slices of {chunk} iterations do not coincide with blocks of {size} elements"
            return Wanted(variable, dim, "none", 1, text)
    return Wanted(variable, dim, "block", pes)


def as_inferred(region: Region, partitions: Sequence[Wanted]) -> list[InferredArray]:
    """The partitions in the form that writes pragmas."""
    inferred = []
    for variable in dict.fromkeys(w.variable for w in partitions):
        v = region.program.variable(variable)
        dims = tuple(
            DimPartition(w.dim, w.type, w.factor, "inferred")  # type: ignore[arg-type]
            for w in partitions if w.variable == variable and w.type != "none"
        )  # fmt: skip
        if dims:
            roots = _roots(region, variable)
            inferred.append(
                InferredArray(
                    variable, v.name, v.function, region.program.line(v.at), 0, 1, 1, 1, False, "rule of expand", False,
                    "mixed", _pragmas(region, roots, dims), None, None, False, dims, roots=roots, fresh=True,
                    scope=region.function if v.function is None else None,
                )
            )  # fmt: skip
    return inferred


def _roots(region: Region, variable: int) -> tuple[int, ...]:
    """Members of the array's group that no given caller hands over."""
    group = region.analysis.group_of.get(variable)
    known = next((g for g in region.analysis.groups if g.id == group), None)
    if known is None:
        return (variable,)
    formals = {e.formal for e in known.edges}
    return tuple(m for m in known.members if m not in formals) or (variable,)


def _pragmas(region: Region, roots: Sequence[int], dims: Sequence[DimPartition]) -> tuple[str, ...]:
    """The pragma lines of an array, for each root in turn."""
    lines = []
    for root in roots:
        for d in dims:
            factor = "" if d.type == "complete" else f" factor={d.factor}"
            name = region.program.variable(root).name
            lines.append(f"#pragma HLS array_partition variable={name} type={d.type}{factor} dim={d.dim}")
    return tuple(lines)
