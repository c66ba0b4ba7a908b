"""``python tests/buffers/savings.py [-D NAME ..] [-I DIR ..] FILE..``: what sharing on-chip memory saves, file by file.

For every file (none is part of this repository): bytes and blocks of BRAM of its on-chip arrays
before and after, whether the least is proved. Prints the files that gain, and totals.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys


def entries(path: str, options: list[str]) -> dict[str, object] | None:
    """The JSON of ``hlspart buffers`` for one file, None where it has no answer."""
    command = [sys.executable, "-m", "hlspart", "buffers", path, *options, "--format", "json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        (found,) = json.loads(done.stdout)["files"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None
    return found if "buffers" in found else None


def main() -> int:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-D", action="append", default=[])
    parser.add_argument("-I", action="append", default=[])
    given = parser.parse_args()
    options = [*(f"-D{d}" for d in given.D), *(x for i in given.I for x in ("-I", i))]
    answered = several = gained = 0
    saved = [0, 0]
    for path in given.files:
        found = entries(path, options)
        if found is None:
            print(f"{path}: no answer")
            continue
        answered += 1
        arrays = found["buffers"]
        assert isinstance(arrays, list)
        several += len(arrays) > 1
        numbers = [found[k] for k in ("unshared_bytes", "bytes", "unshared_bram18k", "bram18k")]
        before, after, brams, less = (n if isinstance(n, int) else 0 for n in numbers)
        if after < before or less < brams:
            gained += 1
            saved[0] += before - after
            saved[1] += brams - less
            proof = "least proved" if found["proved_minimal"] else "not proved least"
            print(f"{path}: {before} -> {after} bytes, {brams} -> {less} BRAM18K, {proof}")
    print(f"{len(given.files)} files, {answered} answered, {several} with several arrays, {gained} gain:", end=" ")
    print(f"{saved[0]} bytes, {saved[1]} BRAM18K")
    return 0


if __name__ == "__main__":
    sys.exit(main())
