"""On-chip buffers that share memory: lifetimes, offsets, pools in C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlspart.model.access import AccessAnalysis, Bounds
    from hlspart.model.buffers import Pool, Shared
    from hlspart.model.options import BufferOptions
    from hlspart.model.program import Program
    from hlspart.model.results import IIResult, Validation
    from hlspart.targets import Target


def share(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    target: Target,
    figures: IIResult,
    options: BufferOptions,
    predict: Callable[[Mapping[str, str]], IIResult],
) -> Shared:
    """Pools that make no loop or function slower and no kind of memory larger, as ``predict`` says of the new text.

    Where that does not hold, members of a pool that would make independent steps wait for each other are kept
    apart, or else all of its members, and the arrays are grouped again.
    """
    from hlspart.buffers.candidates import Candidates
    from hlspart.buffers.emit import written
    from hlspart.buffers.sharing import Sharer
    from hlspart.buffers.waits import waits
    from hlspart.hardware.storage import Storage
    from hlspart.model.buffers import Pool, Shared

    candidates = Candidates(program, analysis, figures)
    storage = Storage(program, analysis, validation, target)
    sharer = Sharer(candidates, storage, options.granule == "bram")
    steps = tuple(s for table in candidates.tables.values() for s in table.steps)
    variables = tuple(c.variable.id for c in candidates.all)
    before = sum(a.bram18k for a in figures.arrays)
    refused: dict[frozenset[int], str] = {}
    while True:
        sharing, pools = sharer.share(refused, options.share)
        files = {unit.path: unit.source.text for unit in program.units if unit.source is not None}
        if not pools:
            return Shared(sharing, variables, (), steps, before, before, files)
        texts = written(program, pools)
        if isinstance(texts, Pool):
            refused.update(_pairs([texts], "its uses cannot be edited"))
            continue
        after = predict(texts)
        worse = _worse(figures, after)
        if not worse:
            return Shared(
                sharing, variables, pools, steps, sum(a.bram18k for a in after.arrays), before, {**files, **texts}
            )
        touched = {a.array for a in analysis.accesses if set(a.loops) & worse.keys()}
        guilty = [p for p in pools if touched & {v for v, _ in p.members}]
        if not guilty and len(pools) > 1:
            alone = ((p, written(program, [p])) for p in pools)
            guilty = [p for p, one in alone if isinstance(one, Pool) or _worse(figures, predict(one))]
        why = f"sharing would make {next(iter(worse.values()))} worse"
        pairs = _pairs(guilty or pools, why)
        idle = f"{why}: steps that run at once would wait for each other"
        refused.update({pair: idle for pair in pairs if waits(steps, *pair)} or pairs)


def _pairs(pools: Iterable[Pool], reason: str) -> dict[frozenset[int], str]:
    return {frozenset((a, b)): reason for p in pools for (a, _), (b, _) in combinations(p.members, 2)}


def _worse(before: IIResult, after: IIResult) -> dict[int, str]:
    """Loops (by id, -1 for anything else) with a worse or less known figure, and what to call them."""
    worse: dict[int, str] = {}
    if len(before.loops) != len(after.loops):
        return {-1: "the prediction"}
    for old, new in zip(before.loops, after.loops, strict=True):
        if _is_above(old.ii, new.ii) or (old.pipelined and _longer(old.latency, new.latency)):
            worse[old.loop] = f"{old.function}/{old.name}"
    latencies = {f.name: f.latency for f in after.functions}
    for f in before.functions:
        now = latencies.get(f.name)
        if now is None or _longer(f.latency, now):
            worse.setdefault(-1, f.name)
    for kind in ("bram18k", "uram", "registers"):
        if sum(getattr(a, kind) for a in after.arrays) > sum(getattr(a, kind) for a in before.arrays):
            worse.setdefault(-1, f"the number of {kind}")
    return worse


def _longer(old: Bounds, new: Bounds) -> bool:
    return _is_above(old.max, new.max) or _is_above(old.min, new.min)


def _is_above(old: int | None, new: int | None) -> bool:
    """Whether a figure grew or is not known any more."""
    return old is not None and (new is None or new > old)


__all__ = [
    "emit",
    "lifetimes",
    "problem",
    "share",
    "steps",
]
