"""Ways to a faster loop, each written out and predicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

WayKind = Literal["as-written", "pragma", "banks", "banks-at-ports", "reuse", "accumulators", "combined"]


@dataclass(frozen=True, slots=True)
class Way:
    """One text of the whole file, seen from one loop.

    ``ii`` of the loop (None: unknown, or the loop went into another), ``latency`` in cycles of its function; the
    rest is of all files: BRAM18K, URAM, DSP of operators (None: unknown), LUT and FF of memories and selections, and
    ``top_ports``, memories and scalars at the ports of top functions. ``command`` None: there is nothing to write.
    """

    kind: WayKind
    description: str
    ii: int | None
    latency: int | None
    bram18k: int
    uram: int
    dsp: int | None
    lut: int
    ff: int
    top_ports: int
    command: str | None
    default: bool = False

    def to_json(self) -> dict[str, object]:
        """Entry of ``ways``."""
        return {
            "kind": self.kind, "description": self.description, "ii": self.ii, "latency": self.latency,
            "bram18k": self.bram18k, "uram": self.uram, "dsp": self.dsp, "lut": self.lut, "ff": self.ff,
            "top_ports": self.top_ports, "command": self.command, "default": self.default,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class LoopAdvice:
    """The ways of one pipelined loop, the best first; ``path`` is the file that it stands in."""

    path: str
    function: str
    name: str
    line: int
    target_ii: int | None
    ii: int | None
    ways: tuple[Way, ...]

    def to_json(self) -> Mapping[str, object]:
        """Entry of ``loops``."""
        return {
            "function": self.function, "name": self.name, "line": self.line, "target_ii": self.target_ii,
            "ii": self.ii, "ways": [w.to_json() for w in self.ways],
        }  # fmt: skip
