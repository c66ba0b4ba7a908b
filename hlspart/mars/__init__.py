"""MARS: maximal atomic irredundant sets of the data of a tiled loop nest, their layout and its code."""

from __future__ import annotations

from hlspart.mars.analysis import analyse
from hlspart.mars.codegen import code

__all__ = [
    "analyse",
    "code",
    "codegen",
    "svg",
]
