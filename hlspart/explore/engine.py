"""The whole of ``hlspart explore``: what is searched, the search, the choice, and its C."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from hlspart.explore import farm, report
from hlspart.explore.errors import FixError, LateError
from hlspart.explore.front import chained, fastest
from hlspart.explore.measured import Banked, Predict
from hlspart.explore.planning import MODEL, SearchedNest, SearchPlan
from hlspart.explore.readback import READ_BACK, UNREAD, Selection, Within, WrittenChoice, select
from hlspart.explore.requests import fault, finding
from hlspart.explore.search import RESOURCES, SearchProblem, Task, collect, tasks
from hlspart.explore.store import Store, Templates, digest
from hlspart.explore.timely import latest
from hlspart.explore.watch import Progress, Watch
from hlspart.model.access import AccessAnalysis
from hlspart.model.explored import Combined, Explored, ExploreResult
from hlspart.model.exploring import ExploreOptions, StepPipeline
from hlspart.model.program import Program
from hlspart.targets import Target
from hlspart.version import __version__


def explore(
    program: Program, analysis: AccessAnalysis, top: str, options: ExploreOptions, target: Target,
    predict: Predict, banked: Banked, progress: Progress | None = None,
) -> ExploreResult:  # fmt: skip
    """The best of one top function. Raises :class:`ExploreError`."""

    def by(pipeline: StepPipeline, seconds: float | None) -> ExploreResult:
        apart = options.state is not None and pipeline != options.pipeline
        folder = f"{options.state}/{pipeline}" if apart else options.state
        asked = replace(options, pipeline=pipeline, seconds=seconds, state=folder)
        explorer = Explorer(program, analysis, top, asked, target, predict, banked, progress)
        result = explorer.explore()
        if result.fits or not explorer.plan.holds or options.plan_only:
            return result
        # what the nests of a region share does not fit beside their tiles
        asked = replace(asked, state=None if asked.state is None else f"{asked.state}/apart")
        each = Explorer(program, analysis, top, asked, target, predict, banked, progress, hold=False)
        second = each.explore()
        if not second.fits:
            return result
        diagnostic = finding(program, each.plan.function.at, "")
        text = "what the nests of a region share does not fit on the chip, so each nest loads its own"
        said = replace(diagnostic, rule="explore-apart", name="explore-apart", severity="warning", message=text)
        return replace(second, diagnostics=(*second.diagnostics, said))

    if options.pipeline != "auto":
        return by(options.pipeline, options.seconds)
    start, half = time.monotonic(), None if options.seconds is None else options.seconds / 2
    first = by("pingpong", half)
    try:
        left = None if options.seconds is None else options.seconds - (time.monotonic() - start)
        second = by("dataflow", left)
    except FixError:  # a nest that is no DATAFLOW region
        return first
    return second if _worth(second, options) < _worth(first, options) else first


def _worth(result: ExploreResult, options: ExploreOptions) -> tuple[float, ...]:
    """By the objective, the less the better."""
    best = result.shape.get("best")
    if best is None:
        return (math.inf,)
    cycles, size = best["cycles"], best["bytes"]
    first = {"latency": cycles, "bytes": size, "dsp": best["dsp"], "bram": best["bram18k"] or 0}
    return first.get(options.objective, cycles * max(1, size)), cycles, size


class Explorer:
    """One top function. Raises :class:`RequestFileError`."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, top: str, options: ExploreOptions, target: Target,
        predict: Predict, banked: Banked, progress: Progress | None = None, hold: bool = True,
    ) -> None:  # fmt: skip
        """``progress``: takes lines about how far the search is. Its time begins here."""
        self.options, self.progress = options, progress
        #: Of the monotonic clock, by when it ends with what it has.
        self.until = None if options.seconds is None else time.monotonic() + options.seconds
        self.plan = SearchPlan(program, analysis, top, options, target, predict, banked, hold)

    @property
    def share(self) -> bool:
        """Whether nests take turns in one memory: in figures; in C every nest has arrays of its own."""
        return self.options.share and not self._reads_back

    @property
    def _reads_back(self) -> bool:
        asked = self.options.write or self.options.schedule or self.options.objective == "bram"
        return asked or bool(self.options.budget.of_c)

    def explore(self) -> ExploreResult:
        """Raises :class:`FixError`, :class:`StateError`, :class:`FarmError`."""
        plan = self.plan
        if plan.asked.wrong:
            return ExploreResult({}, tuple(plan.diagnostics), {}, False)
        regions = plan.searched(self.until)
        view = report.View(
            plan.program, plan.function, replace(self.options, share=self.share), plan.layers, plan.nests,
            plan.regions, regions, plan.at_once(regions),
        )  # fmt: skip
        if self.options.plan_only or not regions:
            return ExploreResult(view.plan(), tuple(plan.diagnostics), {}, bool(regions))
        own = [r for r in regions if r.same_as is None]
        spaces = tuple(r.space for r in own)
        resident, given = self._resident(regions), self.options.budget
        budget = replace(given, **{
            name: max(0, most - resident[r])
            for r, name in (("bytes", "size"), ("bram18k", "bram18k"))
            if (most := getattr(given, name)) is not None
        })  # fmt: skip
        planned = list(tasks(spaces, self.options.off_chip, self.options.limit))
        problem = SearchProblem(spaces, self.options.off_chip, budget)
        searched = self._search(problem, planned, [r.key for r in own])
        results: dict[int, Explored] = {}
        for number, region in enumerate(regions):
            if region.same_as is not None:
                results[number] = results[region.same_as]
                continue
            at = own.index(region)
            one = collect(at, region.space, self.options.off_chip, budget, searched, planned)
            # arrays that stay anyway are part of what is needed, and of what there is
            failures = tuple(
                replace(f, need=f.need + resident.get(f.resource, 0), have=dict(zip(RESOURCES, given.limits[1:],
                        strict=True))[f.resource] or 0) for f in one.failures
            )  # fmt: skip
            results[number] = replace(one, failures=failures)
        fronts = [results[k].front for k in range(len(regions))]
        called = [k if r.functions_of is None else r.functions_of for k, r in enumerate(regions)]
        groups = view.at_once
        merged: tuple[Combined, ...] = ()
        if all(fronts) and self.options.objective == "latency" and not self.options.pareto:
            merged = fastest(READ_BACK, fronts, self.share, budget, called, groups)
        elif all(fronts):
            merged = chained(fronts, self.share, budget, called, groups)
        selection = self._choice(
            regions, merged, groups, lambda most: chained(fronts, self.share, budget, called, groups, most)
        )
        plan.diagnostics += selection.diagnostics
        best = selection.best
        known = not any(r.written.nest.least for r in regions)
        proved = best is not None and known and all(e.complete for e in results.values()) and selection.proved
        shape = view.searched(results, merged, selection, proved, self._least(regions, results, resident, groups))
        shape["resident_bytes"] = resident["bytes"]
        self._beside_source(shape["best"], selection)
        return ExploreResult(shape, tuple(plan.diagnostics), {} if best is None else best.texts, best is not None)

    def _beside_source(self, best: dict[str, Any] | None, selection: Selection) -> None:
        """What the function takes as it is, all its arrays on the chip; C that takes more is told, and C unread."""
        if best is None or selection.best is None:
            return
        plan, back = self.plan, selection.best.back
        best["source_cycles"], takes = selection.source_cycles, best["schedule_cycles"]
        rule = text = ""
        if back == UNREAD:
            rule, text = "explore-unread", f"{UNREAD.cause}: its figures are the model's"
        elif selection.source_cycles is not None and takes is not None and takes > selection.source_cycles:
            as_is = f"{plan.function.name} as it is {selection.source_cycles}"
            rule, text = "explore-slower", f"the C takes {takes} cycles with its moves, {as_is} without any"
        elif selection.best.far:
            rule, text = "explore-far", f"by `ii` the C takes up to {takes} cycles, its model {best['model_cycles']}"
        if text:
            diagnostic = finding(plan.program, plan.function.at, "")
            plan.diagnostics.append(replace(diagnostic, rule=rule, name=rule, severity="warning", message=text))

    def _resident(self, regions: Sequence[SearchedNest]) -> dict[str, int]:
        """Bytes, and blocks of BRAM where they count, of arrays that stay on the chip anyway."""
        sizes = dict[int, int]()
        for operand, window in (
            (o, w) for r in regions for o, w in zip(r.written.nest.operands, r.written.windows, strict=True)
        ):
            array = window.variable
            for v in map(self.plan.program.variable, self.plan.calls.roots.get(array.id, {array.id})):
                if (v.storage in ("local", "static") or operand.in_place) and not operand.private:
                    sizes[v.id] = operand.element_bytes * report.words(v.dims)
        plan, blocks = self.plan, 0
        if plan.memories is not None:
            known = latest(lambda: iter([sum(a.bram18k for a in plan.predict({}).arrays)]), self.until).value
            if known is None:
                place = finding(plan.program, plan.function.at, "").place
                text = "the blocks of BRAM of its arrays were not known yet when --time-limit ended"
                raise LateError(fault(place, text, "explore-late"))
            arrays = {a.variable.id: a for r in regions for a in r.written.held}.values()
            blocks = known + sum(plan.memories.blocks(a.words, 8 * a.element_bytes) for a in arrays)
        return {"bytes": sum(sizes.values()), "bram18k": blocks}

    def _search(
        self, problem: SearchProblem, planned: Sequence[Task], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        space = {"regions": list(keys), "tasks": len(planned), "version": __version__, "model": MODEL}
        store, templates = Store(self.options.state, space, self.options.resume), Templates(self.options.state)
        names = [digest({"nest": key, "budget": asdict(problem.budget)})[:16] for key in keys]
        wanted = {t.key for t in planned}.difference(store.done)
        alike = [r for k, name in enumerate(names) for r in templates.known(k, name) if r["task"] in wanted]
        store.add(alike)
        if alike and self.progress is not None:
            self.progress(f"{len(alike)} of {len(planned)} tasks reused from nests of earlier searches that are alike")
        left = [t for t in planned if t.key not in store.done]
        watch = Watch(problem, planned, self.progress)
        watch.take(list(store.done.values()))

        def done(records: list[dict[str, Any]]) -> None:
            store.add(records)
            watch.take(records)

        until = self.until
        if until is not None and self._reads_back:  # half of what is left is for the C
            until -= (until - time.monotonic()) / 2
        try:
            farm.run(problem, left, done, self.options.jobs, self.options.cluster, until)
        finally:
            store.close()
        for k, name in enumerate(names):
            own = [t.key for t in planned if t.nest == k]
            if all(key in store.done for key in own):
                templates.keep(name, (store.done[key] for key in own))
        # a record crosses the disk or a network: the same plain values with and without
        return {key: report.plain(record) for key, record in store.done.items()}

    def _least(self, regions: Sequence[SearchedNest], results: Mapping[int, Explored],
               resident: Mapping[str, int], groups: Sequence[Sequence[int]]) -> dict[str, int]:  # fmt: skip
        """The least of each resource with which anything fits."""
        least = {}
        for resource in RESOURCES:
            once = resource == "dsp"  # functions that several nests call are there once
            asked = [k for k, r in enumerate(regions) if r.functions_of is None or not once]
            values = [
                sum(results[k].least[resource] for k in group if k in asked)
                for group in groups
                if any(k in asked and resource in results[k].least for k in group)
            ]
            if values:
                shared = resource == "bytes" and self.share
                least[resource] = (max(values) if shared else sum(values)) + resident.get(resource, 0)
        return least

    # -------------------------------------------------------------------------------- choice

    def _choice(
        self, regions: Sequence[SearchedNest], merged: Sequence[Combined], groups: Sequence[Sequence[int]],
        within: Within,
    ) -> Selection:  # fmt: skip
        """The best whole by the objective."""
        ranked = sorted(merged, key=self._rank)
        if not self._reads_back:
            return Selection(WrittenChoice(ranked[0], {}, [], None) if ranked else None)
        return select(self.plan, regions, ranked, groups, self.until, within)

    def _rank(self, c: Combined) -> tuple[Any, ...]:
        first: dict[str, tuple[int, ...]] = {
            "latency": (), "bytes": (c.size,), "dsp": (c.dsp,), "bram": (c.bram18k or 0,),
            "area-delay": (c.cycles * max(1, c.size),),
        }  # fmt: skip
        return (*first[self.options.objective], *c.key)
