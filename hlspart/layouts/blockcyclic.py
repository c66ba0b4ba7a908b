"""Block-cyclic banking: bank(x) = floor((alpha . x) / B) mod N.

With c = alpha . x mod B*N, the bank is c div B; the lattice of alpha modulo B*N gives the number of
the box as for :class:`LatticeLayout`, and c mod B tells apart the B elements of a bank in one box.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hlspart.layouts.lattice import LatticeLayout, dot, isl_dot, linear


@dataclass(frozen=True)
class BlockCyclicLayout:
    """``alpha`` and ``block * modulus`` have no common divisor; block >= 1."""

    shape: tuple[int, ...]
    alpha: tuple[int, ...]
    modulus: int
    block: int

    @property
    def banks(self) -> int:
        """Number of banks."""
        return self.modulus

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

    def same_bank(self, delta: tuple[int, ...]) -> bool | None:
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
