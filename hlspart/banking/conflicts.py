"""Conflicts under one layout: pairs of accesses that meet in one bank, and cliques of such pairs in one iteration."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product

from msgspec.structs import replace

from hlspart.banking import listed
from hlspart.banking.accesses import are_exclusive, are_never_zero, combination, is_anywhere, packed
from hlspart.banking.cliques import Budget
from hlspart.banking.common import FAR, CommonIterations
from hlspart.banking.once import OneIteration, all_but_repeated, all_differ
from hlspart.banking.sites import Site, Sites, together
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.layout import Layout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Affine
from hlspart.model.ports import BankLoad, Ports
from hlspart.sets.region import AccessRelation, IterationSet, TooHard

Kind = tuple[int, int]  # a number of the terms of an index, and one of a domain
BY_ARITHMETIC = 25  # pairs that are compared so in the time of one by sets
MOST_GROWN = 600  # compared by sets for one question whether a layout serves accesses
MOST_ASKED = 3_000  # pairs that are compared by sets; further ones are taken to meet


class Conflicts:
    """Pairs of accesses that meet in one bank under one layout, and where they do."""

    def __init__(self, problem: Sites, layout: Layout) -> None:
        self._problem = problem
        self._layout = layout
        self._sites = {s.position: s for s in problem.sites}
        self._names = tuple(f"x{k}" for k in range(len(layout.shape)))
        self._banked: dict[int, AccessRelation] = {}
        self._where: dict[tuple[int, int], IterationSet | None] = {}  # None: nowhere; if missing, wherever both run
        self._doubtful: set[tuple[int, int]] = set()  # that are taken to do so
        self._quickly: dict[tuple[int, int], bool | None] = {}  # whether they meet; None where sets have to tell
        self._same: dict[str, IterationSet] = {}  # those sets by their text, one for all equal ones
        self._cliques: dict[tuple[int, ...], tuple[Sequence[Site], bool, int]] = {}
        self._kinds: dict[object, int] = {}  # numbers of the terms of indices, and of domains
        self._split: dict[int, tuple[Kind, int]] = {}  # by position: these numbers, and the constants in one
        self._known: dict[tuple[Kind, Kind, int, bool], bool | None] = {}
        self._common = CommonIterations(problem, self._where)
        self._exact = True
        self._asked = 0  # pairs compared by sets

    def busiest(self, ports: Ports) -> tuple[BankLoad, dict[str, int] | None, bool]:
        """The busiest bank over all iterations, an iteration of it, and whether the figure is exact."""
        if self._at_run_time and (busiest := listed.busiest(self._problem, self._layout, ports)) is not None:
            return *busiest, True
        load, exact = self._problem.busiest(self._problem.sites, ports, self._clique, lambda members: 0)
        if not exact and (busiest := listed.busiest(self._problem, self._layout, ports)) is not None:
            return *busiest, True
        members = [*load.reads, *load.writes]
        try:
            common = self._common.seen(members) or self._common.of(members)
            witness = common.sample() if common is not None else None
            bank = self._bank(members, witness)
        except TooHard:
            witness, bank = None, 0
        return replace(load, bank=bank), witness, exact

    @property
    def _at_run_time(self) -> bool:
        """Whether an index is no form."""
        return any(s.forms is None for s in self._problem.sites)

    def _clique(self, group: Sequence[Site]) -> tuple[Sequence[Site], bool]:
        """The most of ``group`` that meet in one bank, and whether that is exact: the same for all limits of ports.

        Its pairs count each time, so that what a search may cost does not depend on what was asked before.
        """
        key = tuple(s.position for s in group)
        if key not in self._cliques:
            self._exact, before = True, self._problem.pairs
            members, complete = self._largest(group), True
            if members is None:
                members, complete = self._problem.clique(group, self._neighbours(group), self._is_feasible)
            self._cliques[key] = members, complete and self._exact, self._problem.pairs - before
            self._problem.pairs = before
        members, exact, pairs = self._cliques[key]
        self._problem.pairs += pairs
        return members, exact

    def _largest(self, group: Sequence[Site]) -> Sequence[Site] | None:
        """The most of ``group`` that meet in one bank, where that is known without a look at their pairs."""
        if len(group) < 3:
            return None
        unconditional = not any(s.access.branch for s in group)
        if unconditional and (self._are_always_together(group) or self._are_once_together(group)):
            return group
        with suppress(TooHard):
            if self._layout.banks == 1 and (shown := all_but_repeated(self._problem, self._layout, group)) is not None:
                self._common.note(*shown)
                return shown[0]
        return None

    def _are_always_together(self, group: Sequence[Site]) -> bool:
        """Whether all run in the same iterations and need a port each of the only bank: no two read one element."""
        if self._layout.banks != 1:
            return False
        parts = [(s.read, *self._parts(s, s.forms)) for s in group if s.forms is not None]
        reads = [part for part in parts if part[0]]
        if len(parts) < len(group) or len({kind for _, kind, _ in parts}) > 1 or len(set(reads)) < len(reads):
            return False
        self._common.note_always(group)
        return True

    def _are_once_together(self, group: Sequence[Site]) -> bool:
        """Whether one iteration, in which the first and the last meet, shows all of them in conflict.

        A bank that is read where it is chosen, and at its first word elsewhere, has indices that no arithmetic decides.
        """
        if all(s.forms is not None for s in group):
            return False
        with suppress(TooHard):
            region = self._meeting_of(group[0], group[-1])
            for point in filter(None, (region.point(FAR), region.point()) if region is not None else ()):
                runs = all(s.region.has(point) for s in group)
                if runs and all_differ(self._problem, self._layout, group, point):
                    self._common.note(group, point)
                    return True
        return False

    def exceeds(self, ports: Ports, ii: int) -> bool:
        """Adds accesses one by one and stops at the first set that one bank cannot serve."""
        if self._at_run_time and (busiest := listed.busiest(self._problem, self._layout, ports, ii)) is not None:
            return busiest[0].interval > ii
        once = OneIteration(self._problem, self._layout)
        exceeds = once.interval(ports) > ii
        if exceeds or once.is_as_all(self._undecided):
            return exceeds
        budget, most = Budget(1000), self._problem.pairs + MOST_GROWN
        for limit, group in self._problem.limited(ports):
            before: dict[tuple[int, ...], list[Site]] = {}
            for site in group if len(group) > limit * ii else ():
                beside = before.setdefault(self._bank_known(site), [])
                near = [s for s in beside if self._adjacent(site, s)]
                if self._grows([site], near, limit * ii, budget, most) or self._problem.pairs > most:
                    return True
                beside.append(site)
        return False

    def lanes(self, sites: Sequence[Site]) -> int:
        """Loads, or stores, that a bank needs so that no two of ``sites`` that may meet in one share any.

        As text that selects banks deals them out: the most constrained first.
        """
        near: dict[int, set[int]] = {a.position: set() for a in sites}
        for a, b in combinations(sites, 2):
            if self._meets(a, b):
                near[a.position].add(b.position)
                near[b.position].add(a.position)
        lane: dict[int, int] = {}
        for position in sorted(near, key=lambda p: (-len(near[p]), p)):
            taken = {lane[q] for q in near[position] if q in lane}
            lane[position] = next(k for k in range(len(near)) if k not in taken)
        return 1 + max(lane.values(), default=-1)

    def _meets(self, a: Site, b: Site) -> bool:
        """Whether two accesses may touch different elements of one bank, whatever branch they stand in."""
        always = self._quick(a, b)
        if always is not None:
            return always
        try:
            return self._meeting_of(a, b) is not None
        except TooHard:
            return True

    def _grows(self, clique: list[Site], candidates: Sequence[Site], cap: int, budget: Budget, most: int) -> bool:
        """Whether more than ``cap`` accesses, ``clique`` and some of ``candidates``, meet in one iteration.

        So, too, where that is not known within the budget, or once ``most`` pairs have been compared.
        """
        if len(clique) + len(candidates) <= cap:
            return False
        if len(clique) > cap or not budget.spend() or self._problem.pairs > most:
            return True
        for k, site in enumerate(candidates):
            if len(clique) + len(candidates) - k <= cap:
                return False
            if self._is_feasible([s.position for s in (*clique, site)]):
                rest = [s for s in candidates[k + 1 :] if self._adjacent(site, s)]
                if len(clique) == cap or self._grows([*clique, site], rest, cap, budget, most):
                    return True
        return False

    def _bank(self, members: Sequence[int], witness: dict[str, int] | None) -> int:
        shape = self._layout.shape
        decided = [p for p in members if self._sites[p].forms is not None] or list(members)
        if not decided or witness is None:
            return 0
        element = self._problem.element(self._sites[decided[0]], shape, witness)
        inside = element is not None and all(0 <= x < n or n <= 0 for x, n in zip(element, shape, strict=True))
        return self._layout.bank(element) if element is not None and inside else 0

    @cached_property
    def _fixed(self) -> list[int]:
        """Split dimensions in which every access has one bank at all times."""
        split = [k for k, dim in enumerate(self._layout.dims) if dim.banks > 1]
        forms = [s.forms for s in self._sites.values()]
        known = self._layout.per_dimension is not None and all(
            f is not None and len(f) == len(self._layout.dims) for f in forms
        )
        return [k for k in split if known and not any(f[k].terms for f in forms if f is not None)]

    @cached_property
    def _is_of_elements(self) -> bool:
        """Whether each element is a bank of its own."""
        dims = self._layout.dims
        return bool(dims) and all(d.banks == d.extent for d in dims)

    @cached_property
    def _undecided(self) -> Layout:
        """The layout of accesses whose banks along ``_fixed`` are equal: those dimensions are whole for them."""
        if not self._fixed or self._layout.per_dimension is None:
            return self._layout
        fixed, dims = self._fixed, self._layout.dims
        whole = (DimLayout.of("whole", d.extent, None) if k in fixed else d for k, d in enumerate(dims))
        return PerDimLayout(tuple(whole))

    def _bank_known(self, site: Site) -> tuple[int, ...]:
        """Banks along the dimensions in which every access has its own at all times; where they differ, none meet."""
        return tuple([self._layout.dims[k].bank(site.forms[k].const) for k in self._fixed if site.forms is not None])

    def _kind(self, site: Site) -> Hashable:
        """Accesses of one meet the same ones."""
        if site.forms is None:
            return site.position
        return *self._parts(site, site.forms), site.read

    def _known_to_meet(self, a: Site, b: Site) -> bool | None:
        """Whether accesses of two kinds meet wherever both run; None where sets have to tell."""
        return self._quick(a, b) if self._problem.meet(a, b) else False

    def _neighbours(self, group: Sequence[Site]) -> list[int]:
        """For each access a mask of those that meet it, told for all of two kinds at once where that is known."""
        beside, near, looked_at = together(group), [0] * len(group), 0
        by_bank: dict[Hashable, dict[Hashable, list[int]]] = {}
        for k, site in enumerate(group):
            by_bank.setdefault(self._bank_known(site), {}).setdefault(self._kind(site), []).append(k)
        for members in (list(by_kind.values()) for by_kind in by_bank.values()):
            masks = [sum(1 << k for k in places) for places in members]
            for (ones, mine), (others, their) in combinations_with_replacement(zip(members, masks, strict=True), 2):
                meet = self._known_to_meet(group[ones[0]], group[others[0]])
                looked_at += 1 if meet is not None else len(ones) * len(others)
                if meet:
                    for places, mask in ((ones, their), (others, mine)):
                        for k in places:
                            near[k] |= mask
                elif meet is None:
                    for a, b in product(ones, others) if ones is not others else combinations(ones, 2):
                        if beside[a] >> b & 1 and self._adjacent(group[a], group[b]):
                            near[a] |= 1 << b
                            near[b] |= 1 << a
        self._problem.pairs += looked_at // BY_ARITHMETIC
        return [one & other for one, other in zip(near, beside, strict=True)]

    def _adjacent(self, a: Site, b: Site) -> bool:
        key = (a.position, b.position) if a.position < b.position else (b.position, a.position)
        if key not in self._quickly:  # cliques that grow ask again and again
            self._quickly[key] = False if are_exclusive(a.access, b.access) else self._known_to_meet(a, b)
        if (always := self._quickly[key]) is not None:
            return always
        try:
            if key in self._doubtful or (key not in self._where and self._asked >= MOST_ASKED):
                raise TooHard(f"more than {MOST_ASKED} pairs")
            return self._meeting_of(a, b) is not None
        except TooHard:
            self._exact = False
            self._doubtful.add(key)
            return True

    def _quick(self, a: Site, b: Site) -> bool | None:
        """Conflict by arithmetic alone: always, never, or (None) not known."""
        if a.forms is None or b.forms is None:
            return True if any(is_anywhere(s.access, self._layout) for s in (a, b)) else None
        if self._bank_known(a) != self._bank_known(b):
            return False
        (kind, start), (other, end) = self._parts(a, a.forms), self._parts(b, b.forms)
        if kind[0] == other[0]:  # a distance that no iteration changes
            kind = other = (kind[0], -1)
        key = (kind, other, end - start, a.read and b.read)
        if key not in self._known:  # copies of an unrolled access are many, their distances few
            self._known[key] = self._by_arithmetic(a, a.forms, b, b.forms)
        return self._known[key]

    def _parts(self, site: Site, forms: tuple[Affine, ...]) -> tuple[Kind, int]:
        if (known := self._split.get(site.position)) is None:
            terms = self._kinds.setdefault(tuple(f.terms for f in forms), len(self._kinds))
            domain = self._kinds.setdefault(site.access.domain, len(self._kinds))
            known = self._split[site.position] = (terms, domain), packed(f.const for f in forms)
        return known

    def _by_arithmetic(
        self, a: Site, from_forms: tuple[Affine, ...], b: Site, to_forms: tuple[Affine, ...]
    ) -> bool | None:
        delta = tuple(y - x for x, y in zip(from_forms, to_forms, strict=True))
        if not any(d.terms for d in delta):
            constant = tuple(d.const for d in delta)
            if a.read and b.read and not any(constant):
                return False
            return self._undecided.shares_bank(constant)
        loads = a.read and b.read
        if self._undecided.banks == 1 and (not loads or are_never_zero(delta)):
            return True
        if self._is_of_elements and (loads or are_never_zero(delta)):
            return False
        problem = self._problem
        box = problem.box(a.access.domain) if problem.space.names else None
        for alpha, modulus in self._undecided.congruences:
            form = combination(alpha, delta)
            divisor, const = modulus, form.const
            for name, coefficient in form.terms:
                if name in problem.space.names and box is not None:
                    k = problem.space.names.index(name)
                    const += coefficient * box.low[k]
                    coefficient *= box.step[k]
                divisor = math.gcd(divisor, coefficient)
            if const % divisor:
                return False
        return None

    def _meeting_of(self, a: Site, b: Site) -> IterationSet | None:
        """Iterations in which ``a`` and ``b`` need two ports of one bank; None where they never do. Raises TooHard."""
        key = (min(a.position, b.position), max(a.position, b.position))
        if key not in self._where:
            self._problem.pairs += 1
            self._asked += 1
            region = self._pair(a, b)
            self._where[key] = None if region.empty else self._same.setdefault(region.text, region)
        return self._where[key]

    def _pair(self, a: Site, b: Site) -> IterationSet:
        region = self._bank_touch(a).agree(self._bank_touch(b))
        both = a.read and b.read and a.access.index is not None and b.access.index is not None
        if both and not region.empty:
            shape = self._layout.shape
            single = all(f is not None or s.access.map is not None for s in (a, b) for f in s.access.index or ())
            if single:
                region = region.minus(self._problem.elements(a, shape).agree(self._problem.elements(b, shape)))
        return region

    def _bank_touch(self, site: Site) -> AccessRelation:
        if site.position not in self._banked:
            expressions = tuple(text for text, _ in self._layout.isl_banks(self._names)) or ("0",)
            self._banked[site.position] = self._problem.elements(site, self._layout.shape).then(
                self._names, expressions
            )
        return self._banked[site.position]

    def _is_feasible(self, positions: Sequence[int]) -> bool:
        """Whether one iteration has all the pairs of ``positions`` in conflict at once; so, where that is not known."""
        happens = self._common.happens(positions)
        if happens is None:
            self._exact = False
        return happens is not False
