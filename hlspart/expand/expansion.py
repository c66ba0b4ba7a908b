"""The whole of ``hlspart expand``: regions judged, the cheapest form of each chosen by prediction, texts, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.expand import banks
from hlspart.expand.engine import PLAIN, Engine, RegionPlan
from hlspart.expand.figures import figures, is_inside, is_known, unchanged
from hlspart.expand.report import diagnostics, slices
from hlspart.expand.requests import requests
from hlspart.infer.emission import pragma_edits
from hlspart.model.access import AccessAnalysis
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.expanding import ExpandOptions, ExpandResult, Expansion, Figures, Form, Request, SweepRow
from hlspart.model.inferred import InferredArray, InferResult
from hlspart.model.program import Loop, Program, ScalarType, walk_statements
from hlspart.model.results import IIResult, Validation
from hlspart.model.source import Edit, apply_edits
from hlspart.semantics.effects import in_hardware
from hlspart.transform.lines import line_runs

#: Changed texts -> their prediction.
Predict = Callable[[Mapping[str, str]], IIResult]
#: Changed texts -> those that get banks by inference, with them, and what is inferred for their arrays.
Infer = Callable[[Mapping[str, str]], tuple[Mapping[str, str], Sequence[InferredArray]]]
#: Below this efficiency of the banks by rule, those by inference are tried.
_EFFICIENT = 0.95


class _Choice(Struct, frozen=True):
    form: Form
    plan: RegionPlan
    edits: tuple[Edit, ...]
    wanted: tuple[banks.Wanted, ...]
    figures: Figures | None
    inferred: Sequence[InferredArray] = ()


class _Expander:
    """Forms of regions, with banks by one ``source``: rule, infer or none."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, validation: Validation, options: ExpandOptions,
        before: IIResult, predict: Predict, infer: Infer, top: str | None, source: str,
    ) -> None:  # fmt: skip
        self.infer, self.source = infer, source
        self.program, self.analysis, self.validation = program, analysis, validation
        self.options, self.before, self.predict, self.top = options, before, predict, top
        self._known: dict[tuple[Edit, ...], tuple[dict[str, str], Sequence[InferredArray]]] = {}

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
        if self.source == "rule" and done.placement is not None and lockstep:
            reduced = frozenset(r.variable for r in done.judgement.reductions)
            staged = frozenset(v.id for v in self.program.variables if v.name in request.stage)
            skip = own | reduced | staged
            wishes = banks.wanted(plan.region, done.placement, request.maps, skip, self.validation)
            wanted = tuple(wishes)
        edits = (*plan.edits, *self._pragmas(plan, wanted))
        predicted = self._figures(request, edits, plan)
        if any(w.type != "none" for w in wanted):
            bare = self._figures(request, plan.edits, plan)
            if _is_worse(predicted, bare):
                none = tuple(replace(w, type="none", reason="the loop is no faster with its banks") for w in wanted)
                return _Choice(form, plan, plan.edits, none, bare)
            fewer = tuple(map(_halved, wanted))  # a memory has two ports: half as many banks may do
            if fewer != wanted:
                less = (*plan.edits, *self._pragmas(plan, fewer))
                cheap = self._figures(request, less, plan)
                same = (cheap.whole, cheap.ii_after) == (predicted.whole, predicted.ii_after)
                if same and is_known(cheap.whole):
                    return _Choice(form, plan, less, fewer, cheap)
        return _Choice(form, plan, edits, wanted, predicted, self._texts(edits)[1])

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
        """With a PIPELINE where the tool pipelined by itself and unrolled the loops inside, unless that is slower.

        The loops over elements that are written inside may keep the tool from pipelining by itself.
        """
        auto = {r.loop: r.ii for r in self.before.loops if r.origin == "auto" and is_inside(self.program, request, r)}
        around = {
            k: ii for k, ii in auto.items()
            if ii is not None and any(isinstance(s, Loop) for s in walk_statements(self.program.loops[k].body))
        }  # fmt: skip
        if not around or request.order != "time-space":
            return choice
        better = self._better(request, choice, replace(choice.form, pipelined=around), as_good=True)
        reached = better.figures.ii_after if better is not choice and better.figures is not None else None
        if reached is None or reached <= max(around.values()):
            return better
        # Some ports of the elements are shared: the pragma says what is reached.
        return self._better(request, choice, replace(choice.form, pipelined=dict.fromkeys(around, reached)))

    def _better(self, request: Request, choice: _Choice, form: Form, as_good: bool = False) -> _Choice:
        """The region in another form, if that costs less; or as much, if ``as_good``."""
        other = self._written(request, form)
        if other.plan.edit is None or _cost(other) > _cost(choice) or (_cost(other) == _cost(choice) and not as_good):
            return choice
        return other

    def _element(self, variable: int) -> str:
        kind = self.program.variable(variable).type
        kind = getattr(kind, "element", getattr(kind, "target", kind))
        return kind.kind if isinstance(kind, ScalarType) else ""

    def _pragmas(self, plan: RegionPlan, wanted: Sequence[banks.Wanted]) -> tuple[Edit, ...]:
        assert plan.region is not None
        return pragma_edits(self.program, InferResult(tuple(banks.as_inferred(plan.region, wanted)), ()))

    def texts(self, edits: Sequence[Edit]) -> dict[str, str]:
        """New texts of the files that edits change, with their banks."""
        return self._texts(edits)[0]

    def _texts(self, edits: Sequence[Edit]) -> tuple[dict[str, str], Sequence[InferredArray]]:
        """The same, and what is inferred for the arrays in them."""
        key = tuple(dict.fromkeys(edits))
        if key not in self._known:
            by_path: dict[str, list[Edit]] = {}
            for edit in key:
                by_path.setdefault(edit.span.path, []).append(edit)
            texts = {path: apply_edits(self.program.sources[path], own) for path, own in by_path.items()}
            more, arrays = self.infer(texts) if texts and self.source == "infer" else ({}, ())
            self._known[key] = texts | dict(more), arrays
        return self._known[key]

    def _figures(self, request: Request, edits: Sequence[Edit], plan: RegionPlan) -> Figures:
        return figures(self.program, request, plan, edits, self.before, self.predict(self.texts(edits)))


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

    def banked(source: str) -> _Expander:
        return _Expander(program, analysis, validation, options, before, predict, infer, top, source)

    expander = banked("rule" if options.partition == "auto" else options.partition)
    other = banked("infer") if options.partition == "auto" else None
    regions: list[Expansion] = []
    edits: list[Edit] = []
    by_inference = False
    for request in wanted:
        if plan_only and not sweep:
            regions.append(slices(Engine(program, analysis, top).plan(request)))
            continue
        choice = _region(expander, other, request)
        by_inference = by_inference or bool(choice.inferred)
        regions.append(_finished(program, choice, _sweep(expander, other, request, sweep)))
        overlapping = any(_overlap(e, choice.plan.edit) for e in edits) if choice.plan.edit else False
        if not overlapping:
            edits += choice.edits
    texts = (other if other is not None and by_inference else expander).texts(edits)
    files = {path: texts.get(path, program.sources[path].text) for path in (u.path for u in program.units if u.source)}
    ordered = {
        path: tuple(sorted((e for e in dict.fromkeys(edits) if e.span.path == path), key=lambda e: e.span))
        for path in files
    }
    lines = {path: line_runs(program.sources[path], expansions) for path, expansions in ordered.items()}
    said += [d for r in regions for d in diagnostics(program, r, plan_only)]
    return ExpandResult(tuple(regions), files, lines, tuple(said))


def unwritten(program: Program, result: ExpandResult, why: Sequence[Diagnostic]) -> ExpandResult:
    """``result`` with the texts as they are."""
    files = {path: program.sources[path].text for path in result.files}
    lines = {path: line_runs(program.sources[path], ()) for path in files}
    regions = tuple(replace(r, written=False) for r in result.regions)
    return ExpandResult(regions, files, lines, (*result.diagnostics, *why))


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


def _region(expander: _Expander, other: _Expander | None, request: Request) -> _Choice:
    """The best form of one region; with the banks of ``other`` where those of ``expander`` leave cycles to gain."""
    choice = expander.region(request)
    if other is None or choice.figures is None or choice.plan.expansion.placement is None:
        return choice
    reached = choice.figures.efficiency(choice.plan.expansion.placement.allocated)
    if request.order != "time-space" or (reached is not None and reached[0] >= _EFFICIENT):
        return choice
    return min((choice, other.region(request)), key=_cost)


def _sweep(
    expander: _Expander, other: _Expander | None, request: Request, counts: Sequence[int]
) -> tuple[SweepRow, ...]:
    rows = []
    for count in counts:
        pe = (count, *[1] * (len(request.loops) - 1))
        choice = _region(expander, other, replace(request, pe=pe, grid=None))
        predicted, done = choice.figures, choice.plan.expansion
        if predicted is None and count == 1 and done.written:
            predicted = unchanged(expander.program, request, expander.before)
        rows.append(SweepRow(count, done.judgement, predicted))
    return tuple(rows)


def _finished(program: Program, choice: _Choice, sweep: tuple[SweepRow, ...]) -> Expansion:
    done = slices(choice.plan)
    rows: list[tuple[str, int, str, int]] = [
        (program.variable(w.variable).name, w.dim, w.type, w.factor) for w in choice.wanted if w.type != "none"
    ]
    rows += ((a.name, d.dim, d.type, d.factor) for a in choice.inferred if a.fresh for d in a.dims)
    partition = tuple(dict(zip(("array", "dim", "type", "factor"), row, strict=True)) for row in rows)
    notes = [
        f"no banks for dimension {w.dim} of {program.variable(w.variable).name}: {w.reason}"
        for w in choice.wanted if w.type == "none"
    ]  # fmt: skip
    f = choice.figures
    if f is not None and f.before.max is not None and f.after.min is not None and f.after.min >= f.before.max:
        notes.append(f"no gain: {f.before} cycles before, {f.after} after")
    return replace(done, partition=partition, figures=f, sweep=sweep, notes=tuple(notes))


def _cost(choice: _Choice) -> tuple[float, float, float]:
    """Most and least cycles of the function, DSP blocks of the region."""
    f = choice.figures
    ends = (None, None, None) if f is None or not is_known(f.whole) else (f.whole.max, f.whole.min, f.dsp[1])
    most, least, dsp = (float("inf") if x is None else x for x in ends)
    return most, least, dsp


def _is_worse(one: Figures, other: Figures) -> bool:
    """Whether banks make a function slower, or unknown where it was known."""
    if other.whole.max is None:
        return False
    return one.whole.max is None or one.whole.max > other.whole.max


def _halved(one: banks.Wanted) -> banks.Wanted:
    """Half as many banks, where elements then share a bank that is still fixed."""
    if one.type == "complete":
        half = -(-one.factor // 2)
        return one if half < 2 else replace(one, type="cyclic", factor=half)
    return one if one.type == "none" or one.factor % 2 or one.factor < 4 else replace(one, factor=one.factor // 2)
