"""Shared by the tests of banking: loops over windows of an array, and what a layout does to them, enumerated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from hlspart.banking.need import Need
from hlspart.layouts.layout import Layout
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports

Offsets = Sequence[Sequence[int]]


def needs(groups: Sequence[Offsets], extents: Sequence[int], ports: Ports, ii: int = 1) -> list[Need]:
    """One loop nest per group, over all positions at which its window lies inside the array."""
    rank = len(extents)
    names = ("i", "j", "k")[:rank]
    found = []
    for offsets in groups:
        bounds = [
            f"{-min(o[k] for o in offsets)} <= {names[k]} < {extents[k] - max(o[k] for o in offsets)}"
            for k in range(rank)
        ]
        domain = f"{{ [{', '.join(names)}] : {' and '.join(bounds)} }}"
        accesses = [
            PortAccess(n, "read", tuple(Affine.of({names[k]: 1}, o[k]) for k in range(rank)), None, domain, n)
            for n, o in enumerate(offsets)
        ]
        found.append(Need(IterationSpace(names, domain, (1,) * rank), accesses, ports, ii))
    return found


def window(groups: Sequence[Offsets]) -> list[int]:
    cells = [o for g in groups for o in g]
    return [max(o[k] for o in cells) - min(o[k] for o in cells) + 1 for k in range(len(cells[0]))]


def positions(offsets: Offsets, extents: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Elements of every iteration."""
    ranges = [range(-min(o[k] for o in offsets), n - max(o[k] for o in offsets)) for k, n in enumerate(extents)]
    for base in itertools.product(*ranges):
        yield [tuple(b + c for b, c in zip(base, o, strict=True)) for o in offsets]


def assert_conflict_free(layout: Layout, groups: Sequence[Offsets], extents: Sequence[int], capacity: int) -> None:
    """The certificate, by enumeration; and each element has a place of its own."""
    places = {(layout.bank(x), layout.offset(x)) for x in itertools.product(*(range(n) for n in extents))}
    assert len(places) == math.prod(extents)
    for offsets in groups:
        for elements in positions(offsets, extents):
            banks = [layout.bank(x) for x in elements]
            assert max(banks.count(b) for b in set(banks)) <= capacity
