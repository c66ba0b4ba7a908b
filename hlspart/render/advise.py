"""Ways to faster loops, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlspart.render.table import table
from hlspart.render.text import broken

Shape = Mapping[str, Any]
_HEADER = ("", "way", "II", "latency", "BRAM18K", "URAM", "DSP", "LUT", "FF", "top ports", "description")


def render(shape: Shape) -> str:
    """Per loop its ways, the one to take marked, with the command that writes it."""
    return "".join(broken(f) if "error" in f else _file(f) for f in shape["files"] if len(f) > 1)


def _file(file: Shape) -> str:
    out = f"{file['path']}\n"
    for loop in file["loops"]:
        aim = f" instead of {loop['target_ii']}" if loop["ii"] != loop["target_ii"] else ""
        out += f"  {loop['function']}/{loop['name']} (line {loop['line']}): II {loop['ii'] or '?'}{aim}\n"
        out += table(_HEADER, [_row(w) for w in loop["ways"]], "    ")
        command = next((w["command"] for w in loop["ways"] if w["default"]), None)
        out += f"    {command}\n" if command else "    nothing that is checked is better\n"
    return out if file["loops"] else out + "  no loop is pipelined\n"


def _row(way: Shape) -> tuple[object, ...]:
    return (
        "*" if way["default"] else "", way["kind"], way["ii"], way["latency"], way["bram18k"], way["uram"], way["dsp"],
        way["lut"], way["ff"], way["top_ports"], way["description"],
    )  # fmt: skip
