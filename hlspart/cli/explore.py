"""``hlspart explore``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import click

from hlspart.api import ExploreAnswer
from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import optional_files
from hlspart.cli.progress import PROGRESS
from hlspart.cli.run import UNUSABLE, Run, reports
from hlspart.inputs import display_path
from hlspart.model.explored import ExploreResult
from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, ResourceBudget
from hlspart.reading import read_file
from hlspart.render import explore as text
from hlspart.render import explore_page as page
from hlspart.render import json

SCHEMA = "hlspart.explore/1"
_UNITS = {"": 1, "b": 1, "kb": 1000, "kib": 1024, "mb": 10**6, "mib": 1 << 20, "gb": 10**9, "gib": 1 << 30}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*|%)\Z")


@click.command("explore", cls=CommandWithExample, example="explore kernel.c --pe 16 --budget bytes=64KiB -o fast.c")
@optional_files
@click.option("--pe", metavar="P[,P...]", help="Processing elements of every nest; of several numbers each takes one.")
@click.option("--pe-at-most", type=click.IntRange(min=1), metavar="P", help="Every number of elements up to P.")
@click.option("--grid", metavar="4x4", help="The same as a grid.")
@click.option("--budget", metavar="bytes=64KiB,dsp=2000,bram=50%,uram=10", help="Limits; % are shares of the part.")
@click.option("--offchip", metavar="bytes=64,latency=84,ports=1", help="External memory; ports=per-array or 1.")
@click.option(
    "--objective",
    type=click.Choice(["latency", "bytes", "dsp", "bram", "area-delay"]),
    default="latency",
    show_default=True,
)
@click.option("--pareto", is_flag=True, help="List the whole front of cycles, bytes and DSP blocks.")
@click.option(
    "--model",
    type=click.Choice(["bound", "schedule"]),
    default="bound",
    show_default=True,
    help="The cost: a formula, or what `ii` says of the C.",
)
@click.option("--pipeline", type=click.Choice(["pingpong", "dataflow", "auto"]), default="pingpong",
              show_default=True,
              help="How steps overlap; dataflow: arrays move at every step or never; auto: the better.")  # fmt: skip
@click.option("--share-functions", is_flag=True, help="Nests that are alike call the same functions.")
@click.option("--whole", type=click.IntRange(min=0), default=3, show_default=True, metavar="N",
              help="Loops of so few iterations are neither sharded nor split.")  # fmt: skip
@click.option("--order", type=click.Choice(["source", "all"]), default="all", show_default=True,
              help="Orders of the time loops.")  # fmt: skip
@click.option("--allow-reassoc", is_flag=True, help="Sums of floats may be taken in another order.")
@click.option("--no-share", "apart", is_flag=True, help="Every nest has buffers of its own.")
@click.option("--assume", "assumed", multiple=True, metavar="NEST:ii=1,depth=12,dsp=5",
              help="Figures of an iteration; NEST is an id, a loop, a written array or *.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Processes.")
@click.option("--cluster", metavar="local:N|slurm:N|tcp://HOST:PORT", help="Workers of dask.distributed.")
@click.option(
    "--time-limit", type=click.FloatRange(min=0), metavar="S", help="End after S seconds with the best so far."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Look at N candidates per nest.")
@click.option("--state", metavar="DIR", help="Keep records of the search in DIR.")
@click.option("--resume", metavar="DIR", help="Go on with the records in DIR.")
@click.option("--plan", "plan_only", is_flag=True, help="Nests, layers and sizes of spaces; nothing is evaluated.")
@click.option("--fix", metavar="FILE.toml", help="Requests beside those of pragmas.")
@click.option("--patterns", "pattern_file", metavar="FILE", help="Kinds of nests that become one region.")
@click.option("--html", metavar="FILE", help="A page: fronts, steps, memory, failures.")
@click.option("--svg", metavar="FILE", help="The fronts as a picture.")
@click.option("--shardings", metavar="N,H,W,C", help="Without a FILE: shard vectors of a tensor, level by level.")
@click.option("--dtype", default="fp32", show_default=True, help="Element type of --shardings.")
def command(
    pe: str | None,
    pe_at_most: int | None,
    grid: str | None,
    budget: str | None,
    offchip: str | None,
    objective: str,
    pareto: bool,
    model: str,
    fix: str | None,
    html: str | None,
    svg: str | None,
    pattern_file: str | None,
    pipeline: str,
    share_functions: bool,
    whole: int,
    order: str,
    allow_reassoc: bool,
    apart: bool,
    assumed: tuple[str, ...],
    jobs: int,
    cluster: str | None,
    time_limit: float | None,
    limit: int | None,
    state: str | None,
    resume: str | None,
    plan_only: bool,
    shardings: str | None,
    dtype: str,
    **shared: Any,
) -> int:
    """Find the best elements, tiles and order of a function's loop nests under a budget, with a proof.

    With -o OUT.c writes C in which load, compute and store of neighbouring steps run at once. Exit code 1 when
    nothing fits (the least that is needed is said) or what is fixed cannot hold.
    """
    elements, *fewer = _elements(pe, pe_at_most, grid)
    if shardings is not None:
        if shared["files"]:
            raise click.UsageError("--shardings is asked about without a FILE")
        return _shardings(shared, shardings, elements, dtype)
    if not shared["files"]:
        raise click.UsageError("give a FILE or --shardings")
    if cluster is not None and not re.fullmatch(r"local:[1-9]\d*|slurm(?::[1-9]\d*)?|(?:tcp|tls)://\S+", cluster):
        raise click.UsageError(f"--cluster {cluster} is none of local:N, slurm:N, tcp://HOST:PORT")
    if state is not None and resume is not None:
        raise click.UsageError("give --state or --resume, not both")
    run = Run("explore", shared, products=True)
    run.load()
    options = ExploreOptions(
        elements=elements,
        fewer=tuple(fewer),
        budget=_budget(budget, run),
        off_chip=_off_chip(offchip),
        objective=objective,  # type: ignore[arg-type]
        whole=whole,
        orders=order == "all",
        reassociate=allow_reassoc,
        share=not apart,
        assumed=dict(map(_assumed, assumed)),
        plan_only=plan_only,
        schedule=model == "schedule",
        fixes=_file(fix),
        patterns=_file(pattern_file),
        write=bool(run.output or run.out_dir),
        pareto=pareto,
        limit=limit,
        seconds=time_limit,
        state=resume or state,
        resume=resume is not None,
        jobs=jobs,
        cluster=cluster,
        pipeline=pipeline,  # type: ignore[arg-type]
        share_functions=share_functions,
    )
    result: ExploreResult | None = None
    top = ""
    if run.code != UNUSABLE:
        from hlspart.explore import ExploreError, FixError, RequestFileError

        top = run.top()
        try:
            result = run.pipeline.explore(top, options, PROGRESS.note if PROGRESS.shown else None)
        except FixError as error:
            click.echo(str(error), err=True)
            run.has_findings()
        except RequestFileError as error:
            click.echo(str(error), err=True)
            run.code = UNUSABLE
        except ExploreError as error:
            raise click.ClickException(str(error)) from None
        else:
            run.say(result.diagnostics)
            if not result.fits:
                run.has_findings()
            for path, new in result.texts.items() if run.output or run.out_dir else ():
                folder = run.out_dir
                run.product(os.path.join(folder, os.path.basename(path)) if folder else run.output or "-", new)
    answer = ExploreAnswer(run.pipeline, run.pipeline.paths, top, result)
    shape = answer.to_json()
    if html is not None:
        run.product(html, page.render(shape))
    if svg is not None:
        run.product(svg, page.picture(shape))
    return run.finish({"text": lambda _: text.render(shape), "json": lambda _: json.render(shape)})


def _file(path: str | None) -> tuple[str, str] | None:
    """A path as shown, and the text of its file."""
    if path is None:
        return None
    try:
        return display_path(path), read_file(path).decode("utf-8", "replace")
    except OSError as error:
        raise click.ClickException(f"cannot read {path}: {error.strerror or error}") from None


def _elements(pe: str | None, at_most: int | None, grid: str | None) -> Sequence[int]:
    """Numbers of elements that a nest may have, the most first."""
    if sum(given is not None for given in (pe, at_most, grid)) > 1:
        raise click.UsageError("give one of --pe, --pe-at-most and --grid")
    if at_most is not None:
        return range(at_most, 0, -1)
    if pe is None:
        return (_grid(grid),)
    parts = [p.strip() for p in pe.split(",")]
    if not all(p.isdigit() and int(p) for p in parts):
        raise click.UsageError(f"--pe {pe} is no list of positive numbers")
    return sorted({int(p) for p in parts}, reverse=True)


def _grid(given: str | None) -> int:
    from hlspart.expand import numbers

    if given is None:
        return 1
    extents = numbers(given)
    if extents is None:
        raise click.UsageError(f"--grid {given} is no grid, such as 4x4")
    total = 1
    for n in extents:
        total *= n
    return total


def _shardings(shared: dict[str, Any], given: str, elements: int, dtype: str) -> int:
    from hlspart.blocked.channels import ELEMENT_BYTES, channel_layout
    from hlspart.explore import levels

    parts = given.split(",")
    if not all(p.strip().isdigit() and int(p) for p in parts):
        raise click.UsageError(f"--shardings {given} is no list of positive extents")
    if dtype not in ELEMENT_BYTES:
        raise click.UsageError(f"--dtype {dtype} is not known; types are {', '.join(ELEMENT_BYTES)}")
    extents = [int(p) for p in parts]
    grids = levels(extents, elements, channel_layout((1, 1, 1, extents[-1]), dtype).block)
    shape = {
        "schema": SCHEMA, "files": [], "groups": [], "shape": extents, "elements": elements, "dtype": dtype,
        "candidates": sum(level["count"] for level in grids), "levels": grids,
    }  # fmt: skip
    from hlspart.cli.files import write_report

    for name, render in reports("explore", shared, {"text": text.shardings, "json": json.render}):
        write_report(render(shape), name)
    return 0


def _pairs(option: str, given: str, keys: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in given.split(","):
        key, equals, value = part.partition("=")
        key = key.strip().lower()
        if key not in keys or not equals or key in pairs:
            raise click.UsageError(f"{option} {given}: {part!r}; it takes {', '.join(f'{k}=' for k in keys)}")
        pairs[key] = value.strip()
    return pairs


def _amount(option: str, value: str, whole: int | None, units: bool) -> int:
    match = _AMOUNT.match(value)
    if match is None:
        raise click.UsageError(f"{option}: {value!r} is no amount")
    number, unit = float(match[1]), match[2].lower()
    if unit == "%":
        if whole is None:
            raise click.UsageError(f"{option}: {value} of a part whose content is not known")
        amount = int(whole * number / 100)
    elif unit in (_UNITS if units else ("",)):
        amount = int(number * _UNITS[unit])
        if amount != number * _UNITS[unit]:
            raise click.UsageError(f"{option}: {value!r} is no whole amount")
    else:
        raise click.UsageError(f"{option}: {value!r} has no such unit")
    if amount < 1:
        raise click.UsageError(f"{option}: {value!r} is not positive")
    return amount


def _budget(given: str | None, run: Run) -> ResourceBudget:
    if given is None:
        return ResourceBudget()
    from hlspart.targets import TargetError

    pairs = _pairs("--budget", given, ("bytes", "dsp", "bram", "uram", "lut", "ff"))
    try:
        part = run.pipeline.target.resources
    except TargetError as error:
        raise click.ClickException(str(error)) from None
    on_chip = None if part.bram18k is None else part.bram18k * 18 * 1024 // 8
    whole = {"bytes": on_chip, "dsp": part.dsp, "bram": part.bram18k, "uram": part.uram,
             "lut": part.lut, "ff": part.ff}  # fmt: skip
    amounts = {k: _amount("--budget", v, whole[k], k == "bytes") for k, v in pairs.items()}
    return ResourceBudget(*(amounts.get(k) for k in ("bytes", "dsp", "bram", "uram", "lut", "ff")))


def _off_chip(given: str | None) -> ExternalMemory:
    if given is None:
        return ExternalMemory()
    pairs = _pairs("--offchip", given, ("bytes", "latency", "ports"))
    ports = pairs.get("ports", "1")
    if ports not in ("1", "per-array"):
        raise click.UsageError(f"--offchip: ports={ports} is neither 1 nor per-array")
    width = _amount("--offchip", pairs.get("bytes", "64"), None, True)
    latency = pairs.get("latency", "84")
    if not latency.isdigit():
        raise click.UsageError(f"--offchip: latency={latency} is no number of cycles")
    return ExternalMemory(width, int(latency), ports == "per-array")


def _assumed(given: str) -> tuple[str, Assumed]:
    nest, colon, rest = given.rpartition(":")
    if not colon or not nest:
        raise click.UsageError(f"--assume {given} is no NEST:ii=1,depth=12,dsp=5")
    pairs = _pairs("--assume", rest, ("ii", "depth", "dsp"))
    for key, value in pairs.items():
        if not value.isdigit() or (key != "dsp" and not int(value)):
            raise click.UsageError(f"--assume {given}: {key}={value} is no positive number")
    values = {k: int(v) for k, v in pairs.items()}
    return nest, Assumed(values.get("ii"), values.get("depth"), values.get("dsp"))
