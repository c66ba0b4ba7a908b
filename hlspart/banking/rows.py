"""Some iterations with the elements that they touch: a mapping that overloads a bank in one of them is refuted."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from hlspart.banking.sites import Sites
from hlspart.model.ports import Ports
from hlspart.sets.region import TooHard

MOST = 500  # iterations

Element = tuple[int, ...]


class Mapped(Protocol):
    """What is asked of a layout."""

    def bank(self, x: Element) -> int:
        """Bank of an element."""


class Row(Struct, frozen=True):
    """One iteration: the elements that it reads (each once) and those that it writes."""

    reads: tuple[Element, ...]
    writes: tuple[Element, ...]


class Rows:
    """Rows of one loop; ``complete`` when they are all of its iterations with all of its accesses."""

    def __init__(self, sites: Sites, shape: Sequence[int]) -> None:
        self.complete = False
        self._rows: list[Row] = []
        names = sites.space.names
        usable = [s for s in sites.sites if s.forms is not None and all(n in names for f in s.forms for n in f.names)]
        if len(usable) < len(sites.sites) or any(s.access.branch for s in usable) or not names:
            return
        try:
            points = {s.access.domain: s.region.points(MOST) for s in usable}
        except TooHard:
            return
        at: dict[tuple[int, ...], tuple[dict[Element, Hashable], list[Element]]] = {}
        for s in usable:
            for point in points[s.access.domain][0]:
                values = dict(zip(names, point, strict=True))
                element = tuple(form.at(values).const for form in s.forms or ())
                if any(not 0 <= i < n for i, n in zip(element, shape, strict=True)):
                    continue
                reads, writes = at.setdefault(point, ({}, []))
                if s.read:
                    reads[element] = None
                else:
                    writes.append(element)
        self.complete = all(whole for _, whole in points.values())
        self._rows = list(dict.fromkeys(Row(tuple(reads), tuple(writes)) for reads, writes in at.values()))

    @property
    def empty(self) -> bool:
        """Whether no iteration could be looked at."""
        return not self._rows

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def overloads(self, layout: Mapped, ports: Ports, ii: int) -> bool:
        """Whether some row asks a bank for more than ``ports`` serve in ``ii`` cycles; it is asked first next time."""
        known: dict[Element, int] = {}
        for k, row in enumerate(self._rows):
            loads: dict[int, list[int]] = {}
            for kind, elements in enumerate((row.reads, row.writes)):
                for x in elements:
                    if x not in known:
                        known[x] = layout.bank(x)
                    loads.setdefault(known[x], [0, 0])[kind] += 1
            if any(ports.interval(reads, writes) > ii for reads, writes in loads.values()):
                self._rows.insert(0, self._rows.pop(k))
                return True
        return False
