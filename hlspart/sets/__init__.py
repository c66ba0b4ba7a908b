"""Questions about sets of integers, answered with isl: domains, dependences, dataflow, tiles, counts.

Questions and answers are plain records and strings: no isl object leaves this package.
"""

__all__ = [
    "box",
    "carried",
    "counting",
    "dataflow",
    "effort",
    "lifetimes",
    "moved",
    "nodes",
    "order",
    "processors",
    "region",
    "reorder",
    "tilecode",
    "tileorder",
    "tiles",
    "windows",
]
