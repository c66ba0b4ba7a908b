"""What to say about the partition that is already there."""

from __future__ import annotations

from hlspart.banking.counting import BankModel
from hlspart.banking.need import Need
from hlspart.infer.choice import Choice, counted
from hlspart.infer.demand import Demand
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout


def judge(demand: Demand, choice: Choice, model: BankModel) -> str:
    """Why the existing partition is kept, improved or removed; "" when there is none."""
    old = demand.existing
    if old is None:
        return ""
    banks = counted(old.banks, "bank")
    if choice.layout == old and not choice.rewrite:
        return f"kept: {banks}"
    loads = [(_interval(loop.need, old, model), loop) for loop in demand.loops]
    whole = PerDimLayout(tuple(DimLayout.of("whole", n, None) for n in demand.shape))
    if choice.kind == "none":
        return f"{counted(old.banks, 'bank')} where one suffices: remove the partition"
    served = all(load <= loop.need.ii for load, loop in loads)
    if served:
        fewer = choice.banks <= old.banks
        return f"{counted(old.banks, 'bank')} {f'where {choice.banks} suffice' if fewer else 'have ports enough'}"
    gained = any(load < _interval(loop.need, whole, model) for load, loop in loads)
    partitioned = [k + 1 for k, d in enumerate(old.dims) if d.banks > 1]
    wanted = _differing(demand)
    if not gained and wanted and not set(partitioned) & set(wanted):
        return (
            f"the accesses of one iteration differ in dimension {_list(wanted)}, "
            f"dimension {_list(partitioned)} is partitioned: no effect on the ports"
        )
    if not gained:
        return f"the partition into {counted(old.banks, 'bank')} has no effect on the ports"
    worst, loop = max(loads, key=lambda item: item[0])
    return f"the partition into {counted(old.banks, 'bank')} leaves {loop.result.name} at II {worst}"


def _interval(need: Need, layout: PerDimLayout, model: BankModel) -> int:
    if model == "static":
        return need.problem.static(layout, need.ports).interval
    return need.problem.ideal(layout, need.ports)[0].interval


def _differing(demand: Demand) -> list[int]:
    """1-based dimensions in which accesses of one iteration differ by a constant."""
    return sorted(
        {
            k + 1
            for loop in demand.loops
            for cluster in loop.need.clusters
            for k in range(len(demand.shape))
            if len({o[k] for o in cluster.offsets}) > 1
        }
    )


def _list(numbers: list[int]) -> str:
    return " and ".join(map(str, numbers))
