"""Loads of m_axi ports that nothing needs and a burst reads all the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from hlspart.hardware.memory import BUS
from hlspart.hardware.storage import Storage
from hlspart.lowering.doubt import Doubt, about
from hlspart.lowering.graph import Op

UNUSED = "whether the tool reads from an m_axi port what unrolling shows to be of no use is not known"


def unused(ops: Mapping[int, Op], needed: Mapping[int, Op], storage: Storage) -> Iterator[Doubt]:
    """m_axi loads that only unrolling shows to be of no use: two reports have them, as a burst reads all of its words.

    A product with a constant zero, in inner loops that the tool unrolls by itself.
    """
    ports: dict[str, tuple[list[Op], list[Op]]] = defaultdict(lambda: ([], []))
    for i, op in ops.items():
        if op.kind != "load" or op.ref is None or storage.memory(op.ref.variable).storage != BUS:
            continue
        if i in needed or storage.automatic.changes_unrolled(op.ref.access):
            ports[storage.memory(op.ref.variable).resource][i in needed].append(op)
    for idle, used in ports.values():
        if idle:
            yield Doubt(about(UNUSED, idle), ii=len(idle) + len(used))
