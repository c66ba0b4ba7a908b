"""Memories, registers and multiplexers of every array after partition, and their totals against the part.

Blocks by all width and depth shapes of the family (UG573, UG473), copies for the reads that a table or a
replicated memory serves at once. LUTs of a memory: one per bit and 64 words and one more, as in public reports, twice
that for two ports at will. Rule of thumb: a choice among n words of w bits takes w * (n - 1) / 3 LUTs (a 6-input
LUT holds a 4-to-1 multiplexer); so for words that are loaded ahead of a loop, one of each bank, which are registers,
and for selections of the text (``?:``, ``switch``) that make an address, a word to store, or choose among loaded words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set

from msgspec import Struct

from hlspart.hardware.memory import REPLICATED, Memory
from hlspart.hardware.storage import OPEN, Storage
from hlspart.model.program import ArrayType, StructType, Variable, storage_bits
from hlspart.model.results import ArrayResult, ResourceUse
from hlspart.partition.validate import MOST_BANKS
from hlspart.predict.loops import Prediction
from hlspart.semantics.folding import bits

_OFF_CHIP = frozenset({"m_axi", "s_axilite", "fifo", "axis", "ap_memory", "bram"})
_COPIED = frozenset({"rom_np", REPLICATED})
_TRUE_DUAL = frozenset({"ram_t2p", "ram_2p", "rom_2p", "rom_np"})


class ArrayDemand(Struct, frozen=True):
    """What the loops ask of one array: reads of a bank in one cycle, words chosen among banks, words held ahead.

    ``selected``: bits of the selections (``?:``) of the text that make its addresses, or words from or for it.
    """

    reads: int = 1
    choices: int = 0
    held: int = 0
    selected: int = 0

    def also(self, other: ArrayDemand) -> ArrayDemand:
        """Of both."""
        return ArrayDemand(
            max(self.reads, other.reads),
            self.choices + other.choices,
            self.held + other.held,
            self.selected + other.selected,
        )


def uses(p: Prediction) -> dict[int, ArrayDemand]:
    """What one loop asks of its arrays."""
    out = {}
    for variable, accesses in p.elaborated.accesses.items():
        memory = p.elaborated.storage.memory(variable)
        problem = p.elaborated.problems[variable]
        choices, per_bank = 0, dict[int, int]()
        for k, access in enumerate(accesses):
            reach = problem.reach(k, memory.layout)
            if access.kind == "read":
                choices += max(0, len(reach) - 1)
                for bank in reach:
                    per_bank[bank] = per_bank.get(bank, 0) + 1
        ii = p.schedule.ii if p.schedule is not None else 1
        out[variable] = ArrayDemand(math.ceil(max(per_bank.values(), default=1) / ii), choices)
    for ref in p.elaborated.lowered.chosen:  # a word of each bank, and what chooses among them
        memory = p.elaborated.storage.memory(ref.variable)
        banks = memory.layout.banks
        words = ArrayDemand(1, banks - 1, banks if memory.layout.depth(0) > 1 else 0)
        out[ref.variable] = out.get(ref.variable, ArrayDemand()).also(words)
    for variable, selected in _selections(p).items():
        out[variable] = out.get(variable, ArrayDemand()).also(ArrayDemand(selected=selected))
    return out


def _selections(p: Prediction) -> dict[int, int]:
    """Bits of the selections of one loop by the array that they serve, each counted once."""
    ops, selections, seen = p.problem.graph.ops, dict[int, int](), set[int]()

    def count(value: int, variable: int, most: int) -> None:
        """The selections that make ``value``, of words of at most ``most`` bits."""
        waiting = [value]
        while waiting:
            op = ops.get(waiting.pop())
            if op is not None and op.kind == "select" and op.id not in seen:
                seen.add(op.id)
                selections[variable] = selections.get(variable, 0) + min(op.bits, most)
                waiting += op.args[1:]

    memory = [(op, op.ref.variable) for op in p.problem.graph.memory if op.ref is not None]
    for op, variable in memory:
        depth = p.elaborated.storage.memory(variable).layout.depth(0)
        addresses = op.args if op.kind == "load" else op.args[1:]
        for address in addresses:
            count(address, variable, max(1, (depth - 1).bit_length()))
    loaded = {op.id: variable for op, variable in memory if op.kind == "load"}
    for op in sorted(ops.values(), key=lambda op: -op.id):  # the last one of a chain first
        among = [loaded[a] for a in op.args[1:] if a in loaded] if op.kind == "select" else []
        if among:
            count(op.id, among[0], op.bits)
    for op, variable in memory:
        if op.kind == "store" and op.args[0] in ops:
            count(op.args[0], variable, ops[op.args[0]].bits)
    return selections


def arrays(
    storage: Storage, demands: Mapping[int, ArrayDemand], functions: Set[str], channels: Set[int]
) -> tuple[ArrayResult, ...]:
    """One record per array of the design, whose ``functions`` are given: what they define, or use of file scope.

    ``channels``: arrays between processes of a DATAFLOW region, of which the tool makes two.
    """

    def has(v: Variable) -> bool:
        if v.function is not None:
            return v.function in functions
        users = {a.function for a in storage.analysis.of_array(v.id)}
        return not v.extern if not users else not functions.isdisjoint(users)

    chosen = (v for v in storage.program.arrays() if has(v))
    return tuple(_array(storage, v, demands.get(v.id, ArrayDemand()), 2 if v.id in channels else 1) for v in chosen)


def element_bits(variable: Variable) -> int:
    """Bits of an element of an array, of a scalar its own."""
    element = variable.type.element if isinstance(variable.type, ArrayType) else variable.type
    return storage_bits(element) or bits(element) if isinstance(element, StructType) else bits(element)


def _array(storage: Storage, variable: Variable, use: ArrayDemand, times: int) -> ArrayResult:
    memory, target = storage.memory(variable.id), storage.target
    width = element_bits(variable)
    packed = storage.packings.get(variable.id, ())
    word = width * math.prod(p.lanes for p in packed if p is not None)
    known = all(d is not None for d in variable.dims)
    layout = memory.layout
    banks = math.prod(d or 1 for d in variable.dims) if memory.registers and known else layout.banks
    split = any(d is None and x.banks > 1 for d, x in zip(variable.dims, layout.dims, strict=False))
    shown = banks if known or not (split or banks >= OPEN) else None
    depths: tuple[int, ...] = ()
    if known and banks <= MOST_BANKS:
        depths = (1,) * banks if memory.registers else tuple(layout.depth(b) for b in range(banks))
    if memory.registers and known:
        word = width
    on_chip = memory.storage not in _OFF_CHIP and variable.storage != "parameter"  # the memory is the caller's
    copies = _copies(memory.storage, use.reads) * times if on_chip else 1
    blocks, ultra, luts = built_of(storage, variable, depths, word) if on_chip and not memory.registers else (0, 0, 0)
    folded = storage.automatic.is_table(variable)  # single words of a table are constants, no registers
    single = banks if memory.registers and known else sum(d == 1 for d in depths)
    flip_flops = word * single if on_chip and not folded else 0
    flip_flops += word * use.held
    return ArrayResult(
        variable=variable.id,
        name=variable.name,
        function=variable.function,
        line=storage.program.line(variable.at),
        dims=variable.dims,
        element_bits=width,
        storage=memory.storage,
        ports=None if memory.registers else target.port_names(memory.storage),
        banks=shown,
        bank_depths=depths,
        auto=memory.auto,
        partition=storage.partition(variable, memory),
        bram18k=blocks * copies,
        registers=flip_flops,
        uram=ultra * copies,
        luts=luts * copies,
        mux_luts=-(-(use.choices * word + use.selected) // 3),
        copies=copies,
    )


def built_of(storage: Storage, variable: Variable, depths: Iterable[int], word: int) -> tuple[int, int, int]:
    """(BRAM18K, URAM, LUTs) of a memory like that of ``variable``, its banks of ``depths`` words of ``word`` bits."""
    memory, target = storage.memory(variable.id), storage.target
    blocks = ultra = luts = 0
    for depth in depths:
        kind = _kind(storage, variable, memory, depth, word)
        if kind == "uram":
            ultra += target.uram(depth, word)
        elif kind == "lutram":
            luts += (-(-depth // 64) * word + 1) * (2 if memory.storage in _TRUE_DUAL - _COPIED else 1)
        elif kind == "bram":
            blocks += target.memories.bram18k(depth, word, memory.storage in _TRUE_DUAL)
    return blocks, ultra, luts


def _kind(storage: Storage, variable: Variable, memory: Memory, depth: int, word: int) -> str:
    """What one bank is built of: "bram", "uram", "lutram" or "registers"."""
    if depth <= 1:
        return "registers"
    asked = storage.bindings.implementation(variable)
    if asked in ("uram", "lutram", "bram"):
        return asked
    if storage.target.memories.is_lutram(depth, word):
        return "lutram"
    return (
        "uram" if storage.target.memories.is_uram(depth, word) and not storage.automatic.is_table(variable) else "bram"
    )


def _copies(storage: str, reads: int) -> int:
    """Copies of a memory for the reads of one cycle: two of a table each, one beside the write of a replicated memory.

    Public reports have 15 copies of a replicated memory for 16 reads.
    """
    if storage == "rom_np":
        return max(1, -(-reads // 2))
    return max(1, reads - 1) if storage == REPLICATED else 1


def total(results: Iterable[ArrayResult], storage: Storage) -> tuple[ResourceUse, ...]:
    """Sums over all arrays, with what the part has."""
    items, part = list(results), storage.target.resources
    rows = (
        ("BRAM18K", sum(a.bram18k for a in items), part.bram18k),
        ("URAM", sum(a.uram for a in items), part.uram),
        ("FF", sum(a.registers for a in items), part.ff),
        ("LUT", sum(a.luts + a.mux_luts for a in items), part.lut),
    )
    return tuple(ResourceUse(*row) for row in rows)
