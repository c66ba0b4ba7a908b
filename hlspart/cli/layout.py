"""``hlspart layout``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import optional_files
from hlspart.cli.run import UNUSABLE, Run, reports
from hlspart.model.blocked import BLOCKED, COMPACT, Kind
from hlspart.render import json
from hlspart.render import layout as text

if TYPE_CHECKING:
    from hlspart.model.blocked import ChannelLayout

SCHEMA = "hlspart.layout/1"


@click.command("layout", cls=CommandWithExample, example="layout kernel.c --top kernel")
@optional_files
@click.option("--shape", metavar="N,H,W,C", help="Extents of a tensor: its channel layout.")
@click.option("--dtype", default="fp32", show_default=True, help="Element type: int8, fp16, bf16, int32, tf32, ..")
@click.option("--address", "addresses", multiple=True, metavar="n,y,x,c", help="Where an element is; repeatable.")
@click.option("--burst", "bursts", multiple=True, metavar="BASE:BYTES", help="A transfer, cut at 4 KiB borders.")
@click.option("--beats", type=click.IntRange(1, 256), default=16, show_default=True, help="Beats per AXI transaction.")
@click.option("--port-bits", type=click.IntRange(8, 1024), default=512, show_default=True, metavar="BITS")
@click.option("--const", "constants", multiple=True, metavar="NAME:BYTES", help="A constant to place; repeatable.")
@click.option("--pe", type=click.IntRange(min=1), default=1, show_default=True, help="Processors that share constants.")
@click.option("--align", type=click.IntRange(min=1), default=64, show_default=True, metavar="BYTES")
@click.option(
    "--interface-layout",
    "interface",
    multiple=True,
    metavar="A=NCx",
    help="How an argument comes; repeatable.",
)
@click.option("--plan", metavar="FILE.toml", help="Layouts of nests and arrays, as the pragmas say them.")
def command(
    shape: str | None,
    dtype: str,
    addresses: tuple[str, ...],
    bursts: tuple[str, ...],
    beats: int,
    port_bits: int,
    constants: tuple[str, ...],
    pe: int,
    align: int,
    interface: tuple[str, ...],
    plan: str | None,
    **shared: Any,
) -> int:
    """Lay arrays out in aligned blocks, with the least bytes converted.

    With a FILE: which arrays of the top function are blocked, and where they are converted; -o OUT.c writes it.
    Without: the layout of one tensor (-o lay.h: a header), bursts, places of constants in external memory.
    """
    if align & (align - 1):
        raise click.UsageError(f"--align {align} is no power of two")
    if port_bits % 8:
        raise click.UsageError(f"--port-bits {port_bits} is no number of bytes")
    asked = bool(shape or bursts or constants)
    if shared["files"]:
        if asked:
            raise click.UsageError("--shape, --burst and --const are asked about without a FILE")
        return _propagate(shared, dict(_interface(x) for x in interface), plan)
    if not asked:
        raise click.UsageError("give a FILE, --shape, --burst or --const")
    if addresses and not shape:
        raise click.UsageError("--address needs --shape")
    from hlspart.blocked.channels import burst, off_chip

    made: dict[str, Any] = {"schema": SCHEMA, "files": [], "groups": []}
    products: list[tuple[str, str]] = []
    if shape:
        layout = _layout(shape, dtype)
        made["layout"] = layout.to_json()
        made["addresses"] = [{"at": at, "byte": layout.address(*at)} for at in (_at(a, layout) for a in addresses)]
        if shared["output"]:
            from hlspart.blocked.emit import header

            products.append((shared["output"], header(layout)))
    elif shared["output"]:
        raise click.UsageError("-o writes the header of --shape")
    if bursts:
        made["bursts"] = [burst(*_pair(b, "--burst BASE:BYTES"), beats, port_bits).to_json() for b in bursts]
    if constants:
        named = [_named(c) for c in constants]
        if len({name for name, _ in named}) < len(named):
            raise click.UsageError("two constants of one name")
        made["offchip"] = off_chip(named, pe, align).to_json()
    return _write(shared, made, products)


def _write(shared: dict[str, Any], made: dict[str, Any], products: list[tuple[str, str]]) -> int:
    from hlspart.cli.files import encode, write_outputs, write_product, write_report

    renderers = {"text": text.formulas, "json": json.render}
    to_stdout = sum(name == "-" for name, _ in products)
    wanted = {"formats": shared["formats"], "output": None}
    plan = reports("layout", wanted, renderers, to_stdout) if shared["formats"] or not to_stdout else []
    write_outputs((name, encode(data)) for name, data in products if name != "-")
    for file, render in plan:
        write_report(render(made), file)
    for name, data in products:
        if name == "-":
            write_product(data)
    return 0


def _numbers(value: str, count: int, what: str) -> list[int]:
    parts = value.split(",")
    if len(parts) != count or not all(re.fullmatch(r"\s*-?\d{1,18}\s*", p) for p in parts):
        raise click.UsageError(f"{what}: {value!r} is not {count} integers with commas between")
    return [int(p) for p in parts]


def _layout(shape: str, dtype: str) -> ChannelLayout:
    from hlspart.blocked.channels import ELEMENT_BYTES, channel_layout

    extents = _numbers(shape, 4, "--shape N,H,W,C")
    for name, extent in zip("NHWC", extents, strict=True):
        if extent < 1:
            raise click.UsageError(f"--shape: {name} is {extent}; extents are positive")
    if dtype not in ELEMENT_BYTES:
        raise click.UsageError(f"--dtype {dtype!r} is not known; element types are {', '.join(ELEMENT_BYTES)}")
    n, h, w, c = extents
    return channel_layout((n, h, w, c), dtype)


def _at(value: str, layout: ChannelLayout) -> list[int]:
    at = _numbers(value, 4, "--address n,y,x,c")
    for name, index, extent in zip("nyxc", at, layout.shape, strict=True):
        if not 0 <= index < extent:
            raise click.UsageError(f"--address {value}: {name} = {index} is outside of 0..{extent - 1}")
    return at


def _pair(value: str, what: str) -> tuple[int, int]:
    number = r"(\d{1,18}|0[xX][0-9a-fA-F]{1,15})"
    match = re.fullmatch(f"{number}:{number}", value)
    if match is None:
        raise click.UsageError(f"{what}: {value!r} is not two numbers with a colon between")
    first, second = (int(x, 16 if x[:2] in ("0x", "0X") else 10) for x in match.groups())
    return first, second


def _named(value: str) -> tuple[str, int]:
    name, colon, size = value.rpartition(":")
    if not (name and colon and re.fullmatch(r"\d{1,18}", size)):
        raise click.UsageError(f"--const NAME:BYTES: {value!r} is no name and size")
    return name, int(size)


def _interface(value: str) -> tuple[str, Kind]:
    name, _, layout = value.partition("=")
    kind = {"ncx": BLOCKED, "cx": BLOCKED, "blocked": BLOCKED, "compact": COMPACT, "nhwc": COMPACT}.get(layout.lower())
    if kind is None:
        from hlspart.blocked.plan import tiles

        kind = tiles(layout)
    if not name or kind is None:
        raise click.UsageError(f"--interface-layout {value!r}: say A=NCx, A=compact or A=8,4 for tiles")
    return name, kind


def _propagate(shared: dict[str, Any], interface: dict[str, Kind], plan: str | None) -> int:
    run = Run("layout", shared, products=True)
    if len(run.files) != 1:
        raise click.UsageError("layout takes one file")
    program = run.load()
    entry: dict[str, Any] = {}
    if run.code != UNUSABLE:
        top = run.top()
        run.known_arrays(interface)
        from hlspart.blocked.plan import PlanError, read

        try:
            asked = None if plan is None else read(plan)
        except PlanError as error:
            raise click.UsageError(str(error)) from None
        propagation, texts = run.pipeline.layout(top, interface, asked)
        run.say(propagation.diagnostics)
        entry = propagation.to_json()
        if propagation.unusable:
            run.code = UNUSABLE
        elif run.output:
            if not isinstance(texts, dict):
                run.say([texts])
                texts = {}
            path = run.pipeline.paths[0]
            run.product(run.output, texts.get(path, program.sources[path].text))
    shape = run.document(SCHEMA, lambda _: entry)
    return run.finish({"text": lambda _: text.render(shape), "json": lambda _: json.render(shape)})
