"""pcpp and pycparser alone, to compare times with: python tests/bare_parser.py FILE -D.. -I..."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import pcpp
from pycparser import CParser


def bare(path: str, flags: Sequence[str]) -> bool:
    """pcpp and pycparser alone; False when they cannot read the file."""

    class Quiet(pcpp.Preprocessor):  # type: ignore[misc]
        def on_comment(self, token: object) -> bool:
            return False

        def on_error(self, *_: object) -> None:
            raise ValueError

    preprocessor = Quiet()
    preprocessor.line_directive = None
    for flag in flags:
        if flag.startswith("-I"):
            preprocessor.add_path(flag[2:])
        elif flag.startswith("-D"):
            preprocessor.define(flag[2:].replace("=", " ", 1) if "=" in flag else f"{flag[2:]} 1")
    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            preprocessor.parse(Path(path).read_text(encoding="utf-8", errors="replace"), path)
            preprocessor.write(out)
            CParser().parse(out.getvalue())
        except Exception:  # whatever they fail with
            return False
    return True


if __name__ == "__main__":
    sys.exit(0 if bare(sys.argv[1], sys.argv[2:]) else 1)
