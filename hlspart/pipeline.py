"""The story from paths and options to results: each stage computed once, when first asked for.

load -> analyse -> validate -> check -> infer / rewrite. Packages are imported when their stage
runs, so that a command pays only for what it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hlspart.around import Around
from hlspart.model.access import AccessAnalysis
from hlspart.model.code import is_read_as
from hlspart.model.options import AdviceOptions, BufferOptions, InferOptions, Options, RewriteOptions
from hlspart.model.program import Program
from hlspart.reading import read_file

if TYPE_CHECKING:
    from hlspart.blocked.plan import LayoutPlan
    from hlspart.lint import LintConfig
    from hlspart.lint.fixes import Fixed
    from hlspart.model.advising import LoopAdvice
    from hlspart.model.blocked import Kind, Propagation
    from hlspart.model.buffers import Shared
    from hlspart.model.comparing import Comparison, Report
    from hlspart.model.diagnostics import Diagnostic
    from hlspart.model.expanding import ExpandOptions, ExpandResult
    from hlspart.model.explored import ExploreResult
    from hlspart.model.exploring import ExploreOptions
    from hlspart.model.inferred import InferredArray, InferResult
    from hlspart.model.linting import LintReport
    from hlspart.model.results import IIResult, Validation
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
        self._files, self._given = read, dict[str, str]()  # what is beneath the texts that stand in place of files
        self._known: list[Pipeline] = []  # those of transformed programs
        self._read: dict[tuple[Options, tuple[tuple[str, str], ...]], Pipeline] = {}  # of other texts; shared
        self._rewritten: dict[RewriteOptions, RewriteResult] = {}
        self._advised: dict[AdviceOptions, tuple[LoopAdvice, ...]] = {}

    @cached_property
    def program(self) -> Program:
        """The files as records, directives resolved."""
        from hlspart.frontend import load

        return load(self.paths, self.options.frontend, self.reader)

    @cached_property
    def top(self) -> str | None:
        """The top function that was asked for, as the program names it."""
        asked = self.options.top
        return None if asked is None else self.program.named(asked) or asked

    @cached_property
    def analysis(self) -> AccessAnalysis:
        """Accesses, loops and array groups."""
        from hlspart.accesses import analyse

        return analyse(self.program, self.top)

    @cached_property
    def proved(self) -> AccessAnalysis:
        """:attr:`analysis` of the code alone, which all that is written rests on."""
        from hlspart.accesses import proved

        return proved(self.program, self.top)

    @cached_property
    def apart(self) -> tuple[Program, AccessAnalysis]:
        """:attr:`program` with a variable for every member of a structure that is apart, and its accesses."""
        from hlspart.accesses import analyse
        from hlspart.predict import apart

        copy, _ = apart(self.program, self.analysis.tops, self.target)
        return (copy, self.analysis) if copy is self.program else (copy, analyse(copy, self.top))

    @cached_property
    def validation(self) -> Validation:
        """What became of every directive, and the partition of each group."""
        from hlspart.partition import validate
        from hlspart.predict import with_members, with_pipelines

        plain = validate(self.program, self.analysis, self.options.bank_model, self.target.argument_storage)
        members = with_members(self.program, self.analysis, plain, self.target)
        return with_pipelines(self.program, self.analysis, members, self.target)

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

    @cached_property
    def pipelined(self) -> frozenset[int]:
        """Ids of the loops that the tool pipelines: those of :attr:`figures`, at a fraction of its cost."""
        from hlspart.predict import pipelined

        return pipelined(self.program, self.analysis, self.validation, self.target)

    def ii_under(self, validation: Validation, hints: bool = False) -> IIResult:
        """The prediction if the directives had this other effect."""
        from hlspart.predict import check

        return check(self.program, self.analysis, validation, self.target, self.options.bank_model, hints)

    def compared(self, report: Report) -> Comparison:
        """The prediction and what a report says, loop by loop."""
        from hlspart.predict import called
        from hlspart.reports.compare import compare, functions_said

        wanted = functions_said(self.program, self.figures, report)
        more = called(self.program, self.analysis, self.target, wanted) if wanted else ()
        return compare(self.program, self.analysis, self.validation, self.figures, self.target, report, more)

    def infer(self, options: InferOptions) -> InferResult:
        """The least partition that reaches the target II, as the check of its text has it; nothing gets slower."""
        from hlspart.infer import infer
        from hlspart.readback import Proposals

        if options.scheme == "reuse":
            from hlspart.reuse import proposed

            return proposed(self.reuse, options.arrays)
        return infer(
            self.program, self.analysis, self.validation, self.target, options, Proposals(self, options),
            self.options.bank_model, self.figures,
        )  # fmt: skip

    def annotated(self, result: InferResult) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
        """The texts with the pragmas of an inference, or why they stay as they are."""
        from hlspart.infer.emission import pragma_texts

        return self._in_place(pragma_texts(self.program, result))

    def _in_place(self, texts: Mapping[str, str]) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
        """Texts to hand out; those that they replace, and why, where a place would mean something else in them."""
        from hlspart.rewrite.places import kept_places

        return kept_places(self, texts)

    @cached_property
    def inferred(self) -> InferResult:
        """What inference proposes for the targets of the source."""
        return self.infer(InferOptions())

    def _inferred_at_once(self, arrays: tuple[str, ...]) -> InferResult | None:
        """What lint needs of the inference, for arrays of these names (none: all)."""
        from hlspart.infer import at_once

        options = InferOptions(arrays=arrays, scheme="pragma", sparing=True)
        return at_once(
            self.program, self.analysis, self.validation, self.target, options, self.options.bank_model, self.figures
        )

    def lint(self, config: LintConfig | None = None) -> LintReport:
        """Findings of all rules."""
        from hlspart import lint
        from hlspart.render import screen

        figures, infer = (self.figures, self._inferred_at_once) if self.program.loops else (None, None)
        report = lint.run(
            self.program, self.analysis, self.validation, figures, infer, config,
            target=self.target, recheck=self.ii_under, expansions=self._expansions,
            defined=frozenset(d.partition("=")[0] for d in self.options.frontend.defines),
            device=self.options.target.part is not None, around=self.around,
        )  # fmt: skip
        return lint.with_ways(report, self, screen.named(self.paths)) if config and config.ways else report

    @cached_property
    def around(self) -> Around:
        """The files around those that are given."""
        return Around(self.paths, frozenset(self.program.sources), self.reader or read_file)

    def fix(
        self, report: LintReport, config: LintConfig | None = None, unsafe: bool = False, only: Diagnostic | None = None
    ) -> Fixed:
        """The fixes of ``report`` that hold, or that of ``only``, each proved on the changed text."""
        from hlspart.lint.fixes import fix
        from hlspart.rewrite.places import moved_place

        def again(texts: Mapping[str, str]) -> tuple[LintReport, IIResult, str | None]:
            inner, moved = self.with_texts(texts), moved_place(self, texts)
            return inner.lint(config), inner.figures, None if moved is None else moved.reason

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
        if not any(x.pipelined and x.may_miss for x in self.figures.loops):
            return ()
        from hlspart.advice import first_ways

        return first_ways(self)

    def rewrite(self, options: RewriteOptions) -> RewriteResult:
        """Banked C or reuse buffers, as the text or, on request, the inference has it; nothing gets slower."""
        from hlspart.ways import rewritten

        if options not in self._rewritten:
            self._rewritten[options] = rewritten(self, options)
        return self._rewritten[options]

    @cached_property
    def interchanged(self) -> Reused:
        """The text in which loops that a recurrence holds up have changed places with those around them."""
        from hlspart.single import interchanged

        return interchanged(self)

    @cached_property
    def scalar_replaced(self) -> Reused:
        """The text in which loops that wait for the memory hand values on in variables."""
        from hlspart.single import scalar_replaced

        return scalar_replaced(self)

    @cached_property
    def dependences_stated(self) -> Reused:
        """The text with directives that say how far apart iterations meet, where the tool cannot see it."""
        from hlspart.single import dependences_stated

        return dependences_stated(self)

    @cached_property
    def bundled(self) -> Reused:
        """The text with bundles of their own for arguments that wait for each other at one."""
        from hlspart.single import bundled

        return bundled(self)

    @cached_property
    def reuse(self) -> Reuse:
        """The sliding windows of the program, and text with reuse buffers for them."""
        from hlspart.reuse import Reuse

        return Reuse(self.program, self.proved, self.figures, self.predict)

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
        given = {**self._given, **{path: s.text for path, s in program.sources.items() if s.text != before[path].text}}
        read = self._read.get((self.options, tuple(sorted(given.items()))))
        if read is not None and is_read_as(read.program, program):
            return read  # from its own text, as the prediction of a proposal did
        second = self._reading(given, self.options)
        second.program = program
        self._known.append(second)
        return second

    def sharing(self, options: BufferOptions) -> Shared:
        """On-chip arrays with disjoint lifetimes in shared memories, and the text that says so."""
        from hlspart.buffers import share

        return share(self.program, self.proved, self.validation, self.target, self.figures, options, self.predict)

    def buffers(self, options: BufferOptions) -> Shared:
        """:meth:`sharing`, its text rewritten as usual."""
        shared = self.sharing(options)
        written = self.with_texts(shared.files).rewrite(RewriteOptions())
        files, said = self._in_place(written.files)
        shared = replace(shared, files=files, diagnostics=said + written.diagnostics, findings=written.findings)
        if not shared.pools:
            return shared
        return replace(shared, bram18k=sum(a.bram18k for a in self.with_texts(files).figures.arrays))

    def expand(self, options: ExpandOptions, plan_only: bool = False, sweep: Sequence[int] = ()) -> ExpandResult:
        """Loop nests on several processing elements. Raises UnknownLoop."""
        from hlspart.expand import expand, unwritten

        result = expand(
            self.program, self.proved, self.validation, options, self.figures, self.predict, self._inferred_for,
            self.top, plan_only, sweep,
        )  # fmt: skip
        _, said = self._in_place(result.files)
        return unwritten(self.program, result, said) if said else result

    def layout(
        self, top: str, interface: Mapping[str, Kind], plan: LayoutPlan | None = None
    ) -> tuple[Propagation, dict[str, str] | Diagnostic]:
        """Blocked layouts in a function with the least conversions, and the text that has them or why there is none."""
        from hlspart.blocked import propagate

        propagation, texts = propagate(self.program, self.proved, top, interface, plan)
        _, said = self._in_place(texts if isinstance(texts, dict) else {})
        return propagation, said[0] if said else texts

    def explore(
        self, top: str, options: ExploreOptions, progress: Callable[[str], None] | None = None
    ) -> ExploreResult:
        """The best tiles, elements and order for the nests of a function. Raises the errors of ``hlspart.explore``."""
        from hlspart.explore.engine import explore

        result = explore(
            self.program, self.proved, top, options, self.target, self.predict,
            lambda texts: self._inferred_for(texts)[0], progress,
        )  # fmt: skip
        texts, said = self._in_place(result.texts)
        return replace(result, texts=texts, diagnostics=(*result.diagnostics, *said))

    def _inferred_for(self, texts: Mapping[str, str]) -> tuple[Mapping[str, str], Sequence[InferredArray]]:
        """The files of these texts that get banks by inference, and what is inferred for their arrays."""
        from hlspart.infer.emission import pragma_texts

        second = self.with_texts(texts)
        result = second.infer(InferOptions(scheme="pragma"))
        return pragma_texts(second.program, result), result.arrays

    def _expansions(self) -> Sequence[Diagnostic]:
        """What is wrong with the pragmas of expansions."""
        if not any(p.expanded.lower().startswith("hlspart") for p in self.program.pragmas):
            return ()
        from hlspart.expand import faults

        return faults(self.program, self.analysis, self.top)

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

        A text is read once, whichever text it is the next one of.
        """
        sources = self.program.sources
        if not directives and all(path in sources and sources[path].text == text for path, text in texts.items()):
            return self
        given, options = {**self._given, **texts}, self.options
        if directives:
            given["<proposed>.cfg"] = directives
            beside = (*options.frontend.directive_files, "<proposed>.cfg")
            options = replace(options, frontend=replace(options.frontend, directive_files=beside))
        asked = options, tuple(sorted(given.items()))
        if asked not in self._read:
            self._read[asked] = self._reading(given, options)
        return self._read[asked]

    def _reading(self, given: dict[str, str], options: Options) -> Pipeline:
        """The same files, but for those of ``given``."""
        files = self._files

        def read(path: str) -> bytes:
            if path in given:
                return given[path].encode("utf-8", "surrogateescape")
            return files(path) if files is not None else read_file(path)

        second = Pipeline(self.paths, options, read)
        second._files, second._given, second._read = files, given, self._read
        return second
