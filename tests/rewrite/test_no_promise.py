"""LOOP_TRIPCOUNT says what reports should assume: no text that is written rests on it (gcc runs other counts)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hlspart.cli.app import run

SQUARE = """
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=4 dim=1
#pragma HLS ARRAY_PARTITION variable=B block factor=4 dim=1
    for (int i = 0; i < 64; i++) { A[i] = x[i]; B[i] = x[63 - i]; }
ROWS: for (int i = 0; i < n; i++) {
#pragma HLS LOOP_TRIPCOUNT min=8 max=8
#pragma HLS PIPELINE
    COLS: for (int j = 0; j < n; j++) {
#pragma HLS LOOP_TRIPCOUNT min=8 max=8
#pragma HLS UNROLL
            y[(8 * i + j) & 63] += A[(8 * i + j) & 63] * B[(j * 8 + i) & 63];
        }
    }
"""
BANKS = """
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=2 dim=1
#pragma HLS ARRAY_PARTITION variable=B cyclic factor=2 dim=1
    for (int i = 0; i < 64; i++) { A[i] = x[i]; B[i] = 0; }
LOW: for (int i = 0; i < n; i++) {
#pragma HLS LOOP_TRIPCOUNT min=3 max=3
#pragma HLS PIPELINE
        if (i < 60) B[i + 1] = A[i] + A[i + 2] + B[i];
    }
    for (int i = 0; i < 64; i++) y[i] = B[i];
"""
SCAN = """
    for (int i = 0; i < 64; i++) { A[i] = x[i]; B[i] = x[63 - i]; }
SCAN: for (int i = 0; i < n; i++) {
#pragma HLS LOOP_TRIPCOUNT min=20 max=20
#pragma HLS PIPELINE II=1
        if (i < 58) y[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3] + A[i + 4];
    }
"""
WAYS = {
    "crossbar": ("rewrite", "--style", "crossbar"),
    "split": ("rewrite", "--style", "split", "--dynamic", "crossbar", "--unroll"),
    "infer": ("rewrite", "--infer"),
    "reuse": ("rewrite", "--style", "reuse"),
    "expand": ("expand", "--elements", "2"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("label", "body"), [("ROWS", SQUARE), ("LOW", BANKS), ("SCAN", SCAN)])
def test_other_trip_counts_compute_the_same(
    way: str, label: str, body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = tmp_path / "k.c", tmp_path / "out.c"
    before.write_text(f"void k(const int x[64], int y[64], int n) {{\n    int A[64], B[64];{body}}}\n")
    options = [*WAYS[way], *(["--loop", label] if way == "expand" else [])]
    run([options[0], str(before), *options[1:], "-o", str(after)])
    assert "Traceback" not in capsys.readouterr().err
    if not after.exists() or after.read_text() == before.read_text():
        return
    main = (
        "#include <stdio.h>\nint main(void) { for (int n = 0; n < 60; n++) { int x[64], y[64] = {0}; unsigned h = 0;"
        " for (int i = 0; i < 64; i++) x[i] = i * i % 37 - 9; k(x, y, n);"
        ' for (int i = 0; i < 64; i++) h = 31 * h + y[i]; printf("%u\\n", h); } return 0; }\n'
    )
    printed = []
    for path in (before, after):
        whole = tmp_path / f"main_{path.name}"
        whole.write_text(path.read_text() + main)
        subprocess.run(["gcc", "-w", "-fsanitize=undefined,address", "-o", tmp_path / "run", whole], check=True)
        done = subprocess.run([tmp_path / "run"], capture_output=True, text=True, check=True)
        printed.append((done.stdout, done.stderr))
    assert printed[0] == printed[1]
