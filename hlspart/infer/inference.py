"""From demands to a confirmed partition: choose per group, predict again, repair, report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

from hlspart.banking.need import BankModel
from hlspart.infer.choice import Choice, Chooser, Pair, divided
from hlspart.infer.decision import Decision, as_it_is, record, restated
from hlspart.infer.demand import (
    COPIED,
    Demand,
    LoopKey,
    demands,
    key,
    partition_directives,
    partition_indices,
    pipelined,
    storage_directive,
    unaided,
    with_pipelines,
    with_ports,
    without,
)
from hlspart.infer.judgement import judge
from hlspart.infer.orders import without_orders
from hlspart.infer.outcomes import outcomes
from hlspart.infer.relaxed import relaxed
from hlspart.infer.repairs import better, copied, copies, tuned, unneeded, with_registers
from hlspart.infer.running import Plan, Separation
from hlspart.model.access import AccessAnalysis
from hlspart.model.directives import Directive
from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, LoopResult, Validation
from hlspart.partition import validate
from hlspart.predict import check
from hlspart.predict.check import Known
from hlspart.predict.regressions import entries, regressions
from hlspart.semantics.effects import in_hardware
from hlspart.targets import Target

NONE: Mapping[int, str] = MappingProxyType({})
NO_LOOPS: Mapping[LoopKey, int] = MappingProxyType({})
REPAIRS = 4  # rounds in which a prediction that misses the promise raises a number of banks


class Inference:
    """One run on one program."""

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
        self.target, self.real = unaided(target), target
        self.first = known if known is not None else check(program, analysis, validation, target, model, hints=False)
        self._checked: list[tuple[tuple[Directive, ...], frozenset[int], Target, IIResult]] = []
        self._nests: Known = {}
        self._remember(program.directives, frozenset(), self.real, self.first)
        self._held: Mapping[int, str] = {}  # groups that keep what they have, and why
        self._barred: Mapping[int, str] = {}  # groups whose rewrite does not help, and why
        self._undivided: Mapping[int, str] = {}  # groups whose banks take no division, and why
        self._least: Mapping[LoopKey, int] = {}  # loops that do not get below an II
        self._whole: dict[int, str] = {}  # groups that are better left whole, and why
        self._free: dict[LoopKey, LoopResult] = {}  # the prediction if memories had ports enough
        self._single: set[int] = set()  # groups whose copies do not help
        self._deciding: frozenset[int | None] = frozenset()  # groups that may get another partition
        self._slowed: dict[int, str] = {}  # groups that cannot serve all loops as asked, and why
        self._registers: dict[int, str] = {}  # groups that are registers for the sake of a recurrence, and why
        self.separations: dict[int, Separation] = {}  # groups whose banks part stores for the sake of a recurrence
        functions = in_hardware(program, analysis.tops)
        self.program = with_pipelines(program, self.first, functions)
        self.supposed = self.program is not program  # pipelines that neither the source nor the tool makes
        self.validation = (
            validate(self.program, analysis, model, target.argument_storage) if self.supposed else validation
        )
        self.before = self.predict(self.program, target=self.real)
        self.held = partition_indices(self.program, analysis)
        self.bare = without(
            self.program, [k for group, ids in self.held.items() if self.open_to_change(group) for k in ids]
        )
        self.base = self.predict(self.bare)
        self.targets = {key(x): self._target(x) for x in pipelined(self.base, functions)}
        self.dividing: set[int] = set()  # groups under whose new directives an access takes a division to find its bank
        self.outcome = self.before  # the prediction under the choice, once there is one
        self._chosen: dict[tuple[object, ...], tuple[Choice | None, str]] = {}

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """Demands at the II asked for, by array group."""
        return demands(
            self.program, self.analysis, self.validation, self.base, self.target, self.options, self.targets
        )  # fmt: skip

    def run(
        self,
        barred: Mapping[int, str] = NONE,
        held: Mapping[int, str] = NONE,
        undivided: Mapping[int, str] = NONE,
        slowed: Mapping[LoopKey, int] = NO_LOOPS,
    ) -> InferResult:
        """Choose for the II asked for, as far as it can be reached with ports enough; confirm; report.

        Where the choice misses that, because an array cannot be served, the others are chosen once more
        for the II that is left. ``barred``: groups that no rewrite is to serve, and why; ``undivided``: groups whose
        banks are to be found by shifts and masks, and why; ``held``: groups that keep the directives that they
        have, and why; ``slowed``: loops that do not get below an II, whatever banks there are.
        """
        if not self.targets:
            return InferResult((), ())
        self._barred, self._undivided, self._held, self._least = barred, undivided, held, slowed
        self._single, self._whole, self._slowed, self._registers, self.separations = set(), {}, {}, {}, {}
        free = self.free_of_ports()
        plan = self._planned(self.floors(free))
        separate, found = without_orders(self, free)
        self.separations = found
        plan, then = self._faster(plan, free, separate)
        chosen: tuple[dict[int, Separation], dict[int, str]] = (found if then is separate else {}, {})
        ways = [(then, chosen[0])]
        if then is not free and self.missed(plan[1], self.floors(then)):
            ways.append((free, {}))  # registers in place of what parts stores, not beside it
        for base, self.separations in ways:
            trial, self._registers = with_registers(self, base)
            plan, other = self._faster(plan, then, trial if self._registers else then)
            if other is not then:
                then, chosen = other, (self.separations, self._registers)
        (self.separations, self._registers), free = chosen, then
        self._free = {key(x): x for x in self.asked_loops(free)}
        decisions = unneeded(self, plan[0])
        self.dividing = {d.demand.group.id for d in decisions if d.directives and divided(d.demand, d.choice.layout)}
        self.outcome = self.confirm(decisions, self.real)
        reached = {key(x): x.ii for x in self.asked_loops(self.outcome) if x.ii is not None}
        decisions = self._untied(tuple(restated(d, reached, self.chooser(d.demand)) for d in decisions))
        return InferResult(
            arrays=tuple(record(self.program, d) for d in decisions),
            loops=tuple(outcomes(self, self.outcome, decisions, self._free)),
        )

    def at_once(self) -> InferResult | None:
        """Choose once for the II asked for, and confirm; arrays that no choice serves stay as they are.

        :meth:`run` goes on from there to the best that can be had. None where a directive would be refused.
        """
        found = self.demands
        self._note(found)
        decisions = self._untied([self._decide(d, 1, last=False) for d in found])
        after = self.confirm(decisions, self.real)
        if self._refused(decisions, after) or regressions(self.given, self.before, after):
            return None
        return InferResult(
            tuple(record(self.program, d) for d in decisions), tuple(outcomes(self, after, decisions, self._free))
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

    def plain(self, demand: Demand, reason: str, proved: bool = False) -> Decision:
        """The decision to leave an array whole; ``proved``: no loop is the slower for it."""
        chooser = self.chooser(demand)
        none = replace(chooser.none([x.need for x in demand.loops]), proved=proved, absolute=proved, reason=reason)
        removed = tuple(k for k in demand.directives if self._removable(k))
        return Decision(demand, none, (), removed, reason)

    def cycles(self, result: IIResult) -> int | None:
        """Cycles of all loops together, each as often as it is entered; None when one is not known."""
        total = 0
        for loop in self.asked_loops(result):
            if loop.ii is None or loop.trip_count.max is None:
                return None
            total += loop.ii * loop.trip_count.max * entries(self.program, self.base, loop)
        return total

    def price(self, result: InferResult) -> int:
        """Cycles of all loops of a result together, as far as they are known: the most that they can be."""
        weights = {key(x): (x.trip_count.max or 1) * entries(self.program, self.base, x) for x in self.before.loops}
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
        return self.predict(given, {a.array for a in self.analysis.accesses})

    def floors(self, free: IIResult) -> dict[LoopKey, int]:
        """II that each loop is to reach: the one asked for, or the least that ports enough leave."""
        return {key(x): max(self.targets[key(x)], x.least, self._least.get(key(x), 1)) for x in self.asked_loops(free)}

    def _planned(self, floors: Mapping[LoopKey, int]) -> Plan:
        """Decisions for ``floors``; where an array cannot serve them, the others for the II that is left."""
        plan = tuned(self, self.solve(floors), floors)
        reached = {key(x): max(floors[key(x)], x.least) for x in self.asked_loops(plan[1])}
        if reached == floors or self.options.arrays:
            return plan
        cheaper = tuned(self, self.solve(reached), reached)
        return plan if self.missed(cheaper[1], reached) else cheaper

    def _faster(self, plan: Plan, free: IIResult, then: IIResult) -> tuple[Plan, IIResult]:
        """The plan for what ``then`` says can be reached, and ``then``, or what was there where that is no better."""
        if then is free:
            return plan, free
        other = self._planned(self.floors(then))
        return (other, then) if better(self, other[1], plan[1]) else (plan, free)

    def solve(self, floors: Mapping[LoopKey, int]) -> Plan:
        """Choose, predict, and ask for more banks where the prediction misses ``floors``."""
        found = tuple(d for demand in self.demands if (d := demand.at(floors)).loops)
        self._note(found)
        starts: dict[int, int] = {}
        best: tuple[int, tuple[Decision, ...], IIResult] | None = None
        for _ in range(1 + REPAIRS + len(found)):
            decisions = tuple(self._decide(d, starts.get(d.group.id, 1)) for d in found)
            after = self.confirm(decisions)
            if self._refused(decisions, after):
                continue
            missed = self.missed(after, floors)
            if best is None or missed < best[0]:
                best = (missed, decisions, after)
            if not missed or not self._raised(after, floors, decisions, starts):
                break
        assert best is not None
        return best[1], best[2]

    # ----------------------------------------------------------------------------- prediction

    @cached_property
    def unpartitioned(self) -> IIResult:
        """What the tool makes of the program without the directives that may change."""
        return self.predict(self.bare, target=self.real)

    def predict(self, program: Program, apart: Iterable[int] = (), target: Target | None = None) -> IIResult:
        """The prediction under the directives of ``program``; the same ones are not checked again."""
        asked = program.directives, frozenset(apart), target if target is not None else self.target
        for directives, free, on, result in self._checked:
            if (directives, free) == asked[:2] and on is asked[2]:
                return result
        validation = validate(program, self.analysis, self.model, self.target.argument_storage)
        validation = replace(validation, apart=asked[1])
        result = check(program, self.analysis, validation, asked[2], self.model, hints=False, known=self._nests)
        self._remember(*asked, result)
        return result

    def _remember(
        self, directives: tuple[Directive, ...], apart: frozenset[int], target: Target, result: IIResult
    ) -> None:
        late = any(x.pipelined and (x.ii is None or x.ii > (x.target_ii or 1)) for x in result.loops)
        aided = late or any(map(copied, result.arrays))
        targets = (target,) if aided else (self.real, self.target)  # the two differ in nothing else
        self._checked += [(directives, apart, on, result) for on in targets]

    def confirm(self, decisions: Sequence[Decision], target: Target | None = None) -> IIResult:
        decisions = self._untied(decisions)
        program = without(self.program, [k for d in decisions for k in d.removed])
        added = [x for d in decisions for x in d.directives]
        apart = [m for d in decisions if d.choice.rewrite for m in d.demand.group.members]  # by certificate
        after = self.predict(replace(program, directives=(*program.directives, *added)), apart, target)
        served: dict[LoopKey, int] = {}
        for d in decisions:
            chooser = self.chooser(d.demand)
            for loop in d.demand.loops if d.choice.rewrite else ():
                interval = chooser.interval(loop.need, d.choice.layout)
                served[key(loop.result)] = max(served.get(key(loop.result), 1), interval)
        loops = tuple(
            x if x.ii is None else replace(x, ii=max(x.ii, served.get(key(x), 1))) for x in after.loops
        )  # fmt: skip
        return replace(after, loops=loops)

    def _refused(self, decisions: Sequence[Decision], after: IIResult) -> bool:
        """Note the arrays whose new directives validation does not accept; True when there are any."""
        new = [(x, d) for d in decisions for x in d.directives]
        refused = False
        for (_, d), status in zip(reversed(new), reversed(after.pragmas), strict=False):
            if status.status in ("rejected", "conflict"):
                self._whole[d.demand.group.id] = f"not partitioned: {status.reason}"
                refused = True
        return refused

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

    def _raised(
        self, after: IIResult, floors: Mapping[LoopKey, int], decisions: Sequence[Decision], starts: dict[int, int]
    ) -> bool:
        """Ask for more banks where a memory port still binds, none of copies that miss; False when there is nowhere."""
        raised = False
        for loop in self.asked_loops(after):
            if loop.ii is None or loop.ii <= floors[key(loop)]:
                continue
            binding = {x.array for x in loop.limits if x.kind == "memory-port" and x.ii > floors[key(loop)]}
            for d in decisions:
                touched = any(key(x.result) == key(loop) for x in d.demand.loops)
                names = {self.program.variable(m).name for m in d.demand.group.members}
                if touched and d.choice.kind == "replicate" and d.demand.group.id not in self._single:
                    self._single.add(d.demand.group.id)
                    raised = True
                elif (
                    touched
                    and names & binding
                    and self.open_to_change(d.demand.group.id)
                    and not d.choice.layout.is_complete
                ):
                    starts[d.demand.group.id] = d.choice.banks + 1
                    raised = True
        return raised

    # -------------------------------------------------------------------------------- choices

    def open_to_change(self, group: int) -> bool:
        """Whether this group may get a new partition."""
        names = {self.program.variable(v).name for v, g in self.analysis.group_of.items() if g == group}
        wanted = not self.options.arrays or bool(names & set(self.options.arrays))
        return wanted and group not in self._held and not (self.options.keep and group in self.held)

    def _decide(self, demand: Demand, start: int, last: bool = True) -> Decision:
        """``last``: whether slower loops and registers are the answer where nothing else serves."""
        barred = self._barred.get(demand.group.id)
        single = demand.group.id in self._single
        chooser = replace(self.chooser(demand), last_resort=last, rewrites=barred is None, copies=not single)
        if demand.fault is not None or not self.open_to_change(demand.group.id):
            return self.kept(demand, chooser)
        if demand.group.id in self._whole:
            return self.plain(demand, self._whole[demand.group.id])
        needs = [loop.need for loop in demand.loops]
        if start == 1 and not all(need.trivial for need in needs) and self._served(demand):
            return self.plain(demand, as_it_is(demand, copies(self, demand)), proved=True)
        if self.options.beside and self._served_by_pragmas(demand):
            return self.kept(demand, chooser)
        if demand.group.id in self._registers:
            return self.decision(demand, chooser.as_registers(self._registers[demand.group.id]))
        choice, slow = self._choice(demand, chooser, start)
        if choice is None:
            return self.kept(demand, chooser)
        if slow:
            self._slowed.setdefault(demand.group.id, slow)  # not why even more banks do not help
        late = any(n.ii > self.targets[key(x.result)] for n, x in zip(needs, demand.loops, strict=True))
        slower = self._slowed.get(demand.group.id, "") if late or choice.reason == "no partition helps" else ""
        return self.decision(demand, choice, slower)

    def _choice(self, demand: Demand, chooser: Chooser, start: int) -> tuple[Choice | None, str]:
        """The cheapest banking, and which loop gives way for it, and why; None where no loop is to. Made once.

        A round of :meth:`solve` changes what one array is asked for, and decides on all of them.
        """
        asked = (
            demand.group.id, tuple(x.need.ii for x in demand.loops), start, chooser.last_resort, chooser.rewrites,
            chooser.copies, chooser.apart, chooser.divided,
        )  # fmt: skip
        if asked not in self._chosen:
            choice, slow = chooser.choose([x.need for x in demand.loops], start), ""
            if choice is None and chooser.last_resort:
                nearest = relaxed(demand, chooser, start)
                choice = nearest.choice
                slow = "; ".join([nearest.reason, chooser.instead] if chooser.too_large else [nearest.reason])
            self._chosen[asked] = choice, slow
        return self._chosen[asked]

    def decision(self, demand: Demand, choice: Choice, slower: str = "") -> Decision:
        """The choice as directives that replace those of the array; ``slower``: which loop gives way, and why."""
        group = demand.group.id
        barred = self._barred.get(group)
        if slower and choice.kind == "none":  # not that nothing more could serve
            choice = replace(choice, proved=False, absolute=False)
        same = demand.existing is not None and not choice.rewrite and choice.layout == demand.existing
        copies = choice.kind == "replicate" and demand.storage == COPIED  # which the source says already
        said = self._directives(demand, choice)
        removed = () if same else tuple(k for k in demand.directives if self._removable(k))
        verdict = "kept" if copies else judge(demand, choice, self.model)
        several = choice.kind != "none" and any(a.variable in demand.roots and copied(a) for a in self.before.arrays)
        unasked = "the tool may copy the memory for its reads by itself, which is not relied upon" if several else ""
        left = f"not rewritten: {barred}" if barred else ""
        separation = self.separations.get(group)
        aim = (
            separation.why if separation is not None and group not in self._registers and choice.kind != "none" else ""
        )
        reason = "; ".join(x for x in (verdict, aim, choice.reason, slower, unasked, left) if x)
        return Decision(demand, choice, () if same or copies else said, removed, reason, said)

    def chooser(self, demand: Demand) -> Chooser:
        """Chooses banks that part what is to lie apart, without regard to what else was found out so far."""
        separation = self.separations.get(demand.group.id)
        apart = separation.pairs if separation is not None else frozenset[Pair]()
        divided = self._undivided.get(demand.group.id, "")
        return Chooser(demand, self.options, self.model, self.target, apart=apart, divided=divided)

    def may_change(self, demand: Demand) -> bool:
        """Whether a demand may get another partition than it has."""
        group = demand.group.id
        return group in self._deciding and group not in self._whole

    def _note(self, found: Sequence[Demand]) -> None:
        """Which groups are decided on: those that may be partitioned and that no pragma beside serves."""
        open_ = (d for d in found if d.fault is None and self.open_to_change(d.group.id))
        held = (d for d in open_ if not (self.options.beside and self._served_by_pragmas(d)))
        self._deciding = frozenset(d.group.id for d in held)

    def leave_whole(self, group: int, why: str) -> None:
        """From now on this group gets no partition."""
        self._whole[group] = why

    def _served(self, demand: Demand) -> bool:
        """Whether each loop has its II without a partition, or would under what the tool does by itself."""
        reached = {key(x): x.ii for x in self.unpartitioned.loops if x.ii is not None}
        return all(
            reached.get(key(x.result), x.need.ii + 1) <= x.need.ii
            or (demand.own is not None and x.need.fits(demand.own, self.model))
            for x in demand.loops
        )

    def _served_by_pragmas(self, demand: Demand) -> bool:
        """Whether what the source says is enough: directives beside it could not take it back."""
        if demand.existing is None or any(self.program.directives[k].source != "pragma" for k in demand.directives):
            return False
        return all(loop.need.fits(demand.existing, self.model) for loop in demand.loops)

    def _removable(self, index: int) -> bool:
        """Whether all arrays that a directive names get a decision of their own."""
        groups = {self.analysis.group_of.get(v) for v in self.program.directives[index].variables}
        return groups <= self._deciding

    def _untied(self, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
        """With directives that name several arrays removed for all of them, and said anew where they stay."""
        gone = {k for d in decisions for k in d.removed}
        out = []
        for d in decisions:
            if gone & set(d.demand.directives) - set(d.removed):
                held = tuple(k for k in d.demand.directives if self._removable(k))
                d = replace(d, directives=self._directives(d.demand, d.choice), removed=held)
            out.append(d)
        return tuple(out)

    def _directives(self, demand: Demand, choice: Choice) -> tuple[Directive, ...]:
        if choice.rewrite or choice.kind == "none":
            return ()
        if choice.kind == "replicate":
            function = demand.loops[0].result.function
            return tuple(storage_directive(self.program, r, COPIED, function) for r in demand.roots)
        layout = choice.layout.per_dimension
        assert layout is not None
        return partition_directives(self.program, demand, layout, self.target.bare_types)

    def kept(self, demand: Demand, chooser: Chooser) -> Decision:
        none = chooser.none([loop.need for loop in demand.loops])
        held = self._held.get(demand.group.id)
        if demand.fault is not None:
            reason = f"not partitioned: {demand.fault}"
        elif held is not None:
            reason = f"{'kept' if demand.existing is not None else 'left'} as it is: {held}"
        elif demand.existing is not None:
            reason = "kept as it is" + (", as asked" if self.options.keep else "")
        else:
            reason = "not asked for"
        layout = demand.existing if demand.existing is not None else none.layout
        fits = demand.fault is None and held is None
        fits = fits and all(loop.need.fits(layout, self.model) for loop in demand.loops)
        kind = layout.kind
        choice = replace(
            none,
            layout=layout,
            kind=kind,
            proved=kind == "none" and fits,
            absolute=kind == "none" and fits,
            reason=reason,
        )
        return Decision(demand, choice, (), (), reason)
