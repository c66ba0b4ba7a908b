"""``hlspart mars``."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import shared_options
from hlspart.cli.run import UNUSABLE, Run
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.mars import MarsOptions
from hlspart.model.options import FrontendOptions, InferOptions, Options
from hlspart.pipeline import Pipeline
from hlspart.render import json
from hlspart.render import mars as text


@click.command("mars", cls=CommandWithExample, example='mars stencil.c --top stencil --tile "t+i:8,t-i:8" --check')
@shared_options
@click.option("--tile", "tile", metavar='"t+i:8,t-i:8"', help="Affine forms of the iterators with their sizes.")
@click.option("--nest", metavar="LOOP", help="Label or line of the nest's outermost loop.")
@click.option("--check", is_flag=True, help="Prove irredundant, complete, atomic, maximal.")
@click.option("--enumerate", "listed", is_flag=True, help="List the actual sets of a small problem.")
@click.option("--place", is_flag=True, help="Place statements that the tiling does not reach, or would turn round.")
@click.option("--copies", is_flag=True, help="Store an array once for each class of accesses that moves by itself.")
@click.option("--align", type=click.IntRange(1, 4096), default=64, show_default=True, metavar="BYTES")
@click.option("--port-bits", type=click.IntRange(8, 1024), default=512, show_default=True, metavar="BITS")
@click.option("--beats", type=click.IntRange(1, 256), default=16, show_default=True, help="Beats per AXI transaction.")
@click.option("--svg", "svg_file", metavar="FILE", help="Draw tile, footprint and MARS in colours.")
def command(
    tile: str | None,
    nest: str | None,
    check: bool,
    listed: bool,
    place: bool,
    copies: bool,
    align: int,
    port_bits: int,
    beats: int,
    svg_file: str | None,
    **shared: Any,
) -> int:
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
        options = MarsOptions(align, port_bits, beats, check, listed, place, nest, copies)
        result = mars.analyse(program, run.pipeline.proved, top, tile, options)
        run.say(result.diagnostics)
        run.code = max(run.code, result.exit_code)
        entry = result.to_json()
        if run.output and run.code != UNUSABLE and result.legal:
            generated = mars.code(program, run.pipeline.proved, result, options)
            if isinstance(generated, str):
                new, diagnostics = _partitioned(generated, run.output, f"{top}_tile", run.pipeline.options)
                run.product(run.output, new)
                run.say(diagnostics)
            else:
                run.say([generated])
        if svg_file and run.code != UNUSABLE:
            from hlspart.mars.svg import draw

            run.product(svg_file, draw(result))
    shape = run.document("hlspart.mars/1", lambda _: entry)
    return run.finish({"text": lambda _: text.render(shape), "json": lambda _: json.render(shape)})


def _partitioned(text_: str, path: str, top: str, options: Options) -> tuple[str, list[Diagnostic]]:
    """The generated C with its local buffers partitioned as ``infer`` finds, and loops that still miss their II."""
    from hlspart.infer.emission import pragma_texts
    from hlspart.mars.codegen import HOST

    device, host = text_.split(HOST, 1)
    pipeline = Pipeline([path], replace(options, top=top, frontend=FrontendOptions()), lambda _: device.encode())
    inferred = pipeline.infer(InferOptions(scheme="pragma"))
    new = pragma_texts(pipeline.program, inferred).get(path, device) + HOST + host
    missed = [
        Diagnostic(
            "mars-ii", "mars-ii", "warning", Place(path, 1, 1, 1, 1),
            f"{x.function}/{x.name} of the generated code needs II {x.ii_after or 'unknown'}: {x.cause or 'see ii'}",
        )
        for x in inferred.loops
        if x.target_ii is not None and (x.ii_after is None or x.ii_after > x.target_ii)
    ]  # fmt: skip
    return new, missed
