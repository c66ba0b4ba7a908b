"""How many ports of one bank the accesses of one iteration need: the one counting function of hlspart.

Two figures. *static*: a synthesis tool knows a bank only when it is fixed at compile time, so an
access whose bank is not occupies every bank that it may reach over its domain (UG1399 on dynamic
indices; messages 203-104 and 200-914). *ideal*: the true maximum over all iterations, found from
pairs of accesses that can meet in one bank and then from cliques of such pairs; iterations are
never enumerated, so the cost does not depend on trip counts.
"""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from hlspart.banking.accesses import affine_index, combination, exclusive, flat_number
from hlspart.banking.cliques import Budget, largest_clique
from hlspart.model.access import Affine
from hlspart.model.ports import BankLoad, IterationSpace, PortAccess, PortCount, Ports
from hlspart.poly.region import Box, Region, Regions, TooHard, Touch

MAX_PAIRED = 1500  # accesses of one array whose pairs are all compared
MIN_SHOWN = 4  # accesses of a clique from which single iterations are tried before all are looked at
FAR = 64  # where iterators are away from the borders of their domains, mostly
MAX_MEETING = 128  # accesses whose common iterations are computed when they depend on the iteration


class Layout(Protocol):
    """What counting asks of a layout."""

    @property
    def banks(self) -> int:
        """Number of banks."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the array."""

    @property
    def congruences(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """(alpha, n): elements x, y can share a bank only if alpha . (x - y) = 0 mod n."""

    def same_bank(self, delta: tuple[int, ...]) -> bool | None:
        """Whether x and x + delta share a bank: always, never, or (None) depending on x."""

    def bank(self, x: tuple[int, ...]) -> int:
        """Bank of an element."""

    def isl_banks(self, indices: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Bank coordinates as isl expressions with their sizes; the flat bank is their row-major number."""


def count(
    space: IterationSpace,
    accesses: Sequence[PortAccess],
    layout: Layout,
    ports: Ports,
    exclusive_static: bool = False,
) -> PortCount:
    """Port use of the busiest bank by ``accesses`` of one iteration under ``layout``.

    Equal accesses must have been merged (:func:`hlspart.banking.accesses.merge_equal`).
    ``exclusive_static``: whether the tool knows that opposite arms of a branch never run together;
    the ideal figure always does.
    """
    return PortProblem(space, accesses, exclusive_static).count(layout, ports)


@dataclass(frozen=True)
class Site:
    """An access with what does not depend on the layout."""

    position: int
    access: PortAccess
    region: Region
    forms: tuple[Affine, ...] | None  # when all dimensions are affine

    @property
    def read(self) -> bool:
        return self.access.kind == "read"


class PortProblem:
    """The accesses of one iteration, to be counted under several layouts."""

    def __init__(
        self, space: IterationSpace, accesses: Sequence[PortAccess], exclusive_static: bool = False, effort: int = 1
    ) -> None:
        self.space = space
        self.accesses = tuple(accesses)
        self.exclusive_static = exclusive_static
        self._effort = effort
        self._regions = Regions(space.names, space.steps)
        self.questions = 0  # sets asked about so far: what a search may spend is limited
        self.pairs = 0  # pairs of accesses compared by sets under some layout
        self._by_domain: dict[str, Region] = {}
        self._boxes: dict[str, Box | None] = {}
        self._meets: dict[tuple[str, str], bool] = {}
        self._elements: dict[tuple[int, tuple[int, ...]], Touch] = {}
        self._reach: dict[tuple[str, tuple[Affine | None, ...] | None, object], frozenset[int]] = {}

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Accesses that are performed in some iteration."""
        sites = []
        for position, access in enumerate(self.accesses):
            region = self._region(access.domain)
            if not self._empty(region):
                sites.append(Site(position, access, region, affine_index(access)))
        return tuple(sites)

    def count(self, layout: Layout, ports: Ports) -> PortCount:
        """Both figures under ``layout``."""
        ideal, witness, exact = self.ideal(layout, ports)
        return PortCount(self.static(layout, ports), ideal, witness, exact)

    # ------------------------------------------------------------------------------ static

    def static(self, layout: Layout, ports: Ports) -> BankLoad:
        """The busiest bank when undecided accesses occupy all banks that they may reach."""
        members: dict[int, list[Site]] = {}
        for site in self.sites:
            for bank in self.reach(site.position, layout):
                members.setdefault(bank, []).append(site)
        best = BankLoad(0, (), (), 1)
        seen: set[tuple[int, ...]] = set()
        for bank in sorted(members):
            key = tuple(s.position for s in members[bank])
            if key in seen:
                continue
            seen.add(key)
            load = self._static_load(bank, members[bank], ports)
            if (load.interval, len(load.reads) + len(load.writes)) > (best.interval, len(best.reads + best.writes)):
                best = load
        return best

    def reach(self, position: int, layout: Layout) -> frozenset[int]:
        """Flat banks that the access at ``position`` may touch over its whole domain."""
        access = self.accesses[position]
        key = (access.domain, access.index if access.map is None else None, layout)
        if access.map is not None and affine_index(access) is None:
            return self._compute_reach(access, layout)
        if key not in self._reach:
            self._reach[key] = self._compute_reach(access, layout)
        return self._reach[key]

    def _compute_reach(self, access: PortAccess, layout: Layout) -> frozenset[int]:
        forms = affine_index(access)
        if layout.banks == 1:
            return frozenset((0,))
        if forms is not None and not any(f.terms for f in forms):
            return frozenset((layout.bank(tuple(f.const for f in forms)),))
        names = tuple(f"x{k}" for k in range(len(layout.shape)))
        coordinates = layout.isl_banks(names)
        sizes = tuple(size for _, size in coordinates)
        if forms is not None:
            found = self._reach_by_residues(access, forms, layout, sizes)
            if found is not None:
                return found
        self.questions += 1
        try:
            touch = self._regions.touch(self._region(access.domain), access.index, access.map, layout.shape)
            values = touch.then(names, tuple(text for text, _ in coordinates)).values(sizes)
        except TooHard:
            return frozenset(range(layout.banks))
        return frozenset(flat_number(v, sizes) for v in values)

    def _reach_by_residues(
        self, access: PortAccess, forms: tuple[Affine, ...], layout: Layout, sizes: tuple[int, ...]
    ) -> frozenset[int] | None:
        """Banks as sums in the group of residues: only for layouts that are congruences, on boxes."""
        moduli = tuple(n for _, n in layout.congruences)
        box = self.box(access.domain)
        if moduli != sizes or box is None:
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
            frontier = reached
            for _ in range(min(times, order) - 1):
                frontier = {tuple((v + c) % m for v, c, m in zip(p, move, moduli, strict=True)) for p in frontier}
                if frontier <= reached and times >= order:
                    break
                reached = reached | frontier
        return frozenset(flat_number(v, sizes) for v in reached)

    def _static_load(self, bank: int, sites: Sequence[Site], ports: Ports) -> BankLoad:
        if not self.exclusive_static or not any(s.access.branch for s in sites):
            return _load(bank, sites, ports)
        return self._busiest(sites, ports, lambda a, b: not exclusive(a.access, b.access), None, lambda _: bank)[0]

    # ------------------------------------------------------------------------------- ideal

    def ideal(self, layout: Layout, ports: Ports) -> tuple[BankLoad, dict[str, int] | None, bool]:
        """The busiest bank over all iterations, an iteration of it, and whether the figure is exact.

        Of very many accesses not all pairs are compared: the static figure is then the upper bound given.
        """
        if len(self.sites) > MAX_PAIRED:
            return self.static(layout, ports), None, False
        return _Conflicts(self, layout).busiest(ports)

    def exceeds(self, layout: Layout, ports: Ports, ii: int) -> bool:
        """Whether some iteration asks a bank for more than it serves in ``ii`` cycles (not proved: True)."""
        return _Conflicts(self, layout).exceeds(ports, ii)

    def hopeless(self, shape: tuple[int, ...], ports: Ports, ii: int) -> bool:
        """Whether one element lies within the static reach of more accesses than a bank serves in ``ii`` cycles.

        Then no partition passes the static count: whatever holds that element is overloaded.
        """
        if self.exclusive_static:
            return False
        images = {s.position: self.elements(s, shape).image() for s in self.sites}
        budget = Budget(300)

        def grows(common: Region | None, left: int, candidates: Sequence[Site]) -> bool:
            if left == 0:
                return True
            for k, site in enumerate(candidates[: len(candidates) - left + 1]):
                image = images[site.position]
                both = image if common is None else common.meet(image)
                if not budget.spend():
                    return False
                if not both.empty and grows(both, left - 1, candidates[k + 1 :]):
                    return True
            return False

        try:
            return any(grows(None, limit * ii + 1, group) for limit, group in self.limited(ports))
        except TooHard:
            return False

    def limited(self, ports: Ports) -> list[tuple[int, list[Site]]]:
        """Each limit of ``ports`` with the accesses that share it."""
        reads = [s for s in self.sites if s.read]
        writes = [s for s in self.sites if not s.read]
        kinds = ((ports.total, list(self.sites)), (ports.reads, reads), (ports.writes, writes))
        return [(limit, group) for limit, group in kinds if limit is not None]

    def _busiest(
        self,
        sites: Sequence[Site],
        ports: Ports,
        adjacent: Callable[[Site, Site], bool],
        feasible: Callable[[Sequence[int]], bool] | None,
        bank_of: Callable[[Sequence[Site]], int],
    ) -> tuple[BankLoad, bool]:
        """Largest clique for each port limit; the one with the longest interval."""
        best, exact = BankLoad(0, (), (), 1), True
        chosen = set(sites)
        limited = [group for _, group in self.limited(ports)] or [list(self.sites)]
        for group in ([s for s in g if s in chosen] for g in limited):
            neighbours = [0] * len(group)
            for a in range(len(group)):
                for b in range(a):
                    if adjacent(group[a], group[b]):
                        neighbours[a] |= 1 << b
                        neighbours[b] |= 1 << a
            positions = [s.position for s in group]
            clique, complete = largest_clique(neighbours, positions, feasible, Budget(400 * self._effort))
            exact = exact and complete
            members = [group[k] for k in clique]
            load = _load(bank_of(members), members, ports)
            if (load.interval, len(load.reads + load.writes)) > (best.interval, len(best.reads + best.writes)):
                best = load
        return best, exact

    # ------------------------------------------------------------------------------ helpers

    def _region(self, domain: str) -> Region:
        if domain not in self._by_domain:
            region = self._regions.region(domain)
            if domain != self.space.domain:  # what an access says of its iterations holds within the space
                with contextlib.suppress(TooHard):
                    region = region.meet(self._region(self.space.domain))
            self._by_domain[domain] = region
        return self._by_domain[domain]

    def domain_key(self, domain: str) -> Box | str:
        """Equal for domains that are known to be equal: the box, else the text."""
        return self.box(domain) or domain

    def common_box(self, domains: Sequence[str]) -> Box | None:
        """The iterations of all ``domains`` at once, when there are some and they form a box."""
        try:
            common = self._region(domains[0])
            for domain in domains[1:]:
                common = common.meet(self._region(domain))
            return None if common.empty else common.box()
        except TooHard:
            return None

    def box(self, domain: str) -> Box | None:
        """The box that a domain is, None when it is not one."""
        if domain not in self._boxes:
            try:
                self._boxes[domain] = self._region(domain).box()
            except TooHard:
                self._boxes[domain] = None
        return self._boxes[domain]

    def _empty(self, region: Region) -> bool:
        try:
            return region.empty
        except TooHard:
            return False

    def meet(self, a: Site, b: Site) -> bool:
        """Whether some iteration performs both."""
        if a.access.domain == b.access.domain:
            return True
        one, other = sorted((a.access.domain, b.access.domain))
        if self.domain_key(one) == self.domain_key(other):
            return True
        if (one, other) not in self._meets:
            try:
                self._meets[one, other] = not self._region(one).meet(self._region(other)).empty
            except TooHard:
                self._meets[one, other] = True
        return self._meets[one, other]

    def elements(self, site: Site, shape: tuple[int, ...]) -> Touch:
        """Elements of ``site`` as a relation."""
        key = (site.position, shape)
        if key not in self._elements:
            self._elements[key] = self._regions.touch(site.region, site.access.index, site.access.map, shape)
        return self._elements[key]

    def element(self, site: Site, shape: tuple[int, ...], at: Mapping[str, int]) -> tuple[int, ...] | None:
        """An element that ``site`` touches in iteration ``at``."""
        return self._regions.element(self.elements(site, shape), at)


class _Conflicts:
    """Pairs of accesses that meet in one bank under one layout, and where they do."""

    def __init__(self, problem: PortProblem, layout: Layout) -> None:
        self._problem = problem
        self._layout = layout
        self._sites = {s.position: s for s in problem.sites}
        self._names = tuple(f"x{k}" for k in range(len(layout.shape)))
        self._banked: dict[int, Touch] = {}
        self._where: dict[tuple[int, int], Region | None] = {}  # None: wherever both run
        self._meeting: dict[tuple[int, ...], Region] = {}
        self._kinds: dict[tuple[object, str], int] = {}  # numbers of (terms of the index, domain)
        self._split: dict[int, tuple[int, tuple[int, ...]]] = {}  # by position: that number, and the constants
        self._known: dict[tuple[int, int, tuple[int, ...], bool], bool | None] = {}
        self._always: set[tuple[int, ...]] = set()  # cliques that meet in every iteration
        self._points: dict[tuple[int, ...], list[Region]] = {}  # by the first members of a clique: iterations to try
        self._held: dict[int, set[tuple[int, ...]]] = {}  # by such an iteration: cliques that meet in it
        self._exact = True

    def busiest(self, ports: Ports) -> tuple[BankLoad, dict[str, int] | None, bool]:
        load, complete = self._problem._busiest(
            self._problem.sites, ports, self._adjacent, self._feasible, lambda members: 0
        )
        members = [*load.reads, *load.writes]
        try:
            common = self._seen(members) or self._common(members)
            witness = common.sample() if common is not None else None
            bank = self._bank(members, witness)
        except TooHard:
            witness, bank = None, 0
        return replace(load, bank=bank), witness, complete and self._exact

    def _seen(self, members: Sequence[int]) -> Region | None:
        """An iteration in which all ``members`` have been seen in conflict."""
        wanted = set(members)
        for points in self._points.values():
            for point in points:
                if any(wanted == set(key) for key in self._held.get(id(point), ())):
                    return point
        return None

    def exceeds(self, ports: Ports, ii: int) -> bool:
        """Adds accesses one by one and stops at the first set that one bank cannot serve."""
        budget = Budget(1000)
        for limit, group in self._problem.limited(ports):
            for k, site in enumerate(group):
                earlier = [s for s in group[:k] if len(group) > limit * ii and self._adjacent(site, s)]
                if self._grows([site], earlier, limit * ii, budget):
                    return True
        return False

    def _grows(self, clique: list[Site], candidates: Sequence[Site], cap: int, budget: Budget) -> bool:
        """Whether more than ``cap`` accesses, ``clique`` and some of ``candidates``, meet in one iteration."""
        if len(clique) + len(candidates) <= cap:
            return False
        if len(clique) > cap or not budget.spend():
            return True
        for k, site in enumerate(candidates):
            if len(clique) + len(candidates) - k <= cap:
                return False
            if self._feasible([s.position for s in (*clique, site)]):
                rest = [s for s in candidates[k + 1 :] if self._adjacent(site, s)]
                if len(clique) == cap or self._grows([*clique, site], rest, cap, budget):
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

    def _adjacent(self, a: Site, b: Site) -> bool:
        if exclusive(a.access, b.access) or not self._problem.meet(a, b):
            return False
        key = (min(a.position, b.position), max(a.position, b.position))
        if key not in self._where:
            always = self._quick(a, b)
            if always is False:
                return False
            if always is True:
                self._where[key] = None
                return True
            try:
                region = self._pair(a, b)
                if region.empty:
                    return False
            except TooHard:
                self._exact = False
                self._where[key] = None
                return True
            self._where[key] = region
        return True

    def _quick(self, a: Site, b: Site) -> bool | None:
        """Conflict by arithmetic alone: always, never, or (None) not known."""
        if a.forms is None or b.forms is None:
            return None
        (kind, start), (other, end) = self._parts(a, a.forms), self._parts(b, b.forms)
        key = (kind, other, tuple(map(operator.sub, end, start)), a.read and b.read)
        if key not in self._known:  # copies of an unrolled access are many, their distances few
            self._known[key] = self._by_arithmetic(a, a.forms, b, b.forms)
        return self._known[key]

    def _parts(self, site: Site, forms: tuple[Affine, ...]) -> tuple[int, tuple[int, ...]]:
        if site.position not in self._split:
            kind = (tuple(f.terms for f in forms), site.access.domain)
            number = self._kinds.setdefault(kind, len(self._kinds))
            self._split[site.position] = number, tuple(f.const for f in forms)
        return self._split[site.position]

    def _by_arithmetic(
        self, a: Site, from_forms: tuple[Affine, ...], b: Site, to_forms: tuple[Affine, ...]
    ) -> bool | None:
        delta = tuple(y - x for x, y in zip(from_forms, to_forms, strict=True))
        if not any(d.terms for d in delta):
            constant = tuple(d.const for d in delta)
            if a.read and b.read and not any(constant):
                return False
            return self._layout.same_bank(constant)
        problem = self._problem
        box = problem.box(a.access.domain) if problem.space.names else None
        for alpha, modulus in self._layout.congruences:
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

    def _pair(self, a: Site, b: Site) -> Region:
        """Iterations in which ``a`` and ``b`` need two ports of one bank."""
        self._problem.pairs += 1
        region = self._bank_touch(a).agree(self._bank_touch(b))
        if a.read and b.read and a.access.index is not None and b.access.index is not None:
            shape = self._layout.shape
            single = all(f is not None or s.access.map is not None for s in (a, b) for f in s.access.index or ())
            if single:
                region = region.minus(self._problem.elements(a, shape).agree(self._problem.elements(b, shape)))
        return region

    def _bank_touch(self, site: Site) -> Touch:
        if site.position not in self._banked:
            expressions = tuple(text for text, _ in self._layout.isl_banks(self._names)) or ("0",)
            self._banked[site.position] = self._problem.elements(site, self._layout.shape).then(
                self._names, expressions
            )
        return self._banked[site.position]

    def _feasible(self, positions: Sequence[int]) -> bool:
        """Whether one iteration has all the pairs of ``positions`` in conflict at once."""
        if len(positions) < 3:
            return True
        if self._unconditional(tuple(positions)):
            return True
        if len(positions) > MAX_MEETING:
            self._exact = False
            return True
        try:
            if self._shown(positions):
                return True
            common = self._common(positions)
            return common is None or not common.empty
        except TooHard:
            self._exact = False
            return True

    def _shown(self, positions: Sequence[int]) -> bool:
        """Whether one of a few iterations shows all ``positions`` in conflict at once (no proof that none does)."""
        if len(positions) < MIN_SHOWN:
            return False
        start = tuple(positions[:MIN_SHOWN])
        if start not in self._points:
            common = self._common(start)
            found = [common.point(FAR), common.point()] if common is not None else []
            self._points[start] = [p for p in found if p is not None]
        pairs = [(min(p, positions[-1]), max(p, positions[-1])) for p in positions[:-1]]
        for point in self._points[start]:
            held = self._held.setdefault(id(point), set())
            key = tuple(positions)
            grown = tuple(key[:-1]) in held
            regions = [self._sites[p].region for p in ((positions[-1],) if grown else positions)]
            regions += [w for pair in (pairs if grown else _pairs(positions)) if (w := self._where[pair]) is not None]
            if all(region.covers(point) for region in regions):
                held.add(key)
                return True
        return False

    def _unconditional(self, positions: tuple[int, ...]) -> bool:
        """Whether all run in the same iterations, and each pair meets in all of them."""
        *earlier, last = positions
        grown = tuple(earlier) in self._always  # cliques grow one by one: only what is new is looked at
        pairs = [(min(p, last), max(p, last)) for p in earlier] if grown else _pairs(positions)
        members = (earlier[0], last) if grown else positions
        keys = {self._problem.domain_key(self._sites[p].access.domain) for p in members}
        if len(keys) > 1 or any(self._where[pair] is not None for pair in pairs):
            return False
        self._always.add(positions)
        return True

    def _common(self, positions: Sequence[int]) -> Region | None:
        """Iterations in which all ``positions`` run and meet pairwise; prefixes are remembered."""
        if not positions:
            return None
        key = tuple(positions)
        if key not in self._meeting:
            *earlier, last = key
            before = self._common(earlier)
            common = self._sites[last].region if before is None else before.meet(self._sites[last].region)
            for other in earlier:
                where = self._where.get((min(other, last), max(other, last)))
                if where is not None:
                    common = common.meet(where)
            self._meeting[key] = common
        return self._meeting[key]


def _pairs(positions: Sequence[int]) -> list[tuple[int, int]]:
    ordered = sorted(positions)
    return [(a, b) for k, a in enumerate(ordered) for b in ordered[k + 1 :]]


def _load(bank: int, sites: Sequence[Site], ports: Ports) -> BankLoad:
    reads = tuple(sorted(s.position for s in sites if s.read))
    writes = tuple(sorted(s.position for s in sites if not s.read))
    return BankLoad(bank, reads, writes, ports.interval(len(reads), len(writes)))
