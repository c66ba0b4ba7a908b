"""Many inputs that nobody means through the frontend and the access analysis.

    python tests/fuzz_frontend.py [--count 20000] [--seed 1] [--cpp]

Mutated kernels, random bytes, truncated files, nesting, lines of a megabyte, include cycles, macros that
double; with --cpp only C++. Each must end in records: an exception, more than 10 s of processor time or
more than 1 GB of memory is a failure, printed with the seed that makes the input again. Exit code 1 when there is one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "frontend"))
from fuzz_inputs import generated, header

from hlspart.accesses import analyse
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions

BATCH = 200
MOST_SECONDS = 10
MOST_MEMORY = 1 << 20  # KB


class TooLong(BaseException):
    """An input took more than its time."""


def _stop(*_: object) -> None:
    raise TooLong


def one(seed: int, cpp: bool) -> str:
    """Read one input: "read" or the rule of its error. Raises whatever goes wrong."""
    rnd = random.Random(seed)
    name, text = generated(rnd)
    while cpp and not name.endswith(".cpp"):
        name, text = generated(rnd)
    files = {name: text.encode("utf-8", "surrogateescape"), "x.h": header(rnd, name)}

    def read(path: str) -> bytes:
        if path not in files:
            raise FileNotFoundError(path)
        return files[path]

    program = load([name], FrontendOptions(), read)
    error = program.units[0].error
    if error is not None:
        assert error.message and str(error)
        return error.rule
    analyse(program)
    return "read"


def batch(seeds: range, report: Connection, cpp: bool) -> None:
    """Read the inputs of some seeds in this process."""
    signal.signal(signal.SIGPROF, _stop)
    found: dict[str, int] = {}
    faults: list[str] = []
    slowest = 0.0
    for seed in seeds:
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            what = one(seed, cpp)
            found[what] = found.get(what, 0) + 1
        except TooLong:
            faults.append(f"seed {seed}: more than {MOST_SECONDS} s")
        except Exception:
            faults.append(f"seed {seed}: {traceback.format_exc(limit=-3)}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        slowest = max(slowest, time.process_time() - start)
    report.send((found, faults, slowest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def main() -> int:
    """Print a summary."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpp", action="store_true")
    given = parser.parse_args()
    first, last = given.seed * 1_000_000, given.seed * 1_000_000 + given.count
    totals: dict[str, int] = {}
    faults: list[str] = []
    slowest, memory = 0.0, 0
    context = multiprocessing.get_context("fork")
    for start in range(first, last, BATCH):
        seeds = range(start, min(start + BATCH, last))
        mine, theirs = context.Pipe(duplex=False)
        child = context.Process(target=batch, args=(seeds, theirs, given.cpp))
        child.start()
        theirs.close()
        try:
            found, wrong, took, used = mine.recv()
        except EOFError:
            found, wrong, took, used = {}, [f"seeds {seeds}: the process died"], 0.0, 0
        child.join()
        for name, count in found.items():
            totals[name] = totals.get(name, 0) + count
        if used > MOST_MEMORY:
            wrong = [*wrong, f"seeds {seeds}: {used >> 10} MB of memory"]
        for fault in wrong:
            print(fault, flush=True)
        faults += wrong
        slowest, memory = max(slowest, took), max(memory, used)
    outcome = ", ".join(f"{name} {count}" for name, count in sorted(totals.items()))
    print(f"{last - first} inputs: {outcome}; {len(faults)} failures")
    print(f"slowest {slowest:.1f} s of processor time, most memory {memory >> 10} MB ({os.cpu_count()} processors)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
