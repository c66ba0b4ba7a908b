"""The least banks of any kind: per-dimension, lattice and block-cyclic, in order of the number of banks.

The families and why their union is searched: linear transformation banking (Wang et al., DAC 2013),
generalised block-cyclic partitioning (Wang et al., FPGA 2014), lattice banking (Cilardo and Gallo,
TACO 2015; Escobedo and Lin, 2018). Each alone misses the minimum somewhere. Within one number of
banks all families are exhausted before the next number, so the first hit is minimal in the union
up to the stated bound on block sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from hlspart.banking.circle import Circle, Group, bits, multipliers
from hlspart.banking.need import Cluster, Motion, Need, Offset
from hlspart.banking.pragmas import PragmaSpace
from hlspart.banking.proof import crowd, no_mapping
from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout, dot, linear, plainest
from hlspart.layouts.perdim import PerDimLayout

MAX_WORK = {"lattice": 4_000_000, "block": 160_000}  # pairs of accesses compared by arithmetic, per unit of effort
MAX_PAIRS = 2000  # pairs of accesses compared by sets, per unit of effort

CANDIDATE = 20  # what looking at one map in full costs, in the same unit

AnyLayout = PerDimLayout | LatticeLayout | BlockCyclicLayout


@dataclass(frozen=True)
class Banking:
    """Outcome of a search.

    ``excluded``: every smaller number of banks was excluded in the union of families.
    ``absolute``: and over any mapping whatever. ``space`` names what was searched, ``reason`` why
    smaller numbers are excluded.
    """

    layout: AnyLayout
    banks: int
    lower_bound: int
    excluded: bool
    absolute: bool
    space: str
    reason: str


def lower_bound(needs: Sequence[Need], shape: tuple[int, ...]) -> int:
    """No mapping serves all needs with fewer banks."""
    return max((need.lower_bound(shape) for need in needs), default=1)


def least_any(
    needs: Sequence[Need], shape: tuple[int, ...], most: int = 1024, effort: int = 1, start: int = 1
) -> Banking | None:
    """The least banks over per-dimension, lattice and block-cyclic mappings; None when none serves all needs.

    Numbers of banks below ``start`` are passed over (then nothing is claimed about them).
    """
    bound = lower_bound(needs, shape)
    if PragmaSpace(needs, shape, "ideal").hopeless:
        return None  # one element is asked for too often, or the elements are not known
    union = _Union([n for n in needs if not n.trivial], shape, most, effort)
    first, floor = max(bound, start), bound
    for banks in range(first, min(most, math.prod(shape)) + 1):
        if banks == first + 1:
            floor = max(floor, crowd(needs, shape))
        if banks < floor:
            continue
        layout = next(union.solutions(banks), None)
        if layout is None:
            if union.stuck:
                return None
            continue
        absolute, why = banks <= floor, f"{banks} banks meet the lower bound of accesses over ports"
        if absolute and banks > bound:
            why = f"no mapping whatever has {banks - 1} banks: any two of {floor} elements meet in some iteration"
        if not absolute and union.complete:
            absolute = no_mapping(needs, shape, banks - 1, 500 * 4 ** (effort - 1) if effort else 0)
            why = (
                f"no mapping whatever has {banks - 1} banks: a finite window of iterations cannot be coloured"
                if absolute
                else f"fewer than {banks} banks excluded in the union; lower bound {bound}"
            )
        excluded = absolute or (union.complete and start <= bound)
        return Banking(layout, banks, bound, excluded, absolute, union.space, why)
    return None


class _Union:
    """Candidates of all families with a given number of banks."""

    def __init__(self, needs: Sequence[Need], shape: tuple[int, ...], most: int, effort: int) -> None:
        self._needs = needs
        self._shape = shape
        self._effort = effort
        self._pragmas = PragmaSpace(needs, shape, "ideal", most, effort)
        self._exact_tests = 0
        self._asked = sum(need.problem.pairs for need in self._needs)
        self._cut = False
        self._work = {"lattice": 0, "block": 0}

    @property
    def complete(self) -> bool:
        """Whether no budget cut the search so far."""
        return not self._cut and self._pragmas.complete

    @property
    def stuck(self) -> bool:
        """Whether there are no exact tests left, without which nothing more can be accepted."""
        asked = sum(need.problem.pairs for need in self._needs) - self._asked
        return self._exact_tests > 30 * max(1, self._effort) or asked > MAX_PAIRS * max(1, self._effort)

    @property
    def space(self) -> str:
        """What is searched, in words."""
        blocks = f"; block-cyclic with blocks up to {self._most_block}" if self._blocks else ""
        if blocks and any(
            self._motion(need, cluster) is None and (need.uniform or need.rows(self._shape).empty)
            for need, cluster, _ in self._clusters
        ):
            blocks += ", free of conflicts at every position"  # which of them a loop reaches is not known
        return f"cyclic, block and complete per dimension; lattices{blocks}"

    def solutions(self, banks: int) -> Iterator[AnyLayout]:
        """Mappings with exactly so many banks, the simplest hardware first."""
        yield from self._pragmas.solutions(banks)
        yield from self._lattices(banks)
        yield from self._block_cyclic(banks)

    @cached_property
    def _axes(self) -> tuple[int, ...]:
        """Dimensions that can matter to a translation-invariant mapping: those in which accesses differ."""
        varying = {
            k
            for need in self._needs
            for cluster in need.clusters
            for k in range(len(self._shape))
            if len({o[k] for o in cluster.offsets}) > 1
        }
        if any(not need.uniform for need in self._needs):
            varying = {k for k, n in enumerate(self._shape) if n > 1}
        return tuple(sorted(varying)) or (0,)

    @property
    def _blocks(self) -> bool:
        """Three dimensions are too many alphas unless accesses that differ by constants rule most of them out."""
        return self._effort > 1 or len(self._axes) < 3 or self._uniform

    @cached_property
    def _uniform(self) -> bool:
        return all(need.uniform for need in self._needs)

    @property
    def _most_block(self) -> int:
        return {1: 16, 2: 8, 3: 3}.get(len(self._axes), 2)

    @cached_property
    def _clusters(self) -> tuple[tuple[Need, Cluster, tuple[Group, ...]], ...]:
        """Clusters that can crowd a bank, with their offsets on the axes per limit; the largest first."""
        found = []
        for need in self._needs:
            for c in need.clusters:
                at = [(tuple(o[k] for k in self._axes), p) for o, p in zip(c.offsets, c.positions, strict=True)]
                groups = ((tuple(o for o, p in at if kind >> p & 1), cap) for kind, cap in need.limits)
                crowds = tuple((offsets, cap) for offsets, cap in groups if len(offsets) > cap)
                if crowds:
                    found.append((need, c, crowds))
        return tuple(sorted(found, key=lambda item: -len(item[1].positions)))

    def _accept(self, layout: AnyLayout) -> bool:
        """The shared counting function decides, unless the cluster test was already exact."""
        for need in self._needs:
            if need.uniform and isinstance(layout, LatticeLayout):
                continue
            quick = need.quick(layout)
            if quick is False:
                return False
            if quick is True:
                continue
            self._exact_tests += 1
            if self.stuck:
                self._cut = True
                return False
            if not need.fits(layout, "ideal"):
                return False
        return True

    def _lattices(self, banks: int) -> Iterator[AnyLayout]:
        """Characters modulo n1, n2, .. with n1 | n2 | ..; one of them is linear banking, which comes first."""
        groups = [group for _, c, g in self._clusters for group in g]
        for moduli in _chains(banks, len(self._axes)):
            for alphas in self._characters(moduli, groups):
                spread = tuple(self._spread(alpha) for alpha in alphas)
                layout = LatticeLayout(self._shape, spread, moduli)
                if len(moduli) == 1:
                    layout = linear(self._shape, plainest(spread[0], banks), banks)
                elif math.prod(row[k] for k, row in enumerate(layout.hnf)) != banks:
                    continue  # together they do not reach all banks
                if self._accept(layout):
                    yield layout

    def _characters(self, moduli: Sequence[int], groups: Sequence[Group]) -> Iterator[tuple[Offset, ...]]:
        """Multipliers for each modulus under which the accesses of no group crowd a bank."""
        modulus, *rest = moduli
        if not rest:
            for alpha in self._alphas([Circle(groups, None, 1, modulus, len(self._axes))], modulus, "units"):
                yield (alpha,)
            return
        for alpha, mask, _ in multipliers((), modulus, len(self._axes), "units"):
            for last in bits(mask):
                first = (*alpha, last)
                if math.gcd(modulus, *first) != 1:
                    continue
                parts: list[Group] = []
                for offsets, cap in groups:
                    classes: dict[int, list[Offset]] = {}
                    for o in offsets:
                        classes.setdefault(dot(first, o) % modulus, []).append(o)
                    parts += [(tuple(c), cap) for c in classes.values() if len(c) > cap]
                for others in self._characters(rest, parts):
                    yield (first, *others)

    def _spread(self, alpha: Sequence[int]) -> tuple[int, ...]:
        """Multipliers of all dimensions, 0 for those that do not matter."""
        full = [0] * len(self._shape)
        for axis, a in zip(self._axes, alpha, strict=True):
            full[axis] = a
        return tuple(full)

    def _block_cyclic(self, banks: int) -> Iterator[AnyLayout]:
        if banks == 1 or not self._blocks:
            return
        for block in range(2, self._most_block + 1):
            circles = []
            for need, cluster, groups in self._clusters:
                motion = self._motion(need, cluster)
                told = motion is None and not need.uniform and not need.rows(self._shape).empty
                width = 1 if told else block  # rows tell the rest
                circles.append(Circle(groups, motion, width, block * banks, len(self._axes)))
            mirrored = self._uniform and all(c.even and c.block == block for c in circles)
            for alpha in self._alphas(circles, block * banks, "signs" if mirrored else "none"):
                layout = BlockCyclicLayout(self._shape, self._spread(alpha), banks, block)
                if self._accept(layout):
                    yield layout

    def _alphas(
        self, circles: Sequence[Circle], period: int, alike: Literal["units", "signs", "none"]
    ) -> Iterator[Offset]:
        """Multipliers without a divisor in common with the period under which no bank is crowded."""
        kind = "lattice" if alike == "units" else "block"
        for prefix, mask, work in multipliers(circles, period, len(self._axes), alike):
            self._work[kind] += work
            if self._work[kind] > MAX_WORK[kind] * max(1, self._effort):
                self._cut = True
                return
            for last in bits(mask):
                if math.gcd(period, last, *prefix) == 1:
                    self._work[kind] += CANDIDATE
                    yield (*prefix, last)

    def _motion(self, need: Need, cluster: Cluster) -> Motion | None:
        return cluster.motion(need.problem.space.names, self._axes)


def _chains(number: int, most: int, multiple_of: int = 1) -> Iterator[tuple[int, ...]]:
    """(n1, n2, ..) with n1 | n2 | .. and product ``number``, at most ``most`` of them, the shortest first."""
    if number % multiple_of == 0 and number > 1:
        yield (number,)
    if most > 1:
        for first in range(max(2, multiple_of), math.isqrt(number) + 1):
            if first % multiple_of == 0 and number % (first * first) == 0:
                for rest in _chains(number // first, most - 1, first):
                    yield (first, *rest)
