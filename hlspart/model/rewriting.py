"""What a rewrite did: new texts, where each array went, and how parameters and lines map.

``RewriteResult`` is the value of ``hlspart.rewrite.rewrite``; :class:`ArrayMapping` is also what
``rewrite --map`` writes and ``verify --map`` reads (schema ``hlspart.map/1``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct, field

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.inferred import BankingMap
from hlspart.model.source import Edit, Origin

Style = Literal["split", "bankdim", "crossbar", "reuse"]

TARGET_MISSED = "rewrite-target-missed"
PLACE_MOVED = "rewrite-place"  # the new text would change what __LINE__, __COUNTER__ or asm is
NOT_HELPED = "rewrite-not-helped"  # the same of a loop without a target
NOT_TRIED = "rewrite-not-tried"
UNCHECKED = "rewrite-unchecked"  # written as asked for, but too long to be read back


class DimMapping(Struct, frozen=True):
    """One dimension of the old array: index -> (bank coordinate, local coordinate).

    cyclic: (i mod banks, i div banks). block: (i div block, i mod block). complete: (i, dropped).
    whole: (none, i).
    """

    kind: Literal["whole", "cyclic", "block", "complete"]
    extent: int
    banks: int
    block: int


class BankArray(Struct, frozen=True):
    """One C array of the output; ``shape`` () is a scalar."""

    name: str
    shape: tuple[int, ...]


class ArrayMapping(Struct, frozen=True):
    """Where the elements of one old array are in the output.

    split: ``arrays[b]`` for the flat bank number b (row-major over the partitioned dimensions, in
    ascending order), indexed by the local coordinates of all dimensions that are not complete
    (by ``[0]``, shape (1,), when none is left and the bank is no scalar).
    bankdim: one array, indexed by the bank coordinates of the partitioned dimensions in ascending
    order, then by those local coordinates; short banks are padded to the longest.
    crossbar: as split when ``dims`` is set; with ``mapping`` instead, ``arrays[bank][offset]`` with
    bank and offset of that banking function.
    ``parameter`` is the position in the old signature (None: no parameter), ``position`` the first
    of the new parameters that took its place.
    """

    array: str
    function: str | None
    path: str
    line: int
    extents: tuple[int, ...]
    style: Style
    arrays: tuple[BankArray, ...]
    dims: tuple[DimMapping, ...] = ()
    mapping: BankingMap | None = None
    parameter: int | None = None
    position: int | None = None

    def to_json(self) -> dict[str, object]:
        """Entry of ``arrays`` in the map file."""
        return {
            "array": self.array,
            "function": self.function,
            "path": self.path,
            "line": self.line,
            "extents": list(self.extents),
            "style": self.style,
            "arrays": [{"name": a.name, "shape": list(a.shape)} for a in self.arrays],
            "dims": [{"kind": d.kind, "extent": d.extent, "banks": d.banks, "block": d.block} for d in self.dims],
            "mapping": None if self.mapping is None else self.mapping.to_json(),
            "parameter": self.parameter,
            "position": self.position,
        }


class LineRun(Struct, frozen=True):
    """``count`` consecutive old lines from ``old`` that are the new lines from ``new``."""

    old: int
    new: int
    count: int


class GroupOutcome(Struct, frozen=True):
    """Fate of one array group that some directive (or the inference) wants partitioned.

    ``rewritten``: edited. ``kept``: nothing to do, its text is right as it is. ``ignored``: left on
    purpose (top-level signature). ``refused``/``conflict``: findings; text and pragmas untouched.
    """

    group: int
    arrays: tuple[str, ...]
    status: Literal["rewritten", "kept", "ignored", "refused", "conflict"]
    style: Style | None
    code: str | None  # stable word for the class of the reason
    reason: str | None
    at: Origin | None


ADDRESS_BITS = 16  # of a word in a bank, in estimates


class Crossbar(Struct, frozen=True):
    """Bank-centric code for one array in one loop body.

    ``loads`` and ``stores``: sites per bank. The ``*_inputs`` are those of the widest multiplexer in
    front of an address, behind the memories, and in front of a store's data; words have ``bits``. ``levels``: six-input
    look-up tables in a row, a 4:1 multiplexer each: before a memory and behind it. ``in_place``:
    why the accesses stay where they are, each with a selection of its own.
    """

    array: str
    function: str
    path: str
    loop: str | None
    line: int
    banks: int
    accesses: int
    loads: int
    stores: int
    address_inputs: int
    value_inputs: int
    store_inputs: int
    bits: int
    in_place: str | None = None

    @property
    def levels(self) -> tuple[int, int]:
        """Estimated depth of the multiplexers, in look-up tables."""
        return lut_levels(max(self.address_inputs, self.store_inputs)), lut_levels(self.value_inputs)

    @property
    def selections(self) -> int:
        """Choices of a bank or a word in the text of an iteration."""
        ports = self.loads * self.address_inputs + self.stores * self.store_inputs
        return self.banks * ports + self.accesses * self.value_inputs

    @property
    def luts(self) -> int:
        """Estimated LUTs of all multiplexers and bank numbers.

        A choice among n words of w bits takes w * (n - 1) / 3, a residue of 16 bits by a number that is no power of two
        8 for each of them (the rules of thumb of ``ii``).
        """
        values = self.accesses * max(0, self.value_inputs - 1) * self.bits
        addresses = self.banks * self.loads * max(0, self.address_inputs - 1) * ADDRESS_BITS
        stored = self.banks * self.stores * max(0, self.store_inputs - 1) * (self.bits + ADDRESS_BITS)
        residues = self.accesses * 8 * ADDRESS_BITS if self.banks & (self.banks - 1) else 0
        return -(-(values + addresses + stored) // 3) + residues

    def to_json(self) -> dict[str, object]:
        """Entry of ``crossbars`` in the report."""
        return {
            "luts": self.luts,
            "array": self.array,
            "function": self.function,
            "loop": self.loop,
            "line": self.line,
            "banks": self.banks,
            "accesses": self.accesses,
            "loads_per_bank": self.loads,
            "stores_per_bank": self.stores,
            "multiplexer_inputs": {
                "address": self.address_inputs, "value": self.value_inputs, "store": self.store_inputs
            },
            "lut_levels": {"before": self.levels[0], "behind": self.levels[1]},
            "in_place": self.in_place,
        }  # fmt: skip


def lut_levels(inputs: int) -> int:
    """Six-input look-up tables in a row of a multiplexer: each selects one of four."""
    levels = 0
    while inputs > 1:
        inputs, levels = -(-inputs // 4), levels + 1
    return levels


class RewriteResult(Struct, frozen=True):
    """``files`` has the new text of every given file, unchanged ones included.

    ``work``: scheduled operations in the texts that were looked at for it; ``untried``: ways that were not, because
    that was enough.
    """

    files: Mapping[str, str]
    edits: Mapping[str, tuple[Edit, ...]]
    lines: Mapping[str, tuple[LineRun, ...]]
    arrays: tuple[ArrayMapping, ...]
    outcomes: tuple[GroupOutcome, ...]
    diagnostics: tuple[Diagnostic, ...] = field(default=())
    crossbars: tuple[Crossbar, ...] = field(default=())
    work: int = 0
    untried: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        """Characters that are written."""
        return sum(len(edit.text) for edits in self.edits.values() for edit in edits)

    def selections(self, copies: Callable[[Crossbar], int]) -> Counter[str]:
        """Choices of a bank or a word in an iteration of all loops, by array; ``copies`` of an access by unrolling."""
        total = Counter[str]()
        for crossbar in self.crossbars:
            total[crossbar.array] += crossbar.selections * copies(crossbar)
        return total

    @property
    def findings(self) -> bool:
        """Whether a group was refused or in conflict, a target is missed, or a place keeps the text as it is."""
        return any(o.status in ("refused", "conflict") for o in self.outcomes) or any(
            d.rule in (TARGET_MISSED, PLACE_MOVED) for d in self.diagnostics
        )

    def map_json(self) -> dict[str, Any]:
        """The ``--map`` file."""
        return {
            "schema": "hlspart.map/1",
            "files": [
                {"path": path, "lines": [[r.old, r.new, r.count] for r in runs]} for path, runs in self.lines.items()
            ],
            "arrays": [a.to_json() for a in self.arrays],
        }
