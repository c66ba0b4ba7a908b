"""The accesses of one iteration with what does not depend on a layout: where each runs, which run together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from threading import get_ident

from msgspec import Struct

from hlspart.banking.accesses import affine_index
from hlspart.banking.cliques import Budget, largest_clique
from hlspart.model.access import Affine
from hlspart.model.answers import Answers
from hlspart.model.ports import BankLoad, IterationSpace, PortAccess, Ports
from hlspart.sets.box import Box
from hlspart.sets.region import AccessRelation, IterationSet, Regions, TooHard


class Site(Struct, frozen=True):
    """An access with what does not depend on the layout."""

    position: int
    access: PortAccess
    region: IterationSet
    forms: tuple[Affine, ...] | None  # when all dimensions are affine

    @property
    def read(self) -> bool:
        return self.access.kind == "read"


class Domains:
    """Sets of iterations of one space, by their texts: those of a text that is read again are mostly the same."""

    def __init__(self, space: IterationSpace) -> None:
        self.space = space
        self.regions = Regions(space.names, space.steps)
        self._by_domain: dict[str, IterationSet] = {}
        self._empty: dict[str, bool] = {}
        self._boxes: dict[str, Box | None] = {}
        self._shadows: dict[tuple[str, frozenset[str]], Box | None] = {}
        self._meets: dict[tuple[str, str], bool] = {}

    def region(self, domain: str) -> IterationSet:
        """The iterations of the space that lie in ``domain``."""
        if domain not in self._by_domain:
            region = self.regions.region(domain)
            if domain != self.space.domain:  # what an access says of its iterations holds within the space
                with contextlib.suppress(TooHard):
                    region = region.meet(self.region(self.space.domain))
            self._by_domain[domain] = region
        return self._by_domain[domain]

    def is_empty(self, domain: str) -> bool:
        """Whether a domain is known to have no iteration."""
        if domain not in self._empty:
            region = self.region(domain)
            try:
                self._empty[domain] = region.empty
            except TooHard:
                self._empty[domain] = False
        return self._empty[domain]

    def box(self, domain: str) -> Box | None:
        """The box that a domain is, None when it is not one."""
        if domain not in self._boxes:
            try:
                self._boxes[domain] = self.region(domain).box()
            except TooHard:
                self._boxes[domain] = None
        return self._boxes[domain]

    def shadow(self, domain: str, names: frozenset[str]) -> Box | None:
        """The box of the values of ``names`` in a domain, where there is one."""
        if (domain, names) not in self._shadows:
            try:
                self._shadows[domain, names] = self.region(domain).shadow(names).box()
            except TooHard:
                self._shadows[domain, names] = None
        return self._shadows[domain, names]

    def meet(self, one: str, other: str) -> bool:
        """Whether some iteration may lie in both."""
        if one == other:
            return True
        key = min(one, other), max(one, other)
        if key not in self._meets:
            box, its = self.box(one), self.box(other)
            if box is not None and its is not None:
                self._meets[key] = box.meets(its)
            else:
                try:
                    self._meets[key] = not self.region(key[0]).meet(self.region(key[1])).empty
                except TooHard:
                    self._meets[key] = True
        return self._meets[key]


# By space and thread, as sets of one context must not be used by several.
_DOMAINS: Answers[Domains] = Answers(64)


class Sites:
    """Accesses of one iteration; ``pairs`` counts those compared by sets under some layout, each time."""

    def __init__(self, space: IterationSpace, accesses: Sequence[PortAccess], effort: int = 1) -> None:
        self.space = space
        self.accesses = tuple(accesses)
        self.pairs = 0
        self._effort = effort
        self._domains = _DOMAINS.of((space, get_ident()), lambda: Domains(space))
        self._regions = self._domains.regions
        self._elements: dict[tuple[int, tuple[int, ...]], AccessRelation] = {}
        # by shape, all touches by iteration; None where they are not listed
        self.touches: dict[tuple[int, ...], dict[tuple[int, ...], list[tuple[Site, tuple[int, ...]]]] | None] = {}

    @cached_property
    def content(self) -> tuple[object, ...]:
        """What the busiest bank depends on: not the lines of the accesses."""
        accesses = tuple((a.kind, a.index, a.map, a.domain, a.branch, a.leaves) for a in self.accesses)
        return self.space, self._effort, accesses

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Accesses that are performed in some iteration."""
        sites = []
        for position, access in enumerate(self.accesses):
            region = self.region(access.domain)
            if not self._domains.is_empty(access.domain):
                sites.append(Site(position, access, region, affine_index(access)))
        return tuple(sites)

    @cached_property
    def in_one_iteration(self) -> tuple[tuple[Site, tuple[int, ...]], ...]:
        """Accesses that all run in one iteration, whatever branch is taken, each with the element that it touches."""
        together: dict[str, list[Site]] = {}
        for site in self.sites:
            if site.forms is not None and not site.access.branch:
                together.setdefault(site.access.domain, []).append(site)
        domain = max(together, key=lambda d: len(together[d]), default=None)
        try:
            at = self.region(domain).sample() if domain is not None else None
        except TooHard:
            at = None
        if domain is None or at is None:
            return ()
        placed = ((site, [form.at(at) for form in site.forms or ()]) for site in together[domain])
        return tuple((s, tuple(f.const for f in forms)) for s, forms in placed if not any(f.terms for f in forms))

    def limited(self, ports: Ports, among: Sequence[Site] | None = None) -> list[tuple[int, list[Site]]]:
        """Each limit of ``ports`` with the accesses that share it, of all or ``among`` some."""
        every = list(self.sites if among is None else among)
        reads = [s for s in every if s.read]
        writes = [s for s in every if not s.read]
        kinds = ((ports.total, every), (ports.reads, reads), (ports.writes, writes))
        return [(limit, group) for limit, group in kinds if limit is not None]

    def busiest(
        self,
        sites: Sequence[Site],
        ports: Ports,
        clique: Callable[[Sequence[Site]], tuple[Sequence[Site], bool]],
        bank_of: Callable[[Sequence[Site]], int],
    ) -> tuple[BankLoad, bool]:
        """The largest clique that takes longest, over the limits of ``ports``, and whether it is exact.

        ``clique``: the largest one of some accesses, and whether that is exact.
        """
        best, exact = BankLoad(0, (), (), 1), True
        for group in [group for _, group in self.limited(ports, sites)] or [list(sites)]:
            members, complete = clique(group)
            exact = exact and complete
            load = load_of(bank_of(members), members, ports)
            if (load.interval, len(load.reads + load.writes)) > (best.interval, len(best.reads + best.writes)):
                best = load
        return best, exact

    def clique(
        self,
        group: Sequence[Site],
        neighbours: Sequence[int],
        feasible: Callable[[Sequence[int]], bool] | None = None,
    ) -> tuple[Sequence[Site], bool]:
        """The largest clique of ``group`` that is ``feasible``, by masks of neighbours, and whether it is exact."""
        budget = Budget(400 * self._effort)
        members, complete = largest_clique(neighbours, [s.position for s in group], feasible, budget)
        return [group[k] for k in members], complete

    # ------------------------------------------------------------------------------- sets

    def region(self, domain: str) -> IterationSet:
        """The iterations of the space that lie in ``domain``."""
        return self._domains.region(domain)

    def domain_key(self, domain: str) -> Box | str:
        """Equal for domains that are known to be equal: the box, else the text."""
        return self.box(domain) or domain

    def common_box(self, domains: Sequence[str]) -> Box | None:
        """The iterations of all ``domains`` at once, when there are some and they form a box."""
        try:
            common = self.region(domains[0])
            for domain in domains[1:]:
                common = common.meet(self.region(domain))
            return None if common.empty else common.box()
        except TooHard:
            return None

    def box(self, domain: str) -> Box | None:
        """The box that a domain is, None when it is not one."""
        return self._domains.box(domain)

    def shadow(self, domain: str, names: Iterable[str]) -> Box | None:
        """The box of the values of ``names`` in a domain, whatever the parameters; others have one value in it."""
        return self.box(domain) or self._domains.shadow(domain, frozenset(names))

    def meet(self, a: Site, b: Site) -> bool:
        """Whether some iteration performs both."""
        return self._domains.meet(a.access.domain, b.access.domain)

    def elements(self, site: Site, shape: tuple[int, ...]) -> AccessRelation:
        """Elements of ``site`` as a relation."""
        key = (site.position, shape)
        if key not in self._elements:
            self._elements[key] = self._regions.touch(site.region, site.access.index, site.access.map, shape)
        return self._elements[key]

    def element(self, site: Site, shape: tuple[int, ...], at: Mapping[str, int]) -> tuple[int, ...] | None:
        """An element that ``site`` touches in iteration ``at``."""
        return self._regions.element(self.elements(site, shape), at)


def together(group: Sequence[Site]) -> list[int]:
    """For each access a mask of the others that run with it: all but those in another arm of a branch."""
    everyone = (1 << len(group)) - 1
    return [everyone & ~others & ~(1 << k) for k, others in enumerate(_apart(group))]


def _apart(group: Sequence[Site]) -> list[int]:
    """For each access a mask of those in another arm of one of its branches."""
    arms: dict[int, dict[int, int]] = {}  # masks by branch and arm
    for k, site in enumerate(group):
        for branch, arm in site.access.branch:
            masks = arms.setdefault(branch, {})
            masks[arm] = masks.get(arm, 0) | 1 << k
    apart = [0] * len(group)
    for k, site in enumerate(group):
        for branch, arm in site.access.branch:
            for other, mask in arms[branch].items():
                apart[k] |= mask if other != arm else 0
    return apart


def load_of(bank: int, sites: Sequence[Site], ports: Ports) -> BankLoad:
    """The load of one bank by ``sites``."""
    reads = tuple(sorted(s.position for s in sites if s.read))
    writes = tuple(sorted(s.position for s in sites if not s.read))
    return BankLoad(bank, reads, writes, ports.interval(len(reads), len(writes)))
