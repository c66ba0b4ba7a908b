"""``hlspart ii`` on a terminal: the columns of a synthesis report, what limits each loop, memories, totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hlspart.model.printable import in_lines
from hlspart.render import verdict, ways
from hlspart.render.screen import paint
from hlspart.render.table import Marked, table
from hlspart.render.text import assignment, broken, dims, extent, limit_text, lines_of, loop_title, partition_text

Shape = Mapping[str, Any]

_COLUMNS = (
    "Modules & Loops", "Line", "Issue", "Latency (cycles)", "Latency (ns)", "Iteration Latency", "Target", "Interval",
    "Ideal", "Trip Count", "Pipelined", "BRAM", "DSP", "FF ~", "LUT ~", "limited by",
)  # fmt: skip
_SPARE = (
    "Latency (ns)",
    "FF ~",
    "LUT ~",
    "BRAM",
    "DSP",
    "Pipelined",
    "Ideal",
    "Issue",
    "Iteration Latency",
    "Line",
)  # first to go
_MEMORY_SPARE = ("mux LUT", "URAM", "registers", "LUT", "storage")


def text(shape: Shape) -> str:
    """Assumptions, then per file: the verdict, the table, a sentence per limit of a missed loop, memories, totals,
    directives; last the next step."""
    out: list[str] = []
    good = [f for f in in_lines(shape["files"]) if "error" not in f]
    for file in in_lines(shape["files"]):
        if "error" in file:
            out.append(broken(file))
            continue
        if not out:
            out.append("assumed: " + "; ".join(file["assumptions"]) + "\n")
        head = f"{file['path']}: {verdict.verdict(file['loops'], file['unread'])}"
        marks = {verdict.mark(x) for x in file["loops"]}
        out.append("\n" + paint(head, next((m for m in ("bad", "doubtful", "good") if m in marks), "")) + "\n")
        if file["loops"]:
            out.append(table(_COLUMNS, list(_rows(file)), spare=_SPARE))
            for loop in file["loops"]:
                out.extend(f"  {note}\n" for note in _notes(loop))
                out.extend(f"  {line}\n" for line in ways.lines(loop, loop_title(loop)))
        shown = [a for a in file["arrays"] if a["banks"] != 1 or a["partition"] or any(a[k] for k in _MEMORY)]
        if shown:
            header = (
                "array", "extents", "storage", "ports", "banks", "partition", "BRAM18K", "URAM", "registers", "LUT",
                "mux LUT",
            )  # fmt: skip
            out.append("\n" + table(header, [_memory(a) for a in shown], spare=_MEMORY_SPARE))
            out.append(_totals(file["resources"]))
        if file["pragmas"]:
            out.append("\n")
            for p in file["pragmas"]:
                reason = f": {p['reason']}" if p["reason"] else ""
                out.append(f"  line {p['line']}: {p['status']}: {p['text']}{reason}\n")
    loops, paths = [x for f in good for x in f["loops"]], [f["path"] for f in good]
    return "".join(out) + (ways.next_step(loops, paths) or verdict.next_step(loops))


_MEMORY = ("bram18k", "uram", "registers", "luts", "mux_luts")


_NO_FUNCTION: Shape = {
    "latency": {"min": None, "max": None},
    "resources": {"bram18k": None, "dsp": None, "ff": None, "lut": None},
}


def _rows(file: Shape) -> Iterator[tuple[object, ...]]:
    """A row per function that has loops, followed by those of its loops."""
    functions = {f["name"]: f for f in file["functions"]}
    for name in dict.fromkeys(x["function"] for x in file["loops"]):
        function = functions.get(name, _NO_FUNCTION)
        latency, used = function["latency"], function["resources"]
        yield (
            f"+ {name}", "-", "-", extent(latency), _ns(latency, file["clock_ns"]), "-", "-", "-", "-", "-", "-",
            *(_known(used[k]) for k in ("bram18k", "dsp", "ff", "lut")), "",
        )  # fmt: skip
        for loop in file["loops"]:
            if loop["function"] == name:
                yield _loop(loop, file["clock_ns"])


def _loop(loop: Shape, clock: float) -> tuple[object, ...]:
    unknown = f"?{'' if loop['bounds'] is None else ' {}..{}'.format(*loop['bounds'])}"
    interval = ("-" if not loop["pipelined"] else unknown) if loop["ii"] is None else loop["ii"]
    missed = loop["ii"] is None or loop["target_ii"] is None or loop["ii"] > loop["target_ii"]
    first = loop["limits"][0] if loop["limits"] and missed else None
    return (
        f"  o {loop['name']}",
        loop["line"],
        "II" if loop["target_ii"] is not None and loop["ii"] is not None and missed else "-",
        extent(loop["latency"]),
        _ns(loop["latency"], clock),
        "?" if loop["depth"] is None and loop["cause"] else _known(loop["depth"]),
        _known(loop["target_ii"]),
        Marked(interval, verdict.mark(loop)),
        _known(loop["ideal_ii"]),
        extent(loop["trip_count"]),
        _pipelined(loop),
        "-",
        _known(loop["dsp"]),
        "-",
        "-",
        limit_text(first) if first and not (loop["ii"] is None and loop["cause"]) else loop["cause"] or "",
    )


def _pipelined(loop: Shape) -> str:
    if loop["origin"] == "auto":
        return "auto" if loop["pipelined"] else "?"
    return "yes" if loop["pipelined"] else "no"


def _known(value: int | None) -> int | str:
    return "-" if value is None else value


def _ns(latency: Shape, clock: float) -> str:
    """Latency in ns, as ``extent`` writes it in cycles."""
    low, high = (None if latency[k] is None else latency[k] * clock for k in ("min", "max"))
    parts = ["?" if x is None else f"{x:g}" if x < 1e6 else f"{x:.3e}" for x in (low, high)]
    return parts[0] if parts[0] == parts[1] else "..".join(parts)


def _notes(loop: Shape) -> Iterator[str]:
    """One sentence per limit of a loop that misses its target, or may."""
    reached = loop["ii"] if loop["ii"] is not None else (loop["bounds"] or (0, 0))[1]
    if loop["target_ii"] is None or reached <= loop["target_ii"]:
        return
    for limit in loop["limits"]:
        if limit["ii"] <= loop["target_ii"]:
            continue
        said = limit["text"] or f"{limit_text(limit)}, {lines_of(limit['lines'])}"
        if limit.get("witness"):
            said += f", for example at {assignment(limit['witness'])}"
        hint = f"; {limit['hint']}" if limit["hint"] else ""
        sure = limit["ii"] <= (loop["bounds"] or (0, 0))[0]
        perhaps = "" if loop["ii"] is not None else "at least " if sure else "at most "
        yield f"{loop_title(loop)}: {perhaps}II {limit['ii']}: {said}{hint}"


def _memory(array: Shape) -> tuple[object, ...]:
    where = f"{array['function']}/" if array["function"] else ""
    copies = f" x{array['copies']}" if array["copies"] > 1 else ""
    return (
        where + array["name"],
        dims(array["dims"]),
        array["storage"] + copies,
        "any" if array["ports"] is None else array["ports"],
        "?" if array["banks"] is None else array["banks"],
        partition_text(array["partition"]),
        *(array[k] for k in _MEMORY),
    )


def _totals(resources: list[Shape]) -> str:
    parts = []
    for r in resources:
        share = f" of {r['available']} ({100 * r['used'] / r['available']:.1f} %)" if r["available"] else ""
        if r["used"]:
            parts.append(f"{r['used']} {r['name']}{share}")
    return f"  all arrays: {', '.join(parts) or 'nothing on chip'}\n"
