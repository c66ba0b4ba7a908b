"""The data-flow graph of one iteration of a pipelined loop, after the tool's transformations.

An :class:`Op` is one operation instance (unrolled copies are separate); a value is named by the id of
the operation that makes it. Edges say when one operation may start after another:
``start(sink) + II * distance >= start(source) + gap``, the gap of a data edge following from
the timing of both ends (see :mod:`hlspart.schedule.modulo`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from hlspart.lowering.implied import implied
from hlspart.model.access import Affine

# Values that exist without an operation: literals, values from outside the loop, iterators and
# address arithmetic on them, and values carried from an earlier iteration.
FREE = frozenset({"const", "input", "index", "phi"})
COPIES = "copies of"  # ahead of a loop's name: what the copies make of which nobody knows how many there are


class MemoryRef(Struct, frozen=True):
    """The element that a load or store touches, over the names of the loop's iteration space.

    ``key`` identifies the address (equal keys: equal addresses). ``index``, ``map`` and ``domain``
    are as in :class:`hlspart.model.ports.PortAccess`. ``branch`` holds (instance of an if, arm).
    ``guarded``: stands under a condition that is not known. ``position`` is its place in program
    order among all memory operations. ``columns``: the indices that are known of an element that data choose.
    ``joined``: how many stores, in the arms of conditions, one is for.
    """

    variable: int
    access: int
    kind: str  # "read", "write"
    key: tuple[object, ...]
    index: tuple[Affine | None, ...] | None
    map: str | None
    domain: str
    branch: tuple[tuple[int, int], ...]
    guarded: bool
    position: int
    columns: tuple[Affine | None, ...] = ()
    joined: int = 1

    @property
    def element(self) -> tuple[int, ...] | None:
        """The element, where its indices are constants."""
        if self.index is None:
            return None
        known = tuple([f.const for f in self.index if f is not None and not f.terms])
        return known if len(known) == len(self.index) else None


def excludes(one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> bool:
    """Whether two places in branches are in different arms of one condition."""
    if not one or not other:
        return False
    arms = dict(one)
    return any(arms.get(instance, arm) != arm for instance, arm in other)


class Op(Struct, frozen=True):
    """One operation. ``args`` are the ids of its operands (for a store: value, then address and guards).

    ``impl`` ("nodsp", ...) and ``latency`` (cycles) are what BIND_OP asks for. ``operands``: bits that the operands
    of an integer product need, signs included, the narrower first; None where that is not known.
    """

    id: int
    kind: str
    bits: int
    args: tuple[int, ...]
    line: int
    text: str = ""
    ref: MemoryRef | None = None
    impl: str | None = None
    latency: int | None = None
    operands: tuple[int, int] | None = None

    @property
    def free(self) -> bool:
        """Whether it needs no state."""
        return self.kind in FREE

    @property
    def of_copies(self) -> bool:
        """Whether it stands for what copies of a loop make, of which nobody knows how many there are."""
        return self.text.startswith(COPIES)


class Carried(Struct, frozen=True):
    """The value that phi ``phi`` has in the next iteration is made by ``value``; ``name`` for people.

    ``scalar``: it is a variable of the source, not an element of an array.
    """

    phi: int
    value: int
    name: str
    scalar: bool = False


class Edge(Struct, frozen=True):
    """An order between two operations; ``gap`` None: by the timing of the value handed over.

    ``kind``: "data", "memory" or "control"; ``name`` the variable it goes through. ``scalar``: a variable of
    the source, which the next iteration reads in the state that writes it (reports: `offset = 0`).
    """

    source: int
    sink: int
    distance: int
    gap: int | None
    kind: str
    name: str
    scalar: bool = False


class Graph(Struct, frozen=True, dict=True):
    """Operations by id, and edges between those that are scheduled (none of them free).

    ``hoisted``: loads and stores that left the loop. ``outside``: operands that are no operations: constants,
    iterators, values that the loop is given, but for those that are worked out ahead of it.
    """

    ops: Mapping[int, Op]
    edges: tuple[Edge, ...]
    hoisted: tuple[MemoryRef, ...] = ()
    outside: Mapping[int, Op] = {}

    @property
    def memory(self) -> tuple[Op, ...]:
        """Loads and stores, in program order."""
        operations = [op for op in self.ops.values() if op.ref is not None]
        return tuple(sorted(operations, key=lambda op: op.ref.position if op.ref is not None else 0))

    @cached_property
    def lean(self) -> Graph:
        """The same without the orders of accesses that others imply."""
        place = {op.id: k for k, op in enumerate(self.memory)}
        counted = [
            (k, (place[e.source], place[e.sink], e.distance, e.gap))
            for k, e in enumerate(self.edges)
            if e.kind == "memory" and e.gap is not None and e.source in place and e.sink in place
        ]
        gone = implied([order for _, order in counted])
        if not gone:
            return self
        left_out = {counted[number][0] for number in gone}
        return replace(self, edges=tuple(e for k, e in enumerate(self.edges) if k not in left_out))

    @cached_property
    def components(self) -> Mapping[int, int]:
        """The operations on cycles of dependences, with the number of the strong component that each is in."""
        return {op: number for number, part in enumerate(_components(self.lean)) for op in part}

    @cached_property
    def recurring(self) -> frozenset[int]:
        """Operations on some cycle of dependences."""
        return frozenset(self.components)

    def without(self, gone: frozenset[Edge]) -> Graph:
        """The same without these edges, made once: what is worked out of it is kept with it."""
        if gone not in self._without:
            self._without[gone] = replace(self, edges=tuple(e for e in self.edges if e not in gone)) if gone else self
        return self._without[gone]

    @cached_property
    def _without(self) -> dict[frozenset[Edge], Graph]:
        return {}


def _components(graph: Graph) -> Iterator[set[int]]:
    """The strong components whose operations are behind themselves (Kosaraju)."""
    sinks: dict[int, set[int]] = {op: set() for op in graph.ops}
    sources: dict[int, set[int]] = {op: set() for op in graph.ops}
    for edge in graph.edges:
        sinks[edge.source].add(edge.sink)
        sources[edge.sink].add(edge.source)
    left: list[int] = []  # by the time when all behind them is seen
    seen: set[int] = set()
    for root in graph.ops:
        walk = [(root, iter(sinks[root]))] if root not in seen else []
        seen.add(root)
        while walk:
            op, behind = walk[-1]
            for sink in behind:
                if sink not in seen:
                    seen.add(sink)
                    walk.append((sink, iter(sinks[sink])))
                    break
            else:
                left.append(op)
                walk.pop()
    free = set(graph.ops)
    while left:
        waiting, part = [left.pop()], set[int]()
        while waiting:
            op = waiting.pop()
            if op in free:
                free.discard(op)
                part.add(op)
                waiting += sources[op]
        if len(part) > 1 or any(op in sinks[op] for op in part):
            yield part
