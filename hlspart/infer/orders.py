"""Orders of stores that a partition takes away: they hold a recurrence up although ports suffice.

Two accesses of one iteration, one of them a store, that a tool cannot tell apart keep their order while they may
share a bank. Where such an order is part of the critical cycle of a loop, banks that part the two shorten it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec.structs import replace

from hlspart.banking.need import affordable
from hlspart.banking.pragmas import PragmaSpace
from hlspart.infer.choice import Pair, separated
from hlspart.infer.choosing import Choosing
from hlspart.infer.demand import Demand, elements, key, partition_directives
from hlspart.infer.repairs import PATIENCE, TRIALS, gaining, is_better, rank, why
from hlspart.infer.running import Separation
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.directives import Directive
from hlspart.model.results import CycleStep, IIResult

LOOKED_AT = 512  # partitions of one array; fewer of very many accesses
ASKED = 300  # questions about sets, likewise
TOGETHER = "one bank for stores and what waits for them"
ENOUGH_II = 1 << 20  # an II at which any memory has ports enough


def without_orders(run: Choosing, free: IIResult) -> tuple[IIResult, dict[int, Separation]]:
    """The prediction ``free``, of memories with ports enough, with orders taken away, and by which separations.

    Partitions come in order of their banks. One is tried against ``ii`` when it parts accesses of the critical
    cycle of a loop that misses its target; where that gains nothing, the next one has to part others as well,
    and the search ends after ``PATIENCE`` of these unless they show other orders to take away.
    """
    missing = [x for x in run.ground.asked_loops(free) if rank(x) > (run.ground.targets[key(x)], 0)]
    inside = any(_is_inside(step) for x in missing for step in x.cycle)
    if run.ground.options.scheme == "any" or not inside or not run.ground.goes_on:
        return free, {}
    then, separations, trials = free, dict[int, Separation](), 0
    for demand in (d for d in run.ground.demands if run.may_change(d)):
        wanted, tried, idle = _ordered(run, demand, then), list[PerDimLayout](), 0
        for layout in _partitions(run, demand) if wanted else ():
            if trials == TRIALS or not run.ground.goes_on or idle == PATIENCE:
                break
            pairs = separated(demand, layout, wanted)
            if not pairs or any(pairs <= separated(demand, x, wanted) for x in tried):
                continue
            said = partition_directives(run.ground.program, demand, layout)
            trial = run.ground.with_ports_enough((*_beside(separations, demand.group.id), *said))
            trials, idle = trials + 1, idle + 1
            if any(x.status in ("rejected", "conflict") for x in trial.pragmas[-len(said) :]):
                break
            ordered = _ordered(run, demand, trial)
            if is_better(run, trial, then) or not (ordered or is_better(run, then, trial)):  # now others may hold it up
                separations[demand.group.id], then = Separation(demand, pairs, said), trial
            tried.append(layout)
            if then is trial or not ordered <= wanted:
                idle = 0
            wanted |= ordered
    for group in tuple(separations):
        fewer = run.ground.with_ports_enough(_beside(separations, group))
        if not is_better(run, then, fewer):
            then = fewer
            del separations[group]
    gains = gaining(run, free, then)
    named = {group: replace(p, why=why(TOGETHER, p.demand, gains)) for group, p in separations.items()}
    return (then, named) if named else (free, {})


def _beside(separations: Mapping[int, Separation], group: int) -> tuple[Directive, ...]:
    """The directives of all separations but that of ``group``."""
    return tuple(x for other, p in separations.items() if other != group for x in p.directives)


def _is_inside(step: CycleStep) -> bool:
    """Whether a step waits for an access of the same iteration."""
    return step.kind == "memory" and step.distance == 0


def _ordered(run: Choosing, demand: Demand, result: IIResult) -> frozenset[Pair]:
    """Accesses whose order inside an iteration is part of the critical cycle of a loop that misses its target.

    None of a step that stands for accesses of one element, too: no bank parts these.
    """
    missing = {key(x): x for x in run.ground.asked_loops(result) if rank(x) > (run.ground.targets[key(x)], 0)}
    ordered = set[Pair]()
    for k, loop in enumerate(demand.loops):
        name = run.ground.program.variable(loop.variable).name
        steps = missing[key(loop.result)].cycle if key(loop.result) in missing else ()
        index = {site.position: site.access.index for site in loop.need.problem.sites}
        sites: dict[tuple[str, int], list[int]] = {}
        for site in loop.need.problem.sites:
            sites.setdefault((f"{name} {'load' if site.read else 'store'}", site.access.line), []).append(site.position)

        waits = (
            ((first.operation, first.line), (second.operation, second.line))
            for first, second in pairwise((*steps[-1:], *steps))
            if _is_inside(second) and second.through == name
        )
        for first, second in dict.fromkeys(waits):  # copies of an unrolled loop wait for each other in one line
            pairs = {(a, b) for a in sites.get(first, ()) for b in sites.get(second, ()) if a != b}
            if not any(index[a] == index[b] for a, b in pairs):
                ordered |= {(k, a, b) for a, b in pairs}
    return frozenset(ordered)


def _partitions(run: Choosing, demand: Demand) -> Iterator[PerDimLayout]:
    """What pragmas can say, from two banks on, as far as it differs for the accesses."""
    chooser = run.chooser(demand)
    needs = [x.need.at(ENOUGH_II) for x in demand.loops]
    space = PragmaSpace(needs, demand.shape, run.ground.model, chooser.most)
    left = affordable(LOOKED_AT, needs)
    most = ASKED + sum(need.problem.questions for need in needs)
    for banks in range(2, min(chooser.most + 1, elements(demand))):  # registers are another matter
        if run.ground.options.pow2 and banks & (banks - 1):
            continue
        for layout in space.solutions(banks):
            if not left or sum(need.problem.questions for need in needs) > most:
                return
            left -= 1
            yield layout
