"""Buffers and the memory they share, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlspart.render.table import table
from hlspart.render.text import broken

Shape = Mapping[str, Any]


def render(shape: Shape, with_steps: bool = False) -> str:
    """Per file: totals, the buffers with lifetimes and offsets, the pools, why others share nothing; the step table."""
    return "".join(broken(f) if "error" in f else _file(f, with_steps) for f in shape["files"] if len(f) > 1)


def _file(file: Shape, with_steps: bool) -> str:
    proof = "minimal, proved" if file["proved_minimal"] else f"not proved minimal, at least {file['lower_bound']}"
    out = f"{file['path']}: {file['bytes']} bytes ({proof}; {file['unshared_bytes']} without sharing)\n"
    if file.get("bram18k") is not None:
        out += f"  {file['bram18k']} BRAM18K ({file['unshared_bram18k']} without sharing)\n"
    if file["buffers"]:
        rows = [_row(b) for b in file["buffers"]]
        header = ("buffer", "in", "first", "last", "bytes", "copies", "offset", "pool", "note")
        out += table(header, rows)
    for pool in file.get("pools", ()):
        out += f"  {pool['name']} in {pool['function']}: {', '.join(pool['members'])}; {pool['bytes']} bytes,"
        out += f" {pool['bram18k']} BRAM18K\n"
    for step in file.get("steps", ()) if with_steps else ():
        repeats = "".join(f" in {r}" for r in step["repeats"])
        out += f"  step {step['step']}: {step['function']} lines {step['line']}..{step['end_line']}{repeats}:"
        out += f" reads {' '.join(step['reads']) or '-'}, writes {' '.join(step['writes']) or '-'}\n"
    return out


def _row(b: Shape) -> tuple[object, ...]:
    note = f"in place of {b['inplace_of']}" if b["inplace_of"] else b["reason_not_shared"] or ""
    where = b.get("function") or "-"
    pool = "-" if b["pool"] is None else b["pool"]
    return (b["id"], where, b["first"], b["last"], b["bytes"], b["copies"], b["offset"], pool, note)
