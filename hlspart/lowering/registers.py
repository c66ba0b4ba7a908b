"""Registers that the tool puts beside a memory: values handed from one iteration to the next.

Seen in schedules of Vitis HLS: a load of the element that the iteration before has stored takes its value
from a register (`store_forwarded`), and a load that may meet the last store compares addresses and selects
between the last value and the memory (`reuse_select`), which leaves the memory a distance of 2. Of several stores
none is handed on, of those in three arms and more neither (R4: a latch, a flip-flop); of those in two arms it is.
A sum of floats that goes on with an element which stays in the inner loop of a flattened nest is a register there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from msgspec.structs import replace

from hlspart.hardware.storage import Storage
from hlspart.lowering.balance import FLOATS
from hlspart.lowering.dependence import Carriers
from hlspart.lowering.distances import OUTSIDE
from hlspart.lowering.graph import Carried, Op

Pair = tuple[int, int]  # a store and a load


def forward(ops: dict[int, Op], carried: list[Carried], storage: Storage, carriers: Carriers) -> None:
    """Loads of what the iteration before has stored become registers."""
    when = storage.target.forwards_stores
    for variable, (stores, loads) in _accesses(ops).items():
        memory = storage.memory(variable)
        if memory.registers or memory.kept or when == "never":
            continue
        known = [load for load in loads if when == "always" or carriers.is_first_preset(load)]
        for store in stores if known else ():
            ref = store.ref
            if ref is None or ref.guarded or ref.joined > 2 or carriers.has_directive(variable, store, loads):
                continue
            if not all(x is store or carriers.have_disjoint_banks(x, store) for x in stores):
                continue
            for load in known:
                if ops[load.id].kind == "load" and carriers.is_always_next(store, load):
                    ops[load.id] = replace(load, kind="phi", args=(), ref=None)
                    carried.append(Carried(load.id, store.args[0], load.text.split()[0]))


def rotate(ops: dict[int, Op], carried: list[Carried], storage: Storage, carriers: Carriers) -> frozenset[int]:
    """Accumulators whose element is set ahead of the loop become registers; their stores, returned, start an iteration.

    For elements that other accesses of the loop may touch, so that they cannot leave it (reports: triangular solver).
    """
    out = set()
    for variable, (stores, loads) in _accesses(ops).items():
        memory = storage.memory(variable)
        if len(stores) != 1 or memory.registers or memory.kept or carriers.has_directive(variable, stores[0], loads):
            continue
        store, ref = stores[0], stores[0].ref
        same = [load for load in loads if load.ref is not None and ref is not None and load.ref.key == ref.key]
        if ref is None or ref.guarded or len(same) != 1 or (variable, ref.index) not in carriers.preset:
            continue
        load = same[0]
        ops[load.id] = replace(load, kind="phi", args=(), ref=None)
        carried.append(Carried(load.id, store.args[0], load.text.split()[0]))
        ops[store.id] = replace(store, args=(load.id, *store.args[1:]), ref=replace(ref, position=-1))
        out.add(store.id)
    return frozenset(out)


def bypass(ops: dict[int, Op], carried: list[Carried], storage: Storage, carriers: Carriers) -> dict[Pair, int | None]:
    """Selections behind loads that may meet the last store; the distance that is left for each pair of them."""
    out: dict[Pair, int | None] = {}
    for variable, (stores, loads) in _accesses(ops).items():
        memory = storage.memory(variable)
        if memory.registers or memory.bound:
            continue
        for store in stores:
            ref = store.ref
            if ref is None or ref.guarded or ref.joined > 2 or ref.position < 0:
                continue
            if carriers.has_directive(variable, store, loads):
                continue
            if not all(x is store or carriers.have_disjoint_banks(x, store) for x in stores):
                continue  # reports: of several stores to one memory none is handed on
            for load in loads:
                if carriers.distance(store, load) != 1 or (store.id, load.id) in carriers.uncertain[OUTSIDE]:
                    continue
                if row := _row(ops, storage, carriers, store, load):
                    out[store.id, load.id] = row + 1  # another row comes between
                    _resume(ops, carried, store, load)
                    continue
                out[store.id, load.id] = carriers.later(store, load)
                _select(ops, carried, store, load)
    return out


def _accesses(ops: dict[int, Op]) -> dict[int, tuple[list[Op], list[Op]]]:
    accesses: dict[int, tuple[list[Op], list[Op]]] = defaultdict(lambda: ([], []))
    for op in ops.values():
        if op.ref is not None and op.ref.key[0] != "stream":
            accesses[op.ref.variable][op.kind == "load"].append(op)
    return accesses


def _row(ops: Mapping[int, Op], storage: Storage, carriers: Carriers, store: Op, load: Op) -> int:
    """Iterations of the inner loop of a flattened nest that keeps a sum in a register; 0: none is known to.

    Reports (2023.2): two functions of zedong-peng/ForgeHLS-benchmark run at the II of the adder.
    """
    resumes = storage.target.resumes_sums
    own, ref = carriers.iterations.own, load.ref
    if not resumes or own < 2 or ref is None or store.ref is None or ref.key != store.ref.key or ref.index is None:
        return 0
    inner = carriers.space.names[-1]
    if ref.guarded or any(f is None or f.coefficient(inner) for f in ref.index):
        return 0
    users = [op for op in ops.values() if load.id in op.args]
    return (
        carriers.iterations.trips[-1] or 0
        if [op.id for op in users] == [store.args[0]] and users[0].kind in FLOATS
        else 0
    )


def _resume(ops: dict[int, Op], carried: list[Carried], store: Op, load: Op) -> None:
    """The sum goes on with its last value; the element is loaded all the same, for the first iteration of a row."""
    last = max(ops) + 1
    ops[last] = Op(last, "phi", load.bits, (), load.line, load.text)
    value = ops[store.args[0]]
    ops[value.id] = replace(value, args=(*value.args, last))
    carried.append(Carried(last, value.id, load.text.split()[0]))


def _select(ops: dict[int, Op], carried: list[Carried], store: Op, load: Op) -> None:
    last, chosen = max(ops) + 1, max(ops) + 2
    users = [op for op in ops.values() if load.id in op.args]
    ops[last] = Op(last, "phi", load.bits, (), load.line, load.text)
    ops[chosen] = Op(chosen, "select", load.bits, (last, load.id), load.line, f"{load.text.split()[0]} or last value")
    for op in users:
        ops[op.id] = replace(op, args=tuple(chosen if a == load.id else a for a in op.args))
    value = chosen if store.args[0] == load.id else store.args[0]
    carried.append(Carried(last, value, load.text.split()[0]))
