"""Which banks an access may touch over its whole domain, under a layout."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from hlspart.banking.accesses import affine_index, combination, flat_number, flat_place
from hlspart.banking.progressions import are_independent, banks_along
from hlspart.banking.sites import Sites
from hlspart.layouts.layout import Layout
from hlspart.model.access import Affine
from hlspart.model.answers import Answers
from hlspart.model.ports import IterationSpace, PortAccess
from hlspart.sets.box import Box
from hlspart.sets.region import AccessRelation, TooHard

_REACHED: Answers[frozenset[int]] = Answers(8192)
_INDICES: Answers[tuple[int, ...] | None] = Answers(4096)
_ELEMENTS: Answers[frozenset[tuple[int, ...]] | None] = Answers(4096)

MOST_LISTED = 4096  # elements of an access, or its iterations, that are taken one by one


class Reach(Sites):
    """The accesses of one iteration, and the banks of each; ``questions`` counts sets asked about."""

    def __init__(self, space: IterationSpace, accesses: Sequence[PortAccess], effort: int = 1) -> None:
        super().__init__(space, accesses, effort)
        self.questions = 0
        self._reach: dict[tuple[object, ...], frozenset[int]] = {}

    def reach(self, position: int, layout: Layout) -> frozenset[int]:
        """Flat banks that the access at ``position`` may touch over its whole domain: none when it never runs."""
        access = self.accesses[position]
        key = (access.domain, access.index, access.map, layout)
        if key not in self._reach:
            self._reach[key] = self._compute_reach(access, layout)
        return self._reach[key]

    def widened(self, position: int, layout: Layout) -> frozenset[int]:
        """:meth:`reach` as a tool may see it: of banks by a division, which an index reaches several of, all.

        Index 16 j + 4 is even, so of six cyclic banks it reaches three. Reports of Vitis HLS 2023.2 have the II of
        all six; of four banks, where the remainder is bits of the index, they have that of the two that are reached.
        Of 80 banks they have that of the five that are reached: (16 j + 4) mod 80 is 16 (j mod 5) + 4.
        """
        reached = self.reach(position, layout)
        if not 1 < len(reached) < layout.banks or layout.per_dimension is None:
            return reached
        forms = affine_index(self.accesses[position])
        divided = [
            k
            for k, dim in enumerate(layout.dims)
            if dim.divides and (forms is None or not self._moves_by_divisor(forms[k], dim.banks))
        ]
        if not divided:
            return reached
        sizes = [dim.banks for dim in layout.dims]
        along = list(map(set, zip(*(flat_place(bank, sizes) for bank in reached), strict=True)))
        for k in divided:
            if len(along[k]) > 1:
                along[k] = set(range(sizes[k]))
        return reached.union(flat_number(place, sizes) for place in product(*along))

    def _moves_by_divisor(self, form: Affine, number: int) -> bool:
        """Whether iterations move ``form`` by multiples of one divisor of ``number`` that is not 1."""
        if any(n not in self.space.names for n in form.names):
            return False
        move = math.gcd(*(form.coefficient(n) * s for n, s in zip(self.space.names, self.space.steps, strict=True)))
        return move > 1 and number % move == 0

    def _compute_reach(self, access: PortAccess, layout: Layout) -> frozenset[int]:
        if self._domains.is_empty(access.domain):
            return frozenset()
        forms = affine_index(access)
        if layout.banks == 1:
            return frozenset((0,))
        chosen = [f for f in forms or () if f.terms]  # the forms that choose among banks
        if forms is not None and layout.per_dimension is not None and len(layout.dims) == len(forms):
            chosen = [f for f, dim in zip(forms, layout.dims, strict=True) if dim.banks > 1 and f.terms]
        if forms is not None and not chosen:
            return frozenset((layout.bank(tuple(f.const for f in forms)),))
        names = tuple(f"x{k}" for k in range(len(layout.shape)))
        coordinates = layout.isl_banks(names)
        sizes = tuple(size for _, size in coordinates)
        if forms is not None:
            box = self.shadow(access.domain, [n for form in chosen for n in form.names])
            if box is not None:
                reach = self._reach_by_dimensions(forms, layout, box)
                reach = self._reach_by_residues(forms, layout, sizes, box) if reach is None else reach
                if reach is not None:
                    return reach
        self.questions += 1

        def reached() -> frozenset[int]:
            try:
                banks = self._reach_by_elements(access, layout)
                if banks is not None:
                    return banks
                touch = self._touch(access, layout.shape)
                values = touch.then(names, tuple(text for text, _ in coordinates)).values(sizes)
            except TooHard:
                return frozenset(range(layout.banks))
            return frozenset(flat_number(v, sizes) for v in values)

        return _REACHED.of((self.space, access.domain, access.index, access.map, layout), reached)

    def _touch(self, access: PortAccess, shape: tuple[int, ...]) -> AccessRelation:
        return self._regions.touch(self.region(access.domain), access.index, access.map, shape)

    def _reach_by_elements(self, access: PortAccess, layout: Layout) -> frozenset[int] | None:
        """Banks of the elements, or of the indices in the one dimension that is split: found once for all partitions.

        None where they are many: the banks are then asked for at once.
        """
        if layout.per_dimension is None:
            return None
        asked = self.space, access.domain, access.index, access.map, layout.shape
        if (only := layout.per_dimension.only_split) is not None:
            indices = _INDICES.of((*asked, only), lambda: self._touch(access, layout.shape).along(only))
            return None if indices is None else frozenset(layout.dims[only].reached(indices))
        elements = _ELEMENTS.of(asked, lambda: self._elements_of(access, layout.shape))
        if elements is None:
            return None
        sizes = [dim.banks for dim in layout.dims]
        columns: list[list[int]] = []
        for dim, indices in zip(layout.dims, zip(*elements, strict=True), strict=bool(elements)):
            banks = {i: dim.bank(i) for i in set(indices)}
            columns.append([banks[i] for i in indices])
        places = set(zip(*columns, strict=True))
        inside = (p for p in places if all(0 <= bank < size for bank, size in zip(p, sizes, strict=True)))
        return frozenset(flat_number(place, sizes) for place in inside)

    def _elements_of(self, access: PortAccess, shape: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        """The elements that an access touches, where they lie close together or the iterations are few."""
        touch = self._touch(access, shape)
        elements = touch.image().members(MOST_LISTED)
        if elements is None and self.region(access.domain).members(MOST_LISTED) is not None:
            by_iteration = touch.each()
            elements = None if by_iteration is None else list(by_iteration.values())
        return None if elements is None else frozenset(elements)

    def _reach_by_dimensions(self, forms: tuple[Affine, ...], layout: Layout, box: Box) -> frozenset[int] | None:
        """Banks as a product of those along each dimension: only where no iterator moves two split ones."""
        split = [(form, dim) for form, dim in zip(forms, layout.dims, strict=False) if dim.banks > 1]
        names = self.space.names
        if layout.per_dimension is None or not are_independent([form for form, _ in split], names, box):
            return None
        reached: set[int] = {0}
        for form, dim in split:
            along = banks_along(form, dim, names, box)
            if along is None:
                return None
            reached = {bank * dim.banks + more for more in along for bank in reached}
        return frozenset(reached)

    def _reach_by_residues(
        self, forms: tuple[Affine, ...], layout: Layout, sizes: tuple[int, ...], box: Box
    ) -> frozenset[int] | None:
        """Banks as sums in the group of residues: only for layouts that are congruences."""
        moduli = tuple(n for _, n in layout.congruences)
        if moduli != sizes:
            return None
        if any(n not in self.space.names for form in forms for n in form.names):
            return None
        bank_forms = [combination(alpha, forms) for alpha, _ in layout.congruences]
        start = tuple(
            (f.const + sum(f.coefficient(n) * low for n, low in zip(self.space.names, box.low, strict=True))) % m
            for f, m in zip(bank_forms, moduli, strict=True)
        )
        reached = {start}
        for name, step, times in zip(self.space.names, box.step, box.count, strict=True):
            move = tuple(f.coefficient(name) * step % m for f, m in zip(bank_forms, moduli, strict=True))
            order = math.lcm(*(m // math.gcd(m, c) for m, c in zip(moduli, move, strict=True)))
            frontier = set(reached)
            for _ in range(min(times, order) - 1):
                frontier = {tuple((v + c) % m for v, c, m in zip(p, move, moduli, strict=True)) for p in frontier}
                if frontier <= reached and times >= order:
                    break
                reached |= frontier
        return frozenset(flat_number(v, sizes) for v in reached)
