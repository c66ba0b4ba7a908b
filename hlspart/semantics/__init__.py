"""What the text of a program says by the rules of C: types, constants, effects of statements, uses of structures."""

__all__ = [
    "addresses",
    "block_copies",
    "conversions",
    "effects",
    "folding",
    "groups",
    "held",
    "named",
    "overlap",
    "parameters",
    "places",
    "spans",
    "structures",
    "unread",
]
