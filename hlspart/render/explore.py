"""Exploration for people: the choice, what it costs, why others failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hlspart.render.table import table
from hlspart.render.text import broken

Shape = Mapping[str, Any]

#: Points of a front that are printed.
MOST_POINTS = 40


def shardings(shape: Shape) -> str:
    """Shard vectors of a tensor, level by level."""
    out = f"{shape['shape']} on {shape['elements']}: {shape['candidates']} candidates\n"
    for level in shape["levels"]:
        out += f"  factor {level['factor']}, {level['tiles']} tiles: {level['count']}\n"
        out += "".join(f"    {v}\n" for v in level["shardings"])
    return out


def render(shape: Shape, progress: bool = False) -> str:
    """Per file: the verdict, the nests, the choice with its copies, the failures."""
    return "".join(broken(f) if "error" in f else _file(f) for f in shape["files"] if len(f) > 1)


def _file(file: Shape) -> str:
    out = f"{file['path']}: {file['function']}: {_verdict(file)}\n"
    out += _nests(file["regions"], file["at_once"])
    if "best" not in file:
        out += f"  {file['candidates']} combinations; nothing was evaluated\n"
        return out
    out += f"  {file['evaluated']} candidates evaluated, {file['pruned']} left out by their bound\n"
    for region in file["regions"]:
        for failed in region.get("failed", ()):
            out += f"  {region['id']}: {failed['count']} candidates miss {failed['reason']} (at least)\n"
    for failed in file["failed"]:
        out += f"  a choice misses {failed['reason']}\n"
    if file["best"] is not None:
        out += _best(file["best"])
    if file["pareto"]:
        rows = [(p["cycles"], p["bytes"], p["dsp"]) for p in file["pareto"]]
        out += table(("cycles", "bytes", "dsp"), rows[:MOST_POINTS])
        if len(rows) > MOST_POINTS:
            out += f"  and {len(rows) - MOST_POINTS} more of fewer bytes or DSP blocks (--format json, --html)\n"
    return out


def _verdict(file: Shape) -> str:
    if "best" not in file:
        return f"{sum(1 for r in file['regions'] if r['explored'])} of {len(file['regions'])} nests can be explored"
    best = file["best"]
    if best is None:
        return missing(file)
    least = "at least " if best["at_least"] else ""
    figures = f"{least}{best['cycles']} cycles, {best['bytes']} bytes, {best['dsp']} DSP"
    return f"{figures} ({standing(file)} by {file['objective']})"


def missing(file: Shape) -> str:
    """Why there is no choice: that nothing fits is known of a search that looked at everything."""
    if file["choices"]:
        read = len(file["evaluations"])
        return (
            f"no choice: of {file['choices']} that fit by the model {read} were read back, and none keeps to the limits"
        )
    if not all(part.get("complete", True) for r in file["regions"] for part in r.get("parts", [r])):
        return f"no choice found before the limit: {file['evaluated']} candidates evaluated"
    needs = ", ".join(f"{k} {v}" for k, v in file["smallest_need"].items())
    own = file["resident_bytes"]
    stay = f" ({own} bytes of it for arrays of {file['function']} itself)" if own else ""
    return f"nothing fits; the least that is needed: {needs}{stay}"


def standing(file: Shape) -> str:
    """How sure it is that the choice is the best."""
    if file["proved"]:
        return "proved best"
    if file["best"]["at_least"]:
        return "not proved best: figures of an iteration are not known"
    return f"not proved best: {file['gap']} of the bound {file['bound']}"


def _nests(regions: Sequence[Shape], at_once: Sequence[Sequence[str]]) -> str:
    rows = []
    for r in regions:
        parts = r.get("parts", [r])
        for at, part in enumerate(parts):
            name = r["id"] if len(parts) == 1 else f"{r['id']}.{at}"
            rows.append((name, r["line"], r["layer"], *_nest(part)))
    out = table(("nest", "line", "layer", "loops", "candidates", "note"), rows)
    for r in regions:
        if "parts" in r:
            kept = ", ".join(r["on_chip"]) or "no array"
            out += f"  {r['id']} is one region ({r['by']}): {kept} stays on the chip between its nests\n"
    return out + "".join(f"  {' and '.join(group)} run at once\n" for group in at_once)


def _nest(part: Shape) -> tuple[str, object, str]:
    if not part["explored"]:
        return "-", "-", f"keeps its text: {part['reason']}"
    loops = " ".join(f"{x['name']}:{x['extent']}" for x in part["loops"])
    a = part["assumed"]
    names = (("II", "ii"), ("depth", "depth"), ("DSP", "dsp"))
    figures = (f"{name} {'at least ' if key in a['at_least'] else ''}{a[key]}" for name, key in names)
    note = f"{part['does']}; {', '.join(figures)}"
    note += f"; runs {part['repeats']} times" if part["repeats"] > 1 else ""
    return loops, part["candidates"], note + _alike(part)


def _alike(part: Shape) -> str:
    """What a nest shares with an earlier one."""
    if part["functions_of"]:
        return f"; as {part['functions_of']}, by its functions"
    return f"; as {part['reused_from']}" if part["reused_from"] else ""


def _best(best: Shape) -> str:
    out = ""
    for r in best["regions"]:
        out += f"  {r['id']} ({r['kind']}): shard {r['shard']}, slices {r['slice']}, order {' '.join(r['order'])};"
        out += f" {r['steps']} steps, {r['compute']} cycles each, {r['cycles']} in all"
        out += f" ({r['serial_cycles']} one after the other)\n"
        rows = []
        load, store = ({m["array"]: m for m in r[kind]} for kind in ("load", "store"))
        for b in r["buffers"]:
            m = load.get(b["array"]) or store.get(b["array"])
            moves = " ".join(k for k, have in (("load", load), ("store", store)) if b["array"] in have)
            turns = (f"every {m['period']}", m["cycles"]) if m is not None else ("-", "-")
            rows.append((b["array"], b["bytes"], b["copies"], b["banks"], moves or "-", *turns))
        out += table(("array", "bytes", "copies", "banks", "moves", "steps", "cycles"), rows, indent="    ")
    if best["bram18k"] is not None:
        known = best["schedule_cycles"]
        cycles = f"{known} cycles" if known is not None else f"cycles not known: {best['schedule_cause']}"
        memories = f"{best['bram18k']} BRAM18K, {best['uram']} URAM"
        out += f"  the C, with latencies by `ii`: {cycles}, {best['schedule_dsp']} DSP, {memories}\n"
        if best["source_cycles"] is not None:
            out += f"  as it is, with all its arrays on the chip: {best['source_cycles']} cycles\n"
    return out
