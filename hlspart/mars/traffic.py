"""What a plan of transfers costs on an AXI port: requests are bursts, bursts become transactions."""

from __future__ import annotations

from math import gcd

from hlspart.model.mars import MarsOptions

PAGE = 4096  # a transaction never crosses this border (AMBA AXI, burst address)


def padded(words: int, element_bits: int, align: int) -> int:
    """``words`` rounded up so that blocks of so many elements start at multiples of ``align`` bytes."""
    size = max(1, (element_bits + 7) // 8)
    step = align // gcd(align, size)
    return -(-words // step) * step if words else 0


def transactions(start: int, length: int, port_bits: int, beats: int) -> int:
    """Transactions of one request of ``length`` bytes from byte address ``start``."""
    width = max(1, port_bits // 8)
    at, end, number = start // width * width, start + length, 0
    while at < end:
        limit = min(at + beats * width, (at // PAGE + 1) * PAGE)
        number += 1
        at = limit
    return number


def most_transactions(offset: int, words: int, block: int, element_bits: int, options: MarsOptions) -> int:
    """Most transactions that ``words`` from ``offset`` of a block take, over all positions of the block."""
    size = max(1, (element_bits + 7) // 8)
    step = block * size
    positions = PAGE // gcd(PAGE, step) if step else 1
    return max(
        transactions(k * step % PAGE + offset * size, words * size, options.port_bits, options.beats)
        for k in range(positions)
    )
