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

from hlspart.banking.need import Cluster, Need
from hlspart.banking.pragmas import PragmaSpace
from hlspart.banking.proof import no_mapping
from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import (
    LatticeLayout,
    Matrix,
    coset,
    dot,
    hermite_forms,
    is_cyclic,
    linear,
    plainest,
)
from hlspart.layouts.perdim import PerDimLayout

MAX_PAIRS = 2000  # pairs of accesses compared by sets, per unit of effort

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
    for banks in range(max(bound, start), min(most, math.prod(shape)) + 1):
        layout = next(union.solutions(banks), None)
        if layout is None:
            if union.stuck:
                return None
            continue
        absolute, why = banks == bound, f"{banks} banks meet the lower bound of accesses over ports"
        if not absolute and union.complete:
            absolute = no_mapping(needs, shape, banks - 1, 1500 * 4 ** (effort - 1) if effort else 0)
            why = (
                f"no mapping whatever has {banks - 1} banks: a finite window of iterations cannot be coloured"
                if absolute
                else f"fewer than {banks} banks excluded in the union; lower bound {bound}"
            )
        return Banking(layout, banks, bound, union.complete and start <= bound, absolute, union.space, why)
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
        self._steps = 0

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
        blocks = f"; block-cyclic with blocks up to {self._most_block}, free of conflicts at every position"
        return f"cyclic, block and complete per dimension; lattices{blocks if self._blocks else ''}"

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
        """Block-cyclic maps are tried where the cluster test is exact, elsewhere with more effort only."""
        return self._effort > 1 or all(need.uniform for need in self._needs)

    @property
    def _most_block(self) -> int:
        return {1: 16, 2: 8, 3: 3}.get(len(self._axes), 2)

    @cached_property
    def _clusters(self) -> tuple[tuple[Need, Cluster, tuple[tuple[int, ...], ...]], ...]:
        """Clusters that can crowd a bank, with their offsets on the axes; the largest first."""
        found = [
            (need, c, tuple(tuple(o[k] for k in self._axes) for o in c.offsets))
            for need in self._needs
            for c in need.clusters
            if need.over(sum(1 << p for p in c.positions))
        ]
        return tuple(sorted(found, key=lambda item: -len(item[2])))

    def _accept(self, layout: AnyLayout) -> bool:
        """The shared counting function decides, unless the cluster test was already exact."""
        for need in self._needs:
            if need.uniform and isinstance(layout, LatticeLayout):
                continue
            self._exact_tests += 1
            if self.stuck:
                self._cut = True
                return False
            if not need.fits(layout, "ideal"):
                return False
        return True

    def _lattices(self, banks: int) -> Iterator[AnyLayout]:
        """Cyclic quotients first (linear banking), by the quick test on multipliers; then the others."""
        if banks == 1:
            return
        for alpha in self._alphas(banks, 1):
            if math.gcd(banks, *alpha) == 1:
                layout = linear(self._shape, plainest(self._spread(alpha), banks), banks)
                if self._accept(layout):
                    yield layout
        if any(banks % (p * p) == 0 for p in range(2, math.isqrt(banks) + 1)):
            for hnf in hermite_forms(len(self._axes), banks):
                if not is_cyclic(hnf) and not any(
                    _crowds(need, c, (coset(hnf, o) for o in offsets)) for need, c, offsets in self._clusters
                ):
                    layout = LatticeLayout.of_hnf(self._shape, self._lift(hnf))
                    if self._accept(layout):
                        yield layout

    def _spread(self, alpha: Sequence[int]) -> tuple[int, ...]:
        """Multipliers of all dimensions, 0 for those that do not matter."""
        full = [0] * len(self._shape)
        for axis, a in zip(self._axes, alpha, strict=True):
            full[axis] = a
        return tuple(full)

    def _lift(self, hnf: Matrix) -> Matrix:
        """The lattice with the unit vectors of the dimensions that do not matter added."""
        rank = len(self._shape)
        rows = [[int(a == b) for b in range(rank)] for a in range(rank)]
        for r, axis in enumerate(self._axes):
            rows[axis] = [0] * rank
            for c, other in enumerate(self._axes):
                rows[axis][other] = hnf[r][c]
        return tuple(tuple(r) for r in rows)

    def _block_cyclic(self, banks: int) -> Iterator[AnyLayout]:
        if banks == 1 or not self._blocks:
            return
        for block in range(2, self._most_block + 1):
            period = block * banks
            for alpha in self._alphas(banks, block):
                if math.gcd(period, *alpha) != 1:
                    continue
                layout = BlockCyclicLayout(self._shape, self._spread(alpha), banks, block)
                if self._accept(layout):
                    yield layout

    def _alphas(self, banks: int, block: int) -> Iterator[tuple[int, ...]]:
        """Multipliers under which no cluster crowds a bank at any position of the loop."""
        circles = [_Circle(need, c.positions, offsets, block, banks) for need, c, offsets in self._clusters]
        period = block * banks
        for prefix in self._prefixes(circles, period, ()):
            allowed = (1 << (period if any(prefix) or not prefix else period // 2 + 1)) - 1
            for circle in circles:
                allowed &= circle.last(prefix, allowed)
                if not allowed:
                    break
            if block > 1:
                self._steps += sum(len(offsets) ** 2 for _, _, offsets in self._clusters)
                if self._steps > 500_000 * max(1, self._effort):
                    self._cut = True
                    return
            while allowed:
                yield (*prefix, (allowed & -allowed).bit_length() - 1)
                allowed &= allowed - 1

    def _prefixes(self, circles: Sequence[_Circle], period: int, prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """All but the last coordinate; alpha and -alpha are mirror images."""
        if len(prefix) == len(self._axes) - 1:
            yield prefix
            return
        for a in range(period if any(prefix) else period // 2 + 1):
            candidate = (*prefix, a)
            if all(circle.fits(candidate) for circle in circles):
                yield from self._prefixes(circles, period, candidate)


class _Circle:
    """One cluster under block-cyclic maps: residues on a circle of block * banks places.

    A bank is a window of ``block`` places, at any position of the loop. So an access that has more
    than cap - 1 others in the window that begins at it crowds a bank, and nothing else does. A loop
    whose steps or bounds leave out positions could do with less; the named space says "at every position".
    """

    def __init__(
        self, need: Need, positions: Sequence[int], offsets: Sequence[tuple[int, ...]], block: int, banks: int
    ) -> None:
        self._block, self._period = block, block * banks
        self._groups = [
            ([o for o, p in zip(offsets, positions, strict=True) if kind >> p & 1], cap) for kind, cap in need.limits
        ]
        self._parts: dict[int, list[tuple[list[tuple[int, ...]], int]]] = {}
        self._multiples: dict[int, list[int]] = {}
        self._near: dict[tuple[int, int], int] = {}

    def fits(self, prefix: tuple[int, ...]) -> bool:
        """Whether the accesses that agree in the coordinates after ``prefix`` crowd no bank."""
        for group, cap in self._agreeing(len(prefix)):
            residues = sorted(dot(prefix, o) % self._period for o in group)
            residues += [r + self._period for r in residues[:cap]]
            if any(residues[i + cap] - residues[i] < self._block for i in range(len(group))):
                return False
        return True

    def _agreeing(self, known: int) -> list[tuple[list[tuple[int, ...]], int]]:
        """Leading coordinates of accesses with equal remaining ones, where there are more than the cap."""
        if known not in self._parts:
            found = []
            for offsets, cap in self._groups:
                groups: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
                for o in offsets:
                    groups.setdefault(o[known:], []).append(o[:known])
                found += [(group, cap) for group in groups.values() if len(group) > cap]
            self._parts[known] = found
        return self._parts[known]

    def last(self, prefix: tuple[int, ...], allowed: int) -> int:
        """Those last coordinates (a bit mask) out of ``allowed`` under which no bank is crowded."""
        for offsets, cap in self._groups:
            if len(offsets) <= cap:
                continue
            places = [(dot(prefix, o[:-1]), o[-1]) for o in offsets]
            for base, last in places:
                levels = [allowed] + [0] * cap  # levels[k]: coordinates with at least k others in the window
                for other_base, other_last in places:
                    if (other_base, other_last) == (base, last):
                        continue
                    near = self._window(other_last - last, (other_base - base) % self._period)
                    for k in range(cap, 0, -1):
                        levels[k] |= levels[k - 1] & near
                allowed &= ~levels[cap]
                if not allowed:
                    return 0
        return allowed

    def _window(self, distance: int, shift: int) -> int:
        """Coordinates a with (a * distance + shift) mod period inside the first block of places."""
        key = (distance, shift)
        if key not in self._near:
            if distance not in self._multiples:
                hits = [0] * self._period
                for a in range(self._period):
                    hits[a * distance % self._period] |= 1 << a
                self._multiples[distance] = hits
            hits, mask = self._multiples[distance], 0
            for place in range(self._block):
                mask |= hits[(place - shift) % self._period]
            self._near[key] = mask
        return self._near[key]


def _crowds(need: Need, cluster: Cluster, keys: Iterator[tuple[int, ...]]) -> bool:
    """Whether more accesses of ``cluster`` share a key than one bank serves; stops at the first excess."""
    for_one: dict[tuple[int, ...], int] = {}
    for position, key in zip(cluster.positions, keys, strict=True):
        mask = for_one.get(key, 0) | 1 << position
        if mask.bit_count() > 1 and need.over(mask):
            return True
        for_one[key] = mask
    return False
