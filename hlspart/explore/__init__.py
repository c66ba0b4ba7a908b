"""The best sharding, tiling and order of a function's nests under a budget, proved, and C that does it."""

from __future__ import annotations

from hlspart.explore.farm import FarmError
from hlspart.explore.regions import PatternError
from hlspart.explore.requests import FixError, RequestFileError
from hlspart.explore.space import levels
from hlspart.explore.store import StateError

__all__ = ["FarmError", "FixError", "PatternError", "RequestFileError", "StateError", "engine", "levels"]
