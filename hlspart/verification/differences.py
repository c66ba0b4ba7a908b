"""Outputs of two versions side by side: what counts as the same, and how a difference is named."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from hlspart.verification.data import FLOATS, Number, key, size
from hlspart.verification.interface import Object


def split(items: Sequence[Object], data: bytes) -> dict[str, bytes]:
    """Bytes of each object out of those of all, one after the other."""
    parts, at = {}, 0
    for item in items:
        parts[key(item)] = data[at : at + size(item)]
        at += size(item)
    return parts


def same(a: Number, b: Number, code: str, ulp: int) -> bool:
    """Equal bit by bit; NaNs are all alike, their sign and payload are not defined by C."""
    if code not in FLOATS:
        return a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return abs(_ordinal(a, code) - _ordinal(b, code)) <= ulp


def _ordinal(value: Number, code: str) -> int:
    """Position of a floating-point number in the order of all of its type; -0.0 lies one below 0.0."""
    whole = {"e": "h", "f": "i", "d": "q"}[code]
    bits: int = struct.unpack("<" + whole, struct.pack("<" + code, value))[0]
    return bits if bits >= 0 else -(bits & (2 ** (8 * struct.calcsize(code) - 1) - 1)) - 1


def place(item: Object, at: int) -> str:
    """C expression of the scalar number ``at`` of an object."""
    element, leaf = divmod(at, len(item.leaves))
    index = ""
    for extent in reversed(item.shape):
        element, i = divmod(element, extent)
        index = f"[{i}]{index}"
    return f"{item.name}{index}{item.leaves[leaf].path}"


def shown(value: Number, code: str) -> str:
    """A number with all its digits."""
    digits = {"e": 5, "f": 9, "d": 17}.get(code)
    return str(value) if digits is None else f"{value:.{digits}g}"
