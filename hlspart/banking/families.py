"""Sets of accesses that share a bank along one dimension: what holds at any II, kept for all accesses that are alike.

The product of such sets over the dimensions bounds the load of a bank from above, and is exact for most loops.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from hlspart.banking.counting import BankModel, PortProblem
from hlspart.banking.progressions import are_independent, banks_along, progression
from hlspart.banking.sites import Site
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Affine
from hlspart.model.answers import Answers
from hlspart.sets.box import Box

Family = tuple[int, ...]  # bit masks of accesses


class Families:
    """By dimension and option, the sets that share a bank, and whether products of such sets are exact."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, DimLayout], tuple[Family, bool]] = {}


_KNOWN: Answers[Families] = Answers(128)


def families_of(problem: PortProblem, model: BankModel) -> Families:
    """Those of the accesses of ``problem``; its own where questions count, of which a search has a budget."""
    if model == "static" and not _is_arithmetic(problem):
        return Families()
    return _KNOWN.of((model, problem.exclusive_static, problem.content), Families)


def _is_arithmetic(problem: PortProblem) -> bool:
    """Whether each index takes the values of a progression, so that banks are found without a question about sets."""
    forms = ((site, form) for site in problem.sites for form in site.forms or (None,))
    return all(f is not None and values(problem, f, problem.shadow(s.access.domain, f.names)) for s, f in forms)


def values(problem: PortProblem, form: Affine, box: Box | None) -> tuple[int, int, int] | None:
    """(first, step, last) when the form takes exactly these values over the box."""
    names = problem.space.names
    if box is None or any(n not in names for n in form.names):
        return None
    return progression(form, names, box)


def maximal(sets: Iterable[int]) -> Family:
    """The sets that lie in no other one."""
    kept, members = list[int](), 0
    for candidate in sorted(set(sets), key=lambda s: (-s.bit_count(), s)):
        if candidate & ~members or not any(candidate & ~other == 0 for other in kept):
            kept.append(candidate)
            members |= candidate
    return tuple(kept)


class StaticSets:
    """The accesses of one iteration, by the banks of one dimension that a tool knows them to reach."""

    def __init__(self, problem: PortProblem) -> None:
        self._problem = problem
        self._alike: dict[int, list[list[Site]]] = {}  # by dimension, those with one index in the same iterations

    @cached_property
    def separable(self) -> bool:
        """Whether the dimensions of every access move independently (boxes, no shared iterator)."""
        for site in self._problem.sites:
            names = [n for form in site.forms or () for n in form.names]
            box = self._problem.shadow(site.access.domain, names) if site.forms is not None else None
            if box is None or not are_independent(site.forms or (), self._problem.space.names, box):
                return False
        return True

    @property
    def exact(self) -> bool:
        """Whether the product of the sets of all dimensions is what banks hold."""
        return self.separable and not self._problem.exclusive_static

    def along(self, dim: int, layout: DimLayout) -> Family:
        """The largest sets of accesses that share a bank along a dimension."""
        cosets = defaultdict[int, dict[int, int]](dict)  # by modulus and remainder, what reaches just these banks
        ranges: dict[tuple[int, int], int] = {}  # by first and last bank
        single: dict[int, int] = {}  # by bank, what reaches it among others
        for alike in self._by_index(dim):
            mask, (site, *_) = sum(1 << s.position for s in alike), alike
            form = None if site.access.index is None else site.access.index[dim]
            box = None if form is None else self._problem.shadow(site.access.domain, form.names)
            run = None if form is None else values(self._problem, form, box)
            if run is not None and layout.modulus is not None:
                first, step, last = run
                modulus = layout.modulus if last == first else math.gcd(step, layout.modulus)
                hidden = modulus < layout.modulus and layout.divides
                if hidden:
                    modulus = 1  # a tool may not see that only some of the remainders occur
                if last == first or hidden or (last - first) // step + 1 >= layout.banks // modulus:
                    cosets[modulus][first % modulus] = cosets[modulus].get(first % modulus, 0) | mask
                    continue
            elif run is not None and run[1] <= layout.block:
                key = (max(0, layout.bank(run[0])), min(layout.banks - 1, layout.bank(run[2])))
                ranges[key] = ranges.get(key, 0) | mask
                continue
            reached = None
            if form is not None and box is not None:
                reached = banks_along(form, layout, self._problem.space.names, box)
                if layout.divides and reached is not None and len(set(reached)) > 1:
                    reached = range(layout.banks)
            for members in [mask] if reached is not None else [1 << s.position for s in alike]:
                position = members.bit_length() - 1
                for bank in reached if reached is not None else self._reach(position, dim, layout):
                    single[bank] = single.get(bank, 0) | members
        return maximal(_members(layout.banks, cosets, ranges, single))

    def _by_index(self, dim: int) -> list[list[Site]]:
        if dim not in self._alike:
            groups: dict[object, list[Site]] = {}
            for site in self._problem.sites:
                form = None if site.access.index is None else site.access.index[dim]
                key = site.position if form is None else (form, site.access.domain)
                groups.setdefault(key, []).append(site)
            self._alike[dim] = list(groups.values())
        return self._alike[dim]

    def _reach(self, position: int, dim: int, layout: DimLayout) -> Iterable[int]:
        access = self._problem.accesses[position]
        if access.index is None:
            return range(layout.banks)
        dims = [DimLayout.of("whole", 0, None)] * len(access.index)
        dims[dim] = layout
        return self._problem.reach(position, PerDimLayout(tuple(dims)))


def _members(
    banks: int,
    cosets: Mapping[int, Mapping[int, int]],
    ranges: Mapping[tuple[int, int], int],
    single: Mapping[int, int],
) -> Iterable[int]:
    """The accesses of each bank that may be the fullest."""
    period = math.lcm(*cosets) if cosets else 1
    points = {low: mask for (low, high), mask in ranges.items() if low == high}
    wide = [(low, high, mask) for (low, high), mask in ranges.items() if low < high]
    for bank in range(banks) if single else (*range(period), *(low for low, _ in ranges)):
        members = single.get(bank, 0) | points.get(bank, 0)
        for modulus, by_remainder in cosets.items():
            members |= by_remainder.get(bank % modulus, 0)
        for low, high, mask in wide:
            members |= mask if low <= bank <= high else 0
        yield members
