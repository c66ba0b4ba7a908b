"""Beats of m_axi ports: structures of no power of two bytes may take several, neighbours may share one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlspart.frontend.types import size_of
from hlspart.hardware.memory import BUS
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Op
from hlspart.model.program import ArrayType, CType, PointerType, ScalarType, StructType
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


def of_wide_ports(p: Prediction) -> Iterator[Doubt]:
    """The II if all elements in a row that an iteration moves go through a port that the tool has made wider.

    One report has II 1 for rows of 16 numbers (2023.2). The next iteration begins where the row ends.
    """
    item, ops = p.elaborated, p.problem.graph.ops
    for variable in p.counts:
        known = item.storage.program.variable(variable)
        plain = _is_number(known.type) and item.storage.memory(variable).storage == BUS
        if not plain or not item.storage.bindings.greatest_width(variable):
            continue
        for kind in ("load", "store"):
            moved = [ops[i] for i in item.members[variable] if i in ops and ops[i].kind == kind]
            if len(moved) > 1 and _is_in_a_row(p, moved):
                text = f"whether the port of {known.name} is made as wide as the elements in a row is not known"
                yield Doubt(about(text, moved), idle=lambda v, _, wide=variable: v == wide)  # type: ignore[misc]


def _is_in_a_row(p: Prediction, moved: Sequence[Op]) -> bool:
    """Whether the accesses are of neighbours, and those of the next iteration of the neighbours of these."""
    order = p.elaborated.order
    places = [op.ref.index for op in moved if op.ref is not None and not op.ref.branch]
    known = [[f for f in index if f is not None] for index in places if index is not None and None not in index]
    if (
        len(known) < len(moved)
        or not order.names
        or any(f.terms != g.terms for x in known for f, g in zip(x, known[0], strict=True))
    ):
        return False
    rows = {tuple(f.const for f in index[:-1]) for index in known}
    columns = sorted(index[-1].const for index in known)
    step = known[0][-1].coefficient(order.names[-1]) * order.steps[-1]
    return len(rows) == 1 and columns == list(range(columns[0], columns[0] + step)) and step == len(moved)


def _is_number(kind: CType) -> bool:
    """Whether elements are numbers."""
    while isinstance(kind, PointerType | ArrayType):
        kind = kind.target if isinstance(kind, PointerType) else kind.element
    return isinstance(kind, ScalarType)


def _odd(kind: CType) -> int | None:
    """Bytes of elements that are structures and fill no port whose width is a power of two."""
    while isinstance(kind, PointerType | ArrayType):
        kind = kind.target if isinstance(kind, PointerType) else kind.element
    size = size_of(kind) if isinstance(kind, StructType) else None
    return size if size is not None and size & (size - 1) else None
