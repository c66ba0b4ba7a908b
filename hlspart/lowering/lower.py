"""From elaborated operations to the graph that is scheduled: what leaves the loop, and all orders.

Loads whose element does not change in the pipelined loop leave it, and an element that is loaded and
stored in every iteration becomes a register, unless another access of the loop may touch it (what
LLVM's loop-invariant code motion does, seen in reports). "Does not change" is judged per (bank,
offset) after partition. Computations on values from outside leave the loop too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.hardware.storage import Storage
from hlspart.layouts.perdim import PerDimLayout
from hlspart.lowering.dependence import Carriers
from hlspart.lowering.distances import Address, beside
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Carried, Edge, Graph, MemoryRef, Op, excludes
from hlspart.lowering.history import are_different, is_different
from hlspart.lowering.invariants import leave, worked_ahead
from hlspart.lowering.offsets import are_apart, offsets
from hlspart.lowering.operations import Body
from hlspart.lowering.promotion import Promotion, moves, promote_inner
from hlspart.lowering.registers import bypass, forward, rotate
from hlspart.lowering.related import connected, limit_differences, limit_orders, related, turns
from hlspart.lowering.unused import unused
from hlspart.model.access import Affine

NOTHING = Graph({}, ())


class Lowered(Struct, frozen=True):
    """The graph, with the loads that depend on an enclosing loop of a flattened nest only.

    ``waits``: orders of one iteration that no element asks for and the tool keeps all the same, see :func:`is_hidden`.
    ``chosen``: one load for each address of which every bank has a word in a register, loaded ahead of the loop.
    ``ahead``: operations that left the loop, and the variables that they take, by their names (``taken``).
    ``divided``: divisions by what no iteration changes.
    ``doubts``: what is not known of the graph, but for its orders, see :class:`hlspart.lowering.dependence.Carriers`.
    """

    graph: Graph
    kept: frozenset[int]
    waits: tuple[Edge, ...] = ()
    chosen: tuple[MemoryRef, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    ahead: Graph = NOTHING
    taken: frozenset[str] = frozenset()
    divided: frozenset[int] = frozenset()


SLICED = "whether the tool keeps ranges of bits of a carried variable apart is not known"
CHOSEN = "whether the tool keeps apart stores at one place of memories chosen while the loop runs is not known"


def lower(
    body: Body,
    own: tuple[str, ...],
    storage: Storage,
    carriers: Carriers,
    loop: bool,
    gap: int,
    ends: tuple[int, int] | None = None,
    unrolls_later: bool = False,
) -> Lowered:
    """The graph of ``body``; ``own`` are the names of the pipelined loop, innermost last.

    ``ends``: first and last value of the inner iterator of a nest that is flattened over statements;
    elements had left its inner loop before. ``unrolls_later``: inner loops are unrolled after elements have left the
    loop, so those that stay only through unrolling do not leave it, unless their addresses are constants.
    """
    ops = dict(body.ops)
    carried = list(body.carried)
    live = _lasting(ops, body.live, storage)
    promotion = Promotion(ops, carried, live, own, storage, unrolls_later, carriers.preset)
    if loop:
        promotion.promote()
    if ends is not None:
        promote_inner(ops, carried, carriers.space.names, ends, storage)
    left: Mapping[tuple[int, int], int | None] = {}
    early: frozenset[int] = frozenset()
    if loop:
        forward(ops, carried, storage, carriers)
    if loop and storage.target.rotates_sums:
        early = rotate(ops, carried, storage, carriers)
    if loop and storage.target.bypasses_stores:
        left = bypass(ops, carried, storage, carriers)
    # what a pipelined function is given is new in each call
    gone = leave(ops, carried) if own else {}
    needed = _needed(ops, carried, live)
    graph_ops = {i: op for i, op in ops.items() if i in needed and not op.free}
    orders, waits = _memory(ops, body.kept, graph_ops, storage, gap, carriers, left, early)
    kept = frozenset(
        i for i, op in graph_ops.items() if op.kind == "load" and len(own) > 1 and not moves(op.ref, own[-1:])
    )
    data = _data(ops, graph_ops, carried)
    operands = {a for op in graph_ops.values() for a in op.args if a not in graph_ops and a not in gone}
    outside = {a: ops[a] for a in sorted(operands) if a in ops}
    graph = Graph(graph_ops, (*data, *orders), tuple(promotion.gone), outside)
    doubts = []
    for why, loads in promotion.may_leave.items():
        later = frozenset(e for e in orders if e.distance and e.sink in loads)
        doubts.append(Doubt(about(why, (ops[i] for i in loads)), left=frozenset(loads), gone=later))
    doubts += unused(ops, graph_ops, storage) if unrolls_later else []
    sliced = frozenset(e for e in data if e.distance and (e.source, e.sink) in body.sliced)
    apart = (Doubt(about(SLICED, (ops[e.sink] for e in sliced)), gone=sliced),) if sliced else ()
    ahead = worked_ahead(gone, needed)
    taken = frozenset(ops[a].text.split()[0] for op in ahead.ops.values() for a in op.args if ops[a].text)
    fixed = frozenset(i for i, op in graph_ops.items() if own and op.text == "/" and ops[op.args[1]].kind == "input")
    return Lowered(graph, kept, tuple(waits), tuple(promotion.chosen), (*doubts, *apart), ahead, taken, fixed)


def _lasting(ops: dict[int, Op], live: set[int], storage: Storage) -> set[int]:
    """What of ``live`` has an effect: stores that nothing loads have none, where another shows what the loop is for."""
    stores = {i: op.ref.variable for i, op in ops.items() if i in live and op.kind == "store" and op.ref is not None}
    idle = {v for v in stores.values() if storage.arrays.is_never_read(v)}
    dead = {i for i, v in stores.items() if v in idle}
    if not dead or dead == set(live):
        return set(live)
    for ident in dead:
        ops[ident] = replace(ops[ident], kind="const", args=(), ref=None)
    return set(live) - dead


def _needed(ops: dict[int, Op], carried: list[Carried], live: set[int]) -> set[int]:
    """Operations whose result is stored, leaves the loop, or feeds such a one."""
    back = {x.phi: x.value for x in carried}
    stack, seen = list(live), set(live)
    while stack:
        ident = stack.pop()
        follow = [*ops[ident].args, *([back[ident]] if ident in back else [])]
        for other in follow:
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


# ------------------------------------------------------------------------------------- orders


def _data(ops: dict[int, Op], chosen: dict[int, Op], carried: list[Carried]) -> list[Edge]:
    """Edges along values, carried ones with their distance; free operations are passed through."""
    back = {x.phi: x for x in carried}
    sources: dict[int, set[tuple[int, int, str, bool]]] = {}

    def origins(ident: int) -> set[tuple[int, int, str, bool]]:
        """Scheduled producers of a value: (operation, distance, name, whether through variables only)."""
        if ident in sources:
            return sources[ident]
        sources[ident] = set()  # cuts cycles of values that only move (x = y; y = x)
        op, starts = ops[ident], set[tuple[int, int, str, bool]]()
        if not op.free:
            starts = {(ident, 0, op.text, True)}
        elif op.kind == "phi" and ident in back:
            x = back[ident]
            starts = {(s, d + 1, x.name, scalar and x.scalar) for s, d, _, scalar in origins(x.value)}
        else:
            for arg in op.args:
                starts |= origins(arg)
        sources[ident] = starts
        return starts

    edges = set()
    for ident in sorted(chosen):
        for arg in chosen[ident].args:
            for source, distance, name, scalar in origins(arg):
                edges.add(Edge(source, ident, distance, None, "data", name, scalar and distance > 0))
    return sorted(edges, key=lambda e: (e.sink, e.source, e.distance))


def _memory(
    ops: Mapping[int, Op],
    kept: Mapping[int, int],
    chosen: dict[int, Op],
    storage: Storage,
    gap: int,
    carriers: Carriers,
    left: Mapping[tuple[int, int], int | None],
    early: frozenset[int],
) -> tuple[list[Edge], list[Edge]]:
    """Orders between accesses of one array that may touch one element, and those that the tool only takes to do so.

    ``left``, ``early``: bypass and rotate.
    """
    by_variable: dict[int, list[Op]] = defaultdict(list)
    for op in sorted((o for o in chosen.values() if o.ref is not None), key=lambda o: o.ref.position if o.ref else 0):
        assert op.ref is not None
        by_variable[op.ref.variable].append(op)
    edges: list[Edge] = []
    waits: list[Edge] = []
    for variable, operations in by_variable.items():
        if operations[0].ref is not None and operations[0].ref.key[0] == "stream":
            name = storage.program.variable(variable).name
            for same in _channels(operations):
                edges += [Edge(a, b, 0, 1, "memory", name) for a, b in turns(same, storage.target.exclusive_arms)]
            continue
        if not any(op.kind == "store" for op in operations):
            continue
        memory = storage.memory(variable)
        name = storage.program.variable(variable).name
        seen_of, addresses = _Beside(memory.layout), [carriers.address(op) for op in operations]
        limit_differences(addresses, name, operations[0], len(chosen))
        places = [offsets(ops, op, kept) for op in operations]
        local = memory.layout.banks > 1 and all(dim.has_local for dim in memory.layout.dims)
        parts = connected([carriers.reach(op) for op in operations]) if local else [range(len(operations))]
        near = ((part, related([addresses[k] for k in part], lambda a: a.shape, seen_of.are_related)) for part in parts)
        pairs = ((part[k], part[j]) for part, alike in near for k, js in enumerate(alike) for j in js if j > k)
        for k, j in sorted(pairs):
            seen, first, second = seen_of(addresses[k], addresses[j]), operations[k], operations[j]
            if seen.is_wait and carriers.have_disjoint_banks(first, second):
                continue
            if are_apart(places[k], places[j]) or not carriers.is_inside(variable, first, second):
                continue
            assert first.ref is not None and second.ref is not None
            if first.kind == second.kind == "store" and seen.differ_in_partitioned:
                pair = [Edge(x, y, d, 1, "memory", name) for x, y, d in _turns(first.id, second.id)]
                carriers.possible[CHOSEN] += pair if not memory.registers else []
            if excludes(first.ref.branch, second.ref.branch) or (seen.is_different and not seen.is_hidden):
                continue
            if carriers.have_disjoint_banks(first, second):
                continue
            stored = first.kind == "store" and second.kind == "load" and first.id not in early
            wait = gap if stored and first.ref.index != second.ref.index else 1
            if memory.registers:  # read before it is written at the end of the state
                wait = int(second.kind == "load")
            (waits if seen.is_different else edges).append(Edge(first.id, second.id, 0, wait, "memory", name))
            limit_orders(len(edges), name, first, len(chosen))
        carried = carriers.between(variable, operations, memory.registers)
        limit_orders(len(edges) + len(carried), name, operations[0], len(chosen))
        for edge in carried:
            distance = left.get((edge.source, edge.sink), edge.distance)
            if distance is not None:
                edges.append(replace(edge, distance=distance))
        if storage.target.trusts_distances and (memory.bound or left):  # the tool takes what it does not know as given
            carriers.take(
                {(a.id, b.id) for a in operations for b in operations if memory.bound or (a.id, b.id) in left}
            )
    return edges, waits


def _channels(operations: list[Op]) -> list[list[Op]]:
    """Accesses of an array of streams by stream; all of them as one where it is not known which one each goes to."""
    groups: dict[tuple[Affine | None, ...] | None, list[Op]] = defaultdict(list)
    for op in operations:
        groups[op.ref.index if op.ref is not None else None].append(op)
    return list(groups.values()) if are_different(groups) else [operations]


class _Seen(Struct, frozen=True):
    """How two accesses of one array lie towards each other, as the functions of these names say."""

    is_different: bool
    is_hidden: bool
    differ_in_partitioned: bool

    @classmethod
    def of(cls, one: MemoryRef, other: MemoryRef, layout: PerDimLayout) -> _Seen:
        """In memories of this layout."""
        return cls(
            is_different(one.index, other.index),
            is_hidden(one, other, layout),
            differ_in_partitioned(one, other, layout),
        )

    @property
    def is_wait(self) -> bool:
        """Whether they touch different elements, and only a bank that they share makes one wait for the other."""
        return self.is_different and not self.differ_in_partitioned

    @property
    def apart(self) -> bool:
        """Whether the tool sees that they touch different elements, in whatever memories."""
        return self.is_different and not self.is_hidden and not self.differ_in_partitioned


class _Beside:
    """How accesses of an array lie towards each other, each difference of indices looked at once."""

    def __init__(self, layout: PerDimLayout) -> None:
        self._layout = layout
        self._known: dict[object, _Seen] = {}

    def __call__(self, a: Address, b: Address) -> _Seen:
        key = beside(a, b)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _Seen.of(a.ref, b.ref, self._layout)
        return known

    def are_related(self, a: Address, b: Address) -> bool:
        """Whether the tool may have to keep an order between the two in one iteration."""
        return not self(a, b).apart


def _turns(first: int, second: int) -> tuple[tuple[int, int, int], ...]:
    """(source, sink, distance) of two stores that keep their order, in one iteration and from one to the next."""
    return (first, second, 0), (second, first, 1)


def differ_in_partitioned(one: MemoryRef, other: MemoryRef, layout: PerDimLayout) -> bool:
    """Whether two elements differ only by constants in completely partitioned dimensions, at run-time places.

    Then they have one place in memories that are chosen while the loop runs.
    """
    apart = False
    for a, b, dim in zip(one.index or (), other.index or (), layout.dims, strict=False):
        if a is None or b is None or a.terms != b.terms:
            return False
        if a.const != b.const:
            if not a.terms or dim.has_local:
                return False
            apart = True
    return apart


def is_hidden(one: MemoryRef, other: MemoryRef, layout: PerDimLayout) -> bool:
    """Whether partitioned dimensions hide from the tool that two accesses touch different elements.

    It sees a constant difference of the indices; in a partitioned dimension only where both are constants, because
    there it compares indices after the division by the factor. Reports show that in latencies, in no II.
    """
    for a, b, dim in zip(one.index or (), other.index or (), layout.dims, strict=False):
        if a is None or b is None or a.terms != b.terms or a.const == b.const:
            continue
        if not a.terms or dim.banks in (1, dim.extent):
            return False
    return True
