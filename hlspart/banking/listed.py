"""The busiest bank of a loop with few iterations: one after the other, where cliques over all of them cost too much."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hlspart.banking.cliques import Budget, largest_clique
from hlspart.banking.sites import Site, Sites, load_of
from hlspart.layouts.layout import Layout
from hlspart.model.ports import BankLoad, Ports
from hlspart.sets.region import TooHard

MOST = 64  # iterations that are listed
MOST_AT_RUN_TIME = 256  # those where an index is no form: sets of iterations that leave one out fall into pieces
MOST_TOUCHES = 1 << 16  # accesses times iterations
TOUCHES = 400  # accesses of iterations that are dealt out in the time in which sets compare a pair

Element = tuple[int, ...]
BankTouch = tuple[Site, Element]


def busiest(
    problem: Sites, layout: Layout, ports: Ports, enough: int | None = None
) -> tuple[BankLoad, dict[str, int]] | None:
    """The busiest bank over all iterations and one of them; None where they are many or an element is not known.

    ``enough``: an interval; the first iteration in which a bank needs a longer one will do.
    """
    touched = _known(problem, layout.shape)
    if touched is None:
        return None
    banks: dict[Element, int] = {}
    best, where, looked_at = BankLoad(0, (), (), 1), dict[str, int](), 0
    for point, touches in touched.items():
        looked_at += len(touches)
        by_bank: dict[int, list[BankTouch]] = {}
        for site, element in touches:
            if element not in banks:
                banks[element] = layout.bank(element)
            by_bank.setdefault(banks[element], []).append((site, element))
        for bank, group in sorted(by_bank.items(), key=lambda item: item[0]):
            load = _load(group, ports)
            if load is None:
                return None
            if (load.interval, len(load.reads + load.writes)) > (best.interval, len(best.reads + best.writes)):
                best, where = replace(load, bank=bank), dict(zip(problem.space.names, point, strict=True))
        if enough is not None and best.interval > enough:
            break
    problem.pairs += 1 + looked_at // TOUCHES
    return best, where


def _known(problem: Sites, shape: tuple[int, ...]) -> dict[tuple[int, ...], list[BankTouch]] | None:
    """:func:`_touches`, kept."""
    if shape not in problem.touches:
        try:
            problem.touches[shape] = _touches(problem, shape)
        except TooHard:
            problem.touches[shape] = None
    return problem.touches[shape]


def _touches(problem: Sites, shape: tuple[int, ...]) -> dict[tuple[int, ...], list[BankTouch]] | None:
    """By iteration the accesses with their elements; None where they are many or an element is not known."""
    most = MOST_AT_RUN_TIME if any(s.forms is None for s in problem.sites) else MOST
    if most * len(problem.sites) > MOST_TOUCHES:
        return None
    touched: dict[tuple[int, ...], list[BankTouch]] = {}
    points: dict[str, tuple[list[tuple[int, ...]], bool]] = {}  # by domain
    for site in problem.sites:
        if site.access.domain not in points:
            points[site.access.domain] = site.region.points(most)
        iterations, complete = points[site.access.domain]
        elements = _elements(problem, shape, site, iterations) if complete else None
        if elements is None:
            return None
        for point, element in elements.items():
            if not all(0 <= x < n or n <= 0 for x, n in zip(element, shape, strict=True)):
                return None
            touched.setdefault(point, []).append((site, element))
    return touched


def _elements(
    problem: Sites, shape: tuple[int, ...], site: Site, points: Sequence[tuple[int, ...]]
) -> Mapping[tuple[int, ...], tuple[int, ...]] | None:
    """By iteration the element that an access touches; None where one is not known."""
    names = problem.space.names
    if site.forms is None:
        known = problem.elements(site, shape).each()
        return known if known is not None and len(known) == len(points) else None
    if any(n not in names for f in site.forms for n in f.names):
        return None
    if not any(f.terms for f in site.forms):
        return dict.fromkeys(points, tuple(f.const for f in site.forms))
    places = (dict(zip(names, point, strict=True)) for point in points)
    return {point: tuple(f.at(v).const for f in site.forms) for point, v in zip(points, places, strict=True)}


def _load(touches: list[BankTouch], ports: Ports) -> BankLoad | None:
    """What the accesses of one bank in one iteration ask for; None where that is not found out."""
    best = BankLoad(0, (), (), 1)
    kinds = ((ports.total, None), (ports.reads, True), (ports.writes, False))
    for group in ([x for x in touches if read in (None, x[0].read)] for limit, read in kinds if limit is not None):
        members, exact = _together(group)
        if not exact:
            return None
        load = load_of(0, [group[k][0] for k in members], ports)
        if (load.interval, len(load.reads + load.writes)) > (best.interval, len(best.reads + best.writes)):
            best = load
    return best


def _together(group: list[BankTouch]) -> tuple[tuple[int, ...], bool]:
    """The most accesses of a group that need a port each, and whether there are no more."""
    arms: dict[int, int] = {}
    if all(arms.setdefault(branch, arm) == arm for site, _ in group for branch, arm in site.access.branch):
        reads = {element: k for k, (site, element) in enumerate(group) if site.read}
        return (*reads.values(), *(k for k, (site, _) in enumerate(group) if not site.read)), True
    return largest_clique(_neighbours(group), range(len(group)), None, Budget(1000))


def _neighbours(group: list[BankTouch]) -> list[int]:
    """For each access of one bank and iteration a mask of those that need a port beside it.

    Of two reads of one element one needs none, and two in different arms of one branch do not both run.
    """
    alike, in_arm, in_branch = defaultdict[Element, int](int), defaultdict[tuple[int, int], int](int), Counter[int]()
    for k, (site, element) in enumerate(group):
        alike[element] |= site.read << k
        for branch, arm in site.access.branch:
            in_arm[branch, arm] |= 1 << k
            in_branch[branch] |= 1 << k
    every, near = (1 << len(group)) - 1, list[int]()
    for k, (site, element) in enumerate(group):
        without = (1 << k) | (alike[element] if site.read else 0)
        for branch, arm in site.access.branch:
            without |= in_branch[branch] & ~in_arm[branch, arm]
        near.append(every & ~without)
    return near
