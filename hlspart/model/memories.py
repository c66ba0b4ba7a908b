"""What on-chip memories are built of, by their size alone: the rule of a target in plain values."""

from __future__ import annotations

import math

from msgspec import Struct


class MemoryRule(Struct, frozen=True):
    """``shapes``: (bits, words) of a block of 18 Kb; up to ``lutram_bits`` a memory is built of LUTs, above
    ``uram_bits`` and up to ``uram_words`` words of UltraRAM (None: the part has none).
    """

    shapes: tuple[tuple[int, int], ...]
    lutram_bits: int
    uram_bits: int | None
    uram_words: int

    def is_lutram(self, depth: int, bits: int) -> bool:
        """Whether a memory is so small that it is built of LUTs."""
        return depth * bits <= self.lutram_bits

    def is_uram(self, depth: int, bits: int) -> bool:
        """Whether the tool builds a memory of UltraRAM where no directive chooses."""
        return self.uram_bits is not None and depth <= self.uram_words and depth * bits > self.uram_bits

    def bram18k(self, depth: int, bits: int, true_dual: bool = False) -> int:
        """18 Kb blocks of one memory of ``depth`` words of ``bits`` that is built of them, over all shapes.

        ``true_dual``: both ports read or write at will, which the widest shape cannot do.
        """
        if depth <= 0 or bits <= 0:
            return 0
        widest = max(w for w, _ in self.shapes)
        shapes = [(w, d) for w, d in self.shapes if not true_dual or w < widest]
        return min(-(-bits // w) * math.ceil(depth / d) for w, d in shapes)

    def blocks(self, depth: int, bits: int) -> int:
        """The same of a memory that no directive binds, 0 where it is built of something else."""
        other = depth <= 1 or self.is_lutram(depth, bits) or self.is_uram(depth, bits)
        return 0 if other else self.bram18k(depth, bits)
