"""How many ports of one bank the accesses of one iteration need: the one counting function of hlspart.

Two figures. *static*: a synthesis tool knows a bank only when it is fixed at compile time, so an
access whose bank is not occupies every bank that it may reach over its domain (UG1399 on dynamic
indices; messages 203-104 and 200-914). *ideal*: the true maximum over all iterations, found from
pairs of accesses that can meet in one bank and then from cliques of such pairs; iterations are
never enumerated, so the cost does not depend on trip counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Literal, NamedTuple

from msgspec.structs import replace

from hlspart.banking.accesses import (
    are_in_one_arm,
    is_held,
    is_settled,
    residues,
    settling,
)
from hlspart.banking.cliques import Budget
from hlspart.banking.conflicts import Conflicts
from hlspart.banking.reach import Reach
from hlspart.banking.sites import Site, load_of, together
from hlspart.layouts.layout import Layout
from hlspart.model.answers import Answers
from hlspart.model.ports import BankLoad, IterationSpace, PortAccess, PortCount, Ports
from hlspart.sets.region import IterationSet, TooHard

BankModel = Literal["static", "ideal"]  # which figure serves

KEPT = 4  # layouts whose pairs are kept: searches ask again about the whole array and about its elements
MAX_PAIRED = 700  # accesses of one array whose pairs are all compared


class _Busiest(NamedTuple):
    """The busiest bank, an iteration of it, whether that is exact, and the pairs compared for it."""

    load: BankLoad
    witness: dict[str, int] | None
    exact: bool
    pairs: int


# A text that is read again, and one with other partitions, has most of its loops as they were.
_BUSIEST: Answers[_Busiest] = Answers(1024)
_INTERVALS: Answers[dict[tuple[Layout, Ports], tuple[int, bool]]] = Answers(256)


def count(
    space: IterationSpace,
    accesses: Sequence[PortAccess],
    layout: Layout,
    ports: Ports,
    exclusive_static: bool = False,
) -> PortCount:
    """Port use of the busiest bank by ``accesses`` of one iteration under ``layout``.

    Reads of one element in one iteration must be there once: each access counts.
    ``exclusive_static``: whether the tool knows that opposite arms of a branch never run together;
    the ideal figure always does.
    """
    return PortProblem(space, accesses, exclusive_static).count(layout, ports)


class PortProblem(Reach):
    """The accesses of one iteration, to be counted under several layouts."""

    def __init__(
        self, space: IterationSpace, accesses: Sequence[PortAccess], exclusive_static: bool = False, effort: int = 1
    ) -> None:
        super().__init__(space, accesses, effort)
        self.exclusive_static = exclusive_static
        self._conflicts: Answers[Conflicts] = Answers(KEPT)
        self._gone: dict[Layout, frozenset[int]] = {}
        self._apart: dict[Layout, tuple[tuple[int, ...], ...] | None] = {}
        self._ideal: dict[tuple[Layout, Ports], _Busiest] = {}
        self._static: dict[tuple[Layout, Ports, bool], BankLoad] = {}
        self._rising: dict[tuple[Layout, Ports], Iterator[int]] = {}

    def count(self, layout: Layout, ports: Ports) -> PortCount:
        """Both figures under ``layout``; where a bank has ports for all that may reach it, they are the same."""
        static = self.static(layout, ports)
        if static.interval == 1 and not any(self.leaves(site, layout) for site in self.sites):
            return PortCount(static, static, None)
        ideal, witness, exact = self.ideal(layout, ports)
        return PortCount(static, ideal, witness, exact)

    # ------------------------------------------------------------------------------ static

    def static(self, layout: Layout, ports: Ports, widened: bool = False) -> BankLoad:
        """The busiest bank when undecided accesses occupy all banks that they may reach.

        Loads that leave the loop under ``layout`` occupy none. ``widened``: see :meth:`widened`.
        """
        key = (layout, ports, widened)
        if key not in self._static:  # searches for several intervals ask for the same layouts
            best = BankLoad(0, (), (), 1)
            for load in self.loads(layout, ports, widened):
                if (load.interval, len(load.reads) + len(load.writes)) > (best.interval, len(best.reads + best.writes)):
                    best = load
            self._static[key] = best
        return self._static[key]

    def is_over(self, layout: Layout, ports: Ports, ii: int) -> bool:
        """Whether the first accesses that exclude none before them give :meth:`static` more than ``ii``, widened.

        Where they do not, all together still may. A search asks for one interval after another: each goes on where the
        last one ended.
        """
        key = layout, ports
        last, is_whole = self._seen.get(key, (0, False))
        if last <= ii and not is_whole:
            if key not in self._rising:
                self._rising[key] = self._intervals(layout, ports)
            for last in self._rising[key]:
                if last > ii:
                    break
            else:
                is_whole = True
            self._seen[key] = last, is_whole
        return last > ii

    @cached_property
    def _seen(self) -> dict[tuple[Layout, Ports], tuple[int, bool]]:
        """The highest interval of :meth:`is_over` so far, and whether there is none above it."""
        return _INTERVALS.of((self.content, self.exclusive_static), dict)

    def _intervals(self, layout: Layout, ports: Ports) -> Iterator[int]:
        """What the first accesses give, each time that one more bank or access raises it."""
        highest = 0
        counts: dict[int, list[int]] = {}  # stores and loads by bank
        arms: dict[int, dict[int, int]] = {}
        interval = cache(ports.interval)
        for site in self.sites:
            if self.leaves(site, layout):
                continue
            branch = site.access.branch if self.exclusive_static else ()
            for bank in self.widened(site.position, layout):
                beside = arms.setdefault(bank, {}) if branch else {}
                if any(beside.get(instance, arm) != arm for instance, arm in branch):
                    continue
                beside.update(branch)
                count = counts.setdefault(bank, [0, 0])
                count[site.read] += 1
                if (needed := interval(count[True], count[False])) > highest:
                    yield (highest := needed)

    def loads(self, layout: Layout, ports: Ports, widened: bool = False) -> tuple[BankLoad, ...]:
        """What :meth:`static` says of every bank that something may touch, in the order of the banks."""
        members: dict[int, list[Site]] = {}
        for site in self.sites:
            if self.leaves(site, layout):
                continue
            reach = self.widened if widened else self.reach
            for bank in reach(site.position, layout):
                members.setdefault(bank, []).append(site)
        known: dict[tuple[int, ...], BankLoad] = {}  # banks with the same accesses are counted once
        for bank, sites in members.items():
            key = tuple(s.position for s in sites)
            if key not in known:
                known[key] = self._static_load(bank, sites, ports)
        of = {bank: known[tuple(s.position for s in sites)] for bank, sites in members.items()}
        return tuple(replace(of[bank], bank=bank) for bank in sorted(of))

    def leaves(self, site: Site, layout: Layout) -> bool:
        """Whether the tool takes the load at ``site`` out of the loop under ``layout``."""
        return bool(layout.dims) and site.position in self._leaving(layout)

    def _leaving(self, layout: Layout) -> frozenset[int]:
        """Positions of the loads that leave the loop under ``layout``: all whose offset stays, or none."""
        if layout not in self._gone:
            sites = (s for s in self.sites if s.access.leaves and is_settled(s.access.index, layout, s.access.leaves))
            positions = frozenset(s.position for s in sites)
            self._gone[layout] = positions if is_held(len(positions), layout) else frozenset()
        return self._gone[layout]

    def leaving(self, shape: tuple[int, ...]) -> int | None:
        """No partition with fewer banks takes a load out of the loop; None when there is none that does."""
        banks = [settling(a.index, shape, a.leaves) for a in self.accesses if a.leaves and a.index is not None]
        return min((n for n in banks if n is not None), default=None)

    def apart(self, layout: Layout) -> tuple[tuple[int, ...], ...] | None:
        """Remainders of the accesses at cyclic banks of no power of two, where no two loads and no two stores have one.

        13 j + c for c = 0 .. 12 lie in 13 of 15 banks, whatever j is: reports of 2023.2 have the II of that (also where
        an index moves by 16 in 80 banks). Where two of them may meet, they have that of all banks.
        """
        if layout not in self._apart:
            self._apart[layout] = residues(self.accesses, layout)
        return self._apart[layout]

    def _static_load(self, bank: int, sites: Sequence[Site], ports: Ports) -> BankLoad:
        if not self.exclusive_static or are_in_one_arm(s.access for s in sites):
            return load_of(bank, sites, ports)
        return self.busiest(sites, ports, lambda group: self.clique(group, together(group)), lambda _: bank)[0]

    # ------------------------------------------------------------------------------- ideal

    def ideal(self, layout: Layout, ports: Ports) -> tuple[BankLoad, dict[str, int] | None, bool]:
        """The busiest bank over all iterations, an iteration of it, and whether the figure is exact.

        Of very many accesses not all pairs are compared: the static figure is then the upper bound given.
        """
        if len(self.sites) > MAX_PAIRED:
            return self.static(layout, ports), None, False
        if (layout, ports) not in self._ideal:
            busiest = _BUSIEST.of((self.content, layout, ports), lambda: self._busiest_bank(layout, ports))
            self._ideal[layout, ports] = busiest
            self.pairs += busiest.pairs
        return self._ideal[layout, ports][:3]

    def _busiest_bank(self, layout: Layout, ports: Ports) -> _Busiest:
        before = self.pairs
        busiest = _Busiest(*self.conflicts(layout).busiest(ports), pairs=self.pairs - before)
        self.pairs = before
        return busiest

    def conflicts(self, layout: Layout) -> Conflicts:
        """The pairs that meet under a layout; those of the layouts that were last asked about are kept."""
        return self._conflicts.of((layout,), lambda: Conflicts(self, layout))

    def exceeds(self, layout: Layout, ports: Ports, ii: int) -> bool:
        """Whether some iteration asks a bank for more than it serves in ``ii`` cycles (not proved: True)."""
        return self.conflicts(layout).exceeds(ports, ii)

    def is_hopeless(self, shape: tuple[int, ...], ports: Ports, ii: int) -> bool:
        """Whether one element lies within the static reach of more accesses than a bank serves in ``ii`` cycles.

        Then no partition passes the static count, unless loads leave the loop under it: whatever holds
        that element is overloaded.
        """
        if self.exclusive_static:
            return False
        images = {s.position: self.elements(s, shape).image() for s in self.sites}
        budget = Budget(300)

        def grows(common: IterationSet | None, left: int, candidates: Sequence[Site]) -> bool:
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
