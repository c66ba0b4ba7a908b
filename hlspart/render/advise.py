"""Ways to faster loops, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hlspart.render import screen, ways
from hlspart.render.table import table
from hlspart.render.text import broken

Shape = Mapping[str, Any]
_COSTS = (("bram18k", "BRAM18K"), ("uram", "URAM"), ("dsp", "DSP"), ("lut", "LUT"), ("ff", "FF"))


def render(shape: Shape) -> str:
    """Per loop its ways, the one that ``rewrite --infer`` takes marked, with the commands that write them."""
    files = [f for f in shape["files"] if "error" in f or len(f) > 1]
    out = "".join(broken(f) if "error" in f else _file(f) for f in files)
    loops = [x for f in files if "error" not in f for x in f["loops"]]
    return out + (ways.next_step(loops, [f["path"] for f in files]) if ways.first(loops) else "")


def _file(file: Shape) -> str:
    loops = file["loops"]
    out = f"{file['path']}: {_verdict(loops)}\n"
    for loop in loops:
        title = f"{loop['function']}/{loop['name']} (line {loop['line']}): {_aim(loop)}"
        mark = "doubtful" if loop["ii"] is None else "bad" if _misses(loop) else "good"
        if all(w["command"] is None for w in loop["ways"]):
            parts = [part for w in loop["ways"] for part in w["description"].split("; ")]
            rest = "".join(f"; {part}" for part in parts if part.startswith("not tried"))
            out += "  " + screen.paint(f"{title}: nothing that is checked is better{rest}", mark) + "\n"
            out += _proof(loop)
            continue
        out += "  " + screen.paint(title, mark) + "\n"
        reason = next((w["description"].partition("; ")[2] for w in loop["ways"] if w["kind"] == "as-written"), "")
        out += f"    {reason}\n" if reason else ""
        out += _proof(loop)
        out += _table(loop["ways"])
        out += "".join(f"    {w['kind']}: {w['command']}\n" for w in loop["ways"] if w["command"] is not None)
    return out


def _proof(loop: Shape) -> str:
    return "" if loop["proof"] is None else f"    {loop['proof']['text']}\n"


def _aim(loop: Shape) -> str:
    if loop["ii"] is None:
        return "II unknown" + ("" if loop["target_ii"] is None else f", target {loop['target_ii']}")
    words = f" instead of {loop['target_ii']}" if _misses(loop) else ""
    return f"II {loop['ii']}" + (" without a target" if loop["target_ii"] is None and loop["ii"] > 1 else words)


def _misses(loop: Shape) -> bool:
    return None not in (loop["ii"], loop["target_ii"]) and loop["ii"] > loop["target_ii"]


def _verdict(loops: Sequence[Shape]) -> str:
    if not loops:
        return "no loop is pipelined"
    counts = ((sum(map(_misses, loops)), "late"), (sum(x["ii"] is None for x in loops), "of unknown II"))
    said = ", ".join(f"{n} {what}" for n, what in counts if n) or "none late"
    helped = sum(x["ways"][0]["command"] is not None for x in loops if x["ways"])
    many = f"{len(loops)} pipelined loop{'s' * (len(loops) > 1)}"
    return f"{many}, {said}; `rewrite --infer` changes {helped or 'none'}"


def _table(ways: Sequence[Shape]) -> str:
    """A row a way; costs that no way has, and ports where all have as many, are left out."""
    costs = [(key, unit) for key, unit in _COSTS if any(w[key] for w in ways)]
    costs += [("top_ports", "top ports")] if len({w["top_ports"] for w in ways}) > 1 else []
    rows = [
        ("*" if w["default"] else "", w["kind"], w["ii"], w["latency"], *(w[key] for key, _ in costs), _described(w))
        for w in ways
    ]
    return table(("", "way", "II", "latency", *(unit for _, unit in costs), "description"), rows, "    ")


def _described(way: Shape) -> str:
    head, _, rest = way["description"].partition("; ")
    return head if way["kind"] == "as-written" else f"{head}; {rest}" if rest else head
