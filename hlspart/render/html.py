"""The report page: one self-contained HTML file, no network, the same bytes for the same input.

Its one script copies commands and shows which access, slot and bank belong together; the page says all without it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct, field

from hlspart.model.diagnostics import Diagnostic
from hlspart.model.parts import FunctionResult
from hlspart.model.results import LoopResult
from hlspart.render import svg, verdict
from hlspart.render.cards import ShownAccess, card, cells_at, marked_source, partitioned
from hlspart.render.text import dims, extent, limit_text, loop_title, partition_text
from hlspart.version import __version__

Shape = Mapping[str, Any]
_MAPS = 180_000  # characters of all bank maps together; what would be more is drawn in part


class BankPicture(Struct, frozen=True):
    """Banks of the elements of one array: ``cells`` are rows of bank numbers, ``caption`` what they leave out.

    ``wrapped``: the array has one dimension, and the rows are pieces of it.
    """

    path: str
    name: str
    cells: tuple[tuple[int, ...], ...]
    caption: str
    wrapped: bool


class SourceLines(Struct, frozen=True):
    """Text of a file and, by 1-based line, the loop (function, name) that the line belongs to."""

    lines: tuple[str, ...]
    loops: Mapping[int, tuple[str, str]]


class Story(Struct, frozen=True):
    """All records of one program. ``schedules``: by function and loop name; ``sources``: by path.

    ``formals``: arrays, by function and name, that stand for one of their callers. ``expansions``: entries of
    ``hlspart.expand/1`` with their file. ``touches``: accesses by their number. ``elsewhere``: loops, by function and
    name, that stand in another file than their function, and which. ``changes``: what the inferred partitions change in
    a file, as a unified diff.
    """

    ii: Shape
    infer: Shape
    schedules: Mapping[tuple[str, str], LoopResult]
    pictures: Sequence[BankPicture]
    sources: Mapping[str, SourceLines]
    findings: Sequence[Diagnostic]
    formals: frozenset[tuple[str | None, str]]
    expansions: Sequence[Shape] = ()
    touches: Mapping[int, ShownAccess] = field(default_factory=dict)
    functions: Mapping[str, Sequence[FunctionResult]] = field(default_factory=dict)
    elsewhere: Mapping[tuple[str, str], str] = field(default_factory=dict)
    changes: Mapping[str, str] = field(default_factory=dict)


def render(stories: Sequence[Story], paths: Sequence[str]) -> str:
    """The page about some of the files of some programs."""
    environment = Environment(
        loader=PackageLoader("hlspart", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: "?" if value is None else value,
    )
    script = environment.loader.get_source(environment, "report.js")[0].strip() if environment.loader else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    entries = [(s, f) for s in stories for f in s.ii["files"] if f["path"] in paths]
    entries.sort(key=lambda entry: paths.index(entry[1]["path"]))
    inferred = {f["path"]: f for s in stories for f in s.infer["files"]}
    files = [_file(s, number, f, inferred.get(f["path"], {})) for number, (s, f) in enumerate(entries)]
    good = [f for _, f in entries if "error" not in f]
    arrays = [
        a for s, f in entries if "error" not in f for a in f["arrays"] if (a["function"], a["name"]) not in s.formals
    ]
    return environment.get_template("report.html.j2").render(
        title=", ".join(paths),
        verdict=_verdict(good, [inferred.get(f["path"], {}) for f in good], len(entries) - len(good)),
        tiles=_tiles(good, [d for f in files for d in f["findings"]], arrays),
        assumptions="; ".join(good[0]["assumptions"]) if good else "",
        files=files,
        script=Markup(script),
        styles=Markup(svg.styles()),
        digest=digest,
        version=__version__,
    )


def _expansions(story: Story, path: str) -> list[Shape]:
    """Regions that pragmas want on several elements: what was judged, and the grid."""
    expansions: list[Shape] = []
    for region in (r for r in story.expansions if r["path"] == path):
        space = [*(region["space"] or ()), 1, 1][:2]
        owned: dict[tuple[int, int], str] = {}
        for one in region["slices"]:
            own = "; ".join(f"{name} {values}" for name, values in one["loops"].items())
            row, column = [*one["pe"], 0][:2]
            owned[row, column] = own
        name = f"{region['function']}/{','.join(region['loops'])}"
        picture = svg.element_grid(space[0], space[1], owned, f"elements of {name}") if region["space"] else ""
        expansions.append(
            {"name": name, "line": region["line"], "verdict": region["verdict"], "reason": region["reason"] or "",
             "svg": Markup(picture)}
        )  # fmt: skip
    return expansions


def _verdict(files: Sequence[Shape], inferred: Sequence[Shape], broken: int) -> str:
    """One sentence on top."""
    loops = [(f["path"], x) for f in files for x in f["loops"]]
    text = verdict.verdict([x for _, x in loops], sum(f["unread"] for f in files))
    missing = [
        (path, x) for path, x in loops if verdict.is_missed(x) or (verdict.is_unknown(x) and x["target_ii"] is not None)
    ]
    after = {(f["path"], x["function"], x["name"]): x["ii_after"] for f in inferred for x in f.get("loops", ())}
    pairs = [(x, after.get((path, x["function"], x["name"]))) for path, x in missing]
    helped = sum(then is not None and then <= x["target_ii"] for x, then in pairs)
    if helped:
        text += "; what infer finds would mend " + ("it" if len(missing) == 1 else f"{helped} of them")
    text = text[0].upper() + text[1:] + "."
    return text + (f" {broken} file{'s' * (broken > 1)} could not be read." if broken else "")


def _tiles(files: Sequence[Shape], findings: Sequence[Shape], arrays: Sequence[Shape]) -> list[Shape]:
    """Figures on top."""
    loops = [x for f in files for x in f["loops"]]
    missed, unknown = sum(map(verdict.is_missed, loops)), sum(map(verdict.is_unknown, loops))
    serious = sum(d["status"] in ("error", "warning") for d in findings)
    known = [a["bram18k"] for a in arrays if a["bram18k"] is not None]
    return [
        {"number": sum(bool(x["pipelined"]) for x in loops), "what": "pipelined loops", "mark": ""},
        {"number": missed, "what": "miss the target II", "mark": "bad" if missed else "" if unknown else "good"},
        *([{"number": unknown, "what": "cannot be predicted", "mark": "doubtful"}] if unknown else []),
        {"number": sum(a["banks"] or 0 for a in arrays), "what": "banks", "mark": ""},
        {"number": sum(known), "what": "BRAM18K", "mark": ""},
        {"number": sum(a["registers"] or 0 for a in arrays), "what": "array registers (bits)", "mark": ""},
        {"number": serious, "what": "errors and warnings", "mark": "bad" if serious else "good"},
    ]


def _file(story: Story, number: int, file: Shape, inferred: Shape) -> Shape:
    path = file["path"]
    findings = [_finding(d, path) for d in story.findings if _shown_in(story, d, path)]
    if "error" in file:
        return {"path": path, "error": file["error"], "line": file["line"], "findings": findings}
    loops = {(x["function"], x["name"]): x for x in file["loops"]}
    outcomes = inferred.get("loops", ())
    pairs = [(loop_title(x), x["ii_before"], x["ii_after"]) for x in outcomes if x["ii_before"] != x["ii_after"]]
    bad = {k: x for k, x in loops.items() if k in story.schedules and verdict.mark(x) in ("bad", "doubtful")}
    shown = {s.access for k in bad for s in story.schedules[k].schedule if s.held}
    touches = [t for t in story.touches.values() if t.path == path and t.id in shown]
    marks = {d["line"]: d["mark"] for d in reversed(findings) if d["path"] is None}
    return {
        "path": path,
        "anchor": f"f{number}",
        "error": None,
        "cards": [card(x, story.schedules[k], story.touches, path) for k, x in bad.items()],
        "change": story.changes.get(path, ""),
        "waterfalls": _waterfalls(story.functions.get(path, ())),
        "loops": [_loop(x, story.elsewhere.get(k)) for k, x in loops.items()],
        "expansions": _expansions(story, path),
        "arrays": [_memory(a) for a in file["arrays"]],
        "regions": [_region(x) for x in file["regions"]],
        "lifetimes": [_lifetime(x, file["regions"]) for x in file["lifetimes"]],
        "memory": _memory_map(file["memory"]),
        "asked": bool(outcomes),
        "bars": Markup(svg.bars(pairs)) if pairs else "",
        "maps": _maps([p for p in story.pictures if p.path == path], [story.schedules[k] for k in bad], story.touches),
        "inferred": [_array(a) for a in inferred.get("arrays", ()) if a["kind"] != "none"],
        "directives": [
            {"line": p["line"], "path": p["path"] if p["path"] != path else None, "status": p["status"],
             "text": p["text"], "note": p["reason"] or "", "mark": _mark(p["status"])}
            for p in file["pragmas"]
        ],
        "findings": findings,
        "lines": _lines(story.sources[path], loops, marks, touches),
    }  # fmt: skip


def _shown_in(story: Story, item: Diagnostic, path: str) -> bool:
    """A finding stands with its file, one in a header or directive file with the first file."""
    given = [f["path"] for f in story.ii["files"]]
    return item.place.path == path or (item.place.path not in given and path == given[0])


def _finding(item: Diagnostic, path: str) -> Shape:
    return {
        "line": item.place.line,
        "path": item.place.path if item.place.path != path else None,
        "status": item.severity,
        "rule": f"{item.rule} {item.name}",
        "text": item.message,
        "hint": item.hint or "",
        "mark": _mark(item.severity),
    }


def _mark(status: str) -> str:
    return {"applied": "good", "error": "bad", "rejected": "bad", "conflict": "bad", "warning": "warn"}.get(
        status, "soft"
    )


_MARKS = {"bad": "bad", "doubtful": "warn", "good": "good", "": ""}


def _loop(x: Shape, elsewhere: str | None) -> Shape:
    unknown = "?" if x["bounds"] is None else "{}..{}".format(*x["bounds"])
    reason = limit_text(x["limits"][0]) if x["limits"] and verdict.is_missed(x) else x["cause"] or ""
    return {
        "title": loop_title(x),
        "line": x["line"],
        "path": elsewhere,
        "trips": extent(x["trip_count"]),
        "target": x["target_ii"] if x["target_ii"] is not None else "-",
        "ii": x["ii"] if x["ii"] is not None else (unknown if x["pipelined"] else "-"),
        "mark": _MARKS[verdict.mark(x)],
        "ideal": "-" if x["ideal_ii"] is None else x["ideal_ii"],
        "depth": "-" if x["depth"] is None else x["depth"],
        "latency": extent(x["latency"]),
        "reason": reason,
    }


def _region(x: Shape) -> Shape:
    touched = {kind: ", ".join(x[kind]) or "-" for kind in ("reads", "writes", "calls")}
    return {
        "title": f"{x['function']}/{x['loop'] or 'outside of loops'}",
        "line": x["line"],
        "end": x["end_line"],
        **touched,
    }


def _lifetime(x: Shape, regions: Sequence[Shape]) -> Shape:
    own = [r for r in regions if r["function"] == x["function"]]
    if x["first"] is None:
        text = "unknown: its address is used"
    else:
        text = f"line {own[x['first']]['line']} to {own[x['last']]['end_line']}"
    return {"name": f"{x['function']}/{x['array']}", "text": text + "; across calls" * x["across_calls"]}


def _memory_map(x: Shape) -> Shape | None:
    """The picture of who is where and when, and what sharing would save; None without arrays on the chip."""
    shown = [b for b in x["buffers"] if b["bytes"]]
    if not shown:
        return None
    blocks = [(b["id"], b["first"], b["last"], b["offset"], b["bytes"] * b["copies"]) for b in shown]
    saved = x["bytes"] < x["unshared_bytes"] or x["bram18k"] < x["unshared_bram18k"]
    text = f"{x['bytes']} bytes, {x['bram18k']} BRAM18K"
    if saved:
        text += f" when arrays share memory as hlspart buffers writes it; now {x['unshared_bytes']} bytes,"
        text += f" {x['unshared_bram18k']} BRAM18K"
    return {"svg": Markup(svg.memory_map(blocks)), "text": text}


def _memory(x: Shape) -> Shape:
    return {
        "name": f"{x['function']}/{x['name']}" if x["function"] else x["name"],
        "extents": f"{dims(x['dims'])} x {x['element_bits']} bit" if x["element_bits"] else dims(x["dims"]),
        "storage": x["storage"],
        "ports": "any" if x["ports"] is None else x["ports"],
        "banks": "?" if x["banks"] is None else x["banks"],
        "partition": partition_text(x["partition"]) if x["partition"] else "",
        "bram18k": "?" if x["bram18k"] is None else x["bram18k"],
        "registers": "?" if x["registers"] is None else x["registers"],
    }


def _array(x: Shape) -> Shape:
    proof = f"minimal in {x['space']}" if x["proved_minimal"] else "not proved minimal"
    if x["absolute"]:
        proof = "minimal over any mapping"
    how = x["command"] if x["needs_rewrite"] else "\n".join(x["pragmas"])
    return {"name": x["name"], "what": partitioned(x), "banks": x["banks"], "proof": proof, "how": how}


def _maps(
    pictures: Sequence[BankPicture], missing: Sequence[LoopResult], touches: Mapping[int, ShownAccess]
) -> list[Shape]:
    """Bank maps, with the elements marked that late loops touch at once, as long as the page stays small."""
    out: list[Shape] = []
    room = _MAPS
    for p in pictures:
        banks = sorted({b for row in p.cells for b in row})
        columns = max(len(row) for row in p.cells)
        marked: dict[tuple[int, int], str] = {}
        for loop in missing:
            for element, ids in cells_at(loop, p.name, touches).items():
                lead, place = element[:-2], divmod(element[-1], columns) if p.wrapped else element[-2:]
                if not any(lead) and len(place) == 2 and place[0] < len(p.cells) and place[1] < columns:
                    marked[place] = ids
        picture, part = _drawn(p, marked, room)
        room -= len(picture)
        out.append({
            "svg": Markup(picture),
            "legend": Markup(svg.legend(banks)),
            "caption": p.caption + part,
            "marked": "framed: what one iteration touches at once" if "data-a" in picture else "",
        })  # fmt: skip
    return out


def _drawn(p: BankPicture, marked: Mapping[tuple[int, int], str], room: int) -> tuple[str, str]:
    """The map, or as much of its upper left corner as tells it apart or there is room for, and what part that is."""
    rows, columns = len(p.cells), len(p.cells[0])
    shown = rows, columns
    if rows * columns > svg.CELLS:
        down, across = (max((at[k] + 1 for at in marked), default=0) for k in (0, 1))
        shown = _telling(p.cells, down), columns if p.wrapped else _telling(tuple(zip(*p.cells, strict=True)), across)
    for most in (1 << 20, 64, 32, 16, 8):
        size = min(shown[0], most), shown[1] if p.wrapped else min(shown[1], most)
        cells = [row[: size[1]] for row in p.cells[: size[0]]]
        inside = {at: ids for at, ids in marked.items() if at[0] < size[0] and at[1] < size[1]}
        picture = svg.bank_map(cells, f"banks of {p.caption}", p.wrapped, inside)
        if len(picture) <= room:
            part = f"the first {size[0] * size[1]}" if p.wrapped else f"{size[0]} x {size[1]} of them"
            rest = "; the others repeat them" if size == shown else ""
            return picture, "" if size == (rows, columns) else f", drawn: {part}{rest}"
    return "", ", not drawn: the page would be too large"


def _telling(lines: Sequence[Sequence[int]], least: int) -> int:
    """How many of the lines to draw: one period where they repeat, but at least eight and ``least``, else all."""
    for period in range(1, len(lines) // 2 + 1):
        if all(line == lines[k][: len(line)] for k, line in enumerate(lines[period:])):
            return min(len(lines), max(period, least, 8))
    return len(lines)


def _waterfalls(functions: Sequence[FunctionResult]) -> list[Shape]:
    """When the loops and calls of each function run, where that is known."""
    out: list[Shape] = []
    for f in functions:
        end = f.latency.max
        if end is not None and f.parts:
            rows = [(x.name, x.first, x.last) for x in f.parts]
            out.append({"name": f.name, "cycles": end, "svg": Markup(svg.waterfall(rows, end, f"states of {f.name}"))})
    return out


def _lines(
    source: SourceLines,
    loops: Mapping[tuple[str, str], Shape],
    marks: Mapping[int, str],
    touches: Sequence[ShownAccess],
) -> list[Shape]:
    out: list[Shape] = []
    for number, text in enumerate(source.lines, 1):
        loop = loops.get(source.loops[number]) if number in source.loops else None
        heat = ""
        if loop is not None and loop["pipelined"]:
            value = loop["ii"]
            heat = " hu" if value is None else f" h{1 if value <= 1 else 2 if value == 2 else 3 if value <= 4 else 4}"
        mark = marks.get(number, "")
        shown = marked_source(text.encode("utf-8", "replace").decode(), number, touches)
        out.append({"text": shown, "heat": heat, "mark": mark})
    return out
