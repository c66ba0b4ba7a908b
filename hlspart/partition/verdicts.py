"""Which banks an access reaches, and what would make that one bank (bank verdicts).

A bank is decided at compile time when the access reaches one bank over its whole domain. Where it
does not, a cyclic dimension becomes decided by unrolling each loop that moves it by
``f / gcd(f, c * step)`` copies, a block dimension by splitting the loop at the block borders.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Access, Affine, LoopInfo
from hlspart.model.results import BankVerdict

if TYPE_CHECKING:
    from hlspart.sets.region import AccessRelation

_MOST_BANKS = 4096
_MOST_DIVISIONS = 8  # of an index for which factors of unrolling are tried
_TRIALS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 24, 32)


class Verdicts:
    """Verdicts of accesses under layouts."""

    def __init__(self, loops: Mapping[int, LoopInfo]) -> None:
        self._loops = loops

    def verdict(self, access: Access, layout: PerDimLayout) -> BankVerdict:
        """Verdict of one access of an array with ``layout``."""
        if not access.affine or access.index is None or len(access.index) != len(layout.dims):
            return BankVerdict("non-affine", None)
        banks = _reached(access, layout)
        if banks is not None and len(banks) <= 1:
            return BankVerdict("const", banks)
        unrolls: dict[int, int] = {}
        split = False
        worst: int | None = None
        for k in layout.partitioned:
            dim = layout.dims[k]
            moves = self._moves(access, access.index[k], dim)
            if moves == {} or (banks is not None and self._same(layout, banks, k)):
                continue
            worst = k + 1 if worst is None else worst
            if moves is None:
                return self._by_residue(access, layout, k, banks)
            if dim.modulus is None:
                split = True
                if len(moves) > 1:
                    return BankVerdict("dynamic", banks, dim=k + 1)
                continue
            for loop, u in moves.items():
                unrolls[loop] = math.lcm(unrolls.get(loop, 1), u)
        if not unrolls and not split:  # bounded by the domain, or too many banks to list
            return BankVerdict("dynamic", banks, dim=worst or (layout.partitioned[0] + 1))
        pairs = tuple(sorted(unrolls.items()))
        one = pairs[0][1] if len(pairs) == 1 else None
        if split:
            return BankVerdict("const-after-split", banks, one, worst, pairs)
        return BankVerdict("const-after-unroll", banks, one, worst, pairs)

    def _by_residue(self, access: Access, layout: PerDimLayout, k: int, banks: tuple[int, ...] | None) -> BankVerdict:
        """An index such as ``i / 2``: the least unroll of one loop whose every copy reaches one bank, by trial.

        An index of many divisions is a table of some kind, which unrolling makes constant by accident only.
        """
        if access.map is not None and access.map.count("floor") > _MOST_DIVISIONS:
            return BankVerdict("dynamic", banks, dim=k + 1)
        for ident in reversed(access.loops):
            info = self._loops.get(ident)
            if info is None or info.iterator is None or info.step is None or info.lower is None or info.lower.terms:
                continue
            if not self._is_one_bank(access, layout, f"{info.iterator} = {info.lower.const}"):
                continue  # one iteration reaches several, and so does each copy that performs it
            known = _by_iteration(access, layout, info.iterator)
            trips = info.trip_count.max
            for u in _TRIALS if trips is None else (*(t for t in _TRIALS if t < trips), min(trips, _TRIALS[-1])):
                if banks is not None and u < len(banks):
                    continue  # each copy reaches one at most, and together they reach all
                if all(self._reaches_one_bank(access, layout, info, u, r, known) for r in range(u)):
                    return BankVerdict("const-after-unroll", banks, u, k + 1, ((ident, u),))
        return BankVerdict("dynamic", banks, dim=k + 1)

    def _reaches_one_bank(
        self, access: Access, layout: PerDimLayout, info: LoopInfo, u: int, r: int, known: Mapping[int, set[int]] | None
    ) -> bool:
        """Whether copy ``r`` of ``u`` reaches one bank at most; ``known``: the banks by iteration."""
        assert info.step is not None
        assert info.lower is not None
        stride, first = abs(info.step) * u, info.lower.const + info.step * r
        if known is not None:
            mine = (banks for at, banks in known.items() if (at - first) % stride == 0)
            return len(set().union(*mine)) <= 1
        return self._is_one_bank(access, layout, f"({info.iterator} - {first}) mod {stride} = 0")

    def _is_one_bank(self, access: Access, layout: PerDimLayout, where: str) -> bool:
        """Whether the iterations ``where`` reach one bank at most."""
        banks = _reached(access, layout, where)
        return banks is not None and len(banks) <= 1

    def _same(self, layout: PerDimLayout, banks: Sequence[int], k: int) -> bool:
        return len({layout.bank_tuple(b)[k] for b in banks}) == 1

    def _moves(self, access: Access, form: Affine | None, dim: DimLayout) -> dict[int, int] | None:
        """Loop id -> least unroll that fixes the bank, for each loop that changes it; None: cannot be said."""
        if form is None:
            return None
        steps = self._per_iteration(access, form)
        if steps is None:
            return None
        moves = {}
        for loop, step in steps.items():
            trips = self._loops[loop].trip_count.exact
            if trips == 1:
                continue
            if dim.modulus is None:
                moves[loop] = 1
                continue
            u = dim.modulus // math.gcd(dim.modulus, abs(step))
            if u > 1:
                moves[loop] = u if trips is None else min(u, trips)
        return moves

    def _per_iteration(self, access: Access, form: Affine) -> dict[int, int] | None:
        """How much the index grows per iteration of each loop around it; None for unknown parts."""
        by_name = {}
        for ident in access.loops:
            info = self._loops.get(ident)
            if info is not None and info.iterator is not None:
                by_name[info.iterator] = info
        steps: dict[int, int] = {}
        rest = form
        for ident in reversed(access.loops):  # innermost first: its lower bound may hold outer iterators
            info = self._loops.get(ident)
            if info is None or info.iterator is None:
                continue
            coefficient = rest.coefficient(info.iterator)
            if coefficient == 0:
                continue
            if info.step is None or info.lower is None:
                return None
            rest = rest - Affine.of({info.iterator: coefficient}) + info.lower.scaled(coefficient)
            steps[ident] = coefficient * info.step
        return None if rest.terms else steps


def _reached(access: Access, layout: PerDimLayout, where: str = "") -> tuple[int, ...] | None:
    """Exact flat banks over the domain (and ``where``), ascending; None when too many or isl gives up."""
    if layout.banks > _MOST_BANKS:
        return _constant(access, layout)
    return _reached_by_sets(access.iterators, access.domain, access.index, access.map, layout, where)


@lru_cache(maxsize=4096)
def _reached_by_sets(
    iterators: tuple[str, ...],
    within: str,
    index: tuple[Affine | None, ...] | None,
    map_: str | None,
    layout: PerDimLayout,
    where: str,
) -> tuple[int, ...] | None:
    """The same by sets; other texts and partitions ask most of these questions again."""
    from hlspart.sets.region import TooHard

    names = tuple(f"x{k}" for k in range(len(layout.dims)))
    coordinates = layout.isl_banks(names)
    try:
        if (only := layout.only_split) is not None:
            indices = _indices(iterators, within, index, map_, layout.shape, where, only)
            if indices is not None:
                return layout.dims[only].reached(indices)
        touch = _touch(iterators, within, index, map_, layout.shape, where)
        tuples = touch.then(names, [text for text, _ in coordinates]).values([size for _, size in coordinates])
    except TooHard:
        return None
    sizes = [size for _, size in coordinates]
    return tuple(sorted({_flat(t, sizes) for t in tuples}))


def _by_iteration(access: Access, layout: PerDimLayout, iterator: str) -> dict[int, set[int]] | None:
    """The banks of one dimension that an access reaches by value of an iterator; None where that may be much."""
    from hlspart.sets.region import TooHard

    if (only := layout.only_split) is None:
        return None
    try:
        asked = access.iterators, access.domain, access.index, access.map, layout.shape, only
        indices = _indices_by_iteration(*asked, iterator)
    except TooHard:
        return None
    dim = layout.dims[only]
    return None if indices is None else {at: set(dim.reached(numbers)) for at, numbers in indices.items()}


@lru_cache(maxsize=4096)
def _indices_by_iteration(
    iterators: tuple[str, ...],
    within: str,
    index: tuple[Affine | None, ...] | None,
    map_: str | None,
    shape: tuple[int, ...],
    dim: int,
    iterator: str,
) -> dict[int, set[int]] | None:
    """The indices in one dimension, found once for all partitions of it."""
    return _touch(iterators, within, index, map_, shape, "").beside(iterator, dim)


@lru_cache(maxsize=4096)
def _indices(
    iterators: tuple[str, ...],
    within: str,
    index: tuple[Affine | None, ...] | None,
    map_: str | None,
    shape: tuple[int, ...],
    where: str,
    dim: int,
) -> tuple[int, ...] | None:
    """The indices in one dimension, found once for all partitions of it; None where they are many."""
    return _touch(iterators, within, index, map_, shape, where).along(dim)


def _touch(
    iterators: tuple[str, ...],
    within: str,
    index: tuple[Affine | None, ...] | None,
    map_: str | None,
    shape: tuple[int, ...],
    where: str,
) -> AccessRelation:
    from hlspart.sets.region import Regions

    regions = Regions(iterators, (1,) * len(iterators))
    domain = regions.region(within)
    if where:
        domain = domain.meet(regions.region(f"{{ {regions.tuple} : {where} }}"))
    return regions.touch(domain, index, map_, shape)


def _constant(access: Access, layout: PerDimLayout) -> tuple[int, ...] | None:
    assert access.index is not None
    element = []
    for k, form in enumerate(access.index):
        if not layout.dims[k].is_split:
            element.append(0)
        elif form is None or form.terms or not 0 <= form.const < layout.dims[k].extent:
            return None
        else:
            element.append(form.const)
    return (layout.bank(tuple(element)),)


def _flat(coordinates: tuple[int, ...], sizes: list[int]) -> int:
    bank = 0
    for value, size in zip(coordinates, sizes, strict=True):
        bank = bank * size + value
    return bank
