"""Elements that stay: loads and stores that the tool takes out of a loop, and those of which it is not known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.accesses import is_held, is_settled
from hlspart.hardware.memory import BUS, Memory
from hlspart.hardware.storage import Storage
from hlspart.lowering.graph import Carried, MemoryRef, Op, excludes
from hlspart.lowering.history import Index, Neighbours

LEFT = "whether loads leave the loop that only unrolling or a partition makes steady is not known"
BESIDE = "whether loads of an argument whose element stays leave a loop that accesses streams is not known"
KEPT = "whether an element that is set just ahead of the loop is a register in it is not known"


class Promotion(Struct):
    """Takes accesses of elements that stay out of a loop, ``own`` its names.

    ``preset``: elements set ahead of the loop, ``gone``: what has left, ``may_leave``: loads of which it is not known,
    by the reason, ``chosen``: words among which iterations choose.
    """

    ops: dict[int, Op]
    carried: list[Carried]
    live: set[int]
    own: tuple[str, ...]
    storage: Storage
    unrolls_later: bool
    preset: frozenset[tuple[int, Index]]
    chosen: list[MemoryRef] = []
    gone: list[MemoryRef] = []
    may_leave: dict[str, set[int]] = {}
    streams: bool = False

    def promote(self) -> None:
        by_variable: dict[int, list[Op]] = defaultdict(list)
        self.streams = any(op.ref is not None and op.ref.key[0] == "stream" for op in self.ops.values())
        for op in self.ops.values():
            if op.ref is not None and op.ref.key[0] != "stream":
                by_variable[op.ref.variable].append(op)
        written = {v for v, operations in by_variable.items() if any(op.kind == "store" for op in operations)}
        aliased = any(self.storage.memory(v).kept for v in written)
        for variable, operations in by_variable.items():
            volatile = self.storage.program.variable(variable).volatile
            if volatile:
                continue
            if not aliased or not self.storage.memory(variable).kept:
                self._array(variable, operations)
            elif written == {variable} and not self.storage.memory(variable).registers:
                self._doubt(KEPT, self._resumed(operations))

    def _resumed(self, operations: list[Op]) -> Iterator[Op]:
        """Loads that find what is stored ahead of the loop and then what the iteration before has stored.

        Reports (karthisugumar/CSE237C_FinalProject_ksugumar_iameerud, 2019.1): eight sums at the II of their adders.
        """
        refs = [(op, op.ref) for op in operations if op.ref is not None and not moves(op.ref, self.own)]
        for load, ref in refs:
            same = [op for op, other in refs if other.key == ref.key and op is not load]
            set_ahead = load.kind == "load" and (ref.variable, ref.index) in self.preset
            if set_ahead and len(same) == 1 and same[0].kind == "store" and not (same[0].ref or ref).guarded:
                yield load

    def _doubt(self, why: str, loads: Iterable[Op]) -> None:
        if ids := {op.id for op in loads}:
            self.may_leave.setdefault(why, set()).update(ids)

    def _array(self, variable: int, operations: list[Op]) -> None:
        memory = self.storage.memory(variable)
        argument = self.storage.arrays.is_interface(self.storage.program.variable(variable))
        stored = any(op.kind == "store" for op in operations)
        groups: dict[tuple[object, ...], list[Op]] = defaultdict(list)
        for op in operations:
            groups[op.ref.key if op.ref is not None else ()].append(op)
        steady = [m[0].ref for m in groups.values() if all(op.kind == "load" for op in m)]
        moved = [
            r for r in steady if r is not None and is_settled(r.index, memory.layout, self.own) and moves(r, self.own)
        ]
        few = is_held(len(moved), memory.layout)
        beside = Neighbours(operations)
        for members in groups.values():
            ref = members[0].ref
            assert ref is not None
            if ref.index is None or any(f is None for f in ref.index):
                continue
            fixed = not moves(ref, self.own)
            varies = any(f is not None and f.terms for f in ref.index)
            if self.unrolls_later and self.storage.automatic.changes_unrolled(ref.access) and varies:
                then = self.storage.target.invariant_loads(argument) if fixed and not stored else "stay"
                self._doubt(LEFT, members if then == "unknown" else ())
                if then != "leave":
                    continue
            if not stored and all(op.kind == "load" for op in members):
                if not fixed and is_settled(ref.index, memory.layout, self.own) and not few:
                    self._doubt(LEFT, members)
                elif fixed and argument and self.streams and not memory.registers and memory.storage != BUS:
                    # report (Jui-Yu-Hsieh-053/AAHLS-113-2, 2022.1): coefficients are loaded in each iteration, II 11
                    self._doubt(BESIDE, members)
                elif fixed or is_settled(ref.index, memory.layout, self.own):
                    self.chosen += [] if fixed else [ref]
                    self._leave(members, "input" if fixed and not _picks(ref, self.own, self.storage) else "mux")
                    self.gone += [op.ref or ref for op in members]
            elif fixed and beside.is_alone(members):
                self._register(members, ref, memory, memory.registers and not argument)

    def _leave(self, loads: list[Op], kind: str) -> None:
        for op in loads:
            self.ops[op.id] = replace(op, kind=kind, args=(), ref=None)

    def _register(self, members: list[Op], ref: MemoryRef, memory: Memory, scalars: bool) -> None:
        """An element that stays is loaded before the loop, carried in a register and stored after it, where it can."""
        stores = [op for op in members if op.kind == "store"]
        loads = [op for op in members if op.kind == "load"]
        if not stores:
            self._leave(loads, "mux" if _picks(ref, self.own, self.storage) else "input")
            self.gone += [op.ref or ref for op in loads]
            return
        last = stores[0]
        later = self.storage.automatic.changes_unrolled(ref.access)
        if (
            len(stores) != 1
            or (len(loads) > 1 and not (scalars and all(_is_ahead(op, last) for op in loads)))
            or ((last.ref or ref).guarded and not (scalars and loads))
            # unrolling comes after promotion; reports show that of memories, at m_axi ports the contrary
            or (later and not memory.registers and memory.storage != BUS)
        ):
            return
        value = _held(self.ops, last, loads[0].id) if (last.ref or ref).guarded else last.args[0]
        self._leave(loads, "phi")
        self.carried += [Carried(op.id, value, last.text.split()[0], scalars) for op in loads]
        self.ops[last.id] = replace(last, kind="const", args=(), ref=None)
        self.live.discard(last.id)
        self.live.add(value)
        self.gone += [op.ref or ref for op in members]


def _is_ahead(load: Op, store: Op) -> bool:
    """Whether a load finds what its element held when the iteration began."""
    assert load.ref is not None and store.ref is not None
    return load.ref.position < store.ref.position or excludes(load.ref.branch, store.ref.branch)


def _held(ops: dict[int, Op], store: Op, before: int) -> int:
    """What a register holds behind a store that may not happen, as a scalar would; ``before`` is what it held."""
    assert store.ref is not None
    value, branch = store.args[0], store.ref.branch
    for (_, arm), test in zip(reversed(branch), reversed(store.args[len(store.args) - len(branch) :]), strict=True):
        ident = max(ops) + 1
        either = (value, before) if arm == 0 else (before, value)
        ops[ident] = Op(ident, "select", ops[store.args[0]].bits, (test, *either), store.line, "select")
        value = ident
    return value


def promote_inner(
    ops: dict[int, Op], carried: list[Carried], names: tuple[str, ...], ends: tuple[int, int], storage: Storage
) -> None:
    """Elements that stay during the inner loop of a flattened nest become registers of it.

    They are loaded (or set) in its first iteration and stored in its last; between, they are carried.
    """
    inner = names[-1:]
    accesses = [op for op in ops.values() if op.ref is not None]
    first = next((i for i, op in ops.items() if op.text == "first iteration"), None)
    last = next((i for i, op in ops.items() if op.text == "last iteration"), None)
    groups: dict[tuple[object, ...], list[Op]] = defaultdict(list)
    for op in accesses:
        if op.ref is not None and not moves(op.ref, inner) and not storage.memory(op.ref.variable).kept:
            groups[op.ref.variable, op.ref.key].append(op)
    beside = {v: Neighbours(list(same)) for v, same in groupby(sorted(accesses, key=_variable), key=_variable)}
    for members in groups.values():
        variable = _variable(members[0])
        loads = [op for op in members if op.kind == "load"]
        resets = [op for op in members if op.kind == "store" and first in op.args[1:]]
        stores = [op for op in members if op.kind == "store" and op not in resets]
        if len(loads) != 1 or len(stores) != 1 or len(resets) > 1 or not beside[variable].is_alone(members):
            continue
        if (loads[0].ref and loads[0].ref.guarded) or (stores[0].ref and stores[0].ref.guarded):
            continue
        made = ops[stores[0].args[0]]
        if made.kind == "select" and made.args[0] == last:  # what follows the inner loop does not come back
            ops[stores[0].id] = replace(stores[0], args=(made.args[1], *stores[0].args[1:]))
            made = ops[made.args[2]]
        ops[stores[0].id] = replace(ops[stores[0].id], ref=_only_at(stores[0].ref, names, ends[1]))
        load, start = loads[0], max(ops) + 1
        if resets:
            initial = resets[0].args[0]
            ops[resets[0].id] = Op(resets[0].id, "const", 1, (), resets[0].line)
        else:
            initial = start + 1
            ops[initial] = replace(load, id=initial, ref=_only_at(load.ref, names, ends[0]))
        ops[start] = Op(start, "phi", load.bits, (), load.line, load.text)
        condition = first if first is not None else start
        ops[load.id] = Op(load.id, "select", load.bits, (condition, initial, start), load.line, "select")
        carried.append(Carried(start, made.id, load.text.split()[0]))


def _only_at(ref: MemoryRef | None, names: tuple[str, ...], value: int) -> MemoryRef | None:
    """A reference that is used only when the inner iterator has ``value``."""
    from hlspart.sets import carried

    if ref is None:
        return None
    return replace(ref, domain=carried.constrain(ref.domain, names, [f"{names[-1]} = {value}"]))


def moves(ref: MemoryRef | None, names: Iterable[str]) -> bool:
    """Whether an address changes with one of the names."""
    if ref is None or ref.index is None:
        return True
    return any(f is None or any(f.coefficient(n) for n in names) for f in ref.index)


def _picks(ref: MemoryRef, names: tuple[str, ...], storage: Storage) -> bool:
    """Whether each iteration takes another element of one word of a reshaped array."""
    if ref.variable not in storage.packings:
        return False
    index = storage.analysis.by_id[ref.access].index
    return index is None or any(f is None or any(f.coefficient(n) for n in names) for f in index)


def _variable(op: Op) -> int:
    return op.ref.variable if op.ref is not None else -1
