"""Every command over files, or over random programs that are hard to answer: how each ends, and what it costs.

    python tests/sweep.py [--seconds 10] [--commands lint,ii] [--share 1/8] [--generate 200 --seed 0] [PATH ...]

--generate makes programs of scalar expressions, --kernels those with many nests, arrays, copies, calls and cases.

Each command runs in a process of its own. A failure is an internal error (exit code 70, or none at all) or
more processor time than --seconds: printed with the file, or the seed of the program; a summary follows.
Exit code 1 when there is one. --share 1/8 takes the first of eight shares of the files, split by a hash of their text.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cli"))
import kernel_programs
import scalar_programs

from hlspart.cli.app import run

COMMANDS = {
    "lint": ("lint", "--no-cache", "--jobs", "1"),
    "ii": ("ii",),
    "infer": ("infer",),
    "infer any": ("infer", "--scheme", "any", "--ports", "1"),
    "accesses": ("accesses",),
    "rewrite": ("rewrite", "--infer", "-o", "OUT"),
    "advise": ("advise",),
    "report": ("report", "-o", "OUT"),
    "directives": ("directives",),
    "mars": ("mars",),
    "buffers": ("buffers", "-o", "OUT"),
    "layout": ("layout", "-o", "OUT"),
    "expand": ("expand", "--plan"),
}


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (None: killed), its processor time, the end of its messages."""

    code: int | None
    seconds: float
    said: str


def ended(name: str, path: Path, seconds: float) -> Ended:
    """Run one command over one file, in a process of its own."""
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            code = 70
            try:
                os.environ["HLSPART_DEBUG"] = "1"
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
                resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.dup2(errors.fileno(), 2)
                os.chdir(folder)
                code = run([a.replace("OUT", f"out{path.suffix}") for a in COMMANDS[name]] + [str(path)])
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status, used = os.wait4(child, 0)
        errors.seek(0)
        said = errors.read()[-4000:].decode("utf-8", "replace")
        code = None if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return Ended(code, used.ru_utime + used.ru_stime, said)


def failure(end: Ended, seconds: float) -> str | None:
    """What is wrong with how a command ended."""
    if end.code is None or end.seconds > seconds:
        return f"took {end.seconds:.1f} s"
    if end.code == 70:
        return end.said.strip().splitlines()[-1] if end.said.strip() else "exit code 70"
    return None


def share(text: str) -> tuple[int, int]:
    """A share of the inputs: which (from 0), of how many."""
    which, of = (int(number) for number in text.split("/"))
    if not 1 <= which <= of:
        raise ValueError
    return which - 1, of


def inputs(arguments: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Path]]:
    """(what to call it, file) of every input."""
    which, of = arguments.share
    for given in arguments.files:
        path = given.resolve()
        for file in sorted(p for p in path.rglob("*") if p.suffix in (".c", ".cpp")) if path.is_dir() else [path]:
            if zlib.crc32(file.read_bytes()) % of == which:
                yield os.path.relpath(file), file
    for seed in range(arguments.seed, arguments.seed + max(arguments.generate, arguments.kernels)):
        file = folder / "program.c"
        file.write_text(_generated(arguments, seed))
        yield f"seed {seed}", file


def _generated(arguments: argparse.Namespace, seed: int) -> str:
    return (kernel_programs if arguments.kernels else scalar_programs).generate(seed)


def main(given: Sequence[str]) -> int:
    """Run the sweep; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--generate", type=int, default=0, metavar="N")
    parser.add_argument("--kernels", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=share, default=(0, 1), metavar="K/N")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the program of a seed")
    arguments = parser.parse_args(given)
    if arguments.show is not None:
        print(_generated(arguments, arguments.show), end="")
        return 0
    missing = [str(path) for path in arguments.files if not path.exists()]
    if missing:
        parser.error(f"no such file or folder: {', '.join(missing)}")
    unknown = sorted({*arguments.commands.split(",")} - {*COMMANDS})
    if unknown:
        parser.error(f"no such command: {', '.join(unknown)}; known: {', '.join(COMMANDS)}")
    for name in ("frontend.directives", "infer", "lint", "mars", "rewrite", "rules"):
        import_module(f"hlspart.{name}")  # once, not in every process

    codes: Counter[int | None] = Counter()
    slowest: dict[str, tuple[float, str]] = {}
    failures = count = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name, file in inputs(arguments, Path(folder)):
            count += 1
            for command in arguments.commands.split(","):
                end = ended(command, file, arguments.seconds)
                codes[end.code] += 1
                slowest[command] = max(slowest.get(command, (0.0, "")), (end.seconds, name))
                fault = failure(end, arguments.seconds)
                if fault is not None:
                    failures += 1
                    print(f"{command}: {name}: {fault}", flush=True)
    print(f"{count} inputs, {failures} failures, {time.monotonic() - start:.0f} s; exit codes", dict(codes))
    for command, (seconds, name) in slowest.items():
        print(f"  {command}: slowest {seconds:.1f} s, {name}")
    return 1 if failures else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
