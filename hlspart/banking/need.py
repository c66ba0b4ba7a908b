"""What one pipelined loop asks of an array: its accesses, the ports of a bank and the II to reach.

The exact answer for a layout is :meth:`Need.fits`. Around it stand cheap answers for the search:
per-dimension families (sets of accesses that share a bank of one dimension) whose product bounds
the load from above and is exact for most loops, and clusters (accesses that differ by constants
only) which every translation-invariant mapping must tell apart.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.banking.accesses import affine_index, are_in_one_arm
from hlspart.banking.counting import BankModel, PortProblem
from hlspart.banking.families import Families, Family, StaticSets, families_of, maximal, values
from hlspart.banking.progressions import residue_mask
from hlspart.banking.rows import Rows
from hlspart.banking.sites import Site
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.layout import Layout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports
from hlspart.sets.box import Box

FEW_ACCESSES = 128  # of one iteration, up to which tests of layouts are numbered by the effort alone
Offset = tuple[int, ...]  # one number per dimension, or per dimension looked at


class Cluster(Struct, frozen=True):
    """Accesses with the same linear part that all run in some common iteration: positions, constant offsets.

    ``box`` are their common iterations where these form one; ``alike`` when each has just these.
    """

    positions: tuple[int, ...]
    offsets: tuple[Offset, ...]
    forms: tuple[Affine, ...]  # of the first one
    box: Box | None
    alike: bool

    def motion(self, names: Sequence[str], axes: Sequence[int]) -> Motion | None:
        """How the iterators ``names`` move the offsets along ``axes``; None when that is not known."""
        moved = {n for k in axes for n in self.forms[k].names}
        if not moved:
            return Motion((0,) * len(axes), ())
        if self.box is None or not moved <= set(names):
            return None
        terms = [tuple(self.forms[k].coefficient(name) for k in axes) for name in names]
        start = tuple(sum(t[k] * low for t, low in zip(terms, self.box.low, strict=True)) for k in range(len(axes)))
        steps = zip(terms, self.box.step, self.box.count, strict=True)
        moves = tuple((tuple(c * step for c in t), times) for t, step, times in steps if any(t) and times > 1)
        return Motion(start, moves)


class Motion(Struct, frozen=True):
    """What is added to the offsets: ``start``, and of each (move, times) any k * move with 0 <= k < times."""

    start: Offset
    moves: tuple[tuple[Offset, int], ...]

    def phases(self, alpha: Sequence[int], modulus: int) -> int:
        """Mask of alpha . (moves) modulo ``modulus``, from 0, by the iterators that move just the axes of alpha."""
        known = len(alpha)
        sizes = [(sum(map(operator.mul, alpha, m)), n) for m, n in self.moves if not any(m[known:])]
        return residue_mask(sizes, modulus)


def affordable(tests: int, needs: Sequence[Need], power: int = 1) -> int:
    """How many of ``tests`` are made where each looks at the accesses of a need (at the pairs of them: ``power`` 2).

    All of them up to ``FEW_ACCESSES``, of more accesses as many as take about as long.
    """
    most = max((len(need.problem.sites) for need in needs), default=0)
    return tests if most <= FEW_ACCESSES else tests * FEW_ACCESSES**power // most**power


class Need:
    """Accesses of one loop's iteration to one array, to be served at ``ii`` through ``ports`` per bank."""

    def __init__(
        self,
        space: IterationSpace,
        accesses: Sequence[PortAccess],
        ports: Ports,
        ii: int = 1,
        exclusive_static: bool = False,
        effort: int = 1,
    ) -> None:
        exclusive_static = exclusive_static and any(a.branch for a in accesses)
        self.problem = PortProblem(space, accesses, exclusive_static, effort)
        self.ports = ports
        self.ii = ii
        self._static = StaticSets(self.problem)
        self._families: dict[BankModel, Families] = {}
        self._rows: dict[tuple[int, ...], Rows] = {}
        self._clusters: list[tuple[Cluster, ...]] = []  # all of them, as soon as they are known

    def at(self, ii: int) -> Need:
        """The same accesses at another II; what was found out about them is shared."""
        return self if ii == self.ii else self._with(self.ports, ii)

    def _with(self, ports: Ports, ii: int) -> Need:
        other = Need.__new__(Need)
        other.problem, other.ports, other.ii = self.problem, ports, ii
        other._static, other._families = self._static, self._families
        other._rows, other._clusters = self._rows, self._clusters
        return other

    @cached_property
    def port_splits(self) -> tuple[Need, ...]:
        """What code with loads and stores of their own for each bank must serve: one of these at least.

        Accesses that share the ports of a bank get so many loads and so many stores in each interval; a port
        that one of them leaves idle in an iteration does not serve the other.
        """
        writes = sum(not s.read for s in self.problem.sites)
        if self.ports.total is None or writes in (0, len(self.problem.sites)):
            return (self,)
        slots, most = self.ports.total * self.ii, writes
        if self.ports.writes is not None:
            most = min(most, self.ports.writes * self.ii)
        return tuple(self._with(Ports(reads=slots - n, writes=n), 1) for n in range(1, min(most, slots - 1) + 1))

    @cached_property
    def crowding(self) -> int:
        """How many banks it takes where all accesses touch elements of their own in one iteration."""
        return max([1, *(-(-(self.everything & kind).bit_count() // cap) for kind, cap in self.limits)])

    def is_written(self, layout: Layout) -> bool:
        """Whether a bank has ports for the loads and stores that code needs which selects banks of ``layout``."""
        if all(cap == 1 for _, cap in self.limits):
            return True  # no two accesses meet in a bank
        conflicts, sites, ports = self.problem.conflicts(layout), self.problem.sites, self.ports
        loads = conflicts.lanes([s for s in sites if s.read])
        stores = conflicts.lanes([s for s in sites if not s.read])
        asked = ((ports.total, loads + stores), (ports.reads, loads), (ports.writes, stores))
        return all(limit is None or lanes <= limit * self.ii for limit, lanes in asked)

    def interval(self, layout: Layout) -> int:
        """Least II that code with loads and stores of their own for each bank of ``layout`` allows."""
        loads, _, _ = self.problem.ideal(layout, Ports(reads=1))
        stores, _, _ = self.problem.ideal(layout, Ports(writes=1))
        return self.ports.interval(len(loads.reads), len(stores.writes))

    @cached_property
    def _shared(self) -> tuple[tuple[int, int], ...]:
        """(mask of the accesses that share a limit, how many of them one bank serves in a cycle)."""
        reads = sum(1 << s.position for s in self.problem.sites if s.read)
        writes = self.everything & ~reads
        limits = (self.everything, self.ports.total), (reads, self.ports.reads), (writes, self.ports.writes)
        return tuple((mask, limit) for mask, limit in limits if limit is not None)

    @property
    def limits(self) -> tuple[tuple[int, int], ...]:
        """(mask of the accesses that share a limit, how many of them one bank serves per interval)."""
        return tuple((mask, limit * self.ii) for mask, limit in self._shared)

    def is_over(self, mask: int) -> bool:
        """Whether one bank cannot serve all accesses of ``mask`` in one interval."""
        return any((mask & kind).bit_count() > limit * self.ii for kind, limit in self._shared)

    def cycles(self, mask: int) -> int:
        """The least interval in which one bank serves all accesses of ``mask``."""
        return max([1, *(-(-(mask & kind).bit_count() // limit) for kind, limit in self._shared)])

    @cached_property
    def everything(self) -> int:
        """Mask of all accesses that are ever performed."""
        return sum(1 << s.position for s in self.problem.sites)

    @cached_property
    def trivial(self) -> bool:
        """Whether a single bank serves it under either model."""
        if not self.is_over(self.everything) or not self.problem.exclusive_static:
            return not self.is_over(self.everything)
        rank = next((len(s.access.index) for s in self.problem.sites if s.access.index is not None), 1)
        whole = PerDimLayout((DimLayout.of("whole", 0, None),) * rank)
        return self.problem.static(whole, self.ports).interval <= self.ii

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """Groups of accesses with equal linear parts and no exclusive arms that run together."""
        if not self._clusters:
            sets = dict.fromkeys(alike for sites in self._of_linear_parts.values() for alike in _compatible(sites))
            self._clusters.append(tuple(cluster for positions in sets for cluster in self._together(positions)))
        return self._clusters[0]

    @property
    def _of_linear_parts(self) -> dict[object, list[Site]]:
        groups: dict[object, list[Site]] = {}
        for site in self.problem.sites:
            if site.forms is not None:
                groups.setdefault(tuple(f.terms for f in site.forms), []).append(site)
        return groups

    def _together(self, positions: Sequence[int]) -> list[Cluster]:
        domains = {p: self.problem.domain_key(self.problem.accesses[p].domain) for p in positions}
        texts = {self.problem.domain_key(d): d for d in (self.problem.accesses[p].domain for p in positions)}
        common = self.problem.common_box(list(texts.values()))
        if common is not None:
            return [self._cluster(positions, common, len(texts) == 1)]
        return [
            self._cluster([p for p in positions if domains[p] == key], self.problem.box(text), True)
            for key, text in texts.items()
        ]

    def _cluster(self, positions: Sequence[int], box: Box | None, alike: bool) -> Cluster:
        forms = [affine_index(self.problem.accesses[p]) or () for p in positions]
        offsets = tuple(tuple(f.const for f in index) for index in forms)
        return Cluster(tuple(positions), offsets, forms[0], box, alike)

    @cached_property
    def uniform(self) -> bool:
        """Whether one cluster holds all accesses, so that conflicts do not depend on the iteration."""
        sites = self.problem.sites
        if len(self._of_linear_parts) != 1 or not are_in_one_arm(s.access for s in sites):
            return False
        return len(self.clusters) == 1 and len(self.clusters[0].positions) == len(sites)

    @cached_property
    def distinct(self) -> bool:
        """Whether no two accesses of a cluster touch one element."""
        return all(len(set(c.offsets)) == len(c.offsets) for c in self.clusters)

    def lower_bound(self, rank_shape: tuple[int, ...]) -> int:
        """No mapping whatever needs fewer banks: the most accesses of an iteration over a bank's share."""
        whole = PerDimLayout(tuple(DimLayout.of("whole", n, None) for n in rank_shape))
        load, _, exact = self.problem.ideal(whole, self.ports)
        if not exact:
            return 1
        return -(-load.interval // self.ii)

    def fits(self, layout: Layout, model: BankModel) -> bool:
        """Whether ``layout`` serves every iteration: the shared counting function decides."""
        if self.trivial:
            return True
        if model == "static":
            over = self.problem.is_over(layout, self.ports, self.ii)
            return not over and self.problem.static(layout, self.ports, widened=True).interval <= self.ii
        quick = self.quick(layout)
        return not self.problem.exceeds(layout, self.ports, self.ii) if quick is None else quick

    def rows(self, shape: tuple[int, ...]) -> Rows:
        """Some iterations, with the elements of an array of this shape that they touch."""
        if shape not in self._rows:
            self._rows[shape] = Rows(self.problem, shape)
        return self._rows[shape]

    def quick(self, layout: Layout) -> bool | None:
        """Whether ``layout`` serves some iterations: False, and so not all; True when these were all; else None.

        Not asked where all accesses differ by constants: one question about sets is cheaper then.
        """
        if self.uniform:
            return None
        rows = self.rows(layout.shape)
        if rows.overloads(layout, self.ports, self.ii):
            return False
        return True if rows.complete else None

    # ------------------------------------------------------------- per-dimension families

    def family(self, dim: int, layout: DimLayout, model: BankModel) -> tuple[Family, bool]:
        """Largest sets of accesses that share a bank along ``dim``, and whether products of such sets are exact.

        Where they are not, the products bound the true load: from above in the static model, from
        below in the ideal one.
        """
        known, key = self.families(model).known, (dim, layout)
        if key not in known:
            if layout.banks == 1:
                known[key] = ((self.everything,), True)
            elif model == "static":
                known[key] = self._static.along(dim, layout), self._static.exact
            else:
                known[key] = self._ideal(dim, layout)
        return known[key]

    def families(self, model: BankModel) -> Families:
        """What is known of these accesses at any II."""
        if model not in self._families:
            self._families[model] = families_of(self.problem, model)
        return self._families[model]

    def _ideal(self, dim: int, layout: DimLayout) -> tuple[Family, bool]:
        """Exact per-dimension sets when the loop is uniform; otherwise what one cluster alone forces."""
        sets: list[int] = []
        exact = self.uniform
        for cluster in self.clusters:
            offsets = [(o[dim], p) for o, p in zip(cluster.offsets, cluster.positions, strict=True)]
            if layout.modulus is None:
                patterns = self._block_patterns(cluster, dim, offsets, layout) if self._static.separable else None
                if patterns is None:
                    exact = False
                    patterns = [1 << p for _, p in offsets]
                exact = exact and cluster.alike
                sets += patterns
            else:
                by_bank: dict[int | None, int] = {}
                for o, p in offsets:
                    residue = layout.residue(o)
                    by_bank[residue] = by_bank.get(residue, 0) | 1 << p
                sets += by_bank.values()
        return maximal(sets), exact

    def _block_patterns(
        self, cluster: Cluster, dim: int, offsets: Sequence[tuple[int, int]], layout: DimLayout
    ) -> list[int] | None:
        """Sets of accesses in one block, over all positions of the window that the loop reaches."""
        base = cluster.offsets[0][dim]
        positions = values(self.problem, cluster.forms[dim], cluster.box)
        if positions is None:
            return None
        first, step, last = positions
        marks = {first}
        for block in range(layout.banks + 1):
            for o, _ in offsets:
                edge = block * layout.block - (o - base)
                mark = first + max(0, -((first - edge) // step)) * step
                if mark <= last:
                    marks.add(mark)
        sets = set()
        for mark in marks:
            by_block: dict[int, int] = {}
            for o, p in offsets:
                block = (mark + o - base) // layout.block
                by_block[block] = by_block.get(block, 0) | 1 << p
            sets |= set(by_block.values())
        return list(sets)


def _compatible(sites: Sequence[Site]) -> list[tuple[int, ...]]:
    """Positions of accesses no two of which stand in opposite arms: for each arm all that go with it."""
    first = {site.access.branch: site for site in reversed(sites)}
    if are_in_one_arm(site.access for site in first.values()):
        return [tuple(s.position for s in sites)]
    own = dict.fromkeys(first, 0)  # masks of the accesses
    for k, site in enumerate(sites):
        own[site.access.branch] |= 1 << k
    sets = []
    for branch in dict.fromkeys(s.access.branch for s in sites):
        arms, beside = dict(branch), own[branch]
        for other, members in own.items():
            if all(arms.get(condition, arm) == arm for condition, arm in other):
                arms.update(other)
                beside |= members
        sets.append(beside)
    largest = [one for one in dict.fromkeys(sets) if not any(one & x == one != x for x in sets)]
    return [tuple(s.position for k, s in enumerate(sites) if one >> k & 1) for one in largest]
