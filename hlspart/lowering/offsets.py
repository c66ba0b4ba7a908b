"""Addresses that are one value of an iteration plus constants: LLVM's alias analysis keeps them apart in it."""

from __future__ import annotations

from collections.abc import Mapping

from hlspart.lowering.graph import Op

_MOST = 1 << 8  # what is further apart may be one element where a narrow variable wraps around


def are_apart(ops: Mapping[int, Op], first: Op, second: Op) -> bool:
    """Whether two accesses of one iteration, at places that data choose, never meet: `a[k]` and `a[k + 3]`."""
    if first.ref is None or second.ref is None or first.ref.key[0] != "value":
        return False
    (*array, one), (*same, other) = first.ref.key, second.ref.key
    if array != same or not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other):
        return False
    for (base, constant), (also, moved) in (
        (_offset(ops, x), _offset(ops, y)) for x, y in zip(one, other, strict=True)
    ):
        if base == also and 0 < abs(constant - moved) < _MOST:
            return True
    return False


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
