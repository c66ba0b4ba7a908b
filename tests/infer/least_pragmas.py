"""The pragmas that ``infer`` proposes, against all others, read by ``ii``.

    python tests/infer/least_pragmas.py [--most 16] [--all] [--random COUNT] [--seed N] [FILE..]

One array at a time, the others partitioned as inferred: every (type, factor) per dimension with fewer
banks is given as a directive; none may reach the promised II of every loop. With --all, where a loop misses
its target, all partitions are given, of all arrays of that loop together where these are few, and none may
do better. A partition under which a function may take longer than as inferred is no better:
how long a division takes that picks a bank is in few reports. --random: kernels of random_kernels.py, of
seeds N, N + 1, .. Exit status 1 where one does.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import random_kernels
from msgspec.structs import replace

from hlspart.infer.emission import pragma_texts
from hlspart.layouts.dimension import DimLayout
from hlspart.model.inferred import InferredArray, InferResult
from hlspart.model.options import FrontendOptions, InferOptions, Options
from hlspart.pipeline import Pipeline

CFG = "brute-force.cfg"
MOST_TOGETHER = 300  # partitions of several arrays at once

Way = tuple[int, tuple[str, ...]]  # banks, options per dimension


def partitions(shape: tuple[int, ...], below: int) -> Iterator[Way]:
    """(banks, options per dimension) of every partition with fewer banks than ``below``."""
    ways = []
    for n in shape:
        found: dict[tuple[int, ...], tuple[int, str]] = {}
        for factor in range(1, min(n, below - 1) + 1):
            for kind in ("cyclic", "block"):
                layout = DimLayout.of(kind, n, factor)
                same = tuple(layout.bank(x) for x in range(n))
                found.setdefault(same, (layout.banks, f"type={kind} factor={factor}" if factor > 1 else ""))
        ways.append(list(found.values()))
    for chosen in itertools.product(*ways):
        banks = math.prod(number for number, _ in chosen)
        if banks < below:
            yield banks, tuple(words for _, words in chosen)


class Trial:
    """One kernel with what is inferred for it."""

    def __init__(self, path: str, text: str, most: int) -> None:
        self.path, self.text = path, text
        self.pipeline = self._read(text)
        options = InferOptions(scheme="pragma", max_banks=most)
        p = self.pipeline
        self.result: InferResult = p.infer(options)
        self.promised = [x.ii_after or 0 for x in self.result.loops]
        inferred = self._read(self._inferred(self.result)).ii.functions
        self.most = {f.name: f.latency.max for f in inferred if f.latency.max is not None}

    @property
    def missed(self) -> bool:
        """Whether a loop does not reach its target."""
        return any((x.ii_after or 0) > (x.target_ii or 1) for x in self.result.loops)

    def shape(self, array: InferredArray) -> tuple[int, ...]:
        """Extents of an array."""
        return tuple(n or 0 for n in self.pipeline.program.variable(array.variable).dims)

    def reached(self, ways: Sequence[tuple[InferredArray, tuple[str, ...]]]) -> list[int | None] | None:
        """II of each loop with these partitions in place of those inferred; None where one is refused."""
        program = self.pipeline.program
        roots = {r for a, _ in ways for r in a.roots}
        own = {k for k, d in enumerate(program.directives) if d.kind == "array_partition" and roots & set(d.variables)}
        plain = {a.variable: replace(a, pragmas=(), fresh=False, removed=tuple(own)) for a, _ in ways}
        others = replace(self.result, arrays=tuple(plain.get(a.variable, a) for a in self.result.arrays))
        lines = [
            f"syn.directive.array_partition={a.function or a.scope} {a.name} {words} dim={dim}"
            for a, options in ways
            for dim, words in enumerate(options, 1)
            if words
        ]
        given = self._read(self._inferred(others), "\n".join(["[hls]", *lines, ""]))
        refused = any(x.status == "rejected" for x in given.ii.pragmas)
        most = {f.name: f.latency.max for f in given.ii.functions}
        refused = refused or any(most[name] is None or most[name] > cycles for name, cycles in self.most.items())
        found = [x.ii for x in given.ii.loops if x.pipelined and x.origin != "auto"]
        assert len(found) == len(self.promised), "not the same loops"
        return None if refused else found

    def _inferred(self, result: InferResult) -> str:
        return pragma_texts(self.pipeline.program, result).get(self.path, self.text)

    def _read(self, text: str, cfg: str = "[hls]\n") -> Pipeline:
        known = {self.path: text.encode(), CFG: cfg.encode()}
        front = FrontendOptions(directive_files=(CFG,))
        return Pipeline([self.path], Options(frontend=front), lambda p: known.get(p) or Path(p).read_bytes())

    def better(self, array: InferredArray, most: int | None) -> tuple[int, list[str]]:
        """How many partitions were tried for one array, and those that serve with less."""
        tried, found = 0, []
        accesses = [x for r in array.roots for x in self.pipeline.analysis.of_array(r)]
        alone = array.accesses < 2 and all(x.kind == "write" for x in accesses)
        everything = most is not None and self.missed and not alone
        for banks, words in partitions(self.shape(array), (most or 0) + 1 if everything else array.banks):
            tried += 1
            reached = self.reached([(array, words)])
            if self._serves(reached) and (banks < array.banks or reached != self.promised):
                found.append(f"{array.name} in {banks} banks: {words}: II {reached} instead of {self.promised}")
        return tried, found

    def together(self, most: int) -> tuple[int, list[str]]:
        """The same for all arrays that get a partition at once, with a better II, where these are few."""
        arrays = [a for a in self.result.arrays if math.prod(self.shape(a)) <= most**2 and a.accesses > 1]
        ways = [list(partitions(self.shape(a), most + 1)) for a in arrays]
        if not self.missed or len(arrays) < 2 or math.prod(map(len, ways)) > MOST_TOGETHER:
            return 0, []
        tried, found = 0, []
        for chosen in itertools.product(*ways):
            tried += 1
            reached = self.reached([(a, words) for a, (_, words) in zip(arrays, chosen, strict=True)])
            if self._serves(reached) and reached != self.promised:
                found.append(f"together: {chosen}: II {reached} instead of {self.promised}")
        return tried, found

    def _serves(self, reached: Sequence[int | None] | None) -> bool:
        return reached is not None and all(
            ii is not None and ii <= best for ii, best in zip(reached, self.promised, strict=True)
        )


def compared(path: str, text: str, most: int, everything: bool) -> tuple[Trial, int, list[str]]:
    """A kernel, how many partitions were tried, and those that are better than what is inferred."""
    trial = Trial(path, text, most)
    results = [trial.better(a, most if everything else None) for a in trial.result.arrays]
    if everything:
        results.append(trial.together(most))
    return trial, sum(n for n, _ in results), [words for _, found in results for words in found]


def main() -> int:
    """Print a line per kernel, and every partition that beats what was inferred."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=16, help="most banks of an array")
    parser.add_argument("--all", action="store_true", help="look for a better II too")
    parser.add_argument("--random", type=int, default=0, help="number of random kernels")
    parser.add_argument("--seed", type=int, default=0, help="of the first of them")
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    kernels = [(path, Path(path).read_text()) for path in given.files]
    for seed in range(given.seed, given.seed + given.random):
        kernels.append((f"seed{seed}.c", random_kernels.kernel(random.Random(seed))))
    all_tried = all_found = 0
    for path, text in kernels:
        trial, tried, found = compared(path, text, given.most, given.all)
        said = ", ".join(f"{a.name} {a.banks}" for a in trial.result.arrays)
        print(
            f"{path}: {said}: {tried} others tried, {len(found)} better{', misses' if trial.missed else ''}", flush=True
        )
        for words in found:
            print(f"    {words}")
        all_tried, all_found = all_tried + tried, all_found + len(found)
    print(f"{len(kernels)} kernels, {all_tried} partitions tried, {all_found} better")
    return 1 if all_found else 0


if __name__ == "__main__":
    sys.exit(main())
