"""The accesses of one iteration that was picked: what they ask of a bank, all do that run then, without their pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hlspart.banking.accesses import are_in_one_arm
from hlspart.banking.sites import Site, Sites
from hlspart.layouts.layout import Layout
from hlspart.model.ports import Ports
from hlspart.sets.region import IterationSet


class OneIteration:
    """Where the accesses of an iteration of ``problem`` lie under a layout."""

    def __init__(self, problem: Sites, layout: Layout) -> None:
        self._problem = problem
        self._layout = layout
        self._touched: list[tuple[Site, tuple[int, ...]]] = [
            (site, element) for site, element in problem.in_one_iteration
            if len(element) == len(layout.shape)
            and all(0 <= x < n or n <= 0 for x, n in zip(element, layout.shape, strict=True))
        ]  # fmt: skip

    def interval(self, ports: Ports) -> int:
        """Cycles that the busiest bank is in use; loads of one element share a port."""
        bank = self._layout.bank
        reads = Counter(bank(element) for element in {e for site, e in self._touched if site.read})
        writes = Counter(bank(element) for site, element in self._touched if not site.read)
        return max((ports.interval(reads[b], writes[b]) for b in reads.keys() | writes.keys()), default=1)

    def is_as_all(self, undecided: Layout) -> bool:
        """Whether no bank is in use for longer in another iteration: distances alone decide which accesses meet.

        ``undecided``: the layout without dimensions along which the bank of each access is fixed.
        """
        sites, banks = self._problem.sites, undecided.per_dimension
        if banks is None or len(self._touched) < len(sites) or any(s.forms is None for s in sites):
            return False
        moves = {tuple(f.terms for f in s.forms) for s in sites if s.forms is not None}
        return len(moves) == 1 and all(d.banks == 1 or d.by_remainder for d in banks.dims)


def all_differ(problem: Sites, layout: Layout, group: Sequence[Site], point: IterationSet) -> bool:
    """Whether ``group`` needs a port each of one bank in the iteration ``point``. Raises TooHard."""
    banks, seen = set[int](), set[tuple[int, ...]]()
    for site in group:
        element = problem.elements(site, layout.shape).only(point)
        inside = element is not None and all(0 <= x < n or n <= 0 for x, n in zip(element, layout.shape, strict=True))
        if element is None or not inside or (site.read and element in seen):
            return False
        banks.add(layout.bank(element))
        if site.read:
            seen.add(element)
    return len(banks) == 1


def all_but_repeated(
    problem: Sites, layout: Layout, group: Sequence[Site]
) -> tuple[Sequence[Site], IterationSet] | None:
    """One read of each index and all stores, and an iteration that shows them in conflict in the only bank.

    No two reads of one index are, so that no more of ``group`` ever are. None where none is found; raises TooHard.
    """
    alike: dict[object, list[Site]] = {}
    for site in group:
        alike.setdefault(site.forms if site.read and site.forms is not None else site.position, []).append(site)
    common: IterationSet | None = None
    for domain in dict.fromkeys(sites[0].access.domain for sites in alike.values() if len(sites) == 1):
        region = problem.region(domain)
        common = region if common is None else common.meet(region)
    point = common.point() if common is not None else None
    if point is None:
        return None
    running = [next((s for s in sites if s.region.covers(point)), None) for sites in alike.values()]
    members = sorted((s for s in running if s is not None), key=lambda s: s.position)
    whole = len(members) == len(alike) and are_in_one_arm(s.access for s in members)
    return (members, point) if whole and all_differ(problem, layout, members, point) else None
