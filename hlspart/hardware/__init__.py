"""What a function has in hardware: the memory of each array, its ports, words and sharers."""

__all__ = [
    "reshape",
    "shared",
    "storage",
    "unmodelled",
]
