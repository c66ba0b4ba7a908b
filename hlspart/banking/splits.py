"""How the options of each dimension part the accesses of some loops: what holds at any II, found once for all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache

from hlspart.banking.counting import BankModel
from hlspart.banking.families import Family
from hlspart.banking.need import Need
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.answers import Answers
from hlspart.model.ports import Ports

_MOST_FAMILIES = 1024  # kept: those of different options are often equal


class Splits:
    """What is known of the options of one array, by the accesses of the loops that touch it.

    Searches for one II after another, and those of a text that is read again, ask the same of the same accesses.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, DimLayout], int] = {}
        self._separated: list[tuple[DimLayout, tuple[Family, ...], Family]] = []  # by number
        self._matches: dict[int, tuple[int, int]] = {}  # by number: those compared, and those that separate as well
        self.answers: dict[Hashable, tuple[PerDimLayout, ...]] = {}  # of whole searches
        self._intervals: dict[tuple[int, Ports, tuple[DimLayout, ...]], int] = {}

    @staticmethod
    def of(needs: Sequence[Need], model: BankModel, leave: bool) -> Splits:
        """Those of the accesses of ``needs``; ``leave``: whether loads may leave their loops."""
        return _KNOWN.of((model, leave, *(need.families(model) for need in needs)), Splits)

    def number(self, dim: int, option: DimLayout, families: tuple[Family, ...], still: Family) -> int:
        """The bit of an option, with the sets that share its banks and the accesses that may leave, by loop."""
        key = dim, option
        if key not in self._numbers:
            self._numbers[key] = len(self._separated)
            self._separated.append((option, families, still))
        return 1 << self._numbers[key]

    def is_matched(self, number: int, others: int) -> bool:
        """Whether an option of the mask ``others`` of one dimension has no more banks and separates as well."""
        seen, matching = self._matches.get(number, (0, 0))
        left = others & ~seen
        while left and not matching & others:
            bit = left & -left
            left, seen = left ^ bit, seen | bit
            if self._separates_as(bit, number):
                matching |= bit
        self._matches[number] = seen, matching
        return bool(matching & others)

    def _separates_as(self, one: int, other: int) -> bool:
        """Whether ``one`` separates all that ``other`` separates, with no more banks."""
        (option, better, gone), (its, families, still) = (self._separated[x.bit_length() - 1] for x in (one, other))
        return (
            option.banks <= its.banks
            and all(a & ~b == 0 for a, b in zip(still, gone, strict=True))
            and all(_largest(a) <= _largest(b) for a, b in zip(better, families, strict=True))
            and _refines(better, [_by_member(family) for family in families])
        )

    def interval(self, place: int, need: Need, dims: tuple[DimLayout, ...], families: Sequence[Family]) -> int:
        """The least II at which no bank of the product of ``families``, of the need at ``place``, is overloaded."""
        key = place, need.ports, dims
        if key not in self._intervals:
            self._intervals[key] = _interval(need, families)
        return self._intervals[key]


_KNOWN: Answers[Splits] = Answers(64)


def _interval(need: Need, families: Sequence[Family]) -> int:
    """The interval of the set that takes longest among those that lie in a set of each family."""
    sets, best = {need.everything}, 1
    several = [family for family in families if len(family) > 1 or family != (need.everything,)]
    for family in several[:-1]:
        sets = {a & b for a in sets for b in family}
    for interval, a in sorted(((need.cycles(a), a) for a in sets), reverse=True):
        if interval <= best:
            break
        best = max([best, *(need.cycles(a & b) for b in several[-1])]) if several else interval
    return best


@lru_cache(maxsize=_MOST_FAMILIES)
def _largest(family: Family) -> int:
    """How many accesses the largest set has."""
    return max(map(int.bit_count, family), default=0)


@lru_cache(maxsize=_MOST_FAMILIES)
def _by_member(family: Family) -> dict[int, list[int]]:
    """The sets of a family by each access in them, a bit."""
    out: dict[int, list[int]] = {}
    for members in family:
        left = members
        while left:
            out.setdefault(left & -left, []).append(members)
            left &= left - 1
    return out


def _refines(fine: Sequence[Family], coarse: Sequence[Mapping[int, Sequence[int]]]) -> bool:
    """Whether every set of ``fine`` lies in some set of ``coarse``, for each need."""
    return all(
        all(any(a & ~b == 0 for b in sets.get(a & -a, ())) for a in better)
        for better, sets in zip(fine, coarse, strict=True)
    )
