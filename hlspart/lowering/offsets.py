"""Addresses that are one value of an iteration plus constants: LLVM's alias analysis keeps them apart in it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hlspart.lowering.graph import Op

_MOST = 1 << 8  # what is further apart may be one element where a narrow variable wraps around


class Offsets(Struct, frozen=True):
    """A place that data choose: the array or pointer, and each index as a value and a constant that is added to it."""

    base: tuple[object, ...]
    indices: tuple[tuple[int, int], ...]


def offsets(ops: Mapping[int, Op], access: Op) -> Offsets | None:
    """The place of an access that data choose; None of others."""
    key = access.ref.key if access.ref is not None else ("",)
    if key[0] != "value" or not isinstance(key[-1], tuple):
        return None
    return Offsets(key[:-1], tuple(_offset(ops, value) for value in key[-1]))


def are_apart(one: Offsets | None, other: Offsets | None) -> bool:
    """Whether two accesses of one iteration, at places that data choose, never meet: `a[k]` and `a[k + 3]`."""
    if one is None or other is None or one.base != other.base or len(one.indices) != len(other.indices):
        return False
    pairs = zip(one.indices, other.indices, strict=True)
    return any(value == also and 0 < abs(by - more) < _MOST for (value, by), (also, more) in pairs)


def _offset(ops: Mapping[int, Op], value: int) -> tuple[int, int]:
    """A value as another one and a constant that is added to it."""
    constant = 0
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
    return value, constant
