"""Memory references as the count of ports takes them."""

from __future__ import annotations

from typing import Literal

from hlspart.layouts.layout import Layout
from hlspart.lowering.graph import MemoryRef
from hlspart.model.ports import PortAccess


def port_access(ref: MemoryRef, line: int, leaves: tuple[str, ...] = (), layout: Layout | None = None) -> PortAccess:
    """A memory reference as the counting function takes it; ``leaves`` as in :class:`PortAccess`.

    The index of a dimension that ``layout`` splits says the bank, though data choose the others (reports of
    Muxucao0812/Crypto: II 4 of 8 block banks; complete partitions of several repositories).
    """
    kind: Literal["read", "write"] = "read" if ref.kind == "read" else "write"
    index, dims = ref.index, layout.dims if layout is not None else ()
    split = {k for k, dim in enumerate(dims) if dim.banks > 1}
    if index is None and ref.map is None and any(k in split and f is not None for k, f in enumerate(ref.columns)):
        index = tuple(f if k in split else None for k, f in enumerate(ref.columns))
    return PortAccess(ref.access, kind, index, ref.map, ref.domain, line, ref.branch, leaves)
