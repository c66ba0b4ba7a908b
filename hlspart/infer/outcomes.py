"""What is said of loops and arrays once the choice is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hlspart.infer.decision import Decision
from hlspart.infer.demand import LoopKey, key
from hlspart.infer.running import InferenceRun
from hlspart.model.results import IIResult, InferredLoop, LoopResult


def _shortage(run: InferenceRun, loop: LoopResult, decisions: Sequence[Decision]) -> str:
    """Which rewritten array keeps a loop from its target, when no limit of the prediction does."""
    for d in decisions:
        chooser = run.chooser(d.demand)
        for x in d.demand.loops:
            if key(x.result) == key(loop) and d.choice.rewrite:
                interval = chooser.interval(x.need, d.choice.layout)
                if interval >= (loop.ii or 1):
                    name = run.program.variable(d.demand.roots[0]).name
                    return f"{name}: one of {d.choice.banks} banks is busy for {interval} cycles of an iteration"
    return f"the scheduler needs II {loop.ii}"


def outcomes(
    run: InferenceRun, after: IIResult, decisions: Sequence[Decision], free: Mapping[LoopKey, LoopResult]
) -> list[InferredLoop]:
    """What each loop gains under ``decisions``; ``free``: the prediction if memories had ports enough."""
    before = {key(x): x for x in run.before.loops}
    out = []
    for loop in run.asked_loops(after):
        asked = run.targets[key(loop)]
        if loop.ii is None and loop.bounds is not None and loop.bounds[1] <= asked:
            loop = replace(loop, ii=loop.bounds[1])  # which a PIPELINE with the II asked for gives it
        cause = loop.cause
        rewritten = tuple(
            d.demand.roots[0]
            for d in decisions
            if d.choice.rewrite and any(key(x.result) == key(loop) for x in d.demand.loops)
        )
        names = ", ".join(run.program.variable(v).name for v in rewritten)
        needs = f"needs the rewrite of {names}" if rewritten else None
        if loop.ii is not None and loop.ii > asked:
            unbound = free.get(key(loop))
            nearest = unbound if unbound is not None and unbound.ii == loop.ii else loop
            cause = binding(nearest, asked) or binding(loop, asked) or _shortage(run, loop, decisions)
            cause = f"{cause}; {needs}" if needs else cause
        elif loop.ii is not None:
            cause = needs
        elif loop.bounds is not None and loop.bounds[1] > asked:
            cause = "; ".join(x for x in (cause, binding(loop, asked)) if x)
        old = before.get(key(loop), loop)
        ii = (old.ii, loop.ii)
        spans = (old.bounds if old.ii is None else None, loop.bounds if loop.ii is None else None)
        out.append(InferredLoop(loop.function, loop.name, asked, *ii, cause, None, rewritten, *spans))
    return out


def binding(loop: LoopResult, asked: int) -> str | None:
    """What keeps a loop from the II asked for, as a limit of its prediction.

    First of all what gives it its II, and of those a port last, which could have been had.
    """
    limits = sorted(loop.limits, key=lambda x: (x.ii < (loop.ii or x.ii), x.kind == "memory-port"))
    return next((x.text for x in limits if x.ii > asked), None)
