"""MARS of a loop nest for people: the table, and the bursts of one tile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hlspart.model.printable import in_lines
from hlspart.render.table import table
from hlspart.render.text import broken


def render(shape: Mapping[str, Any]) -> str:
    """One block per array record."""
    out = []
    for file in in_lines(shape["files"]):
        if "error" in file:
            out.append(broken(file))
            continue
        if not file.get("legal", True):
            continue  # what stands in the way is said; no figure of such tiles means anything
        tile = ", ".join(f"{t['hyperplane']}:{t['size']}" for t in file.get("tile", ()))
        out.append(f"{file['path']}: tile {tile or 'unknown'}\n")
        out.extend(_array(a) for a in file.get("arrays", ()))
        if file.get("actual"):
            out.append(_actual(file["actual"]))
        out.extend(f"  note: {n}\n" for n in file.get("notes", ()))
    return "".join(out)


def _array(array: Mapping[str, Any]) -> str:
    copy = f", copy {array['copy']}" if array["copy"] else ""
    head = f"\n  {array['name']} ({array['kind']}, {array['class']}{copy})"
    if not array["accepted"]:
        return f"{head}: not accepted: {array['reason']}\n"
    if array["boundary"]:
        head += f" read by tiles at {array['boundary']}"
    if array["residue_classes"] > 1:
        head += f", tiles at residue {_vector(array['residue'])} of {array['residue_classes']}"
    bursts = array["bursts"]
    out = f"{head}: {len(array['mars'])} MARS, {array['consumers']} consumer tiles, "
    out += f"footprint {array['footprint']} words\n"
    into, outof = array["flow_in"], array["flow_out"]
    out += f"    in: {into['mars']} MARS, {into['words']} words"
    if array["kind"] == "flow":
        out += f"; out: {outof['mars']} MARS, {outof['words']} words"
    out += f"; block of {array['block']} words, {array['padding']} of them padding\n"
    if bursts is not None:
        best = "minimal" if array["optimal"] else f"not proved minimal, at least {bursts['read_bound']}"
        out += (
            f"    bursts per tile: read {bursts['read']} ({best}; row-major {bursts['row_major_read']},"
            f" bounding box {bursts['box_read']} of {bursts['box_read_words']} words),"
            f" write {bursts['write']} (row-major {bursts['row_major_write']})\n"
            f"    AXI transactions per tile: at most {bursts['read_transactions']} reads,"
            f" {bursts['write_transactions']} writes\n"
        )
    rows = [
        (m["id"], m["size"], _vector(m["owner"]), m["offset"], " ".join(_vector(c) for c in m["consumers"]))
        for m in array["mars"]
    ]
    if rows:
        out += table(("MARS", "words", "owner", "offset", "consumers"), rows, indent="    ")
    plan = [(_vector(t["owner"]), t["offset"], t["words"], " ".join(map(str, t["mars"]))) for t in array["reads"]]
    if plan:
        out += table(("burst from", "offset", "words", "MARS"), plan, indent="    ")
    out += "".join(f"    {name}: {'proved' if ok else 'FAILS'}\n" for name, ok in array["checks"].items())
    return out + "".join(f"    note: {n}\n" for n in array["notes"])


def _actual(sets: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (
            s["array"],
            s["kind"],
            s["size"],
            "-" if s["producer"] is None else _vector(s["producer"]),
            " ".join(_vector(c) for c in s["consumers"]),
        )
        for s in sets
    ]
    return "\n  actual tiles, borders included:\n" + table(
        ("array", "kind", "words", "producer", "consumers"), rows, indent="    "
    )


def _vector(values: Sequence[int]) -> str:
    return "(" + ",".join(map(str, values)) + ")"
