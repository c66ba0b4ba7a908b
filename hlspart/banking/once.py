"""The accesses of one iteration that was picked: what they ask of a bank, all do that run then, without their pairs."""

from __future__ import annotations

from collections import Counter

from hlspart.banking.sites import Site, Sites
from hlspart.layouts.layout import Layout
from hlspart.model.ports import Ports


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
