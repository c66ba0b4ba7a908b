"""Addresses that are one value of an iteration plus constants: LLVM's alias analysis keeps them apart in it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hlspart.lowering.graph import Op
from hlspart.model.program import CType, ScalarType

_BITS = 8  # of the narrowest type of C: what 1 << 8 is apart may be one element where a variable wraps around


class Offsets(Struct, frozen=True):
    """A place that data choose: the array or pointer, and what each index is made of.

    That is a value, a constant that is added to it, and the least bits that are kept of both.
    """

    base: tuple[object, ...]
    indices: tuple[tuple[int, int, int], ...]


def note_kept(kept: dict[int, int], value: int, type_: CType) -> None:
    """A value is converted to a type, which may leave a few of its bits."""
    bits = type_.bits if isinstance(type_, ScalarType) and type_.kind == "int" else 0
    if bits < _BITS:
        kept[value] = min(bits, kept.get(value, bits))


def offsets(ops: Mapping[int, Op], access: Op, kept: Mapping[int, int]) -> Offsets | None:
    """The place of an access that data choose; None of others."""
    key = access.ref.key if access.ref is not None else ("",)
    if key[0] != "value" or not isinstance(key[-1], tuple):
        return None
    return Offsets(key[:-1], tuple(_offset(ops, value, kept) for value in key[-1]))


def are_apart(one: Offsets | None, other: Offsets | None) -> bool:
    """Whether two accesses of one iteration, at places that data choose, never meet: `a[k]` and `a[k + 3]`."""
    if one is None or other is None or one.base != other.base or len(one.indices) != len(other.indices):
        return False
    pairs = zip(one.indices, other.indices, strict=True)
    return any(
        value == also and 0 < abs(by - more) < 1 << min(bits, fewer) for (value, by, bits), (also, more, fewer) in pairs
    )


def _offset(ops: Mapping[int, Op], value: int, kept: Mapping[int, int]) -> tuple[int, int, int]:
    """A value as another one and a constant that is added to it, and the least bits that are kept on the way."""
    constant, bits = 0, kept.get(value, _BITS)
    while (op := ops.get(value)) is not None and op.kind == "add" and len(op.args) == 2 and op.text in ("+", "-"):
        known = [x for x in op.args if (arg := ops.get(x)) is not None and arg.kind == "const"]
        if (
            len(known) != 1
            or (op.text == "-" and known[0] != op.args[1])
            or not ops[known[0]].text.lstrip("-").isdigit()
        ):
            break
        number = int(ops[known[0]].text)
        constant += number if op.text == "+" else -number
        value = next(x for x in op.args if x != known[0])
        bits = min(bits, kept.get(value, _BITS))
    return value, constant, bits
