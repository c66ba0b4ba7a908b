"""The memory of each array: kind, ports, layout and size, from directives and the tool's defaults."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from hlspart.hardware.regions import sharing
from hlspart.hardware.reshape import Packed, packings
from hlspart.hardware.slices import Slice, slices
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Access, AccessAnalysis, Affine, ArrayGroup
from hlspart.model.directives import Directive
from hlspart.model.ports import Ports
from hlspart.model.program import ArrayType, PointerType, Program, ScalarType, StreamType, Variable
from hlspart.model.results import DimPartition, Validation
from hlspart.targets import Target
from hlspart.targets.target import REGISTERS

_RESOURCE = {
    "ram_1p": "ram_1p", "ram_2p": "ram_2p", "ram_t2p": "ram_t2p", "ram_s2p": "ram_s2p", "rom_1p": "rom_1p",
    "rom_2p": "rom_2p", "rom_np": "rom_np",
}  # fmt: skip


REPLICATED = "ram_1wnr"
STREAMS = frozenset({"fifo", "axis"})  # without addresses
BUS = "m_axi"


@dataclass(frozen=True)
class Memory:
    """What the scheduler asks of one array. ``resource`` names what its accesses compete for."""

    variable: int
    storage: str
    ports: Ports
    layout: PerDimLayout
    resource: str
    auto: bool
    latency: int | None = None  # read latency that a directive asks for
    bound: bool = False  # a directive says which memory it is
    kept: bool = False  # an argument, and the tool takes it that arguments may be one array
    divided: Literal["no", "yes", "possibly"] = "no"  # another process of a DATAFLOW region has the other port

    @property
    def registers(self) -> bool:
        """Whether every element is a register."""
        return self.storage == REGISTERS

    def bank(self, bank: int) -> str:
        """What the accesses of a bank compete for; arrays of one m_axi bundle share the ports of equal numbers."""
        if self.layout.banks == 1:
            return self.resource
        if self.storage != BUS:
            return f"{self.resource} bank {bank}"
        parts = self.layout.bank_tuple(bank)
        return "_".join((self.resource, *(str(parts[k]) for k in self.layout.partitioned)))


class Storage:
    """Memories of a program under its validated partitions."""

    def __init__(
        self,
        program: Program,
        analysis: AccessAnalysis,
        validation: Validation,
        target: Target,
        unrolled: frozenset[int] = frozenset(),
        around: Storage | None = None,
    ) -> None:
        """``unrolled``: ids of unrolled loops. ``around`` knows its own variables."""
        self.program, self.analysis, self.validation, self.target = program, analysis, validation, target
        self.unrolled, self.around = unrolled, around
        self._access = {a.id: a for a in analysis.accesses}
        self._groups = {g.id: g for g in analysis.groups}
        self._by_variable: dict[int, list[Directive]] = {}
        for d in program.directives:
            if d.usable and d.kind in ("bind_storage", "resource", "interface", "array_reshape", "stream"):
                for variable in d.variables:
                    self._by_variable.setdefault(variable, []).append(d)
        self.packings = self._spread(packings(program))
        self._slices: dict[int, frozenset[Slice] | None] = slices(program) if around is None else around._slices
        self._written = {a.array for a in analysis.accesses if a.kind == "write"}
        self._memories: dict[int, Memory] = {}
        self._sharing = sharing(program, analysis)

    def _spread(self, packed: Mapping[int, tuple[Packed | None, ...]]) -> dict[int, tuple[Packed | None, ...]]:
        """Words of reshaped arrays, of the parameters too that calls hand them to."""
        shapes = self.analysis.shapes
        members = {m: v for v in packed for m in self.members(v)}
        return {m: packed[v] for m, v in members.items() if m == v or shapes.get(m) == shapes.get(v)}

    def memory(self, variable: int) -> Memory:
        """The memory of a variable."""
        if variable in self._memories:
            return self._memories[variable]
        if self.around is not None and variable < len(self.around.program.variables):
            self._memories[variable] = self.around.memory(variable)
        else:
            self._memories[variable] = self._decide(self.program.variable(variable))
        return self._memories[variable]

    def width(self, variable: int) -> int:
        """Bits of an element, nearly: what a structure holds counts as one word."""
        kind = self.program.variable(variable).type
        if isinstance(kind, PointerType):
            kind = kind.target
        element = kind.element if isinstance(kind, ArrayType) else kind
        return element.bits if isinstance(element, ScalarType) else 32

    # ------------------------------------------------------------------------------- deciding

    def _group(self, variable: int) -> ArrayGroup | None:
        ident = self.analysis.group_of.get(variable)
        return self._groups.get(ident) if ident is not None else None

    def members(self, variable: int) -> tuple[int, ...]:
        """Variables that share the memory of one."""
        group = self._group(variable)
        return group.members if group is not None else (variable,)

    def _decide(self, variable: Variable) -> Memory:
        name = variable.name if variable.function is None else f"{variable.function}.{variable.name}"
        if isinstance(variable.type, StreamType):
            whole = PerDimLayout((DimLayout.of("whole", 1, None),))
            kind = self._bound(variable)[0] or "fifo"
            return Memory(variable.id, kind, self.target.ports(kind), whole, name, False)
        if (row := self._row(variable)) is not None:
            return replace(row, variable=variable.id, resource=row.resource or name, kept=self.target.arguments_alias)
        layout = self._layout(variable)
        storage, latency, resource, bound = self._bound(variable)
        auto = False
        if storage is None:
            storage, auto = self._default(variable, layout)
            if (
                storage == self.target.default_storage("local")
                and not auto
                and self._replicated(variable, layout.banks)
            ):
                storage, auto = REPLICATED, True
        if resource is None:
            resource = _bundle(None) if storage == BUS else name
        if storage == BUS and self.target.port_per_bank:
            layout = self._on_ports(variable, layout)
        single = (layout.banks > 1 and storage != BUS) or variable.id in self.packings
        if single and all(layout.depth(b) == 1 for b in (0, layout.banks - 1)):
            storage = REGISTERS
        kept = (variable.storage == "parameter" or self.interface(variable)) and self.target.arguments_alias
        ports = Ports() if variable.id in self.validation.apart else self.target.ports(storage)
        if auto and storage == REPLICATED:
            ports = Ports(None, 1, self.target.replicated_ports)
        ports, divided = self._divided(variable, storage, ports)
        return Memory(variable.id, storage, ports, layout, resource, auto, latency, bound, kept, divided)

    def _divided(
        self, variable: Variable, storage: str, ports: Ports
    ) -> tuple[Ports, Literal["no", "yes", "possibly"]]:
        """Ports that processes of a DATAFLOW region running beside leave (reports: one each of an argument's two)."""
        others = self._sharing.get(variable.id)
        if others is None or ports.unlimited or storage == BUS:
            return ports, "no"
        known = others.processes == ports.total == 2 and others.reading and self.interface(variable)
        return replace(ports, total=min(1, ports.total or 1)), "yes" if known else "possibly"

    def _row(self, variable: Variable) -> Memory | None:
        """The memory of a parameter that gets rows of arrays alike from all its callers; None where it does not."""
        found = self._slices.get(variable.id)
        if not found or not self._parameters_only(variable.id):
            return None
        rows = []
        for array, fixed in found:
            memory = self.memory(array)
            resource = memory.resource if memory.storage == BUS else ""
            layout = PerDimLayout(memory.layout.dims[fixed:])
            rows.append(replace(memory, variable=-1, resource=resource, auto=False, layout=layout))
        used = {len(a.index) for a in self.analysis.of_array(variable.id) if a.index is not None}
        return rows[0] if all(r == rows[0] for r in rows) and used <= {len(rows[0].layout.dims)} else None

    def _layout(self, variable: Variable) -> PerDimLayout:
        from hlspart.partition.layout import make_layout

        packed = self.packings.get(variable.id)
        if packed is not None:
            words = [p.words if p is not None else d for p, d in zip(packed, variable.dims, strict=True)]
            return PerDimLayout(tuple(DimLayout.of("whole", w if w is not None else 1 << 30, None) for w in words))
        group = self.validation.groups.get(self.analysis.group_of.get(variable.id, -1))
        parts = group.of(variable.id) if group is not None else ()
        split = self._constant_dims(variable) if not parts else frozenset()
        extents = variable.dims or self.analysis.shapes.get(variable.id, ())
        found = make_layout(extents, parts)
        if found is not None and not split:
            return self._ruled(found)
        used = max((len(a.index) for a in self.analysis.of_array(variable.id) if a.index is not None), default=1)
        dims = extents or (None,) * used
        return PerDimLayout(
            tuple(
                DimLayout.of("complete" if k in split else "whole", d if d is not None else 1 << 30, None)
                for k, d in enumerate(dims)
            )
        )

    def _on_ports(self, variable: Variable, layout: PerDimLayout) -> PerDimLayout:
        """The layout of an m_axi array whose banks have a port each."""
        from hlspart.partition.layout import make_layout

        asked = self.validation.ports.get(self.analysis.group_of.get(variable.id, -1), ())
        found = make_layout(layout.shape, asked) if variable.id not in self.packings else None
        return self._ruled(found) if found is not None else layout

    def _ruled(self, layout: PerDimLayout) -> PerDimLayout:
        """Block partitions of uneven extents by the tool's own rule."""
        if self.target.block_rule == "ceil":
            return layout
        return PerDimLayout(tuple(d.floored() for d in layout.dims))

    def _bound(self, variable: Variable) -> tuple[str | None, int | None, str | None, bool]:
        """(storage, read latency, resource, bound) as directives on the variable or its group say."""
        storage, latency, resource = None, None, None
        for member in (variable.id, *(m for m in self.members(variable.id) if m != variable.id)):
            for d in self._by_variable.get(member, ()):
                if d.kind != "interface" and not self._binds(member):
                    continue
                found, interface = self._says(d)
                if found is not None and storage is None:
                    storage = found
                    latency = d.values.get("latency")
                if interface is not None and resource is None:
                    resource = interface
            if storage is not None:
                break
        return storage, latency, resource, storage is not None

    def _binds(self, variable: int) -> bool:
        """Whether a storage directive on the variable itself has an effect."""
        known = self.program.variable(variable)
        top = known.storage == "parameter" and known.function in self.analysis.tops
        return self.target.bind_interface or not top

    def _says(self, d: Directive) -> tuple[str | None, str | None]:
        if d.kind == "bind_storage":
            kind = (d.option("type") or "").lower()
            return (kind if kind in self.target.profile["ports"] else None), None
        if d.kind == "resource":
            core = (d.option("core") or "").lower()
            for name, storage in _RESOURCE.items():
                if core.startswith(name):
                    return storage, None
            return None, None
        if d.kind == "interface":
            mode = (d.option("mode") or (d.options[0].name if d.options else "")).lower()
            kind = (d.option("storage_type") or "").lower()
            if kind in self.target.profile["ports"]:
                return kind, None
            if mode == BUS:
                return BUS, _bundle(d.option("bundle"))
            if mode in ("axis", "ap_fifo"):
                return mode.removeprefix("ap_"), None
            if mode in ("s_axilite", "ap_memory", "bram"):
                return mode, None
        return None, None

    def _default(self, variable: Variable, layout: PerDimLayout) -> tuple[str, bool]:
        target = self.target
        members = [self.program.variable(m) for m in self.members(variable.id)]
        role: Literal["local", "const", "interface"] = "local"
        if any(m.storage == "parameter" and m.function in self.analysis.tops for m in members) or all(
            m.storage == "parameter" for m in members
        ):
            role = "interface"
        if role == "interface":
            if isinstance(variable.type, PointerType) and self._scalar_port(variable):
                return REGISTERS, False
            storage = target.default_storage(role)
            return storage, False
        if self._constants(members):
            return target.default_storage("const"), True
        owners = (m for m in members if m.storage != "parameter" and not isinstance(m.type, PointerType))
        elements = max((math.prod(d or 0 for d in m.dims) for m in owners), default=0)
        if 0 < elements < target.complete_threshold or (elements > 0 and self._constant_only(variable, elements)):
            return REGISTERS, True
        return target.default_storage("local"), False

    def _constants(self, members: list[Variable]) -> bool:
        """Whether elements keep their initial values."""
        written = any(m.id in self._written for m in members)
        return not written and any(m.const or m.init is not None for m in members)

    @cached_property
    def tables(self) -> frozenset[int]:
        """Arrays whose elements are constants of the program, and whose memory no directive chooses."""
        return frozenset(v.id for v in self.program.arrays() if v.init is not None and self.constant(v))

    def constant(self, variable: Variable) -> bool:
        """Whether a memory holds constants only and is chosen by the tool."""
        members = [self.program.variable(m) for m in self.members(variable.id)]
        return self._constants(members) and not self._bound(variable)[3]

    def _scalar_port(self, variable: Variable) -> bool:
        accesses = self.analysis.of_array(variable.id)
        return bool(accesses) and all(
            a.index is not None and all(f is not None and not f.terms and f.const == 0 for f in a.index)
            for a in accesses
        )

    def _constant_only(self, variable: Variable, elements: int) -> bool:
        """Indexed by nothing but constants once inner loops are unrolled."""
        limit = self.target.constant_index_threshold
        return (not limit or elements <= limit) and len(self._constant_dims(variable)) == max(1, len(variable.dims))

    def _constant_dims(self, variable: Variable) -> frozenset[int]:
        """Dimensions of a local array that are indexed by nothing but constants once inner loops are unrolled.

        By the functions that get it as an argument, too.
        """
        members = [self.program.variable(m) for m in self.members(variable.id)]
        roots = [m for m in members if m.storage != "parameter"]
        # zero: a tool without automatic partitions
        if len(roots) != 1 or roots[0].storage == "static" or not self.target.complete_threshold:
            return frozenset()
        extents = roots[0].dims
        if self.interface(variable) or any(self._bound(m)[3] or m.dims[1:] != extents[1:] for m in members):
            return frozenset()
        accesses = [a for m in members for a in self.analysis.of_array(m.id)]
        if not accesses or any(a.index is None or len(a.index) != len(extents) for a in accesses):
            return frozenset()
        return frozenset(k for k in range(len(extents)) if all(self._constant(a, (a.index or ())[k]) for a in accesses))

    def _constant(self, access: Access, form: Affine | None) -> bool:
        """Whether an index is a constant once inner loops are unrolled."""
        names = {self.analysis.loops[x].iterator for x in access.loops if x in self.unrolled}
        return form is not None and set(form.names) <= names

    def unrolls(self, access: int) -> bool:
        """Whether the element of an access changes with a loop that is unrolled."""
        a = self._access.get(access)
        if a is None or a.index is None:
            return False
        names = {self.analysis.loops[x].iterator for x in a.loops if x in self.unrolled}
        return any(f is not None and names & set(f.names) for f in a.index)

    def behind_unrolling(self, variable: int) -> str:
        """Whether a load whose element stays through unrolling only leaves a loop that the tool pipelines by itself."""
        return self.target.behind_unrolling(self.interface(self.program.variable(variable)))

    def _replicated(self, variable: Variable, banks: int) -> bool:
        """Whether the tool copies a local memory for its reads: one write and more than two accesses an iteration.

        Counted per innermost loop that is not unrolled, accesses of different indices once.
        """
        members = [self.program.variable(m) for m in self.members(variable.id)]
        roots = [m for m in members if m.storage != "parameter"]
        if not self.target.replicated_ports or len(roots) != 1:
            return False
        found: dict[int, dict[str, dict[object, int]]] = {}
        for a in (a for m in members for a in self.analysis.of_array(m.id)):
            if not a.loops:
                continue
            copies, nest = 1, a.loops[0]
            for x in a.loops:
                info = self.analysis.loops[x]
                moves = a.index is None or any(f is None or f.coefficient(info.iterator or "") for f in a.index)
                if x not in self.unrolled:
                    nest = x
                    copies *= self._factor(x) if moves else 1
                elif moves:
                    copies *= info.trip_count.max or 1
            fixed = a.index is not None and all(self._constant(a, f) for f in a.index)
            if not (fixed and a.kind == "read"):
                found.setdefault(nest, {}).setdefault(a.kind, {})[a.index or a.ref] = copies
        loads = [
            (math.ceil(sum(x.get("read", {}).values()) / banks), math.ceil(sum(x.get("write", {}).values()) / banks))
            for x in found.values()
        ]
        return max((w for _, w in loads), default=0) <= 1 and max((r + w for r, w in loads), default=0) > 2

    def _factor(self, loop: int) -> int:
        """Copies of a loop's body that UNROLL asks for."""
        for d in self.program.directives:
            if d.usable and d.kind == "unroll" and d.loop == loop:
                return d.values.get("factor") or 1
        return 1

    # -------------------------------------------------------------------------------- results

    def implementation(self, variable: Variable) -> str | None:
        """Kind of memory that a directive asks for: "bram", "uram", "lutram", ..; None without one."""
        for d in self._by_variable.get(variable.id, ()):
            if d.kind == "bind_storage" and d.option("impl"):
                return (d.option("impl") or "").lower()
            if d.kind == "resource":
                ending = (d.option("core") or "").lower().rpartition("_")[2]
                if ending in ("bram", "uram", "lutram"):
                    return ending
        return None

    def interface(self, variable: Variable) -> bool:
        """Whether the array is an argument of a top function."""
        return any(
            m.storage == "parameter" and m.function in self.analysis.tops
            for m in map(self.program.variable, self.members(variable.id))
        )

    def unread(self, variable: int) -> bool:
        """Whether nothing loads what is stored in a local array."""
        group, members = self._group(variable), [self.program.variable(m) for m in self.members(variable)]
        local = all(m.storage in ("local", "parameter") and not m.volatile for m in members)
        if not local or self._parameters_only(variable) or self.interface(members[0]) or (group and group.faults):
            return False
        pointed = any(isinstance(v.type, PointerType) and v.storage != "parameter" for v in self.program.variables)
        return not pointed and not any(a.kind == "read" for m in members for a in self.analysis.of_array(m.id))

    def unseen(self, variable: int) -> bool:
        """Whether the array is an argument of a function whose callers pass what is no array of the program."""
        return self._parameters_only(variable) and self._row(self.program.variable(variable)) is None

    def ported(self, variable: int) -> bool:
        """Whether directives partition an m_axi array and it is not known what becomes of its port."""
        rows = ((self.memory(array), fixed) for array, fixed in self._slices.get(variable) or ())
        if any(m.storage == BUS and d.banks > 1 for m, fixed in rows for d in m.layout.dims[:fixed]):
            return True  # which of its ports
        asked = (x.variable for x in self.validation.statuses if x.code == "m-axi")
        known = self.target.port_per_bank and self.memory(variable).layout.banks > 1
        return not known and not set(asked).isdisjoint(self.members(variable))

    def bus_states(self, variable: int) -> tuple[int, int]:
        """States of a request and of a response at the m_axi port of an array."""
        return self.target.bus_states(self.memory(variable).latency)

    def widened(self, variable: int) -> bool:
        """Whether a directive lets the tool widen the port of an array."""
        found = (d for m in self.members(variable) for d in self._by_variable.get(m, ()))
        return any(d.has("max_widen_bitwidth") for d in found)

    def splits(self, variable: int, origin: str) -> bool:
        """Whether the tool may partition an array by itself for a loop pipelined by ``origin``."""
        loops = self.target.partitions_for
        if loops == "nothing" or (loops == "pragmas" and origin == "auto") or self.memory(variable).bound:
            return False
        return not self.interface(self.program.variable(variable)) and not self._parameters_only(variable)

    def _parameters_only(self, variable: int) -> bool:
        members = [self.program.variable(m) for m in self.members(variable)]
        return all(m.storage == "parameter" and m.function not in self.analysis.tops for m in members)

    def partition(self, variable: Variable, memory: Memory) -> tuple[DimPartition, ...]:
        """The partition of an array, with its origin."""
        group = self.validation.groups.get(self.analysis.group_of.get(variable.id, -1))
        dims = group.of(variable.id) if group is not None else ()
        split = self._constant_dims(variable) if not dims else frozenset()
        if split and not memory.registers:
            return tuple(DimPartition(k + 1, "complete", variable.dims[k] or 1, "auto") for k in sorted(split))
        if not dims and memory.registers and memory.auto:
            return tuple(DimPartition(k + 1, "complete", d or 1, "auto") for k, d in enumerate(variable.dims))
        return dims


def _bundle(name: str | None) -> str:
    """Resource of the m_axi ports of one bundle."""
    return f"{BUS} {name or 'gmem'}"
