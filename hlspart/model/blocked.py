"""Blocked layouts of arrays: channels in aligned blocks, tiles, and where each element is.

Sizes are bytes throughout. Logical order of a channel layout is N, H, W, C, row-major.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from math import prod
from typing import Literal

from msgspec import Struct

from hlspart.model.diagnostics import Diagnostic

Kind = str  # "compact", "blocked" (channels), "tile=8,4" (tiles of the last dimensions), and as a demand "any"
COMPACT: Kind = "compact"
BLOCKED: Kind = "blocked"
ANY: Kind = "any"

TILE = "tile="

BATCH_ALIGN = 256  # bytes: where a batch begins
BURST_BORDER = 4096  # bytes: no AXI burst crosses a multiple


class ChannelLayout(Struct, frozen=True):
    """How the channels of a tensor of ``shape`` (N, H, W, C) are grouped.

    ``single``: every point has its ``c0`` padded channels side by side. ``blocked``: ``cx`` planes of ``block``
    channels a point, then one plane of ``c0``, if any. ``batch_stride``: from one batch to the next.
    """

    shape: tuple[int, int, int, int]
    dtype: str
    element_bytes: int
    form: Literal["single", "blocked"]
    block: int
    cx: int
    c0: int

    @property
    def name(self) -> str:
        """Cx for one batch, NCx for several: only then its stride matters."""
        return "Cx" if self.shape[0] == 1 else "NCx"

    @property
    def padded_c(self) -> int:
        """Channels with padding."""
        return self.cx * self.block + self.c0

    @property
    def batch_bytes(self) -> int:
        """Of one batch, channel padding included."""
        return self.shape[1] * self.shape[2] * self.padded_c * self.element_bytes

    @property
    def batch_stride(self) -> int:
        """From one batch to the next."""
        return -(-self.batch_bytes // BATCH_ALIGN) * BATCH_ALIGN

    @property
    def total_bytes(self) -> int:
        """Up to the end of the last batch."""
        return self.batch_stride * (self.shape[0] - 1) + self.batch_bytes

    @property
    def total_padded(self) -> int:
        """With the last batch padded to its stride, too."""
        return self.batch_stride * self.shape[0]

    @property
    def elements(self) -> int:
        """Up to the end of the last batch, with padding."""
        return self.total_bytes // self.element_bytes

    def address(self, n: int, y: int, x: int, c: int) -> int:
        """First byte of an element."""
        _, height, width, _ = self.shape
        point, planes = y * width + x, self.cx * self.block
        if c < planes:
            element = (c // self.block * height * width + point) * self.block + c % self.block
        else:
            element = height * width * planes + point * self.c0 + c - planes
        return n * self.batch_stride + element * self.element_bytes

    def to_json(self) -> dict[str, object]:
        """``layout`` in ``hlspart.layout/1``."""
        return {
            "shape": list(self.shape),
            "dtype": self.dtype,
            "name": self.name,
            "form": self.form,
            "block": self.block,
            "cx": self.cx,
            "c0": self.c0,
            "padded_c": self.padded_c,
            "batch_bytes": self.batch_bytes,
            "batch_stride": self.batch_stride,
            "total_bytes": self.total_bytes,
            "total_padded": self.total_padded,
            "element_bytes": self.element_bytes,
        }


class Burst(Struct, frozen=True):
    """A transfer cut where AXI cuts it: ``pieces`` in bytes; ``transactions`` of limited beats that they take."""

    base: int
    size: int
    pieces: tuple[int, ...]
    transactions: int

    def to_json(self) -> dict[str, object]:
        """Entry of ``bursts``."""
        return {
            "base": self.base, "bytes": self.size, "pieces": list(self.pieces), "transactions": self.transactions
        }  # fmt: skip


class OffChip(Struct, frozen=True):
    """Base addresses of constants in external memory, in the order in which they lie there."""

    base: Mapping[str, int]
    end: int

    def to_json(self) -> dict[str, object]:
        """``offchip``."""
        return {"base": dict(self.base), "end": self.end}


class TileLayout(Struct, frozen=True):
    """An array in tiles of ``tiles`` elements per dimension, row-major in and among them; sizes in elements."""

    shape: tuple[int, ...]
    tiles: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """Tiles per dimension, the last ones padded."""
        return tuple(-(-n // t) for n, t in zip(self.shape, self.tiles, strict=True))

    @property
    def elements(self) -> int:
        """With padding."""
        return prod(self.counts) * prod(self.tiles)

    @property
    def strides(self) -> tuple[tuple[int, int], ...]:
        """(of a tile, inside it) of each dimension."""
        inner = _strides(self.tiles)
        outer = [s * prod(self.tiles) for s in _strides(self.counts)]
        return tuple(zip(outer, inner, strict=True))

    def to_json(self) -> dict[str, object]:
        """``form`` of an array in ``hlspart.layout/1``."""
        return {"shape": list(self.shape), "tile": list(self.tiles), "elements": self.elements}

    def index(self, at: tuple[int, ...]) -> int:
        """Where an element is."""
        return sum(i // t * o + i % t * s for i, t, (o, s) in zip(at, self.tiles, self.strides, strict=True))


def _strides(extents: tuple[int, ...]) -> list[int]:
    return [*accumulate((1, *reversed(extents[1:])), lambda a, b: a * b)][::-1]


class LayoutNest(Struct, frozen=True):
    """A statement of the top function that has one layout for all its arrays; ``reason`` for what it demands."""

    line: int
    name: str | None
    demand: Kind
    layout: Kind
    reason: str

    def to_json(self) -> dict[str, object]:
        """Entry of ``nests``."""
        return {
            "line": self.line, "name": self.name, "demand": self.demand, "layout": self.layout, "reason": self.reason
        }  # fmt: skip


class ArrayLayout(Struct, frozen=True):
    """What became of one array: ``layout`` is ``both`` where it is converted, or a constant is kept twice.

    ``forms``: the layouts that it has beside the compact one.
    """

    variable: int
    name: str
    line: int
    layout: Kind  # or "both"
    demand: Kind
    reason: str
    forms: Mapping[Kind, ChannelLayout | TileLayout]
    rank: int

    def to_json(self) -> dict[str, object]:
        """Entry of ``arrays``."""
        forms = {kind: form.to_json() for kind, form in self.forms.items()}
        return {
            "name": self.name,
            "line": self.line,
            "layout": self.layout,
            "demand": self.demand,
            "reason": self.reason,
            "form": next(iter(forms.values()), None),
            "forms": forms,
        }


class Conversion(Struct, frozen=True):
    """A copy of an array into another layout before statement ``unit`` of the function (after it, if ``after``).

    ``merged``: lines of further users that it serves.
    """

    variable: int
    name: str
    source: Kind
    target: Kind
    unit: int
    after: bool
    line: int
    size: int
    merged: tuple[int, ...]

    def to_json(self) -> dict[str, object]:
        """Entry of ``conversions``."""
        return {
            "array": self.name,
            "from": self.source,
            "to": self.target,
            "at_line": self.line,
            "bytes": self.size,
            "merged_with": list(self.merged),
        }


class Propagation(Struct, frozen=True):
    """Layouts of the nests and arrays of one function. ``units``: layout of each of its statements.

    ``size``: converted bytes; ``bound``: no choice has fewer; ``spread``: with a breadth-first spread from demands.
    """

    function: str
    units: tuple[Kind, ...]
    nests: tuple[LayoutNest, ...]
    arrays: tuple[ArrayLayout, ...]
    conversions: tuple[Conversion, ...]
    size: int
    bound: int
    spread: int
    diagnostics: tuple[Diagnostic, ...]
    unusable: bool = False

    def to_json(self) -> dict[str, object]:
        """An entry of ``files`` in ``hlspart.layout/1``, but for its path."""
        return {
            "function": self.function,
            "nests": [n.to_json() for n in self.nests],
            "arrays": [a.to_json() for a in self.arrays],
            "conversions": [c.to_json() for c in self.conversions],
            "conversion_bytes": self.size,
            "conversion_bound": self.bound,
            "conversions_bfs": self.spread,
            "proved_minimal": self.size == self.bound,
        }
