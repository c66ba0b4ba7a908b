"""The memory of each array: kind, ports and layout, from directives and what the tool does by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from msgspec.structs import replace

from hlspart.hardware.arrays import Arrays
from hlspart.hardware.automatic import Automatic
from hlspart.hardware.bindings import Bindings, bundle
from hlspart.hardware.memory import BUS, REPLICATED, Memory
from hlspart.hardware.regions import sharing
from hlspart.hardware.reshape import Packed, packings
from hlspart.hardware.slices import Slice, slices
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import PARTITION_TYPES
from hlspart.model.ports import Ports
from hlspart.model.program import ArrayType, Program, StreamType, Variable
from hlspart.model.results import DimPartition, Validation
from hlspart.targets import Target
from hlspart.targets.target import REGISTERS

OPEN = 1 << 30  # words: stands for an extent that is not known


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
        self.around = around
        self.arrays = Arrays(program, analysis)
        self.bindings = Bindings(self.arrays, target)
        self.automatic = Automatic(self.arrays, self.bindings, target, unrolled)
        self.packings = self._spread(packings(program))
        self._slices: dict[int, frozenset[Slice] | None] = slices(program) if around is None else around._slices
        self._memories: dict[int, Memory] = {}
        self._sharing = sharing(program, analysis)

    def _spread(self, packed: Mapping[int, tuple[Packed | None, ...]]) -> dict[int, tuple[Packed | None, ...]]:
        """Words of reshaped arrays, of the parameters too that calls hand them to."""
        shapes = self.analysis.shapes
        members = {m: v for v in packed for m in self.arrays.members(v)}
        return {m: packed[v] for m, v in members.items() if m == v or shapes.get(m) == shapes.get(v)}

    def memory(self, variable: int) -> Memory:
        """The memory of a variable."""
        if variable not in self._memories:
            known = self._knowing(variable)
            own = known is self
            self._memories[variable] = self._decide(self.program.variable(variable)) if own else known.memory(variable)
        return self._memories[variable]

    def _knowing(self, variable: int) -> Storage:
        """What sees the callers that hand the array on: not the copy of a function whose calls are expanded."""
        within = self.around is not None and variable < len(self.around.program.variables)
        return self.around if self.around is not None and within else self

    def _decide(self, variable: Variable) -> Memory:
        name = variable.name if variable.function is None else f"{variable.function}.{variable.name}"
        element = variable.type.element if isinstance(variable.type, ArrayType) else variable.type
        if isinstance(element, StreamType):  # of an array of streams each is a channel of its own
            each = round(_CHANNELS ** (1 / max(1, variable.dims.count(None))))
            extents = [d if d is not None else each for d in variable.dims]
            dims = [DimLayout.of("complete", d, None) for d in extents] or [DimLayout.of("whole", 1, None)]
            kind = self.bindings.channel(variable)
            return Memory(variable.id, kind, self.target.ports(kind), PerDimLayout(tuple(dims)), name, False)
        if (row := self._row(variable)) is not None:
            return replace(row, variable=variable.id, resource=row.resource or name, kept=self.target.arguments_alias)
        layout = self._layout(variable)
        storage, latency, resource, bound = self.bindings.of(variable)
        auto = False
        if storage == "s_axilite" and self.automatic.kind(variable)[0] == REGISTERS:
            storage, bound = None, False  # UG1399: scalars are registers of the adapter, arrays memories in it
        if storage is None:
            storage, auto = self.automatic.kind(variable)
            if (
                storage == self.target.default_storage("local")
                and not auto
                and self.automatic.is_replicated(variable, [d.banks for d in layout.dims])
            ):
                storage, auto = REPLICATED, True
        if resource is None:
            resource = bundle(None) if storage == BUS else name
        if storage == BUS and self.target.port_per_bank:
            layout = self._on_ports(variable, layout)
        single = (layout.banks > 1 and storage != BUS) or variable.id in self.packings
        if single and all(layout.depth(b) == 1 for b in (0, layout.banks - 1)):
            storage = REGISTERS
        kept = (variable.storage == "parameter" or self.arrays.is_interface(variable)) and self.target.arguments_alias
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
        known = others.processes == ports.total == 2 and others.reading and self.arrays.is_interface(variable)
        return replace(ports, total=min(1, ports.total or 1)), "yes" if known else "possibly"

    def _row(self, variable: Variable) -> Memory | None:
        """The memory of a parameter that gets rows of arrays alike from all its callers; None where it does not."""
        slices = self._slices.get(variable.id)
        if not slices or not self.arrays.are_parameters(variable.id):
            return None
        rows = []
        for array, fixed in slices:
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
            return PerDimLayout(tuple(DimLayout.of("whole", w if w is not None else OPEN, None) for w in words))
        group = self.validation.groups.get(self.analysis.group_of.get(variable.id, -1))
        parts = group.of(variable.id) if group is not None else ()
        split = self.automatic.constant_dims(variable) if not parts else frozenset()
        extents = variable.dims or self.analysis.shapes.get(variable.id, ())
        layout = make_layout(extents, parts)
        if layout is not None and not split:
            return self._ruled(layout)
        used = max((len(a.index) for a in self.analysis.of_array(variable.id) if a.index is not None), default=1)
        dims = extents or (None,) * used
        asked, alone = {p.dim - 1: p for p in parts}, split | self._of_open.get(variable.id, (frozenset(), True))[0]
        several = sum(dims[k] is None for k in alone if k < len(dims))
        if several > 1 and len(alone) < len(dims):
            alone = frozenset()  # more banks than are told apart
        each = round(_CHANNELS ** (1 / max(1, several)))

        def of(k: int, extent: int | None) -> DimLayout:
            if k in alone:
                return DimLayout.of("complete", extent if extent is not None else each, None)
            part = asked.get(k) if extent is not None else None
            factor = part.factor if part is not None else None
            return DimLayout.of("whole" if part is None else part.type, OPEN if extent is None else extent, factor)

        return PerDimLayout(tuple(of(k, d) for k, d in enumerate(dims)))

    def _on_ports(self, variable: Variable, layout: PerDimLayout) -> PerDimLayout:
        """The layout of an m_axi array whose banks have a port each."""
        from hlspart.partition.layout import make_layout

        asked = self.validation.ports.get(self.analysis.group_of.get(variable.id, -1), ())
        divided = make_layout(layout.shape, asked) if variable.id not in self.packings else None
        return self._ruled(divided) if divided is not None else layout

    def _ruled(self, layout: PerDimLayout) -> PerDimLayout:
        """Block partitions of uneven extents by the tool's own rule."""
        if self.target.block_rule == "ceil":
            return layout
        return PerDimLayout(tuple(d.floored() for d in layout.dims))

    def has_unknown_callers(self, variable: int) -> bool:
        """Whether the array is an argument of a function whose callers pass what is no array of the program."""
        record, outer = self.program.variable(variable), self._knowing(variable)
        element = record.type.element if isinstance(record.type, ArrayType) else record.type
        if isinstance(element, StreamType) and not element.burst:
            return False  # whichever it is, it takes a word at a time
        if outer is not self:
            return outer.has_unknown_callers(variable)
        return self.arrays.are_parameters(variable) and self._row(record) is None

    def has_open_partition(self, variable: int) -> bool:
        """Whether a directive splits an array along a dimension of unknown extent, which then counts as whole."""
        if (outer := self._knowing(variable)) is not self:
            return outer.has_open_partition(variable)
        return variable in self._of_open and not self._of_open[variable][1]

    def is_memory_of_one(self, variable: int) -> bool:
        """Whether an array of unknown extents is registers by a directive that splits it, and of one element not."""
        if (outer := self._knowing(variable)) is not self:
            return outer.is_memory_of_one(variable)
        record, members = self.program.variable(variable), self.arrays.members(variable)
        if variable not in self._of_open or not {*record.dims} <= {None, 1} or not self.memory(variable).registers:
            return False
        passed = all(self.program.variable(m).storage == "parameter" for m in members)
        return passed or self.target.complete_threshold <= 1

    @cached_property
    def _of_open(self) -> Mapping[int, tuple[frozenset[int], bool]]:
        """Arrays that directives split along dimensions of unknown extents, or by factors that nothing here says: the
        dimensions whose elements all stand alone, however many they are, and whether there are no other banks."""
        apart: dict[int, tuple[frozenset[int], bool]] = {}
        extents = {s.directive for s in self.validation.statuses if s.code == "open-extent"}
        for number, d in enumerate(self.program.directives):
            if number not in extents and not d.asks_open_banks:
                continue
            dim, known = d.values.get("dim", 1), number in extents and not d.has("off")
            known = known and (d.choice("type", PARTITION_TYPES) or "complete") == "complete"
            for m in {m for v in d.variables for m in self.arrays.members(v)}:
                rank = len(self.program.variable(m).dims)
                own = frozenset(range(rank)) if dim == 0 else frozenset((dim - 1,))
                before, all_ = apart.get(m, (frozenset[int](), True))
                known_here = known and dim <= rank
                apart[m] = (before | own if known_here else before, all_ and known_here)
        for m, (own_dims, _) in apart.items():
            dims = self.program.variable(m).dims
            open_ = sum(dims[k] is None for k in own_dims)
            if open_ > 1 and len(own_dims) < len(dims):
                apart[m] = frozenset(), False  # more banks than are told apart
        return apart

    def has_split_rows(self, variable: int) -> bool:
        """Whether a function asks to split the rows that it is passed, which what they are rows of does not say."""
        members = self.arrays.members(variable)
        own = {array for m in members for array, _ in self._slices.get(m) or ()}
        return not self._split_rows.isdisjoint(own | set(members))

    @cached_property
    def _split_rows(self) -> frozenset[int]:
        """The arrays with such rows."""
        arrays = set[int]()
        for status in self.validation.statuses:
            if status.code == "partial-subscript" and status.variable is not None:
                dim = self.program.directives[status.directive].values.get("dim", 1)
                members = self.arrays.members(status.variable)
                for array, fixed in (row for m in members for row in self._slices.get(m) or ()):
                    dims = self.memory(array).layout.dims[fixed:]
                    if any(d.banks == 1 for d in (dims if dim == 0 else dims[dim - 1 : dim])):
                        arrays.add(array)
        return frozenset(arrays)

    def has_unknown_ports(self, variable: int) -> bool:
        """Whether directives partition an m_axi array and it is not known what becomes of its port."""
        if (outer := self._knowing(variable)) is not self:
            return outer.has_unknown_ports(variable)
        rows = ((self.memory(array), fixed) for array, fixed in self._slices.get(variable) or ())
        if any(m.storage == BUS and d.banks > 1 for m, fixed in rows for d in m.layout.dims[:fixed]):
            return True  # which of its ports
        asked = (x.variable for x in self.validation.statuses if x.code == "m-axi")
        known = self.target.port_per_bank and self.memory(variable).layout.banks > 1
        return not known and not set(asked).isdisjoint(self.arrays.members(variable))

    def bus_states(self, variable: int) -> tuple[int, int]:
        """States of a request and of a response at the m_axi port of an array."""
        return self.target.bus_states(self.memory(variable).latency)

    def partition(self, variable: Variable, memory: Memory) -> tuple[DimPartition, ...]:
        """The partition of an array, with its origin."""
        group = self.validation.groups.get(self.analysis.group_of.get(variable.id, -1))
        dims = group.of(variable.id) if group is not None else ()
        split = self.automatic.constant_dims(variable) if not dims else frozenset()
        if split and not memory.registers:
            return tuple(DimPartition(k + 1, "complete", variable.dims[k] or 1, "auto") for k in sorted(split))
        if not dims and memory.registers and memory.auto:
            return tuple(DimPartition(k + 1, "complete", d or 1, "auto") for k, d in enumerate(variable.dims))
        return dims

    def may_partition(self, variable: int, origin: str) -> bool:
        """Whether the tool may partition an array by itself for a loop pipelined by ``origin``."""
        if (outer := self._knowing(variable)) is not self:
            return outer.may_partition(variable, origin)
        loops = self.target.partitions_for
        if loops == "nothing" or (loops == "pragmas" and origin == "auto"):
            return False
        # reports of 2023.2 and 2025.1: II 1 for 16 stores an iteration into a memory that a directive binds
        memory = self.memory(variable)
        if memory.bound and loops != "all":
            return False
        # a report of 2023.2 (gct02/AHLS): an array that copies serve is not partitioned for such a loop
        if memory.storage == REPLICATED and origin == "auto":
            return False
        return not self.arrays.is_interface(self.program.variable(variable)) and not self.arrays.are_parameters(
            variable
        )


_CHANNELS = 1 << 12  # taken for all streams of an array whose extents are not known: an open index may mean each
