"""Elements of m_axi arrays that may take several beats of their port: structures of no power of two bytes."""

from __future__ import annotations

from collections.abc import Iterator

from hlspart.frontend.types import size_of
from hlspart.hardware.memory import BUS
from hlspart.lowering.doubt import Doubt, about
from hlspart.model.program import ArrayType, CType, PointerType, StructType
from hlspart.predict.loops import Prediction, shared_interval

_BEAT = 4  # bytes of the narrowest port that reports show for structures


def of_beats(p: Prediction) -> Iterator[Doubt]:
    """The II if such an element is moved in words of 32 bits; a report has 2 for 24 bytes (2023.2)."""
    item = p.elaborated
    for variable in p.counts:
        if item.storage.memory(variable).storage != BUS:
            continue
        known = item.storage.program.variable(variable)
        size = _odd(known.type)
        if size is not None:
            text = f"how many beats of its port an element of {known.name} of {size} bytes takes is not known"
            ops = (p.problem.graph.ops[i] for i in item.members[variable])
            beats = -(-size // _BEAT) * shared_interval(item, item.accesses)
            yield Doubt(about(text, ops), ii=beats)


def _odd(kind: CType) -> int | None:
    """Bytes of elements that are structures and fill no port whose width is a power of two."""
    while isinstance(kind, PointerType | ArrayType):
        kind = kind.target if isinstance(kind, PointerType) else kind.element
    size = size_of(kind) if isinstance(kind, StructType) else None
    return size if size is not None and size & (size - 1) else None
