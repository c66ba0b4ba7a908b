"""The order of a rewrite: what is transformed first, and whether the result is kept.

Inferred pragmas are added, then the groups are decided on; where a group is refused for what a small change of the
text mends, or a bank is constant only in an unrolled loop, the program is transformed and decided on anew.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Protocol, Self

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.frontend import unfolded
from hlspart.infer import emission
from hlspart.infer.emitted import is_cheap
from hlspart.layouts.layout import Layout
from hlspart.model.access import AccessAnalysis
from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions, Options, RewriteOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, Validation
from hlspart.model.rewriting import GroupOutcome, RewriteResult
from hlspart.model.source import Edit, SourceText, Span
from hlspart.partition import chosen_layout
from hlspart.rewrite.clones import Cloning, FunctionCopies, copied
from hlspart.rewrite.engine import rewrite, with_outcomes, with_reasons
from hlspart.rewrite.outcomes import outside
from hlspart.rewrite.places import placed_alike
from hlspart.rewrite.prepare import Preparation, preparations, refusals, texts_of, without
from hlspart.rewrite.structs import refused_later, splits
from hlspart.rewrite.unroll import copies, decided_by_unrolling, inside_pipelines, unrolled
from hlspart.rewrite.uses import Uses
from hlspart.targets import Target
from hlspart.transform.emit import emit
from hlspart.transform.forward import Forward, by_place, followed
from hlspart.transform.text import Rendered
from hlspart.transform.unroll import MOST_COPIES

SELECTIONS = 1_000  # of banks, at most, in a text that is looked at a second time


class Stages(Protocol):
    """What the rewrite asks of a pipeline: its stages, and the same ones of another program."""

    @property
    def options(self) -> Options: ...
    @property
    def program(self) -> Program: ...
    @property
    def proved(self) -> AccessAnalysis: ...
    @property
    def validation(self) -> Validation: ...
    @property
    def figures(self) -> IIResult: ...
    @property
    def pipelined(self) -> frozenset[int]: ...
    @property
    def target(self) -> Target: ...
    @property
    def reader(self) -> Callable[[str], bytes] | None: ...
    @property
    def inferred(self) -> InferResult: ...
    def infer(self, options: InferOptions) -> InferResult: ...
    def with_program(self, program: Program) -> Self: ...
    def with_texts(self, texts: Mapping[str, str]) -> Self: ...


class Transformed(Struct, frozen=True):
    """A program that the rewrite looked at, why, and how it follows from the one before."""

    what: str
    program: Program
    forward: Forward


#: A program that helps some groups, how it follows, and which groups those are; without what failed for others.
Way = Callable[[frozenset[int]], tuple[Stages, Forward, frozenset[int]] | None]


class Rewrite(Struct, frozen=True):
    """The rewrite of one program under some options. ``trail`` gets the programs that were looked at."""

    stages: Stages
    options: RewriteOptions
    trail: list[Transformed] = field(default_factory=list)

    @property
    def program(self) -> Program:
        """The program that is rewritten."""
        return self.stages.program

    @property
    def analysis(self) -> AccessAnalysis:
        """Its accesses."""
        return self.stages.proved

    def run(self) -> RewriteResult:
        """Banked C, with the partitions of the text or, on request, the inferred ones."""
        result = self._apart() if self.options.split_struct else self._chosen()
        return placed_alike(self.stages, result)

    def _chosen(self) -> RewriteResult:
        if self.options.infer:
            left = {name for name, _ in self.options.withheld}
            proposed = self._proposed(self.stages)
            arrays = tuple(a for a in proposed.arrays if a.name not in left and not a.unasked)
            return self.inferred(replace(proposed, arrays=arrays))
        return self.banked({})

    def _proposed(self, stages: Stages) -> InferResult:
        return stages.inferred if self.options.scheme == "auto" else stages.infer(InferOptions(scheme="any"))

    def with_pragmas(self, result: RewriteResult) -> RewriteResult:
        """``result`` with the pragmas alone that the inference adds to what it wrote."""
        if not is_cheap(result, SELECTIONS) or not any(o.status == "rewritten" for o in result.outcomes):
            return result
        second = self.stages.with_texts(result.files)
        again = Rewrite(second, self.options).inferred(self._proposed(second))
        if again.files == result.files or any(o.status == "rewritten" for o in again.outcomes):
            return result
        return followed(self.program, result, again)

    def _on(self, what: str, stages: Stages, forward: Forward, **options: object) -> Rewrite:
        """The rewrite of a transformed program."""
        self.trail.append(Transformed(what, stages.program, forward))
        return Rewrite(stages, replace(self.options, **options), self.trail)

    def inferred(self, inferred: InferResult) -> RewriteResult:
        """What pragmas can say is written as pragmas first; the other layouts go to the rewrite as they are."""
        layouts: dict[int, Layout] = {}
        for array in inferred.arrays:
            if not array.needs_rewrite:
                continue
            layout = chosen_layout(self.program, array)
            if layout is not None:
                layouts[self.analysis.group_of[array.variable]] = layout
        given = self.program.given
        elsewhere = [outside(self.program, self.analysis, a.variable) for a in inferred.arrays if a.fresh]
        lost = [outcome for outcome in elsewhere if outcome is not None and outcome.group not in layouts]
        program, forward = emit(self.program, emission.with_pragmas(self.program, inferred, given, True))
        second = self.stages.with_program(program)
        result = self._of_this(second, forward, self._on("inferred pragmas", second, forward).banked(layouts))
        return with_outcomes(self.program, result, lost)

    def banked(self, layouts: Mapping[int, Layout]) -> RewriteResult:
        """The partitions of the text and, by group, ``layouts`` that no pragma says.

        The port check is needed only to choose a style and to see which loops a tool unrolls.
        """
        generic = not self.stages.target.partition_directive
        partitioned = any(g.dims for g in self.stages.validation.groups.values())
        ii = self.stages.figures if (partitioned or layouts) and self.options.style == "auto" and not generic else None
        pipelined = self.stages.pipelined if partitioned or layouts else frozenset[int]()
        result = rewrite(
            self.program, self.analysis, self.stages.validation, self.options, ii, generic, layouts, pipelined
        )
        first = result
        for what, way in (("prepared", self._prepared(first)), ("functions copied", self._copied(first))):
            result, done = self._opened(layouts, result, what, way)
            if done:
                return result
        if result is not first:
            return result
        moved = ("rewritten", "kept")  # loads that share no call may share one when the inner loop is written out
        crossbar = frozenset(o.group for o in result.outcomes if o.status in moved and o.style == "crossbar")
        undecided = frozenset(o.group for o in result.outcomes if o.code == "dynamic-bank" and self.options.unroll)
        while True:  # without the loops of groups that unrolling does not help
            pipelines = crossbar and inside_pipelines(self.program, self.analysis, self.stages.pipelined, crossbar)
            wanted = tuple(pipelines or ())
            wanted += decided_by_unrolling(self.analysis, self.stages.validation, sorted(undecided))
            most = MOST_COPIES // copies(self.analysis, wanted) if pipelines else MOST_COPIES
            new, forward = unrolled(self.program, self.analysis, wanted if most else ())
            if new is self.program:
                return result
            new, placed = emit(self.program, new)
            second, forward = self.stages.with_program(new), forward.then(placed)
            if pipelines and self._more(second, forward, crossbar) > most:
                return result
            again = self._on("loops written out", second, forward, unroll=False).banked(
                self._layouts_of(second, forward, layouts)
            )
            groups = forward.groups(self.analysis, second.proved)
            left = frozenset(groups[g] for g in refusals(again))
            if not left & (undecided | crossbar):
                break
            undecided, crossbar = undecided - left, crossbar - left
        refused = [sum(o.status == "refused" for o in r.outcomes) for r in (result, again)]
        better = refused[1] <= refused[0] if crossbar else refused[1] < refused[0]
        better = better and any(o.status == "rewritten" for o in again.outcomes)
        return self._of_this(second, forward, again) if better else result

    def _more(self, second: Stages, forward: Forward, groups: Container[int]) -> int:
        """Copies of the loops around those written out, where the tool then pipelines one that is farther out."""
        there = forward.groups(self.analysis, second.proved)
        same = frozenset(new for new, old in there.items() if old in groups)
        return copies(second.proved, inside_pipelines(second.program, second.proved, second.pipelined, same))

    def _opened(
        self, layouts: Mapping[int, Layout], result: RewriteResult, what: str, way: Way
    ) -> tuple[RewriteResult, bool]:
        """The rewrite of a program with changes that let more groups through, and whether there are any."""
        tried: dict[int, GroupOutcome] = {}
        hopeless = frozenset[int]()
        while opened := way(hopeless):
            second, forward, helped = opened
            again = self._on(what, second, forward).banked(self._layouts_of(second, forward, layouts))
            again = self._of_this(second, forward, again)
            left = {o.group: o for o in again.outcomes if o.status in ("refused", "conflict")}
            failed = helped & left.keys()
            tried.update((group, left[group]) for group in failed)
            if not failed:
                return with_reasons(self.program, again, tried), True
            hopeless |= left.keys()
        return (with_reasons(self.program, result, tried) if tried else result), False

    def _prepared(self, result: RewriteResult) -> Way:
        """Small edits of the text."""

        def unfold(source: SourceText, spans: Iterable[Span]) -> tuple[Edit, ...]:
            return unfolded(source, spans, self.stages.options.frontend, self.stages.reader)

        wanted = preparations(self.program, self.analysis, result, unfold)

        def way(hopeless: frozenset[int]) -> tuple[Stages, Forward, frozenset[int]] | None:
            steps = without(wanted, hopeless)
            return (*self._reread(texts_of(self.program, steps)), _groups(steps)) if steps else None

        return way

    def _copied(self, result: RewriteResult) -> Way:
        """Copies of functions that are called with arrays of different partitions."""
        uses, groups = Uses(self.program), {g.id: g for g in self.analysis.groups}
        conflicts = (groups[o.group] for o in result.outcomes if o.status == "conflict" and self.options.clone)
        wanted = [step for group in conflicts for step in Cloning(self.program, uses, group).copies()]

        def way(hopeless: frozenset[int]) -> tuple[Stages, Forward, frozenset[int]] | None:
            steps = [step for step in wanted if step.group not in hopeless]
            if not steps:
                return None
            program, forward = copied(self.program, steps)
            program, placed = emit(self.program, program)
            return self.stages.with_program(program), forward.then(placed), _groups(steps)

        return way

    def _apart(self) -> RewriteResult:
        """Array members become arrays first; a member whose array is refused all the same stays where it is."""
        wanted, outcomes = splits(self.program)
        while True:
            second, forward = self._reread(
                texts_of(self.program, [Preparation(-1, frozenset(s.edits)) for s in wanted])
            )
            again = self._on("members of structures apart", second, forward)._chosen()
            refused = refusals(again)
            bad = {
                (v.function, v.name): refused[second.proved.group_of[v.id]]
                for v in second.program.arrays()
                if second.proved.group_of.get(v.id) in refused
            }
            failed = [split for split in wanted if (split.function, split.name) in bad]
            if not failed:
                return with_outcomes(self.program, self._of_this(second, forward, again), outcomes)
            outcomes += [refused_later(self.program, s, bad[s.function, s.name]) for s in failed]
            wanted = [split for split in wanted if split not in failed]

    def _of_this(self, second: Stages, forward: Forward, result: RewriteResult) -> RewriteResult:
        """A rewrite of a transformed program in places and groups of this one."""
        return forward.result(self.program, forward.groups(self.analysis, second.proved), result)

    def _layouts_of(self, second: Stages, forward: Forward, layouts: Mapping[int, Layout]) -> dict[int, Layout]:
        """Layouts by group of this program, by group of a transformed one."""
        groups = forward.groups(self.analysis, second.proved)
        return {new: layouts[old] for new, old in groups.items() if old in layouts}

    def _reread(self, texts: Mapping[str, Rendered]) -> tuple[Stages, Forward]:
        """The pipeline over edited texts."""
        second = self.stages.with_texts({path: text.new.text for path, text in texts.items()})
        return second, by_place(self.program, second.program, texts)


def _groups(steps: Iterable[Preparation | FunctionCopies]) -> frozenset[int]:
    return frozenset(step.group for step in steps)
