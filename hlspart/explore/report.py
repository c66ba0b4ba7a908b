"""Results as the plain values of ``hlspart.explore/1``: every figure can be recounted from the others."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hlspart.explore.front import chained
from hlspart.explore.layers import Layers
from hlspart.explore.planning import SearchedNest
from hlspart.explore.records import KeptNest, ReadNest
from hlspart.explore.regions import NestRegion, kind
from hlspart.explore.steps import cost, phases
from hlspart.explore.widths import copying
from hlspart.model.explored import Combined, Explored, Readback
from hlspart.model.exploring import ExploreOptions, Point, ResourceBudget, StepCost, TiledNest, Vector
from hlspart.model.program import Function, Program

if TYPE_CHECKING:
    from hlspart.explore.readback import Selection

#: Rows of the step table that are listed one by one; the middle of a longer one repeats.
MOST_STEPS = 64


def words(dims: Sequence[int | None]) -> int:
    """Elements of an array."""
    return math.prod(d or 1 for d in dims)


def plain(value: Any) -> Any:
    """A record as it comes back from JSON."""
    return json.loads(json.dumps(value))


class View:
    """What is shown of one top function."""

    def __init__(
        self, program: Program, function: Function, options: ExploreOptions, layers: Layers,
        nests: Sequence[ReadNest | KeptNest], groups: Sequence[NestRegion], regions: Sequence[SearchedNest],
        at_once: Sequence[Sequence[int]],
    ) -> None:  # fmt: skip
        self.groups, self.at_once = groups, at_once
        self.program, self.function, self.options, self.layers = program, function, options, layers
        self.nests, self.regions = nests, regions
        self.place = {id(r.written.loops[0]): k for k, r in enumerate(regions)}

    def _number(self, nest: ReadNest | KeptNest) -> int | None:
        return None if isinstance(nest, KeptNest) else self.place.get(id(nest.loops[0]))

    def _id(self, number: int) -> str:
        """The region of a searched nest, with the nest's place in it where there are several."""
        for k, group in enumerate(self.groups):
            for at, m in enumerate(group.members):
                if self._number(self.nests[m]) == number:
                    return f"r{k}" if len(group.members) == 1 else f"r{k}.{at}"
        raise KeyError(number)

    def _region_entry(self, k: int, group: NestRegion) -> dict[str, Any]:
        loops = [n.loop if isinstance(n, KeptNest) else n.loops[0] for n in map(self.nests.__getitem__, group.members)]
        entry: dict[str, Any] = {
            "id": f"r{k}", "function": self.nests[group.members[0]].function.name,
            "nests": [x.name for x in loops], "line": self.program.line(loops[0].at),
            "layer": self.layers.of[k], "barrier": self.layers.barrier[k],
        }  # fmt: skip
        if len(group.members) == 1:
            return entry | self._nest(self.nests[group.members[0]])
        parts = [{"nest": x.name, **self._nest(self.nests[m])} for x, m in zip(loops, group.members, strict=True)]
        return entry | {
            "explored": True, "by": group.by, "parts": parts, "candidates": math.prod(p["candidates"] for p in parts),
            "on_chip": sorted({a for p in parts for a in p["in_place"]}),
            "shared": self._shared([self.nests[m] for m in group.members]),
        }  # fmt: skip

    @staticmethod
    def _shared(nests: Sequence[ReadNest | KeptNest]) -> list[dict[str, Any]]:
        """Arguments that come in once for all nests of a region, and leave once."""
        arrays = next((n.held for n in nests if isinstance(n, ReadNest)), ())
        return [{"array": a.variable.name, "bytes": a.words * a.element_bytes, "load": a.loaded, "store": a.stored}
                for a in arrays]  # fmt: skip

    def _nest(self, nest: ReadNest | KeptNest) -> dict[str, Any]:
        number = self._number(nest)
        if number is None:
            reason = nest.reason if isinstance(nest, KeptNest) else "#pragma hlspart keep"
            return {"explored": False, "reason": reason}
        region = self.regions[number]
        of = region.written.nest
        at = None if region.same_as is None else self._id(region.same_as)
        return {
            "explored": True, "does": kind(region.written), "loops": [{"name": n, "extent": e} for n, e in of.loops],
            "around": [x.name for x in region.written.around], "repeats": of.repeats,
            "assumed": {"ii": of.ii, "depth": of.depth, "dsp": of.dsp,
                        "chains": [{"loops": [of.loops[j][0] for j in sorted(c.loops)],
                                    "waits": [[w.between, w.ii] for w in c.waits],
                                    "memory": bool(c.lie)} for c in of.chains],
                        "joins": list(of.joins or ()), "at_least": list(of.least)},
            "shared_dsp": [{"dsp": n, "loops": [of.loops[j][0] for j in sorted(k)]} for k, n in of.shared_dsp],
            "keeps_order": region.space.strict,
            "operands": [
                {"array": o.name, "element_bytes": o.element_bytes, "read": o.read, "written": o.written,
                 "dims": [{"terms": [[of.loops[j][0], c] for j, c in d.terms], "width": d.width} for d in o.dims]}
                for o in of.operands
            ],
            "resident_bytes": of.resident, "template_id": region.key, "reused_from": at,
            "functions_of": None if region.functions_of is None else self._id(region.functions_of),
            "candidates": region.space.size,
            "in_place": [o.name for o in of.operands if o.in_place],
        }  # fmt: skip

    def plan(self) -> dict[str, Any]:
        """Regions, layers and the size of the space; nothing evaluated."""
        return {
            "function": self.function.name,
            "elements": self.options.elements,
            "fewer": list(self.options.fewer),
            "regions": [self._region_entry(k, g) for k, g in enumerate(self.groups)],
            "layers": self._layers(),
            "at_once": [[self._id(k) for k in g] for g in self.at_once if len(g) > 1],
            "candidates": math.prod(r.space.size for r in self.regions) if self.regions else 0,
        }

    def _layers(self) -> dict[str, Any]:
        return {
            "order": [f"r{k}" for k in self.layers.order],
            "edges": [{"from": f"r{e.before}", "to": f"r{e.behind}", "kinds": list(e.kinds)}
                      for e in self.layers.edges],
        }  # fmt: skip

    def searched(
        self, results: Mapping[int, Explored], merged: Sequence[Combined], selection: Selection, proved: bool,
        least: Mapping[str, int],
    ) -> dict[str, Any]:  # fmt: skip
        """The whole entry."""
        shape = self.plan()
        chosen = None if selection.best is None else selection.best.chosen
        back = None if selection.best is None else selection.best.back
        for entry, group in zip(shape["regions"], self.groups, strict=True):
            parts = entry.get("parts", [entry])
            for part, nest in zip(parts, map(self.nests.__getitem__, group.members), strict=True):
                number = self._number(nest)
                if number is not None:
                    self._searched(part, self.regions[number].written.nest, results[number])
            if "parts" in entry:
                self._joined(entry, group, results)
        bound = sum(max(results[k].bound for k in g) for g in self.at_once)
        if merged and all(e.complete for e in results.values()):
            bound = max(bound, min(c.cycles for c in merged))  # what fits in each nest may not fit together
        best = None if chosen is None else self._best(chosen, back)
        limits = {
            "bytes": self.options.budget.size, "dsp": self.options.budget.dsp,
            "bram18k": self.options.budget.bram18k, "uram": self.options.budget.uram,
            "lut": self.options.budget.lut, "ff": self.options.budget.ff,
        }  # fmt: skip
        return {
            **shape,
            "evaluated": sum(e.evaluated for k, e in results.items() if self.regions[k].same_as is None),
            "pruned": sum(e.pruned for k, e in results.items() if self.regions[k].same_as is None),
            "steps": [] if chosen is None else self._steps(chosen),
            "best": best,
            "pareto": [self._whole(c) for c in merged] if self.options.pareto else [],
            "bound": bound,
            "gap": None if best is None else 1.0 if proved else round(best["cycles"] / max(1, bound), 4),
            "proved": proved,
            "objective": self.options.objective,
            "model": "schedule" if self.options.schedule else "bound",
            "pipeline": self.options.pipeline,
            "shared": self.options.share,
            "limits": limits,
            "off_chip": {
                "bytes": self.options.off_chip.width, "latency": self.options.off_chip.latency,
                "ports": "per-array" if self.options.off_chip.per_array else 1,
            },
            "failed": list(selection.over),
            "choices": len(merged),
            "evaluations": list(selection.evaluations),
            "smallest_need": dict(least),
        }  # fmt: skip

    def _searched(self, entry: dict[str, Any], nest: TiledNest, of: Explored) -> None:
        entry |= {
            "evaluated": of.evaluated, "pruned": of.pruned, "complete": of.complete, "bound": of.bound,
            "failed": [f.to_json() for f in of.failures],
            "front": [self._point(nest, p) for p in of.front],
        }  # fmt: skip

    def _joined(self, entry: dict[str, Any], group: NestRegion, results: Mapping[int, Explored]) -> None:
        """Figures of a region from those of its nests."""
        numbers = [n for m in group.members if (n := self._number(self.nests[m])) is not None]
        parts = entry["parts"]
        for key in ("evaluated", "pruned", "bound"):
            entry[key] = sum(p[key] for p in parts)
        entry["complete"] = all(p["complete"] for p in parts)
        entry["failed"] = [f for p in parts for f in p["failed"]]
        roots = [self.regions[n].functions_of for n in numbers]
        called = [k if root not in numbers else numbers.index(root) for k, root in enumerate(roots)]
        whole = chained([results[n].front for n in numbers], self.options.share, ResourceBudget(), called)
        entry["front"] = [
            {"cycles": c.cycles, "bytes": c.size, "dsp": c.dsp,
             "parts": [self._point(self.regions[n].written.nest, p) for n, p in zip(numbers, c.points, strict=True)]}
            for c in whole
        ]  # fmt: skip

    @staticmethod
    def _vector(nest: TiledNest, v: Vector) -> dict[str, Any]:
        return {
            "shard": list(v.shard), "split": list(v.split), "slice": list(v.slices(nest.extents)),
            "order": [nest.loops[k][0] for k in v.order],
        }  # fmt: skip

    def _point(self, nest: TiledNest, p: Point) -> dict[str, Any]:
        figures = {"cycles": p.cycles, "bytes": p.size, "dsp": p.dsp, "model_bram18k": p.bram18k}
        return {**figures, **self._vector(nest, p.vector)}

    def _whole(self, c: Combined) -> dict[str, Any]:
        nests = [r.written.nest for r in self.regions]
        regions = [self._point(n, p) for n, p in zip(nests, c.points, strict=True)]
        return {"cycles": c.cycles, "bytes": c.size, "dsp": c.dsp, "model_bram18k": c.bram18k, "regions": regions}

    def _best(self, c: Combined, back: Readback | None) -> dict[str, Any]:
        costs = [cost(r.written.nest, p.vector, self.options.off_chip) for r, p in
                 zip(self.regions, c.points, strict=True)]  # fmt: skip
        schedule = None if back is None else back.cycles
        promised = c.cycles if not self.options.schedule or schedule is None else schedule
        return {
            "cycles": promised, "at_least": self._is_at_least(schedule), "model_cycles": c.cycles,
            "bytes": c.size, "dsp": c.dsp,
            "model_bram18k": c.bram18k,
            "serial_cycles": sum(x.serial for x in costs),
            "source_cycles": None, "schedule_cycles": schedule, "schedule_cause": None if back is None else back.cause,
            "schedule_dsp": None if back is None else back.used.get("dsp"),
            **{r: None if back is None else back.used.get(r) for r in ("bram18k", "uram", "lut", "ff")},
            "buffer_bytes": None if back is None else back.size,
            "regions": [self._region(r, p, x) for r, p, x in zip(self.regions, c.points, costs, strict=True)],
        }  # fmt: skip

    def _is_at_least(self, schedule: int | None) -> bool:
        """Whether more cycles may be taken than is said: an II or a depth is a least, or no C was read back."""
        if self.options.schedule:
            return schedule is None
        return any({"ii", "depth"}.intersection(r.written.nest.least) for r in self.regions)

    def _region(self, region: SearchedNest, p: Point, of: StepCost) -> dict[str, Any]:
        nest = region.written.nest
        moving = {m.array: m for m in of.moves}

        def moved(array: str) -> dict[str, Any]:
            m = moving[array]
            return {"array": array, "bytes": m.size, "cycles": m.cycles, "period": m.period,
                    "requests": of.steps // m.period}  # fmt: skip

        sharded = [k for k, s in enumerate(p.vector.shard) if s > 1 and k in nest.reductions]
        timed = [k for k, t in enumerate(p.vector.split) if t > 1 and k in nest.reductions]
        return {
            "id": self._id(self.regions.index(region)),
            "kind": "partial-sum" if sharded else "time-accumulated" if timed else "map",
            "cycles": p.cycles, "bytes": p.size, "dsp": p.dsp, **self._vector(nest, p.vector),
            "steps": of.steps, "repeats": nest.repeats, "borders": nest.borders,
            "compute": of.compute, "ii": of.ii, "depth": of.depth,
            "serial_cycles": of.serial,
            "load": [moved(m.array) for m in of.moves if m.loaded],
            "store": [moved(m.array) for m in of.moves if m.stored],
            "buffers": self._buffers(nest, p.vector, of),
            "in_place": [o.name for o in nest.operands if o.in_place],
            "partial_bytes": of.size - sum(m.size * m.copies for m in of.moves),
        }  # fmt: skip

    def _buffers(self, nest: TiledNest, vector: Vector, of: StepCost) -> list[dict[str, Any]]:
        """The tiles on the chip; ``banks``: of one copy, ``along``: the loops whose elements have their own.

        ``offset``: of the copies, one array behind the other, in bytes.
        """
        rows, offset, slices = list[dict[str, Any]](), 0, vector.slices(nest.extents)
        for o, m in zip(nest.operands, of.moves, strict=True):
            if not m.size:
                continue
            along = [k for k in sorted(o.loops) if vector.shard[k] > 1]
            banks = math.prod(vector.shard[k] for k in along)
            if nest.copied:
                cycles = self.options.off_chip.latency + -(-m.size // self.options.off_chip.width)
                banks *= copying(nest, o, vector, slices, cycles).banks
            rows.append({"array": m.array, "bytes": m.size, "copies": m.copies, "banks": banks, "offset": offset,
                         "along": [nest.loops[k][0] for k in along]})  # fmt: skip
            offset += m.size * m.copies
        return rows

    def _steps(self, c: Combined) -> list[dict[str, Any]]:
        rows = []
        for region, p in zip(self.regions, c.points, strict=True):
            of = cost(region.written.nest, p.vector, self.options.off_chip)
            where = self.regions.index(region)
            for k, (loads, computed, stores) in enumerate(phases(of.steps, of.moves)):
                if k < MOST_STEPS:
                    rows.append({"region": where, "step": k, "load": list(loads), "compute": computed,
                                 "store": list(stores)})  # fmt: skip
        return rows
