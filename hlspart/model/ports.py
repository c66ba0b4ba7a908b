"""Memory ports and the accesses that compete for them in one iteration of a pipelined loop."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from hlspart.model.access import Affine


class Ports(Struct, frozen=True):
    """Accesses that one bank serves in one cycle; None means no limit.

    ram_1p: total 1. ram_2p: writes 1, total 2. ram_s2p: reads 1, writes 1. ram_t2p: total 2.
    ram_1wnr: writes 1. rom_np: none. Registers: none.
    """

    reads: int | None = None
    writes: int | None = None
    total: int | None = None

    def interval(self, reads: int, writes: int) -> int:
        """Least number of cycles in which one bank serves so many accesses (at least 1)."""
        need = 1
        for count, limit in ((reads, self.reads), (writes, self.writes), (reads + writes, self.total)):
            if limit is not None:
                need = max(need, math.ceil(count / limit))
        return need

    def serves(self, reads: int, writes: int) -> bool:
        """Whether one bank serves so many accesses in one cycle."""
        return (
            (self.total is None or reads + writes <= self.total)
            and (self.reads is None or reads <= self.reads)
            and (self.writes is None or writes <= self.writes)
        )

    @property
    def unlimited(self) -> bool:
        """Whether nothing can conflict."""
        return self.reads is None and self.writes is None and self.total is None


class PortAccess(Struct, frozen=True):
    """One access of one iteration of a pipelined loop, after unrolling and merging.

    ``index`` is affine over the names of the :class:`IterationSpace` (unrolled iterators are
    already replaced by numbers), an entry None where only ``map`` (isl, from the space) can say
    it; ``index`` None: data-dependent, may touch any element. ``domain``: isl set of the
    iterations that perform it. ``access`` is the Access.id it comes from, ``line`` its line.
    ``leaves``: names of the pipelined loops when nothing in them stores to the array: the tool takes
    the load out of them under a partition in which they do not move its offset inside a bank.
    """

    access: int
    kind: Literal["read", "write"]
    index: tuple[Affine | None, ...] | None
    map: str | None
    domain: str
    line: int
    branch: tuple[tuple[int, int], ...] = ()
    leaves: tuple[str, ...] = ()


class IterationSpace(Struct, frozen=True):
    """Iterations of a pipelined loop, enclosing loops included, outermost first.

    ``domain`` is an isl set over ``names`` (parameters allowed). ``steps`` holds the step of each
    name: values of one name are congruent modulo its step when its lower bound is constant.
    """

    names: tuple[str, ...]
    domain: str
    steps: tuple[int, ...]


class BankLoad(Struct, frozen=True):
    """Accesses (positions in the given list) that one bank must serve in one iteration."""

    bank: int
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    interval: int


class PortCount(Struct, frozen=True):
    """Outcome of counting: the busiest bank under either model.

    ``static``: an access whose bank is not fixed at compile time occupies every bank that it may
    reach (facts of real tools). ``ideal``: true conflicts per iteration, with a ``witness``
    iteration of the worst one. ``exact`` False when a cap was hit and the figures are upper bounds.
    """

    static: BankLoad
    ideal: BankLoad
    witness: Mapping[str, int] | None
    exact: bool = True
