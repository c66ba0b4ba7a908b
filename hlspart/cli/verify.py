"""``hlspart verify``."""

from __future__ import annotations

import json as parser
from collections.abc import Callable, Mapping
from typing import Any

import click

from hlspart.api import VerifyAnswer
from hlspart.cli.files import encode, say, write_output, write_report
from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import options_of, shared_options
from hlspart.cli.run import input_errors, reports, screen_of
from hlspart.inputs import display_path, settings_for, with_settings
from hlspart.model.options import Options
from hlspart.model.printable import printable
from hlspart.model.verifying import VerifyResult
from hlspart.reading import MAX_REPORT, read_file
from hlspart.render import json
from hlspart.render.screen import folded, shown_on
from hlspart.targets import Target, TargetError, load


@click.command("verify", cls=CommandWithExample, example="verify kernel.c banked.c --top kernel --ports")
@shared_options
@click.option("--map", "map_file", metavar="FILE", help="The map that `rewrite --map` wrote.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random data.")
@click.option("--vectors", type=click.IntRange(1, 1000), help="Number of input vectors. Default: as --time allows.")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0),
    default=4.0,
    show_default=True,
    help="Seconds in which as many vectors run as can, 3 to 500.",
)
@click.option("--range", "value_range", metavar="LO:HI", help="Range of all values. Default: those of their types.")
@click.option("--ulp", type=click.IntRange(min=0), default=0, show_default=True, help="Floating-point tolerance.")
@click.option(
    "--allow-reassoc",
    "reassoc",
    is_flag=True,
    help="Sums of floats may be in another order: outputs may differ by what both versions round.",
)
@click.option("--extent", "extents", multiple=True, metavar="NAME=N", help="Elements behind a pointer parameter.")
@click.option("--save-vectors", metavar="FILE", help="Write the vectors as JSON, to be replayed.")
@click.option("--replay", metavar="FILE", help="Use the vectors of FILE instead of random ones.")
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=20.0, show_default=True, help="Seconds of work per run."
)
@click.option("--ports", is_flag=True, help="Count the accesses per bank and iteration of NEW while it runs.")
def command(
    ports: bool,
    map_file: str | None,
    seed: int,
    vectors: int | None,
    seconds: float,
    value_range: str | None,
    ulp: int,
    reassoc: bool,
    extents: tuple[str, ...],
    save_vectors: str | None,
    replay: str | None,
    timeout: float,
    **shared: Any,
) -> int:
    """Compile two versions (FILE... is ORIGINAL NEW), run them on the same data and compare.

    Exit code 0: equal; 1: different, or a fault only in NEW; 2: cannot compare.
    """
    from hlspart.verification import VerifyOptions, verify_and_save

    files = shared["files"]
    if len(files) != 2:
        raise click.UsageError("verify takes two files: ORIGINAL NEW")
    with input_errors():
        options = with_settings(options_of(shared), settings_for(files, shared["config_file"]))
    original, new = (display_path(f) for f in files)
    settings = VerifyOptions(
        top=options.top,
        frontend=options.frontend,
        seed=seed,
        vectors=vectors,
        seconds=seconds,
        value_range=_range(value_range),
        ulp=ulp,
        reassoc=reassoc,
        map=_json_file(map_file),
        extents=_extents(extents),
        replay=_json_file(replay),
        timeout=timeout,
        ports=_target(options) if ports else None,
    )
    result, saved = verify_and_save(original, new, settings)
    answer = VerifyAnswer(original, new, result)
    renderers: dict[str, Callable[[], str]] = {
        "text": lambda: str(answer),
        "json": lambda: json.render(answer.to_json()),
    }
    screen = screen_of(shared)
    for path, render in reports("verify", shared, renderers):
        if path is None and render is renderers["text"]:
            with shown_on(screen):
                write_report(folded(printable(render(), screen.colour)), coloured=True)
        else:
            write_report(render(), path)
    for use in result.ports:
        if use.exceeds:
            text_ = f"{use.function}/{use.loop}: {use.array} bank {use.bank} needs {use.interval} cycles per iteration,"
            say(f"{new}:1:1: error: {text_} not {use.predicted} as predicted [port-excess]")
    for read in result.uninitialised:
        what = f"'{read.variable}' is read before it has a value" if read.variable else "memory without a value is read"
        say(f"{original}:{read.line}:{read.column}: warning: {what}: outputs depend on it [uninitialised]")
    if result.status != "equal":
        say(_message(new if result.status == "different" else original, result))
    if save_vectors and saved is not None:
        write_output(save_vectors, encode(saved))
    return result.exit_code


def _target(options: Options) -> Target:
    try:
        return load(options.target)
    except TargetError as error:
        raise click.ClickException(str(error)) from None


def _message(path: str, result: VerifyResult) -> str:
    rule = "differs" if result.status == "different" else "cannot-compare"
    return f"{path}:1:1: error: {result.message} [{rule}]"


def _range(text_: str | None) -> tuple[float, float] | None:
    if text_ is None:
        return None
    try:
        low, high = (float(x) for x in text_.split(":"))
    except ValueError:
        raise click.UsageError(f"--range takes LO:HI, not {text_!r}") from None
    if not low <= high or abs(low) == float("inf") or abs(high) == float("inf"):
        raise click.UsageError(f"--range {text_} is empty")
    return low, high


def _extents(items: tuple[str, ...]) -> dict[str, int]:
    extents = {}
    for item in items:
        name, _, number = item.partition("=")
        if not name or not number.isdigit() or int(number) < 1:
            raise click.UsageError(f"--extent takes NAME=N, not {item!r}")
        extents[name] = int(number)
    return extents


def _json_file(path: str | None) -> Mapping[str, Any] | None:
    if path is None:
        return None
    try:
        shape = parser.loads(read_file(path, MAX_REPORT))
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{path} is not JSON: {error}") from None
    if not isinstance(shape, dict):
        raise click.UsageError(f"{path} is not a JSON object")
    return shape
