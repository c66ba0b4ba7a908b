"""From a banking function in a record to the layout that computes with it."""

from __future__ import annotations

from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout, linear
from hlspart.layouts.layout import Layout
from hlspart.layouts.table import TableLayout
from hlspart.model.inferred import BankingMap


def layout_from(shape: tuple[int, ...], mapping: BankingMap) -> Layout:
    """Table for ``table``, lattice for ``hnf``, else linear or block-cyclic by ``alpha``, ``modulus`` and ``block``."""
    if mapping.table is not None:
        return TableLayout(LatticeLayout(shape, mapping.alphas, mapping.moduli), mapping.table)
    if mapping.hnf is not None:
        return LatticeLayout.of_hnf(shape, mapping.hnf)
    assert mapping.alpha is not None and mapping.modulus is not None
    if (mapping.block or 1) > 1:
        assert mapping.block is not None
        return BlockCyclicLayout(shape, mapping.alpha, mapping.modulus, mapping.block)
    return linear(shape, mapping.alpha, mapping.modulus)
