"""Block-cyclic banking: bank(x) = floor((alpha . x) / B) mod N.

With c = alpha . x mod B*N, the bank is c div B; the lattice of alpha modulo B*N gives the number of
the box as for :class:`LatticeLayout`, and c mod B tells apart the B elements of a bank in one box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.layouts.ctext import Formula, TextWriter, combination_note, combination_text, reach
from hlspart.layouts.dimension import CrossingDimensions
from hlspart.layouts.lattice import LatticeLayout, dot, isl_dot, linear
from hlspart.model.inferred import LinearMap


class BlockCyclicLayout(CrossingDimensions, Struct, frozen=True, dict=True):
    """``alpha`` and ``block * modulus`` have no common divisor; block >= 1."""

    shape: tuple[int, ...]
    alpha: tuple[int, ...]
    modulus: int
    block: int

    @property
    def banks(self) -> int:
        """Number of banks."""
        return self.modulus

    @property
    def kind(self) -> str:
        """The word for it in results."""
        return "block-cyclic"

    @property
    def mapping(self) -> LinearMap:
        """The record of this layout."""
        return LinearMap(self.alpha, self.modulus, self.block)

    @property
    def is_invariant(self) -> bool:
        """Whether two elements share a bank depends on where in a block they lie."""
        return False

    @cached_property
    def lattice(self) -> LatticeLayout:
        """Elements that are alike in bank and place within the block."""
        return linear(self.shape, self.alpha, self.block * self.modulus)

    def bank(self, x: tuple[int, ...]) -> int:
        """Bank of element ``x``."""
        return dot(self.alpha, x) // self.block % self.modulus

    def offset(self, x: tuple[int, ...]) -> int:
        """Address of ``x`` inside its bank."""
        return self.lattice.offset(x) * self.block + dot(self.alpha, x) % self.block

    def depth(self, bank: int) -> int:
        """Words of ``bank``, padding included; all banks are alike."""
        return self.lattice.depth(0) * self.block

    @property
    def depths(self) -> Counter[int]:
        """How many banks have which depth."""
        return Counter({self.depth(0): self.banks})

    def place(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Index of ``x`` in the C array of its bank."""
        return (self.offset(x),)

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of the C array of ``bank``."""
        return (self.depth(bank),)

    def shares_bank(self, delta: tuple[int, ...]) -> bool | None:
        """Whether x and x + delta share a bank: always, never, or (None) depending on x."""
        residue = dot(self.alpha, delta) % (self.block * self.modulus)
        if residue == 0:
            return True
        return None if residue < self.block or residue > self.block * (self.modulus - 1) else False

    @property
    def congruences(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """None: banks are not classes of a lattice."""
        return ()

    def isl_banks(self, indices: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Bank coordinates as isl expressions with their sizes."""
        return ((self.isl_bank(indices), self.modulus),)

    def isl_bank(self, indices: tuple[str, ...]) -> str:
        """The bank as an isl expression of index expressions."""
        return f"(floor(({isl_dot(self.alpha, indices)})/{self.block}) mod {self.modulus})"

    def formula(self, writer: TextWriter, indices: Sequence[str]) -> Formula:
        """Bank and place as C text."""
        form, greatest = combination_text(self.alpha, indices), reach(self.alpha, self.shape)
        bank = writer.mod(writer.div(form, self.block, greatest), self.modulus, greatest // self.block)
        word, note = self.lattice.box_text(writer, indices)
        within = writer.mod(form, self.block, greatest)
        text = combination_note(self.alpha)
        return Formula(
            bank,
            (f"{self.block}u * ({word}) + ({within})",),
            f"(({text}) / {self.block}) mod {self.modulus}",
            f"{self.block}*({note}) + ({text}) mod {self.block}",
            "block-cyclic banking, cf. Wang et al., ASP-DAC 2013",
        )
