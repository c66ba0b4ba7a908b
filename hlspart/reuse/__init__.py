"""Reuse buffers: windows that slide over an array, fed with one new element an iteration."""

from __future__ import annotations

from hlspart.reuse.copies import with_local_copies
from hlspart.reuse.engine import Reuse, Reused, changed, edited, unchanged
from hlspart.reuse.local import LocalCopy, local_copies
from hlspart.reuse.proposal import proposed

__all__ = [
    "LocalCopy", "Reuse", "Reused", "changed", "edited", "local_copies", "proposed", "unchanged", "with_local_copies",
]  # fmt: skip
