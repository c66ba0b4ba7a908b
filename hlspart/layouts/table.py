"""Table banking: the bank is looked up by the class of an element modulo a lattice.

bank(x) = table[class of x]; the classes are the banks of a :class:`LatticeLayout`. Every mapping that repeats itself
along each dimension is one of these; block-cyclic maps and products of them are, too. In one box of the lattice each
class has one element, so that the classes of one bank, numbered, and the number of the box make an address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import product

from msgspec import Struct

from hlspart.layouts.ctext import Formula, TextWriter
from hlspart.layouts.dimension import CrossingDimensions
from hlspart.layouts.lattice import LatticeLayout, dot, isl_dot
from hlspart.model.inferred import TableMap


class TableLayout(CrossingDimensions, Struct, frozen=True, dict=True):
    """``table``: bank of each class, in the order of ``classes.bank``; every bank below the greatest one occurs."""

    classes: LatticeLayout
    table: tuple[int, ...]

    @property
    def mapping(self) -> TableMap:
        """The record of this layout."""
        return TableMap(self.classes.alphas, self.classes.moduli, self.table)

    @property
    def kind(self) -> str:
        """The word for it in results."""
        return "table"

    @property
    def is_invariant(self) -> bool:
        """Whether two elements share a bank may depend on their classes."""
        return False

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the array."""
        return self.classes.shape

    @cached_property
    def banks(self) -> int:
        """Number of banks."""
        return max(self.table) + 1

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """For each class, how many classes before it share its bank."""
        return tuple(self.table[:k].count(b) for k, b in enumerate(self.table))

    @property
    def words(self) -> int:
        """Elements of one class, the padding of incomplete boxes included."""
        return self.classes.depth(0)

    def bank(self, x: tuple[int, ...]) -> int:
        """Bank of element ``x``."""
        return self.table[self.classes.bank(x)]

    def offset(self, x: tuple[int, ...]) -> int:
        """Address of ``x`` inside its bank."""
        return self.ranks[self.classes.bank(x)] * self.words + self.classes.offset(x)

    def depth(self, bank: int) -> int:
        """Words of ``bank``, the padding of incomplete boxes included."""
        return self.table.count(bank) * self.words

    @property
    def depths(self) -> Counter[int]:
        """How many banks have which depth."""
        return Counter(self.depth(b) for b in range(self.banks))

    def place(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Index of ``x`` in the C array of its bank."""
        return (self.offset(x),)

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of the C array of ``bank``."""
        return (self.depth(bank),)

    def shares_bank(self, delta: tuple[int, ...]) -> bool | None:
        """Whether x and x + delta share a bank: always, never, or (None) depending on x."""
        moduli = self.classes.moduli
        moves = [dot(a, delta) for a in self.classes.alphas]
        alike = set()
        for bank, at in zip(self.table, product(*map(range, moduli)), strict=True):
            flat = 0
            for place, move, n in zip(at, moves, moduli, strict=True):
                flat = flat * n + (place + move) % n
            alike.add(self.table[flat] == bank)
        return alike.pop() if len(alike) == 1 else None

    @property
    def congruences(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """None: banks are not classes of a lattice."""
        return ()

    def isl_banks(self, indices: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Bank coordinates as isl expressions with their sizes."""
        return ((self.isl_bank(indices), self.banks),)

    def isl_bank(self, indices: tuple[str, ...]) -> str:
        """The bank as a piecewise isl expression of index expressions, to stand alone in a tuple."""
        if self._by_place:
            return self._isl_runs(isl_dot(self.classes.alphas[0], indices))
        parts = [f"({isl_dot(a, indices)}) mod {n}" for a, n in self.classes.congruences]
        cases: dict[int, list[str]] = {}
        for bank, at in zip(self.table, product(*map(range, self.classes.moduli)), strict=True):
            cases.setdefault(bank, []).append(" and ".join(f"{p} = {v}" for p, v in zip(parts, at, strict=True)))
        arms = (f"{bank} : {' or '.join(f'({case})' for case in cells)}" for bank, cells in cases.items())
        return f"({'; '.join(arms)})"

    @property
    def _by_place(self) -> bool:
        """Whether each element is a class of its own, numbered without a remainder."""
        if len(self.classes.moduli) != 1:
            return False
        alpha, modulus = self.classes.alphas[0], self.classes.moduli[0]
        last = sum(a * (n - 1) for a, n in zip(alpha, self.shape, strict=True))
        return self.words == 1 and min(alpha) >= 0 and last < modulus

    def _isl_runs(self, place: str) -> str:
        """The bank by runs of elements, which take no division."""
        runs: dict[int, list[str]] = {}
        start = 0
        for end in range(1, len(self.table) + 1):
            if end == len(self.table) or self.table[end] != self.table[start]:
                runs.setdefault(self.table[start], []).append(f"{start} <= {place} < {end}")
                start = end
        arms = (f"{bank} : {' or '.join(cells)}" for bank, cells in runs.items())
        return f"({'; '.join(arms)})"

    def formula(self, writer: TextWriter, indices: Sequence[str]) -> Formula:
        """Bank and place as C text."""
        classes = self.classes.formula(writer, indices)
        index = writer.named("CLASS", [f"x{k}" for k in range(len(indices))], classes.bank)
        bank = writer.look_up(self.table, index, "TABLE")
        rank = writer.look_up(self.ranks, index, "RANK")
        seen = f"{self.words}*({{{', '.join(map(str, self.ranks))}}}[class])"
        return Formula(
            bank,
            (f"{self.words}u * {rank} + {classes.words[0]}",),
            f"{{{', '.join(map(str, self.table))}}}[class], class {classes.bank_note}",
            f"{seen} + {classes.word_note}",
            "banks of classes modulo a lattice, found by search",
        )
