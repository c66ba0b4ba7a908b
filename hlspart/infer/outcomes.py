"""What is said of loops and arrays once the choice is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hlspart.infer.choosing import Choosing
from hlspart.infer.decision import Decision
from hlspart.infer.demand import LoopKey, key
from hlspart.model.inferred import InferredLoop
from hlspart.model.results import IIResult, LoopResult


def _shortage(run: Choosing, loop: LoopResult, decisions: Sequence[Decision]) -> str:
    """Which rewritten array keeps a loop from its target, when no limit of the prediction does."""
    for d in decisions:
        chooser = run.chooser(d.demand)
        for x in d.demand.loops:
            if key(x.result) == key(loop) and d.choice.rewrite:
                interval = chooser.interval(x.need, d.choice.layout)
                if interval >= (loop.ii or 1):
                    name = run.ground.program.variable(d.demand.roots[0]).name
                    return f"{name}: one of {d.choice.banks} banks is busy for {interval} cycles of an iteration"
    return f"the scheduler needs II {loop.ii}"


def outcomes(
    run: Choosing, after: IIResult, decisions: Sequence[Decision], free: Mapping[LoopKey, LoopResult]
) -> list[InferredLoop]:
    """What each loop gains under ``decisions``; ``free``: the prediction if memories had ports enough."""
    before = {key(x): x for x in run.ground.before.loops}
    banked: dict[LoopKey, list[int]] = {}  # arrays that need the rewrite, by the loops that access them
    for d in decisions:
        for one in {key(x.result) for x in d.demand.loops} if d.choice.rewrite else ():
            banked.setdefault(one, []).append(d.demand.roots[0])
    names_of = {key(x): x.name for x in reversed(run.ground.first.loops)}
    out = []
    for loop in run.ground.asked_loops(after):
        asked = run.ground.targets[key(loop)]
        loop = as_asked(loop, asked)
        cause = loop.cause
        rewritten = tuple(banked.get(key(loop), ()))
        names = ", ".join(run.ground.program.variable(v).name for v in rewritten)
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
        old, target_ii = before.get(key(loop), loop), run.ground.options.target_ii or loop.target_ii
        supposed = InferredLoop(
            loop.function, loop.name, target_ii, old.ii, loop.ii, cause, None, rewritten,
            old.bounds if old.ii is None else None, loop.bounds if loop.ii is None else None, loop.loop,
        )  # fmt: skip
        if run.ground.supposed:
            supposed = _supposed(run, supposed, names_of.get((supposed.function, supposed.loop), supposed.name))
        out.append(supposed)
    return out


def _supposed(run: Choosing, item: InferredLoop, name: str) -> InferredLoop:
    """A loop that nothing pipelines: no II before or after, and what both would be if something did."""
    figures = " and ".join(
        f"{'?' if ii is None and span is None else ii or '..'.join(map(str, span or ()))} {when}"
        for ii, span, when in ((item.ii_before, item.span_before, "before"), (item.ii_after, item.span_after, "after"))
    )
    cause = f"not pipelined by {run.ground.real.tool}; #pragma HLS pipeline would give II {figures}"
    cause = f"{cause}; {item.cause}" if item.cause else cause
    return replace(
        item, name=name, target_ii=None, ii_before=None, ii_after=None, span_before=None, span_after=None, cause=cause
    )


def as_asked(loop: LoopResult, asked: int) -> LoopResult:
    """A loop whose II is not known but not above the one asked for: a PIPELINE with that II gives it the most."""
    known = loop.ii is None and loop.bounds is not None and loop.bounds[1] <= asked
    return replace(loop, ii=loop.bounds[1]) if known and loop.bounds is not None else loop


def binding(loop: LoopResult, asked: int) -> str | None:
    """What keeps a loop from the II asked for, as a limit of its prediction.

    First of all what gives it its II, and of those a port last, which could have been had.
    """
    limits = sorted(loop.limits, key=lambda x: (x.ii < (loop.ii or x.ii), x.kind == "memory-port"))
    return next((x.text for x in limits if x.ii > asked), None)
