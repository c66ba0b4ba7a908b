"""Parallel expansion: a loop nest on several processing elements, in C, proved free of races."""

from __future__ import annotations

from hlspart.expand.expansion import expand, faults, unwritten
from hlspart.expand.requests import UnknownLoop, capacity, numbers, requests

__all__ = [
    "UnknownLoop", "accesses", "accumulators", "ahead", "bundles", "capacity", "counters", "dependences",
    "element_sums", "expand", "faults", "flattening", "interchange", "interleave", "numbers", "purity", "region",
    "requests", "scalars", "shifting", "signs", "standing", "texts", "unwritten", "updates",
]  # fmt: skip
