"""``hlspart advise``."""

from __future__ import annotations

import math
from typing import Any

import click

from hlspart.api import advise as ask
from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import again, shared_options
from hlspart.cli.run import Run
from hlspart.render import advise, json


@click.command("advise", cls=CommandWithExample, example="advise kernel.c --pareto")
@shared_options
@click.option("--pareto", is_flag=True, help="All ways that no other beats.")
@click.option("--allow-reassoc", "reassoc", is_flag=True, help="Sums of floats may change their order.")
@click.option("--split-top", "new_ports", is_flag=True, help="The top function may get new ports.")
def command(pareto: bool, reassoc: bool, new_ports: bool, **shared: Any) -> int:
    """Rank the ways to a faster loop, each written, read back and priced; * marks what `rewrite --infer` takes."""
    run = Run("advise", shared)
    for part in run.load_programs():
        run.statuses(part)
    answer = ask(run.kernel, again(shared), pareto=pareto, allow_reassoc=reassoc, new_ports=new_ports)
    if any(x.ways and x.ways[0].kind == "as-written" and (x.ii or 0) > (x.target_ii or math.inf) for x in answer.loops):
        run.has_findings()
    return run.finish(
        {"text": lambda paths: advise.render(answer.to_json(paths)), "json": lambda p: json.render(answer.to_json(p))}
    )
