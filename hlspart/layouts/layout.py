"""What every layout answers; nobody outside this package asks which kind it is.

A new layout is one record with these members. What only some layouts have is a question too: :attr:`Layout.dims` is
empty and :attr:`Layout.per_dimension` is None where banks cross dimensions, :attr:`Layout.mapping` is None where a
pragma says the layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from hlspart.layouts.ctext import Formula, TextWriter
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout

if TYPE_CHECKING:
    from hlspart.model.inferred import BankingMap

Element = tuple[int, ...]


class Layout(Protocol):
    """Where each element of an array of extents ``shape`` lies: its bank, and its place in the bank."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the array."""

    @property
    def kind(self) -> str:
        """The word for the layout in results: none, cyclic, block, complete, mixed, linear, lattice, ..."""

    @property
    def banks(self) -> int:
        """Number of banks."""

    @property
    def dims(self) -> tuple[DimLayout, ...]:
        """Layout of each dimension; () when the banks cross dimensions."""

    @property
    def per_dimension(self) -> PerDimLayout | None:
        """The same layout as a product of layouts of the dimensions; None when it is none."""

    @property
    def mapping(self) -> BankingMap | None:
        """The record of the banking function; None where ARRAY_PARTITION says it."""

    @property
    def is_complete(self) -> bool:
        """Whether each dimension that is split is split into single elements."""

    @property
    def is_invariant(self) -> bool:
        """Whether two elements share a bank or not by their difference alone."""

    @property
    def congruences(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """(alpha, n): elements x, y can share a bank only if alpha . (x - y) = 0 mod n.

        Where the n are the sizes of `isl_banks`, that is enough, too: they are taken for the banks.
        """

    @property
    def depths(self) -> Counter[int]:
        """How many banks have which depth."""

    def bank(self, x: Element) -> int:
        """Bank of element ``x``."""

    def offset(self, x: Element) -> int:
        """Address of ``x`` inside its bank."""

    def depth(self, bank: int) -> int:
        """Words of ``bank``, padding included."""

    def place(self, x: Element) -> tuple[int, ...]:
        """Index of ``x`` in the C array of its bank; () for a scalar."""

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of the C array of ``bank``; () for a scalar."""

    def shares_bank(self, delta: Element) -> bool | None:
        """Whether x and x + delta share a bank: always, never, or (None) depending on x."""

    def isl_banks(self, indices: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Bank coordinates as isl expressions with their sizes; the flat bank is their row-major number."""

    def isl_bank(self, indices: tuple[str, ...]) -> str:
        """Flat bank number as an isl expression of index expressions."""

    def formula(self, writer: TextWriter, indices: Sequence[str]) -> Formula:
        """Bank and place as C text; ``indices``: unsigned C expressions, shown as x0, x1, .. in notes."""
