"""Options that all commands share (contract, "All commands"), defined once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import click

from hlspart.inputs import display_path
from hlspart.model.options import FrontendOptions, InferOptions, Options, TargetOptions

Command = Callable[..., object]

_SOURCE = (
    click.argument("files", nargs=-1, required=True, metavar="FILE..."),
    click.option("--top", metavar="NAME", help="Top function. Default: every function that no other calls."),
    click.option("-D", "defines", multiple=True, metavar="NAME[=V]", help="Define a macro."),
    click.option("-U", "undefines", multiple=True, metavar="NAME", help="Undefine a macro."),
    click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Folder to search for headers."),
    click.option(
        "--directives",
        "directive_files",
        multiple=True,
        metavar="FILE",
        help="hls_config.cfg or Tcl directives, with the same effect as pragmas; repeatable.",
    ),
    click.option("--lang", type=click.Choice(["c", "c++"]), help="Language of all files. Default: by suffix."),
    click.option("--config", "config_file", metavar="FILE", help="Settings; default: the nearest settings file."),
    click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="Name of what - reads."),
)
_TARGET = (
    click.option("--part", metavar="PART", help="Device or family; see `hlspart targets`."),
    click.option("--tool", metavar="TOOL", help="Tool version, such as vitis-2022.1."),
    click.option("--clock", type=click.FloatRange(min=0, min_open=True), metavar="NS", help="Clock period in ns."),
    click.option("--clock-uncertainty", metavar="NS|PCT", help="Clock uncertainty; default: the tool's."),
    click.option("--target", "target_file", metavar="FILE.toml", help="A device or tool profile of one's own."),
    click.option("--flow", type=click.Choice(["vivado", "vitis"]), help="Flow target: decides default interfaces."),
    click.option(
        "--bank-model",
        type=click.Choice(["static", "ideal"]),
        default="static",
        show_default=True,
        help="static: an access whose bank is undecided at compile time occupies every bank it may reach.",
    ),
)
_OUTPUT = (
    click.option("--format", "formats", multiple=True, metavar="F[=FILE]", help="Report format; repeatable."),
    click.option("-o", "--output", metavar="FILE", help="Write to FILE; one input only."),
    click.option("--out-dir", metavar="DIR", help="Write one output per input into DIR."),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Colour."
    ),
)


def _with(options: tuple[Callable[[Command], Command], ...]) -> Callable[[Command], Command]:
    def apply(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return apply


_INFER = (
    click.option("--target-ii", type=click.IntRange(min=1), metavar="N", help="Target II of all pipelined loops."),
    click.option("--ports", type=click.IntRange(min=1), metavar="N", help="Ports shared by reads and writes."),
    click.option("--array", "arrays", multiple=True, metavar="NAME", help="Only these arrays; repeatable."),
    click.option("--max-banks", type=click.IntRange(min=1), metavar="N", help="At most N banks per array."),
    click.option("--pow2", is_flag=True, help="Only powers of two."),
    click.option("--keep", is_flag=True, help="Keep the partitions that are there."),
    click.option("--effort", type=click.IntRange(0, 9), default=1, show_default=True, help="Search effort."),
    click.option("--objective", type=click.Choice(["banks", "bram", "lut"]), default="banks", show_default=True),
)
_DEPEND = (
    click.option("-MD", "depend", is_flag=True, help="Write a make dependency file beside the output."),
    click.option("-MF", "depend_file", metavar="FILE", help="Name of the dependency file."),
    click.option("-MT", "depend_target", metavar="TARGET", help="Target in the dependency file; default: the output."),
)
shared_options = _with((*_SOURCE, *_TARGET, *_OUTPUT))
optional_files = _with((click.argument("files", nargs=-1, metavar="[FILE]"), *_SOURCE[1:], *_TARGET, *_OUTPUT))
infer_options = _with(_INFER)
dependency_options = _with(_DEPEND)


def options_of(shared: Mapping[str, Any]) -> Options:
    """The record of what :data:`shared_options` collected."""
    return Options(
        frontend=FrontendOptions(
            defines=shared["defines"],
            undefines=shared["undefines"],
            include_dirs=tuple(display_path(p) for p in shared["include_dirs"]),
            directive_files=tuple(_readable(p) for p in shared["directive_files"]),
            language=shared["lang"],
            stdin_filename=shared["stdin_filename"],
        ),
        target=TargetOptions(
            part=shared["part"],
            tool=shared["tool"],
            clock_ns=shared["clock"],
            uncertainty=shared["clock_uncertainty"],
            flow=shared["flow"],
            target_file=shared["target_file"],
        ),
        top=shared["top"],
        bank_model=shared["bank_model"],
    )


def _readable(path: str) -> str:
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise click.UsageError(f"cannot read the directive file {path}")
    return display_path(path)


def infer_options_of(options: dict[str, Any], **fixed: Any) -> InferOptions:
    """Takes what :data:`infer_options` collected out of ``options``."""
    names = ("target_ii", "ports", "arrays", "max_banks", "pow2", "keep", "effort", "objective")
    return InferOptions(**{name: options.pop(name) for name in names}, **fixed)
