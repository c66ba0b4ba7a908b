"""The pragmas that ``infer`` proposes for files, against all others with fewer banks, read by ``ii``.

    python tests/infer/least_pragmas.py [--most 16] [--all] FILE..

One array at a time, the others partitioned as inferred: every (type, factor) per dimension with fewer
banks is given as a directive; none may reach the promised II of every loop. With --all, where a loop misses
its target, all partitions are given, and none may do better. Exit status 1 where one does.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hlspart.infer import infer
from hlspart.infer.emission import pragma_texts
from hlspart.layouts.perdim import DimLayout
from hlspart.model.options import FrontendOptions, InferOptions, Options
from hlspart.model.results import InferredArray, InferResult
from hlspart.pipeline import Pipeline

CFG = "brute-force.cfg"


def partitions(shape: tuple[int, ...], below: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(banks, options per dimension) of every partition with fewer banks than ``below``."""
    ways = []
    for n in shape:
        found = [(1, "")]
        for factor in range(2, min(n, below - 1) + 1):
            found += [
                (DimLayout.of(kind, n, factor).banks, f"type={kind} factor={factor}") for kind in ("cyclic", "block")
            ]
        ways.append(found)
    for chosen in itertools.product(*ways):
        banks = 1
        for number, _ in chosen:
            banks *= number
        if banks < below:
            yield banks, tuple(words for _, words in chosen)


def better(
    path: str, result: InferResult, array: InferredArray, pipeline: Pipeline, most: int | None
) -> tuple[int, list[str]]:
    """How many partitions were tried for one array, and those that serve."""
    said = enumerate(pipeline.program.directives)
    own = tuple(k for k, d in said if d.kind == "array_partition" and set(array.roots) & set(d.variables))
    plain = replace(array, pragmas=(), fresh=False, removed=own)
    others = replace(result, arrays=tuple(plain if a is array else a for a in result.arrays))
    text = pragma_texts(pipeline.program, others).get(path, Path(path).read_text())
    shape = tuple(n or 0 for n in pipeline.program.variable(array.variable).dims)
    promised = [x.ii_after or 0 for x in result.loops]
    missed = most is not None and any((x.ii_after or 0) > (x.target_ii or 1) for x in result.loops)
    tried, found = 0, []
    for banks, options in partitions(shape, (most or 0) + 1 if missed else array.banks):
        tried += 1
        place = array.function or array.scope
        lines = [
            f"syn.directive.array_partition={place} {array.name} {words} dim={dim}"
            for dim, words in enumerate(options, 1)
            if words
        ]
        cfg = "\n".join(["[hls]", *lines, ""])
        read = {path: text.encode(), CFG: cfg.encode()}.__getitem__
        given = Pipeline([path], Options(frontend=FrontendOptions(directive_files=(CFG,))), read)
        reached = [x.ii for x in given.ii.loops if x.pipelined and x.origin != "auto"]
        assert len(reached) == len(promised), "not the same loops"
        serves = all(ii is not None and ii <= best for ii, best in zip(reached, promised, strict=True))
        if serves and (banks < array.banks or reached != promised):
            found.append(f"{banks} banks: {' '.join(lines)}")
    return tried, found


def main() -> int:
    """Print a line per array, and every partition that beats what was inferred."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=16, help="most banks of an array")
    parser.add_argument("--all", action="store_true", help="look for a better II too")
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()
    good = True
    for path in given.files:
        pipeline = Pipeline([path], Options(frontend=FrontendOptions()), lambda name: Path(name).read_bytes())
        options = InferOptions(scheme="pragma", max_banks=given.most)
        result = infer(pipeline.program, pipeline.analysis, pipeline.validation, pipeline.target, options)
        for array in result.arrays:
            tried, found = better(path, result, array, pipeline, given.most if given.all else None)
            print(f"{path}: {array.name}: {array.banks} banks, {tried} others tried, {len(found)} better")
            for words in found:
                print(f"    {words}")
            good = good and not found
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
