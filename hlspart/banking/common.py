"""Whether accesses that meet two by two do so in one iteration, and in which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from hlspart.banking.sites import Site, Sites
from hlspart.sets.region import IterationSet, TooHard

MIN_SHOWN = 4  # accesses of a clique from which single iterations are tried before all are looked at
MOST_POINTS = 4  # such iterations that are tried
FAR = 64  # where iterators are away from the borders of their domains, mostly
MAX_MEETING = 128  # accesses whose common iterations are computed when they depend on the iteration


class CommonIterations:
    """The iterations in which all accesses of a clique meet, clique by clique; each grows out of a smaller one.

    ``where``: by pair of accesses that meet, the iterations in which they do; without an entry, wherever both run.
    """

    def __init__(self, problem: Sites, where: Mapping[tuple[int, int], IterationSet | None]) -> None:
        self._problem = problem
        self._where = where
        self._sites = {s.position: s for s in problem.sites}
        self._meeting: dict[tuple[int, ...], IterationSet] = {}
        self._met: dict[tuple[int, ...], frozenset[int]] = {}  # ids of the sets that are part of it
        self._always: set[tuple[int, ...]] = set()  # cliques that meet in every iteration
        self._sometimes: set[tuple[int, ...]] = set()  # cliques that do not
        self._points: dict[tuple[int, ...], list[IterationSet]] = {}  # by a clique's first members: iterations to try
        self._held: dict[int, set[tuple[int, ...]]] = {}  # by such an iteration: cliques that meet in it

    def happens(self, positions: Sequence[int]) -> bool | None:
        """Whether one iteration has all the pairs of ``positions`` in conflict at once; None where that is too hard."""
        if len(positions) < 3 or self._is_unconditional(tuple(positions)):
            return True
        if len(positions) > MAX_MEETING:
            return None
        try:
            if self._is_shown(positions):
                return True
            common = self.of(positions)
            return common is None or self._is_shared(common, positions)
        except TooHard:
            return None

    def _is_shared(self, common: IterationSet, positions: Sequence[int]) -> bool:
        """Whether some iteration is in ``common``, that of ``positions``; it is tried first for those that follow."""
        point = common.point(FAR) or common.point()
        if point is not None and len(positions) >= MIN_SHOWN:
            self._points.setdefault(tuple(positions[:MIN_SHOWN]), []).insert(0, point)
            self._held[id(point)] = {tuple(positions)}
        return point is not None

    def note(self, members: Sequence[Site], point: IterationSet) -> None:
        """The iteration ``point`` shows all ``members`` in conflict."""
        positions = tuple(s.position for s in members)
        self._points.setdefault(positions, []).insert(0, point)
        self._held[id(point)] = {positions}

    def note_always(self, members: Sequence[Site]) -> None:
        """All ``members`` are in conflict in every iteration in which one of them runs."""
        self._always.add(tuple(sorted((s.position for s in members), key=lambda p: (not self._sites[p].read, p))))

    def seen(self, members: Sequence[int]) -> IterationSet | None:
        """An iteration in which all ``members`` have been seen in conflict."""
        wanted = set(members)
        for points in self._points.values():
            for point in points:
                if any(wanted == set(key) for key in self._held.get(id(point), ())):
                    return point
        return None

    def of(self, positions: Sequence[int]) -> IterationSet | None:
        """Iterations in which all ``positions`` run and meet pairwise; prefixes are remembered. Raises TooHard."""
        if not positions:
            return None
        key = tuple(positions)
        if key in self._always:
            return self._sites[key[0]].region
        if key not in self._meeting:
            *earlier, last = key
            before = self.of(earlier)
            common = self._sites[last].region if before is None else before.meet(self._sites[last].region)
            met = self._met.get(tuple(earlier), frozenset())
            new = {id(w): w for p in earlier if (w := self._where.get((min(p, last), max(p, last)))) is not None}
            self._problem.pairs += len(new.keys() - met)
            for number, where in new.items():
                if number not in met and not where.covers(common):
                    common = common.meet(where)
                    if common.empty:
                        break
            self._meeting[key], self._met[key] = common, met | new.keys()
        return self._meeting[key]

    def _is_shown(self, positions: Sequence[int]) -> bool:
        """Whether one of a few iterations shows all ``positions`` in conflict at once (no proof that none does)."""
        if len(positions) < MIN_SHOWN:
            return False
        start = tuple(positions[:MIN_SHOWN])
        if start not in self._points:
            common = self.of(start)
            points = [common.point(FAR), common.point()] if common is not None else []
            self._points[start] = [p for p in points if p is not None]
        pairs = [(min(p, positions[-1]), max(p, positions[-1])) for p in positions[:-1]]
        for point in self._points[start][:MOST_POINTS]:
            banks = self._held.setdefault(id(point), set())
            key = tuple(positions)
            grown = tuple(key[:-1]) in banks
            regions = [self._sites[p].region for p in ((positions[-1],) if grown else positions)]
            among = pairs if grown else combinations(sorted(positions), 2)
            regions += [w for pair in among if (w := self._where.get(pair)) is not None]
            self._problem.pairs += len(regions)
            if all(region.has(point) for region in regions):
                banks.add(key)
                return True
        return False

    def _is_unconditional(self, positions: tuple[int, ...]) -> bool:
        """Whether all run in the same iterations, and each pair meets in all of them."""
        *earlier, last = positions
        if tuple(earlier) in self._sometimes:
            self._sometimes.add(positions)
            return False
        grown = tuple(earlier) in self._always  # cliques grow one by one: only what is new is looked at
        pairs = [(min(p, last), max(p, last)) for p in earlier] if grown else combinations(sorted(positions), 2)
        members = (earlier[0], last) if grown else positions
        keys = {self._problem.domain_key(self._sites[p].access.domain) for p in members}
        if len(keys) > 1 or any(self._where.get(pair) is not None for pair in pairs):
            self._sometimes.add(positions)
            return False
        self._always.add(positions)
        return True
