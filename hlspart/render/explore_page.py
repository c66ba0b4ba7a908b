"""The page of an exploration: one self-contained HTML file without scripts, the same bytes for the same result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from math import log10
from typing import Any

from hlspart.render import svg
from hlspart.render.explore import missing, standing
from hlspart.render.notebook import table
from hlspart.version import __version__

Shape = Mapping[str, Any]
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 1080px; padding: 1.2rem 1rem 2rem; font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } .wide { overflow-x: auto; }
th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
.pictures svg { max-width: 100%; height: auto; }
.brand { color: hsl(210 60% 45%); font-size: .8rem; font-weight: 600; margin: 0; } h1 { margin-top: 0; }
svg text { font: 11px system-ui, sans-serif; fill: currentColor; } .bar { fill: hsl(210 55% 58%); }
.pictures { display: flex; flex-wrap: wrap; gap: 1.5rem; } figure { margin: 0; } figcaption { font-size: .85rem; }
"""
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 460, 260, 56, 32
_UNITS = {"bytes": "bytes", "dsp": "DSP blocks", "model_bram18k": "blocks of BRAM"}
_PHASES = 24  # phases of a nest that are drawn


def render(shape: Shape) -> str:
    """The page about the functions of a document."""
    files = [f for f in shape["files"] if f.get("regions")]
    title = ", ".join(f["path"] for f in files) or "nothing explored"
    body = "".join(map(_file, files))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>hlspart explore: {escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<p class="brand">hlspart explore</p>\n<h1>{escape(title)}</h1>\n{body}'
        f"<footer><p>hlspart {__version__}</p></footer>\n</body>\n</html>\n"
    )


def picture(shape: Shape) -> str:
    """The first front of a document as a picture of its own."""
    points = [p for f in shape["files"] for p in _points(f)]
    drawn = front(points, "bytes", "cycles against bytes")
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


def front(points: Sequence[Shape], against: str, label: str) -> str:
    """Points of a front on logarithmic axes, cycles upwards; the fastest stands out.

    Each says its figures and its vector where the pointer rests.
    """
    if not points:
        return svg.frame(_WIDTH, 20, label, ['<text x="0" y="14">no choice</text>'])
    across = _Axis([p[against] for p in points], _LEFT + 8, _WIDTH - 24)
    up = _Axis([p["cycles"] for p in points], _HEIGHT - _BOTTOM - 8, 24)
    floor = _HEIGHT - _BOTTOM
    title = f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 2}" text-anchor="end">{_UNITS[against]}</text>'
    parts = ['<text x="0" y="10">cycles</text>', title]
    for mark in up.marks:
        y = up.at(mark)
        parts.append(f'<path stroke="#8884" d="M{_LEFT} {y:.1f}H{_WIDTH - 8}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(mark)}</text>')
    for mark in across.marks:
        x = across.at(mark)
        parts.append(f'<path stroke="#8884" d="M{x:.1f} 16V{floor}"/>')
        parts.append(f'<text x="{x:.1f}" y="{floor + 14}" text-anchor="middle">{_short(mark)}</text>')
    parts.append(f'<path d="M{_LEFT} 16V{floor}H{_WIDTH - 8}" fill="none" stroke="currentColor"/>')
    ordered = sorted(points, key=lambda p: -int(p["cycles"]))  # the fastest last, on top of the others
    for k, p in enumerate(ordered, 1):
        blocks = f", {p['model_bram18k']} BRAM18K" if p.get("model_bram18k") is not None else ""
        note = escape(f"{p['cycles']} cycles, {p['bytes']} bytes, {p['dsp']} DSP{blocks}: {_vectors(p)}")
        parts.append(
            f'<circle cx="{across.at(p[against]):.1f}" cy="{up.at(p["cycles"]):.1f}" r="4"'
            f' fill="hsl({"25 85% 50%" if k == len(ordered) else "210 55% 58%"})"'
            f' tabindex="0" role="img" aria-label="{note}">'
            f"<title>{note}</title></circle>"
        )
    return svg.frame(_WIDTH, _HEIGHT, label, parts, "group")


class _Axis:
    """A logarithmic scale: values from 1 on (smaller ones stand there) between two places of the picture."""

    def __init__(self, values: Sequence[int], first: int, last: int) -> None:
        low, high = max(min(values), 1), max(*values, 1) if len(values) > 1 else max(values[0], 1)
        self._low, self._high = log10(low), log10(max(high, low * 2))
        self._first, self._last = first, last
        decades = [10**k for k in range(int(self._low), int(self._high) + 2)]
        fine = [m * d for d in decades for m in (1, 2, 5)]
        inside = [[x for x in marks if low <= x <= max(high, low)] for marks in (decades, fine)]
        self.marks = inside[0] if len(inside[0]) > 2 else inside[1] or [low]

    def at(self, value: int) -> float:
        """The place of a value."""
        share = (log10(max(value, 1)) - self._low) / (self._high - self._low)
        return self._first + share * (self._last - self._first)


def _short(number: int) -> str:
    """1000 as 1k."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size and number % size == 0:
            return f"{number // size}{unit}"
    return str(number)


def _vectors(point: Shape) -> str:
    parts = point.get("regions") or point.get("parts") or [point]
    return "; ".join(f"shard {p['shard']}, slices {p['slice']}, order {' '.join(p['order'])}" for p in parts)


def _points(file: Shape) -> Sequence[Shape]:
    """The front of the whole, or of the first region that has one."""
    fronts = [r["front"] for r in file.get("regions", ()) if r.get("front")]
    return file.get("pareto") or (fronts[0] if fronts else [])


def _file(file: Shape) -> str:
    best = file.get("best")
    out = f"<p>{escape(_verdict(file))}</p>\n<h2>Nests</h2>\n{_wide(_nests(file))}"
    if "best" not in file:
        return out
    out += "<h2>Fronts</h2>\n"
    if file["pareto"]:
        out += _pictures("the whole", file["pareto"])
    for r in file["regions"]:
        if r.get("front") and (len(file["regions"]) > 1 or not file["pareto"]):
            out += _pictures(r["id"], r["front"])
    if best is not None:
        out += f"<h2>Steps</h2>\n{_steps(file)}<h2>Memory</h2>\n{_memory(best)}"
    failed = [(r["id"], x["count"], x["reason"]) for r in file["regions"] for x in r.get("failed", ())]
    failed += [("the whole", x["count"], x["reason"]) for x in file["failed"]]
    out += "<h2>What does not fit</h2>\n"
    out += _wide(table(("nest", "candidates", "at least"), failed)) if failed else "<p>Every candidate fits.</p>\n"
    return out


def _verdict(file: Shape) -> str:
    best = file.get("best")
    if "best" not in file:
        return f"{file['function']}: {file['candidates']} combinations; nothing was evaluated."
    if best is None:
        return f"{file['function']}: {missing(file)}."
    least = "at least " if best["at_least"] else ""
    return (
        f"{file['function']}: {least}{best['cycles']} cycles, {best['bytes']} bytes, {best['dsp']} DSP blocks on "
        f"{file['elements']} elements, {standing(file)} by {file['objective']} under the model {file['model']}; "
        f"{file['evaluated']} candidates evaluated, {file['pruned']} left out by their bound."
    )


def _nests(file: Shape) -> str:
    rows = []
    for r in file["regions"]:
        for at, part in enumerate(r.get("parts", [r])):
            name = f"{r['id']}.{at}" if "parts" in r else r["id"]
            what = part["does"] if part["explored"] else f"keeps its text: {part['reason']}"
            loops = " ".join(f"{x['name']}:{x['extent']}" for x in part.get("loops", ()))
            rows.append((name, r["nests"][at], r["line"], r["layer"], loops, part.get("candidates"), what))
    return table(("nest", "loop", "line", "layer", "loops", "candidates", "does"), rows)


def _pictures(name: str, points: Sequence[Shape]) -> str:
    words = {"bytes": "bytes on the chip", "dsp": _UNITS["dsp"], "model_bram18k": _UNITS["model_bram18k"]}
    drawn = "".join(
        f"<figure>{front(points, k, f'{name}: cycles against {word}')}"
        f"<figcaption>{escape(name)}: cycles against {word}</figcaption></figure>"
        for k, word in words.items()
        if all(p.get(k) is not None for p in points)
    )
    return f'<div class="pictures">{drawn}</div>\n'


def _steps(file: Shape) -> str:
    """Load, compute and store of the first phases of each nest of the choice."""
    out = ""
    for number, rows in groupby(file["steps"], key=lambda row: row["region"]):
        region = file["best"]["regions"][number]
        moves = {m["array"]: m["cycles"] for m in (*region["load"], *region["store"])}
        parts: list[tuple[str, int, int]] = []
        now = 0
        for row in list(rows)[:_PHASES]:
            lengths = [
                ("load " + ", ".join(row["load"]), _time(row["load"], moves, file)),
                (f"compute {row['compute']}", 0 if row["compute"] is None else region["compute"]),
                ("store " + ", ".join(row["store"]), _time(row["store"], moves, file)),
            ]
            parts += [(f"{row['step']}: {what}", now, now + n) for what, n in lengths if n]
            now += max(n for _, n in lengths)
        out += f"<h3>{escape(region['id'])}: {region['steps']} steps, {region['cycles']} cycles</h3>\n"
        out += _wide(svg.waterfall(parts, now, f"phases of {region['id']}"))
    return out


def _time(arrays: Iterable[str], moves: Mapping[str, int], file: Shape) -> int:
    cycles = [moves[a] for a in arrays]
    return (max(cycles) if file["off_chip"]["ports"] == "per-array" else sum(cycles)) if cycles else 0


def _memory(best: Shape) -> str:
    """Buffers of each nest: nests follow each other, and every one has the memory from address 0 or its own."""
    blocks, rows = [], []
    for at, region in enumerate(best["regions"]):
        offset = 0
        for b in region["buffers"]:
            size = b["bytes"] * b["copies"]
            blocks.append((f"{region['id']} {b['array']}", at, at, b["offset"], size))
            rows.append((region["id"], b["array"], b["bytes"], b["copies"], b["offset"]))
            offset = b["offset"] + size
        if region["partial_bytes"]:
            blocks.append((f"{region['id']} parts of sums", at, at, offset, region["partial_bytes"]))
    drawn = svg.memory_map(blocks) if blocks else ""
    return _wide(drawn) + _wide(table(("nest", "array", "bytes", "copies", "from byte"), rows))


def _wide(content: str) -> str:
    return f'<div class="wide">{content}</div>\n'
