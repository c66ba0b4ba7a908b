"""The memory of one array, as the scheduler sees it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.ports import Ports
from hlspart.targets.target import REGISTERS

REPLICATED = "ram_1wnr"
AXIS = "axis"
FIFO = "fifo"
STREAMS = frozenset({FIFO, AXIS})  # without addresses
BUS = "m_axi"


class Memory(Struct, frozen=True):
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
