"""What becomes of each directive: statuses, partitions of array groups, bank verdicts."""

from hlspart.partition.layout import layout_of, make_layout
from hlspart.partition.requests import requests
from hlspart.partition.validate import validate

__all__ = ["layout_of", "make_layout", "requests", "validate"]
