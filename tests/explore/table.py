"""The table of docs/explore.md: ``python tests/explore/table.py DIR [KERNEL ...] [--shares 10,100] [--verify]``.

Each cell is a run of ``hlspart explore ... -o`` within a share of the part. Its answer is kept in DIR, so that a run
that was ended goes on; a search ends after ``--seconds``, a run after four times as long. The table is printed from
what DIR has.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

SUITE = Path(__file__).parent / "kernels" / "suite.c"
TARGET = ("--part", "xcu55c-fsvh2892-2L-e", "--clock", "4.5")
DSP = 9024  #: of the part
WIDTH = 64  #: bytes a cycle


class Kernel(NamedTuple):
    """``work``: (operations, DSP blocks of one) that no order spares; ``read``: bytes that come in at least.

    ``windows``: blocks of neighbours overlap, so that fewer elements may be faster.
    """

    top: str
    work: tuple[tuple[int, int], ...]
    read: int
    windows: bool = False


def products(n: int, blocks: int = 5) -> tuple[tuple[int, int], ...]:
    """Multiplications of floats, each with its addition."""
    return ((n, blocks),)


KERNELS = (
    Kernel("gemm", products(200 * 220 * 240), 4 * (200 * 240 + 240 * 220 + 200 * 220)),
    Kernel("two_mm", products(180 * 190 * 210 + 180 * 220 * 190), 4 * (180 * 210 + 210 * 190 + 190 * 220 + 180 * 220)),
    Kernel("three_mm", products(180 * 190 * 200 + 190 * 210 * 220 + 180 * 210 * 190),
           4 * (180 * 200 + 200 * 190 + 190 * 220 + 220 * 210)),
    Kernel("mvt", products(2 * 400 * 400), 4 * (400 * 400 + 4 * 400)),
    Kernel("atax", products(2 * 390 * 410), 4 * (390 * 410 + 410)),
    Kernel("bicg", products(2 * 390 * 410), 4 * (390 * 410 + 390 + 410)),
    Kernel("jacobi_2d", ((2 * 248 * 248, 4 * 2 + 3),), 4 * 250 * 250, windows=True),
    Kernel("stencil3d", ((14 * 30 * 30, 2 * 3),), 4 * 16 * 32 * 32, windows=True),
    Kernel("syrk", products(240 * 240 * 200), 4 * (240 * 200 + 240 * 240)),
    Kernel("conv2d", products(64 * 32 * 32 * 64 * 9), 4 * (64 * 34 * 34 + 64 * 64 * 9)),
    Kernel("layer", products(32 * 32 * 32 * 16 * 9), 4 * (16 * 34 * 34 + 32 * 16 * 9)),
    Kernel("attention", products(2 * 64 * 64 * 64), 4 * 3 * 64 * 64),
    Kernel("gemm_64", products(64**3, 11 + 3), 8 * 2 * 64 * 64),
)  # fmt: skip


def least(kernel: Kernel, share: int) -> int:
    """Cycles that nothing undercuts: the operations over the DSP blocks, or the bytes over the width."""
    blocks = sum(n * each for n, each in kernel.work)
    return max(-(-blocks * 100 // (DSP * share)), -(-kernel.read // WIDTH))


def hlspart(*words: str, seconds: float) -> subprocess.CompletedProcess[str] | None:
    """A run of the command; None where it took too long."""
    try:
        return subprocess.run(
            [sys.executable, "-m", "hlspart", *words], capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return None


def elements(kernel: Kernel, share: int, folder: Path) -> list[int]:
    """The largest power of two, 512 at most, whose DSP blocks fit in all nests, if elements share none, and the next.

    Those below, too, where fewer elements may be faster.
    """
    kept = folder / f"{kernel.top}_plan.json"
    if not kept.exists():
        words = ["explore", str(SUITE), "--top", kernel.top, "--pe", "2", "--plan", *TARGET, "--format", "json"]
        run = hlspart(*words, seconds=600)
        assert run is not None, kernel.top
        kept.write_text(run.stdout)
    regions = json.loads(kept.read_text())["files"][0]["regions"]
    most = sum(r["assumed"]["dsp"] for r in regions if r["explored"])
    fit = min(9, max(0, int(math.log2(DSP * share / 100 / max(1, most)))))
    return [1 << n for n in range(0 if kernel.windows else fit, fit + 2)]


def cell(kernel: Kernel, share: int, folder: Path, seconds: int, verify: bool) -> dict[str, Any]:
    """One cell, from its file where that is there."""
    kept, text = folder / f"{kernel.top}_{share}.json", folder / f"{kernel.top}_{share}.c"
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    if not found:
        counts = ",".join(map(str, elements(kernel, share, folder)))
        words = ["explore", str(SUITE), "--top", kernel.top, "--pe", counts, *TARGET]
        words += ["--allow-reassoc", "--order", "source", "--budget", f"dsp={share}%,bytes={share}%"]
        run = hlspart(*words, "--time-limit", str(seconds), "--format", "json", "-o", str(text), seconds=4 * seconds)
        found = {"command": "hlspart " + " ".join(words)}
        if run is None:
            found["ended"] = 4 * seconds
        elif run.returncode:
            found["failed"] = run.stderr[-400:]
        else:
            answer = json.loads(run.stdout)["files"][0]
            best = answer["best"]
            found |= {n: best[n] for n in ("model_cycles", "schedule_cycles", "source_cycles", "dsp", "schedule_dsp")}
            found |= {"proved": answer["proved"], "gap": answer["gap"], "elements": [
                math.prod(r["shard"].values() if isinstance(r["shard"], dict) else r["shard"]) for r in best["regions"]
            ]}  # fmt: skip
        kept.write_text(json.dumps(found))
    if verify and "equal" not in found and text.exists():
        whole = [folder / "source_int.c", folder / f"{kernel.top}_{share}_int.c"]
        for path, source in zip(whole, (SUITE, text), strict=True):
            path.write_text(re.sub(r"\b(float|double)\b", "int", source.read_text()))
        words = ["verify", *map(str, whole), "--top", kernel.top, "--range", "-9:9", "--vectors", "1"]
        run = hlspart(*words, "--timeout", "300", seconds=400)
        found["equal"] = None if run is None else run.returncode == 0
        kept.write_text(json.dumps(found))
    return found


def row(kernel: Kernel, shares: list[int], cells: dict[int, dict[str, Any]]) -> str:
    """A line of the table: the kernel as it is, then model / C, and the least."""
    as_is = next((c["source_cycles"] for c in cells.values() if "source_cycles" in c), None)
    words = [kernel.top, f"{as_is:,}" if as_is else "not known"]
    for share in shares:
        fits = [
            c for s, c in cells.items() if s <= share and "model_cycles" in c
        ]  # a choice of a smaller share does, too
        if not fits:
            c = cells.get(share, {})
            words.append("ended" if "ended" in c else "failed" if "failed" in c else "-")
            continue
        c = min(fits, key=lambda c: c["schedule_cycles"] or c["model_cycles"])
        of_c, mark = c["schedule_cycles"], "" if c["proved"] else f", gap {c['gap']}"
        words.append(f"{c['model_cycles']:,} / {f'{of_c:,}' if of_c else '?'} ({least(kernel, share):,}{mark})")
    return "| " + " | ".join(words) + " |"


def main() -> None:
    """Run what is missing, in the order of the shares, and print."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("folder", type=Path)
    given.add_argument("kernels", nargs="*")
    given.add_argument("--shares", default="10,25,50,100")
    given.add_argument("--seconds", type=int, default=120)
    given.add_argument("--verify", action="store_true", help="compare the C with the source, int for float in both")
    asked = given.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    shares = [int(s) for s in asked.shares.split(",")]
    kernels = [k for k in KERNELS if not asked.kernels or k.top in asked.kernels]
    cells: dict[str, dict[int, dict[str, Any]]] = {k.top: {} for k in kernels}
    for share in shares:
        for kernel in kernels:
            found = cells[kernel.top][share] = cell(kernel, share, asked.folder, asked.seconds, asked.verify)
            print(kernel.top, share, {k: v for k, v in found.items() if k != "command"}, file=sys.stderr, flush=True)
    print("| kernel | source | " + " | ".join(f"{s} %" for s in shares) + " |")
    print("|---" * (len(shares) + 2) + "|")
    for kernel in kernels:
        print(row(kernel, shares, cells[kernel.top]))


if __name__ == "__main__":
    main()
