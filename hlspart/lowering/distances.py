"""How far apart in iterations two accesses of one array meet, worked out once for all predictions of a loop."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import count

from msgspec import Struct

from hlspart.banking.accesses import packed
from hlspart.lowering.graph import MemoryRef
from hlspart.model.access import Affine
from hlspart.model.answers import Answers
from hlspart.model.ports import IterationSpace

MOST_LOOPS = 16  # whose pairs are kept
MOST_PAIRS = 1 << 17  # of one loop

UPDATE = "whether the tool sees that updates in place do not meet, in a loop whose first value varies, is not known"
BOUNDS = "whether the tool keeps apart stores that only the bounds of flattened loops keep apart is not known"
MEETING = "whether iterations touch the same element"  # what it depends on follows
OUTSIDE = "whether the tool sees that addresses with values from outside the loop do not meet is not known"


class Address(Struct, frozen=True):
    """An access by the ``number`` of its form and the ``code`` of its constants; whether it is ``known``, or ``open``.

    Open: some dimension is no affine form of iterators. ``shape``: the number of its indices alone, without their
    constants, whatever iterations it is in.
    """

    ref: MemoryRef
    number: int
    shape: int
    code: int
    known: bool
    open: bool

    def fixed(self, dims: Sequence[int]) -> tuple[int, ...] | None:
        """Its indices in some dimensions where they are the same in all iterations; None where they may not be."""
        if self.ref.map is not None or self.ref.index is None or self.open:
            return None
        forms = [f for d in dims if (f := self.ref.index[d]) is not None]
        return None if any(f.terms for f in forms) else tuple([f.const for f in forms])


def is_folded_by(a: Address, b: Address) -> bool:
    """Whether remainders or quotients of iterators take part in one of two addresses, both of them known."""
    return a.known and b.known and (a.open or b.open)


def towards(a: Address, b: Address) -> tuple[int, int, int, str, str]:
    """Equal for pairs of accesses of one array that lie alike towards each other."""
    return a.number, b.number, b.code - a.code, a.ref.kind, b.ref.kind


def beside(a: Address, b: Address) -> tuple[int, int, int]:
    """Equal for pairs of accesses of one array whose indices differ alike."""
    return a.shape, b.shape, b.code - a.code


class PairDistance(Struct, frozen=True):
    """Two accesses of one array: the distance (None: never), and what of it is not certain.

    ``uncertain``: why it may be no such distance, if there is a reason. ``unproved``: why the tool may see a
    dependence that there is not. ``folded``: remainders or quotients take part in one of the addresses.
    """

    distance: int | None
    uncertain: str | None
    unproved: str | None
    folded: bool

    @property
    def idle(self) -> bool:
        """Whether the two have nothing to do with each other."""
        return self.distance is None and self.unproved is None and not self.folded


class Iterations(Struct, frozen=True):
    """The iterations of one pipelined loop, as far as distances depend on them.

    ``own``: how many of the last names of ``space`` belong to the loop; ``weights``/``steps``/``trips``: see
    :func:`hlspart.nests.nests.Order`. ``relaxed``: iterations as the tool's tests see them, where bounds vary with
    other iterators (it does not relate iterators to each other: reports of triangular solvers). ``outlined``: the
    loop becomes a module of its own, where addresses made of outer iterators alone are values without relation.
    ``rows_seen``: whether reports of the tool show that it takes rows, and iterators that bounds relate, for
    unrelated; ``outside``: names of scalars from outside the loop, of which no report speaks. ``moving``: other
    loops are unrolled in the loop, whose first value varies. ``counters``: names of scalars that go on where a row of
    a flattened nest ends: their forms have the innermost iterator for what each iteration adds.
    """

    space: IterationSpace
    own: int
    weights: tuple[int, ...]
    steps: tuple[int, ...]
    trips: tuple[int | None, ...]
    relaxed: str | None = None
    outlined: bool = False
    rows_seen: bool = True
    outside: frozenset[str] = frozenset()
    moving: bool = False
    counters: frozenset[str] = frozenset()

    def pair(self, a: Address, b: Address) -> PairDistance:
        """What two accesses have to do with each other, the second one in later iterations."""
        return PairDistance(*self._distance(a.ref, b.ref), self._unproved(a.ref, b.ref), is_folded_by(a, b))

    def meet(self, a: MemoryRef, b: MemoryRef) -> bool:
        """Whether two accesses may touch one element in one iteration."""
        from hlspart.sets import carried

        left, right = relation(a, self.space.names), relation(b, self.space.names)
        return left is None or right is None or carried.meet((a.domain, left), (b.domain, right))

    def _distance(self, a: MemoryRef, b: MemoryRef) -> tuple[int | None, str | None]:
        """The distance, and why it is not certain."""
        if self.counters and self._counted(a, b):
            return self._of_counters(a, b)
        if None in self.trips[1:]:
            return self._loose(a, b)
        quick, doubted = None, False
        if self.relaxed is not None or (self.outlined and self.own < len(self.space.names)):
            quick = self._unrelated(a, b, self.outlined)
            doubted = bool(quick) and self._is_doubtful(a, b, quick or 0)
        if quick is None and self.relaxed is None:
            quick = self._uniform(a, b)
        if quick is not None:
            return quick or None, OUTSIDE if doubted else None
        distance = self._exact(a, b, self.relaxed or a.domain, self.relaxed or b.domain)
        if distance is None:
            return 1, MEETING
        return distance or None, None

    def _counted(self, *refs: MemoryRef) -> bool:
        return any(f is not None and not self.counters.isdisjoint(f.names) for r in refs for f in r.index or ())

    def _of_counters(self, a: MemoryRef, b: MemoryRef) -> tuple[int | None, str | None]:
        """The distance of two accesses of which one counter at least is an index."""
        for f, g in zip(a.index or (), b.index or (), strict=False):
            if f is None or g is None or f.terms != g.terms or self.counters.isdisjoint(f.names):
                continue
            moves = f.coefficient(self.space.names[-1]) * self.steps[-1]
            distance, rest = divmod(f.const - g.const, moves) if moves else (1, 0)
            return (distance, None) if not rest and distance >= 1 else (None, None)
        return 1, MEETING

    def _is_doubtful(self, a: MemoryRef, b: MemoryRef, distance: int) -> bool:
        """Whether no report shows that the tool takes a pair that it could tell apart for one that may meet."""
        for f, g in zip(a.index or (), b.index or (), strict=False):
            if f is not None and g is not None and self.outside & set((f - g).names):
                return True  # what the source says of a scalar, as `k < half`, may tell them apart
        return not self.rows_seen and self._exact(a, b, a.domain, b.domain) != distance

    def _loose(self, a: MemoryRef, b: MemoryRef) -> tuple[int | None, str | None]:
        """Distance in a flattened nest whose rows have numbers of iterations that vary; see :meth:`_distance`."""
        level = max(k for k, trip in enumerate(self.trips) if trip is None)  # as weights are known from here on
        far = tuple(1 << 20 * (level - k - 1) if k < level else 0 for k in range(self.own))
        everywhere = f"{{ [{', '.join(self.space.names)}] }}"
        near = self._exact(a, b, a.domain, b.domain, self.own - level)
        seen = self._exact(a, b, everywhere, everywhere, self.own - level)
        rows = self._exact(a, b, everywhere, everywhere, weights=far)
        if near is None or seen is None or rows is None:
            return 1, MEETING
        if near == 1 or (near == seen and not rows):
            return near or None, None
        return (1 if rows else seen), OUTSIDE  # some row may be short, or the tool may not see the bounds

    def _exact(
        self, a: MemoryRef, b: MemoryRef, mine: str, theirs: str, own: int = 0, weights: tuple[int, ...] = ()
    ) -> int | None:
        """Least distance over the given iterations of the last ``own`` levels (0: all); 0: never, None: not known."""
        own = own or self.own
        weights = weights or self.weights[-own:]
        left, right = relation(a, self.space.names), relation(b, self.space.names)
        if left is None or right is None:
            return None
        from hlspart.sets import carried

        try:
            distance = carried.first_distance(
                self.space.names, own, weights, self.steps[-own:], (mine, left), (theirs, right)
            )
        except ArithmeticError:
            return None
        return distance or 0

    def _uniform(self, a: MemoryRef, b: MemoryRef) -> int | None:
        """Distance of two accesses that move alike in all iterations of a box; 0: never, None: no such case."""
        if a.index is None or b.index is None or not a.domain == b.domain == self.space.domain:
            return None
        own = self.space.names[-self.own :]
        moved: dict[str, int] = {}  # iterations by which each own iterator must differ
        for f, g in zip(a.index, b.index, strict=True):
            if f is None or g is None or f.terms != g.terms:
                return None
            terms = [(n, f.coefficient(n)) for n in own if f.coefficient(n)]
            difference = f.const - g.const
            if not terms:
                if difference:
                    return 0
                continue
            if len(terms) > 1:
                return None
            name, coefficient = terms[0]
            step = coefficient * self.steps[own.index(name)]
            if difference % step or moved.setdefault(name, difference // step) != difference // step:
                return 0
        if any(trip is None for trip in self.trips):
            return None
        if any(abs(by) >= (self.trips[own.index(n)] or 0) for n, by in moved.items()):
            return 0
        total = sum(self.weights[own.index(n)] * by for n, by in moved.items())
        unmoved = [k for k, n in enumerate(own) if n not in moved]
        if not unmoved:
            return max(total, 0)
        if unmoved != [0]:
            return 1 if unmoved[-1] == len(own) - 1 and total == 0 and (self.trips[-1] or 0) > 1 else None
        if total >= 1:
            return total
        return total + self.weights[0] if (self.trips[0] or 0) > 1 else 0

    def _unproved(self, a: MemoryRef, b: MemoryRef) -> str | None:
        """Why the tool may see a dependence between accesses that never meet in later iterations; None: it does not."""
        if a.index is None or b.index is None or None in (*a.index, *b.index):
            return None
        own = self.space.names[-self.own :]
        if a.index == b.index:
            return UPDATE if self.moving and (a.kind, b.kind) == ("write", "read") else None
        if self.own < 2 or "read" in (a.kind, b.kind) or len(a.index) != len(b.index):
            return None
        pairs = [(f, g) for f, g in zip(a.index, b.index, strict=True) if f is not None and g is not None and f != g]
        flat = all(f.terms == g.terms and sum(bool(f.coefficient(n)) for n in own) > 1 for f, g in pairs)
        return BOUNDS if flat and not any(self._is_apart(f, g) for f, g in pairs) else None

    def _is_apart(self, f: Affine, g: Affine) -> bool:
        """Whether two forms of the same terms differ by no multiple of what moves them: never equal, in any bounds."""
        moves = (f.coefficient(n) * s for n, s in zip(self.space.names[-self.own :], self.steps, strict=True))
        return (f.const - g.const) % math.gcd(*moves) != 0

    def _unrelated(self, a: MemoryRef, b: MemoryRef, outlined: bool) -> int | None:
        """Distance in one loop of any bounds, iterators unrelated to each other; 0: never, None: no such case."""
        if a.index is None or b.index is None or self.own != 1:
            return None
        own, distance, crossed = self.space.names[-1], 0, 0
        for f, g in zip(a.index, b.index, strict=True):
            if f is None or g is None:
                return None
            rest = f - g
            if any(n != own for n in rest.names):
                crossed += 1  # a value from outside can make them meet in any iteration
                continue
            if outlined and rest.const and not g.coefficient(own) and f.terms:
                continue  # rows of outer iterators come as plain values into the module of the loop
            step = g.coefficient(own) * self.steps[0]
            if rest.coefficient(own):
                return None
            if step == 0 or rest.const % step:
                if rest.const:
                    return 0
                continue
            steps = rest.const // step
            if steps < 1 or distance not in (0, steps):
                return 0
            distance = steps
        if crossed > 1:  # but it is one value for all dimensions (reports: a mirrored triangle)
            everywhere = f"{{ [{', '.join(self.space.names)}] }}"
            return self._exact(a, b, everywhere, everywhere)
        return distance or 1


class Distances:
    """What is known of the pairs of one loop.

    It follows from what the constants of their indices differ by: copies of an unrolled access are many, their
    differences few. Nothing of it depends on memories, so one loop's predictions have it in common.
    """

    def __init__(self, iterations: Iterations) -> None:
        self._iterations = iterations
        self._numbers = count()
        self._forms: dict[Hashable, int] = {}  # references and indices without their constants
        self._known: dict[Hashable, PairDistance] = {}
        self._met: dict[Hashable, bool] = {}

    def address(self, ref: MemoryRef) -> Address:
        """Where an access is."""
        bare = None if ref.index is None else tuple(None if f is None else f.terms for f in ref.index)
        code = packed(0 if f is None else f.const for f in ref.index or ())
        affine = bare is not None and None not in bare
        number, shape = self._number((bare, ref.map, ref.domain)), self._number(bare)
        return Address(ref, number, shape, code, affine or ref.map is not None, not affine)

    def _number(self, form: Hashable) -> int:
        known = self._forms.get(form)
        return known if known is not None else self._forms.setdefault(form, next(self._numbers))

    def meet(self, a: Address, b: Address) -> bool:
        """Whether two accesses may touch one element in one iteration, whose addresses have remainders or quotients."""
        key = towards(a, b)
        known = self._met.get(key)
        if known is None:
            if len(self._met) >= MOST_PAIRS:
                self._met.clear()
            known = self._met[key] = self._iterations.meet(a.ref, b.ref)
        return known

    def pair(self, a: Address, b: Address) -> PairDistance:
        """What two accesses have to do with each other, the second one in later iterations."""
        key = towards(a, b)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MOST_PAIRS:
                self._known.clear()
            known = self._known[key] = self._iterations.pair(a, b)
        return known


_LOOPS = Answers[Distances](MOST_LOOPS)


def distances(iterations: Iterations) -> Distances:
    """Those of a loop, kept by what they depend on."""
    return _LOOPS.of(iterations, lambda: Distances(iterations))


def relation(ref: MemoryRef, names: tuple[str, ...]) -> str | None:
    """Access relation of a reference in isl notation, None when it is not known; other names stand for any value."""
    if ref.map is not None:
        return ref.map
    if ref.index is None or any(f is None for f in ref.index):
        return None
    forms = [f for f in ref.index if f is not None]
    others = sorted({n for f in forms for n in f.names} - set(names))
    text = f"{{ [{', '.join(names)}] -> [{', '.join(map(_text, forms))}] }}"
    return f"[{', '.join(others)}] -> {text}" if others else text


def _text(form: Affine) -> str:
    return " + ".join([*(f"{c} * {n}" for n, c in form.terms), str(form.const)])
