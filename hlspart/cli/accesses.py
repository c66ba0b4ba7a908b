"""``hlspart accesses``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.poly import through_rows
from hlspart.render import json, shapes, text


@click.command("accesses")
@shared_options
def command(**shared: Any) -> int:
    """List every array access of FILE: affine map, domain, range, count."""
    run = Run("accesses", shared)
    program = run.load()
    analysis = run.pipeline.analysis
    run.out_of_range(analysis)
    analysis = through_rows(program, analysis)
    return run.finish(
        {
            "text": lambda paths: text.accesses(shapes.accesses(program, analysis, paths)),
            "json": lambda paths: json.render(shapes.accesses(program, analysis, paths)),
        }
    )
