"""Searches that are ended at random times: ``python tests/explore/kills.py [KILLS]``.

A search on two processes is ended by SIGKILL and resumed until it comes to its end, then begun anew, until so many
have been ended. What was recorded must stay, no task may run twice, and each end must be that of one process.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SQUARE = Path(__file__).parent / "kernels" / "square.c"
ASKED = [sys.executable, "-m", "hlspart", "explore", str(SQUARE), "-D", "N=64", "--top", "square", "--pe", "16"]
ASKED += ["--assume", "*:ii=1,depth=12,dsp=5", "--budget", "bytes=1MiB", "--allow-reassoc", "--format", "json"]


def records(folder: Path) -> list[str]:
    """Whole lines of a search's folder."""
    path = folder / "results.jsonl"
    return path.read_text().split("\n")[:-1] if path.exists() else []


def main(kills: int) -> None:
    random.seed(20)
    start = time.monotonic()
    wanted = subprocess.run(ASKED, capture_output=True, check=True).stdout
    once = time.monotonic() - start
    killed = ended = lost = twice = differ = 0
    while killed < kills:
        with tempfile.TemporaryDirectory() as name:
            folder, how = Path(name) / "state", "--state"
            while True:
                run = subprocess.Popen(
                    [*ASKED, "--jobs", "2", how, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
                seen = records(folder)
                until = time.monotonic() + (random.uniform(0.15, 1.2) * once if killed < kills else 3600)
                while run.poll() is None and time.monotonic() < until:
                    seen = records(folder)
                    time.sleep(0.02)
                if run.poll() is None:
                    run.kill()
                    killed += 1
                out = run.communicate()[0]
                kept = records(folder)
                lost += len(set(seen) - set(kept))
                if run.returncode == 0:
                    break
                how = "--resume" if (folder / "space.json").exists() else "--state"
            tasks = [json.loads(line)["task"] for line in kept]
            twice += len(tasks) - len(set(tasks))
            differ += out != wanted
            ended += 1
    print(f"{killed} kills: {lost} records lost, {twice} tasks twice; {ended} searches ended, {differ} differ")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
