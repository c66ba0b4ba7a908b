"""Generated C against the original: compiled with sanitizers, bit for bit, bursts counted by the memory."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hlspart.frontend import load
from hlspart.mars import analyse, code
from hlspart.model.diagnostics import Diagnostic
from hlspart.model.mars import MarsResult
from hlspart.model.options import FrontendOptions
from hlspart.poly import analyse as accesses

KERNELS = Path(__file__).parent / "kernels"
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-label"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off"]

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def generated(path: Path, tiles: str | None, defines: Sequence[str] = ()) -> tuple[MarsResult, str | Diagnostic]:
    program = load([str(path)], FrontendOptions(defines=tuple(defines)))
    (top,) = program.functions
    analysis = accesses(program, top)
    result = analyse(program, analysis, top, tiles)
    return result, code(program, analysis, result)


def run(text: str, path: Path, defines: Sequence[str], folder: Path) -> tuple[int, int, int]:
    """Compile and run the test bench; (tiles, read bursts, write bursts) that the memory counted."""
    out = folder / "generated.c"
    out.write_text(text)
    program = folder / "bench"
    macros = [f"-D{d}" for d in defines]
    subprocess.run(
        ["gcc", *FLAGS, *SANITIZE, *macros, "-DMARS_TESTBENCH", str(out), str(path), "-lm", "-o", str(program)],
        check=True,
    )
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    numbers = re.fullmatch(r"PASS: (\d+) tiles, (\d+) read bursts, (\d+) write bursts, \d+ words\n", done.stdout)
    assert numbers is not None, done.stdout
    tiles, reads, writes = map(int, numbers.groups())
    return tiles, reads, writes


CASES = [
    ("jacobi1d", "t+i:8,t-i:8", []),
    ("jacobi1d", "t+i:6,t-i:6", ["T=23", "N=41"]),
    ("jacobi1d", "t:8,t+i:8", ["T=32", "N=66"]),
    ("jacobi1d", "t:5,t+i:7", ["T=33", "N=50"]),
    ("jacobi1d_inplace", "t:8,2t+i:8", []),
    ("jacobi1d_inplace", "t:4,2t+i:7", ["T=13", "N=31"]),
    ("jacobi2d", "t:4,t+i:6,t+j:5", []),
    ("jacobi2d", "t:3,t+i:4,t+j:4", ["T=7", "N=19"]),
    ("seidel2d", "t:4,t+i:10,4t+2i+j:10", []),
    ("seidel2d", "t:3,t+i:5,2t+i+j:6", ["T=8", "N=21"]),
    ("gemm", "i:10,j:20,k:20", []),
    ("gemm", "i:7,j:9,k:8", ["NI=23", "NJ=31", "NK=29"]),
    ("smith_waterman", "i+j:10,j:10", []),
    ("smith_waterman", "i:8,j:9", ["M=37", "N=41"]),
    ("conv2d", "o:2,r:5,c:13", []),
    ("conv2d", "o:3,r:6,c:7", []),
]


@needs_gcc
@pytest.mark.parametrize(("kernel", "tiles", "defines"), CASES)
def test_same_bits_and_planned_bursts(kernel: str, tiles: str, defines: list[str], tmp_path: Path) -> None:
    path = KERNELS / f"{kernel}.c"
    result, text = generated(path, tiles, defines)
    assert isinstance(text, str), text
    count, reads, writes = run(text, path, defines, tmp_path)
    inner = [a for a in result.arrays if a.boundary is None]
    assert count > 1 and reads > 0
    assert reads == count * sum(a.bursts.read for a in inner if a.bursts)
    assert writes == count * sum(a.bursts.write for a in inner if a.bursts)
