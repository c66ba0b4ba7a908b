"""``hlspart mars``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.options import shared_options
from hlspart.cli.run import UNUSABLE, Run
from hlspart.model.mars import MarsOptions
from hlspart.render import json
from hlspart.render import mars as text


@click.command("mars")
@shared_options
@click.option("--tile", "tile", metavar='"t+i:8,t-i:8"', help="Affine forms of the iterators with their sizes.")
@click.option("--check", is_flag=True, help="Prove irredundant, complete, atomic, maximal.")
@click.option("--enumerate", "listed", is_flag=True, help="List the actual sets of a small problem.")
@click.option("--align", type=click.IntRange(1, 4096), default=64, show_default=True, metavar="BYTES")
@click.option("--port-bits", type=click.IntRange(8, 1024), default=512, show_default=True, metavar="BITS")
@click.option("--beats", type=click.IntRange(1, 256), default=16, show_default=True, help="Beats per AXI transaction.")
def command(tile: str | None, check: bool, listed: bool, align: int, port_bits: int, beats: int, **shared: Any) -> int:
    """Lay out the data of a tiled loop nest so that every word is moved once, in few bursts.

    Without -o prints the analysis; with -o OUT.c writes C for the layout.
    """
    from hlspart import mars

    run = Run("mars", shared, products=True)
    if len(run.files) != 1:
        raise click.UsageError("mars takes one file")
    program = run.load()
    entry: dict[str, Any] = {}
    if run.code != UNUSABLE:
        top = run.top()
        options = MarsOptions(align=align, port_bits=port_bits, beats=beats, check=check, enumerate=listed)
        result = mars.analyse(program, run.pipeline.analysis, top, tile, options)
        run.say(result.diagnostics)
        run.code = max(run.code, result.exit_code)
        entry = result.to_json()
        if run.output and run.code != UNUSABLE:
            generated = mars.code(program, run.pipeline.analysis, result, options)
            if isinstance(generated, str):
                run.product(run.output, generated)
            else:
                run.say([generated])
    shape = run.document("hlspart.mars/1", lambda _: entry)
    return run.finish({"text": lambda _: text.render(shape), "json": lambda _: json.render(shape)})
