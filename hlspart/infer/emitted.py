"""Promises of partitions that only the rewrite can give, held against the text that it writes."""

from __future__ import annotations

from dataclasses import replace

from hlspart.model.program import Program
from hlspart.model.results import IIResult, InferredLoop, InferResult, LoopResult
from hlspart.model.rewriting import RewriteResult

#: Ways in which a load and a store of one loop may select a bank, up to which dependences between them are looked at.
MOST_WAYS = 150


def cheap(written: RewriteResult) -> bool:
    """Whether the dependences of the text can be checked in seconds."""
    return all(c.banks * c.address_inputs * c.store_inputs <= MOST_WAYS for c in written.crossbars)


def as_emitted(
    program: Program, before: IIResult, inferred: InferResult, written: RewriteResult, after: IIResult | None
) -> InferResult:
    """``inferred`` with the II that ``after``, the check of the text ``written``, gives each of its loops.

    Where the rewrite refuses an array that needs it, or where there is no check, the II of the loops is
    unknown (None) and the cause says why. A loop that the text does not pipeline keeps the II that it would have.
    """
    names = {program.variable(a.variable).name for a in inferred.arrays if a.needs_rewrite}
    refused = [o for o in written.outcomes if o.status in ("refused", "conflict") and names & set(o.arrays)]
    first = refused[0] if refused else None
    places = {(loop.function, loop.name): loop for loop in before.loops}

    def checked(item: InferredLoop) -> InferredLoop:
        why = f"the rewrite refuses {', '.join(sorted(names & set(first.arrays)))}: {first.reason}" if first else ""
        if after is None and not why:
            why = "the rewritten text selects banks in too many ways to check its dependences"
        if why and item.cause is not None and "needs the rewrite" in item.cause:
            return replace(item, ii_after=None, cause=f"{item.cause}; unknown, because {why}")
        if after is None:
            return item
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
