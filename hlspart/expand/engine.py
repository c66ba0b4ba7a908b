"""From requests to text: judge every region, place it on its grid, write what is legal."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hlspart.expand import banks
from hlspart.expand import grid as grids
from hlspart.expand.context import MARKER, Written
from hlspart.expand.emit import Emitter
from hlspart.expand.legality import Spread, judge
from hlspart.expand.processes import processes
from hlspart.expand.region import Refusal, Region, accesses_inside, build
from hlspart.expand.staging import Staged, staged
from hlspart.model.access import AccessAnalysis
from hlspart.model.expanding import Expansion, Form, Judgement, Placement, Request
from hlspart.model.program import Loop, Program
from hlspart.model.results import Validation
from hlspart.model.source import Edit, SourceText, Span
from hlspart.rewrite.names import Names

#: Guarded, without partials in turn.
PLAIN = Form()


class RegionPlan(Struct, frozen=True):
    """A region with its judgement and place, and (where it is legal) the edit that writes it."""

    expansion: Expansion
    region: Region | None
    edit: Edit | None = None
    functions: Edit | None = None  # what stands before the function of the region

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits of the region."""
        return tuple(e for e in (self.functions, self.edit) if e is not None)


class Engine:
    """Expands the regions of one program, each judged on its own."""

    def __init__(
        self, program: Program, analysis: AccessAnalysis, top: str | None, validation: Validation | None = None
    ) -> None:
        """``validation``: partitions that are there, which banks of staged arrays follow."""
        self.program, self.analysis, self.top, self.validation = program, analysis, top, validation
        self.names = Names(source.text for source in program.sources.values())
        self.given = program.given

    def plan(
        self, request: Request, form: Form = PLAIN, capacity: Mapping[str, int] | None = None
    ) -> RegionPlan:  # fmt: skip
        """Judge and write one region; a refusal is a verdict. ``capacity``: bytes of an element's memories."""
        loops = tuple(self.program.loops[k] for k in request.loops)
        line = self.program.line(loops[0].at)
        base = Expansion(request, tuple(x.name for x in loops), loops[0].at.span.path, line, Judgement("refused"))
        if any(self._is_expanded(loop) for loop in loops):
            judgement = Judgement("parallel", None, "it is expanded already")
            return RegionPlan(replace(base, judgement=judgement, notes=("it is expanded already",)), None)
        try:
            region = build(self.program, self.analysis, request.function, request.loops)
            placement = self._placement(region, request)
        except Refusal as refusal:
            return RegionPlan(replace(base, judgement=_refused(refusal)), None)
        extents = tuple(i.trip_count.exact for i in region.infos)
        base = replace(base, extents=extents, placement=placement)
        if placement is None:
            return RegionPlan(replace(base, judgement=_misplaced(request, extents, region)), region)
        spread = Spread(placement.space, request.maps, request.order, request.reassoc)
        verdict = judge(region, spread, self.top)
        base = replace(base, judgement=verdict)
        if not verdict.legal:
            return RegionPlan(base, region)
        if placement.allocated == 1:
            return RegionPlan(replace(base, written=True), region)  # one element: the text as it is
        try:
            if request.order == "space-time":
                return self._independent(base, region, request, placement, verdict)
            buffers = self._staged(region, request, placement, verdict, capacity or {})
            written, edit = self._write(region, request, placement, verdict, form, buffers)
        except Refusal as refusal:
            return RegionPlan(replace(base, judgement=_refused(refusal)), region)
        repeated = tuple({"array": name, "how": "hoisted"} for name in dict.fromkeys(written.hoisted))
        done = replace(
            base, remainder=written.remainder, repeated=repeated, written=True,
            interleave=form.interleave if verdict.reductions else 1,
            staged=tuple(b.to_json(placement.allocated) for b in buffers),
        )  # fmt: skip
        return RegionPlan(done, region, edit)

    def _is_expanded(self, loop: Loop) -> bool:
        """Whether the loop is what an earlier run wrote."""
        return MARKER in self.program.text(loop.at)

    def _placement(self, region: Region, request: Request) -> Placement | None:
        trips = [i.trip_count.exact for i in region.infos]
        if request.pe is not None:
            pes = request.pe
            steps = tuple(None if n is None else -(-n // p) for n, p in zip(trips, pes, strict=True))
            guarded = tuple(k for k, (n, p) in enumerate(zip(trips, pes, strict=True)) if n is None or n % p)
            owners = (
                p if n is None or t is None else min(n, p) if m == "cyclic" else -(-n // max(1, t))
                for n, p, t, m in zip(trips, pes, steps, request.maps, strict=True)
            )  # fmt: skip
            known_steps = [t for t in steps if t is not None]
            total = math.prod(known_steps) if len(known_steps) == len(steps) else None
            parts = tuple((p,) for p in pes)
            placement = Placement(pes, parts, steps, math.prod(owners), total, guarded, math.prod(pes))
            if request.remainder == "refuse" and guarded:
                loop = region.loops[guarded[0]]
                raise Refusal(
                    "uneven", f"{pes[guarded[0]]} elements do not divide the iterations of {loop.name}", loop.at
                )
            fits = request.time_tile or all(n is not None and n <= p for n, p in zip(trips, pes, strict=True))
            return placement if fits else None
        assert request.grid is not None
        known: list[int] = []
        for loop, n in zip(region.loops, trips, strict=True):
            if n is None:
                raise Refusal("trip-count", f"a grid needs a constant trip count of {loop.name}", loop.header)
            known.append(n)
        even = request.remainder == "refuse"
        return grids.place(known, request.grid, request.maps, request.objective, even, request.time_tile)

    def _write(
        self, region: Region, request: Request, placement: Placement, verdict: Judgement, form: Form,
        buffers: tuple[Staged, ...],
    ) -> tuple[Written, Edit]:  # fmt: skip
        loop = region.loops[0]
        source = self.program.sources[loop.at.span.path]
        span = self._span(loop)
        text = source.line_text(source.line_column(loop.at.span.start)[0])
        indent = text[: len(text) - len(text.lstrip())]
        emitter = Emitter(region, request, placement.space, verdict, self.names, form, buffers)
        written = emitter.region_text(indent, self._buffer_pragmas(region, request, placement, buffers))
        return written, _placed(source, span, written.lines)

    def _independent(
        self, base: Expansion, region: Region, request: Request, placement: Placement, verdict: Judgement
    ) -> RegionPlan:  # fmt: skip
        """Elements as processes."""
        loop = region.loops[0]
        if not loop.at.editable or loop.at.span.path not in self.given:
            raise Refusal("dataflow-form", "the loop stands in a macro or a header", loop.at)
        source = self.program.sources[loop.at.span.path]
        text = source.line_text(source.line_column(loop.at.span.start)[0])
        indent = text[: len(text) - len(text.lstrip())]
        done = processes(region, request, placement.space, verdict, self.names, indent, self.top)
        edit = _placed(source, self._span(loop), done.lines)
        before = _placed(source, done.functions.span, done.functions.text.split("\n"))
        return RegionPlan(replace(base, written=True), region, edit, before)

    def _staged(
        self, region: Region, request: Request, placement: Placement, verdict: Judgement, capacity: Mapping[str, int]
    ) -> tuple[Staged, ...]:  # fmt: skip
        staged_arrays = staged(
            region, accesses_inside(region), request.stage, self.names, capacity, placement.allocated
        )  # fmt: skip
        taken = {p.variable for p in verdict.private} | {r.variable for r in verdict.reductions}
        for one in staged_arrays:
            if one.variable in taken:
                name = self.program.variable(one.variable).name
                raise Refusal("capacity", f"every element has its own {name} already", region.loops[0].at)
        return staged_arrays

    def _buffer_pragmas(
        self, region: Region, request: Request, placement: Placement, buffers: Sequence[Staged]
    ) -> list[str]:  # fmt: skip
        """Banks of staged arrays, by the rule."""
        if self.validation is None or not buffers:
            return []
        names = {b.variable: b.buffer for b in buffers}
        lines = []
        for w in banks.wanted(region, placement, request.maps, frozenset(), self.validation):
            if w.variable in names and w.type != "none":
                factor = "" if w.type == "complete" else f" factor={w.factor}"
                lines.append(
                    f"#pragma HLS ARRAY_PARTITION variable={names[w.variable]} type={w.type}{factor} dim={w.dim}"
                )
        return lines

    def _span(self, loop: Loop) -> Span:
        """From the loop's label (if any) to its end."""
        at = loop.at.span
        if loop.label is None:
            return at
        before = self.program.sources[at.path].text[: at.start]
        match = re.search(rf"\b{re.escape(loop.label)}\s*:(?:\s|/\*(?:(?!\*/).)*\*/|//[^\n]*\n)*\Z", before, re.S)
        if match is None:
            raise Refusal("condition", f"the label of {loop.name} cannot be found", loop.at)
        return Span(at.path, match.start(), at.end)


def _placed(source: SourceText, span: Span, lines: list[str]) -> Edit:
    """Lines in the place of ``span``, after what stands before it on its line."""
    here = source.text[source.line_span(source.line_column(span.start)[0]).start : span.start]
    body = "\n".join(["", *lines]) if here.strip() else "\n".join(lines)
    if not here.strip():
        body = body[len(here) :] if body.startswith(here) else body.lstrip(" \t")
    return Edit(span, body)


def _refused(refusal: Refusal) -> Judgement:
    verdict = "illegal" if refusal.code in ("dependence", "reassociation") else "refused"
    return Judgement(verdict, refusal.code, refusal.reason, refusal.at)  # type: ignore[arg-type]


def _misplaced(request: Request, extents: Sequence[int | None], region: Region) -> Judgement:
    needs = "x".join("?" if n is None else str(n) for n in extents)
    have = "x".join(map(str, request.grid or request.pe or ()))
    what = "grid" if request.grid else "elements"
    return Judgement("invalid-placement", "invalid-placement", f"needs {needs}, {what} {have}", region.loops[0].at)
