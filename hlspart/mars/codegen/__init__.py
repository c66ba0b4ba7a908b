"""Read-execute-write HLS C for a MARS layout."""

from __future__ import annotations

from hlspart.mars.codegen.emit import code

__all__ = ["code"]
