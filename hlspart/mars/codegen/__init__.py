"""Read-execute-write HLS C for a MARS layout."""

from __future__ import annotations

from hlspart.mars.codegen.emit import HOST, code

__all__ = ["HOST", "code"]
