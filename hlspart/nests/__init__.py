"""Which loops exist in hardware, and how: pipelined, flattened, unrolled; what their iterations ask of buses."""

__all__ = [
    "automatic",
    "bus",
    "counters",
    "inplace",
    "loopfacts",
    "nests",
    "standing",
]
