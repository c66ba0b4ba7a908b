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
    parts = run.load_programs()
    for part in parts:
        run.out_of_range(part)
    found = [(part.program, through_rows(part.program, part.analysis)) for part in parts]

    def shape(paths: tuple[str, ...]) -> shapes.Shape:
        return shapes.joined([shapes.accesses(*one, paths) for one in found], paths)

    return run.finish(
        {"text": lambda paths: text.accesses(shape(paths)), "json": lambda paths: json.render(shape(paths))}
    )
