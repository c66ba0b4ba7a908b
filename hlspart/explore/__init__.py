"""The best sharding, tiling and order of a function's nests under a budget, proved, and C that does it."""

from __future__ import annotations

from hlspart.explore.errors import ExploreError, FarmError, FixError, RequestFileError, StateError
from hlspart.explore.space import levels

__all__ = ["ExploreError", "FarmError", "FixError", "RequestFileError", "StateError", "engine", "levels"]
