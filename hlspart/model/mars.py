"""Maximal atomic irredundant sets (MARS): the data of a tiled loop nest, grouped by who consumes it.

Terms follow Ferry, Derrien and Rajopadhye, "An Irredundant Decomposition of Data Flow with Affine
Dependences". Tile coordinates are integer vectors, one entry per hyperplane; every set is that of
an interior tile, seen from it: ``consumers`` and ``owner`` are offsets of tile coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from hlspart.model.access import Affine
from hlspart.model.diagnostics import Diagnostic

TileVector = tuple[int, ...]
Copies = Mapping[str, tuple[tuple[int, ...], ...]]
"""By array: the accesses (ids) that each of its copies serves."""


class TileForm(Struct, frozen=True):
    """One tiling hyperplane: tile coordinate ``floor(form / size)``; ``text`` as the user wrote it."""

    form: Affine
    size: int
    text: str


class NestAccess(Struct, frozen=True):
    """One access of a loop nest, ready for dataflow.

    ``domain`` is an isl set over ``iterators`` (all enclosing counted loops, outermost first), ``map``
    an isl map from them to the element. ``order`` holds ``len(iterators) + 1`` numbers: the rank of
    each enclosing loop among its siblings, then that of the access: textual order.
    """

    id: int
    array: str
    kind: Literal["read", "write"]
    iterators: tuple[str, ...]
    domain: str
    map: str
    order: tuple[int, ...]
    line: int
    column: int = 0
    text: str = ""
    backwards: tuple[bool, ...] = ()  # loops that count down
    hidden: tuple[tuple[str, Affine], ...] = ()  # last iterators: the statement stands in no such loop, its value
    shift: tuple[int, ...] = ()  # added to each hyperplane


class MarsSet(Struct, frozen=True):
    """One MARS: ``size`` words that tiles ``consumers`` and no others use.

    ``owner`` is the tile (offset) whose block of memory holds it, at ``offset`` words; ``points``
    is the set itself in isl notation, for the tile at ``MarsArray.residue``.
    """

    id: int
    size: int
    consumers: tuple[TileVector, ...]
    owner: TileVector
    offset: int
    points: str


class Transfer(Struct, frozen=True):
    """One request: ``sets`` (ids, in memory order) of the block of tile ``owner``, ``words`` from ``offset`` on."""

    owner: TileVector
    offset: int
    words: int
    sets: tuple[int, ...]
    transactions: int = 0  # AXI transactions it takes at most, wherever the block lies


class Volume(Struct, frozen=True):
    """A number of MARS and the words in them."""

    mars: int
    words: int


class Bursts(Struct, frozen=True):
    """Requests per interior tile: with the MARS layout, row-major, and by copies of the bounding box.

    ``read_bound`` is a proved lower bound on ``read`` over all orders of the MARS.
    """

    read: int
    write: int
    row_major_read: int
    row_major_write: int
    box_read: int
    box_read_words: int
    read_bound: int
    read_transactions: int = 0
    write_transactions: int = 0


class Rejection(Struct, frozen=True):
    """Why an array has no position-independent layout: two accesses and two tiles that differ."""

    lines: tuple[int, ...]
    accesses: tuple[str, ...]
    null_spaces: tuple[tuple[tuple[int, ...], ...], ...]
    tiles: tuple[TileVector, ...]
    footprints: tuple[int, ...]  # words that each of these tiles touches


class MarsArray(Struct, frozen=True):
    """One array, one kind, one residue class of tiles (contract ``hlspart.mars/1``).

    For ``flow`` the sets are those that the tile produces and others consume. ``block`` is the
    number of words of one owner's block, ``padding`` what ``--align`` added to it. When not
    ``accepted`` only ``reason`` (and ``rejection``) have meaning.
    """

    name: str
    accepted: bool
    reason: str | None
    kind: Literal["input", "flow"]
    cls: Literal["uniform", "uniformly-intersecting", "affine", "unknown"]
    line: int
    consumers: int = 0
    sets: tuple[MarsSet, ...] = ()
    footprint: int = 0
    flow_out: Volume = Volume(0, 0)
    flow_in: Volume = Volume(0, 0)
    bursts: Bursts | None = None
    reads: tuple[Transfer, ...] = ()
    writes: tuple[Transfer, ...] = ()
    optimal: bool = False
    method: str = ""  # how the order was found
    residue_classes: int = 1
    residue: TileVector = ()
    still: tuple[TileVector, ...] = ()  # Hermite rows: tile translations under which all its data stays the same
    block: int = 0
    padding: int = 0
    element_bits: int = 32
    boundary: str | None = None  # the face of the domain whose tiles read it, None: every interior tile
    rejection: Rejection | None = None
    checks: tuple[tuple[str, bool], ...] = ()  # --check: property, holds
    notes: tuple[str, ...] = ()
    footprint_points: str = ""  # all it reads, as isl text
    tile_points: str = ""  # flow: all it makes
    copy: int = 0  # which of several layouts of one array, from 1; 0: it has but one

    def to_json(self) -> dict[str, object]:
        """Entry of ``arrays``."""
        b = self.bursts
        return {
            "name": self.name,
            "copy": self.copy or None,
            "accepted": self.accepted,
            "reason": self.reason,
            "kind": self.kind,
            "class": self.cls,
            "line": self.line,
            "consumers": self.consumers if self.accepted else None,
            "mars": [
                {
                    "id": m.id,
                    "size": m.size,
                    "consumers": [list(c) for c in m.consumers],
                    "offset": m.offset,
                    "owner": list(m.owner),
                    "points": m.points,
                }
                for m in self.sets
            ],
            "footprint": self.footprint if self.accepted else None,
            "flow_out": {"mars": self.flow_out.mars, "words": self.flow_out.words},
            "flow_in": {"mars": self.flow_in.mars, "words": self.flow_in.words},
            "bursts": None
            if b is None
            else {
                "read": b.read,
                "write": b.write,
                "row_major_read": b.row_major_read,
                "row_major_write": b.row_major_write,
                "box_read": b.box_read,
                "box_read_words": b.box_read_words,
                "read_bound": b.read_bound,
                "read_transactions": b.read_transactions,
                "write_transactions": b.write_transactions,
            },
            "reads": [
                {"owner": list(t.owner), "offset": t.offset, "words": t.words, "mars": list(t.sets)} for t in self.reads
            ],
            "optimal": self.optimal,
            "method": self.method,
            "residue_classes": self.residue_classes,
            "residue": list(self.residue),
            "block": self.block,
            "padding": self.padding,
            "boundary": self.boundary,
            "checks": dict(self.checks),
            "notes": list(self.notes),
            "rejection": None
            if self.rejection is None
            else {
                "lines": list(self.rejection.lines),
                "accesses": list(self.rejection.accesses),
                "null_spaces": [[list(v) for v in space] for space in self.rejection.null_spaces],
                "tiles": [list(t) for t in self.rejection.tiles],
                "footprints": list(self.rejection.footprints),
            },
        }


class ActualSet(Struct, frozen=True):
    """--enumerate: elements of ``array`` that exactly the actual tiles ``consumers`` use."""

    array: str
    kind: Literal["input", "flow"]
    size: int
    consumers: tuple[TileVector, ...]
    producer: TileVector | None = None  # flow: the tile that makes them


class MarsOptions(Struct, frozen=True):
    """Options of ``mars``. Sizes in bytes and bits as named; ``beats`` per AXI transaction."""

    align: int = 64
    port_bits: int = 512
    beats: int = 16
    check: bool = False
    enumerate: bool = False
    place: bool = False  # place statements that the hyperplanes do not reach, or would turn round
    nest: str | None = None  # label or line of the nest's outermost loop, where several fit the tiling
    copies: bool = False  # store an array several times where its accesses move apart from tile to tile
    exact: bool = True  # use the integer-programming extra when it is installed


class MarsResult(Struct, frozen=True):
    """Value of ``hlspart.mars.analyse``.

    ``unusable`` True: the tiling or the selection cannot be used at all (exit 2), ``diagnostics``
    say why; otherwise a rejected array or an illegal tiling is a finding (exit 1). ``code`` is the
    generated C when it was asked for, ``svg`` a drawing.
    """

    path: str
    function: str
    tile: tuple[TileForm, ...]
    arrays: tuple[MarsArray, ...] = ()
    actual: tuple[ActualSet, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    unusable: bool = False
    legal: bool = True
    placed: bool = False  # statements were placed in the tile space (see hlspart.mars.placement)
    loop: int | None = None  # the nest's outermost loop
    copies: Copies = field(default_factory=dict)  # arrays that are stored several times
    opaque: bool = False  # conditions on iterators were taken as if they depended on data
    notes: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        """0 done, 1 findings, 2 unusable."""
        if self.unusable:
            return 2
        return 1 if not self.legal or any(not a.accepted for a in self.arrays) else 0

    def to_json(self) -> dict[str, object]:
        """The entry of ``files`` (schema ``hlspart.mars/1``)."""
        return {
            "path": self.path,
            "function": self.function,
            "tile": [{"hyperplane": t.text, "size": t.size} for t in self.tile],
            "legal": self.legal,
            "opaque_conditions": self.opaque,
            "arrays": [a.to_json() for a in self.arrays],
            "actual": [
                {
                    "array": s.array,
                    "kind": s.kind,
                    "size": s.size,
                    "producer": None if s.producer is None else list(s.producer),
                    "consumers": [list(c) for c in s.consumers],
                }
                for s in self.actual
            ],
            "notes": list(self.notes),
        }
