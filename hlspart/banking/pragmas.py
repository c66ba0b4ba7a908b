"""The least banks that ARRAY_PARTITION can give: cyclic, block and complete per dimension.

Candidates come in order of their number of banks, so the first hit is the minimum. Per dimension
only options that separate accesses better than any option with fewer banks are kept; where the
product of families is not exact the shared counting function decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, reduce
from itertools import product
from operator import and_

from hlspart.banking.accesses import division, is_held, moved
from hlspart.banking.counting import BankModel
from hlspart.banking.families import Family
from hlspart.banking.need import Need, affordable
from hlspart.banking.splits import Splits
from hlspart.layouts.dimension import DimKind, DimLayout
from hlspart.layouts.perdim import PerDimLayout

MOST_BANKS = 1024  # beyond this no search is made unless the user asks for it (UG1399: limit of a partition)


@cache
def divisors(number: int) -> tuple[int, ...]:
    """What divides ``number``, in ascending order."""
    return tuple(d for d in range(1, number + 1) if number % d == 0)


@dataclass
class PragmaSpace:
    """All per-dimension partitions of one array, for all loops that touch it."""

    needs: Sequence[Need]
    shape: tuple[int, ...]
    model: BankModel
    most: int = MOST_BANKS
    effort: int = 1
    undivided: Sequence[Need] = ()  # whose accesses find their bank by shifts and masks, without a division
    exact_tests: int = 0
    complete: bool = True  # False once a budget cut the search
    _options: dict[tuple[int, int], tuple[DimLayout, ...]] = field(default_factory=dict)
    _families: dict[tuple[int, DimLayout], tuple[tuple[Family, ...], bool]] = field(default_factory=dict)
    _moved: dict[int, tuple[dict[int, int], ...]] = field(default_factory=dict)
    _kept: dict[int, int] = field(default_factory=dict)  # by dimension, the options in use that are compared, as bits

    def solutions(self, banks: int) -> Iterator[PerDimLayout]:
        """Partitions into exactly ``banks`` banks that serve all needs."""
        if banks > self.most or (self.hopeless and banks < self.leaving):
            return
        for factors in self._factors(banks, 0):
            for dims in product(*(self._options[k, f] for k, f in enumerate(factors))):
                if self._fits(dims):
                    yield PerDimLayout(tuple(dims))

    def least(self, start: int = 1) -> tuple[PerDimLayout, ...]:
        """All solutions with the least number of banks from ``start`` on; empty when there is none."""
        limit = min(self.most, math.prod(self.shape))
        for banks in range(max(start, self.leaving) if self.hopeless else start, limit + 1):
            if sum(need.problem.questions for need in self.needs) > affordable(1500 * self.effort, self.needs):
                self.complete = False
                return ()
            layouts = tuple(self.solutions(banks))
            if layouts:
                return layouts
        return ()

    def once(self, asked: Hashable, search: Callable[[], tuple[PerDimLayout, ...]]) -> tuple[PerDimLayout, ...]:
        """What ``search`` finds in this new space: kept by what is ``asked``, where no budget plays a part."""
        needs = tuple((need.ii, need.ports) for need in self.needs)
        divided = tuple(need.families(self.model) for need in self.undivided)
        key = asked, self.shape, self.most, self.effort, needs, divided
        counted = any(need.problem.questions for need in self.needs)
        if not counted and (known := self._splits.answers.get(key)) is not None:
            return known
        layouts = search()
        if self.complete and not self.exact_tests and not any(need.problem.questions for need in self.needs):
            self._splits.answers[key] = layouts
        return layouts

    @cached_property
    def _most_tests(self) -> int:
        """Layouts whose accesses are looked at, or the pairs of them."""
        if self.model == "static":
            return affordable(400 * self.effort, self.needs)
        return affordable(60 * self.effort, self.needs, power=2)

    @cached_property
    def hopeless(self) -> bool:
        """Whether even one bank per element would overload one: every other partition is coarser.

        With :attr:`leaving` banks or more, loads that leave their loop can still change that.
        """
        if self.model == "static":
            return any(need.problem.is_hopeless(self.shape, need.ports, need.ii) for need in self.needs)
        apart = PerDimLayout(tuple(DimLayout.of("complete", n, None) for n in self.shape))
        uneven = [need for need in self.needs if not (need.uniform and need.distinct)]
        return not all(need.fits(apart, "ideal") for need in uneven)

    @cached_property
    def leaving(self) -> int:
        """No partition with fewer banks takes a load out of its loop; above ``most`` when none does.

        Only the static count, which is what a tool does with a pragma, knows of such loads.
        """
        banks = [need.problem.leaving(self.shape) for need in self.needs] if self.model == "static" else []
        return min((n for n in banks if n is not None), default=self.most + 1)

    def _still(self, dim: int, option: DimLayout) -> Family:
        """For each need the accesses that may leave its loop, as far as ``option`` is concerned."""
        if self.leaving > self.most:
            return (0,) * len(self.needs)
        return tuple(
            sum(mask for move, mask in moves.items() if option.keeps_local(move)) for moves in self._moves(dim)
        )

    def _moves(self, dim: int) -> tuple[dict[int, int], ...]:
        """For each need masks of the accesses that may leave its loop, by what that moves them along ``dim``."""
        if dim not in self._moved:
            each: list[dict[int, int]] = [{} for _ in self.needs]
            for moves, need in zip(each, self.needs, strict=True):
                for site in need.problem.sites:
                    form = site.access.index[dim] if site.access.leaves and site.access.index is not None else None
                    if form is not None:
                        move = moved(form, site.access.leaves)
                        moves[move] = moves.get(move, 0) | 1 << site.position
            self._moved[dim] = tuple(each)
        return self._moved[dim]

    def _factors(self, banks: int, dim: int) -> Iterator[tuple[int, ...]]:
        if dim == len(self.shape):
            if banks == 1:
                yield ()
            return
        for factor in divisors(banks):
            if self._useful(dim, factor):
                for rest in self._factors(banks // factor, dim + 1):
                    yield (factor, *rest)

    def _useful(self, dim: int, factor: int) -> bool:
        key = (dim, factor)
        if key not in self._options:
            self._options[key] = tuple(self._new_options(dim, factor))
        return bool(self._options[key])

    def _new_options(self, dim: int, factor: int) -> Iterator[DimLayout]:
        """Options with this many banks that no option with at most as many separates as well."""
        for option in options(self.shape[dim], factor):
            if any(divides(need, dim, option) for need in self.undivided):
                continue
            families, exact = self._family(dim, option)
            if exact:
                number = self._splits.number(dim, option, families, self._still(dim, option))
                if self._splits.is_matched(number, self._kept.get(dim, 0)):
                    continue
                self._kept[dim] = self._kept.get(dim, 0) | number
            yield option

    @cached_property
    def _splits(self) -> Splits:
        return Splits.of(self.needs, self.model, self.leaving <= self.most)

    def _family(self, dim: int, option: DimLayout) -> tuple[tuple[Family, ...], bool]:
        key = (dim, option)
        if key not in self._families:
            pairs = [need.family(dim, option, self.model) for need in self.needs]
            self._families[key] = (tuple(f for f, _ in pairs), all(e for _, e in pairs))
        return self._families[key]

    def _fits(self, dims: Sequence[DimLayout]) -> bool:
        gone = [0] * len(self.needs)
        if math.prod(option.banks for option in dims) >= self.leaving:
            still = [self._still(d, option) for d, option in enumerate(dims)]
            gone = [reduce(and_, masks) for masks in zip(*still, strict=True)]
            layout = PerDimLayout(tuple(dims))
            gone = [mask if is_held(mask.bit_count(), layout) else 0 for mask in gone]
        if self.hopeless and not any(gone):
            return False
        for k, need in enumerate(self.needs):
            if need.trivial:
                continue
            families, exacts = zip(*(need.family(d, option, self.model) for d, option in enumerate(dims)), strict=True)
            exact = all(exacts)
            if gone[k]:
                crowded = _is_crowded(need, families, need.everything & ~gone[k])
            else:
                crowded = self._splits.interval(k, need, tuple(dims), families) > need.ii
            if self.model == "ideal" and not need.uniform and all(option.banks == 1 for option in dims):
                crowded = exact = False  # all in one set, but reads of one element need one port
            if crowded and (exact or self.model == "ideal"):
                return False
            if not exact and self.model == "ideal":
                quick = need.quick(PerDimLayout(tuple(dims)))
                if quick is False:
                    return False
                exact = quick is True
            if not exact and (crowded or self.model == "ideal"):
                self.exact_tests += 1
                if self.exact_tests > self._most_tests:
                    self.complete = False
                    return False
                if not need.fits(PerDimLayout(tuple(dims)), self.model):
                    return False
        return True


def divides(need: Need, dim: int, option: DimLayout) -> bool:
    """Whether an access takes a division to find its bank along a dimension."""
    indices = (need.problem.accesses[site.position].index for site in need.problem.sites)
    return any(division(None if index is None else index[dim], option) for index in indices)


def options(extent: int, banks: int) -> Iterator[DimLayout]:
    """Layouts of one dimension with exactly so many banks, the simplest hardware first."""
    if banks == 1:
        yield DimLayout.of("whole", extent, None)
        return
    if banks > extent:
        return
    kinds: tuple[DimKind, ...] = ("complete",) if banks == extent else ("cyclic", "block")
    for kind in kinds:
        option = DimLayout.of(kind, extent, banks)
        if option.banks == banks:
            yield option


def _is_crowded(need: Need, families: Sequence[Family], load: int) -> bool:
    """Whether some bank of the product of ``families`` holds more of ``load`` than an interval can serve."""
    sets = {load}
    for family in families:
        sets = {a & b for a in sets for b in family}
        sets = {s for s in sets if need.is_over(s)}
        if not sets:
            return False
    return True
