"""The report page: one self-contained HTML file, no script, no network, the same bytes for the same input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hlspart import __version__
from hlspart.model.results import LoopResult
from hlspart.render import svg
from hlspart.render.text import extent, limit_text, loop_title, partition_text

Shape = Mapping[str, Any]


@dataclass(frozen=True)
class BankPicture:
    """Banks of the elements of one array: ``cells`` are rows of bank numbers, ``note`` what they leave out."""

    path: str
    name: str
    cells: tuple[tuple[int, ...], ...]
    caption: str


@dataclass(frozen=True)
class SourceLines:
    """Text of a file and, by 1-based line, the loop (``function/name``) that the line belongs to."""

    lines: tuple[str, ...]
    loops: Mapping[int, tuple[str, str]]


def render(
    ii: Shape,
    infer: Shape,
    schedules: Mapping[tuple[str, str], LoopResult],
    pictures: Sequence[BankPicture],
    sources: Mapping[str, SourceLines],
    findings: Mapping[str, Sequence[tuple[int, str, str]]],
) -> str:
    """``findings``: path -> (line, severity or status, text). ``schedules``: by function and loop name."""
    environment = Environment(
        loader=PackageLoader("hlspart", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    inferred = {f["path"]: f for f in infer["files"]}
    good = [f for f in ii["files"] if "error" not in f]
    files = [_file(f, inferred.get(f["path"], {}), schedules, pictures, sources, findings) for f in ii["files"]]
    return environment.get_template("report.html.j2").render(
        title=", ".join(f["path"] for f in ii["files"]),
        assumptions="Assumed: " + "; ".join(good[0]["assumptions"]) if good else "",
        files=files,
        version=__version__,
    )


def _file(
    file: Shape,
    inferred: Shape,
    schedules: Mapping[tuple[str, str], LoopResult],
    pictures: Sequence[BankPicture],
    sources: Mapping[str, SourceLines],
    findings: Mapping[str, Sequence[tuple[int, str, str]]],
) -> Shape:
    if "error" in file:
        return {"path": file["path"], "error": file["error"], "line": file["line"]}
    path = file["path"]
    loops = {(x["function"], x["name"]): x for x in file["loops"]}
    pairs = [(loop_title(x), x["ii_before"], x["ii_after"]) for x in inferred.get("loops", ())]
    return {
        "path": path,
        "error": None,
        "loops": [_loop(x) for x in file["loops"]],
        "bars": Markup(svg.bars(pairs)) if pairs else "",
        "schedules": [_schedule(schedules[k]) for k, x in loops.items() if k in schedules and _missed(x)],
        "maps": [
            {"svg": Markup(svg.bank_map(p.cells, f"banks of {p.name}")), "caption": p.caption}
            for p in pictures
            if p.path == path
        ],
        "inferred": [_array(a) for a in inferred.get("arrays", ()) if a["banks"] > 1],
        "findings": [
            {"line": line, "status": status, "text": text, "mark": _mark(status)}
            for line, status, text in findings.get(path, ())
        ],
        "lines": _lines(sources[path], loops),
    }


def _missed(loop: Shape) -> bool:
    return loop["target_ii"] is not None and (loop["ii"] is None or loop["ii"] > loop["target_ii"])


def _mark(status: str) -> str:
    return {"applied": "good", "error": "bad", "rejected": "bad", "conflict": "bad", "warning": "bad"}.get(
        status, "soft"
    )


def _loop(x: Shape) -> Shape:
    unknown = "?" if x["bounds"] is None else "{}..{}".format(*x["bounds"])
    reason = limit_text(x["limits"][0]) if x["limits"] and _missed(x) else x["cause"] or ""
    return {
        "title": loop_title(x),
        "line": x["line"],
        "trips": extent(x["trip_count"]),
        "target": x["target_ii"] if x["pipelined"] else "-",
        "ii": x["ii"] if x["ii"] is not None else (unknown if x["pipelined"] else "-"),
        "mark": "bad" if _missed(x) else "good" if x["pipelined"] else "",
        "ideal": "-" if x["ideal_ii"] is None else x["ideal_ii"],
        "depth": "-" if x["depth"] is None else x["depth"],
        "latency": extent(x["latency"]),
        "reason": reason,
    }


def _array(x: Shape) -> Shape:
    what = partition_text(x["partition"]) if x["partition"] else x["kind"]
    if x["mapping"] is not None:
        what = f"{x['kind']} " + ", ".join(f"{k} {v}" for k, v in x["mapping"].items() if v is not None)
    proof = f"minimal in {x['space']}" if x["proved_minimal"] else "not proved minimal"
    if x["absolute"]:
        proof = "minimal over any mapping"
    return {"name": x["name"], "what": what, "banks": x["banks"], "proof": proof}


def _schedule(loop: LoopResult) -> Shape:
    """Memory ports of the schedule, and what found no port within the target II."""
    slots = loop.ii or 1
    used, ports, late = [], [], []
    for item in loop.schedule:
        for port in (item.resource or "").split(", "):
            if " p" not in port:
                continue
            if port not in ports:
                ports.append(port)
            used.append((port, item.slot or 0, f"{item.operation} line {item.line}"))
    ports.sort()
    for port, slot, what in used:
        if loop.target_ii is not None and slot >= loop.target_ii:
            late.append(f"{what} ({port})")
    rows = [(ports.index(p), s, w) for p, s, w in used]
    text = "; ".join(x.text for x in loop.limits[:1] if x.text) or "no limit is known"
    picture = svg.port_table(ports[:64], min(slots, 32), [r for r in rows if r[0] < 64 and r[1] < 32], late[:16])
    return {"title": f"{loop.function}/{loop.name}", "text": text, "svg": Markup(picture)}


def _lines(source: SourceLines, loops: Mapping[tuple[str, str], Shape]) -> list[Shape]:
    out: list[Shape] = []
    for number, text in enumerate(source.lines, 1):
        loop = loops.get(source.loops[number]) if number in source.loops else None
        heat = ""
        if loop is not None and loop["pipelined"]:
            value = loop["ii"]
            heat = " hu" if value is None else f" h{1 if value <= 1 else 2 if value == 2 else 3 if value <= 4 else 4}"
        out.append({"text": text.encode("utf-8", "replace").decode(), "heat": heat})
    return out
