"""`make bench BASE=REVISION`: processor time of the commands on each sample, against an older revision.

Both run with the same interpreter and libraries, in turn, on the samples of the older one; of some runs of each the
least counts. Exit 1 when a command takes more than 5 % longer over all samples.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = ("accesses", "ii", "infer", "lint --no-cache", "directives", "rewrite", "rewrite --infer")
MOST = 1.05
TIMES = 3
ROOT = Path(__file__).resolve().parent.parent


def seconds(root: Path, arguments: list[str], folder: Path) -> float:
    """Processor time of one run of the command whose package is in ``root``."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "hlspart", *arguments],
        cwd=folder, env={**environment, "PYTHONPATH": str(root)}, capture_output=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)} in {root}: exit code {done.returncode}: {done.stderr.decode()[-400:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(base: str) -> int:
    """One line for each command: seconds of both over all samples, their ratio, the sample that lost most."""
    slower = 0
    with tempfile.TemporaryDirectory() as name:
        archive = subprocess.run(["git", "archive", base], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "x", "-C", name], input=archive, check=True)
        samples = Path(name) / "samples"
        files = sorted(p.name for p in samples.glob("*.c"))
        print(f"processor seconds over the {len(files)} samples of {base}: {base} -> this tree")
        for command in COMMANDS:
            word, *options = command.split()
            pairs = []
            for file in files:
                arguments = [word, file, *options]
                runs = [[seconds(root, arguments, samples) for root in (Path(name), ROOT)] for _ in range(TIMES)]
                pairs.append((min(r[0] for r in runs), min(r[1] for r in runs), file))
            old, new = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
            worst = max(pairs, key=lambda p: p[1] / p[0])
            verdict = "ok" if new <= MOST * old else "SLOWER"
            slower += verdict != "ok"
            most = f"most: {worst[2]} {worst[1] / worst[0]:.2f}"
            print(f"{command:15} {old:.1f} -> {new:.1f} s, ratio {new / old:.2f}, {most}   {verdict}", flush=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
