"""Reuse buffers: windows that slide over an array, fed with one new element an iteration."""

from __future__ import annotations

from hlspart.reuse.engine import Reuse, Reused, changed, edited, unchanged
from hlspart.reuse.local import local_copies, with_local_copies
from hlspart.reuse.proposal import proposed

__all__ = ["Reuse", "Reused", "changed", "edited", "local_copies", "proposed", "unchanged", "with_local_copies"]
