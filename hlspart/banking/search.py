"""The least banks of any kind: per-dimension, lattice, block-cyclic and tables, in order of the number of banks.

The families and why their union is searched: linear transformation banking (Wang et al., DAC 2013),
generalised block-cyclic partitioning (Wang et al., FPGA 2014), lattice banking (Cilardo and Gallo,
TACO 2015; Escobedo and Lin, 2018). Each alone misses the minimum somewhere. Within one number of
banks the first three families are exhausted before the next number, so the first hit is minimal in
their union up to the stated bound on block sizes. Then one bank less is tried, and so on downwards: where no
proof says that every mapping fails, by tables: any periodic mapping (:mod:`hlspart.banking.tables`), and the elements
of a small array one by one (:mod:`hlspart.banking.trace`), as far as a budget goes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

from hlspart.banking.circle import Circle, Group, bits, multipliers
from hlspart.banking.need import Cluster, Motion, Need, Offset, affordable
from hlspart.banking.pragmas import PragmaSpace
from hlspart.banking.proof import crowd, no_mapping
from hlspart.banking.tables import Pattern, Tables
from hlspart.banking.trace import Trace
from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout, dot, linear, plainest
from hlspart.layouts.layout import Layout
from hlspart.layouts.table import TableLayout
from hlspart.model.answers import Answers

MAX_WORK = {"lattice": 4_000_000, "block": 160_000}  # pairs of accesses compared, per unit of effort
MAX_STEPS = 8_000_000  # times banks and accesses cubed, of proofs over any mapping; times 4 with each unit of effort
BUDGET = 180_000  # microseconds or so for tables, by the number of accesses; times 4 with each unit of effort
FEW = 8  # accesses, for which twice this is spent on longer searches
MAX_PAIRS = 1500  # pairs of accesses compared by sets, per unit of effort
MOST_PAIRS = 9_000  # likewise, over all searches for the same accesses: at several IIs, and for loads and stores apart

MOST_ACCESSES = 1_200  # of a loop: of more, comparing the pairs alone takes seconds
MOST_UNLIKE = 200  # where they differ by more than constants, or some are of one element
MOST_KINDS = 40  # of subscripts and iterations among them: what two kinds have in common is a question about sets
CANDIDATE = 20  # what looking at one map in full costs, in the same unit


Kind = Literal["lattice", "block"]


class Banking(Struct, frozen=True):
    """Outcome of a search.

    ``excluded``: every smaller number of banks was excluded in the union of families.
    ``absolute``: and over any mapping whatever. ``space`` names what was searched, ``reason`` why
    smaller numbers are excluded.
    """

    layout: Layout
    banks: int
    lower_bound: int
    excluded: bool
    absolute: bool
    space: str
    reason: str


# A text that is read again, and an array for which another answer is ruled out, ask for the same: with what it took.
_LEAST: Answers[tuple[Banking | None, list[tuple[int, int]]]] = Answers(256)


def lower_bound(needs: Sequence[Need], shape: tuple[int, ...]) -> int:
    """No mapping serves all needs with fewer banks."""
    return max((need.lower_bound(shape) for need in needs), default=1)


def least_any(
    needs: Sequence[Need],
    shape: tuple[int, ...],
    most: int = 1024,
    effort: int = 1,
    start: int = 1,
    tables: bool = True,
    written: bool = False,
) -> Banking | None:
    """The least banks over all families; None when none serves all needs.

    Numbers of banks below ``start`` are passed over (then nothing is claimed about them). ``tables``: whether these
    are tried. ``written``: only mappings for which code that selects banks has ports enough. Of very many accesses
    none is looked for. What it takes counts each time, so that a budget does not depend on what was asked before.
    """
    if any(map(_is_large, needs)):
        return None
    problems = [need.problem for need in needs]
    content = tuple((need.problem.content, need.problem.exclusive_static, need.ii, need.ports) for need in needs)
    before = [(x.pairs, x.questions) for x in problems]

    def find() -> tuple[Banking | None, list[tuple[int, int]]]:
        banking = _least(needs, shape, most, effort, start, tables, written)
        return banking, [(x.pairs - p, x.questions - q) for x, (p, q) in zip(problems, before, strict=True)]

    banking, taken = _LEAST.of((content, tuple(shape), most, effort, start, tables, written), find)
    for problem, (pairs, questions), (more, further) in zip(problems, before, taken, strict=True):
        problem.pairs, problem.questions = pairs + more, questions + further
    return banking


def _is_large(need: Need) -> bool:
    """Whether to compare the pairs of its accesses takes too long."""
    sites = need.problem.sites
    if need.uniform and need.distinct:
        return len(sites) > MOST_ACCESSES
    kinds = {(tuple(f.terms for f in s.forms or ()), s.access.domain) for s in sites}
    return len(sites) > MOST_UNLIKE or len(kinds) > MOST_KINDS


def _least(
    needs: Sequence[Need], shape: tuple[int, ...], most: int, effort: int, start: int, tables: bool, written: bool
) -> Banking | None:
    bound = lower_bound(needs, shape)
    if PragmaSpace(needs, shape, "ideal").hopeless:
        return None  # one element is asked for too often, or the elements are not known
    union = _Union([n for n in needs if not n.trivial], shape, most, effort)
    left = MAX_STEPS * 4 ** (effort - 1) if effort else 0
    first, floor, why = max(bound, start), bound, "meet the lower bound of accesses over ports"

    def refuted(banks: int) -> bool:
        nonlocal left
        if not union.complete:
            return False
        each = max(4000, banks * max(need.everything.bit_count() for need in needs) ** 3)
        proved, taken = no_mapping(needs, shape, banks, left // (2 * each))  # half is for the next numbers
        left -= taken * each
        return proved

    layout: Layout | None = None
    for banks in range(first, min(most, math.prod(shape)) + 1):
        if banks == first + 1 and (crowded := crowd(needs, shape)) > floor:
            floor, why = crowded, f"needed: any two of {crowded} elements meet in some iteration"
        if banks < floor:
            continue
        solutions = (x for x in union.solutions(banks) if not written or all(need.is_written(x) for need in needs))
        layout = next(solutions, None)
        if layout is not None or union.stuck:
            break
    trace = Trace(union.needs, shape) if tables and effort else None
    if trace is not None and trace.complete:
        fewest = banks if layout is not None else min(most, math.prod(shape)) + 1
        for fewer in range(max(floor, first), fewest):
            table, none = trace.search(fewer, effort)
            if none:
                floor, why = fewer + 1, "needed: all iterations together cannot be coloured with fewer"
            elif table is not None and (not written or all(need.is_written(table) for need in union.needs)):
                layout, banks = table, fewer
                break
        union.tables = True
    if layout is None:
        return None
    while banks > floor:  # from the top down: what excludes a number excludes all below it
        if refuted(banks - 1):
            floor, why = banks, "needed: a finite window of iterations cannot be coloured with fewer"
            break
        table = union.table(banks - 1) if tables and banks > first else None
        if table is None:
            break
        layout, banks = table, banks - 1
    absolute = banks <= floor
    reason = f"{banks} banks {why}" if banks == bound else f"no mapping whatever has fewer banks: {banks} {why}"
    excluded = absolute or (union.complete and start <= bound)
    if not absolute:
        without = f"fewer than {start} were not looked at" if start > bound else "a budget cut the search for fewer"
        reason = f"fewer than {banks} banks excluded in the union" if excluded else f"{banks} banks serve; {without}"
        reason += f"; lower bound {bound}"
        if union.tables:
            reason += "; tables of few classes were tried, too"
    return Banking(layout, banks, bound, excluded, absolute, union.space, reason)


class _Union:
    """Candidates of all families with a given number of banks."""

    def __init__(self, needs: Sequence[Need], shape: tuple[int, ...], most: int, effort: int) -> None:
        self.needs = needs
        self._shape = shape
        self._effort = effort
        self._pragmas = PragmaSpace(needs, shape, "ideal", most, effort)
        self._exact_tests = 0
        self._asked = sum(need.problem.pairs for need in self.needs)
        self._cut = False
        self._work = dict.fromkeys(MAX_WORK, 0)
        self.tables = False  # whether any were tried

    @property
    def complete(self) -> bool:
        """Whether no budget cut the search so far."""
        return not self._cut and self._pragmas.complete

    @property
    def stuck(self) -> bool:
        """Whether there are no exact tests left, without which nothing more can be accepted."""
        effort, pairs = max(1, self._effort), sum(need.problem.pairs for need in self.needs)
        tests = affordable(30 * effort, self.needs, power=2)
        asked = pairs - self._asked
        return self._exact_tests > tests or asked > MAX_PAIRS * effort or pairs > MOST_PAIRS * effort

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

    def solutions(self, banks: int) -> Iterator[Layout]:
        """Mappings with exactly so many banks, the simplest hardware first."""
        yield from self._pragmas.solutions(banks)
        yield from self._lattices(banks)
        yield from self._block_cyclic(banks)

    @cached_property
    def _axes(self) -> tuple[int, ...]:
        """Dimensions that can matter to a translation-invariant mapping: those in which accesses differ."""
        varying = {
            k
            for need in self.needs
            for cluster in need.clusters
            for k in range(len(self._shape))
            if len({o[k] for o in cluster.offsets}) > 1
        }
        if any(not need.uniform for need in self.needs):
            varying = {k for k, n in enumerate(self._shape) if n > 1}
        return tuple(sorted(varying)) or (0,)

    @property
    def _blocks(self) -> bool:
        """Three dimensions are too many alphas unless accesses that differ by constants rule most of them out."""
        return self._effort > 1 or len(self._axes) < 3 or self._uniform

    @cached_property
    def _uniform(self) -> bool:
        return all(need.uniform for need in self.needs)

    @property
    def _most_block(self) -> int:
        return {1: 16, 2: 8, 3: 3}.get(len(self._axes), 2)

    @cached_property
    def _clusters(self) -> tuple[tuple[Need, Cluster, tuple[Group, ...]], ...]:
        """Clusters that can crowd a bank, with their offsets on the axes per limit; the largest first."""
        clusters = []
        for need in self.needs:
            for c in need.clusters:
                at = [(tuple(o[k] for k in self._axes), p) for o, p in zip(c.offsets, c.positions, strict=True)]
                groups = ((tuple(o for o, p in at if kind >> p & 1), cap) for kind, cap in need.limits)
                crowds = tuple((offsets, cap) for offsets, cap in groups if len(offsets) > cap)
                if crowds:
                    clusters.append((need, c, crowds))
        return tuple(sorted(clusters, key=lambda item: -len(item[1].positions)))

    def _accept(self, layout: Layout) -> bool:
        """The shared counting function decides, unless the cluster test was already exact."""
        for need in self.needs:
            if need.uniform and layout.is_invariant:
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

    def _lattices(self, banks: int) -> Iterator[Layout]:
        groups = [group for _, c, g in self._clusters for group in g]
        for layout in self._quotients(banks, groups, "lattice"):
            if layout.linear:
                layout = linear(self._shape, plainest(layout.alphas[0], banks), banks)
            if self._accept(layout):
                yield layout

    def table(self, banks: int) -> TableLayout | None:
        """A table with so many banks, for accesses that differ by constants; None says nothing."""
        if not self._effort or not self._uniform or banks == 1:
            return None
        self.tables = True
        parts = self._tables.search(banks)
        if parts is None:
            return None
        alphas, moduli, table = parts
        return TableLayout(LatticeLayout(self._shape, tuple(map(self._spread, alphas)), moduli), table)

    @cached_property
    def _tables(self) -> Tables:
        patterns = [Pattern(o, cap, self._motion(n, c)) for n, c, groups in self._clusters for o, cap in groups]
        most = max(FEW, *(len(p.offsets) for p in patterns))
        few = most == FEW  # whose other kinds take next to no time
        budget = (2 if few else 1) * BUDGET // most * 4 ** (self._effort - 1)
        return Tables(patterns, budget, self._effort + few)

    def _quotients(self, index: int, groups: Sequence[Group], kind: Kind) -> Iterator[LatticeLayout]:
        """Characters modulo n1, n2, .. with n1 | n2 | ..; one of them is linear banking, which comes first."""
        for moduli in _chains(index, len(self._axes)):
            for alphas in self._characters(moduli, groups, kind):
                layout = LatticeLayout(self._shape, tuple(map(self._spread, alphas)), moduli)
                if layout.linear or math.prod(row[k] for k, row in enumerate(layout.hnf)) == index:
                    yield layout  # else they do not reach all classes together

    def _characters(self, moduli: Sequence[int], groups: Sequence[Group], kind: Kind) -> Iterator[tuple[Offset, ...]]:
        """Multipliers for each modulus under which the accesses of no group crowd a bank."""
        modulus, *rest = moduli
        if not rest:
            for alpha in self._alphas([Circle(groups, None, 1, modulus, len(self._axes))], modulus, "units", kind):
                yield (alpha,)
            return
        for alpha, mask, _ in multipliers((), modulus, len(self._axes), "units"):
            for last in bits(mask):
                if self._is_spent(kind):
                    return
                first = (*alpha, last)
                if math.gcd(modulus, *first) != 1:
                    continue
                parts: list[Group] = []
                for offsets, cap in groups:
                    classes: dict[int, list[Offset]] = {}
                    for o in offsets:
                        classes.setdefault(dot(first, o) % modulus, []).append(o)
                    parts += [(tuple(c), cap) for c in classes.values() if len(c) > cap]
                self._work[kind] += CANDIDATE
                for others in self._characters(rest, parts, kind):
                    yield (first, *others)

    def _spread(self, alpha: Sequence[int]) -> tuple[int, ...]:
        """Multipliers of all dimensions, 0 for those that do not matter."""
        full = [0] * len(self._shape)
        for axis, a in zip(self._axes, alpha, strict=True):
            full[axis] = a
        return tuple(full)

    def _block_cyclic(self, banks: int) -> Iterator[Layout]:
        if banks == 1 or not self._blocks:
            return
        for block in range(2, self._most_block + 1):
            if self._is_spent("block"):
                return
            circles = []
            for need, cluster, groups in self._clusters:
                motion = self._motion(need, cluster)
                certain = motion is None and not need.uniform and not need.rows(self._shape).empty
                width = 1 if certain else block  # rows tell the rest
                circles.append(Circle(groups, motion, width, block * banks, len(self._axes)))
            mirrored = self._uniform and all(c.even and c.block == block for c in circles)
            for alpha in self._alphas(circles, block * banks, "signs" if mirrored else "none", "block"):
                layout = BlockCyclicLayout(self._shape, self._spread(alpha), banks, block)
                if self._accept(layout):
                    yield layout

    def _alphas(
        self, circles: Sequence[Circle], period: int, alike: Literal["units", "signs", "none"], kind: Kind
    ) -> Iterator[Offset]:
        """Multipliers without a divisor in common with the period under which no bank is crowded."""
        for prefix, mask, work in multipliers(circles, period, len(self._axes), alike):
            self._work[kind] += work
            if self._is_spent(kind):
                return
            for last in bits(mask):
                if math.gcd(period, last, *prefix) == 1:
                    self._work[kind] += CANDIDATE
                    yield (*prefix, last)

    def _is_spent(self, kind: Kind) -> bool:
        """Whether the work of one kind is at its limit."""
        spent = self._work[kind] > MAX_WORK[kind] * max(1, self._effort)
        self._cut = self._cut or spent
        return spent

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
