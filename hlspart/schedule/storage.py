"""The memory of each array: kind, ports, layout and size, from directives and the tool's defaults."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hlspart.layouts.perdim import DimLayout, PerDimLayout
from hlspart.model.access import AccessAnalysis, ArrayGroup
from hlspart.model.directives import Directive
from hlspart.model.ports import Ports
from hlspart.model.program import ArrayType, PointerType, Program, ScalarType, StreamType, Variable
from hlspart.model.results import ArrayResult, DimPartition, Validation
from hlspart.schedule.folding import bits
from hlspart.targets import Target
from hlspart.targets.target import REGISTERS

_RESOURCE = {
    "ram_1p": "ram_1p", "ram_2p": "ram_2p", "ram_t2p": "ram_t2p", "ram_s2p": "ram_s2p", "rom_1p": "rom_1p",
    "rom_2p": "rom_2p", "rom_np": "rom_np",
}  # fmt: skip


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
    kept: bool = False  # every store reaches the interface

    @property
    def registers(self) -> bool:
        """Whether every element is a register."""
        return self.storage == REGISTERS


class Storage:
    """Memories of a program under its validated partitions."""

    def __init__(
        self,
        program: Program,
        analysis: AccessAnalysis,
        validation: Validation,
        target: Target,
        unrolled: frozenset[str] = frozenset(),
        around: Storage | None = None,
        given: Mapping[int, Memory] | None = None,
    ) -> None:
        """``unrolled``: iterators of unrolled loops. ``around`` knows its own variables. ``given``: decided ones."""
        self.program, self.analysis, self.validation, self.target = program, analysis, validation, target
        self.unrolled, self.around = unrolled, around
        self._groups = {g.id: g for g in analysis.groups}
        self._by_variable: dict[int, list[Directive]] = {}
        for d in program.directives:
            if d.usable and d.kind in ("bind_storage", "resource", "interface", "array_reshape", "stream"):
                for variable in d.variables:
                    self._by_variable.setdefault(variable, []).append(d)
        self._written = {a.array for a in analysis.accesses if a.kind == "write"}
        self._memories: dict[int, Memory] = dict(given or {})

    def memory(self, variable: int) -> Memory:
        """The memory of a variable."""
        if variable in self._memories:
            return self._memories[variable]
        if self.around is not None and variable < len(self.around.program.variables):
            self._memories[variable] = self.around.memory(variable)
        else:
            self._memories[variable] = self._decide(self.program.variable(variable))
        return self._memories[variable]

    def changed(self, memories: Mapping[int, Memory]) -> Storage:
        """The same with other memories for some variables."""
        return Storage(self.program, self.analysis, self.validation, self.target, self.unrolled, self.around, memories)

    # ------------------------------------------------------------------------------- deciding

    def _group(self, variable: int) -> ArrayGroup | None:
        ident = self.analysis.group_of.get(variable)
        return self._groups.get(ident) if ident is not None else None

    def _members(self, variable: int) -> tuple[int, ...]:
        group = self._group(variable)
        return group.members if group is not None else (variable,)

    def _decide(self, variable: Variable) -> Memory:
        name = variable.name if variable.function is None else f"{variable.function}.{variable.name}"
        if isinstance(variable.type, StreamType):
            whole = PerDimLayout((DimLayout.of("whole", 1, None),))
            return Memory(variable.id, "fifo", self.target.ports("fifo"), whole, name, False)
        layout = self._layout(variable)
        storage, latency, resource, bound = self._bound(variable)
        auto = False
        if storage is None:
            storage, auto = self._default(variable, layout)
        if resource is None:
            resource = name
        if layout.banks > 1 and all(layout.depth(b) == 1 for b in (0, layout.banks - 1)):
            storage = REGISTERS
        kept = self._interface(variable) and not self.target.promote_interface
        ports = Ports() if variable.id in self.validation.apart else self.target.ports(storage)
        return Memory(variable.id, storage, ports, layout, resource, auto, latency, bound, kept)

    def _layout(self, variable: Variable) -> PerDimLayout:
        from hlspart.partition import layout_of

        found = layout_of(self.validation, self.analysis, self.program, variable.id)
        if found is not None:
            return self._ruled(found)
        dims = variable.dims or (1,)
        return PerDimLayout(tuple(DimLayout.of("whole", d if d is not None else 1 << 30, None) for d in dims))

    def _ruled(self, layout: PerDimLayout) -> PerDimLayout:
        """Block partitions of uneven extents by the tool's own rule."""
        if self.target.block_rule == "ceil":
            return layout
        dims = []
        for d in layout.dims:
            if d.kind == "block" and d.extent % d.banks:
                d = DimLayout("block", d.extent, d.banks, d.extent // d.banks)
            dims.append(d)
        return PerDimLayout(tuple(dims))

    def _bound(self, variable: Variable) -> tuple[str | None, int | None, str | None, bool]:
        """(storage, read latency, resource, bound) as directives on the variable or its group say."""
        storage, latency, resource = None, None, None
        for member in (variable.id, *(m for m in self._members(variable.id) if m != variable.id)):
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
            if mode == "m_axi":
                return "m_axi", f"m_axi {d.option('bundle') or 'gmem'}"
            if mode in ("axis", "ap_fifo"):
                return "fifo", None
            if mode in ("s_axilite", "ap_memory", "bram"):
                return mode, None
        return None, None

    def _default(self, variable: Variable, layout: PerDimLayout) -> tuple[str, bool]:
        target = self.target
        members = [self.program.variable(m) for m in self._members(variable.id)]
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
        if not any(m.id in self._written for m in members) and any(m.const or m.init is not None for m in members):
            return target.default_storage("const"), True
        elements = math.prod(d or 0 for d in variable.dims)
        if 0 < elements < target.complete_threshold or (elements > 0 and self._constant_only(variable, elements)):
            return REGISTERS, True
        return target.default_storage("local"), False

    def _scalar_port(self, variable: Variable) -> bool:
        accesses = self.analysis.of_array(variable.id)
        return all(
            a.index is not None and all(f is not None and not f.terms and f.const == 0 for f in a.index)
            for a in accesses
        )

    def _constant_only(self, variable: Variable, elements: int) -> bool:
        """Indexed by nothing but constants once inner loops are unrolled."""
        limit = self.target.constant_index_threshold
        if limit and elements > limit:
            return False
        if variable.storage == "static" or len(self._members(variable.id)) > 1:
            return False
        accesses = self.analysis.of_array(variable.id)
        return bool(accesses) and all(
            a.index is not None and all(f is not None and set(f.names) <= self.unrolled for f in a.index)
            for a in accesses
        )

    # -------------------------------------------------------------------------------- results

    def results(self) -> tuple[ArrayResult, ...]:
        """One record per array."""
        return tuple(self._result(v) for v in self.program.arrays() if self._visible(v))

    def _visible(self, variable: Variable) -> bool:
        return not variable.extern or bool(self.analysis.of_array(variable.id))

    def _result(self, variable: Variable) -> ArrayResult:
        memory = self.memory(variable.id)
        element = variable.type.element if isinstance(variable.type, ArrayType) else variable.type
        width = bits(element) if isinstance(element, ScalarType) else _struct_bits(element)
        known = all(d is not None for d in variable.dims)
        layout = memory.layout
        depths = tuple(layout.depth(b) for b in range(layout.banks)) if known and not memory.registers else ()
        if memory.registers and known:
            depths = (1,) * math.prod(d or 1 for d in variable.dims)
        on_chip = memory.storage not in ("m_axi", "s_axilite", "fifo", "ap_memory") and not self._interface(variable)
        blocks = 0
        if on_chip and not memory.registers:
            blocks = sum(self.target.bram18k(d, width) for d in depths if d > 1 and not self.target.is_lutram(d, width))
        flip_flops = width * (len(depths) if memory.registers else sum(d == 1 for d in depths)) if on_chip else 0
        return ArrayResult(
            variable=variable.id,
            name=variable.name,
            function=variable.function,
            line=self.program.line(variable.at),
            dims=variable.dims,
            element_bits=width,
            storage=memory.storage,
            ports=None if memory.registers else self.target.port_names(memory.storage),
            banks=len(depths) if memory.registers and known else layout.banks,
            bank_depths=depths,
            auto=memory.auto,
            partition=self._partition(variable, memory),
            bram18k=blocks,
            registers=flip_flops,
        )

    def _interface(self, variable: Variable) -> bool:
        return any(
            m.storage == "parameter" and m.function in self.analysis.tops
            for m in map(self.program.variable, self._members(variable.id))
        )

    def _partition(self, variable: Variable, memory: Memory) -> tuple[DimPartition, ...]:
        group = self.validation.groups.get(self.analysis.group_of.get(variable.id, -1))
        dims = group.dims if group is not None else ()
        if not dims and memory.registers and memory.auto:
            return tuple(DimPartition(k + 1, "complete", d or 1, "auto") for k, d in enumerate(variable.dims))
        return dims


def _struct_bits(element: object) -> int:
    members: Mapping[str, object] = dict(getattr(element, "members", ()))
    return sum(bits(m) if isinstance(m, ScalarType) else 32 for m in members.values()) or 32
