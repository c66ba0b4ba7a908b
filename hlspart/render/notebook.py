"""Shapes as tables for notebooks: HTML without styles or scripts of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from hlspart.render.text import dims, extent, partition_text

Shape = Mapping[str, Any]


def table(header: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """An HTML table; None is a dash."""
    head = "".join(f"<th>{escape(h)}</th>" for h in header)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(c)}</td>' for c in row)}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    return "-" if value is None else escape(str(value))


def _files(shape: Shape) -> list[Shape]:
    return [f for f in shape["files"] if "error" not in f]


def accesses(shape: Shape) -> str:
    """One row per access."""
    rows = (
        (
            a["line"],
            a["kind"],
            a["array"],
            a["function"],
            "/".join(a["loops"]) or None,
            a["map"] or a["reason"],
            a["count"],
        )
        for f in _files(shape)
        for a in f["accesses"]
    )
    return table(("line", "kind", "array", "function", "loops", "index", "count"), rows)


def ii(shape: Shape) -> str:
    """One row per loop, then one per array."""
    out = []
    for f in _files(shape):
        loops = (
            (x["function"], x["name"], x["line"], x["ii"] if x["bounds"] is None else "{}..{}".format(*x["bounds"]),
             x["target_ii"], x["depth"], extent(x["trip_count"]), extent(x["latency"]),
             x["cause"] or "; ".join(y["text"] for y in x["limits"][:1]))
            for x in f["loops"]
        )  # fmt: skip
        header = ("function", "loop", "line", "II", "target", "depth", "trips", "latency", "limit")
        out.append(table(header, loops, f"{f['tool']}, {f['part']}, {f['clock_ns']:g} ns"))
        arrays = (
            (f"{a['name']}{dims(a['dims'])}", a["function"], a["storage"], "?" if a["banks"] is None else a["banks"],
             partition_text(a["partition"]))
            for a in f["arrays"]
        )  # fmt: skip
        out.append(table(("array", "function", "storage", "banks", "partition"), arrays))
    return "".join(out)


def infer(shape: Shape) -> str:
    """One row per array, then one per loop."""
    out = []
    for f in _files(shape):
        arrays = (
            (a["name"], a["function"], a["banks"], a["lower_bound"], "proved" if a["proved_minimal"] else "not proved",
             "\n".join(a["pragmas"]) or ("needs rewrite" if a["needs_rewrite"] else None), a["reason"])
            for a in f["arrays"]
        )  # fmt: skip
        out.append(table(("array", "function", "banks", "lower bound", "least", "pragmas", "reason"), arrays))
        loops = ((x["function"], x["name"], x["target_ii"], x["ii_before"], x["ii_after"]) for x in f["loops"])
        out.append(table(("function", "loop", "target", "II before", "II after"), loops))
    return "".join(out)


def rewrite(shape: Shape) -> str:
    """One row per group of arrays."""
    rows = (
        (", ".join(x["arrays"]), x["status"], x["style"], x["reason"]) for f in _files(shape) for x in f["outcomes"]
    )
    return table(("arrays", "status", "style", "reason"), rows)


def buffers(shape: Shape) -> str:
    """One row per array."""
    rows = (
        (b["id"], b["function"], b["first"], b["last"], b["bytes"], b["copies"], b["offset"], b["pool"],
         b["reason_not_shared"])
        for f in _files(shape)
        for b in f["buffers"]
    )  # fmt: skip
    return table(("buffer", "function", "first", "last", "bytes", "copies", "offset", "pool", "not shared"), rows)


def explore(shape: Shape) -> str:
    """One row per nest of the choice."""
    rows = (
        (
            r["id"],
            r["kind"],
            r["shard"],
            r["slice"],
            " ".join(r["order"]),
            r["steps"],
            r["cycles"],
            r["bytes"],
            r["dsp"],
        )
        for f in _files(shape)
        for r in (f.get("best") or {"regions": []})["regions"]
    )
    return table(("nest", "kind", "shard", "slices", "order", "steps", "cycles", "bytes", "DSP"), rows)


def layout(shape: Shape) -> str:
    """One row per array, then one per conversion."""
    arrays = [(a["name"], a["demand"], a["layout"], a["reason"]) for f in _files(shape) for a in f["arrays"]]
    moves = [
        (c["array"], c["from"], c["to"], c["at_line"], c["bytes"]) for f in _files(shape) for c in f["conversions"]
    ]
    out = table(("array", "demand", "layout", "reason"), arrays)
    return out + table(("conversion", "from", "to", "line", "bytes"), moves)


def lint(shape: Shape) -> str:
    """One row per finding."""
    rows = (
        (d["rule"], d["name"], d["severity"], f"{d['path']}:{d['line']}", d["message"], d["hint"])
        for d in shape["diagnostics"]
    )
    return table(("rule", "name", "severity", "place", "message", "hint"), rows)


def verify(shape: Shape) -> str:
    """One row."""
    rows = ((f["path"], f["new"], f["status"], f["vectors"], f["message"]) for f in shape["files"])
    return table(("original", "new", "status", "vectors", "message"), rows)


def advise(shape: Shape) -> str:
    """The ways of each loop."""
    columns = ("kind", "ii", "latency", "bram18k", "dsp", "lut", "ff", "top_ports", "command")
    rows = [
        (f"{x['function']}/{x['name']}", *(w[c] for c in columns))
        for f in _files(shape)
        for x in f["loops"]
        for w in x["ways"]
    ]
    return table(("loop", *columns), rows)
