"""What the prediction says of a region before and after its expansion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlspart.expand.engine import RegionPlan
from hlspart.model.access import Bounds
from hlspart.model.expanding import Figures, Request
from hlspart.model.parts import FunctionResult
from hlspart.model.program import Program
from hlspart.model.results import IIResult, LoopResult
from hlspart.model.source import Edit
from hlspart.semantics.effects import effects

_UNKNOWN = Bounds(None, None)


def figures(
    program: Program, request: Request, plan: RegionPlan, edits: Sequence[Edit], before: IIResult, after: IIResult
) -> Figures:
    """The figures of a region that ``edits`` write; cycles are intervals where the prediction has no number."""
    name = request.function
    first, last = _lines_after(program, edits, plan)
    inner_before = [r for r in before.loops if is_inside(program, request, r)]
    functions = _function(before, name), _function(after, name)
    if request.order == "space-time":  # functions of their own
        inner_after = [r for r in after.loops if r.function not in program.functions]
        dsp = _more(functions, _dsp(inner_before))
    else:
        inner_after = [r for r in after.loops if r.function == name and first <= r.line <= last]
        dsp = _dsp(inner_after)
    whole = tuple(map(_latency, functions))
    alone = latency_before(program, request, before)
    beside = [r.latency for r in before.loops if r.function == name and r not in inner_before]
    left = [r.latency for r in after.loops if r.function == name and not first <= r.line <= last]
    if (inside := _of_parts(functions[1], first, last)) is not None and alone.exact is not None:
        cycles = alone, inside
    elif beside == left and all(
        _latency(_function(before, f)) == _latency(_function(after, f)) for f in _called(program, name)
    ):
        cycles = _of_region(whole[0], whole[1], alone)
    else:  # banks serve other loops too
        cycles = whole[0], whole[1]
    cause = None
    if any(x.exact is None for x in cycles):
        cause = _inexact_because((*inner_before, *inner_after), cycles)
    return Figures(
        *cycles, _ideal(cycles[0], plan), _slowest(inner_before), _slowest(inner_after), _limit(inner_after),
        (_dsp(inner_before), dsp), (_blocks(before), _blocks(after)),
        _pair(functions, lambda f: f.resources.ff), _pair(functions, lambda f: f.resources.lut), cause, whole[1],
    )  # fmt: skip


def unchanged(program: Program, request: Request, before: IIResult) -> Figures:
    """The figures of a region on one element, which is the loop as it stands."""
    inner = [r for r in before.loops if is_inside(program, request, r)]
    cycles, ii, dsp = latency_before(program, request, before), _slowest(inner), _dsp(inner)
    cause = None if cycles.exact is not None else _inexact_because(inner, (cycles,))
    blocks = _blocks(before)
    return Figures(cycles, cycles, cycles.exact, ii, ii, _limit(inner), (dsp, dsp), (blocks, blocks), cause=cause)


def is_known(cycles: Bounds) -> bool:
    """Whether there are two ends."""
    return cycles.min is not None and cycles.max is not None


def is_inside(program: Program, request: Request, result: LoopResult) -> bool:
    """Whether a loop of the input belongs to the region; a pipelined function is no loop."""
    if result.loop not in program.loops:
        return False
    return program.loops[request.loops[0]].at.span.holds(program.loops[result.loop].at.span)


def latency_before(program: Program, request: Request, before: IIResult) -> Bounds:
    """Cycles of the region's outermost loop in the input."""
    name = program.loops[request.loops[0]].name
    for r in before.loops:
        flattened = r.flattened and r.flattened[0] == name and r.function == request.function
        if r.loop == request.loops[0] or flattened:
            return r.latency
    return _UNKNOWN


def _of_region(before: Bounds, after: Bounds, region: Bounds) -> tuple[Bounds, Bounds]:
    """Cycles of the region before and after, where all else of the function takes a known number; else of the whole."""
    if (
        before.min is None or before.max is None or after.min is None or after.max is None
        or region.min is None or region.max is None or before.min - region.min != before.max - region.max
    ):  # fmt: skip
        return before, after
    rest = before.min - region.min
    return region, Bounds(max(1, after.min - rest), max(1, after.max - rest))


def _of_parts(function: FunctionResult | None, first: int, last: int) -> Bounds | None:
    """Cycles from the first to the last state of what a function runs in these lines; None where they are not known."""
    if function is None or function.latency.exact is None:
        return None
    parts = [p for p in function.parts if first <= p.line <= last]
    if not parts:
        return None
    states = max(p.last for p in parts) - min(p.first for p in parts)
    return Bounds(states, states)


def _called(program: Program, function: str) -> frozenset[str]:
    return frozenset(effects(program).reachable((function,))) - {function}


def _function(result: IIResult, name: str) -> FunctionResult | None:
    return next((f for f in result.functions if f.name == name), None)


def _latency(function: FunctionResult | None) -> Bounds:
    return _UNKNOWN if function is None else function.latency


def _ideal(before: Bounds, plan: RegionPlan) -> int | None:
    placement = plan.expansion.placement
    trips = [i.trip_count.exact for i in plan.region.infos] if plan.region is not None else []
    if before.exact is None or placement is None or placement.steps is None or not all(trips):
        return None
    total = 1
    for n in trips:
        total *= n or 1
    return -(-before.exact * placement.steps // total)


def _lines_after(program: Program, edits: Sequence[Edit], plan: RegionPlan) -> tuple[int, int]:
    """First and last line of the region in the new text."""
    assert plan.edit is not None
    source = program.sources[plan.edit.span.path]
    before = [e for e in edits if e.span.path == source.path and e.span.start < plan.edit.span.start]
    shift = sum(e.text.count("\n") - source.slice(e.span).count("\n") for e in before)
    first = source.line_column(plan.edit.span.start)[0] + shift
    return first, first + plan.edit.text.count("\n")


def _inexact_because(loops: Sequence[LoopResult], cycles: Sequence[Bounds]) -> str:
    """Why the cycles of a region with these loops, before and after, are no number."""
    for r in loops:
        if r.cause or r.depth_cause:
            return r.cause or r.depth_cause or ""
    for r in loops:
        trips = r.trip_count
        if trips is not None and trips.exact is None:
            known = f"between {trips.min} and {trips.max}" if None not in (trips.min, trips.max) else "unknown"
            return f"the trip count of {r.name} is {known}"
    known = "known as bounds only" if all(map(is_known, cycles)) else "not known"
    return f"the latency of the function is {known}"


def _slowest(loops: Sequence[LoopResult]) -> int | None:
    iis = [r.ii for r in loops if r.pipelined]
    return None if not iis or any(x is None for x in iis) else max(x for x in iis if x is not None)


def _limit(loops: Sequence[LoopResult]) -> str | None:
    slow = [r for r in loops if r.pipelined and r.ii is not None and r.ii > (r.target_ii or 1) and r.limits]
    if not slow:
        return None
    worst = max(slow, key=lambda r: r.ii or 0)
    return worst.limits[0].text or worst.limits[0].kind


def _dsp(loops: Sequence[LoopResult]) -> int | None:
    blocks = [r.dsp for r in loops if r.dsp is not None]
    return sum(blocks) if blocks else None


def _more(functions: Sequence[FunctionResult | None], before: int | None) -> int | None:
    """DSP blocks of a region in functions of its own: what they add to the whole."""
    one, other = (None if f is None else f.resources.dsp for f in functions)
    return None if one is None or other is None else other - one + (before or 0)


def _blocks(result: IIResult) -> int | None:
    return next((r.used for r in result.resources if r.name == "BRAM18K"), None)


def _pair(
    functions: Sequence[FunctionResult | None], of: Callable[[FunctionResult], int | None]
) -> tuple[int | None, int | None]:
    first, second = (None if f is None else of(f) for f in functions)
    return first, second
