"""The story from paths and options to results: each stage computed once, when first asked for.

load -> analyse -> validate -> check -> infer / rewrite. Packages are imported when their stage
runs, so that a command pays only for what it uses.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from hlspart.model.access import AccessAnalysis
from hlspart.model.options import AdviceOptions, BufferOptions, InferOptions, Options, RewriteOptions
from hlspart.model.program import Program
from hlspart.reading import read_file

if TYPE_CHECKING:
    from hlspart.lint import LintConfig
    from hlspart.lint.fixes import Fixed
    from hlspart.model.advising import LoopAdvice
    from hlspart.model.buffers import Shared
    from hlspart.model.diagnostics import Diagnostic
    from hlspart.model.expanding import ExpandOptions, ExpandResult
    from hlspart.model.exploring import ExploreOptions, ExploreResult
    from hlspart.model.linting import LintReport
    from hlspart.model.results import IIResult, InferResult, Validation
    from hlspart.model.rewriting import RewriteResult
    from hlspart.reuse import Reuse, Reused
    from hlspart.rewrite.driver import Rewrite
    from hlspart.targets import Target

Reader = Callable[[str], bytes]


class Pipeline:
    """All results about some files under some options. Raises TargetError from :attr:`target` only."""

    def __init__(self, paths: Sequence[str], options: Options, read: Reader | None = None) -> None:
        self.paths = tuple(paths)
        self.options = options
        self.reader = read
        self._known: list[Pipeline] = []  # those of transformed programs
        self._read: dict[tuple[tuple[str, str], ...], Pipeline] = {}  # those of other texts
        self._rewritten: dict[RewriteOptions, RewriteResult] = {}
        self._advised: dict[AdviceOptions, tuple[LoopAdvice, ...]] = {}

    @cached_property
    def program(self) -> Program:
        """The files as records, directives resolved."""
        from hlspart.frontend import load

        return load(self.paths, self.options.frontend, self.reader)

    @cached_property
    def analysis(self) -> AccessAnalysis:
        """Accesses, loops and array groups."""
        from hlspart.accesses import analyse

        return analyse(self.program, self.options.top)

    @cached_property
    def validation(self) -> Validation:
        """What became of every directive, and the partition of each group."""
        from hlspart.partition import validate

        return validate(self.program, self.analysis, self.options.bank_model, self.target.argument_storage)

    @cached_property
    def target(self) -> Target:
        """Tool, device and clock to predict for."""
        from hlspart.targets import load

        return load(self.options.target)

    @cached_property
    def ii(self) -> IIResult:
        """II, depth and latency of every loop; memories of every array."""
        return self.ii_under(self.validation, hints=True)

    @cached_property
    def figures(self) -> IIResult:
        """:attr:`ii` without the hints on what would help, which take longer than the figures."""
        return self.__dict__.get("ii") or self.ii_under(self.validation)

    def ii_under(self, validation: Validation, hints: bool = False) -> IIResult:
        """The prediction if the directives had this other effect."""
        from hlspart.predict import check

        return check(self.program, self.analysis, validation, self.target, self.options.bank_model, hints)

    def infer(self, options: InferOptions) -> InferResult:
        """The least partition that reaches the target II, as the check of its text has it; nothing gets slower."""
        from hlspart.infer import infer
        from hlspart.readback import Proposals

        if options.scheme == "reuse":
            from hlspart.reuse import proposed

            return proposed(self.reuse, options.arrays)
        known = self.figures if options.ports is None else None  # a prediction is not made again
        return infer(
            self.program, self.analysis, self.validation, self.target, options, Proposals(self, options),
            self.options.bank_model, known,
        )  # fmt: skip

    @cached_property
    def inferred(self) -> InferResult:
        """What inference proposes for the targets of the source."""
        return self.infer(InferOptions())

    def _inferred_at_once(self, arrays: tuple[str, ...]) -> InferResult | None:
        """What lint needs of the inference, for arrays of these names (none: all)."""
        from hlspart.infer import Inference

        options = InferOptions(arrays=arrays, scheme="pragma", sparing=True)
        return Inference(
            self.program, self.analysis, self.validation, self.target, options, self.options.bank_model, self.figures
        ).at_once()

    def lint(self, config: LintConfig | None = None, advised: bool = True) -> LintReport:
        """Findings of all rules; ``advised``: those on loops that miss their target name the first way."""
        from hlspart import lint

        loops = bool(self.program.loops)
        return lint.run(
            self.program, self.analysis, self.validation,
            self.figures if loops else None, self._inferred_at_once if loops else None, config,
            target=self.target, recheck=self.ii_under, expansions=self._expansions,
            advice=(lambda: self._sentences) if loops and advised else None,
        )  # fmt: skip

    @cached_property
    def _sentences(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """The kind of the first way of each loop, and the advice in a sentence."""
        files = shlex.join(self.paths)
        return {(x.function, x.name): (x.ways[0].kind, x.advised(files)) for x in self.advice}

    def fix(
        self,
        report: LintReport,
        config: LintConfig | None = None,
        unsafe: bool = False,
        only: Diagnostic | None = None,
    ) -> Fixed:
        """The fixes of ``report`` that hold, or that of ``only``, each proved on the changed text."""
        from hlspart.lint.fixes import fix

        def again(texts: Mapping[str, str]) -> tuple[LintReport, IIResult]:
            inner = self.with_texts(texts)
            return inner.lint(config, advised=False), inner.figures

        return fix(self.program, report, self.figures, again, unsafe, only)

    def advise(self, options: AdviceOptions) -> tuple[LoopAdvice, ...]:
        """The ways to a faster loop, ranked, of every pipelined loop."""
        from hlspart.advice import advise

        if options not in self._advised:
            self._advised[options] = advise(self, options)
        return self._advised[options]

    @cached_property
    def advice(self) -> tuple[LoopAdvice, ...]:
        """The ways of the loops that miss their target; nothing where these take long to find."""
        from hlspart.advice import first_ways

        return first_ways(self)

    def rewrite(self, options: RewriteOptions) -> RewriteResult:
        """Banked C or reuse buffers, as the text or, on request, the inference has it; nothing gets slower."""
        if options not in self._rewritten:
            self._rewritten[options] = self._rewrite(options)
        return self._rewritten[options]

    def _rewrite(self, options: RewriteOptions) -> RewriteResult:
        if options.style == "reuse":
            return self.reuse.asked.result
        if options.style == "interchange":
            return self.interchanged.result
        from hlspart.readback import cheapest, never_slower

        plain = never_slower(self, options, lambda asked: self.rewriting(asked).run())
        if not options.infer or options.style != "auto" or options.dialect != "c":
            return plain
        ways = [plain]
        if self.reuse.needed.nests:
            ways.append(self._and_then(self.reuse.needed, options))
        if options.reassoc and (split := self._interleaved()) is not None:
            ways.append(self._and_then(split, replace(options, reassoc=False)))
        if (swapped := self.interchanged).after is not None:
            ways.append(self._and_then(swapped, options))
        return cheapest(self, ways) if len(ways) > 1 else plain

    def _and_then(self, first: Reused, options: RewriteOptions) -> RewriteResult:
        """A rewrite of the text that ``first`` leaves, as one of this program."""
        from hlspart.rewrite.prepare import Preparation, texts_of
        from hlspart.transform.forward import by_place

        steps = texts_of(
            self.program, [Preparation(-1, frozenset(e for es in first.result.edits.values() for e in es))]
        )
        second = self.with_texts(first.result.files)
        forward = by_place(self.program, second.program, steps)
        rest = forward.result(self.program, forward.groups(self.analysis, second.analysis), second.rewrite(options))
        made = {name for names in first.buffers.values() for name in names}
        others = (o for o in rest.outcomes if not made & set(o.arrays))
        return replace(rest, outcomes=(*first.result.outcomes, *others))

    def _interleaved(self) -> Reused | None:
        """The text in which sums of floats that hold up a loop are taken in partials; None where nothing gains."""
        from hlspart.expand.interleave import MOST_MORE, accumulators, slowest, split
        from hlspart.reuse import changed

        found, best = accumulators(self.program, self.analysis, self.figures), None
        for more in range(MOST_MORE if found else 0):  # a condition is a state of the recurrence, too
            deeper = [replace(a, partials=a.partials + more) for a in found]
            edits = split(self.program, self.analysis, deeper)
            text = changed(self.program, self.figures, self.predict, edits) if edits else None
            if text is None or text.after is None:
                break
            if best is None or slowest(text.after) < slowest(best.after or text.after):
                best = text
            if slowest(text.after) == slowest(self.figures, aimed=True):
                break
        return best

    @cached_property
    def interchanged(self) -> Reused:
        """The text in which loops that a recurrence holds up have changed places with those around them."""
        from hlspart.expand.interchange import NestedLoops, interchanged, pairs
        from hlspart.expand.interleave import slowest
        from hlspart.reuse import changed

        taken: tuple[NestedLoops, ...] = ()
        best = changed(self.program, self.figures, self.predict, {})
        assert best is not None  # nothing changes
        for pair in pairs(self.program, self.analysis, self.figures):
            text = changed(self.program, self.figures, self.predict, interchanged(self.program, (*taken, pair)))
            if text is not None and slowest(text.after or self.figures) < slowest(best.after or self.figures):
                taken, best = (*taken, pair), text
        return best if taken else replace(best, after=None)

    @cached_property
    def reuse(self) -> Reuse:
        """The sliding windows of the program, and text with reuse buffers for them."""
        from hlspart.reuse import Reuse

        return Reuse(self.program, self.analysis, self.figures, self.predict)

    def rewriting(self, options: RewriteOptions) -> Rewrite:
        """The rewrite before it is run, which then has the programs that it looked at."""
        from hlspart.rewrite.driver import Rewrite

        return Rewrite(self, options)

    def with_program(self, program: Program) -> Pipeline:
        """The same options over a transformed program; this one where nothing is transformed."""
        if program is self.program:
            return self
        before = self.program.sources
        for known in self._known:  # a program is judged once, whoever made it
            same = known.program.loops.keys() == program.loops.keys()
            if same and known.program.sources == program.sources and known.program.directives == program.directives:
                return known
        changed = {path: s.text for path, s in program.sources.items() if s.text != before[path].text}
        second = Pipeline(self.paths, self.options, self.with_texts(changed).reader)
        second.program = program
        self._known.append(second)
        return second

    def sharing(self, options: BufferOptions) -> Shared:
        """On-chip arrays with disjoint lifetimes in shared memories, and the text that says so."""
        from hlspart.buffers import share

        return share(self.program, self.analysis, self.validation, self.target, self.figures, options, self.predict)

    def buffers(self, options: BufferOptions) -> Shared:
        """:meth:`sharing`, its text rewritten as usual."""
        shared = self.sharing(options)
        second = self.with_texts(shared.files) if shared.pools else self
        written = second.rewrite(RewriteOptions())
        shared = replace(shared, files=written.files, diagnostics=written.diagnostics, findings=written.findings)
        if not shared.pools:
            return shared
        last = self.with_texts(written.files).figures
        return replace(shared, bram18k=sum(a.bram18k for a in last.arrays))

    def expand(self, options: ExpandOptions, plan_only: bool = False, sweep: Sequence[int] = ()) -> ExpandResult:
        """Loop nests on several processing elements. Raises UnknownLoop."""
        from hlspart.expand import expand
        from hlspart.infer.emission import pragma_texts

        def banked(texts: Mapping[str, str]) -> Mapping[str, str]:
            second = self.with_texts(texts)
            return pragma_texts(second.program, second.infer(InferOptions(scheme="pragma")))

        return expand(
            self.program, self.analysis, self.validation, options, self.figures, self.predict, banked,
            self.options.top, plan_only, sweep,
        )  # fmt: skip

    def explore(self, top: str, options: ExploreOptions, told: Callable[[str], None] | None = None) -> ExploreResult:
        """The best tiles, elements and order for the nests of a function.

        ``told`` takes lines about how far the search is. Raises the errors of :mod:`hlspart.explore`.
        """
        from hlspart.explore.engine import Explorer
        from hlspart.infer.emission import pragma_texts

        def banked(texts: Mapping[str, str]) -> Mapping[str, str]:
            second = self.with_texts(texts)
            return pragma_texts(second.program, second.infer(InferOptions(scheme="pragma")))

        target = f"{self.target.tool} {self.target.part} {self.target.clock_ns}"
        wide = self.target.flow != "vitis"
        return Explorer(self.program, self.analysis, top, options, target, self.predict, banked, wide, told).explore()

    def _expansions(self) -> Sequence[Diagnostic]:
        """What is wrong with the pragmas of expansions."""
        if not any(p.expanded.lower().startswith("hlspart") for p in self.program.pragmas):
            return ()
        from hlspart.expand import faults

        return faults(self.program, self.analysis, self.options.top)

    def predict(self, texts: Mapping[str, str], directives: str = "", target: Target | None = None) -> IIResult:
        """The figures of the program with some files changed, with more ``directives`` (cfg), for another target."""
        sources = self.program.sources
        texts = {p: t for p, t in texts.items() if p not in sources or sources[p].text != t}
        if not texts and not directives and target is None:
            return self.figures
        text = self.with_texts(texts, directives)
        if target is not None:
            text = Pipeline(text.paths, text.options, text.reader)
            text.target = target
        return text.figures

    def with_texts(self, texts: Mapping[str, str], directives: str = "") -> Pipeline:
        """The same files and options, some files with another text, and more ``directives`` (cfg) beside them.

        A text is read once.
        """
        given, options = dict(texts), self.options
        if directives:
            frontend = options.frontend
            given["<proposed>.cfg"] = directives
            beside = (*frontend.directive_files, "<proposed>.cfg")
            options = replace(options, frontend=replace(frontend, directive_files=beside))

        def read(path: str) -> bytes:
            if path in given:
                return given[path].encode("utf-8", "surrogateescape")
            return self.reader(path) if self.reader is not None else read_file(path)

        return self._read.setdefault(tuple(sorted(given.items())), Pipeline(self.paths, options, read))


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its name for ``hlspart trace``, and the record that it leaves."""

    name: str
    what: str
    record: Callable[[Pipeline], object]


def _looked_at(pipeline: Pipeline) -> object:
    rewriting = pipeline.rewriting(RewriteOptions(infer=True))
    rewriting.run()
    return rewriting.trail


#: The way of a file through hlspart. Each stage is computed once, from those before it.
STAGES = (
    Stage("program", "the files as records, directives resolved", lambda p: p.program),
    Stage("accesses", "loops, array accesses, groups of arrays that calls tie together", lambda p: p.analysis),
    Stage("partitions", "what became of each directive, the layout of each group", lambda p: p.validation),
    Stage("ii", "II, depth, latency and limits of each loop; memories", lambda p: p.figures),
    Stage("inferred", "the least partitions for the target II", lambda p: p.infer(InferOptions())),
    Stage("transformed", "the programs that a rewrite as inferred looked at, and how they follow", _looked_at),
    Stage("rewritten", "fate of each group, banks, lines and text", lambda p: p.rewrite(RewriteOptions(infer=True))),
)
