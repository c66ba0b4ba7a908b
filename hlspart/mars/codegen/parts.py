"""What generated code consists of: buffers on chip, memories with their bursts, fills and results."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from msgspec import Struct

from hlspart.mars.codegen.classes import Classes
from hlspart.mars.integers import Vector
from hlspart.mars.nest import TileNest
from hlspart.model.access import Affine, LoopInfo
from hlspart.model.mars import MarsResult, NestAccess
from hlspart.model.program import Program, Stmt
from hlspart.sets.nodes import Node
from hlspart.sets.tilecode import CodeUnit


class TileBuffer(Struct, frozen=True):
    """On-chip array ``name`` for one tile; cell of the data point p is ``p - (least + moves U)``."""

    name: str
    variable: int
    dims: tuple[int, ...]
    least: Vector
    moves: tuple[Vector, ...]  # one row per dimension over U (see Classes)


class Cell(Struct, frozen=True):
    """Where an access finds its value: ``place`` over the iterators, where ``condition`` (C, "" always) holds.

    ``domain``: the same condition as a set, "" for all iterations.
    """

    buffer: TileBuffer
    place: tuple[Affine, ...]
    condition: str = ""
    domain: str = ""


class TilePart(Struct, frozen=True):
    """Points of a MARS in one buffer: ``loops`` in memory order; ``cell`` over the call's arguments a0, a1, .."""

    buffer: TileBuffer
    loops: Node
    cell: tuple[Affine, ...]
    points: tuple[Vector, ...]


class TileBurst(Struct, frozen=True):
    """One request: ``words`` from ``offset`` of the block ``owner`` away from that of T, into or out of ``parts``."""

    owner: Vector
    offset: int
    words: int
    parts: tuple[TilePart, ...]


class CellKind(Struct, frozen=True):
    """Transfers of the tiles of one class; ``home``: data points of a block in memory order, for pack.

    The points are those of the block whose ``V`` (see Memory) is 0.
    """

    reads: tuple[TileBurst, ...]
    writes: tuple[TileBurst, ...]
    home: tuple[Vector, ...]


class TileMemory(Struct, frozen=True):
    """Off-chip blocks of one array and kind, one block of ``block`` words per owner tile.

    ``rows`` give the owner's coordinates C as linear forms of T (directions that share data have none),
    ``low`` and ``count`` their grid; owners of bursts are in these coordinates. Blocks fall into classes
    modulo ``basis``, numbered by ``kinds``: ``units`` is the movement along U for each of its rows.
    """

    name: str
    variable: int
    kind: str
    buffers: tuple[TileBuffer, ...]
    block: int
    rows: tuple[Vector, ...]
    basis: tuple[Vector, ...]
    units: tuple[Vector, ...]
    low: Vector
    count: Vector
    kinds: tuple[CellKind, ...]

    @property
    def words(self) -> int:
        """Size of the memory."""
        return self.block * prod(self.count)


class Copy(Struct, frozen=True):
    """``access`` at each point of ``loops``: between its cell and the array as the source lays it out."""

    access: NestAccess
    cell: Cell
    loops: Node


class TilePlan(Struct, frozen=True):
    """Everything that :mod:`emit` writes down; ``local`` and the kinds of memories go by ``classes``."""

    program: Program
    nest: TileNest
    result: MarsResult
    classes: Classes
    units: Mapping[str, tuple[CodeUnit, tuple[Stmt, ...]]]
    tiles: Node
    local: tuple[Node, ...]
    inside: Mapping[str, str]
    full: str
    buffers: tuple[TileBuffer, ...]
    memories: tuple[TileMemory, ...]
    fills: tuple[Copy, ...]
    results: tuple[Copy, ...]
    read_cell: Mapping[int, tuple[Cell, ...]]  # by ArrayRef id
    write_cell: Mapping[int, tuple[Cell, ...]]
    loops: Mapping[int, LoopInfo]
