"""Channel layouts, bursts and the plan of external memory: closed forms."""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.model.blocked import BURST_BORDER, Burst, ChannelLayout, OffChip

ELEMENT_BYTES = {
    "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "fp16": 2, "bf16": 2,
    "int32": 4, "uint32": 4, "fp32": 4, "tf32": 4,
}  # fmt: skip
_STEPS = (4, 8, 16, 32, 64)


def channel_layout(shape: tuple[int, int, int, int], dtype: str) -> ChannelLayout:
    """The layout of a tensor. Raises KeyError for an unknown ``dtype``; extents are positive.

    Channels are padded to the least of 4, 8, 16, 32 (bytes: and 64) that holds them; what is left behind whole blocks
    of 64 (bytes: 128) likewise, or to one more block where none does.
    """
    size = ELEMENT_BYTES[dtype]
    limit = 64 if size == 1 else 32  # of what is not blocked
    channels, block = shape[3], 2 * limit
    blocks, rest = divmod(channels, block)
    if channels <= limit:
        return ChannelLayout(shape, dtype, size, "single", block, 0, _padded(channels))
    if rest > limit:
        blocks, rest = blocks + 1, 0
    return ChannelLayout(shape, dtype, size, "blocked", block, blocks, _padded(rest) if rest else 0)


def _padded(channels: int) -> int:
    return next(step for step in _STEPS if channels <= step)


def burst(base: int, size: int, beats: int, port_bits: int) -> Burst:
    """A transfer of ``size`` bytes from ``base``, cut at every border that no burst crosses."""
    pieces: list[int] = []
    transactions, word = 0, port_bits // 8
    at = base
    while at < base + size:
        end = min(base + size, (at // BURST_BORDER + 1) * BURST_BORDER)
        pieces.append(end - at)
        words = -(-end // word) - at // word
        transactions += -(-words // beats)
        at = end
    return Burst(base, size, tuple(pieces), transactions)


def off_chip(constants: Sequence[tuple[str, int]], processors: int, align: int) -> OffChip:
    """Where constants go: those of more than a border's distance per processor first, each at a border.

    Behind them and from a border on the others, in the given order: at ``align`` where they fit before the next border,
    at that border where they do not.
    """
    large = [c for c in constants if c[1] > BURST_BORDER * processors]
    small = [c for c in constants if c[1] <= BURST_BORDER * processors]
    base: dict[str, int] = {}
    at = end = 0
    for name, size in large:
        base[name] = at
        end = at + size
        at = _up(end, BURST_BORDER)
    for name, size in small:
        at = _up(at, align)
        if at // BURST_BORDER != (at + max(size, 1) - 1) // BURST_BORDER:
            at = _up(at, max(align, BURST_BORDER))
        base[name] = at
        at = end = at + size
    return OffChip(base, end)


def _up(at: int, align: int) -> int:
    return -(-at // align) * align
