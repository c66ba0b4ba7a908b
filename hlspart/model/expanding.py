"""Parallel expansion: what is asked for, what was judged, and what was written (``hlspart.expand/1``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from hlspart.model.access import Bounds
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.rewriting import LineRun
from hlspart.model.source import Origin

Map = Literal["cyclic", "block"]
Order = Literal["time-space", "space-time"]
Objective = Literal["steps", "active"]
Reduce = Literal["tree", "serial", "cascade"]
Remainder = Literal["auto", "guard", "peel", "refuse"]
Verdict = Literal["parallel", "reduction", "illegal", "refused", "invalid-placement"]


class Placement(Struct, frozen=True):
    """Loops on a grid: ``space`` elements and ``time`` steps per loop, ``parts`` by loop and grid dimension.

    Steps of loops whose trip count is known at run time only are None. ``active`` elements own an iteration,
    ``allocated`` exist; ``guarded``: loops whose last step is not full.
    """

    space: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]
    time: tuple[int | None, ...]
    active: int
    steps: int | None
    guarded: tuple[int, ...]
    allocated: int


class ExpandOptions(Struct, frozen=True):
    """What the user wants of every region; a pragma's keys stand in for what is None here."""

    loops: tuple[str, ...] = ()
    pe: tuple[int, ...] | None = None
    grid: tuple[int, ...] | None = None
    maps: tuple[Map, ...] | None = None
    order: Order | None = None
    reduce: Reduce | None = None
    reassoc: bool = False
    interleave: int | Literal["auto"] | None = None
    remainder: Remainder | None = None
    stage: tuple[str, ...] | None = None
    objective: Objective | None = None
    time_tile: bool = True
    capacity: Mapping[str, int] = field(default_factory=dict)
    partition: Literal["auto", "rule", "infer", "none"] = "auto"


class Request(Struct, frozen=True):
    """One region to expand: ``loops`` (ids, outermost first) with elements for each, or a grid to place them on."""

    function: str
    loops: tuple[int, ...]
    pe: tuple[int, ...] | None
    grid: tuple[int, ...] | None
    maps: tuple[Map, ...]
    order: Order
    reduce: Reduce
    reassoc: bool
    interleave: int | Literal["auto"]
    remainder: Remainder
    stage: tuple[str, ...]
    objective: Objective
    time_tile: bool
    origin: Literal["pragma", "option"]
    pragmas: tuple[int, ...] = ()  # indices in Program.pragmas


class End(Struct, frozen=True):
    """One end of a dependence: an access in one iteration."""

    name: str
    line: int
    column: int
    kind: str
    iteration: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """JSON of a witness's end."""
        return {
            "line": self.line, "column": self.column, "array": self.name, "kind": self.kind,
            "iteration": dict(self.iteration),
        }  # fmt: skip


class Private(Struct, frozen=True):
    """A variable of which every element has its own.

    ``box``: least and greatest index per dimension of what a last iteration writes, where that is a full box.
    """

    variable: int
    name: str
    kind: Literal["local", "privatised", "last-value"]
    line: int
    loops: int  # how many region loops, outermost first, it is private to
    box: tuple[tuple[int, int], ...] | None = None


class Form(Struct, frozen=True):
    """One way to write a legal region; predictions choose among them.

    ``peel``: the iterations that are left over stand behind the loop. ``interleave``: partials of an element in turn.
    ``pipelined``: by id of a loop the II of the PIPELINE that it gets, as the tool pipelined it by itself with the
    loops inside unrolled, and may not do so with several elements in it.
    """

    peel: bool = False
    interleave: int = 1
    pipelined: Mapping[int, int] = field(default_factory=dict)


class Reduction(Struct, frozen=True):
    """A variable that all elements add to: ``op`` one of ``+ * & | ^ min max``.

    ``loops``: positions of the region's loops over which it is reduced. ``whole``: all elements of the array have
    partials; else the one element (or scalar) that a region adds to. ``others``: ids of the references that read other
    elements of the array meanwhile.
    """

    variable: int
    name: str
    op: str
    loops: tuple[int, ...]
    whole: bool
    others: frozenset[int] = frozenset()


class Judgement(Struct, frozen=True):
    """What integer sets say about a region. ``at``: place of the culprit."""

    verdict: Verdict
    code: str | None = None
    reason: str | None = None
    at: Origin | None = None
    witness: tuple[End, End] | None = None
    dependences: int = 0
    across: int = 0
    private: tuple[Private, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    apart: frozenset[tuple[int, int]] = frozenset()  # leaves that a dependence between elements joins

    @property
    def legal(self) -> bool:
        """Whether the region may be expanded."""
        return self.verdict in ("parallel", "reduction")


class Figures(Struct, frozen=True):
    """Predicted figures of a region before and after; None where not known.

    ``before``, ``after``: cycles; ``ideal``: those of ``before`` if all elements worked all the time. ``whole``: cycles
    of the function after, in which banks of the region may help other loops too.
    """

    before: Bounds
    after: Bounds
    ideal: int | None
    ii_before: int | None
    ii_after: int | None
    limit: str | None
    dsp: tuple[int | None, int | None] = (None, None)
    bram18k: tuple[int | None, int | None] = (None, None)
    ff: tuple[int | None, int | None] = (None, None)
    lut: tuple[int | None, int | None] = (None, None)
    cause: str | None = None
    whole: Bounds = Bounds(None, None)

    def efficiency(self, elements: int) -> tuple[float, float] | None:
        """Cycles before, divided by the number of elements and the cycles after: least and most."""
        before, after = (self.before.min, self.before.max), (self.after.min, self.after.max)
        if before[0] is None or before[1] is None or not after[0] or not after[1]:
            return None
        return round(before[0] / elements / after[1], 3), round(before[1] / elements / after[0], 3)


class SweepRow(Struct, frozen=True):
    """A region on ``pe`` elements; ``figures`` None where it is not written."""

    pe: int
    judgement: Judgement
    figures: Figures | None


class Expansion(Struct, frozen=True):
    """One region with its judgement and, where it was written, what was written."""

    request: Request
    names: tuple[str, ...]
    path: str
    line: int
    judgement: Judgement
    placement: Placement | None = None
    extents: tuple[int | None, ...] = ()
    remainder: str = "none"
    partition: tuple[Mapping[str, Any], ...] = ()
    repeated: tuple[Mapping[str, Any], ...] = ()
    staged: tuple[Mapping[str, Any], ...] = ()
    slices: tuple[Mapping[str, Any], ...] = ()
    interleave: int = 1
    figures: Figures | None = None
    written: bool = False
    sweep: tuple[SweepRow, ...] = ()
    notes: tuple[str, ...] = ()


class ExpandResult(Struct, frozen=True):
    """All regions of the given files, the new texts, and what is to be said."""

    regions: tuple[Expansion, ...]
    files: Mapping[str, str]
    lines: Mapping[str, tuple[LineRun, ...]]
    diagnostics: tuple[Diagnostic, ...]
