"""From a banking function in a record to the layout that computes with it."""

from __future__ import annotations

from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import LatticeLayout, linear
from hlspart.layouts.layout import Layout
from hlspart.layouts.table import TableLayout
from hlspart.model.inferred import BankingMap, LatticeMap, LinearMap, TableMap


def layout_from(shape: tuple[int, ...], mapping: BankingMap) -> Layout:
    """The layout of an array of ``shape`` that is banked by ``mapping``."""
    match mapping:
        case TableMap(alphas, moduli, table):
            return TableLayout(LatticeLayout(shape, alphas, moduli), table)
        case LatticeMap(hnf):
            return LatticeLayout.of_hnf(shape, hnf)
        case LinearMap(alpha, modulus, 1):
            return linear(shape, alpha, modulus)
        case LinearMap(alpha, modulus, block):
            return BlockCyclicLayout(shape, alpha, modulus, block)
