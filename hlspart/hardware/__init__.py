"""What a function has in hardware: the memory of each array, its ports, words and sharers."""

__all__ = [
    "bindings",
    "memory",
    "reshape",
    "shared",
    "slices",
    "storage",
    "unmodelled",
]
