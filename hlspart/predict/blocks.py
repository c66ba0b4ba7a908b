"""Sums that the DSP block of a product makes: which they are, and the states of both.

A block multiplies in three states, the last of which hands the product on inside the block, and adds in two, the
first of which is that one. A chain of such sums takes a state each. Reports name them ``mac_muladd``; with a sum ahead
of the product, which takes no state of its own, ``am_addmul`` (four states) or ``ama_addmuladd``. From 2020.2 to 2022.2
a product alone takes the four states of ``mul_mul``, unless it is built of LUTs or comes round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from hlspart.lowering.graph import Graph, Op
from hlspart.schedule.problem import Timing
from hlspart.targets import Target

_SHIFTED = ("*", "/", "%")  # sums that stand for a product with a constant
_SUM_BITS = 48  # of the adder behind the multiplier
_PRODUCT_STATES, _SUM_STATES, _ALONE_STATES = 3, 2, 4


class InBlocks(Struct, frozen=True):
    """What DSP blocks take in beside their product: ``sums`` behind and ``presums`` ahead of it, by product."""

    sums: Mapping[int, int]
    presums: Mapping[int, int]
    alone: frozenset[int] = frozenset()  # products without either that take the block's stages nevertheless

    def timing(self, target: Target) -> dict[int, Timing]:
        """Of all products and sums in such blocks."""
        ns = target.block_ns
        made = {i: Timing(1, ns["presum"], ns["presum"]) for i in self.presums}
        for product in (*self.presums.values(), *self.alone):
            made[product] = Timing(_ALONE_STATES, ns["product"], 0.0)
        for total, product in self.sums.items():
            made[product] = Timing(_PRODUCT_STATES, ns["product"], 0.0)
            made[total] = Timing(_SUM_STATES, ns["sum"], ns["sum"])
        return made

    @property
    def products(self) -> frozenset[int]:
        """Products that are in a block for their sum, however narrow they are."""
        return frozenset((*self.sums.values(), *self.presums.values()))


def in_blocks(graph: Graph, target: Target) -> InBlocks:
    """Sums in DSP blocks: of a product that nothing else uses, as far as the tool version makes them."""
    users: Counter[int] = Counter()
    here: dict[int, list[int]] = {}
    for edge in graph.edges:
        if edge.kind == "data":
            users[edge.source] += 1
            if not edge.distance and edge.gap is None:
                here.setdefault(edge.sink, []).append(edge.source)
    sums: dict[int, int] = {}
    if target.block_sums:
        for total in graph.ops.values():
            if total.kind != "add" or total.text in _SHIFTED or total.bits > _SUM_BITS or total.impl is not None:
                continue
            fit = [i for i in here.get(total.id, ()) if users[i] == 1 and _multiplies(graph.ops[i], target)]
            if fit:
                sums[total.id] = max(fit)
    presums: dict[int, int] = {}
    rounds = graph.recurring if target.block_presums or target.block_products else frozenset[int]()
    if target.block_presums:
        most = target.multiplier[1]
        for product in graph.ops.values():
            if not _multiplies(product, target) or product.id in rounds or _is_narrow(product, target):
                continue
            ahead = [graph.ops[i] for i in here.get(product.id, ()) if users[i] == 1 and i not in sums]
            fit = [op.id for op in ahead if op.kind == "add" and op.bits < most and op.impl is None]
            if fit:
                presums[fit[0]] = product.id
    alone = frozenset[int]()
    if target.block_products:
        made = {*sums.values(), *presums.values(), *rounds}
        products = (op for op in graph.ops.values() if op.id not in made)
        alone = frozenset(op.id for op in products if _multiplies(op, target) and not _is_narrow(op, target))
    return InBlocks(sums, presums, alone)


def _is_narrow(op: Op, target: Target) -> bool:
    """Whether a product is built of LUTs where it stands alone."""
    time = target.operator(op.kind, op.bits, None, op.operands)
    return time is None or not time.dsp


def _multiplies(op: Op, target: Target) -> bool:
    """Whether one DSP block makes a product."""
    return op.kind == "mul" and op.impl is None and op.latency is None and target.fits_multiplier(op.operands, op.bits)
