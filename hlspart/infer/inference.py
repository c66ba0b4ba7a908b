"""From demands to a confirmed partition: choose per group, predict again, repair, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from hlspart.banking.counting import BankModel
from hlspart.infer.choice import is_divided_by
from hlspart.infer.choosing import NONE, Choosing, refused
from hlspart.infer.decision import record, restated
from hlspart.infer.demand import (
    Demand,
    LoopKey,
    demands,
    key,
    partition_indices,
    pipelined,
    with_pipelines,
    with_ports,
    without,
)
from hlspart.infer.orders import without_orders
from hlspart.infer.outcomes import outcomes
from hlspart.infer.repairs import is_better, tuned, unneeded, with_registers
from hlspart.infer.running import Made, Plan, Restraints, Separation, is_copied
from hlspart.infer.size import goes_on, work
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, LoopResult, Validation
from hlspart.partition import validate
from hlspart.predict import check
from hlspart.predict.regressions import entries, regressions
from hlspart.semantics.effects import in_hardware
from hlspart.targets import Target


class Proposal(Struct, frozen=True):
    """The choice of one run, the prediction under it, and the groups whose banks take a division to be found."""

    result: InferResult
    outcome: IIResult
    dividing: frozenset[int] = frozenset()


class Inference:
    """One program and its predictions: nothing of it changes but what is kept so as not to be asked twice."""

    def __init__(
        self,
        program: Program,
        analysis: AccessAnalysis,
        validation: Validation,
        target: Target,
        options: InferOptions,
        model: BankModel,
        known: IIResult | None = None,
    ) -> None:
        if options.ports is not None:
            target, known = with_ports(target, options.ports), None
        self.given, self.analysis, self.options, self.model = program, analysis, options, model
        self.target, self.real = target.unaided, target
        self.first = known if known is not None else check(program, analysis, validation, target, model, hints=False)
        self._checked: list[tuple[tuple[Directive, ...], frozenset[int], Target, IIResult]] = []
        self._remember(program.directives, frozenset(), self.real, self.first)
        functions = in_hardware(program, analysis.tops)
        self.program = with_pipelines(program, self.first, functions)
        self.supposed = self.program is not program  # pipelines that neither the source nor the tool makes
        self.validation = (
            validate(self.program, analysis, model, target.argument_storage) if self.supposed else validation
        )
        self.before = self.predict(self.program, target=self.real)
        self.held = partition_indices(self.program, analysis)
        self.bare = without(
            self.program,
            [k for group, ids in self.held.items() if Choosing(self).is_open_to_change(group) for k in ids],
        )
        self.base = self.predict(self.bare)
        self.targets = {key(x): self._target(x) for x in pipelined(self.base, functions)}
        self.made: Made = {}

    @property
    def goes_on(self) -> bool:
        """Whether the search may ask for one more prediction."""
        return goes_on(self.work, self._made, self.options.effort)

    @property
    def work(self) -> int:
        """What the search has taken so far, in operations."""
        loops = (x for demand in (self.demands if self.targets else ()) for x in demand.loops)
        return work(self._made, {id(x.need.problem): x.need.problem for x in loops}.values())

    @property
    def _made(self) -> list[IIResult]:
        return list({id(result): result for *_, result in self._checked}.values())

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """Demands at the II asked for, by array group."""
        return demands(
            self.program, self.analysis, self.validation, self.base, self.target, self.options, self.targets
        )  # fmt: skip

    def run(self, restraints: Restraints = NONE) -> Proposal:
        """Choose for the II asked for, as far as it can be reached with ports enough; confirm; report.

        Where the choice misses that, because an array cannot be served, the others are chosen once more
        for the II that is left.
        """
        if not self.targets:
            return Proposal(InferResult((), ()), self.before)
        free = self.free_of_ports()
        plan, run = self._planned(Choosing(self, restraints), self.floors(free, restraints))
        separate, proposal = without_orders(run, free)
        plan, then, run = self._faster(replace(run, separations=proposal), plan, free, separate)
        chosen: tuple[Mapping[int, Separation], Mapping[int, str]] = (proposal if then is separate else {}, {})
        ways = [(then, chosen[0])]
        if then is not free and self.missed(plan[1], self.floors(then, restraints)):
            ways.append((free, {}))  # registers in place of what parts stores, not beside it
        for base, separations in ways:
            run = replace(run, separations=separations)
            trial, registers = with_registers(run, base)
            run = replace(run, registers=registers)
            plan, other, run = self._faster(run, plan, then, trial if registers else then)
            if other is not then:
                then, chosen = other, (separations, registers)
        run = replace(run, separations=chosen[0], registers=chosen[1])
        unbound = {key(x): x for x in self.asked_loops(then)}
        decisions = unneeded(run, plan[0])
        dividing = frozenset(
            d.demand.group.id for d in decisions if d.directives and is_divided_by(d.demand, d.choice.layout)
        )
        outcome = run.confirm(decisions, self.real)
        reached = {key(x): x.ii for x in self.asked_loops(outcome) if x.ii is not None}
        decisions = run.untied(tuple(restated(d, reached, run.chooser(d.demand)) for d in decisions))
        result = InferResult(
            arrays=tuple(record(self.program, d) for d in decisions),
            loops=tuple(outcomes(run, outcome, decisions, unbound)),
        )
        return Proposal(result, outcome, dividing)

    def at_once(self) -> InferResult | None:
        """Choose once for the II asked for, and confirm; arrays that no choice serves stay as they are.

        :meth:`run` goes on from there to the best that can be had. None where a directive would be refused.
        """
        decisions, run = Choosing(self).noting(self.demands).decided(self.demands, last=False)
        decisions = run.untied(decisions)
        after = run.confirm(decisions, self.real)
        if refused(decisions, after) or regressions(self.given, self.before, after):
            return None
        return InferResult(
            tuple(record(self.program, d) for d in decisions), tuple(outcomes(run, after, decisions, {}))
        )

    def unroll_factor(self, loop: int) -> int:
        """Copies of the body that the directives ask for; 0 when the loop is unrolled completely."""
        return next(
            (
                d.values.get("factor", 0)
                for d in self.given.directives
                if d.kind == "unroll" and d.loop == loop and d.usable and not d.has("off")
            ),
            1,
        )

    @cached_property
    def entered(self) -> Callable[[LoopResult], int]:
        """How often the loops around a loop enter it, as :func:`entries` says."""
        return entries(self.program, self.base)

    def cycles(self, result: IIResult) -> int | None:
        """Cycles of all loops together, each as often as it is entered; None when one is not known."""
        total = 0
        for loop in self.asked_loops(result):
            if loop.ii is None or loop.trip_count.max is None:
                return None
            total += loop.ii * loop.trip_count.max * self.entered(loop)
        return total

    def price(self, result: InferResult) -> int:
        """Cycles of all loops of a result together, as far as they are known: the most that they can be."""
        weights = {key(x): (x.trip_count.max or 1) * self.entered(x) for x in self.before.loops}
        most = ((x, x.ii_after or (x.span_after[1] if x.span_after else x.ii_before)) for x in result.loops)
        return sum((ii or 0) * weights.get((x.function, x.loop), 1) for x, ii in most)

    def free_of_ports(self) -> IIResult:
        """The prediction if no memory had too few ports: recurrences and operators remain."""
        if all(x.ii is not None and x.ii <= self.targets[key(x)] for x in self.asked_loops(self.base)):
            return self.base
        return self.with_ports_enough(())

    def with_ports_enough(self, directives: Sequence[Directive]) -> IIResult:
        """The prediction under these directives if no memory had too few ports."""
        given = replace(self.bare, directives=(*self.bare.directives, *directives))
        return self.predict(given, (m for group in self.analysis.groups for m in group.members))

    def floors(self, free: IIResult, restraints: Restraints = NONE) -> dict[LoopKey, int]:
        """II that each loop is to reach: the one asked for, or the least that ports enough leave."""
        return {
            key(x): max(self.targets[key(x)], x.least, restraints.least.get(key(x), 1)) for x in self.asked_loops(free)
        }

    def _planned(self, run: Choosing, floors: Mapping[LoopKey, int]) -> tuple[Plan, Choosing]:
        """Decisions for ``floors``; where an array cannot serve them, the others for the II that is left."""
        first, run = run.solve(floors)
        plan = tuned(run, first, floors)
        reached = {key(x): max(floors[key(x)], x.least) for x in self.asked_loops(plan[1])}
        if reached == floors or self.options.arrays or not self.goes_on:
            return plan, run
        second, run = run.solve(reached)
        cheaper = tuned(run, second, reached)
        return plan if self.missed(cheaper[1], reached) else cheaper, run

    def _faster(self, run: Choosing, plan: Plan, free: IIResult, then: IIResult) -> tuple[Plan, IIResult, Choosing]:
        """The plan for what ``then`` says can be reached, and ``then``, or what was there where that is no better."""
        if then is free:
            return plan, free, run
        other, run = self._planned(run, self.floors(then, run.restraints))
        return (other, then, run) if is_better(run, other[1], plan[1]) else (plan, free, run)

    # ----------------------------------------------------------------------------- prediction

    @cached_property
    def unpartitioned(self) -> IIResult:
        """What the tool makes of the program without the directives that may change.

        A split of its own makes no II certain, so that its copies of memories alone can serve a loop that waits.
        """
        return self.predict(self.bare, target=self.real) if self.real.replicated_ports else self.base

    def predict(self, program: Program, apart: Iterable[int] = (), target: Target | None = None) -> IIResult:
        """The prediction under the directives of ``program``; the same ones are not checked again."""
        asked = program.directives, frozenset(apart), target if target is not None else self.target
        for directives, free, on, result in self._checked:
            if (directives, free) == asked[:2] and on is asked[2]:
                return result
        validation = validate(program, self.analysis, self.model, self.target.argument_storage)
        validation = replace(validation, apart=asked[1])
        result = check(program, self.analysis, validation, asked[2], self.model, hints=False)
        self._remember(*asked, result)
        return result

    def _remember(
        self, directives: tuple[Directive, ...], apart: frozenset[int], target: Target, result: IIResult
    ) -> None:
        misses = any(x.pipelined and (x.ii is None or x.ii > (x.target_ii or 1)) for x in result.loops)
        aided = misses or any(map(is_copied, result.arrays))
        targets = (target,) if aided else (self.real, self.target)  # the two differ in nothing else
        self._checked.extend((directives, apart, on, result) for on in targets)

    def asked_loops(self, result: IIResult) -> list[LoopResult]:
        """The loops with a target II."""
        return [loop for loop in result.loops if key(loop) in self.targets]

    def _target(self, loop: LoopResult) -> int:
        """The II to aim at: as asked for, else the 1 that tools aim at by themselves."""
        return self.options.target_ii or loop.target_ii or 1

    def missed(self, after: IIResult, floors: Mapping[LoopKey, int]) -> int:
        """Cycles per iteration above what is asked, over all loops."""
        return sum(
            max(0, (x.ii if x.ii is not None else floors[key(x)]) - floors[key(x)]) for x in self.asked_loops(after)
        )
