"""``hlspart expand``."""

from __future__ import annotations

import json as writer
from typing import Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import dependency_options, shared_options
from hlspart.cli.rewrite import differences, output_of
from hlspart.cli.run import UNUSABLE, Run
from hlspart.model.expanding import ExpandOptions
from hlspart.render import expand as text
from hlspart.render import json


@click.command("expand", cls=CommandWithExample, example="expand kernel.c --loop ROWS --sweep 1,2,4,8")
@shared_options
@click.option("--loop", "loops", metavar="NAME[,NAME]", help="Loops to expand, outermost first; or FUNCTION/NAME.")
@click.option("--pe", metavar="4|4x4", help="Elements per loop.")
@click.option("--grid", metavar="4x4", help="A grid on which to place the loops.")
@click.option("--map", "maps", metavar="M[,M]", help="cyclic (default) or block, per loop.")
@click.option("--order", type=click.Choice(["time-space", "space-time"]), help="Lock-step (default) or independent.")
@click.option("--reduce", "reduce", type=click.Choice(["tree", "serial", "cascade"]), help="How partials are combined.")
@click.option("--allow-reassoc", is_flag=True, help="Sums of floats may be taken in another order.")
@click.option("--interleave", metavar="N|auto", help="Partials per element in turn, for adders of several states.")
@click.option(
    "--remainder", type=click.Choice(["auto", "guard", "peel", "refuse"]), help="When elements do not divide the loop."
)
@click.option("--stage", metavar="A,B", help="Arrays to keep in local buffers for the region.")
@click.option("--objective", type=click.Choice(["active", "steps"]), help="Of the placement on a grid.")
@click.option("--no-time-tile", "one_step", is_flag=True, help="Only placements in which every element works once.")
@click.option("--mem", "memory", multiple=True, metavar="L1=64KiB", help="Capacity of an element's memory.")
@click.option(
    "--partition", type=click.Choice(["auto", "rule", "infer", "none"]), default="auto", show_default=True,
    help="Where the banks of the arrays come from.",
)  # fmt: skip
@click.option("--plan", "plan_only", is_flag=True, help="Verdicts and placement only; nothing is written.")
@click.option("--sweep", metavar="1,2,4,8", help="Cycles, DSP and BRAM for each number of elements.")
@click.option("--map-file", metavar="FILE", help="Write old line <-> new line and the regions as JSON.")
@click.option("--in-place", is_flag=True, help="Replace the inputs.")
@click.option("--diff", is_flag=True, help="Write a unified diff instead of the new text.")
@dependency_options
def command(
    loops: str | None,
    pe: str | None,
    grid: str | None,
    maps: str | None,
    order: str | None,
    reduce: str | None,
    allow_reassoc: bool,
    interleave: str | None,
    remainder: str | None,
    stage: str | None,
    objective: str | None,
    one_step: bool,
    memory: tuple[str, ...],
    partition: str,
    plan_only: bool,
    sweep: str | None,
    map_file: str | None,
    in_place: bool,
    diff: bool,
    **shared: Any,
) -> int:
    """Run a loop nest on several processing elements, proved free of races.

    The loops are named by --loop or by `#pragma hlspart expand pe=4` in their bodies. With --plan and neither,
    every loop is judged.
    """
    from hlspart.expand import UnknownLoop, capacity

    options = ExpandOptions(
        loops=tuple(part for part in (loops or "").split(",") if part),
        pe=_numbers("--pe", pe),
        grid=_numbers("--grid", grid),
        maps=_maps(maps),
        order=order,  # type: ignore[arg-type]
        reduce=reduce,  # type: ignore[arg-type]
        reassoc=allow_reassoc,
        interleave=_interleave(interleave),
        remainder=remainder,  # type: ignore[arg-type]
        stage=None if stage is None else tuple(name for name in stage.split(",") if name),
        objective=objective,  # type: ignore[arg-type]
        time_tile=not one_step,
        capacity=dict(_memory(text_, capacity(text_)) for text_ in memory),
        partition=partition,  # type: ignore[arg-type]
    )
    if options.pe is not None and options.grid is not None:
        raise click.UsageError("give --pe or --grid, not both")
    run = Run("expand", shared, products=True)
    if len(run.files) > 1 and not (run.out_dir or in_place or diff or plan_only or sweep):
        raise click.UsageError("several inputs need --out-dir DIR, --in-place or --diff")
    program = run.load()
    try:
        result = run.pipeline.expand(options, plan_only, _sweep(sweep))
    except UnknownLoop as unknown:
        if run.code == UNUSABLE:
            return run.finish(
                {"text": lambda _: "", "json": lambda _: json.render(text.shape(program, run.pipeline.paths, None))}
            )
        raise click.UsageError(str(unknown)) from None
    if not result.regions and not result.diagnostics and run.code != UNUSABLE:
        raise click.UsageError(
            "nothing to expand: name a loop with --loop, or write #pragma hlspart expand in its body;"
            " --plan judges every loop"
        )
    run.say(result.diagnostics)
    if any(not r.judgement.legal for r in result.regions) and not plan_only:
        run.has_findings()
    if plan_only and result.regions and not any(r.judgement.legal for r in result.regions):
        run.has_findings()
    outputs = {}
    written = not plan_only and not sweep
    for path, new in result.files.items() if written else ():
        if not diff:
            outputs[path] = path if in_place else output_of(run, path)
            run.product(outputs[path], new, in_place)
    if diff and written:
        run.product(run.output or "-", differences(run.kernel.texts, result.files))
    shape = text.shape(program, run.pipeline.paths, result)
    if map_file and written:
        run.product(map_file, writer.dumps(text.map_shape(program, result), indent=1) + "\n")
    run.dependencies(shared, list(outputs.values()))
    quiet = written and not (run.output or run.out_dir or in_place)
    return run.finish({"text": lambda _: text.render(shape), "json": lambda _: json.render(shape)}, quiet=quiet)


def _numbers(option: str, value: str | None) -> tuple[int, ...] | None:
    from hlspart.expand import numbers

    if value is None:
        return None
    extents = numbers(value)
    if extents is None:
        raise click.UsageError(f"{option} {value} is no number of elements, such as 4 or 4x4")
    return extents


def _maps(value: str | None) -> tuple[Any, ...] | None:
    if value is None:
        return None
    for part in value.split(","):
        if part not in ("cyclic", "block"):
            raise click.UsageError(f"--map {part} is neither cyclic nor block")
    return tuple(value.split(","))


def _interleave(value: str | None) -> Any:
    if value is None or value == "auto":
        return value
    if not value.isdigit() or not int(value):
        raise click.UsageError(f"--interleave {value} is neither a number nor auto")
    return int(value)


def _memory(given: str, memory: tuple[str, int] | None) -> tuple[str, int]:
    if memory is None:
        raise click.UsageError(f"--mem {given} is no capacity, such as L1=64KiB")
    return memory


def _sweep(value: str | None) -> tuple[int, ...]:
    if value is None:
        return ()
    parts = value.split(",")
    if not all(p.isdigit() and int(p) for p in parts):
        raise click.UsageError(f"--sweep {value} is no list of numbers, such as 1,2,4")
    return tuple(map(int, parts))
