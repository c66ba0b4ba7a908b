"""Buffers that share memory: what is to be placed, and where it went.

Steps are instants of a program's coarse order. In :class:`MemoryBlock` a lifetime is half-open, ``[lower, upper)``,
as in MiniMalloc's files; everywhere else, in JSON too, ``first`` and ``last`` are both inclusive.
:meth:`MemoryBlock.inclusive` is the one place that converts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.source import Span


class MemoryBlock(Struct, frozen=True):
    """``size`` units of memory from step ``lower`` up to before ``upper``, at a multiple of ``align``."""

    name: str
    lower: int
    upper: int
    size: int
    align: int = 1

    @staticmethod
    def inclusive(name: str, first: int, last: int, size: int, align: int = 1) -> MemoryBlock:
        """The block of a lifetime whose both ends are inclusive."""
        return MemoryBlock(name, first, last + 1, size, align)

    def overlaps(self, other: MemoryBlock) -> bool:
        """Whether both are live at some step."""
        return self.lower < other.upper and other.lower < self.upper


class Packing(Struct, frozen=True):
    """An offset per block, in their order.

    ``height``: the least memory that holds all. ``bound``: the most that is live at one step. ``proved``: no packing
    is lower, because the bound is met or the search ended. ``method``: how it was found.
    """

    offsets: tuple[int, ...]
    height: int
    bound: int
    proved: bool
    method: str


class Buffer(Struct, frozen=True):
    """One array on the chip, or one block of a problem file: when it is live, how large it is and where it went.

    ``first``, ``last``: steps, both inclusive. ``size``: bytes of one copy; ``copies``: 2 for a channel of a DATAFLOW
    region, which the tool doubles. ``offset``: bytes from the start of all memory; ``pool``: number of the memory that
    holds it, None for problem files, which have one. ``inplace_of``: the buffer whose place it takes while that is
    read for the last time. ``scratch``: it does not outlive a step. ``reason``: why it shares with none.
    """

    name: str
    first: int
    last: int
    size: int
    offset: int
    align: int = 1
    copies: int = 1
    pool: int | None = None
    inplace_of: str | None = None
    reason: str | None = None
    function: str | None = None
    line: int | None = None

    @property
    def scratch(self) -> bool:
        """Whether nothing outlives a step."""
        return self.first == self.last

    def to_json(self) -> dict[str, object]:
        """Entry of ``buffers`` in ``hlspart.buffers/1``."""
        return {
            "id": self.name,
            "function": self.function,
            "line": self.line,
            "first": self.first,
            "last": self.last,
            "bytes": self.size,
            "align": self.align,
            "copies": self.copies,
            "scratch": self.scratch,
            "offset": self.offset,
            "pool": self.pool,
            "inplace_of": self.inplace_of,
            "reason_not_shared": self.reason,
        }


class ProblemFile(Struct, frozen=True):
    """A MiniMalloc problem: its blocks, and its rows as read, ``header`` first, for writing it again."""

    path: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    blocks: tuple[MemoryBlock, ...]


class CsvError(Struct, frozen=True):
    """What is wrong in a problem file; ``line`` and ``column`` from 1."""

    message: str
    line: int
    column: int = 1


class Pool(Struct, frozen=True):
    """One C array that several arrays of ``function`` share: ``members`` as (variable id, first row).

    ``dims``: its extents; ``size``: bytes; ``bram18k``: of its banks.
    """

    number: int
    name: str
    function: str
    members: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    dims: tuple[int, ...]
    size: int
    bram18k: int

    def to_json(self) -> dict[str, object]:
        """Entry of ``pools``."""
        return {
            "pool": self.number,
            "name": self.name,
            "function": self.function,
            "members": list(self.names),
            "dims": list(self.dims),
            "bytes": self.size,
            "bram18k": self.bram18k,
        }


class Sharing(Struct, frozen=True):
    """Result of ``hlspart buffers`` for one file; sizes in bytes.

    ``size``: of all memory; ``bound``: the most that is live at one step; ``unshared``: without sharing. ``proved``: no
    placement of these lifetimes is smaller. ``complete``: none is that keeps arrays apart which one step uses, if that
    is less to say.
    """

    buffers: tuple[Buffer, ...]
    size: int
    bound: int
    unshared: int
    proved: bool
    method: str
    complete: bool = False

    def to_json(self) -> dict[str, object]:
        """An entry of ``files`` in ``hlspart.buffers/1``, but for its path."""
        return {
            "buffers": [b.to_json() for b in self.buffers],
            "bytes": self.size,
            "lower_bound": self.bound,
            "unshared_bytes": self.unshared,
            "proved_minimal": self.proved,
            "proved_under_ports": self.proved or self.complete,
            "method": self.method,
        }


class Touch(Struct, frozen=True):
    """One way in which a function touches an array, ready for value flow.

    ``domain``: isl set over ``iterators``; ``map``: isl map from them to the element, None: any element.
    ``must``: it happens in every iteration of the domain to exactly that element. ``order`` has
    ``len(iterators) + 1`` numbers: the place of each enclosing loop, then its own. ``backwards``: loops that count
    down. ``loops``: their ids; ``step``: the step it stands in; ``unit``: the
    statement of the function's body.
    """

    id: int
    kind: Literal["read", "write"]
    must: bool
    iterators: tuple[str, ...]
    domain: str
    map: str | None
    order: tuple[int, ...]
    backwards: tuple[bool, ...]
    loops: tuple[int, ...]
    step: int
    unit: int


class Value(Struct, frozen=True):
    """A value that touch ``writer`` leaves for touch ``reader``.

    ``carried``: position of the outermost loop around both whose iterations differ for some such value, None: none.
    """

    writer: int
    reader: int
    carried: int | None


class ArrayValues(Struct, frozen=True):
    """All values of an array; ``unwritten``: reads that may find an element before it is written."""

    flows: tuple[Value, ...]
    unwritten: tuple[int, ...]


class ProgramStep(Struct, frozen=True):
    """One row of the step table: an outermost nest that is not taken apart, a call, or statements between those.

    ``repeats``: ids of the loops around it that repeat it with other steps; ``reads``, ``writes``: variable ids.
    """

    number: int
    function: str
    at: Span
    repeats: tuple[int, ...]
    reads: frozenset[int]
    writes: frozenset[int]

    @property
    def touched(self) -> frozenset[int]:
        """Arrays that it reads or writes."""
        return self.reads | self.writes


class Shared(Struct, frozen=True):
    """Result of sharing in C: the memories, the step table, and the new text of every given file.

    ``variables``: ids, in the order of the buffers.
    ``diagnostics``, ``findings``: of the rewrite.
    ``bram18k``: of all arrays of the new text, as ``ii`` predicts it; ``unshared_bram18k``: of the old one.
    """

    sharing: Sharing
    variables: tuple[int, ...]
    pools: tuple[Pool, ...]
    steps: tuple[ProgramStep, ...]
    bram18k: int
    unshared_bram18k: int
    files: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()
    findings: bool = False
