"""Ways out of a missed II, each checked by running the model with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hlspart.layouts.perdim import DimLayout, PerDimLayout
from hlspart.model.results import Limit
from hlspart.schedule.loops import LoopModel, Prediction
from hlspart.schedule.nests import Nest
from hlspart.schedule.operations import Unmodelled
from hlspart.schedule.storage import Memory
from hlspart.targets.target import REGISTERS

MAX_FACTOR = 16
MAX_ACCESSES = 96
MAX_IDEAL = 24  # more accesses are not counted under other layouts
MAX_OPERATIONS = 400  # larger bodies are not scheduled again for a hint
_MORE_PORTS = {"ram_1p": "ram_t2p", "ram_s2p": "ram_t2p", "ram_2p": "ram_t2p", "rom_1p": "rom_np", "rom_2p": "rom_np"}


def with_hints(model: LoopModel, nest: Nest, p: Prediction, limits: tuple[Limit, ...]) -> tuple[Limit, ...]:
    """``limits`` with a hint on those that keep the loop from its target, where the model finds one."""
    target = nest.target_ii
    if target is None or p.schedule is None or p.schedule.ii <= target or len(p.schedule.start) > MAX_OPERATIONS:
        return limits
    arrays = {p.elaborated.carriers.names(v): v for v in p.counts}
    found: dict[int, tuple[str, Memory]] = {}
    for limit in limits:
        variable = arrays.get(limit.array or "")
        if limit.kind == "memory-port" and limit.ii > target and variable is not None and variable not in found:
            way = next(_ways(model, p, variable, target), None)
            if way is not None:
                found[variable] = way
    if not found:
        return tuple(_without_pragma(model, p, x, arrays, target) for x in limits)
    reached = _rerun(model, nest, {v: memory for v, (_, memory) in found.items()})
    if reached is None or reached >= p.schedule.ii:
        return limits
    together = f"; with the hints on {len(found)} arrays" if len(found) > 1 else ""
    out = []
    for limit in limits:
        variable = arrays.get(limit.array or "", -1)
        if limit.kind == "memory-port" and variable in found:
            limit = replace(limit, hint=f"{found[variable][0]}: II {reached}{together}")
        out.append(limit)
    return tuple(out)


def _ways(model: LoopModel, p: Prediction, variable: int, target: int) -> Iterator[tuple[str, Memory]]:
    """Changes that bring the accesses of one array down to ``target``, fewest banks first."""
    memory = model.storage.memory(variable)
    problem = p.elaborated.problems[variable]
    if len(problem.accesses) > MAX_ACCESSES or memory.storage in ("m_axi", "fifo"):
        return
    name = p.elaborated.carriers.names(variable)
    more = _MORE_PORTS.get(memory.storage)
    if more is not None:
        better = replace(memory, storage=more, ports=model.target.ports(more))
        if problem.static(better.layout, better.ports).interval <= target:
            yield f"storage {more} for {name}", better
    few = len(problem.accesses) > MAX_IDEAL
    for layout, text in _layouts(memory.layout):
        if few and layout.banks & (layout.banks - 1):
            continue
        made = replace(memory, layout=layout)
        if layout.depth(0) == 1:
            made = replace(made, storage=REGISTERS, ports=model.target.ports(REGISTERS))
        if problem.static(layout, made.ports).interval <= target:
            yield f"#pragma HLS array_partition variable={name} {text}", made


def _layouts(now: PerDimLayout) -> Iterator[tuple[PerDimLayout, str]]:
    """Partitions of one dimension, by number of banks."""
    if now.banks > 1:
        return
    candidates: list[tuple[int, int, int, DimLayout, str]] = []
    for k, dim in enumerate(now.dims):
        for factor in range(2, min(MAX_FACTOR, dim.extent) + 1):
            for order, kind in enumerate(("cyclic", "block")):
                made = DimLayout.of("cyclic" if kind == "cyclic" else "block", dim.extent, factor)
                candidates.append((made.banks, order, k, made, f"type={kind} factor={factor} dim={k + 1}"))
        if dim.extent <= 1024:
            made = DimLayout.of("complete", dim.extent, None)
            candidates.append((made.banks, 2, k, made, f"type=complete dim={k + 1}"))
    for _, _, k, made, text in sorted(candidates, key=lambda x: x[:3]):
        yield PerDimLayout((*now.dims[:k], made, *now.dims[k + 1 :])), text


def _rerun(model: LoopModel, nest: Nest, changes: Mapping[int, Memory]) -> int | None:
    """The II that the model predicts with other memories."""
    try:
        again = LoopModel(model.nests, model.storage.changed(changes), model.target).predict(nest)
    except Unmodelled:
        return None
    return again.schedule.ii if again.schedule is not None else None


def _without_pragma(model: LoopModel, p: Prediction, limit: Limit, arrays: Mapping[str, int], target: int) -> Limit:
    """What helps where no partition pragma does: banks told apart by code, or a promise."""
    if limit.ii <= target:
        return limit
    if limit.kind == "recurrence":
        return _promise(p, limit)
    variable = arrays.get(limit.array or "")
    if limit.kind != "memory-port" or variable is None:
        return limit
    memory, problem = model.storage.memory(variable), p.elaborated.problems[variable]
    if len(problem.accesses) > MAX_IDEAL or memory.storage in ("m_axi", "fifo"):
        return limit
    if memory.layout.banks > 1 and problem.ideal(memory.layout, memory.ports)[0].interval <= target:
        return replace(limit, hint="the partition has the ports, in bank-centric code only: hlspart rewrite")
    for layout, text in _layouts(memory.layout):
        if layout.banks <= 8 and problem.ideal(layout, memory.ports)[0].interval <= target:
            pragma = f"array_partition variable={limit.array} {text}"
            return replace(limit, hint=f"{pragma} has the ports, in bank-centric code only: hlspart rewrite")
    return limit


def _promise(p: Prediction, limit: Limit) -> Limit:
    """A DEPENDENCE pragma against a recurrence that is only possible, not certain."""
    edges = {(e.source, e.sink) for e in p.problem.graph.edges if e.name == limit.variable and e.distance}
    if not edges & p.elaborated.carriers.assumed:
        return limit
    text = (
        f"if iterations closer than {limit.ii} never touch the same element of {limit.variable}, say so: "
        f"#pragma HLS dependence variable={limit.variable} type=inter dependent=false"
    )
    return replace(limit, hint=text)
