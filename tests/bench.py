"""`make bench`: ratios of times measured side by side, so that they mean the same on any machine.

Cost must not depend on trip counts, and must grow no faster than the number of files. Arguments are those of
bench_frontend.py: further folders of C files, and after ``--`` their -D and -I.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench_banking
import bench_frontend

EXE = [sys.executable, "-m", "hlspart"]
KERNEL = """void f(const int in[{n}], int out[{n}]) {{
    int a[{n}];
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=4
load: for (int i = 0; i < {n}; i++) {{
#pragma HLS PIPELINE II=1
        a[i] = in[i];
    }}
use: for (int i = 0; i < {n} - 4; i++) {{
#pragma HLS PIPELINE II=1
        out[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
    }}
}}
"""


COPIES = """void f(int a[65536], const int b[65536]) {{
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=16
rows: for (int i = 0; i < 100; i++) {{
#pragma HLS PIPELINE
        for (int j = 0; j < {n}; j++) {{
            a[64 * i + j] = a[64 * i + j + 64] + a[64 * i + j + 128] + b[(3 * i + j) & 65535];
        }}
    }}
}}
"""


ARRAYS = """void f{k}(const int in[256], int out[256])
{{
    int a[256];
    int b[256];
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=b type=cyclic factor=3
    for (int i = 0; i < 256; i++) {{
#pragma HLS PIPELINE II=1
        a[i] = in[i];
        b[i] = in[i] + 1;
    }}

"""
USES = """    for (int i = 2; i < 240; i++) {
#pragma HLS PIPELINE II=1

        out[i] = a[i] + a[i + 1] + b[i + 2] + a[i + 3];
        out[i] += b[i];
    }
"""


def seconds(*args: str, folder: Path) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    subprocess.run([*EXE, *args], cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - start


def ratio(one: tuple[str, ...], other: tuple[str, ...], folder: Path, times: int = 5) -> tuple[float, float]:
    """(median ratio other / one of runs made in turn, median seconds of other)."""
    pairs = [(seconds(*one, folder=folder), seconds(*other, folder=folder)) for _ in range(times)]
    return statistics.median(b / a for a, b in pairs), statistics.median(b for _, b in pairs)


def main() -> int:
    """Print one line per measurement; exit 1 when a ratio says that cost depends on trip counts."""
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "small.c").write_text(KERNEL.format(n=64))
        (folder / "large.c").write_text(KERNEL.format(n=2**20))
        for command in ("accesses", "ii", "infer", "lint"):
            extra = ("--no-cache",) if command == "lint" else ()
            found, took = ratio((command, "small.c", *extra), (command, "large.c", *extra), folder)
            verdict = "ok" if found < 1.5 else "GROWS WITH TRIP COUNT"
            bad += found >= 1.5
            print(f"{command:9} trip count 2**20 against 64: ratio {found:.2f}, {took:.2f} s   {verdict}")
        for n in (32, 64):
            (folder / f"copies{n}.c").write_text(COPIES.format(n=n))
        found, took = ratio(("ii", "copies32.c"), ("ii", "copies64.c"), folder, 3)
        print(f"ii        256 accesses of an unrolled loop against 128: ratio {found:.2f}, {took:.2f} s")
        print(f"--version {min(seconds('--version', folder=folder) for _ in range(5)):.3f} s")
        tree = folder / "tree"
        tree.mkdir()
        for n in range(100):
            parts = [KERNEL.format(n=64).replace("void f(", f"void f{n}_{k}(") for k in range(17)]
            (tree / f"k{n}.c").write_text("".join(parts))
        lines = len((tree / "k0.c").read_text().splitlines())
        cold, warm = seconds("lint", "tree", folder=folder), seconds("lint", "tree", folder=folder)
        timing = f"{cold:.1f} s cold, {warm:.1f} s cached"
        print(f"lint      100 files of {lines} lines on {os.cpu_count()} processors: {timing}")
        (folder / "arrays.c").write_text("".join(ARRAYS.format(k=k) + USES * 4 + "}\n" for k in range(25)))
        for style in (["split"], ["split", "--unroll"], ["bankdim"], ["crossbar"], ["auto"]):
            took = min(
                seconds("rewrite", "arrays.c", "--style", *style, "-o", "out.c", folder=folder) for _ in range(2)
            )
            print(f"rewrite   925 lines, 50 arrays, --style {' '.join(style)}: {took:.1f} s")
    samples = Path(__file__).resolve().parent.parent / "samples"
    slowest = max((seconds("ii", str(p), folder=samples), p.name) for p in sorted(samples.glob("*.c")))
    print(f"ii        slowest sample: {slowest[1]} {slowest[0]:.2f} s")
    bench_banking.main()
    bench_frontend.main([])
    if len(sys.argv) > 1:
        bench_frontend.main(sys.argv[1:])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
