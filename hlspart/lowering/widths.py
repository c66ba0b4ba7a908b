"""Widths of operators on integers: a tool builds no more bits than the values of an operation need.

Sums of bytes are `add i9` and `add i10` in schedule reports, comparisons of an iterator as wide as its end; a byte
modulo 9 is `urem_8ns_5ns_4_12` (angerpro1411/TECTONIC, 2023.1).
"""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.lowering.graph import Op
from hlspart.semantics import spans
from hlspart.semantics.spans import Span


def measured(op: Op, made: Span | None, left: Span | None, right: Span | None) -> Op:
    """``op`` with the bits of what it makes, or of what it compares or divides, and those of a product's operands."""
    if op.kind == "mul" and left is not None and right is not None:
        low, high = sorted((spans.width(left), spans.width(right)))
        old = op.operands or (0, 0)
        return replace(op, operands=(max(low, old[0]), max(high, old[1])))
    held = spans.both(left, right) if op.kind in ("cmp", "div") else made if op.kind == "add" else None
    return op if held is None else replace(op, bits=min(op.bits, spans.needed(held)))
