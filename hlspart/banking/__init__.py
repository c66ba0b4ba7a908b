"""Accesses of one iteration and a layout -> port counts; the search for the least banks, and certificates."""

__all__ = [
    "accesses",
    "counting",
    "need",
    "pragmas",
    "search",
]
