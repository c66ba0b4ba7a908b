"""Bank-centric code, the proofs: which accesses of an iteration can share a load or store per bank.

Each proof goes through all iterations where these are few, and else is an emptiness test of isl sets; where isl
gives up the answer is the cautious one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from hlspart.layouts.layout import Layout
from hlspart.model.access import Access, Affine
from hlspart.model.answers import Answers
from hlspart.sets.region import AccessRelation, Regions, TooHard, isl_text

Index = tuple[Affine, ...]
Lanes = dict[int, int]
_Pairs = frozenset[tuple[int, int]]
_Element = tuple[int, ...]
MOST_LISTED = 1024  # iterations that are gone through


def meet(a: Access, b: Access) -> bool:
    """Whether the two touch one element in some iteration (True also when isl gives up)."""
    first, second = _plain(a), _plain(b)
    steps = _step(first, second)
    if steps is not None and any(steps):
        return False
    if steps is not None and a.domain == b.domain:
        return True
    space = Regions(a.iterators, (1,) * len(a.iterators))
    extents = (0,) * len(first)
    try:
        both = space.region(a.domain).meet(space.region(b.domain))
        return not space.touch(both, first, None, extents).agree(space.touch(both, second, None, extents)).empty
    except TooHard:
        return True


def _step(first: Index, second: Index) -> tuple[int, ...] | None:
    """From the one element to the other where that is the same in every iteration."""
    if any(x.terms != y.terms for x, y in zip(first, second, strict=True)):
        return None
    return tuple(y.const - x.const for x, y in zip(first, second, strict=True))


def _plain(access: Access) -> Index:
    index = tuple(f for f in access.index or () if f is not None)
    assert access.index is not None and len(index) == len(access.index)
    return index


def deal_lanes(
    layout: Layout,
    slots: Sequence[Index],
    accesses: Sequence[Sequence[Access]],
    reading: set[int],
    writing: Sequence[tuple[int, int]],
) -> tuple[Lanes, Lanes, bool] | None:
    """Lanes of the loads and of the stores by slot, a slot being one index of an iteration.

    ``accesses`` are those of each slot, ``writing`` its stores as (slot, order). Stores are carried
    out lane by lane, so later ones may not be in earlier lanes where they may go to one element;
    None where that cannot be. The last value says that stores of different lanes never do.
    """
    stored = sorted({slot for slot, _ in writing})
    conflicts = _conflicts(layout, slots, accesses, reading, set(stored))
    read = _colouring(sorted(reading), conflicts)
    write = _colouring(stored, conflicts)
    ordered = {
        (a, b)
        for a, first in writing
        for b, second in writing
        if a != b and first < second and not any(_step(slots[a], slots[b]) or ())
        if any(meet(x, y) for x in accesses[a] for y in accesses[b])
    }
    if any(write[a] > write[b] for a, b in ordered):
        write = _ordered(dict(sorted(writing, key=lambda w: -w[1])), conflicts, ordered)
    if any(write[a] > write[b] for a, b in ordered):
        return None
    return read, write, all(write[a] == write[b] for a, b in ordered)


def _colouring(slots: Sequence[int], conflicts: _Pairs) -> Lanes:
    """A colouring of the conflict graph, greedily, the most constrained first."""
    degree = {s: sum(s in pair for pair in conflicts) for s in slots}
    lane: Lanes = {}
    for s in sorted(slots, key=lambda q: (-degree[q], q)):
        taken = {lane[q] for q in lane if (min(s, q), max(s, q)) in conflicts}
        lane[s] = next(k for k in range(len(slots) + 1) if k not in taken)
    return lane


def _ordered(first: Mapping[int, int], conflicts: _Pairs, ordered: set[tuple[int, int]]) -> Lanes:
    """A colouring whose lanes follow the order of the stores that may meet."""
    lane: Lanes = {}
    for s in sorted(first, key=lambda q: first[q]):
        least = max((lane[q] for q in lane if (q, s) in ordered), default=0)
        taken = {lane[q] for q in lane if (min(s, q), max(s, q)) in conflicts}
        lane[s] = next(k for k in range(least, least + len(first) + 1) if k not in taken)
    return lane


#: Every text that is tried asks the same of its nests.
_CONFLICTS: Answers[_Pairs] = Answers(1024)


def _conflicts(
    layout: Layout, slots: Sequence[Index], accesses: Sequence[Sequence[Access]], reading: set[int], writing: set[int]
) -> _Pairs:
    """Pairs of loads or of stores that may need different elements of one bank in one iteration."""
    iterators = accesses[0][0].iterators
    domains = tuple(tuple(dict.fromkeys(x.domain for x in access)) for access in accesses)
    key = (layout, tuple(slots), iterators, domains, frozenset(reading), frozenset(writing))
    return _CONFLICTS.of(key, lambda: frozenset(_Reach(layout, slots, iterators).conflicts(domains, reading, writing)))


class _Reach:
    """Elements and banks that each slot reaches; a relation is made once for all pairs."""

    def __init__(self, layout: Layout, slots: Sequence[Index], iterators: tuple[str, ...]) -> None:
        self._layout, self._slots, self._iterators = layout, slots, iterators
        self._space = Regions(iterators, (1,) * len(iterators))
        self._known: dict[tuple[int, str], tuple[AccessRelation, AccessRelation]] = {}
        self._points: dict[str, list[tuple[int, ...]] | None] = {}
        self._all: dict[tuple[int, str], list[tuple[_Element, int] | None] | None] = {}

    def conflicts(
        self, domains: Sequence[Sequence[str]], reading: set[int], writing: set[int]
    ) -> Iterator[tuple[int, int]]:
        for a, b in combinations(range(len(self._slots)), 2):
            if not ({a, b} <= reading or {a, b} <= writing):
                continue
            step = _step(self._slots[a], self._slots[b])
            shares_bank = None if step is None else self._layout.shares_bank(step)
            either = dict.fromkeys((*domains[a], *domains[b]))
            if shares_bank is False:
                continue
            if (shares_bank and len(either) == 1) or self._may_share(a, b, either):  # where equal, both happen
                yield a, b

    def _may_share(self, a: int, b: int, domains: Iterable[str]) -> bool:
        """Whether two slots reach different elements of one bank in some iteration, or it is too hard to say."""
        try:
            for domain in domains:
                each, every = self._listed(a, domain), self._listed(b, domain)
                if each is not None and every is not None:
                    if any(x and y and x[0] != y[0] and x[1] == y[1] for x, y in zip(each, every, strict=True)):
                        return True
                    continue
                (first, one), (second, other) = self._reached(a, domain), self._reached(b, domain)
                if not one.agree(other).minus(first.agree(second)).empty:
                    return True
        except TooHard:
            return True
        return False

    def _listed(self, slot: int, domain: str) -> list[tuple[_Element, int] | None] | None:
        """Element and bank of a slot in each iteration of a domain (None: outside); None where these are many."""
        if (slot, domain) not in self._all:
            if domain not in self._points:
                self._points[domain] = self._space.region(domain).members(MOST_LISTED)
            points, index = self._points[domain], self._slots[slot]
            known = {n for f in index for n in f.names} <= set(self._iterators)
            where = (dict(zip(self._iterators, point, strict=True)) for point in points or ())
            elements = (tuple(f.at(at).const for f in index) for at in where)
            self._all[slot, domain] = [self._located(x) for x in elements] if known and points is not None else None
        return self._all[slot, domain]

    def _located(self, element: _Element) -> tuple[_Element, int] | None:
        inside = all(0 <= x < n for x, n in zip(element, self._layout.shape, strict=True))
        return (element, self._layout.bank(element)) if inside else None

    def _reached(self, slot: int, domain: str) -> tuple[AccessRelation, AccessRelation]:
        """Elements and banks of a slot in the iterations of a domain in which it is inside the array."""
        if (slot, domain) not in self._known:
            index, shape = self._slots[slot], self._layout.shape
            axes = tuple(f"x{k}" for k in range(len(shape)))
            where = self._space.region(domain).meet(self._space.region(_inside(self._iterators, index, shape)))
            elements = self._space.touch(where, index, None, (0,) * len(shape))
            self._known[slot, domain] = elements, elements.then(axes, (self._layout.isl_bank(axes),))
        return self._known[slot, domain]


def steady_bank(layout: Layout, index: Index, access: Access) -> int | None:
    """The bank of ``index`` where it is the same in every iteration that ``access`` happens in; None: not known."""
    names = sorted({n for f in index for n in f.names})
    if any(not layout.shares_bank(tuple(f.coefficient(n) for f in index)) for n in names):
        return None
    space = Regions(access.iterators, (1,) * len(access.iterators))
    try:
        where = space.region(access.domain).sample() or {}
    except TooHard:
        return None
    element = [f.at(where) for f in index]
    if any(f.terms or not 0 <= f.const < n for f, n in zip(element, layout.shape, strict=True)):
        return None
    return layout.bank(tuple(f.const for f in element))


def _inside(iterators: Sequence[str], index: Index, shape: Sequence[int]) -> str:
    """Iterations in which ``index`` is inside the array."""
    bounds = [f"0 <= {isl_text(f)} < {n}" for f, n in zip(index, shape, strict=True)]
    return f"{{ [{', '.join(iterators)}] : {' and '.join(bounds)} }}"


def is_inside_everywhere(whole: Access, index: Index, shape: Sequence[int]) -> bool:
    """Whether ``index`` is inside the array in every iteration of ``whole``."""
    space = Regions(whole.iterators, (1,) * len(whole.iterators))
    try:
        region = space.region(whole.domain)
        return region.minus(space.region(_inside(whole.iterators, index, shape))).empty
    except TooHard:
        return False


def never_meet_across(accesses: Sequence[Access], steps: Sequence[int] = ()) -> bool:
    """Whether there are writes, and no element is written in one iteration of the nest and accessed in another.

    With ``steps``, which way each iterator runs: whether none is read in a later iteration than it is written in.
    """
    iterators = accesses[0].iterators
    if not any(a.kind == "write" for a in accesses) or len(iterators) != len(accesses[0].loops):
        return False
    if not iterators or any("->" in a.domain.split("{")[0] for a in accesses):
        return False
    later = tuple(f"{n}__2" for n in iterators)
    space = Regions((*iterators, *later), (1,) * (2 * len(iterators)))
    pairs = list(zip(iterators, later, strict=True))
    differ = " or ".join(f"{n} != {m}" for n, m in pairs)
    if steps:
        same = [" and ".join(f"{n} = {m}" for n, m in pairs[:k]) for k in range(len(pairs))]
        moves = [f"{n} < {m}" if step > 0 else f"{n} > {m}" for (n, m), step in zip(pairs, steps, strict=True)]
        differ = " or ".join(f"({f'{s} and ' if s else ''}{move})" for s, move in zip(same, moves, strict=True))
    apart = f"{{ [{', '.join((*iterators, *later))}] : {differ} }}"
    seen: set[object] = set()  # questions with one answer
    try:
        for write in (a for a in accesses if a.kind == "write"):
            for other in (a for a in accesses if not steps or a.kind == "read"):
                forms = list(zip(_plain(write), _plain(other), strict=True))
                if any(not f.terms and not g.terms and f.const != g.const for f, g in forms):
                    continue
                question = (write.domain, other.domain, *((f.terms, g.terms, f.const - g.const) for f, g in forms))
                if question in seen:
                    continue
                seen.add(question)
                both = space.among(write.domain, 0).meet(space.among(other.domain, len(iterators)))
                where = both.meet(space.region(apart))
                moved = tuple(Affine.of({f"{n}__2": c for n, c in f.terms}, f.const) for f in _plain(other))
                extents = (0,) * len(moved)
                first = space.touch(where, _plain(write), None, extents)
                if not first.agree(space.touch(where, moved, None, extents)).empty:
                    return False
    except TooHard:
        return False
    return True
