"""Layouts that a pragma can say: each dimension cyclic, block, complete or whole.

One place computes bank(x), offset(x) and depth per bank for everyone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from hlspart.layouts.ctext import Formula, TextWriter
from hlspart.layouts.dimension import DimLayout


class PerDimLayout(Struct, frozen=True, dict=True):
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
    def kind(self) -> str:
        """The word for it in results."""
        kinds = {d.kind for d in self.dims if d.banks > 1}
        return "mixed" if len(kinds) > 1 else next(iter(kinds), "none")

    @property
    def per_dimension(self) -> PerDimLayout:
        """The layout itself."""
        return self

    @property
    def mapping(self) -> None:
        """None: ARRAY_PARTITION says it."""
        return None

    @property
    def is_complete(self) -> bool:
        """Whether each dimension that is split is split into single elements."""
        return self.banks > 1 and not any(d.has_local for d in self.dims if d.banks > 1)

    @property
    def is_invariant(self) -> bool:
        """Whether two elements share a bank or not by their difference alone."""
        return all(d.banks == 1 or d.modulus is not None for d in self.dims)

    @property
    def simplicity(self) -> tuple[object, ...]:
        """Least for what one expects: fewer dimensions, powers of two, even blocks, cyclic before block."""
        split = [d for d in self.dims if d.banks > 1]
        return (
            len(split),
            sum(d.banks & (d.banks - 1) != 0 for d in split),
            sum(d.kind == "block" and d.extent % d.banks != 0 for d in split),
            sum(d.kind == "block" for d in split),
            tuple(-d.banks for d in reversed(self.dims)),
        )

    @property
    def partitioned(self) -> tuple[int, ...]:
        """0-based dimensions with more than one bank or a pragma on them."""
        return tuple(k for k, d in enumerate(self.dims) if d.is_split)

    @property
    def only_split(self) -> int | None:
        """The dimension of :attr:`partitioned` where it is one alone."""
        return self.partitioned[0] if len(self.partitioned) == 1 else None

    @property
    def depths(self) -> Counter[int]:
        """How many banks have which depth."""
        return Counter(self.depth(b) for b in range(self.banks))

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

    def sizes(self, bank: int) -> tuple[int, ...]:
        """Extents of ``bank``, one per dimension (1 for complete ones)."""
        return tuple(d.size(b) for d, b in zip(self.dims, self.bank_tuple(bank), strict=True))

    def bank_shape(self, bank: int) -> tuple[int, ...]:
        """Extents of the C array of ``bank``: without complete dimensions, () for a scalar."""
        return tuple(size for d, size in zip(self.dims, self.sizes(bank), strict=True) if d.has_local)

    def depth(self, bank: int) -> int:
        """Number of elements in ``bank``."""
        return math.prod(self.sizes(bank))

    def local(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Index of element ``x`` inside its bank, one per dimension."""
        return tuple(d.local(i) for d, i in zip(self.dims, x, strict=True))

    def place(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Index of ``x`` in the C array of its bank; () for a scalar."""
        return tuple(d.local(i) for d, i in zip(self.dims, x, strict=True) if d.has_local)

    @property
    def stacked_shape(self) -> tuple[int, ...]:
        """Extents of one array that holds all banks: bank dimensions first, then those of the longest bank."""
        heads = tuple(self.dims[k].banks for k in self.partitioned)
        return heads + tuple(d.size(0) for d in self.dims if d.has_local)

    def stacked_place(self, x: tuple[int, ...]) -> tuple[int, ...]:
        """Index of ``x`` in that array."""
        return tuple(self.dims[k].bank(x[k]) for k in self.partitioned) + self.place(x)

    def offset(self, x: tuple[int, ...]) -> int:
        """Row-major address of ``x`` inside its bank."""
        at = 0
        for extent, i in zip(self.sizes(self.bank(x)), self.local(x), strict=True):
            at = at * extent + i
        return at

    def shares_bank(self, delta: tuple[int, ...]) -> bool | None:
        """Whether x and x + delta share a bank: always, never, or (None) depending on x."""
        answer: bool | None = True
        for d, distance in zip(self.dims, delta, strict=True):
            same = d.shares_bank(distance)
            if same is False:
                return False
            answer = answer and same
        return answer

    @cached_property
    def congruences(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """(alpha, n): elements x, y can share a bank only if alpha . (x - y) = 0 mod n."""
        unit = [tuple(int(j == k) for j in range(len(self.dims))) for k in range(len(self.dims))]
        return tuple((unit[k], d.modulus) for k, d in enumerate(self.dims) if d.modulus is not None)

    def isl_banks(self, indices: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        """Bank coordinates as isl expressions with their sizes; the flat bank is their row-major number."""
        return tuple((d.isl_bank(i), d.banks) for d, i in zip(self.dims, indices, strict=True) if d.is_split)

    def isl_bank(self, indices: tuple[str, ...]) -> str:
        """Flat bank number as an isl expression of index expressions."""
        text = "0"
        for d, i in zip(self.dims, indices, strict=True):
            if d.banks > 1:
                text = d.isl_bank(i) if text == "0" else f"({d.banks}*{text} + {d.isl_bank(i)})"
        return text

    def formula(self, writer: TextWriter, indices: Sequence[str]) -> Formula:
        """Bank and place as C text."""
        bank, words, notes, word_notes = "", [], [], []
        text, note = _Text(writer), _Note()
        for k, (dim, x) in enumerate(zip(self.dims, indices, strict=True)):
            if dim.is_split:
                part = dim.bank_by(text, x, "0u")
                bank = f"{dim.banks}u * ({bank}) + ({part})" if bank else part
                notes.append(dim.bank_by(note, f"x{k}", "0"))
            word, shown = dim.local_by(text, x), dim.local_by(note, f"x{k}")
            if word is not None:
                words.append(word)
                word_notes.append(f"[{shown}]")
        return Formula(
            bank or "0u",
            tuple(words) or ("0u",),
            ", ".join(notes) or "0",
            "".join(word_notes) or "[0]",
            "partition per dimension, UG1399",
        )


class _Text(Struct, frozen=True):
    """C text by a writer, which makes no use of what is known of the other part."""

    writer: TextWriter

    def div(self, x: str, by: int, greatest: int, remainder: int | None = None) -> str:
        return self.writer.div(x, by, greatest)

    def mod(self, x: str, by: int, greatest: int, quotient: int | None = None) -> str:
        return self.writer.mod(x, by, greatest)


class _Note:
    """Text for readers."""

    def div(self, x: str, by: int, greatest: int, remainder: int | None = None) -> str:
        return f"{x} / {by}"

    def mod(self, x: str, by: int, greatest: int, quotient: int | None = None) -> str:
        return f"{x} mod {by}"
