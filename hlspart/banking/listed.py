"""The busiest bank of a loop with few iterations: one after the other, where cliques over all of them cost too much."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.banking.accesses import exclusive
from hlspart.banking.cliques import Budget, largest_clique
from hlspart.banking.sites import Site, Sites, load_of
from hlspart.layouts.layout import Layout
from hlspart.model.ports import BankLoad, Ports
from hlspart.sets.region import TooHard

MOST = 64  # iterations that are listed

Found = tuple[int, Site, tuple[int, ...]]  # bank, access, element


def busiest(problem: Sites, layout: Layout, ports: Ports) -> tuple[BankLoad, dict[str, int]] | None:
    """The busiest bank over all iterations and one of them; None where they are many or an element is not known."""
    names = problem.space.names
    touched: dict[tuple[int, ...], list[Found]] = {}
    for site in problem.sites:
        if site.forms is None or any(n not in names for f in site.forms for n in f.names):
            return None
        try:
            points, complete = site.region.points(MOST)
        except TooHard:
            return None
        if not complete:
            return None
        for point in points:
            values = dict(zip(names, point, strict=True))
            element = tuple(f.at(values).const for f in site.forms)
            if not all(0 <= x < n or n <= 0 for x, n in zip(element, layout.shape, strict=True)):
                return None
            touched.setdefault(point, []).append((layout.bank(element), site, element))
    best, where = BankLoad(0, (), (), 1), dict[str, int]()
    for point, found in touched.items():
        for bank in sorted({bank for bank, _, _ in found}):
            load = _load([x for x in found if x[0] == bank], ports)
            if load is None:
                return None
            if (load.interval, len(load.reads + load.writes)) > (best.interval, len(best.reads + best.writes)):
                best, where = replace(load, bank=bank), dict(zip(names, point, strict=True))
    return best, where


def _load(found: list[Found], ports: Ports) -> BankLoad | None:
    """What the accesses of one bank in one iteration ask for; None where that is not found out."""
    best = BankLoad(0, (), (), 1)
    kinds = ((ports.total, None), (ports.reads, True), (ports.writes, False))
    for group in ([x for x in found if read in (None, x[1].read)] for limit, read in kinds if limit is not None):
        near = [
            sum(1 << k for k, b in enumerate(group) if a is not b and _meet(a, b))
            for a in group
        ]  # fmt: skip
        members, exact = largest_clique(near, range(len(group)), None, Budget(1000)) if group else ((), True)
        if not exact:
            return None
        load = load_of(0, [group[k][1] for k in members], ports)
        if (load.interval, len(load.reads + load.writes)) > (best.interval, len(best.reads + best.writes)):
            best = load
    return best


def _meet(one: Found, other: Found) -> bool:
    """Whether two accesses of one bank and iteration both need a port: reads of one element need one."""
    same = one[1].read and other[1].read and one[2] == other[2]
    return not same and not exclusive(one[1].access, other[1].access)
