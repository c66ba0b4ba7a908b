"""``hlspart trace``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.render import record
from hlspart.stages import STAGES


@click.command("trace", cls=CommandWithExample, example="trace kernel.c --stage program")
@shared_options
@click.option(
    "--stage", type=click.Choice([stage.name for stage in STAGES]), default="program", show_default=True,
    help="What to print: " + "; ".join(f"{stage.name}: {stage.what}" for stage in STAGES) + ".",
)  # fmt: skip
def command(stage: str, **shared: Any) -> int:
    """Print the record of a stage: what hlspart knows of FILE, and what it makes of it on the way to an output."""
    run = Run("trace", shared)
    parts = run.load_programs()
    chosen = next(one for one in STAGES if one.name == stage)
    said = [record.text(chosen.record(part), part.program) for part in parts]
    return run.finish({"text": lambda _: "".join(said)})
