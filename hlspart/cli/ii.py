"""``hlspart ii``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.render import explain, json, shapes
from hlspart.render import ii as report


@click.command("ii")
@shared_options
@click.option("--fail-on-miss", is_flag=True, help="Exit 1 when a loop misses its target II or its II is unknown.")
@click.option("--explain", "explained", metavar="LOOP", help="Print the reservation table of LOOP.")
def command(fail_on_miss: bool, explained: str | None, **shared: Any) -> int:
    """Predict II, depth and latency of every loop of FILE, and say what limits them."""
    run = Run("ii", shared)
    parts = run.load_programs()
    for part in parts:
        run.statuses(part)
    every = [x for part in parts for x in part.ii.loops]
    if fail_on_miss and any(
        x.target_ii is not None and (x.ii is None or x.ii > x.target_ii) for x in every if x.pipelined
    ):
        run.found()
    loops = [x for x in every if explained in (x.name, f"{x.function}/{x.name}", *x.flattened)]
    if explained is not None and not loops:
        names = ", ".join(f"{x.function}/{x.name}" for x in every) or "none"
        raise click.UsageError(f"no loop {explained!r}; loops are {names}")

    def shape(paths: tuple[str, ...]) -> shapes.Shape:
        return shapes.joined([shapes.ii(p.program, p.analysis, p.ii, paths) for p in parts], paths)

    def plain(paths: tuple[str, ...]) -> str:
        if explained is not None:
            return "".join(explain.loop(x) for x in loops)
        return report.text(shape(paths))

    return run.finish({"text": plain, "json": lambda paths: json.render(shape(paths))})
