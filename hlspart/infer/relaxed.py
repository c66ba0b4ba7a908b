"""Slower loops where not all can have their II: which give way, by how much, and why."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.need import Need
from hlspart.infer.choice import Choice, Chooser
from hlspart.infer.demand import Demand
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout

MOST_SLOWER = 3  # IIs above the one asked for at which a rewrite is looked for where accesses differ in kind


class Relaxed(Struct, frozen=True):
    """IIs per loop that can be served, a banking for them, and why not those that were asked for."""

    iis: tuple[int, ...]
    choice: Choice
    reason: str


def _short(loop: str, need: Need, ii: int, chooser: Chooser) -> str:
    """Why a loop has an II above its target: for lack of banks where that is proved, else of anything found."""
    if chooser.excludes(need.at(ii - 1)):
        return f"{loop} cannot reach II {need.ii}{chooser.capped}, {ii} is the least"
    what = "pragma" if chooser.options.scheme == "pragma" or not chooser.rewrites else "partition"
    return f"no {what} was found that serves {loop} below II {ii}{chooser.capped}"


def relaxed(demand: Demand, chooser: Chooser, start: int = 1) -> Relaxed:
    """IIs nearest to what is asked and cheapest in cycles.

    Each loop alone first; when they clash, the loop whose slowing costs fewest cycles gives way, or
    several in order of their cost where one is not enough.
    """
    search = _Search(demand, chooser, start)
    needs = search.needs
    reasons = [
        _short(loop.result.name, loop.need, ii, chooser)
        for loop, ii in zip(demand.loops, search.alone, strict=True)
        if ii > loop.need.ii
    ]
    iis, choice = search.alone, search.solve(search.alone)
    if choice is None:
        iis, costs = search.giving_way()
        reasons.append(f"not all loops can have their II: {costs}")
        choice = search.solve(iis)
    if not search.plain and len(iis) == 1:  # a text that selects banks may serve it sooner
        for ii in range(needs[0].ii + 1, min(iis[0], needs[0].ii + 1 + MOST_SLOWER)):
            sooner = chooser.choose([needs[0].at(ii)], start)
            if sooner is not None:
                iis, choice = [ii], sooner
                reasons = [_short(demand.loops[0].result.name, needs[0], ii, chooser)]
                break
    if choice is None:  # every loop at its slowest: one bank serves all of them
        iis = search.most
        choice = replace(chooser.none(needs), proved=False, absolute=False, reason="no partition helps")
    return Relaxed(tuple(iis), choice, "; ".join(reasons))


class _Search:
    """Bankings for IIs of the loops of a demand, each tried once."""

    def __init__(self, demand: Demand, chooser: Chooser, start: int) -> None:
        self.demand, self.start = demand, start
        self.needs = [loop.need for loop in demand.loops]
        self.plain = all(need.uniform for need in self.needs) or chooser.options.scheme != "auto"
        self.chooser = chooser if self.plain else replace(
            chooser, options=chooser.options.by_pragma, last_resort=False
        )  # fmt: skip
        self.tried: dict[tuple[int, ...], Choice | None] = {}
        self.most = [self._slowest(need) for need in self.needs]
        self.alone = [self.lowest(self.most, k)[k] for k in range(len(self.needs))]

    def _slowest(self, need: Need) -> int:
        whole = PerDimLayout(tuple(DimLayout.of("whole", n, None) for n in self.demand.shape))
        return max(need.ii, need.problem.static(whole, need.ports).interval)

    def solve(self, iis: Sequence[int]) -> Choice | None:
        key = tuple(iis)
        if key not in self.tried:
            needs = [need.at(ii) for need, ii in zip(self.needs, iis, strict=True)]
            self.tried[key] = self.chooser.choose(needs, self.start)
        return self.tried[key]

    def lowest(self, iis: list[int], k: int) -> list[int]:
        """``iis`` with the least II of loop k for which all can be served."""
        low, high = self.needs[k].ii, self.most[k]

        def serves(ii: int) -> bool:
            return self.solve([*iis[:k], ii, *iis[k + 1 :]]) is not None

        step = 0  # mostly it is one of the first
        while low + step < high:
            if serves(low + step):
                high = low + step
            else:
                low, step = low + step + 1, 2 * step + 1
        while low < high:
            middle = (low + high) // 2
            if serves(middle):
                high = middle
            else:
                low = middle + 1
        return [*iis[:k], low, *iis[k + 1 :]]

    def giving_way(self) -> tuple[list[int], str]:
        """IIs of all loops when they clash, and what the slower ones cost."""
        every, alone, most = range(len(self.needs)), self.alone, self.most
        ways = [(k, [*alone[:k], most[k], *alone[k + 1 :]]) for k in every if most[k] > alone[k]]
        bounds = [(k, self.lowest(trial, k)) for k, trial in ways if self.solve(trial) is not None]
        if bounds:
            costs = ", ".join(self._cost(way, k) for k, way in bounds)
            _, iis = min(bounds, key=lambda item: (self._price(item[1], item[0]), item[0]))
            return iis, costs
        iis = list(alone)
        for k in sorted(every, key=lambda k: (self.demand.loops[k].weight * (most[k] - alone[k]), k)):
            iis[k] = most[k]
            if self.solve(iis) is not None:
                iis = self.lowest(iis, k)
                break
        return iis, " and ".join(self._cost(iis, k) for k in every if iis[k] > alone[k])

    def _price(self, iis: list[int], k: int) -> int:
        return self.demand.loops[k].weight * (iis[k] - self.alone[k])

    def _cost(self, iis: list[int], k: int) -> str:
        return f"{self.demand.loops[k].result.name} at II {iis[k]} costs {self._price(iis, k)} cycles"
