"""Reuse buffers: windows that slide over an array, fed with one new element an iteration."""

from __future__ import annotations

from hlspart.reuse.engine import Reuse, Reused, changed, unchanged
from hlspart.reuse.proposal import proposed

__all__ = ["Reuse", "Reused", "changed", "proposed", "unchanged"]
