"""Choices written as C and read back by ``ii``: their cycles, their memory, and which keeps to the limits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from hlspart.expand.region import Refusal
from hlspart.explore.emit import Emitted, write
from hlspart.explore.frame import buffer_name
from hlspart.explore.intervals import banks_may_help
from hlspart.explore.planning import SearchedNest, SearchPlan
from hlspart.explore.requests import finding
from hlspart.explore.steps import cost, total
from hlspart.explore.timely import latest
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.explored import Combined, Readback
from hlspart.model.results import IIResult

#: Choices that are read back in search of one that keeps to limits which only the C tells, or is proved the fastest.
READ_BACK = 6
#: C that takes more than its model times this is far from it: others are read back beside it.
FAR = 5 / 4


#: Of C that time was too short for.
UNREAD = Readback(None, {}, None, "--time-limit ended before `ii` had read the C")


#: Cycles -> choices that the model has within them.
Within = Callable[[int], Sequence[Combined]]


class WrittenChoice(Struct, frozen=True):
    """A choice, its C, and what ``ii`` says of that."""

    chosen: Combined
    texts: Mapping[str, str]
    emitted: Sequence[Emitted]
    back: Readback | None

    @property
    def cycles(self) -> float:
        """By ``ii``; infinite where it does not know."""
        return math.inf if self.back is None or self.back.cycles is None else self.back.cycles

    @property
    def far(self) -> bool:
        """Whether ``ii`` says that it takes much more than its model."""
        return self.chosen.cycles * FAR < self.cycles < math.inf


class Selection(Struct):
    """The best choice. ``over``: limits that others missed; ``proved``: no other can be better.

    ``source_cycles``: what the function takes as it is; ``diagnostics``: what of it cannot be written.
    """

    best: WrittenChoice | None = None
    over: list[dict[str, Any]] = field(default_factory=list)
    proved: bool = True
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    source_cycles: int | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)


def select(
    plan: SearchPlan, regions: Sequence[SearchedNest], ranked: Sequence[Combined], groups: Sequence[Sequence[int]],
    until: float | None = None, within: Within = lambda _: (),
) -> Selection:  # fmt: skip
    """The first of ``ranked`` whose C keeps to its limits; by the model ``schedule`` the one that ``ii`` says is best.

    Where ``ii`` says much more of the first one than its model, others that the model has ``within`` those cycles are
    read back, too, and the best by ``ii`` is taken. By the model ``schedule`` ``ranked`` goes by what no C of a choice
    can undercut, so that the search ends where the next one cannot be better; it is proved where the C takes no more
    than the first one's model. ``until``: of the monotonic clock, then the best that is known is taken, which nothing
    may have read back yet.
    """
    taken = latest(lambda: _selected(plan, regions, ranked, groups, within), until)
    selection = taken.value or Selection()
    if taken.complete:
        return selection
    selection.proved = False
    if selection.best is None and ranked and not plan.options.budget.of_c:
        selection.best = next(_written(plan, regions, ranked[0], groups, selection.diagnostics))
    return selection


def _selected(
    plan: SearchPlan, regions: Sequence[SearchedNest], ranked: Sequence[Combined], groups: Sequence[Sequence[int]],
    within: Within,
) -> Iterator[Selection]:  # fmt: skip
    """What is selected so far, ever better."""
    selection = Selection()
    by_latency = plan.options.objective == "latency"
    by_cycles = plan.options.schedule and by_latency
    judged, left = by_cycles, list(ranked[:READ_BACK])  # judged by what `ii` says
    while left:
        chosen = left.pop(0)
        if selection.best is not None and chosen.cycles >= selection.best.cycles:
            break
        one = WrittenChoice(chosen, {}, [], None)
        for one in _written(plan, regions, chosen, groups, selection.diagnostics):
            if (selection.best is None or one.cycles < selection.best.cycles) and _keeps(plan, one.back):
                yield replace(selection, best=one, proved=False)
        misses = _misses(plan, one.back)
        entry = {"cycles": None if one.back is None else one.back.cycles, "bound": chosen.cycles,
                 "vectors": [[list(p.vector.shard), list(p.vector.split)] for p in chosen.points]}  # fmt: skip
        selection.evaluations.append(entry)
        if one.cycles < chosen.cycles:
            selection.proved = False  # the bound of the others cannot be trusted either
        if misses:
            selection.over += misses
            selection.proved = False
            continue
        if selection.best is None or one.cycles < selection.best.cycles:
            selection.best = one
        if judged:
            continue
        if not (by_latency and one.far):
            break
        judged = True
        left = _spaced([c for c in within(int(one.cycles)) if c.cycles > chosen.cycles], READ_BACK - 1)
    if selection.best is not None and selection.best.chosen is not ranked[0]:
        selection.proved = False  # of its model
    if selection.best is not None and by_cycles and selection.best.cycles > ranked[0].cycles:
        selection.proved = False  # candidates that are beaten by the model alone may lie between
    yield selection
    if selection.best is not None and not plan.kept:  # nests that keep their text are no part of the choice
        figures = plan.predict({}).functions
        selection.source_cycles = next(f.latency.max for f in figures if f.name == plan.function.name)
        yield selection


def _spaced(choices: Sequence[Combined], count: int) -> list[Combined]:
    """So many of them, by their cycles, from the first to the last."""
    ordered = sorted(choices, key=lambda c: c.key)
    last = max(1, count - 1)
    return [ordered[k] for k in dict.fromkeys((len(ordered) - 1) * n // last for n in range(count))] if ordered else []


def _keeps(plan: SearchPlan, back: Readback | None) -> bool:
    """Whether the C is known to keep to its limits."""
    return not _misses(plan, back) and ((back is not None and bool(back.used)) or not plan.options.budget.of_c)


def _misses(plan: SearchPlan, back: Readback | None) -> list[dict[str, Any]]:
    used = {} if back is None else back.used
    return [
        {"reason": f"{name}: needs {used[name]}, have {have}", "count": 1,
         "least": {"resource": name, "need": used[name], "have": have}}
        for name, have in {**plan.options.budget.of_c, "dsp": plan.options.budget.dsp}.items()
        if have is not None and used.get(name, 0) > have
    ]  # fmt: skip


def _written(
    plan: SearchPlan, regions: Sequence[SearchedNest], chosen: Combined, groups: Sequence[Sequence[int]],
    diagnostics: list[Diagnostic],
) -> Iterator[WrittenChoice]:  # fmt: skip
    """The C of a choice, ever better: as it is written, read back, with other banks; the last one is the best."""
    pairs = [(r.written, p.vector) for r, p in zip(regions, chosen.points, strict=True)]
    beside = [k for g in groups if len(g) > 1 for k in g]
    counts = Counter(v for r in regions for v in r.written.arrays)
    several = {v for v, nests in counts.items() if nests > 1}
    tried: list[WrittenChoice] = []
    lacking: list[WrittenChoice] = []
    # nests that deal the words of an array out to banks in different ways are in each other's way
    for apart in ((), several) if several else ((),):
        try:
            texts, emitted = write(
                plan.program, pairs, plan.options.off_chip, plan.options.share_functions, beside, apart
            )  # fmt: skip
        except Refusal as refusal:
            diagnostics.append(finding(plan.program, refusal.at, f"no C: {refusal}"))
            yield WrittenChoice(chosen, {}, [], None)
            return
        if any(t.texts == texts for t in tried):
            continue
        if not tried:
            yield WrittenChoice(chosen, texts, emitted, UNREAD)
        figures = plan.predict(texts)
        back = _figures(plan, regions, chosen, emitted, figures, groups)
        tried.append(WrittenChoice(chosen, texts, emitted, back))
        yield _best(plan, tried)
        if _is_large(plan, back) or _is_slow(regions, emitted, figures):
            lacking.append(tried[-1])
        else:
            break  # a bank for each element is enough: no need of inference
    for one in lacking:
        texts = {**one.texts, **plan.banked(one.texts)}
        back = _figures(plan, regions, chosen, one.emitted, plan.predict(texts), groups)
        tried.insert(0, WrittenChoice(chosen, texts, one.emitted, back))
        yield _best(plan, tried)


def _best(plan: SearchPlan, tried: Sequence[WrittenChoice]) -> WrittenChoice:
    return min(tried, key=lambda w: (bool(_misses(plan, w.back)), w.cycles))


def _is_large(plan: SearchPlan, back: Readback | None) -> bool:
    """Whether memories are too large: smaller banks may lie in LUTs."""
    return any(m["least"]["resource"] in ("bram18k", "uram") for m in _misses(plan, back))


def _is_slow(regions: Sequence[SearchedNest], emitted: Sequence[Emitted], figures: IIResult) -> bool:
    """Whether a loop of the C has a longer interval than its model that banks may shorten."""
    computed = {e.compute: r.written.nest for r, e in zip(regions, emitted, strict=True)}
    copies = {n for e in emitted for n in (*e.loads.values(), *e.stores.values(), *e.held)}
    return any(
        banks_may_help(x, of.ii if of is not None else x.aim or 1, of)
        for x in figures.loops
        if (of := computed.get(x.function)) is not None or x.function in copies
    )


def _figures(
    plan: SearchPlan, regions: Sequence[SearchedNest], chosen: Combined, emitted: Sequence[Emitted], figures: IIResult,
    groups: Sequence[Sequence[int]],
) -> Readback:  # fmt: skip
    latency = {f.name: f.latency for f in figures.functions}
    cycles: list[int] = []
    cause = None
    for region, point, names in zip(regions, chosen.points, emitted, strict=True):
        of = cost(region.written.nest, point.vector, plan.options.off_chip)
        compute = latency[names.compute].max if names.compute in latency else None
        copies = [*names.loads.values(), *names.stores.values(), *names.held]
        unknown = [n for n in copies if n not in latency or latency[n].max is None]
        if compute is None or unknown:
            cause = f"the latency of {names.compute if compute is None else unknown[0]} is not known"
            break
        if region.written.nest.assumed:
            compute = max(compute, of.compute)
        moves = []
        for m in of.moves:
            own = [latency[n].max or 0 for n in (names.loads.get(m.array), names.stores.get(m.array)) if n is not None]
            moves.append(replace(m, cycles=max([m.cycles, *own])))
        nest = region.written.nest
        nest = replace(nest, borders=max(nest.borders, sum(latency[n].max or 0 for n in names.held)))
        cycles.append(total(nest, of.steps, compute, tuple(moves), plan.options.off_chip))
    used = {u.name.lower(): u.used for u in figures.resources}
    used["bram18k"] = sum(a.bram18k for a in figures.arrays)
    used["uram"] = sum(a.uram for a in figures.arrays)
    computing = {e.compute for e in emitted}
    used["dsp"] = sum(f.resources.dsp or 0 for f in figures.functions if f.name in computing)
    parts = {(e.compute, f"{buffer_name(o.name)}_part") for e, r in zip(emitted, regions, strict=True)
             for o in r.written.nest.operands}  # fmt: skip
    known = {o.name for o in plan.program.arrays()}
    functions = {plan.function.name, *(r.written.function.name for r in regions), *(e.whole for e in emitted)}
    size = sum(
        -(-a.element_bits // 8) * math.prod(d or 1 for d in a.dims) * a.copies
        for a in figures.arrays
        if (a.function in functions and a.name not in known) or (a.function, a.name) in parts
    )
    whole = None if cause is not None else sum(max(cycles[k] for k in g) for g in groups)
    return Readback(whole, used, size, cause)
