"""``hlspart infer``."""

from __future__ import annotations

from typing import Any

import click

from hlspart.cli.options import shared_options
from hlspart.cli.run import Run
from hlspart.model.options import InferOptions
from hlspart.render import json, shapes, text

_EMITTED = ("pragma", "diff", "cfg", "tcl", "smarthls")


@click.command("infer")
@shared_options
@click.option("--target-ii", type=click.IntRange(min=1), metavar="N", help="Target II of all pipelined loops.")
@click.option("--ports", type=click.IntRange(min=1), metavar="N", help="Ports shared by reads and writes.")
@click.option("--array", "arrays", multiple=True, metavar="NAME", help="Only these arrays; repeatable.")
@click.option("--scheme", type=click.Choice(["auto", "pragma", "any"]), default="auto", show_default=True)
@click.option("--max-banks", type=click.IntRange(min=1), metavar="N", help="At most N banks per array.")
@click.option("--pow2", is_flag=True, help="Only powers of two.")
@click.option("--keep", is_flag=True, help="Keep the partitions that are there.")
@click.option("--effort", type=click.IntRange(0, 9), default=1, show_default=True, help="Search effort.")
@click.option("--objective", type=click.Choice(["banks", "bram", "lut"]), default="banks", show_default=True)
@click.option("--pareto", is_flag=True, help="List the candidates that no other beats.")
@click.option("--emit", type=click.Choice(_EMITTED), help="Print what to paste instead of the report.")
@click.option("--in-place", is_flag=True, help="Write the pragmas into FILE.")
def command(emit: str | None, in_place: bool, **rest: Any) -> int:
    """Find the least partition that reaches the target II, with a proof where there is one."""
    shared = dict(rest)
    options = InferOptions(
        target_ii=shared.pop("target_ii"),
        ports=shared.pop("ports"),
        arrays=shared.pop("arrays"),
        scheme=shared.pop("scheme"),
        max_banks=shared.pop("max_banks"),
        pow2=shared.pop("pow2"),
        keep=shared.pop("keep"),
        effort=shared.pop("effort"),
        objective=shared.pop("objective"),
        pareto=shared.pop("pareto"),
    )
    run = Run("infer", shared, products=bool(emit or in_place))
    program = run.load()
    run.statuses(run.pipeline.validation)
    analysis = run.pipeline.analysis
    names = {v.name for v in program.arrays()}
    for name in options.arrays:
        if name not in names and not any(u.error for u in program.units):
            raise click.UsageError(f"no array {name!r}; arrays are {', '.join(sorted(names)) or 'none'}")
    result = run.pipeline.infer(options)
    if any(x.target_ii is not None and (x.ii_after is None or x.ii_after > x.target_ii) for x in result.loops):
        run.found()
    if emit or in_place:
        from hlspart.infer import emission

        if in_place:
            for path, new in emission.pragma_texts(program, result).items():
                run.product(path, new)
        if emit:
            run.product(run.output or "-", emission.emit(program, result, emit))
    return run.finish(
        {
            "text": lambda paths: text.infer(shapes.infer(program, analysis, result, paths)),
            "json": lambda paths: json.render(shapes.infer(program, analysis, result, paths)),
        }
    )
