"""The command line: the only place with file output and exit codes."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Entry point of the ``hlspart`` command."""
    if sys.argv[1:] == ["--version"]:  # answered without loading anything else
        from hlspart.version import __version__

        print(f"hlspart {__version__}")
        return
    from hlspart.cli.app import run

    gc.set_threshold(100_000, 50, 100)  # records live as long as the process: searching them for garbage costs a fifth

    sys.exit(run(sys.argv[1:]))


__all__ = [
    "main",
]
