"""Time to read C: hlspart's frontend beside bare pcpp + pycparser on the same files and headers.

    python tests/bench_frontend.py [FOLDER...] [-- -D.. -I..]

Without folders the samples are read. The ratio, not the seconds, is what counts.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

import hlspart.frontend
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions

HEADERS = Path(hlspart.frontend.__file__).parent / "headers"


def arguments(words: list[str]) -> tuple[list[Path], FrontendOptions]:
    """Files below the given folders, and the options after ``--``."""
    cut = words.index("--") if "--" in words else len(words)
    folders = words[:cut] or [str(Path(__file__).parent.parent / "samples")]
    flags = words[cut + 1 :]
    files = sorted(f for folder in folders for f in Path(folder).rglob("*.c"))
    return files, FrontendOptions(
        defines=tuple(w[2:] for w in flags if w.startswith("-D")),
        include_dirs=tuple(w[2:] for w in flags if w.startswith("-I")),
    )


def bare(path: Path, options: FrontendOptions) -> bool:
    """pcpp and pycparser alone; False when they cannot read the file."""
    import pcpp
    from pycparser import CParser

    class Quiet(pcpp.Preprocessor):  # type: ignore[misc]
        def on_comment(self, token: object) -> bool:
            return False

        def on_error(self, *_: object) -> None:
            raise ValueError

    preprocessor = Quiet()
    preprocessor.line_directive = None
    for folder in (*options.include_dirs, str(HEADERS)):
        preprocessor.add_path(folder)
    for define in options.defines:
        preprocessor.define(define.replace("=", " ", 1) if "=" in define else f"{define} 1")
    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            preprocessor.parse(path.read_text(encoding="utf-8", errors="replace"), str(path))
            preprocessor.write(out)
            CParser().parse(out.getvalue())
        except Exception:  # whatever they fail with
            return False
    return True


def ours(path: Path, options: FrontendOptions) -> bool:
    """hlspart's whole frontend."""
    return load([str(path)], options).units[0].error is None


def timed(read: Callable[[Path, FrontendOptions], bool], files: list[Path], options: FrontendOptions) -> float:
    """Best of three, in seconds of processor time."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for path in files:
            read(path, options)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Print one line."""
    files, options = arguments(sys.argv[1:])
    both = [f for f in files if bare(f, options) and ours(f, options)]
    mine, theirs = timed(ours, both, options), timed(bare, both, options)
    seconds = f"hlspart {mine:.2f} s, pcpp + pycparser {theirs:.2f} s, ratio {mine / theirs:.2f}"
    print(f"{len(both)} of {len(files)} files: {seconds}")


if __name__ == "__main__":
    main()
