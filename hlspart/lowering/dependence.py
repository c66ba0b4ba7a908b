"""Dependences of memory accesses across iterations: exact distances, DEPENDENCE pragmas honoured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hlspart.banking.accesses import packed
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Edge, Graph, MemoryRef, Op
from hlspart.lowering.history import Index
from hlspart.model.access import Affine
from hlspart.model.directives import Directive
from hlspart.model.ports import IterationSpace

UPDATE = "whether the tool sees that updates in place do not meet, in a loop whose first value varies, is not known"
BOUNDS = "whether the tool keeps apart stores that only the bounds of flattened loops keep apart is not known"

CHOICE = "whether the tool keeps apart registers of one array that are chosen while the loop runs is not known"
MEETING = "whether iterations touch the same element"  # what it depends on follows
OUTSIDE = "whether the tool sees that addresses with values from outside the loop do not meet is not known"
REMAINDER = "whether the tool sees that remainders and quotients keep addresses apart is not known"

_KINDS = {("store", "load"): "raw", ("load", "store"): "war", ("store", "store"): "waw"}


@dataclass(frozen=True, slots=True)
class Address:
    """An access by the ``number`` of its form and the ``code`` of its constants; whether it is ``known``, or ``open``.

    Open: some dimension is no affine form of iterators.
    """

    ref: MemoryRef
    number: int
    code: int
    known: bool
    open: bool


def towards(a: Address, b: Address) -> tuple[int, int, int, str, str]:
    """Equal for pairs of accesses of one array that lie alike towards each other."""
    return a.number, b.number, b.code - a.code, a.ref.kind, b.ref.kind


@dataclass(frozen=True, slots=True)
class PairDistance:
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


@dataclass
class Carriers:
    """Answers for one pipelined loop.

    ``own``: how many of the last names of ``space`` belong to the loop; ``weights``/``steps``/``trips``: see
    :func:`hlspart.nests.nests.Order`. ``reach`` gives the banks an operation may touch.
    ``relaxed``: iterations as the tool's tests see them, where bounds vary with other iterators (it
    does not relate iterators to each other: reports of triangular solvers). ``outlined``: the loop becomes a
    module of its own, where addresses made of outer iterators alone are values without relation.
    ``preset``: elements (variable, index) that are stored ahead of the loop.
    ``rows_seen``: whether reports of the tool show that it takes rows, and iterators that bounds relate, for
    unrelated; ``outside``: names of scalars from outside the loop, of which no report speaks. ``moving``: other
    loops are unrolled in the loop, whose first value varies.

    What is not known is collected by cause: ``uncertain`` has the (source, sink) pairs of operations whose orders may
    not hold, ``possible`` the orders that no element asks for and that may hold all the same.
    """

    space: IterationSpace
    own: int
    weights: tuple[int, ...]
    steps: tuple[int, ...]
    trips: tuple[int | None, ...]
    pragmas: tuple[Directive, ...]
    reach: Callable[[Op], frozenset[int]]
    names: Callable[[int], str]
    relaxed: str | None = None
    store_states: int = 1
    outlined: bool = False
    rows_seen: bool = True
    outside: frozenset[str] = frozenset()
    moving: bool = False
    preset: frozenset[tuple[int, Index]] = frozenset()
    uncertain: dict[str, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    possible: dict[str, list[Edge]] = field(default_factory=lambda: defaultdict(list))
    _said: dict[tuple[int, str, str], Directive | None] = field(default_factory=dict)
    _forms: dict[object, int] = field(default_factory=dict)  # references without their constants
    _addresses: dict[int, Address] = field(default_factory=dict)  # by operation
    _known: dict[object, PairDistance] = field(default_factory=dict)

    # -------------------------------------------------------------------------------- doubts

    def doubts(self, graph: Graph) -> Iterator[Doubt]:
        """What is not known of the orders of ``graph``."""
        for text in (MEETING, OUTSIDE, REMAINDER):
            pairs = self.uncertain.get(text)
            if not pairs:
                continue
            ends = [graph.ops[i] for pair in pairs for i in pair if i in graph.ops]  # what nobody needs is not in it
            later = text != REMAINDER
            gone = frozenset(e for e in graph.edges if bool(e.distance) is later and (e.source, e.sink) in pairs)
            if text == MEETING:
                by_data = any(op.ref is not None and op.ref.index is None for op in ends)
                text = f"{text} {'depends on data' if by_data else 'is not known'}"
            yield Doubt(about(text, ends), gone=gone)
        for text, edges in self.possible.items():
            ends = [graph.ops[i] for e in edges for i in (e.source, e.sink) if i in graph.ops]
            yield Doubt(about(text, ends), more=tuple(edges))

    def take(self, pairs: set[tuple[int, int]]) -> None:
        """Take it that the distances of ``pairs`` are as they are assumed."""
        self.uncertain[MEETING] -= pairs

    # ------------------------------------------------------------------------------- pragmas

    def _pragma(self, variable: int, kind: str, reach: str) -> Directive | None:
        """The DEPENDENCE directive about ``kind`` (raw, war, waw) inside ("intra") or across ("inter")."""
        key = variable, kind, reach
        if key not in self._said:
            self._said[key] = self._spoken(variable, kind, reach)
        return self._said[key]

    def _spoken(self, variable: int, kind: str, reach: str) -> Directive | None:
        for d in reversed(self.pragmas):
            if d.variables and variable not in d.variables:
                continue
            words = {o.name.lower() for o in d.options if o.value is None}
            values = {(o.value or "").lower() for o in d.options if o.name.lower() in ("type", "direction", "class")}
            said = words | values
            if ("intra" if reach == "intra" else "inter") not in said and (reach == "intra" or said & {"intra"}):
                continue
            directions = said & {"raw", "war", "waw"}
            if directions and kind not in directions:
                continue
            return d
        return None

    @staticmethod
    def _false(d: Directive) -> bool:
        words = {o.name.lower() for o in d.options if o.value is None}
        dependent = (d.option("dependent") or "").lower()
        return "false" in words or dependent == "false"

    def inside(self, variable: int, first: Op, second: Op) -> bool:
        """Whether an order inside one iteration has to be kept."""
        d = self._pragma(variable, _KINDS[first.kind, second.kind], "intra")
        if d is not None and self._false(d):
            return False
        if self._folded(first, second):
            from hlspart.sets import carried

            a, b = first.ref, second.ref
            assert a is not None and b is not None
            left, right = relation(a, self.space.names), relation(b, self.space.names)
            if left is not None and right is not None and not carried.meet((a.domain, left), (b.domain, right)):
                self.uncertain[REMAINDER].add((first.id, second.id))
        return True

    def _folded(self, first: Op, second: Op) -> bool:
        """Whether remainders or quotients of iterators take part in one of two addresses, both of them known."""
        a, b = self.address(first), self.address(second)
        return a.known and b.known and (a.open or b.open)

    def disjoint_banks(self, first: Op, second: Op) -> bool:
        """Whether two accesses never share a bank."""
        return self.reach(first).isdisjoint(self.reach(second))

    def has_directive(self, variable: int, store: Op, loads: list[Op]) -> bool:
        """Whether a directive speaks of the dependences from ``store`` to loads in later iterations."""
        return bool(loads) and self._pragma(variable, _KINDS[store.kind, "load"], "inter") is not None

    # ----------------------------------------------------------------------------- distances

    def always_next(self, store: Op, load: Op) -> bool:
        """Whether ``load`` is of the element that ``store`` wrote one iteration before, in every iteration."""
        a, b = store.ref, load.ref
        if a is None or b is None or not self.own:
            return False
        if self.own == 1 and next_iteration(a.index, b.index, self.space.names[-1], self.steps[-1]):
            return True
        if b.domain == self.space.domain or self.relaxed is not None or any(s < 0 for s in self.steps):
            return False  # only a condition can leave out the first iteration
        store_map, load_map = relation(a, self.space.names), relation(b, self.space.names)
        if store_map is None or load_map is None or not (store_map[0] == load_map[0] == "{"):  # values from outside
            return False
        from hlspart.sets import carried

        outer = len(self.space.names) - self.own
        return carried.follows((b.domain, load_map), (a.domain, store_map), self.space.domain, outer)

    def later(self, store: Op, load: Op) -> int | None:
        """Least distance above 1 after which ``load`` may be of an element of ``store``; None: never."""
        a, b = store.ref, load.ref
        if a is None or b is None or a.index is None or b.index is None or self.own != 1:
            return 2
        own = self.space.names[-1]
        for f, g in zip(a.index, b.index, strict=True):
            if f is not None and g is not None and f.terms == g.terms and g.coefficient(own):
                return None
        return 2

    def between(self, variable: int, found: list[Op], registers: bool = False) -> list[Edge]:
        """Edges between iterations for all accesses ``found`` of one array, in ``registers`` or a memory."""
        if not self.own:
            return []
        edges = []
        name = self.names(variable)
        spoken = {kind: self._pragma(variable, kind, "inter") for kind in _KINDS.values()}
        places = [(op, self.address(op)) for op in found]
        for source, a in places:
            for sink, b in places:
                if source.kind == sink.kind == "load":
                    continue
                kind = _KINDS[source.kind, sink.kind]
                d = spoken[kind]
                if d is not None and self._false(d):
                    continue
                pair = self._known.get(towards(a, b)) or self._pair(source, sink)
                if registers and kind == "raw" and d is None and pair.distance != 1 and chosen(source, sink):
                    near = Edge(source.id, sink.id, 1, self.store_states, "memory", name)
                    self.possible[CHOICE].append(near)
                if d is None and pair.idle:
                    continue
                claimed = distance = d.values.get("distance") if d is not None else None
                if distance is None:
                    distance = self._noted(pair, source, sink)
                gap = self.store_states if kind == "raw" else int(not registers)
                if distance is not None:
                    edges.append(Edge(source.id, sink.id, distance, gap, "memory", name))
                if not registers and claimed is None and distance != 1 and pair.folded:
                    near = Edge(source.id, sink.id, 1, gap, "memory", name)
                    self.possible[REMAINDER].append(near)
                    continue
                if distance is not None or registers or kind == "war":
                    continue
                if (why := pair.unproved) is not None:
                    apart = int(kind == "raw" or source.id >= sink.id)  # two stores keep their order inside, too
                    for k in {1, apart}:
                        self.possible[why].append(Edge(source.id, sink.id, k, gap, "memory", name))
        return edges

    def distance(self, source: Op, sink: Op) -> int | None:
        """Least number of iterations after which ``sink`` touches an element of ``source``; None: never."""
        return self._noted(self._pair(source, sink), source, sink)

    def _noted(self, pair: PairDistance, source: Op, sink: Op) -> int | None:
        """The distance of a pair; what is not certain of it is noted."""
        if pair.uncertain is not None:
            self.uncertain[pair.uncertain].add((source.id, sink.id))
        return pair.distance

    def _pair(self, source: Op, sink: Op) -> PairDistance:
        """What two accesses have to do with each other.

        It follows from what the constants of their indices differ by: copies of an unrolled access are many, their
        differences few.
        """
        key = towards(self.address(source), self.address(sink))
        if (known := self._known.get(key)) is None:
            folded = self._folded(source, sink)
            known = self._known[key] = PairDistance(*self._distance(source, sink), self._unproved(source, sink), folded)
        return known

    def address(self, op: Op) -> Address:
        """The address of an access; operations get others while they are brought down to hardware."""
        found, ref = self._addresses.get(op.id), op.ref
        assert ref is not None
        if found is None or found.ref is not ref:
            index = ref.index or ()
            bare = tuple(None if f is None else f.terms for f in index)
            number = self._forms.setdefault((ref.index is None, bare, ref.map, ref.domain), len(self._forms))
            code = packed(0 if f is None else f.const for f in index)
            affine = ref.index is not None and None not in ref.index
            found = self._addresses[op.id] = Address(ref, number, code, affine or ref.map is not None, not affine)
        return found

    def _distance(self, source: Op, sink: Op) -> tuple[int | None, str | None]:
        """The distance, and why it is not certain."""
        a, b = source.ref, sink.ref
        assert a is not None and b is not None
        if None in self.trips[1:]:
            return self._loose(a, b)
        quick, doubted = None, False
        if self.relaxed is not None or (self.outlined and self.own < len(self.space.names)):
            quick = self._unrelated(a, b, self.outlined)
            doubted = bool(quick) and self._doubtful(a, b, quick or 0)
        if quick is None and self.relaxed is None:
            quick = self._uniform(a, b)
        if quick is not None:
            return quick or None, OUTSIDE if doubted else None
        found = self._exact(a, b, self.relaxed or a.domain, self.relaxed or b.domain)
        if found is None:
            return 1, MEETING
        return found or None, None

    def _doubtful(self, a: MemoryRef, b: MemoryRef, distance: int) -> bool:
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
            found = carried.first_distance(
                self.space.names, own, weights, self.steps[-own:], (mine, left), (theirs, right)
            )
        except ArithmeticError:
            return None
        return found or 0

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

    def _unproved(self, source: Op, sink: Op) -> str | None:
        """Why the tool may see a dependence between accesses that never meet in later iterations; None: it does not."""
        a, b = source.ref, sink.ref
        if a is None or b is None or a.index is None or b.index is None or None in (*a.index, *b.index):
            return None
        own = self.space.names[-self.own :]
        if a.index == b.index:
            return UPDATE if self.moving and (source.kind, sink.kind) == ("store", "load") else None
        if self.own < 2 or source.kind == "load" or sink.kind == "load" or len(a.index) != len(b.index):
            return None
        pairs = [(f, g) for f, g in zip(a.index, b.index, strict=True) if f is not None and g is not None and f != g]
        flat = all(f.terms == g.terms and sum(bool(f.coefficient(n)) for n in own) > 1 for f, g in pairs)
        return BOUNDS if flat else None

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
            found = rest.const // step
            if found < 1 or distance not in (0, found):
                return 0
            distance = found
        if crossed > 1:  # but it is one value for all dimensions (reports: a mirrored triangle)
            everywhere = f"{{ [{', '.join(self.space.names)}] }}"
            return self._exact(a, b, everywhere, everywhere)
        return distance or 1


def next_iteration(store: Index, load: Index, iterator: str, step: int) -> bool:
    """Whether ``load`` reads in each iteration what ``store`` wrote in the one before."""
    if store is None or load is None or not any(g is not None and g.coefficient(iterator) for g in load):
        return False
    return all(
        f is not None and g is not None and f.terms == g.terms and f.const - g.const == g.coefficient(iterator) * step
        for f, g in zip(store, load, strict=True)
    )


def chosen(*accesses: Op) -> bool:
    """Whether the elements of accesses are not known before the loop runs."""
    indices = (op.ref.index for op in accesses if op.ref is not None)
    return all(index is None or any(f is None or f.terms for f in index) for index in indices)


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
