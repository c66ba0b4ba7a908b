"""Which requests and responses of m_axi accesses are part of an iteration, and what they keep apart.

Reports (see `[axi]` of the profiles) show a request, the data and, after stores, a response of many states each. Where
the tool makes one burst of all iterations, request and response stand outside of the loop: UG1399, preconditions of
burst transfers, and UG1448, messages 214-224 and 214-229 to 214-232, say where it does not. Volatile arrays, which
UG1399 excludes, are in bursts all the same: reports of marsee101/multi_axim (2015.2),
ikwzm/vivado-hls-axi-dma-read-failure (2016.4), Jui-Yu-Hsieh-053/AAHLS-113-2 and hsuan-0701/HLS_lab_summer (2022.1).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from hlspart.hardware.memory import BUS, Memory
from hlspart.hardware.storage import Storage
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Graph, Op
from hlspart.model import program as c
from hlspart.nests.nests import Nest, Nests, Order

_WIDTHS = frozenset((8, 16, 32, 64, 128, 256, 512, 1024))  # of a bus
_LEVELS = 3  # of nests whose bursts reports agree on
Banks = Mapping[int, frozenset[int]]  # those that an access may reach, by operation


class BusRequests(Struct, frozen=True):
    """``inside``: accesses with requests, and responses, of their own in each iteration; ``doubts``: what is not known.

    ``known``: whether it is known which ones these are.
    """

    inside: frozenset[int] = frozenset()
    known: bool = True
    doubts: tuple[Doubt, ...] = ()


NO_REQUESTS = BusRequests()
_BEATS = frozenset(("load", "store"))  # of which those of a bus have a range of states


def requests(
    nests: Nests, nest: Nest, how: Order, graph: Graph, storage: Storage, banks: Banks, *, alone: bool | None
) -> BusRequests:
    """The m_axi accesses of one iteration whose requests and responses are part of it.

    ``alone``: whether the loop is all of its function, which then has no state for requests; None: not known.
    """
    used = [op for op in graph.memory if _memory(op, storage).storage == BUS]
    if not used:
        return NO_REQUESTS
    bursts = storage.target.bursts(copy=nest.loop is not None and nest.loop.made)
    inside = _inside(used, how, storage, banks, single=not bursts)
    if not bursts and len(nest.levels) > 1:
        inside |= {op.id: "iterations of several loops make no burst" for op in used if op.id not in inside}
    seen = bursts or storage.target.plain_bursts or len(inside) == len(used)
    why = None if seen else f"no report of {storage.target.tool} shows when it makes bursts"
    why = why or _unlike(used, nests, nest, storage) or _open(used, inside, graph, storage)
    if why is None and len(inside) < len(used):
        why = _loops(nests, nest)
    if why is None and any(
        op.id in inside and op.ref and storage.program.variable(op.ref.variable).volatile for op in used
    ):
        why = "an array is volatile"
    if why is None and inside and not storage.target.requests_inside:
        why = next(iter(inside.values()))
    if why is None and len(inside) < len(used) and alone is not False:
        place = "possibly" if alone is None else storage.target.requests_of_sole_loops
        inside |= {op.id: "the loop is all of its function" for op in used} if place == "inside" else {}
        why = "the loop may be all of its function" if place == "possibly" else None
    if why is None:
        return BusRequests(frozenset(inside), doubts=tuple(_order(used, storage, banks)))
    text = unknown(storage, {op.ref.variable for op in used if op.ref is not None}, why)
    return not_known(text, used)


def not_known(text: str, used: Iterable[Op]) -> BusRequests:
    """Accesses that may or may not wait for requests and responses of their own, which take states if they do."""
    return BusRequests(known=False, doubts=(Doubt(about(text, used), slow=True, fewer=_BEATS),))


def around(requests: BusRequests, ops: Iterable[Op], storage: Storage) -> int:
    """States that requests ahead of a pipelined loop and responses behind it take, at the most.

    All ports one behind the other; reports have a state more for a read and two for a write. Where it is not known
    whether they stand in the loop, the most states of its iteration have them.
    """
    outside = {(op.ref.variable, op.kind) for op in ops if op.ref is not None and op.id not in requests.inside}
    total = 0
    for variable, kind in outside:
        if storage.memory(variable).storage == BUS:
            request, response = storage.bus_states(variable) if requests.known else (0, 0)
            total += request + 1 if kind == "load" else response + 2
    return total


def unknown(storage: Storage, variables: Iterable[int], why: str) -> str:
    """The cause of a depth or latency that is not known, for the reader."""
    waits = [storage.bus_states(v) for v in variables]
    read, written = (max(x[k] for x in waits) for k in (0, 1))
    return f"whether m_axi requests ({read} states, responses {written}) are part of it is not known: {why}"


def _memory(op: Op, storage: Storage) -> Memory:
    assert op.ref is not None
    return storage.memory(op.ref.variable)


def _unlike(used: Sequence[Op], nests: Nests, nest: Nest, storage: Storage) -> str | None:
    """Why nothing is known of these accesses."""
    if nest.loop is None:
        return "it is no loop"
    for variable in sorted({op.ref.variable for op in used if op.ref is not None}):
        name = storage.program.variable(variable).name
        bits = _element_bits(storage.program.variable(variable).type)
        if bits not in _WIDTHS or _fits(bits, storage.bindings.greatest_width(variable), nests, nest):
            return f"the port of {name} may get another width than its elements"
        if storage.has_unknown_ports(variable):
            return f"whether each bank of {name} gets a port is not known"
    return None


def _open(used: Sequence[Op], inside: Mapping[int, str], graph: Graph, storage: Storage) -> str | None:
    """Why the addresses of accesses that run under no condition may still follow one another, though not known."""
    loads = {op.id for op in graph.ops.values() if op.kind == "load"}

    def decided(op: Op) -> bool:
        waiting, seen = list(op.args[op.kind == "store" :]), set[int]()  # the address, and guards
        while waiting:
            ident = waiting.pop()
            if ident in loads:
                return True
            if ident in graph.ops and ident not in seen:
                seen.add(ident)
                waiting += graph.ops[ident].args
        return False

    for op in used:
        assert op.ref is not None
        open_ = op.ref.index is None or None in op.ref.index
        if open_ and op.id in inside and not (op.ref.guarded or op.ref.branch or decided(op)):
            return f"addresses of {storage.program.variable(op.ref.variable).name} are products of run time"
    return None


def _element_bits(kind: c.CType) -> int | None:
    """Width of elements that are numbers."""
    while isinstance(kind, c.PointerType | c.ArrayType):
        kind = kind.target if isinstance(kind, c.PointerType) else kind.element
    return kind.bits if isinstance(kind, c.ScalarType) else None


def _fits(bits: int, widest: int, nests: Nests, nest: Nest) -> bool:
    """Whether several elements of the accesses of a nest go into a word of a port of up to ``widest`` bits.

    Not of a burst whose length is not known to be even (UG1448, 214-234; reports of yfchinn/swan-kernel-cpp,
    tiagolascasas/heterogeneous-vitis-apps and fongtran17082003/FFT_HLS_SSR, 2023.2 to 2024.2), and no element of the
    greatest width (214-353).
    """
    trips = [nests.trip(x).exact for x in nest.levels]
    return bits < widest and None not in trips and math.prod(x or 0 for x in trips) % 2 == 0


def _loops(nests: Nests, nest: Nest) -> str | None:
    """Why it is not known whether the iterations of a nest make one burst."""
    if len(nest.levels) > _LEVELS or nest.before or nest.after:
        return "it is no plain loop or nest of few"
    infos = [nests.info(x) for x in nest.levels]
    counted = all(
        i is not None and i.iterator and i.lower is not None and not i.lower.terms and nests.runs_to_its_end(x)
        for x, i in zip(nest.levels, infos, strict=True)
    )
    if not counted or any(i is None or i.trip_count.exact is None for i in infos[1:]):
        return "its iterations are not counted one by one"
    if any(isinstance(s, c.If | c.Switch) for b in nest.body for s in c.walk_statements(b)):
        return "it holds conditions"
    return None


def _inside(used: Sequence[Op], how: Order, storage: Storage, banks: Banks, *, single: bool) -> dict[int, str]:
    """Why accesses make requests of their own, by operation; iterations may make one burst of the others.

    ``single``: an iteration may access one element of a burst (UG902, as it lets no nest of loops make one).
    """
    out: dict[int, str] = {}
    sharing: dict[tuple[str, str], list[Op]] = defaultdict(list)  # by port and direction
    for op in used:
        for bank in banks[op.id]:
            sharing[_memory(op, storage).bank(bank), op.kind].append(op)
    for op in used:
        assert op.ref is not None
        name = storage.program.variable(op.ref.variable).name
        if op.ref.guarded or op.ref.branch:
            out[op.id] = f"the access to {name} stands under a condition"
        elif len(banks[op.id]) != 1:
            out[op.id] = f"which port an access to {name} takes changes"
        elif is_in_place(op.ref.variable, used):
            out[op.id] = f"{name} is loaded and stored"
    for members in sharing.values():
        ref, memory = members[0].ref, _memory(members[0], storage)
        if any(op.ref is None or ref is None or op.ref.variable != ref.variable for op in members):
            why = "several accesses share a bus"
        elif len(members) > 1 and single:
            why = f"an iteration accesses several elements of {storage.program.variable(memory.variable).name}"
        elif not is_consecutive(members, memory, how):
            why = f"iterations do not access {storage.program.variable(memory.variable).name} element by element"
        else:
            continue
        out |= {op.id: why for op in members if op.id not in out}
    return out


def is_in_place(variable: int, ops: Iterable[Op]) -> bool:
    """Whether an array is loaded and stored."""
    kinds = {op.kind for op in ops if op.ref is not None and op.ref.variable == variable}
    return {"load", "store"} <= kinds


def _order(used: Sequence[Op], storage: Storage, banks: Banks) -> Iterator[Doubt]:
    """Where several elements of a port are loaded and stored in an iteration: reports differ in its states."""
    for variable in sorted({op.ref.variable for op in used if op.ref is not None}):
        if storage.memory(variable).layout.banks == 1 or not is_in_place(variable, used):
            continue
        counts: dict[tuple[int, str], int] = defaultdict(int)
        for op in used:
            if op.ref is not None and op.ref.variable == variable:
                for bank in banks[op.id]:
                    counts[bank, op.kind] += 1
        if max(counts.values()) > 1:
            name = storage.program.variable(variable).name
            text = f"the order in which a port of {name} loads and stores several elements is not known"
            same = (op for op in used if op.ref is not None and op.ref.variable == variable)
            yield Doubt(about(text, same), endless=True)


def is_consecutive(group: Sequence[Op], memory: Memory, how: Order, whole: bool = True) -> bool:
    """Whether an iteration accesses elements one behind the other; ``whole``: and the next one goes on behind them."""
    moves, offsets, stride = dict.fromkeys(how.names, 0), [0] * len(group), 1
    dims, forms = memory.layout.dims, [op.ref.index for op in group if op.ref is not None]
    if any(f is None or len(f) != len(dims) for f in forms):
        return False
    for k, dim in reversed(list(enumerate(dims))):
        axis = [f[k] for f in forms if f is not None]
        if any(a is None or axis[0] is None or a.terms != axis[0].terms for a in axis):
            return False
        if not dim.has_local:
            continue
        for n, step in zip(how.names, how.steps, strict=True):
            moves[n] += (axis[0].coefficient(n) if axis[0] else 0) * step // dim.stride * stride
        for i, a in enumerate(axis):
            offsets[i] += ((a.const if a else 0) - (axis[0].const if axis[0] else 0)) // dim.stride * stride
        stride *= dim.size(0)
    goes_on = all(moves[n] == w * len(group) for n, w in zip(how.names, how.weights, strict=True))
    return offsets == list(range(len(group))) and (goes_on or not whole)
