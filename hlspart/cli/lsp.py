"""``hlspart lsp``."""

from __future__ import annotations

import os
from typing import Any

import click

from hlspart.cli.help import CommandWithExample
from hlspart.cli.options import options_of, setup_options

INSTALL = "pip install 'hlspart[lsp]'"


@click.command("lsp", cls=CommandWithExample, example="lsp --tool vitis-2022.2 -I include")
@setup_options
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; the only way, and the default.")
def command(stdio: bool, **shared: Any) -> int:
    """Serve editors: findings with fixes, the II above each loop, ports and banks under the cursor.

    Looks at the text in the editor, saved or not. See docs/editors.md.
    """
    try:
        from hlspart.cli.language_server import made
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise click.ClickException(f"the language server needs pygls: {INSTALL}") from None
    with os.fdopen(os.dup(0), "rb") as asked, os.fdopen(os.dup(1), "wb") as answered:
        os.dup2(2, 1)  # whatever else prints does not meet the protocol
        made(options_of(shared)).start_io(asked, answered)
    return 0
