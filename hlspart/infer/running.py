"""What one inference stands on, and what it is told: the program and its predictions, which no choice changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field

from hlspart.banking.counting import BankModel
from hlspart.infer.choice import Choice, Pair
from hlspart.infer.decision import Decision
from hlspart.infer.demand import COPIED, Demand, LoopKey
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.options import InferOptions
from hlspart.model.program import Program
from hlspart.model.results import ArrayResult, IIResult, LoopResult, Validation
from hlspart.targets import Target

Plan = tuple[tuple[Decision, ...], IIResult]  # decisions, and the prediction under them
Made = dict[tuple[object, ...], tuple[Choice | None, str]]  # choices by what was asked: none is made twice


class Separation(Struct, frozen=True):
    """Accesses of one group that are to lie in different banks, directives under which they do, and why."""

    demand: Demand
    pairs: frozenset[Pair]
    directives: tuple[Directive, ...]
    why: str = ""


class Restraints(Struct, frozen=True):
    """What a choice is not to do, by group, and why.

    ``barred``: groups that no rewrite is to serve; ``held``: groups that keep the directives that they have;
    ``undivided``: groups whose banks are to be found by shifts and masks; ``least``: loops that do not get below an
    II, whatever banks there are.
    """

    barred: Mapping[int, str] = field(default_factory=dict)
    held: Mapping[int, str] = field(default_factory=dict)
    undivided: Mapping[int, str] = field(default_factory=dict)
    least: Mapping[LoopKey, int] = field(default_factory=dict)


class Ground(Protocol):
    """One program and its predictions."""

    program: Program
    analysis: AccessAnalysis
    validation: Validation
    target: Target
    options: InferOptions
    model: BankModel
    first: IIResult  # as it is written
    before: IIResult  # the same, with pipelines supposed where there are none
    real: Target
    supposed: bool
    base: IIResult  # without the directives that may change
    targets: dict[LoopKey, int]
    held: dict[int, tuple[int, ...]]  # directives that partition a group, by group
    made: Made

    @property
    def unpartitioned(self) -> IIResult:
        """The prediction without the directives that may change, as the tool has it."""

    @property
    def demands(self) -> tuple[Demand, ...]:
        """Demands at the II asked for, by array group."""

    @property
    def goes_on(self) -> bool:
        """Whether the search may ask for one more prediction."""

    def asked_loops(self, result: IIResult) -> list[LoopResult]:
        """The loops with a target II."""

    def missed(self, after: IIResult, floors: Mapping[LoopKey, int]) -> int:
        """Cycles per iteration above what is asked, over all loops."""

    def predict(self, program: Program, apart: Iterable[int] = (), target: Target | None = None) -> IIResult:
        """The prediction under the directives of ``program``."""

    def with_ports_enough(self, directives: Sequence[Directive]) -> IIResult:
        """The prediction under these directives if no memory had too few ports."""


def is_copied(array: ArrayResult) -> bool:
    """Whether the tool copies a memory for its reads unasked."""
    return array.auto and array.storage == COPIED


def copies(ground: Ground, demand: Demand) -> int:
    """Copies that the tool makes of an array unasked, if nothing partitions it."""
    counts = (a.copies for a in ground.unpartitioned.arrays if is_copied(a) and a.variable in demand.roots)
    return max(counts, default=1)
