"""``hlspart completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from hlspart.cli.help import CommandWithExample


@click.command("completion", cls=CommandWithExample, example="completion bash")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script of SHELL; for bash: eval "$(hlspart completion bash)"."""
    from hlspart.cli.app import cli

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "hlspart", "_HLSPART_COMPLETE").source())
    return 0
