"""What becomes of each directive: statuses, partitions of array groups, bank verdicts."""

from hlspart.partition.layout import chosen_layout, layout_of, make_layout
from hlspart.partition.requests import requests
from hlspart.partition.validate import NOT_FOLLOWED, RANK, validate

__all__ = [
    "NOT_FOLLOWED",
    "RANK",
    "chosen_layout",
    "layout",
    "layout_of",
    "make_layout",
    "requests",
    "unrolling",
    "validate",
]
