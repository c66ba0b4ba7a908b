"""The choice for all arrays together: what was found out so far, and the decisions that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.infer.choice import Choice, Chooser, Pair
from hlspart.infer.decision import Decision, as_it_is
from hlspart.infer.demand import COPIED, Demand, LoopKey, key, partition_directives, storage_directive, without
from hlspart.infer.judgement import judge
from hlspart.infer.relaxed import relaxed
from hlspart.infer.running import Ground, Plan, Restraints, Separation, copies, is_copied
from hlspart.model.access import effort
from hlspart.model.directives import Directive
from hlspart.model.results import IIResult
from hlspart.targets import Target

REPAIRS = 4  # rounds in which a prediction that misses the promise raises a number of banks
MOST_EFFORT = 48_000  # of the subscripts, over all predictions of a choice
NONE = Restraints()
NO_STARTS: Mapping[int, int] = MappingProxyType({})


class Choosing(Struct, frozen=True):
    """What one run knows; each step gives a new one.

    By group, and why: ``whole`` are better left whole, ``slowed`` cannot serve all loops as asked, ``registers`` are
    registers for the sake of a recurrence, ``separations`` have banks that part stores for the sake of one.
    ``single``: groups whose copies do not help; ``deciding``: groups that may get another partition.
    """

    ground: Ground
    restraints: Restraints = NONE
    whole: Mapping[int, str] = field(default_factory=dict)
    single: frozenset[int] = frozenset()
    slowed: Mapping[int, str] = field(default_factory=dict)
    registers: Mapping[int, str] = field(default_factory=dict)
    separations: Mapping[int, Separation] = field(default_factory=dict)
    deciding: frozenset[int | None] = frozenset()

    def solve(self, floors: Mapping[LoopKey, int]) -> tuple[Plan, Choosing]:
        """Choose, predict, and ask for more banks where the prediction misses ``floors``; and what was found out."""
        demands = tuple(d for demand in self.ground.demands if (d := demand.at(floors)).loops)
        now = self.noting(demands)
        starts: dict[int, int] = {}
        best: tuple[int, tuple[Decision, ...], IIResult] | None = None
        for done in range(1 + REPAIRS + len(demands)):
            if best is not None and (done >= self.rounds or not self.ground.goes_on):
                break
            decisions, now = now.decided(demands, starts)
            after = now.confirm(decisions)
            if rejected := refused(decisions, after):
                now = replace(now, whole={**now.whole, **rejected})
                continue
            missed = self.ground.missed(after, floors)
            if best is None or missed < best[0]:
                best = (missed, decisions, after)
            if not missed:
                break
            more, single = now.raised(after, floors, decisions)
            if not more and not single:
                break
            starts |= more
            now = replace(now, single=now.single | single)
        assert best is not None
        return (best[1], best[2]), now

    @property
    def rounds(self) -> int:
        """How many predictions are made: fewer of a program of which each takes long."""
        return max(2, MOST_EFFORT // (1 + effort(self.ground.analysis.divided)))

    def decided(
        self, demands: Sequence[Demand], starts: Mapping[int, int] = NO_STARTS, last: bool = True
    ) -> tuple[tuple[Decision, ...], Choosing]:
        """A decision for each demand, from so many banks on by group; and which of them slow a loop."""
        decisions = [self._decide(d, starts.get(d.group.id, 1), last) for d in demands]
        slow = {d.group.id: why for d, (_, why) in zip(demands, decisions, strict=True) if why}
        return tuple(d for d, _ in decisions), replace(self, slowed={**slow, **self.slowed})

    def noting(self, demands: Sequence[Demand]) -> Choosing:
        """With the groups that are decided on: those that may be partitioned and that no pragma beside serves."""
        open_ = (d for d in demands if d.fault is None and self.is_open_to_change(d.group.id))
        decided = (d for d in open_ if not (self.ground.options.beside and self._is_served_by_pragmas(d)))
        return replace(self, deciding=frozenset(d.group.id for d in decided))

    def raised(
        self, after: IIResult, floors: Mapping[LoopKey, int], decisions: Sequence[Decision]
    ) -> tuple[dict[int, int], frozenset[int]]:
        """Groups that need more banks, from which number on, where a memory port still binds; copies that miss."""
        more, single = dict[int, int](), set[int]()
        for loop in self.ground.asked_loops(after):
            if loop.ii is None or loop.ii <= floors[key(loop)]:
                continue
            binding = {x.array for x in loop.limits if x.kind == "memory-port" and x.ii > floors[key(loop)]}
            for d in decisions:
                group = d.demand.group.id
                if not any(key(x.result) == key(loop) for x in d.demand.loops):
                    continue
                names = {self.ground.program.variable(m).name for m in d.demand.group.members}
                if d.choice.kind == "replicate" and group not in self.single | single:
                    single.add(group)
                elif names & binding and self.is_open_to_change(group) and not d.choice.layout.is_complete:
                    more[group] = d.choice.banks + 1
        return more, frozenset(single)

    def confirm(self, decisions: Sequence[Decision], target: Target | None = None) -> IIResult:
        """The prediction under decisions."""
        decisions = self.untied(decisions)
        program = without(self.ground.program, [k for d in decisions for k in d.removed])
        added = [x for d in decisions for x in d.directives]
        apart = [m for d in decisions if d.choice.rewrite for m in d.demand.group.members]  # by certificate
        after = self.ground.predict(replace(program, directives=(*program.directives, *added)), apart, target)
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

    def is_open_to_change(self, group: int) -> bool:
        """Whether this group may get a new partition."""
        names = {self.ground.program.variable(v).name for v, g in self.ground.analysis.group_of.items() if g == group}
        wanted = not self.ground.options.arrays or bool(names & set(self.ground.options.arrays))
        return (
            wanted
            and group not in self.restraints.held
            and not (self.ground.options.keep and group in self.ground.held)
        )

    def _may_be_copied(self, demand: Demand) -> bool:
        """Whether an array that nothing may partition may have copies, for a loop that misses its II without."""
        group = demand.group.id
        rest = not self.ground.options.keep and group not in {*self.single, *self.whole}
        return rest and demand.copyable and self.is_open_to_change(group) and not self._is_served(demand)

    def may_change(self, demand: Demand) -> bool:
        """Whether a demand may get another partition than it has."""
        group = demand.group.id
        return group in self.deciding and group not in self.whole

    def chooser(self, demand: Demand) -> Chooser:
        """Chooses banks that part what is to lie apart, without regard to what else was found out so far."""
        separation = self.separations.get(demand.group.id)
        apart = separation.pairs if separation is not None else frozenset[Pair]()
        divided = self.restraints.undivided.get(demand.group.id, "")
        return Chooser(demand, self.ground.options, self.ground.model, self.ground.target, apart=apart, divided=divided)

    def _decide(self, demand: Demand, start: int, last: bool) -> tuple[Decision, str]:
        """The decision, and which loop gives way for it, and why.

        ``last``: whether slower loops and registers are the answer where nothing else serves.
        """
        barred = self.restraints.barred.get(demand.group.id)
        single = demand.group.id in self.single
        chooser = replace(
            self.chooser(demand), last_resort=last, rewrites=barred is None and not demand.rows, copies=not single
        )
        if demand.fault is not None or not self.is_open_to_change(demand.group.id):
            copied = chooser.copied() if self._may_be_copied(demand) else None
            return self.kept(demand, chooser) if copied is None else self.decision(demand, copied), ""
        if demand.group.id in self.whole:
            return self.plain(demand, self.whole[demand.group.id]), ""
        needs = [loop.need for loop in demand.loops]
        if start == 1 and not all(need.trivial for need in needs) and self._is_served(demand):
            return self.plain(demand, as_it_is(demand, copies(self.ground, demand)), proved=True), ""
        if self.ground.options.beside and self._is_served_by_pragmas(demand):
            return self.kept(demand, chooser), ""
        if demand.group.id in self.registers:
            return self.decision(demand, chooser.as_registers(self.registers[demand.group.id])), ""
        choice, slow = self._choice(demand, chooser, start)
        if choice is None:
            return self.kept(demand, chooser), ""
        misses = any(n.ii > self.ground.targets[key(x.result)] for n, x in zip(needs, demand.loops, strict=True))
        known = self.slowed.get(demand.group.id, slow)  # not why even more banks do not help
        slower = known if misses or choice.reason == "no partition helps" else ""
        return self.decision(demand, choice, slower), slow

    def _choice(self, demand: Demand, chooser: Chooser, start: int) -> tuple[Choice | None, str]:
        """The cheapest banking, and which loop gives way for it, and why; None where no loop is to. Made once.

        A round of :meth:`solve` changes what one array is asked for, and decides on all of them.
        """
        asked = (
            demand.group.id, tuple(x.need.ii for x in demand.loops), start, chooser.last_resort, chooser.rewrites,
            chooser.copies, chooser.apart, chooser.divided,
        )  # fmt: skip
        if asked not in self.ground.made:
            choice, slow = chooser.choose([x.need for x in demand.loops], start), ""
            if choice is None and chooser.last_resort:
                nearest = relaxed(demand, chooser, start)
                choice = nearest.choice
                slow = "; ".join([nearest.reason, chooser.instead] if chooser.too_large else [nearest.reason])
            self.ground.made[asked] = choice, slow
        return self.ground.made[asked]

    def decision(self, demand: Demand, choice: Choice, slower: str = "") -> Decision:
        """The choice as directives that replace those of the array; ``slower``: which loop gives way, and why."""
        group = demand.group.id
        barred = self.restraints.barred.get(group)
        if slower and choice.kind == "none":  # not that nothing more could serve
            choice = replace(choice, proved=False, absolute=False)
        same = demand.existing is not None and not choice.rewrite and choice.layout == demand.existing
        copies = choice.kind == "replicate" and demand.storage == COPIED  # which the source says already
        said = self._directives(demand, choice)
        removed = () if same else tuple(k for k in demand.directives if self._is_removable(k))
        if choice.kind == "replicate" and not copies:
            removed = (*(removed if demand.fault is None else ()), *demand.bindings)
        verdict = "kept" if copies else judge(demand, choice, self.ground.model)
        several = choice.kind != "none" and any(
            a.variable in demand.roots and is_copied(a) for a in self.ground.before.arrays
        )
        unasked = "the tool may copy the memory for its reads by itself, which is not relied upon" if several else ""
        left = f"not rewritten: {barred}" if barred else ""
        separation = self.separations.get(group)
        aim = separation.why if separation is not None and group not in self.registers and choice.kind != "none" else ""
        fault = f"not partitioned: {demand.fault}" if demand.fault is not None else ""
        reason = "; ".join(x for x in (verdict, fault, aim, choice.reason, slower, unasked, left) if x)
        return Decision(demand, choice, () if same or copies else said, removed, reason, said)

    def plain(self, demand: Demand, reason: str, proved: bool = False) -> Decision:
        """The decision to leave an array whole; ``proved``: no loop is the slower for it."""
        chooser = self.chooser(demand)
        none = replace(chooser.none([x.need for x in demand.loops]), proved=proved, absolute=proved, reason=reason)
        removed = tuple(k for k in demand.directives if self._is_removable(k))
        return Decision(demand, none, (), removed, reason)

    def kept(self, demand: Demand, chooser: Chooser) -> Decision:
        """The decision to keep an array as it is."""
        none = chooser.none([loop.need for loop in demand.loops])
        decision = self.restraints.held.get(demand.group.id)
        if demand.fault is not None:
            reason = f"not partitioned: {demand.fault}"
        elif decision is not None:
            reason = f"{'kept' if demand.existing is not None else 'left'} as it is: {decision}"
        elif demand.existing is not None:
            reason = "kept as it is" + (", as asked" if self.ground.options.keep else "")
        else:
            reason = "not asked for"
        layout = demand.existing if demand.existing is not None else none.layout
        fits = demand.fault is None and decision is None
        fits = fits and all(loop.need.fits(layout, self.ground.model) for loop in demand.loops)
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

    def _is_served(self, demand: Demand) -> bool:
        """Whether each loop has its II without a partition, or would under what the tool does by itself."""
        reached = {key(x): x.ii for x in self.ground.unpartitioned.loops if x.ii is not None}
        return all(
            reached.get(key(x.result), x.need.ii + 1) <= x.need.ii
            or (demand.own is not None and x.need.fits(demand.own, self.ground.model))
            for x in demand.loops
        )

    def _is_served_by_pragmas(self, demand: Demand) -> bool:
        """Whether what the source says is enough: directives beside it could not take it back."""
        if demand.existing is None or any(
            self.ground.program.directives[k].source != "pragma" for k in demand.directives
        ):
            return False
        return all(loop.need.fits(demand.existing, self.ground.model) for loop in demand.loops)

    def _is_removable(self, index: int) -> bool:
        """Whether all arrays that a directive names get a decision of their own."""
        groups = {self.ground.analysis.group_of.get(v) for v in self.ground.program.directives[index].variables}
        return groups <= self.deciding

    def untied(self, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
        """With directives that name several arrays removed for all of them, and said anew where they stay."""
        gone = {k for d in decisions for k in d.removed}
        out = []
        for d in decisions:
            if gone & set(d.demand.directives) - set(d.removed):
                removed = tuple(k for k in d.demand.directives if self._is_removable(k))
                d = replace(d, directives=self._directives(d.demand, d.choice), removed=removed)
            out.append(d)
        return tuple(out)

    def _directives(self, demand: Demand, choice: Choice) -> tuple[Directive, ...]:
        if choice.rewrite or choice.kind == "none":
            return ()
        if choice.kind == "replicate":
            function = demand.loops[0].result.function
            program, bindings = self.ground.program, demand.bindings
            return tuple(storage_directive(program, r, COPIED, function, bindings) for r in demand.roots)
        layout = choice.layout.per_dimension
        assert layout is not None
        return partition_directives(self.ground.program, demand, layout, self.ground.target.bare_types)


def refused(decisions: Sequence[Decision], after: IIResult) -> dict[int, str]:
    """Groups whose new directives validation does not accept, and why."""
    new = [d for d in decisions for _ in d.directives]
    pairs = zip(reversed(new), reversed(after.pragmas), strict=False)
    return {
        d.demand.group.id: f"not partitioned: {status.reason}"
        for d, status in pairs if status.status in ("rejected", "conflict")
    }  # fmt: skip
