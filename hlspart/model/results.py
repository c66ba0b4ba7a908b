"""What the analyses found, ready to be rendered; nothing is computed after these records exist.

Field names are those of the JSON contract wherever it names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from hlspart.model.access import Affine, Bounds
from hlspart.model.causes import Cause, as_text
from hlspart.model.directives import Fault, PartitionRequest
from hlspart.model.parts import FunctionResult
from hlspart.model.source import Origin

# ------------------------------------------------------------------------- partition validation

PragmaState = Literal["applied", "rejected", "conflict", "redundant", "ignored", "unmodelled"]


class PragmaStatus(Struct, frozen=True):
    """Fate of one directive. ``code`` is a stable word for the reason (rules key on it).

    ``notes`` are all remarks one by one, that of ``reason`` included; ``other`` is the index of the
    directive that it contradicts or repeats.
    """

    directive: int  # index in Program.directives
    path: str
    line: int
    text: str
    status: PragmaState
    code: str | None
    reason: str | None
    hint: str | None = None
    at: Origin | None = None  # the offending expression, where there is one
    variable: int | None = None
    dim: int | None = None  # 1-based
    notes: tuple[Fault, ...] = ()
    other: int | None = None


class DimPartition(Struct, frozen=True):
    """Effective partition of one dimension (1-based), and where it came from."""

    dim: int
    type: Literal["cyclic", "block", "complete"]
    factor: int
    origin: Literal["pragma", "directive", "auto", "inferred"]


class GroupPartition(Struct, frozen=True):
    """The partition of an array group: what every member gets, or why none does.

    ``dims`` is empty when the group is not partitioned. ``requests`` are all that asked. ``divided``: what each
    member gets where arrays that meet only in an inlined function differ; None for its parameters that are
    handed arrays of several partitions.
    ``verdicts``: for each access id of the group, the bank verdict (A-14):
    ``const`` (bank given), ``const-after-unroll`` (unroll given), ``const-after-split``,
    ``dynamic`` or ``non-affine``.
    """

    group: int
    dims: tuple[DimPartition, ...]
    requests: tuple[PartitionRequest, ...]
    verdicts: Mapping[int, BankVerdict]
    divided: Mapping[int, tuple[DimPartition, ...] | None] = field(default_factory=dict)

    def of(self, variable: int) -> tuple[DimPartition, ...]:
        """Partition of one member."""
        return self.divided.get(variable, self.dims) or ()


class BankVerdict(Struct, frozen=True):
    """Which banks one access reaches, over its whole domain.

    ``unroll``: the factor when unrolling one loop decides the bank; ``unrolls``: (loop id, factor) of
    every loop that must be unrolled.
    """

    kind: Literal["const", "const-after-unroll", "const-after-split", "dynamic", "non-affine"]
    banks: tuple[int, ...] | None  # flat bank numbers, None when not known
    unroll: int | None = None
    dim: int | None = None  # 1-based dimension that keeps the bank from being constant
    unrolls: tuple[tuple[int, int], ...] = ()


class Validation(Struct, frozen=True):
    """Result of ``hlspart.partition.validate``.

    ``apart``: variables whose accesses the II check is to take as free of port conflicts, because a
    banking that no directive says is proved apart from it (set by inference only). ``ports``: what directives
    ask for of m_axi ports, which documents refuse; some tools make a port per bank.
    """

    statuses: tuple[PragmaStatus, ...]
    groups: Mapping[int, GroupPartition]  # by ArrayGroup.id
    apart: frozenset[int] = frozenset()
    ports: Mapping[int, tuple[DimPartition, ...]] = field(default_factory=dict)  # by ArrayGroup.id


# --------------------------------------------------------------------------------- the II check

MOST_NAMED = 10  # operations of a recurrence in a sentence; `ii --explain` lists them all


class Limit(Struct, frozen=True):
    """One reason for an II, the contract's ``limits`` entry. Unused fields are None."""

    kind: Literal["memory-port", "recurrence", "operator", "interface", "schedule"]
    ii: int
    lines: tuple[int, ...]
    array: str | None = None
    bank: int | None = None
    accesses: int | None = None
    ports: int | None = None
    witness: Mapping[str, int] | None = None
    variable: str | None = None
    distance: int | None = None
    latency: int | None = None
    text: str = ""  # one sentence for people
    hint: str | None = None


class BankUse(Struct, frozen=True):
    """What one iteration asks of one bank under the static model, and the least II at which its ports serve that.

    An access whose bank is not fixed counts in every bank that it may reach. ``ports`` None: reads and writes have
    ports of their own.
    """

    array: str
    bank: int
    reads: int
    writes: int
    ports: int | None
    ii: int


class Slot(Struct, frozen=True):
    """One row of a reservation table: an operation at a control state."""

    operation: str
    line: int
    start: int  # state of the iteration, from 0
    states: int
    held: tuple[str, ...] = ()  # ports and units taken in its slot: "A bank 0 p1", "fadd unit 2", ..
    slot: int | None = None  # start mod II
    access: int | None = None  # of :class:`hlspart.model.access.Access`, where it is one
    index: tuple[Affine | None, ...] | None = None  # the element over the iterators of the loop


class CycleStep(Struct, frozen=True):
    """One operation on the critical cycle, from state ``first`` to ``last`` after the value of the last round is there.

    ``through``: the variable (or reason) of the dependence into it, "data", "memory" or "control" by ``kind``,
    ``distance`` iterations long.
    """

    operation: str
    line: int
    first: int
    last: int
    through: str
    kind: str
    distance: int


class Proof(Struct, frozen=True):
    """No text with the same operations of a loop in the same order has an II below ``ii``.

    ``cycle``: what a value goes through from iteration to iteration, whatever the memories; else ``words`` say what
    else keeps every text from it. ``at_ports``: as long as the top function keeps the ports that it has.
    """

    ii: int
    cycle: tuple[CycleStep, ...]
    words: str = ""
    at_ports: bool = False

    @property
    def text(self) -> str:
        """The proof in a sentence."""
        if self.words:
            return self.words
        made = [s for s in self.cycle if s.last > s.first or len(self.cycle) <= MOST_NAMED]
        few = MOST_NAMED // 2
        left = [f"{len(made) - 2 * few} more"] if len(made) > MOST_NAMED else []
        names = [f"{s.operation} (line {s.line})" for s in made]
        names = [*names[:few], *left, *names[-few:]] if left else names
        apart = sum(s.distance for s in self.cycle)
        return (
            f"proved: no memories and no schedule of these operations in this order go below II {self.ii}, since "
            f"{' -> '.join(names)} leads from an iteration to "
            f"{'the next' if apart == 1 else f'the one {apart} later'}"
        )

    def to_json(self) -> dict[str, object]:
        """Entry ``proof``."""
        steps = [
            {"operation": s.operation, "line": s.line, "states": [s.first, s.last], "distance": s.distance}
            for s in self.cycle
        ]
        return {"ii": self.ii, "text": self.text, "cycle": steps}


class LoopResult(Struct, frozen=True):
    """II of one loop (contract ``hlspart.ii/1``). ``loop`` is the id in Program.loops."""

    loop: int
    function: str
    name: str
    label: str | None
    line: int
    pipelined: bool
    target_ii: int | None
    ii: int | None
    ideal_ii: int | None
    resource_ii: int | None
    recurrence_ii: int | None
    depth: int | None
    trip_count: Bounds
    latency: Bounds
    causes: tuple[Cause, ...]  # why the II is not known
    bounds: tuple[int, int] | None
    confidence: Literal["measured", "modelled", "unknown"]
    origin: Literal["pragma", "directive", "auto"]
    limits: tuple[Limit, ...]
    flattened: tuple[str, ...] = ()
    schedule: tuple[Slot, ...] = ()
    method: str = ""  # how the schedule was found: "integer programming", "iterative modulo scheduling", ..
    cycle: tuple[CycleStep, ...] = ()  # the critical cycle
    proof: Proof | None = None  # why the II cannot be what it aims at
    dsp: int | None = None  # DSP blocks of its operators
    banks: tuple[BankUse, ...] = ()  # of all memories with ports, by array and bank
    depth_causes: tuple[Cause, ...] = ()  # why depth and latency are not known although the II is
    given_up: int = 0  # what was made before it was found to have too many operations or orders, in operations
    placements: int = 0  # how often operations were given a state until there was a schedule
    compared: int = 0  # what orders and pairs of accesses took to be found, in operations

    @property
    def cause(self) -> str | None:
        """Why the II is not known, in words."""
        return as_text(self.causes)

    @property
    def depth_cause(self) -> str | None:
        """Why depth and latency are not known although the II is, in words."""
        return as_text(self.depth_causes)

    @property
    def aim(self) -> int | None:
        """The II to reach: as asked for, or the 1 at which a tool aims by itself; None where nothing is pipelined."""
        return (self.target_ii or 1) if self.pipelined else None

    @property
    def least(self) -> int:
        """The II; where that is not known, what it is known not to be below."""
        return self.ii or (self.bounds[0] if self.bounds is not None else 1)

    @property
    def binding(self) -> tuple[Limit, ...]:
        """The limits, worst first; where the II is not known, those that hold for certain, if any does."""
        certain = tuple(x for x in self.limits if self.ii is not None or x.ii <= self.least)
        return certain if any(x.ii == self.least for x in certain) else self.limits

    @property
    def figure(self) -> str:
        """The II in words: ``5``, ``5..10`` or ``?``."""
        if self.ii is not None:
            return str(self.ii)
        return "?" if self.bounds is None else f"{self.bounds[0]}..{self.bounds[1]}"

    @property
    def misses(self) -> bool:
        """Whether the II is known to be above the one to reach."""
        return self.aim is not None and self.least > self.aim

    @property
    def may_miss(self) -> bool:
        """Whether the II is above the one to reach, or may be by a limit that is known."""
        most = self.bounds[1] if self.ii is None and self.bounds is not None and self.limits else 0
        return self.misses or most > (self.aim or 1)

    @property
    def work(self) -> int:
        """Operations of an iteration, what another schedule takes; where none is known, accesses to memories.

        To make operations in vain takes a sixth of what a schedule of them does.
        """
        return len(self.schedule) or self.given_up // 6 or sum(b.reads + b.writes for b in self.banks)

    @property
    def cost(self) -> int:
        """What another prediction takes, in operations: four placements take as long as to make one and place it."""
        return max(self.work, self.placements // 4, self.compared)


class ArrayResult(Struct, frozen=True):
    """Memories of one array after partition.

    ``luts``: of memories built of LUTs; ``mux_luts``: an estimate of what chooses among undecided banks;
    ``copies``: of the whole array, for reads at the same time and between processes of DATAFLOW (in all counts).
    ``banks``: None where there are as many as an extent that is not known.
    """

    variable: int
    name: str
    function: str | None
    line: int
    dims: tuple[int | None, ...]
    element_bits: int
    storage: str
    ports: int | None
    banks: int | None
    bank_depths: tuple[int, ...]
    auto: bool
    partition: tuple[DimPartition, ...]
    bram18k: int
    registers: int
    uram: int = 0
    luts: int = 0
    mux_luts: int = 0
    copies: int = 1


class ResourceUse(Struct, frozen=True):
    """Use of one kind of resource by all arrays; ``available`` None where the part is not listed."""

    name: str
    used: int
    available: int | None


class IIResult(Struct, frozen=True):
    """Result of ``hlspart.predict.check``."""

    tool: str
    part: str
    clock_ns: float
    loops: tuple[LoopResult, ...]
    arrays: tuple[ArrayResult, ...]
    pragmas: tuple[PragmaStatus, ...]
    functions: tuple[FunctionResult, ...]
    assumptions: tuple[str, ...]
    resources: tuple[ResourceUse, ...] = ()
    made: tuple[
        LoopResult, ...
    ] = ()  # loops that the tool makes of calls and initial values; their ids are no program's
