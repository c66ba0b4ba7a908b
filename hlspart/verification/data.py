"""Values of objects: bytes for the drivers, vector files."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from hlspart.verification.interface import Object, ScalarField

Number = int | float
FLOATS = "efd"  # codes of floating-point numbers
Values = Mapping[str, Sequence[Number]]  # key of an object -> its scalars in memory order

LIMITS = {
    "b": (-(2**7), 2**7 - 1), "B": (0, 2**8 - 1), "h": (-(2**15), 2**15 - 1), "H": (0, 2**16 - 1),
    "i": (-(2**31), 2**31 - 1), "I": (0, 2**32 - 1), "q": (-(2**63), 2**63 - 1), "Q": (0, 2**64 - 1), "?": (0, 1),
}  # fmt: skip


def limits(leaf: ScalarField) -> tuple[int, int]:
    """Least and greatest value of an integer."""
    low, high = LIMITS[leaf.code]
    if leaf.bits is None:
        return low, high
    return (-(1 << leaf.bits - 1), (1 << leaf.bits - 1) - 1) if low else (0, (1 << leaf.bits) - 1)


def key(item: Object) -> str:
    """Name of an object among all of a version; parameters and globals may share names."""
    return item.name if item.role == "parameter" else f"global {item.name}"


def pack(item: Object, values: Sequence[Number]) -> bytes:
    """The bytes that the driver reads."""
    return struct.pack("<" + _format(item), *values)


def unpack(item: Object, data: bytes) -> tuple[Number, ...]:
    """Scalars from bytes that the driver wrote."""
    return struct.unpack("<" + _format(item), data)


def size(item: Object) -> int:
    """Bytes of an object in a driver's files."""
    return struct.calcsize("<" + _format(item))


def _format(item: Object) -> str:
    if len(item.leaves) == 1:
        return f"{item.count}{item.leaves[0].code}"
    return "".join(leaf.code for leaf in item.leaves) * item.count


# ------------------------------------------------------------------------------- vector files


def to_json(top: str, seed: int, items: Sequence[Object], vectors: Sequence[Values]) -> dict[str, object]:
    """Schema ``hlspart.vectors/1``: a description of the objects and their values per vector."""
    return {
        "schema": "hlspart.vectors/1",
        "top": top,
        "seed": seed,
        "objects": [
            {"name": key(o), "shape": list(o.shape), "scalars": [{"path": x.path, "type": x.code} for x in o.leaves]}
            for o in items
        ],
        "vectors": [{name: list(v) for name, v in values.items()} for values in vectors],
    }


def from_json(shape: object, items: Sequence[Object]) -> list[dict[str, list[Number]]]:
    """Vectors of a file; ValueError with one line when they do not fit ``items``."""
    if not isinstance(shape, dict) or shape.get("schema") != "hlspart.vectors/1":
        raise ValueError("not a vector file (schema hlspart.vectors/1)")
    vectors = []
    entries = shape.get("vectors")
    for number, entry in enumerate(entries if isinstance(entries, list) else [], 1):
        values: dict[str, list[Number]] = {}
        for item in items:
            name, wanted = key(item), item.count * len(item.leaves)
            numbers = entry.get(name) if isinstance(entry, dict) else None
            if numbers is None and item.role == "global":
                continue  # keeps the value that the source gives it
            if not isinstance(numbers, list) or len(numbers) != wanted:
                raise ValueError(f"vector {number} has no {wanted} values for {name}")
            try:
                pack(item, numbers)
            except (struct.error, OverflowError, TypeError):
                raise ValueError(f"vector {number} has a value that does not fit {name}") from None
            values[name] = numbers
        vectors.append(values)
    if not vectors:
        raise ValueError("no vectors")
    return vectors
