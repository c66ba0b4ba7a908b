"""Layouts for people: the numbers of a tensor, bursts, constants; nests, arrays and conversions of a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlspart.render.table import table
from hlspart.render.text import broken

Shape = Mapping[str, Any]


def formulas(shape: Shape) -> str:
    """What is asked without a file."""
    out = ""
    if "layout" in shape:
        x = shape["layout"]
        parts = f"{x['cx']} x {x['block']} + {x['c0']}" if x["form"] == "blocked" else str(x["c0"])
        out += f"{x['name']} ({x['form']}): {x['shape'][3]} channels as {parts}, {x['padded_c']} with padding\n"
        out += f"  batch: {x['batch_bytes']} bytes, stride {x['batch_stride']} bytes\n"
        out += f"  total: {x['total_bytes']} bytes, {x['total_padded']} with the last batch padded\n"
        for a in shape["addresses"]:
            out += f"  ({', '.join(map(str, a['at']))}) at byte {a['byte']}\n"
    for b in shape.get("bursts", ()):
        out += f"{b['bytes']} bytes from {b['base']}: {len(b['pieces'])} bursts ({' + '.join(map(str, b['pieces']))}),"
        out += f" {b['transactions']} AXI transactions\n"
    if "offchip" in shape:
        out += table(("constant", "base"), list(shape["offchip"]["base"].items()), indent="")
        out += f"end: {shape['offchip']['end']}\n"
    return out


def render(shape: Shape) -> str:
    """What is asked of a file."""
    out = []
    for file in shape["files"]:
        if "error" in file:
            out.append(broken(file))
        elif "nests" in file:
            out.append(_file(file))
    return "".join(out)


def _verdict(file: Shape) -> str:
    blocked = [a["name"] for a in file["arrays"] if a["layout"] != "compact"]
    if not blocked and all(x["demand"] in ("any", "compact") for x in (*file["nests"], *file["arrays"])):
        return "nothing asks for blocks, every array stays row-major (ask with `#pragma hlspart layout` or --plan)"
    said = (
        f"{len(blocked)} of {len(file['arrays'])} arrays in blocks or tiles; {file['conversion_bytes']} bytes converted"
    )
    if not file["proved_minimal"]:
        return f"{said}, not proved the least: at least {file['conversion_bound']}"
    if file["conversions_bfs"] > file["conversion_bytes"]:
        return f"{said}, the least: blocks wherever one demand reaches another take {file['conversions_bfs']}"
    return f"{said}, the least"


def _file(file: Shape) -> str:
    out = f"{file['path']}: {file['function']}: {_verdict(file)}\n"
    nests = [(n["line"], n["name"] or "-", n["demand"], n["layout"], n["reason"]) for n in file["nests"]]
    out += table(("line", "nest", "demand", "layout", "reason"), nests)
    out += "\n" + table(
        ("array", "demand", "layout", "reason"),
        [(a["name"], a["demand"], a["layout"], a["reason"]) for a in file["arrays"]],
    )
    for c in file["conversions"]:
        out += f"  convert {c['array']} from {c['from']} to {c['to']} at line {c['at_line']}: {c['bytes']} bytes"
        out += f", for lines {', '.join(map(str, c['merged_with']))} too\n" if c["merged_with"] else "\n"
    return out
