"""The whole of ``hlspart expand``: regions judged, the cheapest form of each chosen by prediction, texts, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hlspart.expand import banks
from hlspart.expand.engine import PLAIN, Engine, RegionPlan
from hlspart.expand.report import diagnostics, slices
from hlspart.expand.requests import requests
from hlspart.infer.emission import pragma_edits
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.expanding import ExpandOptions, ExpandResult, Expansion, Figures, Form, Request
from hlspart.model.program import Loop, Program, ScalarType, walk_statements
from hlspart.model.results import IIResult, LoopResult, Validation
from hlspart.model.source import Edit, apply_edits
from hlspart.semantics.effects import in_hardware
from hlspart.transform.lines import line_runs

#: Changed texts -> their prediction.
Predict = Callable[[Mapping[str, str]], IIResult]
#: Changed texts -> those that get banks by inference, with them.
Infer = Callable[[Mapping[str, str]], Mapping[str, str]]


@dataclass(frozen=True)
class _Choice:
    form: Form
    plan: RegionPlan
    edits: tuple[Edit, ...]
    wanted: tuple[banks.Wanted, ...]
    figures: Figures | None


class _Expander:
    def __init__(
        self, program: Program, analysis: AccessAnalysis, validation: Validation, options: ExpandOptions,
        before: IIResult, predict: Predict, infer: Infer, top: str | None,
    ) -> None:  # fmt: skip
        self.infer = infer
        self.program, self.analysis, self.validation = program, analysis, validation
        self.options, self.before, self.predict, self.top = options, before, predict, top

    def region(self, request: Request) -> _Choice:
        """The best form of one region. Ports of external memory are staged: they have no banks."""
        external = self._external(request)
        if external and not request.stage:
            staged = self.region(replace(request, stage=external))
            if staged.plan.edit is not None:
                return staged
        first = self._written(request, PLAIN)
        alone = len(request.loops) == 1 and request.maps[0] == "cyclic"
        uneven = first.plan.expansion.remainder == "guard" or first.plan.expansion.judgement.code == "uneven"
        choices = [first]
        if uneven and alone and request.remainder in ("auto", "peel"):
            tail = self._written(request, Form(peel=True))
            if tail.plan.edit is not None:
                choices = [tail] if request.remainder == "peel" or first.plan.edit is None else [first, tail]
        if choices[0].plan.edit is None:
            return first
        choice = self._interleaved(request, min(choices, key=_cost))
        return self._pipelined(request, choice)

    def _external(self, request: Request) -> tuple[str, ...]:
        """m_axi arrays that the region touches."""
        ports = {a.variable for a in self.before.arrays if a.storage == "m_axi"}
        loop = self.program.loops[request.loops[0]]
        inside = (a for a in self.analysis.accesses if loop.id in a.loops and a.array in ports)
        return tuple(dict.fromkeys(self.program.variable(a.array).name for a in inside))

    def _written(self, request: Request, form: Form) -> _Choice:
        if isinstance(request.interleave, int):
            form = replace(form, interleave=request.interleave)
        engine = Engine(self.program, self.analysis, self.top, self.validation)
        plan = engine.plan(request, form, self.options.capacity)
        if plan.edit is None or plan.region is None or plan.expansion.placement is None:
            return _Choice(form, plan, (), (), None)
        done = plan.expansion
        own = frozenset(p.variable for p in done.judgement.private)
        wanted: tuple[banks.Wanted, ...] = ()
        lockstep = request.order == "time-space"
        if self.options.partition == "rule" and done.placement is not None and lockstep:
            reduced = frozenset(r.variable for r in done.judgement.reductions)
            staged = frozenset(v.id for v in self.program.variables if v.name in request.stage)
            skip = own | reduced | staged
            found = banks.wanted(plan.region, done.placement, request.maps, skip, self.validation)
            wanted = tuple(found)
        edits = (*plan.edits, *self._pragmas(plan, wanted))
        figures = self.figures(request, edits, plan)
        if any(w.type != "none" for w in wanted):
            bare = self.figures(request, plan.edits, plan)
            if _worse(figures, bare):
                none = tuple(replace(w, type="none", reason="the loop is no faster with its banks") for w in wanted)
                return _Choice(form, plan, plan.edits, none, bare)
            fewer = tuple(map(_halved, wanted))  # a memory has two ports: half as many banks may do
            if fewer != wanted:
                less = (*plan.edits, *self._pragmas(plan, fewer))
                cheap = self.figures(request, less, plan)
                if (cheap.after, cheap.ii_after) == (figures.after, figures.ii_after) and cheap.after is not None:
                    return _Choice(form, plan, less, fewer, cheap)
        return _Choice(form, plan, edits, wanted, figures)

    def _interleaved(self, request: Request, choice: _Choice) -> _Choice:
        """Partials several deep, where the sum of floats alone holds up the pipeline."""
        done = choice.plan.expansion
        floats = [
            r for r in done.judgement.reductions
            if not r.whole and self._element(r.variable) in ("float", "fixed")
        ]  # fmt: skip
        slow = choice.figures.ii_after if choice.figures is not None else None
        if request.interleave != "auto" or not floats or slow is None or slow < 2:
            return choice
        return self._better(request, choice, replace(choice.form, interleave=slow))

    def _pipelined(self, request: Request, choice: _Choice) -> _Choice:
        """With a PIPELINE where the tool pipelined by itself and unrolled the loops inside, where that is faster."""
        auto = {r.loop: r.ii for r in self.before.loops if r.origin == "auto" and self._inside(request, r)}
        around = {
            k: ii for k, ii in auto.items()
            if ii is not None and any(isinstance(s, Loop) for s in walk_statements(self.program.loops[k].body))
        }  # fmt: skip
        if not around or request.order != "time-space":
            return choice
        better = self._better(request, choice, replace(choice.form, pipelined=around))
        reached = better.figures.ii_after if better is not choice and better.figures is not None else None
        if reached is None or reached <= max(around.values()):
            return better
        # Some ports of the elements are shared: the pragma says what is reached.
        return self._better(request, choice, replace(choice.form, pipelined=dict.fromkeys(around, reached)))

    def _better(self, request: Request, choice: _Choice, form: Form) -> _Choice:
        """The region in another form, if that costs less."""
        other = self._written(request, form)
        return choice if other.plan.edit is None or _cost(other) >= _cost(choice) else other

    def _element(self, variable: int) -> str:
        kind = self.program.variable(variable).type
        kind = getattr(kind, "element", getattr(kind, "target", kind))
        return kind.kind if isinstance(kind, ScalarType) else ""

    def _pragmas(self, plan: RegionPlan, wanted: Sequence[banks.Wanted]) -> tuple[Edit, ...]:
        assert plan.region is not None
        from hlspart.model.results import InferResult

        return pragma_edits(self.program, InferResult(tuple(banks.as_inferred(plan.region, wanted)), ()))

    def texts(self, edits: Sequence[Edit]) -> dict[str, str]:
        """New texts of the files that edits change, with banks by inference where the options want that."""
        by_path: dict[str, list[Edit]] = {}
        for edit in dict.fromkeys(edits):
            by_path.setdefault(edit.span.path, []).append(edit)
        texts = {path: apply_edits(self.program.sources[path], found) for path, found in by_path.items()}
        return texts | dict(self.infer(texts)) if texts and self.options.partition == "infer" else texts

    # ------------------------------------------------------------------------------- figures

    def figures(self, request: Request, edits: Sequence[Edit], plan: RegionPlan) -> Figures:
        """What the prediction says of the function before and after."""
        after = self.predict(self.texts(edits))
        name = request.function
        whole = _latency(self.before, name), _latency(after, name)
        loop = self._loop_result(request)
        region = loop.latency.exact if loop is not None and loop.latency is not None else None
        cycles: tuple[int | None, int | None] = whole
        if region is not None and whole[0] is not None and whole[1] is not None:
            cycles = region, max(1, whole[1] - (whole[0] - region))
        inner_before = [r for r in self.before.loops if self._inside(request, r)]
        lines = self._lines_after(edits, plan)
        inner_after = [r for r in after.loops if r.function == name and lines[0] <= r.line <= lines[1]]
        ii = _slowest(inner_before), _slowest(inner_after)
        placement = plan.expansion.placement
        ideal = None
        trips = [i.trip_count.exact for i in plan.region.infos] if plan.region is not None else []
        if cycles[0] is not None and placement is not None and placement.steps is not None and all(trips):
            total = 1
            for n in trips:
                total *= n or 1
            ideal = -(-cycles[0] * placement.steps // total)
        cause = None
        if request.order == "space-time":  # processes wait for the arrays of those before them
            cycles = cycles[0], None
            cause = "how load, elements and store of a DATAFLOW region overlap is not predicted"
        elif cycles[0] is None or cycles[1] is None:
            cause = _unknown_because((*inner_before, *inner_after))
        return Figures(
            cycles[0], cycles[1], ideal, ii[0], ii[1], _limit(inner_after),
            (_dsp(inner_before), _dsp(inner_after)), (_used(self.before), _used(after)), cause,
        )  # fmt: skip

    def _loop_result(self, request: Request) -> LoopResult | None:
        name = self.program.loops[request.loops[0]].name
        for r in self.before.loops:
            if r.loop == request.loops[0] or (
                r.flattened and r.flattened[0] == name and r.function == request.function
            ):
                return r
        return None

    def _inside(self, request: Request, result: LoopResult) -> bool:
        outer = self.program.loops[request.loops[0]].at.span
        at = self.program.loops[result.loop].at.span
        return at.path == outer.path and outer.start <= at.start and at.end <= outer.end

    def _lines_after(self, edits: Sequence[Edit], plan: RegionPlan) -> tuple[int, int]:
        """First and last line of the region in the new text."""
        assert plan.edit is not None
        source = self.program.sources[plan.edit.span.path]
        before = [e for e in edits if e.span.path == source.path and e.span.start < plan.edit.span.start]
        shift = sum(e.text.count("\n") - source.slice(e.span).count("\n") for e in before)
        first = source.line_column(plan.edit.span.start)[0] + shift
        return first, first + plan.edit.text.count("\n")


def expand(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    options: ExpandOptions,
    before: IIResult,
    predict: Predict,
    infer: Infer,
    top: str | None = None,
    plan_only: bool = False,
    sweep: Sequence[int] = (),
) -> ExpandResult:
    """Judge and write all regions that ``options`` and pragmas ask for.

    ``predict`` gives the II check of changed texts, ``infer`` the same texts with banks as inferred.
    Raises :class:`~hlspart.expand.requests.UnknownLoop`.
    """
    wanted, said = requests(program, options, in_hardware(program, analysis.tops) if plan_only else ())
    expander = _Expander(program, analysis, validation, options, before, predict, infer, top)
    regions: list[Expansion] = []
    edits: list[Edit] = []
    for request in wanted:
        if plan_only:
            regions.append(slices(Engine(program, analysis, top).plan(request)))
            continue
        choice = expander.region(request)
        regions.append(_finished(program, choice, _sweep(expander, request, sweep)))
        overlapping = any(_overlap(e, choice.plan.edit) for e in edits) if choice.plan.edit else False
        if not overlapping:
            edits += choice.edits
    texts = expander.texts(edits)
    files = {path: texts.get(path, program.sources[path].text) for path in (u.path for u in program.units if u.source)}
    ordered = {
        path: tuple(sorted((e for e in dict.fromkeys(edits) if e.span.path == path), key=lambda e: e.span))
        for path in files
    }
    lines = {path: line_runs(program.sources[path], found) for path, found in ordered.items()}
    said += [d for r in regions for d in diagnostics(program, r, plan_only)]
    return ExpandResult(tuple(regions), files, lines, tuple(said))


def faults(program: Program, analysis: AccessAnalysis, top: str | None = None) -> list[Diagnostic]:
    """What is wrong with the pragmas of expansions: malformed ones, and regions that are not legal."""
    wanted, said = requests(program, ExpandOptions())
    for request in wanted:
        plan = Engine(program, analysis, top).plan(request)
        said += diagnostics(program, plan.expansion, False)
    return said


def _overlap(one: Edit, other: Edit | None) -> bool:
    return (
        other is not None
        and one.span.path == other.span.path
        and (one.span.start < other.span.end and other.span.start < one.span.end)
    )


def _sweep(expander: _Expander, request: Request, counts: Sequence[int]) -> tuple[Mapping[str, Any], ...]:
    rows = []
    for count in counts:
        pe = (count, *[1] * (len(request.loops) - 1))
        choice = expander.region(replace(request, pe=pe, grid=None))
        f = choice.figures
        verdict = choice.plan.expansion.judgement
        row: dict[str, Any] = {"pe": count, "verdict": verdict.verdict, "cycles": None, "dsp": None, "bram18k": None,
                               "ii": None, "efficiency": None, "cause": verdict.reason}  # fmt: skip
        if f is not None:
            row |= {"cycles": f.after, "dsp": f.dsp[1], "bram18k": f.bram18k[1], "ii": f.ii_after,
                    "efficiency": efficiency(f, count), "cause": f.cause}  # fmt: skip
        elif count == 1 and choice.plan.expansion.written:
            loop = expander._loop_result(request)
            known = loop.latency.exact if loop is not None else None
            row |= {"cycles": known, "efficiency": None if known is None else 1.0}
        rows.append(row)
    return tuple(rows)


def efficiency(figures: Figures, elements: int) -> float | None:
    """Cycles before, divided by the number of elements and the cycles after."""
    if figures.before is None or not figures.after:
        return None
    return round(figures.before / elements / figures.after, 3)


def _finished(program: Program, choice: _Choice, sweep: tuple[Mapping[str, Any], ...]) -> Expansion:
    done = slices(choice.plan)
    partition = tuple(
        {"array": program.variable(w.variable).name, "dim": w.dim, "type": w.type, "factor": w.factor}
        for w in choice.wanted if w.type != "none"
    )  # fmt: skip
    notes = [
        f"no banks for dimension {w.dim} of {program.variable(w.variable).name}: {w.reason}"
        for w in choice.wanted if w.type == "none"
    ]  # fmt: skip
    f = choice.figures
    if f is not None and f.before is not None and f.after is not None and f.after >= f.before:
        notes.append(f"no gain: {f.before} cycles before, {f.after} after")
    return replace(done, partition=partition, figures=f, sweep=sweep, notes=tuple(notes))


def _cost(choice: _Choice) -> tuple[float, float]:
    f = choice.figures
    if f is None or f.after is None:
        return float("inf"), float("inf")
    return f.after, f.dsp[1] if f.dsp[1] is not None else float("inf")


def _worse(one: Figures, other: Figures) -> bool:
    """Whether banks make a loop slower, or unknown where it was known."""
    if other.after is None:
        return False
    return one.after is None or one.after > other.after


def _halved(one: banks.Wanted) -> banks.Wanted:
    """Half as many banks, where elements then share a bank that is still fixed."""
    if one.type == "complete":
        half = -(-one.factor // 2)
        return one if half < 2 else replace(one, type="cyclic", factor=half)
    return one if one.type == "none" or one.factor % 2 or one.factor < 4 else replace(one, factor=one.factor // 2)


def _latency(result: IIResult, function: str) -> int | None:
    return next((f.latency.exact for f in result.functions if f.name == function), None)


def _unknown_because(loops: Sequence[LoopResult]) -> str:
    """Why the cycles of a region with these loops, before and after, are no number."""
    for r in loops:
        if r.cause or r.depth_cause:
            return r.cause or r.depth_cause or ""
    for r in loops:
        trips = r.trip_count
        if trips is not None and trips.exact is None:
            known = f"between {trips.min} and {trips.max}" if None not in (trips.min, trips.max) else "unknown"
            return f"the trip count of {r.name} is {known}"
    return "the latency of the function is not known"


def _slowest(loops: Sequence[LoopResult]) -> int | None:
    found = [r.ii for r in loops if r.pipelined]
    return None if not found or any(x is None for x in found) else max(x for x in found if x is not None)


def _limit(loops: Sequence[LoopResult]) -> str | None:
    slow = [r for r in loops if r.pipelined and r.ii is not None and r.ii > (r.target_ii or 1) and r.limits]
    if not slow:
        return None
    worst = max(slow, key=lambda r: r.ii or 0)
    return worst.limits[0].text or worst.limits[0].kind


def _dsp(loops: Sequence[LoopResult]) -> int | None:
    found = [r.dsp for r in loops if r.dsp is not None]
    return sum(found) if found else None


def _used(result: IIResult) -> int | None:
    return next((r.used for r in result.resources if r.name == "BRAM18K"), None)
