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
    needs = [loop.need for loop in demand.loops]

    def slowest(need: Need) -> int:
        whole = PerDimLayout(tuple(DimLayout.of("whole", n, None) for n in demand.shape))
        return max(need.ii, need.problem.static(whole, need.ports).interval)

    tried: dict[tuple[int, ...], Choice | None] = {}
    plain = all(need.uniform for need in needs) or chooser.options.scheme != "auto"
    cheap = chooser if plain else replace(
        chooser, options=chooser.options.by_pragma, last_resort=False
    )  # fmt: skip

    def solve(iis: Sequence[int]) -> Choice | None:
        key = tuple(iis)
        if key not in tried:
            tried[key] = cheap.choose([n.at(ii) for n, ii in zip(needs, iis, strict=True)], start)
        return tried[key]

    def lowest(iis: list[int], k: int) -> list[int]:
        """``iis`` with the least II of loop k for which all can be served."""
        low, high = needs[k].ii, slowest(needs[k])
        while low < high:
            middle = (low + high) // 2
            if solve([*iis[:k], middle, *iis[k + 1 :]]) is not None:
                high = middle
            else:
                low = middle + 1
        return [*iis[:k], low, *iis[k + 1 :]]

    def price(iis: list[int], k: int) -> int:
        return demand.loops[k].weight * (iis[k] - alone[k])

    every = range(len(needs))
    most = [slowest(n) for n in needs]
    alone = [lowest(most, k)[k] for k in every]
    said = [
        _short(loop.result.name, loop.need, ii, chooser)
        for loop, ii in zip(demand.loops, alone, strict=True)
        if ii > loop.need.ii
    ]
    iis, choice = alone, solve(alone)
    if choice is None:
        ways = [(k, [*alone[:k], most[k], *alone[k + 1 :]]) for k in every if most[k] > alone[k]]
        bounds = [(k, lowest(trial, k)) for k, trial in ways if solve(trial) is not None]
        if bounds:
            costs = [f"{demand.loops[k].result.name} at II {way[k]} costs {price(way, k)} cycles" for k, way in bounds]
            _, iis = min(bounds, key=lambda item: (price(item[1], item[0]), item[0]))
            said.append(f"not all loops can have their II: {', '.join(costs)}")
        else:
            iis = list(alone)
            for k in sorted(every, key=lambda k: (demand.loops[k].weight * (most[k] - alone[k]), k)):
                iis[k] = most[k]
                if solve(iis) is not None:
                    iis = lowest(iis, k)
                    break
            slowed = [
                f"{demand.loops[k].result.name} at II {iis[k]} costs {price(iis, k)} cycles"
                for k in every
                if iis[k] > alone[k]
            ]
            said.append(f"not all loops can have their II: {' and '.join(slowed)}")
        choice = solve(iis)
    if cheap is not chooser and len(iis) == 1:  # a text that selects banks may serve it sooner
        for ii in range(needs[0].ii + 1, min(iis[0], needs[0].ii + 1 + MOST_SLOWER)):
            sooner = chooser.choose([needs[0].at(ii)], start)
            if sooner is not None:
                iis, choice = [ii], sooner
                said = [_short(demand.loops[0].result.name, needs[0], ii, chooser)]
                break
    if choice is None:  # every loop at its slowest: one bank serves all of them
        iis = most
        choice = replace(chooser.none(needs), proved=False, absolute=False, reason="no partition helps")
    return Relaxed(tuple(iis), choice, "; ".join(said))
