"""Proposals that only the rewrite can realise, held against the text that it writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hlspart.infer.inference import Inference
from hlspart.infer.outcomes import binding
from hlspart.model.program import Program
from hlspart.model.results import IIResult, InferredLoop, InferResult, LoopResult
from hlspart.model.rewriting import RewriteResult

#: Ways in which a load and a store of one loop may select a bank, up to which dependences between them are looked at.
MOST_WAYS = 150

#: Writes the text of a proposal and checks it; no check (None) where that would take too long.
Writer = Callable[[InferResult], tuple[RewriteResult, IIResult | None]]


def cheap(written: RewriteResult, ways: int = MOST_WAYS) -> bool:
    """Whether the dependences of the text can be checked in seconds."""
    return all(c.banks * c.address_inputs * c.store_inputs <= ways for c in written.crossbars)


def settled(inference: Inference, write: Writer | None) -> InferResult:
    """The proposal of ``inference`` with the II that its text has, and no loop slower than in the file as it is.

    A rewrite after which a loop takes longer than before is not proposed. Where one is refused, or gives a
    loop less than what was expected of it, the proposal without it is taken unless its loops take more
    cycles. Scheme ``any`` asks for the least banks: only what makes a loop slower is left out.
    """
    barred: dict[int, str] = {}
    best: tuple[int, InferResult, IIResult] | None = None
    while True:
        result = inference.run(barred)
        if write is None or not any(array.needs_rewrite for array in result.arrays):
            found, blamed, sound = result, dict[int, str](), True
        else:
            text = _Text(inference, result, *write(result))
            found = replace(result, loops=tuple(text.checked(item) for item in result.loops))
            blamed, sound = text.blamed(found)
        price = inference.price(found)
        if sound and (best is None or price <= best[0]):
            best = price, found, inference.outcome
        if not blamed:
            break
        barred |= blamed
    assert best is not None  # without any rewrite there is nothing to blame
    inference.outcome = _as_promised(best[2], best[1])
    return _traded(inference, best[1])


def _slower(item: InferredLoop) -> bool:
    """Whether a loop takes longer than before and than asked for."""
    if item.ii_before is None or item.ii_after is None:
        return False
    return item.ii_after > max(item.ii_before, item.target_ii or 1)


def _traded(inference: Inference, result: InferResult) -> InferResult:
    """``result`` that says of a loop made slower for the sake of others what is gained."""
    if not any(map(_slower, result.loops)):
        return result
    before = replace(result, loops=tuple(replace(x, ii_after=x.ii_before) for x in result.loops))
    text = f"slower than before: all loops take {inference.price(result)} cycles instead of {inference.price(before)}"
    said = (replace(x, cause=f"{x.cause}; {text}") if _slower(x) else x for x in result.loops)
    return replace(result, loops=tuple(said))


def _as_promised(outcome: IIResult, result: InferResult) -> IIResult:
    """The prediction with the II that the text of ``result`` has."""
    said = {(x.function, x.name): x.ii_after for x in result.loops}
    loops = tuple(replace(x, ii=said.get((x.function, x.name), x.ii)) for x in outcome.loops)
    return replace(outcome, loops=loops)


@dataclass(frozen=True)
class _Text:
    """What the rewrite wrote for a proposal, and the check of that."""

    inference: Inference
    result: InferResult
    written: RewriteResult
    after: IIResult | None

    @property
    def _refused(self) -> dict[str, str]:
        """Arrays that need the rewrite and are refused, and why."""
        program = self.inference.program
        names = {program.variable(a.variable).name for a in self.result.arrays if a.needs_rewrite}
        bad = [o for o in self.written.outcomes if o.status in ("refused", "conflict")]
        return {name: o.reason or o.status for o in bad for name in o.arrays if name in names}

    def checked(self, item: InferredLoop) -> InferredLoop:
        """A loop with the II that the check of the text gives it.

        Unknown (None) where the rewrite refuses an array that needs it, or where there is no check, and
        the cause says why. A loop that the text does not pipeline keeps the II that it would have.
        """
        program, refused, known = self.inference.program, self._refused, self.inference.before.loops
        why = "".join(f"the rewrite refuses {name}: {reason}" for name, reason in list(refused.items())[:1])
        if self.after is None and not why:
            why = "the rewritten text selects banks in too many ways to check its dependences"
        if why and item.rewritten:
            return replace(item, ii_after=None, span_after=None, cause=f"{item.cause}; unknown, because {why}")
        if self.after is None:
            return item
        loop = next((x for x in known if (x.function, x.name) == (item.function, item.name)), None)
        found = _there(program, loop, self.written, self.after)
        if found is None or not found.pipelined or found.ii == item.ii_after:
            return item
        names = ", ".join(program.variable(v).name for v in item.rewritten)
        needs = [f"needs the rewrite of {names}"] if names else []
        asked = item.target_ii or 1
        if found.ii is None or found.ii > asked:
            why = found.cause or binding(found, asked) or f"the scheduler needs II {found.ii}"
            needs = [f"in the rewritten text: {why}", *needs]
        span = found.bounds if found.ii is None else None
        return replace(item, ii_after=found.ii, cause="; ".join(needs) or None, span_after=span)

    def blamed(self, found: InferResult) -> tuple[dict[int, str], bool]:
        """Groups to be served without a rewrite and why; False when ``found`` may not be proposed."""
        group_of, every = self.inference.analysis.group_of, self.inference.options.scheme == "any"
        blamed, sound = dict[int, str](), True
        for array in self.result.arrays if not every else ():
            if array.needs_rewrite and array.name in self._refused:
                blamed[group_of[array.variable]] = f"the rewrite refuses it: {self._refused[array.name]}"
                sound = False
        for item, hoped in zip(found.loops, self.result.loops, strict=True):
            if item.ii_after is None:
                continue
            slower = _slower(item)
            short = not every and hoped.ii_after is not None and item.ii_after > hoped.ii_after
            for variable in item.rewritten if slower or short else ():
                blamed.setdefault(
                    group_of[variable], f"banks selected at run time leave {item.name} at II {item.ii_after}"
                )
                sound = sound and not slower
        return blamed, sound


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
