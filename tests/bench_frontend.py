"""Time of `hlspart accesses` beside bare pcpp + pycparser on the same files and headers.

    python tests/bench_frontend.py [FOLDER...] [-- -D.. -I..]

Without folders the samples are read. Each file is analysed by itself: all in one process (what it takes to start
apart), and each in a process of its own. The ratios, not the seconds, are what counts.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bare_parser import bare

import hlspart.frontend
from hlspart.cli.app import run
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions

HEADERS = Path(hlspart.frontend.__file__).parent / "headers"
OURS = [sys.executable, "-m", "hlspart", "accesses"]
ROUNDS = 3


def arguments(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Files below the given folders, and the options after ``--``."""
    cut = words.index("--") if "--" in words else len(words)
    folders = words[:cut] or [str(Path(__file__).parent.parent / "samples")]
    files = sorted(f for folder in folders for f in Path(folder).rglob("*.c"))
    return files, list(words[cut + 1 :])


def parsed(flags: Sequence[str]) -> FrontendOptions:
    """Compiler flags as options."""
    return FrontendOptions(
        defines=tuple(w[2:] for w in flags if w.startswith("-D")),
        include_dirs=tuple(w[2:] for w in flags if w.startswith("-I")),
    )


def ours(path: str, flags: Sequence[str]) -> bool:
    """The whole command, its output dropped."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(["accesses", path, "--format", "json", *flags]) < 2


def together(read: Callable[[str, Sequence[str]], bool], files: Sequence[str], flags: Sequence[str]) -> float:
    """All files in this process: best of some rounds, in seconds of processor time."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for path in files:
            read(path, flags)
        best = min(best, time.process_time() - start)
    return best


def apart(command: Sequence[str], files: Sequence[str], flags: Sequence[str]) -> float:
    """Each file in a process of its own, compiled Python at hand as after an installation: seconds of all."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as cache:
        environment["PYTHONPYCACHEPREFIX"] = cache
        start = 0.0
        for path in [*files[:1], *files]:
            subprocess.run([*command, path, *flags], capture_output=True, check=False, env=environment)
            start = start or spent()
        return spent() - start


def compare(files: Sequence[Path], flags: Sequence[str]) -> list[tuple[str, float, float, float]]:
    """(what, seconds of hlspart, seconds of pcpp + pycparser, ratio) over the files that both read."""
    theirs = [*flags, f"-I{HEADERS}"]
    both = [str(f) for f in files]
    both = [f for f in both if bare(f, theirs) and load([f], parsed(flags)).units[0].error is None]
    alone = [sys.executable, str(Path(__file__).parent / "bare_parser.py")]
    rows = []
    for what, mine, other in (
        ("in one process", together(ours, both, flags), together(bare, both, theirs)),
        ("a process each", apart(OURS, both, flags), apart(alone, both, theirs)),
    ):
        rows.append((f"{len(both)} files, {what}", mine, other, mine / other))
    return rows


def main(words: Sequence[str]) -> None:
    """Print one line per comparison."""
    files, flags = arguments(words)
    for what, mine, theirs, ratio in compare(files, flags):
        print(f"accesses  {what}: hlspart {mine:.2f} s, pcpp + pycparser {theirs:.2f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
