"""``python tests/expand/polybench.py FOLDER``: PolyBench/C 4.2 (not part of this repository) on four elements.

Each loop of a kernel (MINI) is judged; each outermost legal one is written, without consent to other orders of sums,
and the whole program is run with the elements forwards, backwards and rotated under sanitizers. The arrays that it
prints must be those of the original.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hlspart.model.expanding import ExpandOptions, ExpandResult
from hlspart.model.options import FrontendOptions, Options
from hlspart.model.program import Loop, Program, walk_statements
from hlspart.pipeline import Pipeline
from tests.expand.running import backwards, rotated

ELEMENTS = 4
MACROS = ("MINI_DATASET", "POLYBENCH_USE_SCALAR_LB")
GCC = [
    "gcc", "-std=gnu99", "-O1", "-w", "-ffp-contract=off", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all", "-DPOLYBENCH_DUMP_ARRAYS", *(f"-D{name}" for name in MACROS),
]  # fmt: skip


def opened(source: Path, utilities: Path) -> Pipeline:
    """The kernel function of a program as top."""
    top = "kernel_" + source.stem.replace("-", "_")
    include = (str(utilities), str(source.parent))
    return Pipeline([str(source)], Options(FrontendOptions(MACROS, include_dirs=include), top=top))


def around(program: Program, loop: Loop) -> Iterator[Loop]:
    """The loops that a loop stands in."""
    return (o for o in program.loops.values() if o is not loop and any(s is loop for s in walk_statements(o.body)))


def verdicts(pipeline: Pipeline, reassoc: bool) -> dict[int, bool]:
    """By loop of the kernel: whether four elements may take its iterations in turn."""
    options = ExpandOptions(pe=(ELEMENTS,), reassoc=reassoc)
    result: ExpandResult = pipeline.expand(options, plan_only=True)
    return {r.request.loops[0]: r.judgement.legal for r in result.regions}


def printed(text: str, source: Path, utilities: Path, folder: Path) -> str:
    """What the program prints of its arrays."""
    changed, program = folder / "changed.c", folder / "program"
    changed.write_text(text)
    paths = ["-I", str(utilities), "-I", str(source.parent), str(changed), str(utilities / "polybench.c")]
    subprocess.run([*GCC, *paths, "-lm", "-o", str(program)], check=True)
    leaky = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # heat-3d frees one of its arrays only
    return subprocess.run([str(program)], capture_output=True, text=True, check=True, env=leaky).stderr


def expansions(source: Path, utilities: Path, legal: list[str], folder: Path) -> tuple[int, list[str]]:
    """How many of the ``legal`` loops were written, and which of those print something else."""
    wanted = printed(source.read_text(), source, utilities, folder)
    written, differ = 0, []
    for name in legal:
        pipeline = opened(source, utilities)
        options = ExpandOptions(loops=(name,), pe=(ELEMENTS,), partition="none")
        text = pipeline.expand(options).files[str(source)]
        if text == source.read_text():
            continue
        written += 1
        for order in (str, backwards, rotated):
            if printed(order(text), source, utilities, folder) != wanted:
                differ.append(f"{name} ({order.__name__})")
    return written, differ


def main(root: Path) -> int:
    """All kernels; exit code 1 where some expansion prints something else."""
    sources = sorted(p for p in root.glob("*/**/*.c") if p.with_suffix(".h").exists() and p.stem != "polybench")
    some = every = wrote = wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            pipeline = opened(source, root / "utilities")
            program = pipeline.program
            plain, consented = verdicts(pipeline, False), verdicts(pipeline, True)
            outermost = [k for k in plain if not any(o.id in plain for o in around(program, program.loops[k]))]
            first = [
                program.loops[k].name for k, legal in plain.items()
                if legal and not any(plain.get(o.id) for o in around(program, program.loops[k]))
            ]  # fmt: skip
            written, differ = expansions(source, root / "utilities", first, Path(scratch))
            some += any(consented.values())
            every += all(consented[k] for k in outermost)
            wrote, wrong = wrote + written, wrong + len(differ)
            print(
                f"{source.stem:15} {sum(plain.values())} of {len(plain)} loops legal, {sum(consented.values())} with "
                f"sums in another order, {sum(consented[k] for k in outermost)} of {len(outermost)} outermost; "
                f"written {written} of {len(first)}{', differ: ' + ', '.join(differ) if differ else ''}", flush=True,
            )  # fmt: skip
    print(f"{len(sources)} kernels: {some} with a legal loop, {every} at the outermost loop of every nest; "
          f"{wrote} expansions in three orders, {wrong} differ")  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
