"""The story from paths and options to results: each stage computed once, when first asked for.

load -> analyse -> validate -> check -> infer / rewrite. Packages are imported when their stage
runs, so that a command pays only for what it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from hlspart.model.access import AccessAnalysis
from hlspart.model.options import BufferOptions, InferOptions, Options, RewriteOptions
from hlspart.model.program import Program, Variable
from hlspart.model.source import Edit, SourceText, Span
from hlspart.reading import read_file

if TYPE_CHECKING:
    from hlspart.layouts.layout import Layout
    from hlspart.lint import LintConfig
    from hlspart.lint.fixes import Fixed
    from hlspart.model.buffers import Shared
    from hlspart.model.diagnostics import Diagnostic
    from hlspart.model.expanding import ExpandOptions, ExpandResult
    from hlspart.model.linting import LintReport
    from hlspart.model.results import IIResult, InferResult, Validation
    from hlspart.model.rewriting import GroupOutcome, RewriteResult
    from hlspart.targets import Target

Reader = Callable[[str], bytes]


class Pipeline:
    """All results about some files under some options. Raises TargetError from :attr:`target` only."""

    def __init__(self, paths: Sequence[str], options: Options, read: Reader | None = None) -> None:
        self.paths = tuple(paths)
        self.options = options
        self.reader = read

    @cached_property
    def program(self) -> Program:
        """The files as records, directives resolved."""
        from hlspart.frontend import load

        return load(self.paths, self.options.frontend, self.reader)

    @cached_property
    def analysis(self) -> AccessAnalysis:
        """Accesses, loops and array groups."""
        from hlspart.poly import analyse

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
        from hlspart.schedule import check

        return check(self.program, self.analysis, validation, self.target, self.options.bank_model, hints)

    def infer(self, options: InferOptions) -> InferResult:
        """The least partition that reaches the target II; what needs the rewrite is promised as its text is checked."""
        from hlspart.infer import infer
        from hlspart.infer.demand import with_ports
        from hlspart.infer.emitted import cheap

        def write(inferred: InferResult) -> tuple[RewriteResult, IIResult | None]:
            written = self._rewrite_as(RewriteOptions(split_top=True), inferred)
            second = self.with_texts(written.files)
            if options.ports is not None:
                second.target = with_ports(self.target, options.ports)
            return written, second.figures if cheap(written) else None

        known = self.__dict__.get("ii") or self.__dict__.get("figures")  # a prediction is not made again
        return infer(
            self.program, self.analysis, self.validation, self.target, options, self.options.bank_model, known, write
        )  # fmt: skip

    def _inferred_at_once(self, arrays: tuple[str, ...]) -> InferResult | None:
        """What lint needs of the inference, for arrays of these names (none: all)."""
        from hlspart.infer import Inference

        options = InferOptions(arrays=arrays, scheme="pragma", sparing=True)
        return Inference(
            self.program, self.analysis, self.validation, self.target, options, self.options.bank_model, self.figures
        ).at_once()

    def lint(self, config: LintConfig | None = None) -> LintReport:
        """Findings of all rules."""
        from hlspart import lint

        loops = bool(self.program.loops)
        return lint.run(
            self.program, self.analysis, self.validation,
            self.figures if loops else None, self._inferred_at_once if loops else None, config,
            target=self.target, recheck=self.ii_under, expansions=self._expansions,
        )  # fmt: skip

    def fix(self, report: LintReport, config: LintConfig | None = None, unsafe: bool = False) -> Fixed:
        """The fixes of ``report`` that hold, each proved on the changed text."""
        from hlspart.lint.fixes import fix

        def again(texts: Mapping[str, str]) -> tuple[LintReport, IIResult]:
            inner = self.with_texts(texts)
            return inner.lint(config), inner.figures

        return fix(self.program, report, self.figures, again, unsafe)

    def rewrite(self, options: RewriteOptions) -> RewriteResult:
        """Banked C, with the partitions of the text or, on request, the inferred ones."""
        result = self._rewrite_split(options) if options.split_struct else self._rewrite_chosen(options)
        return self._placed_alike(result) if self.program.counted else result

    def _placed_alike(self, result: RewriteResult) -> RewriteResult:
        """``result``, or nothing of it where ``__LINE__``, ``__COUNTER__`` or asm would mean something else in it."""
        from hlspart.model.source import Origin
        from hlspart.rewrite.engine import withheld
        from hlspart.rewrite.plan import Refusal

        old, new = self.program.counted, [text for _, text in self.with_texts(result.files).program.counted]
        moved = next((at for k, (at, text) in enumerate(old) if new[k : k + 1] != [text]), None)
        if moved is None and len(old) == len(new):
            return result
        at = Origin(moved or old[0][0])
        word = self.program.text(at).partition("(")[0]
        return withheld(self.program, result, Refusal("place", f"the new text would change what '{word}' is here", at))

    def _rewrite_chosen(self, options: RewriteOptions) -> RewriteResult:
        if options.infer:
            return self._settled(options, self._rewrite_as(options, self.infer(InferOptions())))
        return self._rewrite(options, {})

    def _settled(self, options: RewriteOptions, result: RewriteResult) -> RewriteResult:
        """``result`` with the pragmas that the inference adds to what it wrote, so that a second run finds none."""
        from hlspart.infer.emitted import cheap
        from hlspart.rewrite.relocate import followed

        if not cheap(result, _WAYS) or not any(o.status == "rewritten" for o in result.outcomes):
            return result
        second = self.with_texts(result.files)
        again = second._rewrite_as(options, second.infer(InferOptions()))
        if again.files == result.files or any(o.status == "rewritten" for o in again.outcomes):
            return result
        return followed(self.program, result, again)

    def _rewrite_split(self, options: RewriteOptions) -> RewriteResult:
        """Array members become arrays first; a member whose array is refused all the same stays where it is."""
        from hlspart.rewrite.engine import with_outcomes
        from hlspart.rewrite.prepare import Step, of_original, refusals, texts_of
        from hlspart.rewrite.structs import refused_later, splits

        found, outcomes = splits(self.program)
        while True:
            texts = texts_of(self.program, [Step(-1, frozenset(split.edits)) for split in found])
            second = self.with_texts(texts)
            again = second._rewrite_chosen(options)
            bad = refusals(second.program, second.analysis, again)
            failed = [split for split in found if (split.function, split.name) in bad]
            if not failed:
                result = of_original(self.program, self.analysis, second.program, second.analysis, texts, again)
                return with_outcomes(self.program, result, outcomes)
            outcomes += [refused_later(self.program, s, bad[s.function, s.name]) for s in failed]
            found = [split for split in found if split not in failed]

    def _rewrite(self, options: RewriteOptions, layouts: Mapping[int, Layout]) -> RewriteResult:
        """The port check is needed only to choose a style and to see which loops a tool unrolls."""
        from hlspart.rewrite import rewrite
        from hlspart.rewrite.prepare import names_of, refusals
        from hlspart.rewrite.relocate import relocated
        from hlspart.rewrite.unroll import decided_by_unrolling, inside_pipelines, unrolled

        generic = not self.target.partition_directive
        partitioned = any(g.dims for g in self.validation.groups.values())
        ii = self.figures if (partitioned or layouts) and options.style == "auto" and not generic else None
        result = rewrite(self.program, self.analysis, self.validation, options, ii, generic, layouts)
        prepared = self._prepared(options, layouts, result)
        if prepared is not result:
            return prepared
        moved = ("rewritten", "kept")  # loads that share no call may share one when the inner loop is written out
        crossbar = frozenset(o.group for o in result.outcomes if o.status in moved and o.style == "crossbar")
        undecided = frozenset(o.group for o in result.outcomes if o.code == "dynamic-bank" and options.unroll)
        while True:  # without the loops of groups that unrolling does not help
            wanted = inside_pipelines(self.program, self.analysis, self.figures, crossbar) if crossbar else ()
            wanted += decided_by_unrolling(self.analysis, self.validation, sorted(undecided))
            texts = unrolled(self.program, self.analysis, wanted) if wanted else {}
            if not texts:
                return result
            second = self.with_texts(texts)
            again = second._rewrite(replace(options, unroll=False), _same_groups(self, second, layouts))
            bad = refusals(second.program, second.analysis, again)
            left = frozenset(g.id for g in self.analysis.groups if bad.keys() & names_of(self.program, g))
            if not left & (undecided | crossbar):
                break
            undecided, crossbar = undecided - left, crossbar - left
        refused = [sum(o.status == "refused" for o in r.outcomes) for r in (result, again)]
        better = refused[1] <= refused[0] if crossbar else refused[1] < refused[0]
        better = better and any(o.status == "rewritten" for o in again.outcomes)
        return relocated(self.program, texts, again) if better else result

    def _prepared(self, options: RewriteOptions, layouts: Mapping[int, Layout], result: RewriteResult) -> RewriteResult:
        """The rewrite of a text with small edits that let more groups through; ``result`` when there are none."""
        from hlspart.frontend import unfolded
        from hlspart.rewrite.engine import with_reasons
        from hlspart.rewrite.prepare import of_original, preparations, texts_of, without

        def unfold(source: SourceText, spans: Iterable[Span]) -> tuple[Edit, ...]:
            return unfolded(source, spans, self.options.frontend, self.reader)

        steps = preparations(self.program, self.analysis, result, unfold, options)
        tried: dict[int, GroupOutcome] = {}
        while steps:
            texts = texts_of(self.program, steps)
            second = self.with_texts(texts)
            again = second._rewrite(options, _same_groups(self, second, layouts))
            again = of_original(self.program, self.analysis, second.program, second.analysis, texts, again)
            left = {o.group: o for o in again.outcomes if o.status in ("refused", "conflict")}
            failed = frozenset(step.group for step in steps if step.group in left)
            tried.update((group, left[group]) for group in failed)
            if not failed:
                return with_reasons(self.program, again, tried)
            steps = without(steps, frozenset(left))
        return with_reasons(self.program, result, tried) if tried else result

    def _rewrite_as(self, options: RewriteOptions, inferred: InferResult) -> RewriteResult:
        """What pragmas can say is written as pragmas first; the other layouts go to the rewrite as they are."""
        from hlspart.infer import emission
        from hlspart.partition import chosen_layout
        from hlspart.rewrite.decide import outside
        from hlspart.rewrite.engine import with_outcomes
        from hlspart.rewrite.relocate import relocated

        layouts: dict[int, Layout] = {}
        for array in inferred.arrays:
            if not array.needs_rewrite:
                continue
            layout = chosen_layout(self.program, array)
            if layout is not None:
                layouts[self.analysis.group_of[array.variable]] = layout
        given = {unit.path for unit in self.program.units}
        texts = emission.pragma_texts(self.program, inferred)
        elsewhere = [outside(self.program, self.analysis, a.variable) for a in inferred.arrays if a.fresh]
        lost = [outcome for outcome in elsewhere if outcome is not None and outcome.group not in layouts]
        texts = {path: text for path, text in texts.items() if path in given}
        if not texts:
            return with_outcomes(self.program, self._rewrite(options, layouts), lost)
        result = relocated(self.program, texts, self.with_texts(texts)._rewrite(options, layouts))
        return with_outcomes(self.program, result, lost)

    def sharing(self, options: BufferOptions) -> Shared:
        """On-chip arrays with disjoint lifetimes in shared memories, and the text that says so."""
        from hlspart.buffers import share

        return share(self.program, self.analysis, self.validation, self.target, self.figures, options, self._predict)

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
            self.program, self.analysis, self.validation, options, self.figures, self._predict, banked,
            self.options.top, plan_only, sweep,
        )  # fmt: skip

    def _expansions(self) -> Sequence[Diagnostic]:
        """What is wrong with the pragmas of expansions."""
        if not any(p.expanded.lower().startswith("hlspart") for p in self.program.pragmas):
            return ()
        from hlspart.expand import faults

        return faults(self.program, self.analysis, self.options.top)

    def _predict(self, texts: Mapping[str, str]) -> IIResult:
        """The figures of the program with some files changed."""
        return self.with_texts(texts).figures

    def with_texts(self, texts: Mapping[str, str]) -> Pipeline:
        """The same files and options, some files with another text."""

        def read(path: str) -> bytes:
            if path in texts:
                return texts[path].encode("utf-8", "surrogateescape")
            return self.reader(path) if self.reader is not None else read_file(path)

        return Pipeline(self.paths, self.options, read)


_WAYS = 5_000  # of the widest selection in a text that is inferred a second time


def _same_groups(old: Pipeline, new: Pipeline, layouts: Mapping[int, Layout]) -> dict[int, Layout]:
    """``layouts`` by the group numbers of ``new``, whose text declares the same arrays, some of them several times."""
    known: dict[tuple[str | None, str], list[Variable]] = {}
    for variable in old.program.arrays():
        known.setdefault((variable.function, variable.name), []).append(variable)
    given: dict[tuple[str | None, str], list[Variable]] = {}
    for variable in new.program.arrays():
        given.setdefault((variable.function, variable.name), []).append(variable)
    found: dict[int, Layout] = {}
    for key, variables in given.items():
        before = known.get(key, [])
        for number, variable in enumerate(variables):
            same = before if len(before) != len(variables) else before[number : number + 1]
            of = {old.analysis.group_of.get(v.id, -1) for v in same if v.dims == variable.dims}
            layout = layouts.get(of.pop()) if len(of) == 1 else None
            if layout is not None and variable.id in new.analysis.group_of:
                found[new.analysis.group_of[variable.id]] = layout
    return found
