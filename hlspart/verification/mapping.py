"""Which element of the original is which element of the new version (schema ``hlspart.map/1``)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.layout import Layout
from hlspart.layouts.mapping import layout_from
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.inferred import banking_map
from hlspart.verification.interface import Incomparable, Interface, Object

Place = tuple[str, int]  # key of a new object, element number in it
Pair = tuple[Object, tuple[Object, ...], list[Place] | None]  # original, new, its places in the order of the original


class Correspondence:
    """Pairs original objects with new ones; ``places(key)`` is None where they are the same object."""

    def __init__(self, original: Interface, new: Interface, table: Mapping[str, Any] | None) -> None:
        entries = _entries(table)
        self.pairs: list[Pair] = []
        self.skipped: list[str] = []
        self._parameters(original, new, entries)
        self._globals(original, new, entries)

    def _parameters(self, original: Interface, new: Interface, entries: Sequence[Mapping[str, Any]]) -> None:
        split = {e["parameter"]: e for e in entries if e["function"] == original.top and e["parameter"] is not None}
        at = 0
        for item in original.parameters:
            entry = split.get(item.position)
            if entry is None:
                if at >= len(new.parameters) or not _alike(item, new.parameters[at]):
                    got = _describe(new.parameters[at]) if at < len(new.parameters) else "nothing"
                    raise Incomparable(
                        f"the signatures differ at parameter {at + 1}: {_describe(item)} in the original, {got} in the"
                        " new version; give --map if it was split"
                    )
                self.pairs.append((item, (new.parameters[at],), None))
                at += 1
                continue
            names = [a["name"] for a in entry["arrays"]]
            banks = new.parameters[at : at + len(names)]
            if [b.name for b in banks] != names:
                raise Incomparable(f"the map does not fit: parameter {item.name} should have become {', '.join(names)}")
            self._split(item, banks, entry)
            at += len(names)
        if at < len(new.parameters):
            raise Incomparable(
                f"the signatures differ: the new version takes {len(new.parameters) - at} more parameters;"
                " give --map if one was split"
            )

    def _globals(self, original: Interface, new: Interface, entries: Sequence[Mapping[str, Any]]) -> None:
        there = {o.name: o for o in new.globals}
        split = {e["array"]: e for e in entries if e["function"] is None}
        for item in original.globals:
            entry = split.get(item.name)
            if entry is not None:
                banks = tuple(there[a["name"]] for a in entry["arrays"] if a["name"] in there)
                if len(banks) < len(entry["arrays"]):
                    raise Incomparable(f"the map does not fit: banks of the global {item.name} are missing")
                self._split(item, banks, entry)
            elif item.name in there and item.same_as == there[item.name].same_as:
                self.pairs.append((item, (there[item.name],), None))
            elif item.internal:
                self.skipped.append(f"{item.name}: file-scope static without counterpart in the new version")
            else:
                raise Incomparable(f"the global {item.name} has no counterpart in the new version; give --map")

    def _split(self, item: Object, banks: tuple[Object, ...], entry: Mapping[str, Any]) -> None:
        shapes = [tuple(a["shape"]) for a in entry["arrays"]]
        for bank, shape in zip(banks, shapes, strict=True):
            wanted = shape if shape or bank.passing != "pointer" else (1,)
            if math.prod(bank.shape) != math.prod(wanted) or bank.leaves != item.leaves:
                raise Incomparable(f"the map does not fit: {bank.name} is {_describe(bank)}, not of shape {wanted}")
        if tuple(entry["extents"]) != item.shape:
            raise Incomparable(f"the map does not fit: {item.name} has extents {item.shape}")
        keys = [_key(b) for b in banks]
        self.pairs.append((item, banks, [(keys[k], n) for k, n in _places(entry, shapes)]))


def _key(item: Object) -> str:
    return item.name if item.role == "parameter" else f"global {item.name}"


def _entries(table: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    if table is None:
        return []
    entries = table.get("arrays") if isinstance(table, Mapping) else None
    if not isinstance(entries, list) or table.get("schema") != "hlspart.map/1":
        raise Incomparable("not a map file (schema hlspart.map/1)")
    needed = {"array", "function", "extents", "style", "arrays", "dims", "mapping", "parameter"}
    for entry in entries:
        if not isinstance(entry, dict) or not needed <= entry.keys():
            raise Incomparable("the map file lacks keys of schema hlspart.map/1")
    return entries


def _places(entry: Mapping[str, Any], shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """(number of the new array, element in it) for each old element, row-major."""
    elements = product(*(range(e) for e in entry["extents"]))
    layout = _layout(entry)
    stacked = layout.per_dimension if entry["style"] == "bankdim" else None
    if stacked is not None:
        return [(0, _row_major(stacked.stacked_place(x), shapes[0])) for x in elements]
    if entry["mapping"] is not None and tuple(layout.bank_shape(b) for b in range(layout.banks)) != tuple(shapes):
        raise Incomparable("the map does not fit: its banking function has banks of other sizes")
    return [(b := layout.bank(x), _row_major(layout.place(x), shapes[b])) for x in elements]


def _layout(entry: Mapping[str, Any]) -> Layout:
    if entry["mapping"] is not None:
        return layout_from(tuple(entry["extents"]), banking_map(entry["mapping"]))
    return PerDimLayout(tuple(DimLayout(d["kind"], d["extent"], d["banks"], d["block"]) for d in entry["dims"]))


def _row_major(index: Sequence[int], shape: Sequence[int]) -> int:
    at = 0
    used = index if len(index) == len(shape) else [0] * len(shape)  # nothing left: scalar or [1]
    for i, extent in zip(used, shape, strict=True):
        at = at * extent + i
    return at


def _alike(a: Object, b: Object) -> bool:
    if a.same_as == b.same_as:
        return True
    return a.passing == b.passing == "array" and a.leaves == b.leaves and a.count == b.count


def _describe(item: Object) -> str:
    brackets = "".join(f"[{s}]" for s in item.shape)
    return f"{item.element} {item.name}{brackets}"
