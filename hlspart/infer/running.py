"""What the parts of one inference ask of the run: predictions under a choice, and the choice for one demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hlspart.banking.need import BankModel
from hlspart.infer.choice import Choice, Chooser, Pair
from hlspart.infer.decision import Decision
from hlspart.infer.demand import Demand, LoopKey
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.options import InferOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, LoopResult, Validation
from hlspart.targets import Target

Plan = tuple[tuple[Decision, ...], IIResult]  # decisions, and the prediction under them


@dataclass(frozen=True)
class Separation:
    """Accesses of one group that are to lie in different banks, directives under which they do, and why."""

    demand: Demand
    pairs: frozenset[Pair]
    directives: tuple[Directive, ...]
    why: str = ""


class InferenceRun(Protocol):
    """One inference on one program."""

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
    separations: dict[int, Separation]  # groups whose banks part stores for the sake of a recurrence

    @property
    def unpartitioned(self) -> IIResult:
        """The prediction without the directives that may change, as the tool has it."""

    @property
    def demands(self) -> tuple[Demand, ...]:
        """Demands at the II asked for, by array group."""

    def asked_loops(self, result: IIResult) -> list[LoopResult]:
        """The loops with a target II."""

    def chooser(self, demand: Demand) -> Chooser:
        """What chooses banks for a demand."""

    def confirm(self, decisions: Sequence[Decision], target: Target | None = None) -> IIResult:
        """The prediction under decisions."""

    def cycles(self, result: IIResult) -> int | None:
        """Cycles of all loops together; None when one is not known."""

    def decision(self, demand: Demand, choice: Choice, slower: str = "") -> Decision:
        """A choice as directives that replace those of the array."""

    def kept(self, demand: Demand, chooser: Chooser) -> Decision:
        """The decision to keep an array as it is."""

    def leave_whole(self, group: int, why: str) -> None:
        """From now on this group gets no partition."""

    def may_change(self, demand: Demand) -> bool:
        """Whether a demand may get another partition than it has."""

    def missed(self, after: IIResult, floors: Mapping[LoopKey, int]) -> int:
        """Cycles per iteration above what is asked, over all loops."""

    def plain(self, demand: Demand, reason: str, proved: bool = False) -> Decision:
        """The decision to leave an array whole."""

    def solve(self, floors: Mapping[LoopKey, int]) -> Plan:
        """Choose, predict, and ask for more banks where the prediction misses ``floors``."""

    def with_ports_enough(self, directives: Sequence[Directive]) -> IIResult:
        """The prediction under these directives if no memory had too few ports."""
