"""Promises of partitions that only the rewrite can give, held against the text that it writes."""

from __future__ import annotations

from dataclasses import replace

from hlspart.model.program import Program
from hlspart.model.results import IIResult, InferredLoop, InferResult, LoopResult
from hlspart.model.rewriting import RewriteResult


def as_emitted(
    program: Program, before: IIResult, inferred: InferResult, written: RewriteResult, after: IIResult
) -> InferResult:
    """``inferred`` with the II that ``after``, the check of the text ``written``, gives each of its loops.

    Where the rewrite refuses an array that needs it, the II of the loops is unknown (None) and the
    cause says why. A loop that the text does not pipeline keeps the II that it would have.
    """
    names = {program.variable(a.variable).name for a in inferred.arrays if a.needs_rewrite}
    refused = [o for o in written.outcomes if o.status in ("refused", "conflict") and names & set(o.arrays)]
    places = {(x.function, x.name): x for x in before.loops}

    def checked(item: InferredLoop) -> InferredLoop:
        if refused and item.cause is not None and "needs the rewrite" in item.cause:
            o = refused[0]
            why = f"the rewrite refuses {', '.join(sorted(names & set(o.arrays)))}: {o.reason}"
            return replace(item, ii_after=None, cause=f"{item.cause}; unknown, because {why}")
        found = _there(program, places.get((item.function, item.name)), written, after)
        if found is None or not found.pipelined or found.ii == item.ii_after:
            return item
        causes = (item.cause, f"in the rewritten text: {found.cause or f'the scheduler needs II {found.ii}'}")
        return replace(item, ii_after=found.ii, cause="; ".join(c for c in causes if c))

    return replace(inferred, loops=tuple(checked(item) for item in inferred.loops))


def _there(program: Program, loop: LoopResult | None, written: RewriteResult, after: IIResult) -> LoopResult | None:
    """The loop of the new text that stands where ``loop`` stood."""
    if loop is None:
        return None
    same = [x for x in after.loops if x.function == loop.function]
    if loop.loop < 0:
        return next((x for x in same if x.loop < 0), None)
    path = program.loops[loop.loop].header.span.path
    runs = written.lines.get(path, ())
    lines = {r.new + loop.line - r.old for r in runs if r.old <= loop.line < r.old + r.count}
    found = [x for x in same if x.line in lines]
    return found[0] if len(found) == 1 else None
