"""What a choice costs: memory blocks and logic, in units that can be compared, not in promises.

Memory blocks are 18 Kb blocks after rounding each bank to the shapes of the family. Logic is counted in
LUTs by the rules of thumb of the II check: 64 bits of memory a LUT and port, a choice among n words of
w bits w * (n - 1) / 3 LUTs; a residue by a constant that is no power of two 8 LUTs a bit of the address.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hlspart.banking.need import Need
from hlspart.layouts.layout import Layout
from hlspart.model.rewriting import ADDRESS_BITS
from hlspart.targets import Target

BLOCKS, LUTS = 1000, 150_000  # of a part that is not known: 150 LUTs and 300 flip-flops a block are usual


class Cost(Struct, frozen=True):
    """18 Kb blocks, LUTs and registers (bits); ``share``: their shares of the part, added up.

    ``selection``: those of the LUTs that stand between accesses and banks.
    """

    bram18k: int
    luts: int
    selection: int
    register_bits: int
    share: float


def blocks(layout: Layout, bits: int, target: Target) -> int:
    """18 Kb blocks of an array under ``layout``."""
    memories = ((d, n) for d, n in layout.depths.items() if d > 1 or layout.banks == 1)
    return sum(target.memories.bram18k(d, bits) * n for d, n in memories if not target.memories.is_lutram(d, bits))


def cost(layout: Layout, bits: int, needs: Sequence[Need], crossbar: bool, target: Target, copies: int = 1) -> Cost:
    """Cost of ``copies`` of an array under ``layout`` that serves ``needs``, in bank-centric code or by a pragma."""
    luts = registers = 0
    for depth, number in layout.depths.items():
        if depth <= 1 and layout.banks > 1:
            registers += bits * number
        elif target.memories.is_lutram(depth, bits):
            luts += -(-depth // 64) * bits * 2 * number
    wires = sum(_wires(need, layout, bits, crossbar) for need in needs)
    bram, luts, registers = blocks(layout, bits, target) * copies, luts * copies + wires, registers * copies
    part = target.resources
    share = bram / (part.bram18k or BLOCKS) + luts / (part.lut or LUTS) + registers / (part.ff or 2 * LUTS)
    return Cost(bram, luts, wires, registers, share)


def _wires(need: Need, layout: Layout, bits: int, crossbar: bool) -> int:
    """LUTs between the accesses of one loop and the banks."""
    sites = need.problem.sites
    reads = [s.position for s in sites if s.read]
    if not crossbar:
        return sum(len(need.problem.reach(k, layout)) - 1 for k in reads) * bits // 3
    data, addresses = len(reads) * (layout.banks - 1) * bits, layout.banks * (len(sites) - 1) * ADDRESS_BITS
    residues = len(sites) * 8 * ADDRESS_BITS if layout.banks & (layout.banks - 1) else 0
    return (data + addresses) // 3 + residues
