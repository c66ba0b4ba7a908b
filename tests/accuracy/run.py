"""Accuracy against public synthesis reports: prints one table per stratum, exit 1 below the stated aims.

Data: ``data/*.csv``, facts of public reports (see data/README.md). Kernels: ``kernels.py``.
Usage: python tests/accuracy/run.py [--misses] [--kernel NAME]
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import kernels

from hlspart.frontend import load
from hlspart.model.options import FrontendOptions, TargetOptions
from hlspart.partition import validate
from hlspart.poly import analyse
from hlspart.schedule import check
from hlspart.targets import load as load_target

DATA = Path(__file__).parent / "data"
AIMS = (1.0, 0.90, 0.97)  # II; iteration latency within 1; within the larger of 1 and 10 %


@dataclass(frozen=True)
class Row:
    """One reported loop and what hlspart predicts for it."""

    kernel: str
    loop: str
    config: str
    ii: int
    depth: int
    predicted_ii: int | None
    predicted_depth: int | None

    @property
    def ii_right(self) -> bool:
        """Same II."""
        return self.ii == self.predicted_ii

    @property
    def off(self) -> float:
        """Difference of iteration latencies."""
        return float("inf") if self.predicted_depth is None else abs(self.predicted_depth - self.depth)

    @property
    def near(self) -> bool:
        """Within 1 state."""
        return self.off <= 1

    @property
    def fair(self) -> bool:
        """Within the larger of 1 state and 10 %."""
        return self.off <= max(1, 0.1 * self.depth)


def predict(text: str, loop: str, target: TargetOptions) -> tuple[int | None, int | None]:
    """(II, depth) of the loop called ``loop`` in ``text``."""
    program = load(["kernel.c"], FrontendOptions(), read=lambda _: text.encode())
    analysis = analyse(program)
    result = check(program, analysis, validate(program, analysis), load_target(target))
    found = [x for x in result.loops if x.name == loop]
    return (found[0].ii, found[0].depth) if found else (None, None)


def rows(only: str | None = None) -> list[Row]:
    """All rows of the calibration set with their predictions."""
    target = TargetOptions(tool="vitis-2022.1", part="xczu9eg-ffvb1156-2-i", clock_ns=10.0)
    out = []
    with (DATA / "vitis-2022.1-hgnn.csv").open(encoding="utf-8") as handle:
        for r in csv.DictReader(line for line in handle if not line.startswith("#")):
            if only is not None and r["kernel"] != only:
                continue
            ii, depth = predict(kernels.source(r["kernel"], r["config"]), r["loop"], target)
            measured = int(r["ii"]), int(r["iteration_latency"])
            out.append(Row(r["kernel"], r["loop"], r["config"], *measured, ii, depth))
    return out


def table(found: list[Row]) -> str:
    """Shares per kernel and in all."""
    strata: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        strata[row.kernel].append(row)
    strata["all"] = found
    lines = [f"{'kernel':10} {'rows':>5} {'II right':>9} {'depth +-1':>10} {'+-1 or 10 %':>12}"]
    for name, items in strata.items():
        n = len(items)
        share = [sum(x) / n for x in ([r.ii_right for r in items], [r.near for r in items], [r.fair for r in items])]
        lines.append(f"{name:10} {n:5} {share[0]:9.1%} {share[1]:10.1%} {share[2]:12.1%}")
    return "\n".join(lines)


def main() -> int:
    """Print the table; 0 when the aims are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="list rows that are off")
    parser.add_argument("--kernel", help="only this kernel")
    options = parser.parse_args()
    found = rows(options.kernel)
    print(table(found))
    if options.misses:
        for r in found:
            if not (r.ii_right and r.near):
                said = f"II {r.predicted_ii} for {r.ii}, depth {r.predicted_depth} for {r.depth}"
                print(f"{r.kernel} {r.loop} {r.config}: {said}")
    n = len(found)
    reached = (sum(r.ii_right for r in found) / n, sum(r.near for r in found) / n, sum(r.fair for r in found) / n)
    return 0 if all(r >= a for r, a in zip(reached, AIMS, strict=True)) else 1


if __name__ == "__main__":
    sys.exit(main())
