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

    gc.set_threshold(400_000, 50, 100)  # records live as long as the process: searching them for garbage costs a fifth

    code = run(sys.argv[1:])
    gc.freeze()  # nor is there anything to find at the end
    sys.exit(code)


__all__ = [
    "main",
]
