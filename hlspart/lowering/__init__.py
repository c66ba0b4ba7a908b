"""From the statements of one iteration to the graph of operations that is scheduled."""

__all__ = [
    "addresses",
    "balance",
    "dependence",
    "directed",
    "distances",
    "dividers",
    "doubt",
    "exits",
    "functions",
    "graph",
    "handshakes",
    "history",
    "lower",
    "open_loops",
    "operations",
    "statements",
]
