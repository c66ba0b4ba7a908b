"""The memory and the port that directives ask for: BIND_STORAGE, RESOURCE, INTERFACE (UG1399)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from hlspart.hardware.arrays import Arrays
from hlspart.hardware.memory import BUS, FIFO, STREAMS
from hlspart.model.directives import Directive
from hlspart.model.program import ArrayRef, Name, Program, StreamType, Variable
from hlspart.semantics.effects import effects
from hlspart.targets import Target

_RESOURCE = {
    "ram_1p": "ram_1p", "ram_2p": "ram_2p", "ram_t2p": "ram_t2p", "ram_s2p": "ram_s2p", "rom_1p": "rom_1p",
    "rom_2p": "rom_2p", "rom_np": "rom_np",
}  # fmt: skip


class Bindings(Struct, frozen=True, dict=True):
    """What directives say of the memory of each array."""

    arrays: Arrays
    target: Target

    @property
    def program(self) -> Program:
        """The program of the arrays."""
        return self.arrays.program

    @cached_property
    def _by_variable(self) -> Mapping[int, list[Directive]]:
        directives: dict[int, list[Directive]] = {}
        for d in self.program.directives:
            if d.kind in ("bind_storage", "resource", "interface", "array_reshape", "stream") and d.usable:
                for variable in d.variables:
                    if d.kind != "interface" or self._has_port(variable, d):
                        directives.setdefault(variable, []).append(d)
        return directives

    def _has_port(self, variable: int, interface: Directive) -> bool:
        """Whether INTERFACE is about a port: one of a called function is ignored, but that of a channel."""
        record = self.program.variable(variable)
        at_top = record.storage != "parameter" or record.function in self.arrays.analysis.tops
        return at_top or self._says(interface)[0] in STREAMS

    def of(self, variable: Variable) -> tuple[str | None, int | None, str | None, bool]:
        """(storage, read latency, resource, bound) as directives on the variable or its group say."""
        storage, latency, resource = None, None, None
        for member in (variable.id, *(m for m in self.arrays.members(variable.id) if m != variable.id)):
            for d in self._by_variable.get(member, ()):
                if d.kind != "interface" and not self._has_effect(member):
                    continue
                binding, interface = self._says(d)
                if binding is not None and (storage is None or _replaces(binding, storage)):
                    storage = binding
                    latency = d.values.get("latency")
                if interface is not None and resource is None:
                    resource = interface
            if storage is not None:
                break
        return storage, latency, resource, storage is not None

    def channel(self, variable: Variable, through: frozenset[int] = frozenset()) -> str:
        """Whether a stream is an axis port or a fifo: a parameter is what all calls hand over."""
        said = self.of(variable)[0]
        if said is not None or variable.id in through:
            return said or FIFO
        handed = (self.program.variable(v) for v in self._handed.get(variable.id, ()))
        kinds = {self.channel(v, through | {variable.id}) for v in handed}
        return kinds.pop() if len(kinds) == 1 else FIFO

    @cached_property
    def _handed(self) -> Mapping[int, set[int]]:
        """Streams that calls hand to the parameters of functions."""
        handed: dict[int, set[int]] = {}
        for call in (x for calls in effects(self.program).calls.values() for x in calls):
            callee = self.program.functions.get(call.function or "")
            for formal, given in zip(callee.params if callee is not None else (), call.args, strict=False):
                if isinstance(given, Name | ArrayRef) and isinstance(given.type, StreamType):
                    handed.setdefault(formal, set()).add(given.variable)
        return handed

    def _has_effect(self, variable: int) -> bool:
        """Whether a storage directive on the variable itself has an effect."""
        known = self.program.variable(variable)
        top = known.storage == "parameter" and known.function in self.arrays.analysis.tops
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
                return BUS, bundle(d.option("bundle"))
            if mode in ("axis", "ap_fifo"):
                return mode.removeprefix("ap_"), None
            if mode in ("s_axilite", "ap_memory", "bram"):
                return mode, None
        return None, None

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

    def greatest_width(self, variable: int) -> int:
        """Width to which the tool may widen the port of an array by itself or as a directive lets it, else 0."""
        members = self.arrays.members(variable)
        if any(self.program.variable(m).volatile for m in members):
            return 0  # what is not a burst is not widened, and a volatile access is none
        directives = (d for m in members for d in self._by_variable.get(m, ()))
        return _WIDEST if any(d.has("max_widen_bitwidth") for d in directives) else self.target.widest_port

    def is_bound(self, variable: Variable) -> bool:
        """Whether a directive chooses the memory."""
        return self.of(variable)[3]


_WIDEST = 1024  # that INTERFACE takes


def _replaces(later: str, earlier: str) -> bool:
    """Whether a directive takes the place of an earlier one: RESOURCE says how many ports INTERFACE has (UG902).

    A report of Vivado HLS 2017.4 has the single port of RAM_1P before and behind INTERFACE bram.
    """
    return later in _RESOURCE.values() and earlier in ("bram", "ap_memory")


def bundle(name: str | None) -> str:
    """Resource of the m_axi ports of one bundle."""
    return f"{BUS} {name or 'gmem'}"
