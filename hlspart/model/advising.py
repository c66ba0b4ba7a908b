"""Ways to a faster loop, each written out and predicted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from hlspart.model.results import Proof

FILES = "{files}"  # stands in a command for the files
WayKind = Literal[
    "as-written",
    "pragma",
    "banks",
    "banks-at-ports",
    "reuse",
    "interchange",
    "scalars",
    "dependences",
    "bundles",
    "accumulators",
    "combined",
]


class Way(Struct, frozen=True):
    """One text of the whole file, seen from one loop.

    ``ii`` of the loop (None: unknown, or the loop went into another), ``latency`` in cycles of its function; the
    rest is of all files: BRAM18K, URAM, DSP of operators (None: unknown), LUT and FF of memories and selections, and
    ``top_ports``, memories, scalars and buses at the ports of top functions. ``command``: with {files}, None
    where there is nothing to write.
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

    def written_by(self, files: str) -> str | None:
        """The command, for ``files`` as a shell reads them."""
        return None if self.command is None else self.command.replace(FILES, files)

    def to_json(self, files: str) -> dict[str, object]:
        """Entry of ``ways``."""
        return {
            "kind": self.kind, "description": self.description, "ii": self.ii, "latency": self.latency,
            "bram18k": self.bram18k, "uram": self.uram, "dsp": self.dsp, "lut": self.lut, "ff": self.ff,
            "top_ports": self.top_ports, "command": self.written_by(files), "default": self.default,
        }  # fmt: skip


#: Before the ways that the budget left out, in the description of the text as it is.
NOT_TRIED = "; not tried, for the budget: "


class LoopAdvice(Struct, frozen=True):
    """The ways of one pipelined loop, the best first; ``path`` is the file that it stands in."""

    path: str
    function: str
    name: str
    line: int
    target_ii: int | None
    ii: int | None
    ways: tuple[Way, ...]
    proof: Proof | None = None  # why no text with the same operations in the same order has a lower II

    @property
    def first(self) -> Way | None:
        """The way to take, None where nothing that is checked is better than the text as it is."""
        return self.ways[0] if self.ways and self.ways[0].command is not None else None

    @property
    def proved(self) -> Proof | None:
        """The proof, where it explains what is left: the way to take goes no lower."""
        first = self.first
        lower = self.proof is not None and first is not None and (first.ii or 1) < self.proof.ii
        return None if lower else self.proof

    def advised(self, files: str) -> str:
        """The first way in a sentence, or that there is none; ``files`` as in :meth:`Way.written_by`."""
        return self._advised(files) + (f"; {self.proved.text}" if self.proved is not None else "")

    def _advised(self, files: str) -> str:
        way = self.first or next((w for w in self.ways if w.kind == "accumulators"), None)
        if way is not None:
            asked = "" if way is self.first else " (if sums may change their order)"
            return f"{_in_short(way)}{asked}: {way.written_by(files)}"
        dear = next((w for w in self.ways if w.command is not None), None)
        if dear is None:
            return none_better(w.description for w in self.ways)
        now = next((w.top_ports for w in self.ways if w.kind == "as-written"), dear.top_ports)
        more = dear.top_ports - now
        price = f"with {more} more port{'s' * (more > 1)} of the top function" if more > 0 else (
            f"at a price of {dear.lut} LUT and {dear.ff} FF"
        )  # fmt: skip
        return f"kept as it is; {price}, {_in_short(dear)}: {dear.written_by(files)}"

    def to_json(self, files: str) -> Mapping[str, object]:
        """Entry of ``loops``."""
        return {
            "function": self.function, "name": self.name, "line": self.line, "target_ii": self.target_ii,
            "ii": self.ii, "ways": [w.to_json(files) for w in self.ways],
            "proof": None if self.proved is None else self.proved.to_json(),
        }  # fmt: skip


def none_better(descriptions: Iterable[str]) -> str:
    """That no way of a loop is better than the text as it is, with what the budget left out."""
    untried = next((d.partition(NOT_TRIED)[2].partition(";")[0] for d in descriptions if NOT_TRIED in d), "")
    return (
        f"no way that was tried is better{NOT_TRIED}{untried}" if untried else "no way that hlspart can write is better"
    )


def _in_short(way: Way) -> str:
    return f"{way.description.partition(';')[0]}, II {'?' if way.ii is None else way.ii}"
