"""Compare hlspart's banks with two published rules on a folder of kernels.

    python tests/infer/compare_rules.py POLYBENCH_FOLDER

Innermost loops of each kernel are pipelined and unrolled by four. Prints a table in Markdown; exit
status 1 when a rule reaches the same II with fewer banks. The II after is the II check's own figure.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace
from published_rules import by_distance, by_gcd, partition, serves

from hlspart.infer.demand import demands
from hlspart.infer.inference import Inference
from hlspart.model.directives import Directive, Option
from hlspart.model.options import FrontendOptions, InferOptions, Options
from hlspart.model.program import Loop, Program, walk_statements
from hlspart.partition import validate
from hlspart.pipeline import Pipeline

UNROLL = 4


def unrolled(program: Program, function: str) -> Program:
    """With every innermost loop of the function pipelined and unrolled."""
    added = []
    for loop in program.loops.values():
        if loop.function == function and not any(isinstance(s, Loop) for s in walk_statements(loop.body)):
            for kind, name, value in (("pipeline", "ii", 1), ("unroll", "factor", UNROLL)):
                option = Option(name, str(value), loop.header)
                text = f"HLS {kind} {name}={value}"
                added.append(
                    Directive(
                        kind, "vitis", "pragma", loop.header, text, (option,), {name: value}, function, loop.id, ()
                    )
                )  # fmt: skip
    return replace(program, directives=(*program.directives, *added))


def rows(folder: Path) -> Iterator[tuple[str, bool]]:
    """Table rows, and whether each is as it should be."""
    for path in sorted(folder.rglob("*.c")):
        top = f"kernel_{path.stem.replace('-', '_')}"
        front = FrontendOptions(
            defines=("MINI_DATASET", "POLYBENCH_USE_SCALAR_LB"),
            include_dirs=(str(folder / "utilities"), str(path.parent)),
        )
        pipeline = Pipeline([str(path)], Options(frontend=front, top=top), lambda name: Path(name).read_bytes())
        if top not in pipeline.program.functions:
            continue
        program = unrolled(pipeline.program, top)
        validation = validate(program, pipeline.analysis)
        inference = Inference(program, pipeline.analysis, validation, pipeline.target, InferOptions(), "static")
        floors = inference.floors(inference.free_of_ports())
        found = demands(
            inference.program, pipeline.analysis, validation, inference.base, pipeline.target, InferOptions(), floors
        )
        result = inference.run().result
        reached = "/".join("?" if x.ii_after is None else str(x.ii_after) for x in result.loops)
        before = "/".join("?" if x.ii_before is None else str(x.ii_before) for x in result.loops)
        for array in result.arrays:
            demand = next(d for d in found if array.variable in d.roots)
            needs = [loop.need for loop in demand.loops]
            if array.kind == "none" and serves(partition(lambda f, s: 1, needs, demand.shape), needs):
                continue
            cells, fine = [], True
            for rule in (by_distance, by_gcd):
                layout = partition(rule, needs, demand.shape)
                reaches = serves(layout, needs)
                cells.append(f"{layout.banks}" if reaches else f"{layout.banks}, misses")
                fine = fine and not (reaches and layout.banks < array.banks)
            own = f"{array.banks} {array.kind}" + (" (rewrite)" if array.needs_rewrite else "")
            yield f"| {path.stem} | {before} | {reached} | {array.name} | {own} | {' | '.join(cells)} |", fine


def main() -> int:
    """Print the table."""
    print("| kernel | II before | II after | array | hlspart | by distances | by GCD |")
    print("|---|---|---|---|---|---|---|")
    good = True
    for row, fine in rows(Path(sys.argv[1])):
        print(row)
        good = good and fine
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
