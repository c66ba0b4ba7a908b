"""Expansions as JSON (``hlspart.expand/1``) and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hlspart.model.access import Bounds
from hlspart.model.expanding import ExpandResult, Expansion, Figures, SweepRow
from hlspart.model.program import Program
from hlspart.render import shapes
from hlspart.render.screen import paint
from hlspart.render.table import table
from hlspart.render.text import broken, extent

SCHEMA = "hlspart.expand/1"
#: Elements of a grid that are drawn per row.
_MOST_DRAWN = 8


def shape(program: Program, paths: Sequence[str], result: ExpandResult | None) -> dict[str, Any]:
    """The JSON object of the command."""
    regions = result.regions if result is not None else ()

    def entry(path: str) -> dict[str, Any]:
        return {"regions": [region_shape(r) for r in regions if r.path == path]}

    return shapes.document(SCHEMA, program, paths, entry)


def map_shape(program: Program, result: ExpandResult) -> dict[str, Any]:
    """The map file (``hlspart.map/1``): lines, and what became of the regions; signatures stay as they are."""
    files = [
        {"path": path, "lines": [[run.old, run.new, run.count] for run in runs]} for path, runs in result.lines.items()
    ]
    return {
        "schema": "hlspart.map/1",
        "files": files,
        "arrays": [],
        "regions": [region_shape(r) for r in result.regions],
    }


def region_shape(r: Expansion) -> dict[str, Any]:
    """One region."""
    j, p, f = r.judgement, r.placement, r.figures
    elements = p.allocated if p is not None else None
    return {
        "function": r.request.function,
        "loops": list(r.names),
        "line": r.line,
        "origin": r.request.origin,
        "verdict": j.verdict,
        "code": j.code,
        "reason": j.reason,
        "witness": None if j.witness is None else {"source": j.witness[0].to_json(), "sink": j.witness[1].to_json()},
        "map": list(r.request.maps),
        "order": r.request.order,
        "grid": list(r.request.grid) if r.request.grid is not None else None,
        "extents": list(r.extents),
        "space": None if p is None else list(p.space),
        "parts": None if p is None else [list(x) for x in p.parts],
        "time": None if p is None else list(p.time),
        "active": None if p is None else p.active,
        "allocated": elements,
        "steps": None if p is None else p.steps,
        "guarded": [] if p is None else [r.names[k] for k in p.guarded],
        "remainder": r.remainder,
        "proof": {"dependences": j.dependences, "across_pes": j.across, "method": "integer sets"},
        "private": [{"name": x.name, "kind": x.kind, "line": x.line} for x in j.private],
        "reductions": [
            {
                "name": x.name,
                "op": x.op,
                "kind": "array" if x.whole else "scalar",
                "partials": _product(p.space[k] for k in x.loops) if p is not None else None,
                "interleave": r.interleave,
                "tree_depth": _depth(_product(p.space[k] for k in x.loops)) if p is not None else None,
            }
            for x in j.reductions
        ],
        "repeated": list(r.repeated),
        "staged": list(r.staged),
        "partition": list(r.partition),
        "slices": list(r.slices),
        "cycles": None if f is None else _cycles(f, elements),
        "ii": None if f is None else {"before": f.ii_before, "after": f.ii_after, "limit": f.limit},
        "resources": None
        if f is None
        else {"dsp": list(f.dsp), "bram18k": list(f.bram18k), "ff": list(f.ff), "lut": list(f.lut)},
        "sweep": [_row(s) for s in r.sweep],
        "notes": list(r.notes),
    }


def _product(numbers: Any) -> int:
    total = 1
    for n in numbers:
        total *= n
    return total


def _depth(partials: int) -> int:
    return max(0, (partials - 1).bit_length())


def _cycles(f: Figures, elements: int | None) -> dict[str, Any]:
    reached = None if elements is None else f.efficiency(elements)
    return {
        "before": f.before.exact,
        "after": f.after.exact,
        "ideal": f.ideal,
        "efficiency": _number(reached),
        "cause": f.cause,
        "bounds": {"before": shapes.bounds(f.before), "after": shapes.bounds(f.after), "efficiency": _ends(reached)},
    }


def _row(s: SweepRow) -> dict[str, Any]:
    f, reached = s.figures, None if s.figures is None else s.figures.efficiency(s.pe)
    cycles = Bounds(None, None) if f is None else f.after
    return {
        "pe": s.pe,
        "verdict": s.judgement.verdict,
        "cycles": cycles.exact,
        "dsp": None if f is None else f.dsp[1],
        "bram18k": None if f is None else f.bram18k[1],
        "ii": None if f is None else f.ii_after,
        "efficiency": _number(reached),
        "cause": s.judgement.reason if f is None else f.cause,
        "bounds": {"cycles": shapes.bounds(cycles), "efficiency": _ends(reached)},
    }


def _number(ends: tuple[float, float] | None) -> float | None:
    return ends[0] if ends is not None and ends[0] == ends[1] else None


def _ends(ends: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = ends if ends is not None else (None, None)
    return {"min": low, "max": high}


def render(document: Mapping[str, Any]) -> str:
    """The report for people."""
    out = []
    for file in document["files"]:
        if "error" in file:
            out.append(broken(file))
            continue
        regions = file["regions"]
        if len(regions) > 1 and all(r["cycles"] is None and not r["sweep"] for r in regions):
            rows = [[r["line"], f"{r['function']}/{','.join(r['loops'])}", verdict(r), why(r)] for r in regions]
            out.append(f"{file['path']}\n{table(['Line', 'Loop', 'Verdict', 'Why'], rows)}")
            continue
        out.extend(_region(r) for r in regions)
    return "".join(out)


def verdict(r: Mapping[str, Any]) -> str:
    """The verdict in words: how the loop may run."""
    if r["verdict"] == "parallel" and r["proof"]["across_pes"]:
        return "lock-step only"
    return str(r["verdict"])


def why(r: Mapping[str, Any]) -> str:
    """What decides."""
    if r["reason"]:
        return str(r["reason"])
    parts = [f"{x['op']} of {x['name']}" for x in r["reductions"]]
    own = [x["name"] for x in r["private"] if x["kind"] != "local"]
    parts += [f"each element has its own {', '.join(own)}"] if own else []
    return "; ".join(parts) or f"{r['proof']['dependences']} dependences, {r['proof']['across_pes']} between elements"


def _region(r: Mapping[str, Any]) -> str:
    name = f"{r['function']}/{','.join(r['loops'])} (line {r['line']})"
    if r["verdict"] not in ("parallel", "reduction"):
        lines = [paint(f"{name}: {r['verdict']}: {r['reason']}", "bad")]
        if r["witness"] is not None:
            for end in (r["witness"]["source"], r["witness"]["sink"]):
                at = ", ".join(f"{k} = {v}" for k, v in end["iteration"].items())
                lines.append(f"  {end['kind']} of {end['array']} at {end['line']}:{end['column']}, iteration {at}")
        return "".join(line + "\n" for line in lines)
    if r["space"] is None:
        return f"{name}: {r['reason']}\n"
    size = "x".join(map(str, r["space"]))
    steps = "x".join(map(_known, r["time"]))
    rest = {"none": "no remainder", "guard": "remainder guarded", "peel": "remainder peeled"}[r["remainder"]]
    how = "in lock-step" if r["order"] == "time-space" else "independent"
    busy = f"{r['active']} of {r['allocated']} active"
    out = [paint(f"{name}: {verdict(r)}; {size} elements {how}, {steps} steps, {busy}, {rest}", "good")]
    out += _slices(r)
    proof = r["proof"]
    out.append(f"  proof: {proof['dependences']} dependences, {proof['across_pes']} between elements (integer sets)")
    for x in r["reductions"]:
        deep = f", {x['interleave']} deep" if x["interleave"] > 1 else ""
        out.append(f"  {x['op']} of {x['name']}: {x['partials']} partials{deep}, tree of depth {x['tree_depth']}")
    for x in r["private"]:
        if x["kind"] != "local":
            out.append(
                f"  each element has its own {x['name']}" + (", the last one kept" if x["kind"] != "privatised" else "")
            )
    if r["partition"]:
        banks = (f"{p['array']}: {p['type']} {p['factor']} dim {p['dim']}" for p in r["partition"])
        out.append(f"  banks: {'; '.join(banks)}")
    out += [f"  {note}" for note in r["notes"]]
    out += _figures(r)
    if r["sweep"]:
        rows = [
            [x["pe"], extent(x["bounds"]["cycles"]), x["ii"], x["dsp"], x["bram18k"], extent(x["bounds"]["efficiency"])]
            for x in r["sweep"]
        ]
        out.append(table(["PE", "Cycles", "II", "DSP", "BRAM18K", "Efficiency"], rows).rstrip("\n"))
    return "".join(line + "\n" for line in out)


def _slices(r: Mapping[str, Any]) -> list[str]:
    """What the elements own, as a line of one loop or a grid of two."""
    slices = r["slices"]
    if not slices:
        return []
    if len(r["space"]) == 1:
        cells = [f"p{s['pe'][0]} {_owned(s['loops'][r['loops'][0]])}" for s in slices[:_MOST_DRAWN]]
        more = " .." if len(slices) > _MOST_DRAWN else ""
        return [f"  {r['loops'][0]}: {'  '.join(cells)}{more}"]
    if len(r["space"]) != 2:
        return []
    rows, columns = r["loops"]
    grid: list[list[str]] = []
    for k in range(min(r["space"][0], _MOST_DRAWN)):
        mine = [s for s in slices if s["pe"][0] == k][:_MOST_DRAWN]
        grid.append([f"{rows} p{k}", *(f"{_owned(s['loops'][rows])}|{_owned(s['loops'][columns])}" for s in mine)])
    return table([f"{columns} ->", *(f"p{k}" for k in range(len(grid[0]) - 1))], grid).rstrip("\n").split("\n")


def _owned(numbers: Any) -> str:
    if isinstance(numbers, Mapping):
        return f"{numbers['first']}..{numbers['last']}"
    if len(numbers) > 3:
        return f"{numbers[0]},{numbers[1]}..{numbers[-1]}"
    return ",".join(map(str, numbers)) or "-"


def _figures(r: Mapping[str, Any]) -> list[str]:
    cycles, ii, resources = r["cycles"], r["ii"], r["resources"]
    if cycles is None:
        return []
    before, after = cycles["bounds"]["before"], cycles["bounds"]["after"]
    if None in (*before.values(), *after.values()):
        return [f"  cycles unknown: {cycles['cause']}"]
    gains = dict.fromkeys(f"{a / b:.1f}" for a, b in ((before["min"], after["max"]), (before["max"], after["min"])))
    ideal = f", ideal {cycles['before'] / cycles['ideal']:.1f}x" if cycles["ideal"] else ""
    parts = [f"cycles {extent(before)} -> {extent(after)} ({'..'.join(gains)}x{ideal})"]
    if ii["before"] is not None or ii["after"] is not None:
        parts.append(f"II {_known(ii['before'])} -> {_known(ii['after'])}")
    parts += [f"{k.upper()} {_known(a)} -> {_known(b)}" for k, (a, b) in
              (("dsp", resources["dsp"]), ("bram18k", resources["bram18k"]))]  # fmt: skip
    limit = ii["limit"] or ("loop start-up" if cycles["ideal"] and after["min"] > cycles["ideal"] else None)
    return [f"  {', '.join(parts)}" + (f"; next limit: {limit}" if limit else "")]


def _known(value: Any) -> str:
    return "?" if value is None else str(value)
