"""What the prediction knows and ports alone do not say: schedules, and recurrences through memories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hlspart.infer.choosing import Choosing
from hlspart.infer.decision import Decision, as_it_is
from hlspart.infer.demand import Demand, LoopKey, key
from hlspart.infer.running import Plan, copies
from hlspart.model.results import IIResult, LoopResult

TRIALS = 12  # partitions, where ports and dependences together keep a loop from its II
PATIENCE = 4  # of one array in a row that gain nothing


def tuned(run: Choosing, plan: Plan, floors: Mapping[LoopKey, int]) -> Plan:
    """``plan`` with other partitions where a loop misses ``floors`` although its ports suffice.

    One array at a time: the next ones that have ports enough, as long as the prediction gains.
    """
    decisions, after = plan
    trials = 0
    for place, first in enumerate(decisions):
        enough = first.demand.accesses <= first.demand.port_count  # nothing waits for a port
        if enough or first.choice.rewrite or first.choice.copies > 1 or not run.may_change(first.demand):
            continue
        touched = {key(x.result) for x in first.demand.loops}
        current, tried, idle = first, {first.choice.layout}, 0
        while trials < TRIALS and run.ground.goes_on and idle < PATIENCE:
            missing = [x for x in run.ground.asked_loops(after) if key(x) in touched and (x.ii or 0) > floors[key(x)]]
            if not any(x.limits and x.limits[0].kind in ("schedule", "recurrence") for x in missing):
                break
            pragmas = run.ground.options.by_pragma
            chooser = replace(run.chooser(first.demand), options=pragmas, last_resort=False, tried=frozenset(tried))
            choice = chooser.choose([x.need for x in first.demand.loops], max(2, current.choice.banks))
            if choice is None:
                break
            current = run.decision(first.demand, choice)
            tried.add(choice.layout)
            trial = (*decisions[:place], current, *decisions[place + 1 :])
            then = run.confirm(trial)
            trials, idle = trials + 1, idle + 1
            if run.ground.missed(then, floors) < run.ground.missed(after, floors):
                decisions, after, idle = trial, then, 0
    return decisions, after


def with_registers(run: Choosing, free: IIResult) -> tuple[IIResult, dict[int, str]]:
    """The prediction ``free``, of memories with ports enough, with some arrays as registers: these, and why.

    A recurrence through a memory takes a store and a load; registers answer at once. As few arrays as give
    loops that miss their target a better II, and none a worse one. What validation rejects is left as it is.
    """
    missing = {key(x) for x in run.ground.asked_loops(free) if rank(x) > (run.ground.targets[key(x)], 0)}
    if not missing or not run.ground.goes_on:
        return free, {}
    chosen = [
        d for d in run.ground.demands if _recurs(d, missing) and run.may_change(d) and run.chooser(d).may_be_registers
    ]
    then, rejected = _as_registers(run, chosen)
    if not is_better(run, then, free):
        return free, {}
    for d in tuple(chosen) if len(chosen) > 1 else ():
        fewer = [x for x in chosen if x is not d]
        trial, _ = _as_registers(run, fewer)
        if not is_better(run, then, trial):
            chosen, then = fewer, trial
    if any(d in rejected for d in chosen):
        chosen = [d for d in chosen if d not in rejected]
        then, _ = _as_registers(run, chosen)
        if not is_better(run, then, free):
            return free, {}
    gains = gaining(run, free, then)
    return then, {d.group.id: why("a memory", d, gains) for d in chosen}


def _recurs(demand: Demand, missing: set[LoopKey]) -> bool:
    """Whether one of the loops stores to the array and touches it once more."""
    for x in demand.loops:
        sites = x.need.problem.sites
        if key(x.result) in missing and len(sites) > 1 and not all(site.read for site in sites):
            return True
    return False


def rank(loop: LoopResult) -> tuple[float, int]:
    """Orders the II of loops; one that is not known comes behind the most that it can be."""
    if loop.ii is not None:
        return loop.ii, 0
    return (loop.bounds[1] if loop.bounds is not None else math.inf), 1


def is_better(run: Choosing, one: IIResult, other: IIResult) -> bool:
    """Whether a loop has a lower II in ``one``, and none a higher one."""
    ranks = ([rank(x) for x in run.ground.asked_loops(result)] for result in (one, other))
    pairs = list(zip(*ranks, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def gaining(run: Choosing, free: IIResult, then: IIResult) -> list[LoopResult]:
    """The loops of ``free`` that have another II in ``then``."""
    pairs = zip(run.ground.asked_loops(free), run.ground.asked_loops(then), strict=True)
    return [x for x, y in pairs if rank(x) != rank(y)]


def _as_registers(run: Choosing, chosen: Sequence[Demand]) -> tuple[IIResult, list[Demand]]:
    """The prediction with ports enough and these arrays as registers, and those of which that is rejected."""
    said = [(d, x) for d in chosen for x in run.decision(d, run.chooser(d).as_registers("")).said]
    groups = {d.group.id for d in chosen}
    beside = (x for group, p in run.separations.items() if group not in groups for x in p.directives)
    result = run.ground.with_ports_enough((*beside, *(x for _, x in said)))
    states = zip(reversed(said), reversed(result.pragmas), strict=False)
    return result, [d for (d, _), x in states if x.status in ("rejected", "conflict")]


def why(what: str, demand: Demand, gains: Sequence[LoopResult]) -> str:
    """The II at which ``what``, in place of the choice, would leave loops that gain from that."""
    touched = {key(x.result) for x in demand.loops}
    return f"{what} leaves " + " and ".join(f"{x.name} at II {x.figure}" for x in gains if key(x) in touched)


def unneeded(run: Choosing, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Without partitions of memories that the tool copies by itself, where no loop is the slower for it."""
    kept = tuple(decisions)
    for place, d in enumerate(kept):
        if d.choice.kind in ("none", "replicate") or copies(run.ground, d.demand) < 2 or not run.ground.goes_on:
            continue
        left = run.plain(d.demand, as_it_is(d.demand, copies(run.ground, d.demand)))
        trial = (*kept[:place], left, *kept[place + 1 :])
        then, now = (run.ground.asked_loops(run.confirm(x, run.ground.real)) for x in (trial, kept))
        if all(rank(x) <= rank(y) for x, y in zip(then, now, strict=True)):
            kept = trial
    return kept
