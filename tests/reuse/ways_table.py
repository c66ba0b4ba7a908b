"""Banks against reuse buffers against what is chosen, on twenty kernels (docs/reuse.md).

    python tests/reuse/ways_table.py [--verify] [NAME...]

A cell: slowest II, cycles of all functions, BRAM18K by ``ii``; ``-``: the text stays. ``--verify`` runs what is chosen
beside the original.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stencils import FRAME, HEAT, PLAIN, POOL, SIX, equal

import hlspart
from hlspart.model.results import IIResult

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from test_borders_and_channels import BORDERS, SELECTED

GUARDED = """void guarded(const int in[64][64], int out[64][64]) {
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
#pragma HLS PIPELINE II=1
            int s = 4 * in[y][x];
            if (y > 0) s += in[y - 1][x];
            if (y < 63) s += in[y + 1][x];
            if (x > 0) s += in[y][x - 1];
            if (x < 63) s += in[y][x + 1];
            out[y][x] = s / 8;
        }
}
"""
TWO = """void two(const int in[64][64], int near[64][64], int far[64][64]) {
    for (int y = 2; y < 62; y++)
        for (int x = 2; x < 62; x++) {
#pragma HLS PIPELINE II=1
            near[y][x] = in[y - 1][x] + in[y + 1][x] + in[y][x - 1] + in[y][x + 1];
            far[y][x] = in[y - 2][x - 2] + in[y - 2][x + 2] + in[y + 2][x - 2] + in[y + 2][x + 2];
        }
}
"""
GATHER = """void gather(const int in[256], const int p[1024], const int q[1024], const int r[1024], int out[1024]) {
    int table[256];
    for (int i = 0; i < 256; i++) table[i] = in[i];
    for (int i = 0; i < 1024; i++) {
#pragma HLS PIPELINE II=1
        out[i] = table[p[i] & 255] + table[q[i] & 255] + table[r[i] & 255];
    }
}
"""
STRIDES = """void strides(const int in[134], int out[41]) {
    int a[134];
    for (int i = 0; i < 134; i++) a[i] = in[i];
    for (int i = 0; i < 41; i++) {
#pragma HLS PIPELINE II=1
        out[i] = a[i] + a[i + 3] + a[3 * i] + a[3 * i + 13];
    }
}
"""
STRIDED = """void strided(const short in[64][96], short out[32][48]) {
    for (int i = 0; i < 31; i++)
        for (int j = 0; j < 47; j++) {
#pragma HLS PIPELINE II=1
            int s = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) s += in[2 * i + a][2 * j + b];
            out[i][j] = (short)(s / 9);
        }
}
"""
KERNELS = (
    {name: PLAIN.format(name=name) + body.replace("I[", "in[") for name, (body, _) in SIX.items()}
    | {f"{name}, frame": FRAME.format(name=name) + body.replace("I[", "img[") for name, (body, _) in SIX.items()}
    | {
        "heat-3D": HEAT,
        "clamped border": SELECTED.format(
            **dict(zip(("head", "before", "within", "at", "along"), BORDERS["macro"][1:], strict=True))
        ),
        "guarded border": GUARDED, "two windows": TWO, "strided window": STRIDED, "pooling, stride 2": POOL,
        "gather of three": GATHER, "strides 1 and 3": STRIDES,
    }
)  # fmt: skip


def cell(figures: IIResult) -> str:
    """Slowest II, cycles of all functions, blocks of memory."""
    slowest = max((x for x in figures.loops if x.pipelined), key=lambda x: x.ii or (x.bounds or (0, 0))[1])
    cycles = sum(f.latency.max or 0 for f in figures.functions)
    return f"{slowest.figure}, {cycles:,}, {sum(a.bram18k for a in figures.arrays)}"


def row(name: str, text: str, verify: bool) -> list[str]:
    """A kernel as written, with banks, with reuse buffers, as chosen, and which of these that is."""
    kernel = hlspart.parse(text)
    banks = kernel.rewrite(infer=True, style="crossbar")
    reuse, chosen = kernel.rewrite(style="reuse"), kernel.rewrite(infer=True)
    figures = [kernel.pipeline.predict(t) for t in (kernel.texts, banks.texts, reuse.texts, chosen.texts)]
    cells = [cell(f) for f in figures]
    cells[1:3] = ["-" if t.texts == kernel.texts else c for t, c in zip((banks, reuse), cells[1:3], strict=True)]
    taken = "reuse" if any(o.style == "reuse" and o.status == "rewritten" for o in chosen.outcomes) else "banks"
    if verify:
        cells.append("equal" if equal(kernel, chosen) else "DIFFERENT")
    return [name, *cells[:3], f"{taken}: {cells[3]}", *cells[4:]]


def main() -> None:
    """The table in Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--verify", action="store_true")
    asked = parser.parse_args()
    head = ["kernel", "as written", "banks", "reuse", "chosen", *(["run"] if asked.verify else [])]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for name, text in KERNELS.items():
        if not asked.names or name in asked.names:
            print(f"| {' | '.join(row(name, text, asked.verify))} |", flush=True)


if __name__ == "__main__":
    main()
