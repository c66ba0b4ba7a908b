"""MARS: maximal atomic irredundant sets of the data of a tiled loop nest, their layout and its code."""

from __future__ import annotations

from hlspart.mars.analysis import analyse

__all__ = ["analyse"]
