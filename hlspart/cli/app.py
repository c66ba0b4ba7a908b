"""The command group and its last resort against internal errors."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import click

from hlspart.cli.files import say
from hlspart.cli.progress import PROGRESS
from hlspart.settings import SettingsError
from hlspart.version import __version__

INTERNAL_ERROR = 70  # EX_SOFTWARE: can never be mistaken for "clean" or "findings"
CLOSED_PIPE = 141  # what a shell reports for SIGPIPE

# command -> (module, one line of help); modules are imported only when their command runs
COMMANDS = {
    "accesses": ("accesses", "List every array access: map, domain, range, count."),
    "ii": ("ii", "Predict the II of every loop and say what limits it."),
    "infer": ("infer", "Find the least array partition that reaches the target II."),
    "advise": ("advise", "Rank the ways to a faster loop, each checked."),
    "rewrite": ("rewrite", "Write banked C that behaves like the input."),
    "expand": ("expand", "Run a loop nest on several processing elements, in C."),
    "verify": ("verify", "Compile and run two versions on the same data and compare."),
    "lint": ("lint", "Check HLS pragmas and what they achieve."),
    "directives": ("directives", "Write the partition as cfg or Tcl directives."),
    "report": ("report", "Write one self-contained HTML page about a file."),
    "buffers": ("buffers", "Let on-chip arrays whose lifetimes do not meet share memory."),
    "layout": ("layout", "Lay arrays out in aligned blocks, with the least conversions."),
    "explore": ("explore", "Find the best elements, tiles and order of loop nests under a budget, proved."),
    "mars": ("mars", "Irredundant data layout of a tiled loop nest."),
    "compare": ("compare", "Compare the prediction with a synthesis report or log."),
    "targets": ("targets", "List known tools, devices and their assumptions."),
    "lsp": ("lsp", "Serve editors: findings, fixes, II above loops, ports under the cursor."),
    "trace": ("trace", "Print the record of any stage of the analysis."),
    "explain": ("explain", "Explain a lint rule."),
    "rules": ("rules", "List the lint rules."),
    "help": ("manual", "Show a page of the documentation."),
    "completion": ("completion", "Print the shell completion script."),
}


class LazyGroup(click.Group):
    """A group that imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"hlspart.cli.{COMMANDS[cmd_name][0]}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}; {_instead_of(args[0])}")
        return super().resolve_command(ctx, args)


def _instead_of(word: str) -> str:
    """What to type in place of something that is no command."""
    if os.path.exists(word):
        return f"to look at it: hlspart ii {shlex.quote(word)}"
    near = get_close_matches(word, COMMANDS, 1)
    return f"did you mean {near[0]}?" if near else f"commands are {', '.join(COMMANDS)}"


def _print_makefile(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from hlspart.cli.files import makefile

        click.echo(makefile())
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="hlspart %(version)s")
@click.option(
    "--makefile",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_makefile,
    help="Print the path of the make rules to include in a Makefile.",
)
def cli() -> None:
    """Memory partitioning for HLS C: predict the II, find the partition, write and verify banked C.

    A FILE is C (or C-like C++), an hls_config.cfg or a Tcl project script; - reads standard input.
    Exit codes: 0 clean, 1 findings, 2 unusable input or usage.
    """


def run(args: Sequence[str]) -> int:
    """Run one command, without arguments the help page; returns its exit code and never raises."""
    try:
        with PROGRESS:
            code = cli.main(list(args) or ["--help"], prog_name="hlspart", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (BrokenPipeError, SystemExit) as stop:
        if isinstance(stop, SystemExit) and not stop.code:  # shell completion has answered
            return 0
        # click turns a broken pipe into SystemExit(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return CLOSED_PIPE
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "hlspart"
        say(f"{where}: error: {error.format_message()}")
        if isinstance(error, click.UsageError):
            say(f"try '{where} --help'")
        return 2
    except SettingsError as error:
        say(f"hlspart: error: {error}")
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except MemoryError:
        say("hlspart: error: out of memory")
        return INTERNAL_ERROR
    except Exception as error:
        if os.environ.get("HLSPART_DEBUG"):
            raise
        text = " ".join(str(error).split())[:300]
        where = "please report it with the input (HLSPART_DEBUG=1 shows where)"
        say(f"hlspart: internal error: {type(error).__name__}: {text}; {where}")
        return INTERNAL_ERROR
