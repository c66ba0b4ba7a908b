"""Layouts that a pragma can say: each dimension cyclic, block, complete or whole.

One place computes bank(x), offset(x) and depth per bank for everyone (requirements X-01 to X-04).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

DimKind = Literal["whole", "cyclic", "block", "complete"]


@dataclass(frozen=True, slots=True)
class DimLayout:
    """Layout of one dimension of ``extent`` elements over ``banks`` banks.

    cyclic: bank = i mod f, local = i div f. block: B = ceil(extent / f), bank = i div B,
    local = i mod B (UG1399: the last bank is the short one). complete: bank = i. ``banks`` is the
    effective number after clamping to the extent and dropping banks that would be empty.
    """

    kind: DimKind
    extent: int
    banks: int
    block: int = 1

    @staticmethod
    def of(kind: DimKind, extent: int, factor: int | None) -> DimLayout:
        """Effective layout for a requested ``factor`` (ignored for whole and complete)."""
        if kind == "whole":
            return DimLayout("whole", extent, 1, extent)
        if kind == "complete":
            return DimLayout("complete", extent, extent, 1)
        assert factor is not None and factor >= 1
        if kind == "cyclic":
            return DimLayout("cyclic", extent, min(factor, extent))
        block = math.ceil(extent / min(factor, extent))
        return DimLayout("block", extent, math.ceil(extent / block), block)

    def bank(self, i: int) -> int:
        """Bank of index ``i``."""
        match self.kind:
            case "cyclic":
                return i % self.banks
            case "block":
                return i // self.block
            case "complete":
                return i
            case "whole":
                return 0

    def local(self, i: int) -> int:
        """Index inside the bank."""
        match self.kind:
            case "cyclic":
                return i // self.banks
            case "block":
                return i % self.block
            case "complete":
                return 0
            case "whole":
                return i

    def size(self, bank: int) -> int:
        """Elements along this dimension in ``bank``."""
        match self.kind:
            case "cyclic":
                return -((bank - self.extent) // self.banks)
            case "block":
                return min(self.block, self.extent - bank * self.block)
            case "complete":
                return 1
            case "whole":
                return self.extent

    def same_bank(self, delta: int) -> bool | None:
        """Whether i and i + delta share a bank: always, never, or (None) depending on i."""
        match self.kind:
            case "cyclic":
                return delta % self.banks == 0
            case "whole":
                return True
            case "complete":
                return delta == 0
            case "block":
                return True if delta == 0 or self.banks == 1 else (None if abs(delta) < self.block else False)

    def isl_bank(self, index: str) -> str:
        """The bank of the isl expression ``index``, as an isl expression."""
        match self.kind:
            case "cyclic":
                return f"(({index}) mod {self.banks})"
            case "block":
                return f"(floor(({index})/{self.block}))"
            case "complete":
                return f"({index})"
            case "whole":
                return "0"


@dataclass(frozen=True)
class PerDimLayout:
    """Product of per-dimension layouts; banks are numbered row-major over the partitioned dimensions."""

    dims: tuple[DimLayout, ...]

    @cached_property
    def banks(self) -> int:
        """Number of banks."""
        return math.prod(d.banks for d in self.dims)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the array."""
        return tuple(d.extent for d in self.dims)

    @property
    def partitioned(self) -> tuple[int, ...]:
        """0-based dimensions with more than one bank or a pragma on them."""
        return tuple(k for k, d in enumerate(self.dims) if d.kind != "whole")

    def bank(self, x: tuple[int, ...]) -> int:
        """Flat bank number of element ``x``."""
        b = 0
        for d, i in zip(self.dims, x, strict=True):
            b = b * d.banks + d.bank(i)
        return b

    def bank_tuple(self, bank: int) -> tuple[int, ...]:
        """Per-dimension bank numbers of a flat bank number."""
        parts = []
        for d in reversed(self.dims):
            parts.append(bank % d.banks)
            bank //= d.banks
        return tuple(reversed(parts))

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of ``bank``, one per dimension (1 for complete ones)."""
        return tuple(d.size(b) for d, b in zip(self.dims, self.bank_tuple(bank), strict=True))

    def depth(self, bank: int) -> int:
        """Number of elements in ``bank``."""
        return math.prod(self.bank_shape(bank))

    def local(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Index of element ``x`` inside its bank, one per dimension."""
        return tuple(d.local(i) for d, i in zip(self.dims, x, strict=True))

    def offset(self, x: tuple[int, ...]) -> int:
        """Row-major address of ``x`` inside its bank."""
        at = 0
        for extent, i in zip(self.bank_shape(self.bank(x)), self.local(x), strict=True):
            at = at * extent + i
        return at

    def same_bank(self, delta: tuple[int, ...]) -> bool | None:
        """Whether x and x + delta share a bank: always, never, or (None) depending on x."""
        answer: bool | None = True
        for d, distance in zip(self.dims, delta, strict=True):
            same = d.same_bank(distance)
            if same is False:
                return False
            answer = answer and same
        return answer

    @cached_property
    def congruences(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """(alpha, n): elements x, y can share a bank only if alpha . (x - y) = 0 mod n."""
        unit = [tuple(int(j == k) for j in range(len(self.dims))) for k in range(len(self.dims))]
        return tuple((unit[k], d.banks) for k, d in enumerate(self.dims) if d.kind in ("cyclic", "complete"))

    def isl_banks(self, indices: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Bank coordinates as isl expressions with their sizes; the flat bank is their row-major number."""
        return tuple((d.isl_bank(i), d.banks) for d, i in zip(self.dims, indices, strict=True) if d.kind != "whole")

    def isl_bank(self, indices: tuple[str, ...]) -> str:
        """Flat bank number as an isl expression of index expressions."""
        text = "0"
        for d, i in zip(self.dims, indices, strict=True):
            if d.banks > 1:
                text = d.isl_bank(i) if text == "0" else f"({d.banks}*{text} + {d.isl_bank(i)})"
        return text
