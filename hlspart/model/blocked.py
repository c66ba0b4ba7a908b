"""Blocked layouts of arrays: channels in aligned blocks, tiles, and where each element is.

Sizes are bytes throughout. Logical order of a channel layout is N, H, W, C, row-major.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

BATCH_ALIGN = 256  # bytes: where a batch begins
BURST_BORDER = 4096  # bytes: no AXI burst crosses a multiple


@dataclass(frozen=True, slots=True)
class ChannelLayout:
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


@dataclass(frozen=True, slots=True)
class Burst:
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


@dataclass(frozen=True, slots=True)
class OffChip:
    """Base addresses of constants in external memory, in the order in which they lie there."""

    base: Mapping[str, int]
    end: int

    def to_json(self) -> dict[str, object]:
        """``offchip``."""
        return {"base": dict(self.base), "end": self.end}
