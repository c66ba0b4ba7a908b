"""What is about to be written, read back: the check of a text for the target of the text that it replaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from hlspart.infer.size import is_large
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic, Severity
from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions, RewriteOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, Validation
from hlspart.model.rewriting import NOT_HELPED, TARGET_MISSED, UNCHECKED, RewriteResult
from hlspart.predict.regressions import Regression, counterparts, most_cycles, regressions, touched
from hlspart.targets import Target

if TYPE_CHECKING:
    from hlspart.rewrite.driver import Rewrite


class Predicted(Protocol):
    """What is known of a program, and of other texts for it."""

    @property
    def program(self) -> Program:
        """The files as records."""

    @property
    def analysis(self) -> AccessAnalysis:
        """Its accesses and loops."""

    @property
    def proved(self) -> AccessAnalysis:
        """The same without what LOOP_TRIPCOUNT says."""

    @property
    def validation(self) -> Validation:
        """What its partitions do."""

    @property
    def target(self) -> Target:
        """What to predict for."""

    @property
    def figures(self) -> IIResult:
        """The prediction for the text as it is."""

    @property
    def inferred(self) -> InferResult:
        """What inference proposes."""

    def rewriting(self, options: RewriteOptions) -> Rewrite:
        """The rewrite before it is run."""

    def predict(self, texts: Mapping[str, str], directives: str = "", target: Target | None = None) -> IIResult:
        """The prediction for other texts."""

    def with_texts(self, texts: Mapping[str, str], directives: str = "") -> Predicted:
        """What is known of other texts."""


class Proposals(Struct, frozen=True):
    """Writes what inference proposes about a program, and checks it."""

    pipeline: Predicted
    options: InferOptions

    def annotated(self, proposal: InferResult) -> IIResult | None:
        """The check of the source with the directives that are written; None where there are none."""
        from hlspart.infer import emission

        program = self.pipeline.program
        texts = emission.pragma_texts(program, proposal)
        if not texts:  # what stands there is kept
            return None
        if self.options.beside:
            return self._check(emission.removals(program, proposal), emission.emit(program, proposal, "cfg"))
        return self._check(texts)

    def rewritten(self, proposal: InferResult) -> tuple[RewriteResult, IIResult | None]:
        """Banked C for it; no check where that would take too long."""
        from hlspart.infer.emitted import unread

        written = self.pipeline.rewriting(RewriteOptions(split_top=True)).inferred(proposal)
        return written, None if unread(written, proposal) else self._check(written.files)

    def _check(self, texts: Mapping[str, str], directives: str = "") -> IIResult:
        from hlspart.infer.demand import with_ports

        ports = self.options.ports
        target = with_ports(self.pipeline.target, ports) if ports is not None else None
        return self.pipeline.predict(texts, directives, target)


def never_slower(
    pipeline: Predicted, options: RewriteOptions, write: Callable[[RewriteOptions], RewriteResult]
) -> RewriteResult:
    """What ``write`` makes, but for arrays of loops and functions that it would make slower: these keep their text.

    A style or dialect that was asked for is written, and what is slower by it is said.
    """
    if options.style != "auto" or options.dialect != "c":
        result = write(options)
        if not _longest(pipeline, result) and not is_large(pipeline.figures):
            return _with_lost(pipeline, result, _lost(pipeline, result))
        why = "its loops have very many operations" if is_large(pipeline.figures) else UNREAD
        unchecked = f"{why}: whether a loop gets slower is not known"
        top = (pipeline.proved.tops or tuple(pipeline.program.functions))[0]
        said = about(pipeline.program, UNCHECKED, top, None, unchecked)
        return replace(result, diagnostics=(*result.diagnostics, said))
    return _no_slower(pipeline, options, write)


#: Choices of a bank or a word in an iteration of all loops together up to which a text is read back in seconds.
MOST_SELECTIONS = 6_000
MOST_TEXT = 90_000  # characters that are written, up to which the same holds
UNREAD = "the rewritten text selects banks in too many ways to be read back in seconds"
#: A text that is longer by no more than this share may be taken for its area.
ABOUT = 0.05
LUTS = 250_000  # of a device, for multiplexers, which the device's own count does not have


def cheapest(pipeline: Predicted, texts: Sequence[RewriteResult]) -> RewriteResult:
    """Of some texts the one with the fewest loops that miss their II, then the fastest, then the smallest.

    Those about as fast as the fastest count as such.
    """
    prices = [price(pipeline.program, pipeline.predict(t.files)) for t in texts]
    least = min((p.missed, p.cycles) for p in prices)
    close = [
        (p.area, p.cycles, k)
        for k, p in enumerate(prices)
        if p.missed == least[0] and p.cycles <= least[1] * (1 + ABOUT)
    ]
    return texts[min(close)[2]]


def cheapest_in_place(pipeline: Predicted, ways: Sequence[RewriteResult]) -> RewriteResult:
    """The cheapest text in which every place means what it did; a cheaper one that this holds back is said."""
    from hlspart.rewrite.engine import held_back
    from hlspart.rewrite.places import moved_place

    first, *others = ways
    moved = [moved_place(pipeline, way.files) for way in others]
    best = cheapest(pipeline, [first, *(way for way, why in zip(others, moved, strict=True) if why is None)])
    why = next((why for why in moved if why is not None), None)
    if why is None or cheapest(pipeline, ways) is best:
        return best
    said = held_back(pipeline.program, why)
    return best if said in best.diagnostics else replace(best, diagnostics=(*best.diagnostics, said))


class Price(Struct, frozen=True):
    """What a text costs: loops that miss their II, cycles of all functions, and its shares of the device, added up."""

    missed: int
    cycles: float
    area: float


def price(program: Program, figures: IIResult) -> Price:
    """The price of a text that takes the place of ``program``; where a latency is unknown that of its loops counts."""
    cycles = float(sum(most_cycles(figures, function) for function in figures.functions))
    used = sum(r.used / r.available for r in figures.resources if r.available)
    used += sum(a.mux_luts for a in figures.arrays) / LUTS
    return Price(sum(loop.misses for loop in figures.loops), cycles, used)


def _no_slower(
    pipeline: Predicted, options: RewriteOptions, write: Callable[[RewriteOptions], RewriteResult]
) -> RewriteResult:
    from hlspart.rewrite.engine import withheld as withheld_all
    from hlspart.rewrite.plan import GroupRefusal

    withheld: dict[str, str] = {}
    names = {v.id: v.name for v in pipeline.program.arrays()}
    while True:
        asked = replace(options, withheld=tuple(withheld.items()))
        result = write(asked)
        if long := _longest(pipeline, result) - withheld.keys():
            withheld |= dict.fromkeys(long, f"{UNREAD}")
            continue
        lost = _lost(pipeline, result)
        if lost and options.infer:  # arrays that are new in the text may take pragmas
            more = pipeline.rewriting(asked).with_pragmas(result)
            if more is not result and not _lost(pipeline, more):
                return more
        if not lost:
            return result
        if set(names.values()) <= withheld.keys():
            at = pipeline.program.functions[lost[0].function].name_at
            return withheld_all(
                pipeline.program, result, GroupRefusal("slower", f"in the rewritten text {lost[0].text}", at)
            )
        for item in lost:
            named = {names[v] for v in touched(pipeline.program, pipeline.analysis, item) if v in names}
            inside = named - withheld.keys()
            for name in inside or set(names.values()) - withheld.keys():
                withheld[name] = f"in the rewritten text {item.text}"


def _longest(pipeline: Predicted, result: RewriteResult) -> frozenset[str]:
    """The array with the most of a text that takes too long to read back; none where it does not."""
    if not result.crossbars:
        return frozenset()
    scheduled, written = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    array_of = {a.id: pipeline.program.variable(a.array).name for a in pipeline.analysis.accesses}
    for loop in pipeline.figures.loops:
        scheduled.update((loop.function, array_of[slot.access]) for slot in loop.schedule if slot.access in array_of)
    for c in result.crossbars:
        written[c.function, c.array] += c.accesses
    copies = {key: max(1, scheduled[key] // count) for key, count in written.items()}
    selections = result.selections(lambda c: copies[c.function, c.array])
    if selections.total() <= MOST_SELECTIONS and result.added <= MOST_TEXT:
        return frozenset()
    return frozenset({selections.most_common(1)[0][0]})


def _lost(pipeline: Predicted, result: RewriteResult) -> tuple[Regression, ...]:
    """What is slower in the text of a rewrite."""
    if not _changes(pipeline, result):
        return ()
    after = pipeline.predict(result.files)
    return regressions(pipeline.program, pipeline.figures, after, result.lines)


def _changes(pipeline: Predicted, result: RewriteResult) -> bool:
    """Whether there is anything to write."""
    sources = pipeline.program.sources
    return any(path not in sources or sources[path].text != text for path, text in result.files.items())


def with_missed(pipeline: Predicted, result: RewriteResult, options: RewriteOptions) -> RewriteResult:
    """``result`` of an inference with why it helps none of the loops that miss their II and keep it.

    Where nothing is written, that a loop misses the II asked for is a finding, else a note.
    """
    from hlspart.expand.accumulators import accumulators
    from hlspart.rewrite.engine import remedy

    program, inferred = pipeline.program, pipeline.inferred
    tops = {name for name in pipeline.analysis.tops if name in program.functions}
    outside = {program.variable(v).name for name in tops for v in program.functions[name].params}
    changes, diagnostics = _changes(pipeline, result), []
    after = pipeline.predict(result.files) if changes else pipeline.figures
    for loop, there in counterparts(program, pipeline.figures, after, result.lines if changes else None):
        if not loop.misses or there is None or there.least < loop.least:
            continue
        inside = touched(program, pipeline.analysis, Regression(loop.function, loop.loop, ""))
        names = {program.variable(v).name for v in inside}
        short = {x.array for x in loop.limits if x.kind == "memory-port"} & names
        said = [o for o in result.outcomes if o.reason is not None]
        why = [f"'{name}': {o.reason}{remedy(o)}" for o in said for name in o.arrays if name in short]
        why = why or [f"'{a.name}': {a.reason}" for a in inferred.arrays if a.name in short and a.variable in inside]
        why = why or [loop.limits[0].text if loop.limits else loop.cause or f"the scheduler needs II {loop.figure}"]
        alone = replace(pipeline.figures, loops=(loop,))
        sums = not options.reassoc and accumulators(program, pipeline.proved, alone)
        which = "rewrite that keeps the order of sums" if sums else "rewrite"
        text = f"loop {loop.name}: II {loop.figure} instead of {loop.aim}, and no {which} helps: {'; '.join(why)}"
        text += " (--allow-reassoc tries partial sums)" if sums else ""
        at_top = loop.function in tops and bool(loop.limits) and loop.limits[0].array in outside
        if loop.proof is not None:
            text += f"; {loop.proof.text}"
        if (at_top if loop.proof is None else loop.proof.at_ports) and not options.split_top:
            text += "; the top function keeps its ports, unless --split-top is given"
        rule = NOT_HELPED if changes or loop.origin == "auto" else TARGET_MISSED
        severity: Severity = "warning" if rule == TARGET_MISSED else "note"
        diagnostics.append(about(program, rule, loop.function, loop.loop, text, severity))
    return replace(result, diagnostics=(*result.diagnostics, *diagnostics))


def _with_lost(pipeline: Predicted, result: RewriteResult, lost: Sequence[Regression]) -> RewriteResult:
    """``result`` with a warning for each loop and function that is slower by it."""
    said = (
        about(pipeline.program, "rewrite-slower", x.function, x.loop, f"in the rewritten text {x.text}") for x in lost
    )
    return replace(result, diagnostics=(*result.diagnostics, *said))


def about(
    program: Program, rule: str, function: str, loop: int | None, text: str, severity: Severity = "warning"
) -> Diagnostic:
    """At the header of a loop, or the name of a function."""
    from hlspart.rewrite.engine import place

    at = program.loops[loop].header if loop is not None and loop >= 0 else program.functions[function].name_at
    return Diagnostic(rule, rule, severity, place(program, at), text)
