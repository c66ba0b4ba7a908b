"""What a rewrite did: new texts, where each array went, and how parameters and lines map.

``RewriteResult`` is the value of ``hlspart.rewrite.rewrite``; :class:`ArrayMapping` is also what
``rewrite --map`` writes and ``verify --map`` reads (schema ``hlspart.map/1``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.results import BankingMap
from hlspart.model.source import Edit, Origin

Style = Literal["split", "bankdim", "crossbar"]


@dataclass(frozen=True, slots=True)
class DimMapping:
    """One dimension of the old array: index -> (bank coordinate, local coordinate).

    cyclic: (i mod banks, i div banks). block: (i div block, i mod block). complete: (i, dropped).
    whole: (none, i).
    """

    kind: Literal["whole", "cyclic", "block", "complete"]
    extent: int
    banks: int
    block: int


@dataclass(frozen=True, slots=True)
class BankArray:
    """One C array of the output; ``shape`` () is a scalar."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ArrayMapping:
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
        m = self.mapping
        return {
            "array": self.array,
            "function": self.function,
            "path": self.path,
            "line": self.line,
            "extents": list(self.extents),
            "style": self.style,
            "arrays": [{"name": a.name, "shape": list(a.shape)} for a in self.arrays],
            "dims": [{"kind": d.kind, "extent": d.extent, "banks": d.banks, "block": d.block} for d in self.dims],
            "mapping": None
            if m is None
            else {"hnf": [list(r) for r in m.hnf]}
            if m.hnf is not None
            else {"alpha": list(m.alpha or ()), "modulus": m.modulus, "block": m.block},
            "parameter": self.parameter,
            "position": self.position,
        }


@dataclass(frozen=True, slots=True)
class LineRun:
    """``count`` consecutive old lines from ``old`` that are the new lines from ``new``."""

    old: int
    new: int
    count: int


@dataclass(frozen=True, slots=True)
class GroupOutcome:
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


@dataclass(frozen=True)
class RewriteResult:
    """``files`` has the new text of every given file, unchanged ones included."""

    files: Mapping[str, str]
    edits: Mapping[str, tuple[Edit, ...]]
    lines: Mapping[str, tuple[LineRun, ...]]
    arrays: tuple[ArrayMapping, ...]
    outcomes: tuple[GroupOutcome, ...]
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    @property
    def findings(self) -> bool:
        """Whether a group was refused or in conflict (exit code 1)."""
        return any(o.status in ("refused", "conflict") for o in self.outcomes)

    def map_json(self) -> dict[str, object]:
        """The ``--map`` file."""
        return {
            "schema": "hlspart.map/1",
            "files": [
                {"path": path, "lines": [[r.old, r.new, r.count] for r in runs]} for path, runs in self.lines.items()
            ],
            "arrays": [a.to_json() for a in self.arrays],
        }
