"""Operations on doubles that are operations on floats: LLVM makes them so, as no bit of the result is lost.

A sum, product, quotient or square root of floats that is worked out in double and then kept as a float, and a
comparison of floats in double (InstCombine, visitFPTrunc and visitFCmp; `y = 1.0 - x` of floats has one float adder).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from hlspart.lowering.graph import Op

_EXACT = ("dadd", "dmul", "ddiv", "dsqrt")


def is_exact(op: Op) -> bool:
    """Whether an operation on doubles that are floats gives, kept as a float, what one on floats does."""
    return op.kind in _EXACT and op.impl is None and op.latency is None


def singles(
    values: Sequence[int], ops: Mapping[int, Op], constants: Mapping[int, int | float]
) -> tuple[int, ...] | None:
    """The floats that all of some doubles are, literals among them; None where one is none or all are literals."""
    floats = tuple(_single(v, ops, constants) for v in values)
    known = tuple(f for f in floats if f is not None)
    return known if len(known) == len(floats) and not all(f in constants for f in known) else None


def _single(value: int, ops: Mapping[int, Op], constants: Mapping[int, int | float]) -> int | None:
    if value in constants:
        return value if _fits(constants[value]) else None
    op = ops[value]
    return op.args[0] if op.kind == "fext" and op.bits > 32 else None


def _fits(value: int | float) -> bool:
    """Whether a number is one of those of a float."""
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False
