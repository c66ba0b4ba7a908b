"""Proposals read back: their II is that of the text that is written, and none makes a loop or function slower."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from hlspart.infer.inference import Inference, Proposal
from hlspart.infer.outcomes import as_asked, binding
from hlspart.infer.running import Restraints
from hlspart.model.inferred import InferredArray, InferredLoop, InferResult
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.rewriting import RewriteResult
from hlspart.predict.regressions import Regression, counterparts, regressions, touched

#: Ways in which a load and a store of one loop may select a bank, up to which dependences between them are looked at.
MOST_WAYS = 150
#: Choices of a bank or a word in an iteration of all loops together, up to which the text is read back in seconds.
MOST_SELECTIONS = 800
MOST_TEXT = 30_000  # characters that are written, up to which the same holds
UNREAD = "the rewritten text selects banks in too many ways to check its dependences"


class Writer(Protocol):
    """Writes a proposal and checks the text, for the same target."""

    def annotated(self, proposal: InferResult) -> IIResult | None:
        """The check of the source under the directives alone; None where they change nothing."""

    def rewritten(self, proposal: InferResult) -> tuple[RewriteResult, IIResult | None]:
        """Banked C for all of it; no check (None) where that would take too long."""


def is_cheap(written: RewriteResult, ways: int = MOST_WAYS) -> bool:
    """Whether the text can be read, and its dependences checked, in seconds."""
    return not _wide(written, ways) and written.added <= MOST_TEXT


def _wide(written: RewriteResult, ways: int = MOST_WAYS) -> frozenset[str]:
    """Arrays that keep it from that."""
    return frozenset(c.array for c in written.crossbars if c.banks * c.address_inputs * c.store_inputs > ways)


def unread(written: RewriteResult, proposal: InferResult) -> frozenset[str]:
    """Arrays that keep the text of a proposal from being read back: loops around an access may be unrolled."""
    accesses = {a.name: a.accesses for a in proposal.arrays}
    selections = written.selections(lambda c: max(1, accesses.get(c.array, 1) // c.accesses))
    is_long = selections.total() > MOST_SELECTIONS or written.added > MOST_TEXT
    moved = (o for o in written.outcomes if o.status == "rewritten") if is_long else ()
    return _wide(written).union(name for o in moved for name in o.arrays)


def settled(inference: Inference, writer: Writer) -> Proposal:
    """The proposal of ``inference`` with the II that its text has, and nothing slower than in the file as it is.

    An array of a loop or function that the text makes slower is served without a rewrite; where that is slower,
    too, by banks that take no division, the states of which are rarely known; then it keeps what it has. Where a
    rewrite is refused, or gives a loop less than was expected of it, the proposal without it is taken unless its
    loops take more cycles. Scheme ``any`` asks for the least banks: of it,
    only what makes a loop slower is left out. A target II on the command line is not held against what is there.
    """
    restraints = way = Restraints()
    best: tuple[int, _Text] | None = None
    while True:
        text = _Text.of(inference, inference.run(restraints), writer)
        price = inference.price(text.checked)
        if text.sound and (best is None or price <= best[0]):
            best, way = (price, text), restraints
        blamed = text.blamed
        rewrites = {g: why for g, why in blamed.items() if g in text.rewrites}
        others = {g: why for g, why in blamed.items() if g not in text.rewrites}
        if not blamed:
            break
        dividing = {
            g: why for g, why in others.items() if g in text.proposal.dividing and g not in restraints.undivided
        }
        restraints = Restraints(
            barred={**restraints.barred, **rewrites},
            held={**restraints.held, **(others if not dividing else {})},
            undivided={**restraints.undivided, **dividing},
        )
    assert best is not None  # where every array keeps what it has, there is nothing to write
    text = best[1]
    if (missed := text.missed) and inference.goes_on:  # banks for an II that the text does not reach
        again = _Text.of(inference, inference.run(replace(way, least=missed)), writer)
        if again.sound and again.spares(text):
            text = again
    return Proposal(text.checked, _as_promised(text.proposal.outcome, text.checked))


def _as_promised(outcome: IIResult, result: InferResult) -> IIResult:
    """The prediction with the II that the text of ``result`` has."""
    said = {(x.function, x.loop): x.ii_after for x in result.loops}
    return replace(outcome, loops=tuple(replace(x, ii=said.get((x.function, x.loop), x.ii)) for x in outcome.loops))


class _Text(Struct, frozen=True, dict=True):
    """A proposal, what is written for it, and the checks of that; ``rewritten`` None: it takes too long."""

    inference: Inference
    proposal: Proposal
    annotated: IIResult | None
    written: RewriteResult | None
    rewritten: IIResult | None

    @staticmethod
    def of(inference: Inference, proposal: Proposal, writer: Writer) -> _Text:
        """Write and read back."""
        result, written, rewritten = proposal.result, None, None
        if any(a.needs_rewrite for a in result.arrays):
            written, rewritten = writer.rewritten(result)
        return _Text(inference, proposal, writer.annotated(result), written, rewritten)

    @property
    def result(self) -> InferResult:
        """The layouts, and what loops would gain."""
        return self.proposal.result

    @cached_property
    def rewrites(self) -> dict[int, InferredArray]:
        """Groups that need the rewrite, with what is to become of their arrays."""
        group_of = self.inference.analysis.group_of
        return {group_of[a.variable]: a for a in self.result.arrays if a.needs_rewrite}

    @cached_property
    def _refused(self) -> dict[str, str]:
        """Arrays that need the rewrite and are refused, and why."""
        bad = [o for o in self.written.outcomes if o.status in ("refused", "conflict")] if self.written else []
        names = {a.name for a in self.rewrites.values()}
        return {name: o.reason or o.status for o in bad for name in o.arrays if name in names}

    @property
    def unread(self) -> bool:
        """Whether there is a rewritten text that nobody checked."""
        return self.written is not None and self.rewritten is None

    # ---------------------------------------------------------------------------- what it gives

    @cached_property
    def checked(self) -> InferResult:
        """The proposal with what the check of its text says of each loop."""
        after = self.rewritten if self.written is not None else self.annotated
        lines = self.written.lines if self.written is not None else None
        if self.inference.supposed:
            return self.result
        known = counterparts(self.inference.given, self.inference.first, after or self.inference.first, lines)
        there = {(old.function, old.loop): new for old, new in known}
        return replace(
            self.result,
            loops=tuple(self._checked(item, there.get((item.function, item.loop))) for item in self.result.loops),
        )

    def _checked(self, item: InferredLoop, loop: LoopResult | None) -> InferredLoop:
        """A loop with the II that its text has: unknown where the rewrite refuses what it needs, or is not checked."""
        why = "".join(f"the rewrite refuses {name}: {reason}" for name, reason in list(self._refused.items())[:1])
        if self.unread and not why:
            why = UNREAD
        if why and item.rewritten:
            return replace(item, ii_after=None, span_after=None, cause=f"{item.cause}; unknown, because {why}")
        if self.unread or loop is None or not loop.pipelined:
            return item
        loop = as_asked(loop, item.target_ii or 1)
        span = loop.bounds if loop.ii is None else None
        if (loop.ii, span) == (item.ii_after, item.span_after):
            return item
        names = ", ".join(self.inference.program.variable(v).name for v in item.rewritten)
        needs = [f"needs the rewrite of {names}"] if names else []
        asked = item.target_ii or 1
        if loop.ii is None or loop.ii > asked:
            why = loop.cause or binding(loop, asked) or f"the scheduler needs II {loop.ii}"
            needs = [f"in the rewritten text: {why}" if self.written is not None else why, *needs]
        return replace(item, ii_after=loop.ii, cause="; ".join(needs) or None, span_after=span)

    @property
    def missed(self) -> dict[tuple[str, int], int]:
        """The II that loops have in the text at least, where it is above the one that banks were chosen for."""
        reached = ((x, x.ii_after or (x.span_after[0] if x.span_after else 0)) for x in self.checked.loops)
        hoped = {(x.function, x.loop): x.ii_after or 0 for x in self.result.loops}
        return {(x.function, x.loop): ii for x, ii in reached if 0 < hoped[x.function, x.loop] < ii}

    def spares(self, other: _Text) -> bool:
        """Whether it has fewer banks than ``other``, and no loop a higher II."""
        pairs = zip(self.checked.loops, other.checked.loops, strict=True)
        if any(x.ii_after is None or x.ii_after > (y.ii_after or x.ii_after) for x, y in pairs):
            return False
        return sum(a.banks for a in self.result.arrays) < sum(a.banks for a in other.result.arrays)

    # --------------------------------------------------------------------------- what it loses

    @cached_property
    def _lost(self) -> tuple[Regression, ...]:
        run = self.inference
        allowed, lost = run.options.target_ii, list[Regression]()
        if self.annotated is not None:
            lost += regressions(run.given, run.first, self.annotated, None, allowed)
        if self.written is not None and self.rewritten is not None:
            lost += regressions(run.given, run.first, self.rewritten, self.written.lines, allowed)
        return tuple(lost)

    @property
    def sound(self) -> bool:
        """Whether it may be proposed."""
        return not self._lost and (not (self._refused or self.unread) or self.inference.options.scheme == "any")

    @cached_property
    def blamed(self) -> dict[int, str]:
        """Groups to be served in another way, and why: by pragmas instead of a rewrite, else by what they have."""
        every, blamed = self.inference.options.scheme == "any", dict[int, str]()
        for group, array in self.rewrites.items() if not every else ():
            if array.name in self._refused:
                gains = [x for x in self.result.loops if array.variable in x.rewritten]
                gains = [x for x in gains if (x.ii_after or 0) < (x.ii_before or 0)]
                served = " and ".join(f"{x.name} at II {x.ii_after}" for x in gains)
                served += " with --split-top" if array.split_top else ""
                aim = f"{array.banks} banks would serve {served}, but " if gains else ""
                blamed[group] = f"{aim}the rewrite refuses it: {self._refused[array.name]}"
            elif self.written is not None and self.unread and array.name in unread(self.written, self.result):
                blamed[group] = UNREAD
        changed = {
            self.inference.analysis.group_of[a.variable]
            for a in self.result.arrays
            if a.fresh or a.removed or a.needs_rewrite
        }
        for lost in self._lost:
            inside = self._groups(lost) & changed or changed
            rewrites = inside & self.rewrites.keys()
            if self.written is not None and rewrites:
                blamed |= dict.fromkeys(rewrites - blamed.keys(), f"with banks selected at run time {lost.text}")
            else:
                blamed |= dict.fromkeys(inside - blamed.keys(), f"otherwise {lost.text}")
        for item, hoped in zip(self.checked.loops, self.result.loops, strict=True):
            if not every and (item.ii_after or 0) > (hoped.ii_after or item.ii_after or 0):
                for variable in item.rewritten:
                    why = f"banks selected at run time leave {item.name} at II {item.ii_after}"
                    blamed.setdefault(self.inference.analysis.group_of[variable], why)
        return blamed

    def _groups(self, lost: Regression) -> set[int]:
        """Groups that a slower loop or function accesses."""
        group_of = self.inference.analysis.group_of
        inside = touched(self.inference.given, self.inference.analysis, lost)
        return {group_of[v] for v in inside if v in group_of}
