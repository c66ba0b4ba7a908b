"""The core: a modulo scheduling problem, its bounds, its solutions, and an independent checker."""

__all__ = [
    "confirm",
    "implied",
    "modulo",
    "problem",
    "recurrence",
    "solver",
]
