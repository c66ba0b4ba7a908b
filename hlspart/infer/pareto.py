"""All (II, banks, memory blocks) points that no other one beats."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions

MOST_II = 16
MOST_UNKNOWN = 4  # targets for which the II of a loop is not known, before there is a point


def pareto(run: Callable[[InferOptions], InferResult], options: InferOptions) -> InferResult:
    """The result for the options as given, with the points of target II 1, 2, .. until nothing is partitioned."""
    points: list[dict[str, object]] = []
    seen: set[tuple[int, int, int]] = set()
    for ii in range(1, MOST_II + 1):
        result = run(replace(options, target_ii=ii, pareto=False, at_any_price=True))
        if not result.loops or (not points and ii > MOST_UNKNOWN):
            break
        if any(x.ii_after is None for x in result.loops):
            continue  # for a slower target it may be known
        worst = max(x.ii_after or ii for x in result.loops)
        banks, blocks = sum(a.banks for a in result.arrays), sum(a.bram18k for a in result.arrays)
        if (worst, banks, blocks) not in seen:
            seen.add((worst, banks, blocks))
            arrays = [{"name": a.name, "kind": a.kind, "banks": a.banks} for a in result.arrays if a.kind != "none"]
            points.append({"ii": worst, "banks": banks, "bram18k": blocks, "arrays": arrays})
        if not any(a.kind != "none" for a in result.arrays):
            break
    kept = tuple(p for p in points if not any(_beats(q, p) for q in points))
    return replace(run(replace(options, pareto=False)), pareto=kept)


def _beats(a: Mapping[str, object], b: Mapping[str, object]) -> bool:
    """At least as good in all three, better in one."""
    keys = ("ii", "banks", "bram18k")
    first, second = [int(str(a[k])) for k in keys], [int(str(b[k])) for k in keys]
    return first != second and all(x <= y for x, y in zip(first, second, strict=True))
