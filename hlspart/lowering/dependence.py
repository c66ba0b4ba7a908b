"""Dependences of memory accesses across iterations: exact distances, DEPENDENCE pragmas honoured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hlspart.lowering.distances import (
    MEETING,
    OUTSIDE,
    Address,
    Distances,
    Iterations,
    PairDistance,
    distances,
    is_folded_by,
    relation,
)
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Edge, Graph, MemoryRef, Op
from hlspart.lowering.history import Index
from hlspart.lowering.related import related
from hlspart.model.access import Affine
from hlspart.model.directives import Directive
from hlspart.model.ports import IterationSpace

CHOICE = "whether the tool keeps apart registers of one array that are chosen while the loop runs is not known"
REMAINDER = "whether the tool sees that remainders and quotients keep addresses apart is not known"

_KINDS = {("store", "load"): "raw", ("load", "store"): "war", ("store", "store"): "waw"}


@dataclass
class Carriers:
    """Answers for one pipelined loop.

    ``reach`` gives the banks an operation may touch. ``preset``: elements (variable, index) that are stored ahead of
    the loop. ``is_index_moved``: whether the header of the loop moves a variable of an index in a way that is not
    known.

    What is not known is collected by cause: ``uncertain`` has the (source, sink) pairs of operations whose orders may
    not hold, ``possible`` the orders that no element asks for and that may hold all the same.
    """

    iterations: Iterations
    pragmas: tuple[Directive, ...]
    reach: Callable[[Op], frozenset[int]]
    names: Callable[[int], str]
    store_states: int = 1
    preset: frozenset[tuple[int, Index]] = frozenset()
    is_index_moved: bool = False
    starts: Mapping[str, int] = field(default_factory=dict)
    uncertain: dict[str, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    possible: dict[str, list[Edge]] = field(default_factory=lambda: defaultdict(list))
    _said: dict[tuple[int, str, str], Directive | None] = field(default_factory=dict)
    _addresses: dict[int, Address] = field(default_factory=dict)  # by operation

    @cached_property
    def space(self) -> IterationSpace:
        """The iterations that operations are over."""
        return self.iterations.space

    @cached_property
    def _distances(self) -> Distances:
        return distances(self.iterations)

    # -------------------------------------------------------------------------------- doubts

    def doubts(self, graph: Graph) -> Iterator[Doubt]:
        """What is not known of the orders of ``graph``."""
        for text in (MEETING, OUTSIDE, REMAINDER):
            pairs = {
                pair
                for pair in self.uncertain.get(text, ())
                if not (text == MEETING and self._is_assumed(graph, *pair))
            }
            if not pairs:
                continue
            ends = [graph.ops[i] for pair in pairs for i in pair if i in graph.ops]  # what nobody needs is not in it
            later = text != REMAINDER
            gone = frozenset(e for e in graph.edges if bool(e.distance) is later and (e.source, e.sink) in pairs)
            if text == MEETING:
                by_data = not self.is_index_moved and any(op.ref is not None and _is_by_data(op.ref) for op in ends)
                text = f"{text} {'depends on data' if by_data else 'is not known'}"
            yield Doubt(about(text, ends), gone=gone)
        for text, edges in self.possible.items():
            ends = [graph.ops[i] for e in edges for i in (e.source, e.sink) if i in graph.ops]
            yield Doubt(about(text, ends), more=tuple(edges))

    def _is_assumed(self, graph: Graph, source: int, sink: int) -> bool:
        """Whether a load may be of what a store in an earlier iteration wrote at an address made of data.

        The tools take it that they meet (UG1399, histograms; reports of 2022.2 and 2023.2). Not known of two stores,
        nor of elements whose known indices differ from one iteration to the next (`a[x[i]][j]`: 2021.1 keeps them
        apart), nor where it is the header that moves a variable of the index.
        """
        if source not in graph.ops or sink not in graph.ops:
            return False  # what nobody needs
        if self.is_index_moved:
            return False
        store, load = graph.ops[source], graph.ops[sink]
        if store.ref is None or load.ref is None or (store.kind, load.kind) != ("store", "load"):
            return False
        innermost = self.space.names[-1]
        columns = zip(store.ref.columns, load.ref.columns, strict=False)
        apart = any(f is not None and f == g and f.coefficient(innermost) for f, g in columns)
        return not apart and (_is_by_data(store.ref) or _is_by_data(load.ref))

    def take(self, pairs: set[tuple[int, int]]) -> None:
        """Take it that the distances of ``pairs`` are as they are assumed."""
        self.uncertain[MEETING] -= pairs

    # ------------------------------------------------------------------------------- pragmas

    def _pragma(self, variable: int, kind: str, reach: str) -> Directive | None:
        """The DEPENDENCE directive about ``kind`` (raw, war, waw) inside ("intra") or across ("inter")."""
        key = variable, kind, reach
        if key not in self._said:
            self._said[key] = self._stated(variable, kind, reach)
        return self._said[key]

    def _stated(self, variable: int, kind: str, reach: str) -> Directive | None:
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

    def is_inside(self, variable: int, first: Op, second: Op) -> bool:
        """Whether an order inside one iteration has to be kept."""
        d = self._pragma(variable, _KINDS[first.kind, second.kind], "intra")
        if d is not None and self._false(d):
            return False
        a, b = self.address(first), self.address(second)
        if is_folded_by(a, b) and not self._distances.meet(a, b):
            self.uncertain[REMAINDER].add((first.id, second.id))
        return True

    def address(self, op: Op) -> Address:
        """The address of an access; operations get others while they are brought down to hardware."""
        address, ref = self._addresses.get(op.id), op.ref
        assert ref is not None
        if address is None or address.ref is not ref:
            address = self._addresses[op.id] = self._distances.address(ref)
        return address

    def have_disjoint_banks(self, first: Op, second: Op) -> bool:
        """Whether two accesses never share a bank."""
        return self.reach(first).isdisjoint(self.reach(second))

    def has_directive(self, variable: int, store: Op, loads: list[Op]) -> bool:
        """Whether a directive speaks of the dependences from ``store`` to loads in later iterations."""
        return bool(loads) and self._pragma(variable, _KINDS[store.kind, "load"], "inter") is not None

    # ----------------------------------------------------------------------------- distances

    def is_always_next(self, store: Op, load: Op) -> bool:
        """Whether ``load`` is of the element that ``store`` wrote one iteration before, in every iteration."""
        a, b, own, steps = store.ref, load.ref, self.iterations.own, self.iterations.steps
        if a is None or b is None or not own:
            return False
        if own == 1 and is_of_next_iteration(a.index, b.index, self.space.names[-1], steps[-1]):
            return True
        if b.domain == self.space.domain or self.iterations.relaxed is not None or any(s < 0 for s in steps):
            return False  # only a condition can leave out the first iteration
        store_map, load_map = relation(a, self.space.names), relation(b, self.space.names)
        if store_map is None or load_map is None or not (store_map[0] == load_map[0] == "{"):  # values from outside
            return False
        from hlspart.sets import carried

        outer = len(self.space.names) - own
        return carried.follows((b.domain, load_map), (a.domain, store_map), self.space.domain, outer)

    def is_first_preset(self, load: Op) -> bool:
        """Whether what the first iteration loads is stored ahead of the loop."""
        own = self.space.names[-1] if self.space.names else ""
        if load.ref is None or load.ref.index is None or own not in self.starts:
            return False
        first = tuple(None if f is None else f.at({own: self.starts[own]}) for f in load.ref.index)
        return None not in first and first != load.ref.index and (load.ref.variable, first) in self.preset

    def later(self, store: Op, load: Op) -> int | None:
        """Least distance above 1 after which ``load`` may be of an element of ``store``; None: never."""
        a, b = store.ref, load.ref
        if a is None or b is None or a.index is None or b.index is None or self.iterations.own != 1:
            return 2
        own = self.space.names[-1]
        for f, g in zip(a.index, b.index, strict=True):
            if f is not None and g is not None and f.terms == g.terms and g.coefficient(own):
                return None
        return 2

    def between(self, variable: int, operations: list[Op], registers: bool = False) -> list[Edge]:
        """Edges between iterations for all accesses ``found`` of one array, in ``registers`` or a memory."""
        if not self.iterations.own:
            return []
        edges = []
        name = self.names(variable)
        stated = {kind: self._pragma(variable, kind, "inter") for kind in _KINDS.values()}
        places = [(op, self.address(op)) for op in operations]
        for (source, a), others in zip(places, self._related([a for _, a in places], stated, registers), strict=True):
            for sink, b in (places[k] for k in others):
                if source.kind == sink.kind == "load":
                    continue
                kind = _KINDS[source.kind, sink.kind]
                d = stated[kind]
                if d is not None and self._false(d):
                    continue
                if _is_by_data(a.ref) and a.ref.index is not None and self.have_disjoint_banks(source, sink):
                    continue
                pair = self._distances.pair(a, b)
                if registers and kind == "raw" and d is None and pair.distance != 1 and is_chosen(a.ref, b.ref):
                    edge = Edge(source.id, sink.id, 1, self.store_states, "memory", name)
                    self.possible[CHOICE].append(edge)
                if d is None and pair.idle:
                    continue
                claimed = distance = d.values.get("distance") if d is not None else None
                if distance is None:
                    distance = self._noted(pair, source, sink)
                gap = self.store_states if kind == "raw" else int(not registers)
                if distance is not None:
                    edges.append(Edge(source.id, sink.id, distance, gap, "memory", name))
                if not registers and claimed is None and distance != 1 and pair.folded:
                    edge = Edge(source.id, sink.id, 1, gap, "memory", name)
                    self.possible[REMAINDER].append(edge)
                    continue
                if distance is not None or registers or kind == "war":
                    continue
                if (why := pair.unproved) is not None:
                    apart = int(kind == "raw" or source.id >= sink.id)  # two stores keep their order inside, too
                    for k in {1, apart}:
                        self.possible[why].append(Edge(source.id, sink.id, k, gap, "memory", name))
        return edges

    def _related(
        self, addresses: Sequence[Address], stated: Mapping[str, Directive | None], registers: bool
    ) -> Sequence[Sequence[int]]:
        """For each access those that may have to do with it in later iterations."""
        if any(d is not None for d in stated.values()):
            return [range(len(addresses))] * len(addresses)

        def are_related(a: Address, b: Address) -> bool:
            return not self._distances.pair(a, b).idle or (registers and is_chosen(a.ref, b.ref))

        return related(addresses, lambda a: a.number, are_related)

    def distance(self, source: Op, sink: Op) -> int | None:
        """Least number of iterations after which ``sink`` touches an element of ``source``; None: never."""
        pair = self._distances.pair(self.address(source), self.address(sink))
        return self._noted(pair, source, sink)

    def _noted(self, pair: PairDistance, source: Op, sink: Op) -> int | None:
        """The distance of a pair; what is not certain of it is noted."""
        if pair.uncertain is not None:
            self.uncertain[pair.uncertain].add((source.id, sink.id))
        return pair.distance


def is_of_next_iteration(store: Index, load: Index, iterator: str, step: int) -> bool:
    """Whether ``load`` reads in each iteration what ``store`` wrote in the one before."""
    if store is None or load is None or not any(g is not None and g.coefficient(iterator) for g in load):
        return False
    return all(
        f is not None and g is not None and f.terms == g.terms and f.const - g.const == g.coefficient(iterator) * step
        for f, g in zip(store, load, strict=True)
    )


def _is_by_data(ref: MemoryRef) -> bool:
    """Whether which element it is depends on values of the iteration."""
    return ref.map is None and (ref.index is None or None in ref.index)


def is_chosen(*accesses: MemoryRef) -> bool:
    """Whether the elements of accesses are not known before the loop runs, and no constants tell them apart."""
    indices = [ref.index for ref in accesses]
    known = [index for index in indices if index is not None]
    apart = len(known) == len(indices) and any(
        len({f.const for f in forms}) > 1 for forms in _constant(zip(*known, strict=False))
    )
    return not apart and all(index is None or any(f is None or f.terms for f in index) for index in indices)


def _constant(dims: Iterable[Sequence[Affine | None]]) -> Iterator[list[Affine]]:
    """The forms of the dimensions in which all indices are constants."""
    for forms in dims:
        known = [f for f in forms if f is not None and not f.terms]
        if len(known) == len(forms):
            yield known
