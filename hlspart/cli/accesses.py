"""``hlspart accesses``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.render import json


@click.command("accesses", cls=CommandWithExample, example="accesses kernel.c --format json")
@shared_options
def command(**shared: Any) -> int:
    """List every array access of FILE: affine map, domain, range, count."""
    run = Run("accesses", shared)
    for part in run.load_programs():
        run.out_of_range(part)
    answer = run.kernel.accesses
    return run.finish({"text": answer.text, "json": lambda paths: json.render(answer.to_json(paths))})
