"""Banks of the elements of a small array, coloured one by one from all iterations that there are.

Accesses with different strides, ``A[i] + A[3 * i]``, meet in ever other distances, so that no periodic mapping with few
banks serves them; a table of all elements does. The trace of the loops gives the constraints (Y. Zhou, K. Al-Hawaj and
Z. Zhang, "A new approach to automatic memory banking using trace-based address mining", FPGA 2017).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

from hlspart.banking.colouring import MAX_CELLS, Constraint, colour
from hlspart.banking.exchange import Exchange
from hlspart.banking.need import Need
from hlspart.banking.rows import Element
from hlspart.layouts.lattice import LatticeLayout
from hlspart.layouts.table import TableLayout

MOST_ELEMENTS = 512  # of a table
STEPS = 400  # of a search that may prove that there is none, for each number of banks
MOVES = 2000  # of a search that may find one


class Trace:
    """The constraints of all iterations of some loops on an array of this shape."""

    def __init__(self, needs: Sequence[Need], shape: tuple[int, ...]) -> None:
        self._needs, self._shape = needs, shape
        self._cells: list[Element] = []
        self._constraints: list[Constraint] = []
        self.complete = self._read() if math.prod(shape) <= MOST_ELEMENTS else False

    def _read(self) -> bool:
        """Note what every iteration touches; False where that is not known or is too much."""
        sets: set[tuple[frozenset[Element], int]] = set()
        for need in self._needs:
            rows = need.rows(self._shape)
            if not rows.complete:
                return False
            for row in rows:
                if len({*row.reads, *row.writes}) < len(row.reads) + len(row.writes):
                    return False  # one element more than once: not a question of banks
                kinds = ((row.reads + row.writes, need.ports.total), (row.reads, need.ports.reads))
                for touched, most in (*kinds, (row.writes, need.ports.writes)):
                    if most is not None and len(touched) > most * need.ii:
                        sets.add((frozenset(touched), most * need.ii))
        often = Counter(x for touched, _ in sets for x in touched)
        self._cells = sorted(often, key=lambda x: (-often[x], x))
        number = {x: k for k, x in enumerate(self._cells)}
        self._constraints = sorted((sum(1 << number[x] for x in touched), cap) for touched, cap in sets)
        return 0 < len(self._cells) <= MAX_CELLS

    def search(self, banks: int, effort: int) -> tuple[TableLayout | None, bool]:
        """A table with so many banks, and whether it is proved that no mapping has so few."""
        proof = colour(len(self._cells), self._constraints, banks, STEPS * 4 ** (effort - 1))
        colours = proof.colours
        if colours is None and proof.complete:
            return None, True
        if colours is None:
            exchange = Exchange(len(self._cells), self._constraints)
            colours = exchange.colours(banks, MOVES * 2 ** (effort - 1), Random(1))
        return None if colours is None else self._table(colours), False

    def _table(self, colours: Sequence[int]) -> TableLayout | None:
        """Elements by row-major number; those that no iteration needs go where there is room."""
        known = dict(zip(self._cells, colours, strict=True))
        filled = Counter(colours)
        names = {c: k for k, c in enumerate(sorted(filled))}
        table = []
        for place in range(math.prod(self._shape)):
            bank = known.get(self._element(place))
            if bank is None:
                bank = min(filled, key=lambda c: (filled[c], c))
                filled[bank] += 1
            table.append(names[bank])
        weights = tuple(math.prod(self._shape[k + 1 :]) for k in range(len(self._shape)))
        layout = TableLayout(LatticeLayout(self._shape, (weights,), (len(table),)), tuple(table))
        served = not any(need.rows(self._shape).overloads(layout, need.ports, need.ii) for need in self._needs)
        return layout if served else None

    def _element(self, place: int) -> Element:
        digits = []
        for extent in reversed(self._shape):
            place, index = divmod(place, extent)
            digits.append(index)
        return tuple(reversed(digits))
