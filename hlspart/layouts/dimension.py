"""Layouts of one dimension that a pragma can say: cyclic, block, complete or whole."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

DimKind = Literal["whole", "cyclic", "block", "complete"]
T = TypeVar("T")


class Arithmetic(Protocol[T]):
    """How somebody computes with an index: as C text, as an affine form, for a reader."""

    def div(self, x: T, by: int, greatest: int, remainder: int | None = None) -> T:
        """x / by; 0 <= x <= greatest. ``remainder``: x mod by where it is a known constant."""

    def mod(self, x: T, by: int, greatest: int, quotient: int | None = None) -> T:
        """x mod by; 0 <= x <= greatest. ``quotient``: x / by where it is a known constant."""


class DimLayout(Struct, frozen=True):
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
        if kind == "whole" or extent == 0:  # nothing to split: an array of no elements, as GNU C has it
            return DimLayout("whole", extent, 1, extent)
        if kind == "complete":
            return DimLayout("complete", extent, extent, 1)
        assert factor is not None and factor >= 1
        if kind == "cyclic":
            return DimLayout("cyclic", extent, min(factor, extent))
        block = math.ceil(extent / min(factor, extent))
        return DimLayout("block", extent, math.ceil(extent / block), block)

    @property
    def is_split(self) -> bool:
        """Whether the dimension has a bank coordinate."""
        return self.kind != "whole"

    @property
    def has_local(self) -> bool:
        """Whether the banks have an index along the dimension; a complete one vanishes in them."""
        return self.kind != "complete"

    @property
    def factor(self) -> int | None:
        """The factor that a directive gives; None where it gives none."""
        return self.banks if self.divisor is not None else None

    @property
    def modulus(self) -> int | None:
        """Indices share a bank just when they are alike modulo this; None where it is not so, or all share one."""
        return self.banks if self.kind in ("cyclic", "complete") else None

    @property
    def divisor(self) -> int | None:
        """What an index is divided by to find bank and local index; None where it is not divided."""
        match self.kind:
            case "cyclic":
                return self.banks
            case "block":
                return self.block
            case _:
                return None

    @property
    def by_remainder(self) -> bool:
        """Whether an index lies in the bank of its remainder, so that a constant distance tells banks apart."""
        return self.kind == "cyclic" and self.banks > 1

    @property
    def divides(self) -> bool:
        """Whether a bank is the remainder of a division that is no shift."""
        return self.kind == "cyclic" and self.banks & (self.banks - 1) != 0

    @property
    def stride(self) -> int:
        """Distance of elements that are neighbours in a bank."""
        return self.banks if self.kind == "cyclic" else 1

    def first(self, bank: int) -> int:
        """Least index in ``bank``."""
        match self.kind:
            case "cyclic" | "complete":
                return bank
            case "block":
                return bank * self.block
            case "whole":
                return 0

    def residue(self, distance: int) -> int | None:
        """Class of a distance: indices share a bank just when theirs from one point are alike. None: by place."""
        match self.kind:
            case "cyclic":
                return distance % self.banks
            case "complete":
                return distance
            case "whole":
                return 0
            case "block":
                return None

    def moves_bank(self, step: int) -> bool:
        """Whether the bank changes with an index that moves by ``step``, at some places at least."""
        match self.kind:
            case "cyclic" | "complete":
                return step % self.banks != 0
            case "block":
                return step != 0
            case "whole":
                return False

    def keeps_local(self, step: int) -> bool:
        """Whether the local index stays when an index moves by any multiple of ``step``."""
        if self.banks == self.extent:
            return True
        return step == 0 or (self.kind == "block" and step % self.block == 0)

    def shares_banks(self, other: DimLayout) -> bool:
        """Whether ``other`` puts every element into the same bank."""
        if self.extent != other.extent or self.banks != other.banks:
            return False
        return self.kind == other.kind or self.banks == self.extent

    def floored(self) -> DimLayout:
        """The same factor with blocks of floor(extent / factor) elements, the rule of other tools."""
        if self.kind == "block" and self.extent % self.banks:
            return replace(self, block=self.extent // self.banks)
        return self

    def bank_by(self, arithmetic: Arithmetic[T], x: T, zero: T) -> T:
        """The bank of index ``x``, computed by ``arithmetic``."""
        match self.kind:
            case "cyclic":
                return arithmetic.mod(x, self.banks, self.extent - 1)
            case "block":
                return arithmetic.div(x, self.block, self.extent - 1)
            case "complete":
                return x
            case "whole":
                return zero

    def local_by(self, arithmetic: Arithmetic[T], x: T, bank: int | None = None) -> T | None:
        """The local index of ``x``, computed by ``arithmetic``; ``bank`` where known. None: there is none."""
        match self.kind:
            case "cyclic":
                return arithmetic.div(x, self.banks, self.extent - 1, bank)
            case "block":
                return arithmetic.mod(x, self.block, self.extent - 1, bank)
            case "complete":
                return None
            case "whole":
                return x

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

    def reached(self, indices: Iterable[int]) -> tuple[int, ...]:
        """The banks of ``indices``, ascending, but for those that lie beyond the dimension."""
        return tuple(sorted({b for b in map(self.bank, indices) if 0 <= b < self.banks}))

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

    def shares_bank(self, delta: int) -> bool | None:
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


class CrossingDimensions:
    """What every layout says whose banks cross dimensions, so that no product of dimensions is the same."""

    __slots__ = ()

    @property
    def dims(self) -> tuple[DimLayout, ...]:
        """None."""
        return ()

    @property
    def per_dimension(self) -> None:
        """None."""
        return None

    @property
    def is_complete(self) -> bool:
        """No dimension is split by itself."""
        return False
