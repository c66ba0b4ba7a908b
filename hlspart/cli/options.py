"""Options that all commands share (contract, "All commands"), defined once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import click
from click.core import ParameterSource

from hlspart.cli.help import PREDICT, READ, SHARED, WRITE, grouped
from hlspart.inputs import display_path
from hlspart.model.options import FrontendOptions, InferOptions, Options, TargetOptions

Command = Callable[..., object]


_read, _predict, _write = map(grouped, (READ, PREDICT, WRITE))
_search, _make = grouped("Search"), grouped("For make")

_SOURCE = (
    click.argument("files", nargs=-1, required=True, metavar="FILE..."),
    _read("--top", metavar="NAME", help="Top function. Default: every function that no other calls."),
    _read("-D", "defines", multiple=True, metavar="NAME[=V]", help="Define a macro."),
    _read("-U", "undefines", multiple=True, metavar="NAME", help="Undefine a macro."),
    _read("-I", "include_dirs", multiple=True, metavar="DIR", help="Folder to search for headers."),
    _read(
        "--directives",
        "directive_files",
        multiple=True,
        metavar="FILE",
        help="hls_config.cfg or Tcl directives, with the same effect as pragmas; repeatable.",
    ),
    _read(
        "--instantiate",
        multiple=True,
        metavar="'F<ARGS>'",
        help="Look at this instance of a template, such as 'ns::f<float, cfg>'; repeatable.",
    ),
    _read("--lang", type=click.Choice(["c", "c++"]), help="Language of all files. Default: by suffix."),
    _read("--config", "config_file", metavar="FILE", help="Settings; default: the nearest settings file."),
    _read("--header-users", is_flag=True, help="In place of a header FILE, look at the files below here that use it."),
    _read("--stdin-filename", default="<stdin>", metavar="NAME", help="Name of what - reads."),
)
_TARGET = (
    _predict("--part", metavar="PART", help="Device or family; see `hlspart targets`."),
    _predict("--tool", metavar="TOOL", help="Tool version, such as vitis-2022.1."),
    _predict("--clock", type=click.FloatRange(min=0, min_open=True), metavar="NS", help="Clock period in ns."),
    _predict("--clock-uncertainty", metavar="NS|PCT", help="Clock uncertainty; default: the tool's."),
    _predict("--target", "target_file", metavar="FILE.toml", help="A device or tool profile of one's own."),
    _predict("--flow", type=click.Choice(["vivado", "vitis"]), help="Flow target: decides default interfaces."),
    _predict(
        "--bank-model",
        type=click.Choice(["static", "ideal"]),
        default="static",
        show_default=True,
        help="static: an access whose bank is undecided at compile time occupies every bank it may reach.",
    ),
)
_OUTPUT = (
    _write("--format", "formats", multiple=True, metavar="F[=FILE]", help="Report format; repeatable."),
    _write("-o", "--output", metavar="FILE", help="Write to FILE; one input only."),
    _write("--out-dir", metavar="DIR", help="Write one output per input into DIR."),
    _write("--watch", is_flag=True, help="Run again whenever a file that was read changes."),
    _write(
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
    _search("--target-ii", type=click.IntRange(min=1), metavar="N", help="Target II of all pipelined loops."),
    _search("--ports", type=click.IntRange(min=1), metavar="N", help="Ports shared by reads and writes."),
    _search("--array", "arrays", multiple=True, metavar="NAME", help="Only these arrays; repeatable."),
    _search("--max-banks", type=click.IntRange(min=1), metavar="N", help="At most N banks per array."),
    _search("--pow2", is_flag=True, help="Only powers of two."),
    _search("--keep", is_flag=True, help="Keep the partitions that are there."),
    _search("--effort", type=click.IntRange(0, 9), default=1, show_default=True, help="Search effort."),
    _search("--objective", type=click.Choice(["banks", "bram", "lut"]), default="banks", show_default=True),
)
_DEPEND = (
    _make("-MD", "depend", is_flag=True, help="Write a make dependency file beside the output."),
    _make("-MF", "depend_file", metavar="FILE", help="Name of the dependency file."),
    _make("-MT", "depend_target", metavar="TARGET", help="Target in the dependency file; default: the output."),
)
shared_options = _with((*_SOURCE, *_TARGET, *_OUTPUT))
optional_files = _with((click.argument("files", nargs=-1, metavar="[FILE]"), *_SOURCE[1:], *_TARGET, *_OUTPUT))
setup_options = _with((*_SOURCE[1:-2], *_TARGET))  # for commands that are told later what to look at
infer_options = _with(_INFER)
dependency_options = _with(_DEPEND)


def options_of(shared: Mapping[str, Any]) -> Options:
    """The record of what :data:`shared_options` collected."""
    return Options(
        frontend=FrontendOptions(
            defines=shared["defines"],
            undefines=shared["undefines"],
            include_dirs=tuple(display_path(p) for p in shared["include_dirs"]),
            instantiate=tuple(shared["instantiate"]),
            directive_files=tuple(_readable(p) for p in shared["directive_files"]),
            language=shared["lang"],
            stdin_filename=shared.get("stdin_filename", "<stdin>"),
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


_AGAIN = {  # what a next command has to be told again
    "top": "--top", "defines": "-D", "undefines": "-U", "include_dirs": "-I", "directive_files": "--directives",
    "instantiate": "--instantiate",
    "lang": "--lang", "config_file": "--config", "part": "--part", "tool": "--tool", "clock": "--clock",
    "clock_uncertainty": "--clock-uncertainty", "target_file": "--target", "flow": "--flow",
}  # fmt: skip


def again(shared: Mapping[str, Any]) -> str:
    """Files and options, as a shell reads them, for another command on the same program."""
    words = list(shared["files"])
    for name, option in _AGAIN.items():
        value = shared[name]
        for one in value if isinstance(value, tuple) else [value]:
            words += [] if one is None else [option, f"{one:g}" if isinstance(one, float) else str(one)]
    if shared["bank_model"] != "static":
        words += ["--bank-model", shared["bank_model"]]
    return " ".join(map(shlex.quote, words))


def own_options() -> str:
    """The options of the running command that are not shared by all, as a shell reads them."""
    context = click.get_current_context()
    words: list[str] = []
    for option in context.command.params:
        value = context.params.get(option.name or "")
        shared = getattr(option, "group", "") in SHARED
        typed = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if isinstance(option, click.Option) and typed and not shared:
            for one in value if isinstance(value, tuple) else [value]:
                words += [option.opts[0], *([] if option.is_flag else [str(one)])]
    return " ".join(map(shlex.quote, words))


def _readable(path: str) -> str:
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise click.UsageError(f"cannot read the directive file {path}")
    return display_path(path)


def infer_options_of(options: dict[str, Any], **fixed: Any) -> InferOptions:
    """Takes what :data:`infer_options` collected out of ``options``."""
    names = ("target_ii", "ports", "arrays", "max_banks", "pow2", "keep", "effort", "objective")
    return InferOptions(**{name: options.pop(name) for name in names}, **fixed)
