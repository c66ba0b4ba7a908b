"""Dividers that pick banks: an index by a number of banks that is no power of two.

Reports of five repositories (2022.1 to 2024.1) name them, `urem_8ns_5ns_4_12_1` for one: n bits take n + 4 states, of
which the last may be the first of the access. An iterator that ends at N has as many bits as N.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.accesses import division
from hlspart.hardware.storage import Storage
from hlspart.lowering.addresses import counters_ns
from hlspart.lowering.graph import Edge, Op
from hlspart.lowering.lower import Lowered
from hlspart.model.access import Affine


class Division(Struct, frozen=True):
    """An index of ``bits`` that is divided ``by`` a number to find a bank; None where reports do not tell them."""

    by: int
    bits: int | None


class Dividers(Struct, frozen=True):
    """The divisions of a nest with the iterators ``own``. ``ranges``: first and last values of iterators, as known.

    A last value is the one that ends the loop.
    """

    own: tuple[str, ...]
    ranges: Mapping[str, tuple[int, int]]
    storage: Storage
    reach: Callable[[Op], frozenset[int]]

    def divisions(self, op: Op) -> Iterator[Division]:
        """Those that an access waits for.

        The remainder of the iterator of a loop that is no nest is counted along (``next_urem`` in reports of eight
        repositories, 2016.4 to 2024.2).
        """
        assert op.ref is not None
        memory = self.storage.memory(op.ref.variable)
        if memory.registers or memory.ports.unlimited or len(self.reach(op)) < 2:
            return
        forms = op.ref.index or (None,) * len(memory.layout.dims)
        for form, dim in zip(forms, memory.layout.dims, strict=False):
            by = None if dim.modulus is not None and self._is_counted_along(form) else division(form, dim)
            if by is not None:
                yield Division(by, None if form is None or dim.modulus is None else self._bits(form))

    def _is_counted_along(self, form: Affine | None) -> bool:
        """Whether an index is that of the last iteration and a step."""
        return form is not None and len(self.own) == 1 and form.terms == ((self.own[0], 1),)

    def _bits(self, form: Affine) -> int | None:
        """Bits of an index that one iterator of the nest alone decides."""
        names = [name for name, _ in form.terms]
        if len(names) != 1 or names[0] not in self.own or names[0] not in self.ranges:
            return None
        ends = [form.at({names[0]: value}).const for value in self.ranges[names[0]]]
        return max(ends).bit_length() if min(ends) >= 0 else None


def with_dividers(lowered: Lowered, dividers: Dividers) -> Lowered:
    """``lowered`` with a divider ahead of each access whose bank takes one of known width."""
    graph, target = lowered.graph, dividers.storage.target
    ops, edges, made = dict(graph.ops), list(graph.edges), dict[int, int]()
    ns = counters_ns(dividers.own, target)
    for op in graph.memory:
        bits = max((d.bits for d in dividers.divisions(op) if d.bits is not None), default=None)
        if bits is None or target.operator("div", bits) is None:
            continue
        if bits not in made:
            count = max(ops) + 1
            made[bits] = count
            ops[count] = Op(count, "div", bits, (), op.line, "bank")
            if ns:
                ops[count + 1] = Op(count + 1, "address", math.ceil(1000 * ns), (), op.line, "iterators")
                edges.append(Edge(count + 1, count, 0, None, "data", "iterators"))
        edges.append(Edge(made[bits], op.id, 0, None, "data", "bank"))
    return replace(lowered, graph=replace(graph, ops=ops, edges=tuple(edges))) if made else lowered
