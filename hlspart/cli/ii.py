"""``hlspart ii``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.render import explain, json


@click.command("ii", cls=CommandWithExample, example="ii kernel.c --explain LOOP")
@shared_options
@click.option("--fail-on-miss", is_flag=True, help="Exit 1 when a loop misses its target II or its II is unknown.")
@click.option("--explain", "explained", metavar="LOOP", help="Print the reservation table of LOOP.")
def command(fail_on_miss: bool, explained: str | None, **shared: Any) -> int:
    """Predict II, depth and latency of every loop of FILE, and say what limits them."""
    run = Run("ii", shared)
    run.load_programs()
    answer = run.kernel.ii()
    for part, result in zip(answer.pipelines, answer.results, strict=True):
        run.statuses(part, result.pragmas)
    if fail_on_miss and any(
        x.target_ii is not None and (x.ii is None or x.ii > x.target_ii) for x in answer.loops if x.pipelined
    ):
        run.has_findings()
    loops = [x for x in answer.loops if explained in (x.name, f"{x.function}/{x.name}", *x.flattened)]
    if explained is not None and not loops:
        names = ", ".join(f"{x.function}/{x.name}" for x in answer.loops) or "none"
        raise click.UsageError(f"no loop {explained!r}; loops are {names}")

    def plain(paths: tuple[str, ...]) -> str:
        return answer.text(paths) if explained is None else "".join(explain.loop(x) for x in loops)

    return run.finish({"text": plain, "json": lambda paths: json.render(answer.to_json(paths))})
