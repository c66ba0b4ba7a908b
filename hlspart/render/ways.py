"""The ways of a loop in short, as every command but ``advise`` shows them, and the command that writes the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from hlspart.model.advising import LoopAdvice, none_better
from hlspart.model.program import Program
from hlspart.model.results import Proof
from hlspart.render import screen

Shape = Mapping[str, Any]
_SHOWN = 3  # of a loop


def figures(way: Shape) -> str:
    """What a way gives, and what it costs."""
    parts = ["II " + ("?" if way["ii"] is None else str(way["ii"]))]
    parts += [] if way["latency"] is None else [f"{way['latency']} cycles"]
    costs = (("bram18k", "BRAM18K"), ("uram", "URAM"), ("dsp", "DSP"), ("lut", "LUT"), ("ff", "FF"))
    return ", ".join(parts + [f"{way[key]} {unit}" for key, unit in costs if way[key]])


def lines(loop: Shape, title: str) -> Iterator[str]:
    """The ranked ways of a loop that misses its target, a line each."""
    yield from _ranked(loop["ways"], title)
    if loop["proof"] is not None:
        yield f"{title}: {loop['proof']['text']}"


def _ranked(ways: Sequence[Shape], title: str) -> Iterator[str]:
    if not ways:
        return
    if all(w["command"] is None for w in ways):
        yield f"{title}: {none_better(w['description'] for w in ways)}"
        return
    if ways[0]["command"] is None:
        yield f"{title}: `rewrite --infer` keeps it as it is; other ways, with their price:"
    else:
        yield f"{title}: ways, the one that `rewrite --infer` takes first:"
    for k, way in enumerate([w for w in ways if w["command"] is not None][:_SHOWN], 1):
        yield f"  {k}. {way['description'].partition(';')[0]}: {figures(way)}"


def first(loops: Sequence[Shape]) -> Shape | None:
    """The way that ``rewrite --infer`` takes for the first loop that it helps."""
    taken = (loop["ways"][0] for loop in loops if loop["ways"])
    return next((w for w in taken if w["command"] is not None), None)


def of_loops(program: Program, advice: Sequence[LoopAdvice]) -> dict[tuple[str, str], dict[str, object]]:
    """By function and name of a loop its ranked ways, with commands about the program, and its proof."""
    files = screen.named([u.path for u in program.units])
    entries = {(x.function, x.name): x.to_json(files) for x in advice}
    return {key: {"ways": entry["ways"], "proof": entry["proof"]} for key, entry in entries.items()}


def no_advice(proof: Proof | None) -> dict[str, object]:
    """The same for a loop that is not asked about."""
    return {"ways": [], "proof": None if proof is None else proof.to_json()}


def new_name(path: str) -> str:
    """A name for another version of a file, in the same language."""
    return "NEW" + (PurePath(path).suffix or ".c")


def command(way: Shape, paths: Sequence[str]) -> str:
    """What writes a way, beside the files; "" where there is nothing to write."""
    where = f"-o {new_name(paths[0])}" if len(paths) == 1 else "--out-dir DIR"
    return (way["command"] or "").replace("-o OUT", where)


def next_step(loops: Sequence[Shape], paths: Sequence[str]) -> str:
    """What to type to have the first way; "" where there is none, and for a library call."""
    way, (again, _) = first(loops), screen.typed()
    if again is None:
        return ""
    if way is not None:
        return f"\nnext: {way['description'].partition(';')[0]}\n  {command(way, paths)}\n"
    if any(len(loop["ways"]) > 1 for loop in loops):
        return f"\nnext: the other ways, and the command that writes each\n  hlspart advise {again}\n"
    return ""
