"""What is said of a region beside its figures: the iterations of each element, and findings."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from hlspart.expand.engine import RegionPlan
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.expanding import Expansion
from hlspart.model.program import Program

#: So many slices of elements are listed.
MOST_SLICES = 64
#: Most iterations of a slice that are listed one by one.
MOST_ITERATIONS = 16


def slices(plan: RegionPlan) -> Expansion:
    """The region with the iterations and the elements of arrays that every element owns."""
    done, region = plan.expansion, plan.region
    if region is None or done.placement is None or done.placement.allocated > MOST_SLICES or not done.judgement.legal:
        return done
    pes: list[tuple[int, ...]] = [()]
    for size in done.placement.space:
        pes = [(*p, k) for p in pes for k in range(size)]
    parts = []
    for pe in pes:
        loops: dict[str, Any] = {}
        for k, (loop, info) in enumerate(zip(region.loops, region.infos, strict=True)):
            trips, lower, step = info.trip_count.exact, info.lower, info.step or 1
            if trips is None or lower is None or lower.terms:
                return done
            size = done.placement.space[k]
            chunk = -(-trips // size) if trips else 0
            numbers = (
                range(pe[k], trips, size) if done.request.maps[k] == "cyclic"
                else range(min(pe[k] * chunk, trips), min((pe[k] + 1) * chunk, trips))
            )  # fmt: skip
            if len(numbers) <= MOST_ITERATIONS:
                loops[loop.name] = [lower.const + step * n for n in numbers]
            else:
                ends = lower.const + step * numbers[0], lower.const + step * numbers[-1]
                loops[loop.name] = {
                    "first": ends[0], "last": ends[1], "step": step * numbers.step, "count": len(numbers)
                }  # fmt: skip
        parts.append({"pe": list(pe), "loops": loops})
    return replace(done, slices=tuple(parts))


def diagnostics(program: Program, region: Expansion, plan_only: bool) -> list[Diagnostic]:
    j = region.judgement
    name = f"{region.request.function}/{','.join(region.names)}"
    place = Place(region.path, region.line, 1, region.line, 1)
    if j.at is not None and j.at.span.path in program.sources:
        source = program.sources[j.at.span.path]
        start, end = source.line_column(j.at.span.start), source.line_column(j.at.span.end)
        place = Place(j.at.span.path, *start, *end)
    if not j.legal:
        rule = f"expand-{j.code or j.verdict}"
        ends = ""
        if j.witness is not None:
            ends = " (" + "; ".join(f"{e.kind} of {e.name} at {e.line}:{e.column}" for e in j.witness) + ")"
        severity = "info" if plan_only else "error"
        return [Diagnostic(rule, rule, severity, place, f"{name} {j.verdict}: {j.reason}{ends}")]  # type: ignore[arg-type]
    return [
        Diagnostic("expand-gain", "expand-gain", "warning", place, f"{name}: {note}")
        for note in region.notes if note.startswith("no gain")
    ]  # fmt: skip
