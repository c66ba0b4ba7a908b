"""Exploration: the space of a nest, its cost, and what was found (``hlspart.explore/1``).

Sharding is space, splitting is time: a loop of N iterations with shard s and split t is worked on by s elements, each
of which takes its ``ceil(N/s)`` iterations in slices of ``ceil(ceil(N/s)/t)``, one slice a step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, field

from hlspart.model.diagnostics import Place
from hlspart.model.memories import MemoryRule

Objective = Literal["latency", "bytes", "dsp", "bram", "area-delay"]
StepPipeline = Literal["pingpong", "dataflow", "auto"]  # auto: the better of both


class FixRequest(Struct, frozen=True):
    """What the user fixes at a place: shard and split of a loop (its iterator or label), or where an array stays.

    ``resident``: the array is on the chip from the first step to the last; False: it moves while the nest runs.
    """

    place: Place
    loop: str | None = None
    shard: int | None = None
    split: int | None = None
    array: str | None = None
    resident: bool = False


class Assumed(Struct, frozen=True):
    """Figures of an iteration that the user gives instead of a prediction; None: as predicted."""

    ii: int | None = None
    depth: int | None = None
    dsp: int | None = None


class Dim(Struct, frozen=True):
    """One dimension of an operand: ``sum(coefficient * position of loop) + [0, width)``; loops by number."""

    terms: tuple[tuple[int, int], ...]
    width: int

    def words(self, slices: tuple[int, ...]) -> int:
        """Elements that a tile reaches over, halo included."""
        return sum(abs(c) * (slices[k] - 1) for k, c in self.terms) + self.width


class Operand(Struct, frozen=True, dict=True):
    """An array as a nest uses it. ``read``: elements come from outside; ``written``: they live on after it.

    ``in_place``: it lies on the chip anyway, and is used where it lies. ``lanes``: words that a copy may move at once;
    ``apart``: none of them side by side in the tile of one element. ``kinds``: words up to which it lies in registers,
    LUTs, BRAM; more are UltraRAM. ``crowded``: its ports ask for the II of the nest. ``live``: it is read after it.
    ``private``: a scalar that iterations of its loops give a first value; without loops it comes in and lives on.
    """

    name: str
    element_bytes: int
    dims: tuple[Dim, ...]
    read: bool
    written: bool
    in_place: bool = False
    lanes: int = 1
    apart: bool = False
    kinds: tuple[int, ...] = ()
    crowded: bool = False
    live: bool = True
    private: bool = False

    @property
    def loaded(self) -> bool:
        """Whether tiles of it are brought in."""
        return self.read and not self.in_place

    @property
    def stored(self) -> bool:
        """Whether tiles of it are taken out."""
        return self.written and self.live and not self.in_place

    @cached_property
    def loops(self) -> frozenset[int]:
        """The loops whose position chooses the element."""
        return frozenset(k for d in self.dims for k, _ in d.terms)

    def words(self, slices: tuple[int, ...]) -> int:
        """Elements of one tile of one processing element."""
        return math.prod(d.words(slices) for d in self.dims)

    def kind(self, words: int) -> int:
        """What a memory of so many words is: of ``kinds`` the place, the faster ones first."""
        return sum([words > most for most in self.kinds])


class SumWait(Struct, frozen=True):
    """The least ``ii`` that two terms of a sum allow with so many iterations ``between`` them; ``term``: of a term."""

    between: int
    ii: int
    term: int


class SumChain(Struct, frozen=True):
    """What iterations wait for in tiles of several iterations along some of ``loops``, which carry the same sums.

    ``waits``: in whole tiles; ``guarded``: in those whose iterations ask whether they exist. ``lie``: operands, by
    number, and the fastest memory (:meth:`Operand.kind`) that these lie in where it holds.
    """

    loops: frozenset[int]
    waits: tuple[SumWait, ...]
    guarded: tuple[SumWait, ...] = ()
    lie: tuple[tuple[int, int], ...] = ()

    def interval(self, apart: int, guarded: bool | None) -> int:
        """The II where so many iterations lie between two terms; ``guarded``: None: either the one or the other."""
        each = [_interval(w, apart) for w, has in ((self.waits, False), (self.guarded, True)) if guarded in (None, has)]
        return min(each)


def _interval(waits: Sequence[SumWait], apart: int) -> int:
    """A term takes no less where there are more."""
    least = max([-(-w.term // apart) for w in waits if w.between < apart], default=1)
    return max(least, next((w.ii for w in waits if w.between >= apart), 1))


class TiledNest(Struct, frozen=True, dict=True):
    """Loops to shard and split, outermost first, and the operands of their body.

    ``whole``: numbers of loops that are neither sharded nor split. ``ordered``: what a written operand takes from one
    iteration to the next is not sums that any order gives alike; ``sums``: it is sums at least, so that consent makes
    any order good. ``ii``, ``depth``: of the pipelined iterations of a tile; ``dsp``: of one processing element;
    ``shared_dsp``: those of them that are there once for all elements that differ only in loops other than these.
    ``resident``: bytes of arrays that the function keeps on the chip anyway. ``copied``: moves take what the loops of
    their copies take. ``chains``: what iterations wait for the terms of sums. ``joins``: cycles from the first word of
    the sum of two parts to its end, and what each further level of the tree adds; None: ``depth`` a level.
    ``alone``: cycles of a tile of one iteration, which has no loop; None: ``depth``. ``faster``: II and depth, at
    least, by :meth:`Operand.kind` of a tile of an array that as a whole is of a slower kind. ``spared``: how much less
    the depth is at least of tiles of one iteration along some loops; ``guarded``: of partial tiles, whose iterations
    ask whether they exist. ``assumed``: the user gave figures of an
    iteration. ``least``: those of ``ii``, ``depth``, ``dsp`` that are known as a least alone. ``streams``: the steps
    are a DATAFLOW region, so what moves at all moves at every step, in one direction, and what stays is loaded before
    the first one. ``repeats``: times that the nest runs, once in each iteration of the loops around it. ``borders``:
    cycles of copies before and behind it, of what its region keeps on the chip. ``memories``: by which blocks of BRAM
    count among the figures; None: they do not.
    """

    name: str
    loops: tuple[tuple[str, int], ...]
    operands: tuple[Operand, ...]
    ii: int = 1
    depth: int = 1
    dsp: int = 0
    shared_dsp: tuple[tuple[frozenset[int], int], ...] = ()
    whole: frozenset[int] = frozenset()
    ordered: bool = False
    sums: bool = True
    function: str = ""
    line: int = 0
    resident: int = 0
    copied: bool = False
    chains: tuple[SumChain, ...] = ()
    joins: tuple[int, int] | None = None
    alone: int | None = None
    faster: tuple[tuple[int, int], ...] = ()
    spared: int = 0
    guarded: int = 0
    assumed: bool = False
    least: tuple[str, ...] = ()
    streams: bool = False
    repeats: int = 1
    borders: int = 0
    memories: MemoryRule | None = None

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """Iterations of each loop."""
        return tuple(n for _, n in self.loops)

    def dsp_of(self, shard: Sequence[int]) -> int:
        """DSP blocks of all elements."""
        shared = sum(n * math.prod(shard[k] for k in loops) for loops, n in self.shared_dsp)
        return shared + (self.dsp - sum(n for _, n in self.shared_dsp)) * math.prod(shard)

    @property
    def still(self) -> bool:
        """Whether nothing of it crosses the border of the chip, and no tile needs memory of its own."""
        return all(o.in_place or (o.private and not o.loops) for o in self.operands)

    def carried(self, operand: Operand) -> frozenset[int]:
        """Loops whose iterations all work on the same elements of a written operand."""
        return self._every - operand.loops if operand.written else frozenset()

    @cached_property
    def woven(self) -> frozenset[int]:
        """Loops whose iterations elements take in turn: each index with such a loop is its position and a constant.

        Of the other ones each element has a block, so that windows of neighbours overlap.
        """
        dims = [d for o in self.operands if not o.in_place for d in o.dims]
        return self._every - {k for d in dims for k, _ in d.terms if d.terms != ((k, 1),) or d.width > 1}

    @cached_property
    def _every(self) -> frozenset[int]:
        return frozenset(range(len(self.loops)))

    @cached_property
    def reductions(self) -> frozenset[int]:
        """Loops that carry some written operand."""
        return frozenset(k for o in self.operands for k in self.carried(o))


class ExternalMemory(Struct, frozen=True):
    """External memory: ``width`` bytes per cycle, ``latency`` cycles per move, one engine or a port for each array."""

    width: int = 64
    latency: int = 84
    per_array: bool = False


class Vector(Struct, frozen=True):
    """One candidate: a shard and a split per loop, and the order of the time loops (numbers, outermost first).

    ``names``: the order in names of loops, by which equally good orders are ranked.
    """

    shard: tuple[int, ...]
    split: tuple[int, ...]
    order: tuple[int, ...]
    names: tuple[str, ...] = ()

    def slices(self, extents: tuple[int, ...]) -> tuple[int, ...]:
        """Iterations of a whole tile per loop."""
        own = [-(-n // s) for n, s in zip(extents, self.shard, strict=True)]
        return tuple(-(-n // t) for n, t in zip(own, self.split, strict=True))

    @property
    def key(self) -> tuple[object, ...]:
        """Order of equally good candidates."""
        return self.shard, self.split, self.names, self.order


class Move(Struct, frozen=True):
    """An operand on the chip: bytes of the tiles of all elements, copies of them, and every how many steps it moves."""

    array: str
    size: int
    copies: int
    period: int
    loaded: bool
    stored: bool
    cycles: int  # of one move


class StepCost(Struct, frozen=True):
    """What a candidate costs: ``cycles`` with load, compute and store at once; ``serial``: one after the other."""

    cycles: int
    size: int
    dsp: int
    serial: int
    steps: int
    compute: int
    ii: int  # of the iterations of a step
    depth: int
    moves: tuple[Move, ...]
    bram18k: int | None = None  # None: not counted

    @property
    def figures(self) -> tuple[int, ...]:
        """Cycles, bytes, DSP blocks, and blocks of BRAM where they count: what fronts compare."""
        return figures_of(self.cycles, self.size, self.dsp, self.bram18k)


def figures_of(cycles: int, size: int, dsp: int, bram18k: int | None) -> tuple[int, ...]:
    """What fronts compare."""
    return (cycles, size, dsp) if bram18k is None else (cycles, size, dsp, bram18k)


class Point(Struct, frozen=True):
    """A candidate of one nest with its figures."""

    cycles: int
    size: int
    dsp: int
    vector: Vector
    bram18k: int | None = None

    @property
    def figures(self) -> tuple[int, ...]:
        """Cycles, bytes, DSP blocks, and blocks of BRAM where they count."""
        return figures_of(self.cycles, self.size, self.dsp, self.bram18k)

    @property
    def key(self) -> tuple[Any, ...]:
        """Total order: better first, equals by their vectors."""
        return (*self.figures, self.vector.key)


class ResourceBudget(Struct, frozen=True):
    """Upper limits; None: none."""

    size: int | None = None
    dsp: int | None = None
    bram18k: int | None = None
    uram: int | None = None
    lut: int | None = None
    ff: int | None = None

    @property
    def limits(self) -> tuple[int | None, ...]:
        """Of figures, in their order."""
        return None, self.size, self.dsp, self.bram18k

    @property
    def of_c(self) -> dict[str, int]:
        """Limits that the C is held to, by resource; but for BRAM only the C tells whether it keeps them."""
        every = {"bram18k": self.bram18k, "uram": self.uram, "lut": self.lut, "ff": self.ff}
        return {name: n for name, n in every.items() if n is not None}


class ExploreOptions(Struct, frozen=True):
    """What is asked of ``explore``.

    ``elements``: of every region, or as each likes one of ``fewer``; ``share``: regions take turns in one memory;
    ``schedule``: the cost is what ``ii`` says of the C; ``limit``: candidates per region that are looked at;
    ``seconds``: after which it ends with what it has; ``state``: folder of the records; ``resume``: go on with those
    that are there; ``jobs``: processes; ``cluster``: ``local:N`` or the address of a scheduler. ``write``: make the C,
    and read it back. ``fixes``, ``patterns``: name and text of a file. ``pipeline``: how steps overlap.
    ``share_functions``: nests that are alike take one candidate and call the same functions.
    """

    elements: int = 1
    fewer: tuple[int, ...] = ()
    budget: ResourceBudget = field(default_factory=ResourceBudget)
    off_chip: ExternalMemory = field(default_factory=ExternalMemory)
    objective: Objective = "latency"
    whole: int = 3
    orders: bool = True
    reassociate: bool = False
    share: bool = True
    assumed: Mapping[str, Assumed] = field(default_factory=dict)
    schedule: bool = False
    plan_only: bool = False
    write: bool = False
    pareto: bool = False
    limit: int | None = None
    seconds: float | None = None
    state: str | None = None
    resume: bool = False
    jobs: int = 1
    cluster: str | None = None
    fixes: tuple[str, str] | None = None
    patterns: tuple[str, str] | None = None
    pipeline: StepPipeline = "pingpong"
    share_functions: bool = False
