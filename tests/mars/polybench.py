"""``python tests/mars/polybench.py FOLDER``: code for PolyBench/C 4.2 (not part of this repository), run and compared.

For each kernel (MINI) the tilings below are tried until one gives code; the code must compute the same bits as the
kernel under sanitizers, with the planned bursts. Prints a line per kernel, and how many of all have code.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# by kernel: tilings, and lines or labels of the nest where several have its iterators
TILINGS: dict[str, tuple[tuple[str, ...], int]] = {
    "2mm": (("i:4,j:4,k:4",), 2),
    "3mm": (("i:4,j:4,k:4",), 3),
    "adi": (("t:2,i:4,j:4", "i:4,j:4"), 0),
    "atax": (("i:4,j:4", "i:4"), 2),
    "bicg": (("i:4,j:4",), 2),
    "cholesky": (("i:4,j:4,k:4", "i:4,j:4"), 0),
    "correlation": (("i:4,j:4,k:4",), 0),
    "covariance": (("i:4,j:4,k:4",), 0),
    "deriche": (("i:4,j:4", "i:4"), 6),
    "doitgen": (("r:2,q:2,p:4,s:4", "r:2,q:2,p:4"), 0),
    "durbin": (("k:4,i:4", "k:4"), 0),
    "fdtd-2d": (("t:4,t+i:4,t+j:4",), 0),
    "floyd-warshall": (("k:1,i:4,j:4", "i:4,j:4"), 0),
    "gemm": (("i:4,j:4,k:4",), 0),
    "gemver": (("i:4,j:4",), 3),
    "gesummv": (("i:4,j:4",), 0),
    "gramschmidt": (("k:4,j:4,i:4", "k:4"), 0),
    "heat-3d": (("t:2,2*t+i:4,2*t+j:4,2*t+k:4",), 0),
    "jacobi-1d": (("t:4,2*t+i:8",), 0),
    "jacobi-2d": (("t:4,2*t+i:8,2*t+j:8",), 0),
    "lu": (("i:4,j:4,k:4", "i:4,j:4"), 0),
    "ludcmp": (("i:4,j:4,k:4", "i:4,j:4"), 3),
    "mvt": (("i:4,j:4",), 2),
    "nussinov": (("i:4,j:4",), 0),
    "seidel-2d": (("t:4,t+i:4,2*t+i+j:4",), 0),
    "symm": (("i:4,j:4,k:4", "i:4,j:4"), 0),
    "syr2k": (("i:4,k:4,j:4",), 0),
    "syrk": (("i:4,j:4,k:4",), 0),
    "trisolv": (("i:4,j:4", "i:4"), 0),
    "trmm": (("i:4,j:4,k:4", "i:4,j:4"), 0),
}
MACROS = ["-DMINI_DATASET", "-DPOLYBENCH_USE_SCALAR_LB"]
GCC = [
    "gcc",
    "-std=gnu99",
    "-O1",
    "-w",
    "-ffp-contract=off",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
]


def nests(source: Path, most: int) -> Iterator[list[str]]:
    """``--nest`` arguments: none, then the lines of outermost loops."""
    yield []
    if most:
        lines = source.read_text().split("\n")
        kernel = next(k for k, x in enumerate(lines) if x.startswith("void kernel_"))
        for number, text in enumerate(lines[kernel:], kernel + 1):
            if text.lstrip().startswith("for (") and len(text) - len(text.lstrip()) <= 4:
                yield ["--nest", str(number)]


def attempt(source: Path, folder: Path, utilities: Path, tile: str, nest: list[str]) -> str | None:
    """What the test bench of the generated code prints, None where there is no code."""
    include = [*MACROS, "-I", str(utilities), "-I", str(source.parent)]
    top = "kernel_" + source.stem.replace("-", "_")
    out, kernel, program = folder / "out.c", folder / "kernel.c", folder / "bench"
    command = [sys.executable, "-m", "hlspart", "mars", str(source), "--top", top, *include]
    command += ["--tile", tile, "--place", "--copies", *nest, "-o", str(out)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        return None
    text = source.read_text()
    kernel.write_text(text[: text.index("int main")].replace("static\nvoid kernel", "void kernel"))
    build = [*GCC, "-DMARS_TESTBENCH", *include, str(out), str(kernel), "-lm", "-o", str(program)]
    subprocess.run(build, check=True)
    return subprocess.run([str(program)], capture_output=True, text=True, check=False).stdout.strip()


def main(root: Path) -> int:
    """All kernels; exit code 1 where some code computes something else."""
    good = wrong = 0
    sources = {p.stem: p for p in root.glob("**/*.c") if p.stem in TILINGS and p.with_suffix(".h").exists()}
    with tempfile.TemporaryDirectory() as scratch:
        for name in TILINGS:
            tiles, most = TILINGS[name]
            said = "no code"
            for tile, nest in ((t, n) for t in tiles for n in nests(sources[name], most)):
                done = attempt(sources[name], Path(scratch), root / "utilities", tile, nest)
                if done is not None:
                    said = f"{tile} {' '.join(nest)}: {done}"
                    good += done.startswith("PASS")
                    wrong += not done.startswith("PASS")
                    break
            print(f"{name:15} {said}", flush=True)
    print(f"{good} of {len(TILINGS)} kernels have code that computes the same, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
