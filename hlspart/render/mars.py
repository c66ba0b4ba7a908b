"""MARS of a loop nest for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlspart.render.table import table
from hlspart.render.text import broken


def render(shape: Mapping[str, Any]) -> str:
    """One block per array record."""
    out = []
    for file in shape["files"]:
        if "error" in file:
            out.append(broken(file))
            continue
        tile = ", ".join(f"{t['hyperplane']}:{t['size']}" for t in file.get("tile", ()))
        out.append(f"{file['path']}: tile {tile or 'unknown'}\n")
        out.extend(_array(a) for a in file.get("arrays", ()))
        out.extend(f"  note: {n}\n" for n in file.get("notes", ()))
    return "".join(out)


def _array(array: Mapping[str, Any]) -> str:
    head = f"\n  {array['name']} ({array['kind']}, {array['class']})"
    if not array["accepted"]:
        return f"{head}: not accepted: {array['reason']}\n"
    if array["residue_classes"] > 1:
        head += f", tiles at residue {tuple(array['residue'])} of {array['residue_classes']}"
    bursts = array["bursts"]
    out = f"{head}: {len(array['mars'])} MARS, {array['consumers']} consumer tiles, "
    out += f"footprint {array['footprint']} words\n"
    if bursts is not None:
        best = "minimal" if array["optimal"] else "not proved minimal"
        out += (
            f"    bursts per tile: read {bursts['read']} ({best}; row-major {bursts['row_major_read']}),"
            f" write {bursts['write']} (row-major {bursts['row_major_write']})\n"
        )
    rows = [(m["id"], m["size"], m["offset"], " ".join(_vector(c) for c in m["consumers"])) for m in array["mars"]]
    out += table(("MARS", "words", "offset", "consumers"), rows, indent="    ")
    out += "".join(f"    {name}: {'proved' if ok else 'FAILS'}\n" for name, ok in array["checks"].items())
    return out + "".join(f"    note: {n}\n" for n in array["notes"])


def _vector(values: list[int]) -> str:
    return "(" + ",".join(map(str, values)) + ")"
