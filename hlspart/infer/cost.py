"""What a choice costs: memory blocks and logic, in units that can be compared, not in promises.

Memory blocks are 18 Kb blocks after rounding each bank to the shapes of the family. Logic is counted
in LUTs by rules of thumb: LUT memory at 64 bits a LUT, a multiplexer of n words of w bits at
w * (n - 1) / 3 LUTs (a 6-input LUT holds a 4-to-1 multiplexer), an address division by a constant
that is no power of two at 8 LUTs a bit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hlspart.banking.search import AnyLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.targets import Target

ADDRESS_BITS = 16


@dataclass(frozen=True, slots=True)
class Cost:
    """18 Kb blocks, LUTs and registers (bits)."""

    bram18k: int
    luts: int
    register_bits: int


def cost(layout: AnyLayout, bits: int, accesses: int, crossbar: bool, target: Target, copies: int = 1) -> Cost:
    """Cost of ``copies`` of an array under ``layout`` with so many accesses per iteration."""
    blocks = luts = registers = 0
    for depth, number in _depths(layout).items():
        if depth <= 1 and layout.banks > 1:
            registers += bits * number
        elif target.is_lutram(depth, bits):
            luts += -(-depth * bits // 64) * number
        else:
            blocks += target.bram18k(depth, bits) * number
    if crossbar:
        luts += accesses * bits * max(0, layout.banks - 1) // 3
        if layout.banks & (layout.banks - 1):
            luts += accesses * 8 * ADDRESS_BITS
    return Cost(blocks * copies, luts * copies, registers * copies)


def _depths(layout: AnyLayout) -> Counter[int]:
    """How many banks have which depth."""
    if isinstance(layout, PerDimLayout):
        return Counter(layout.depth(b) for b in range(layout.banks))
    return Counter({layout.depth(0): layout.banks})
