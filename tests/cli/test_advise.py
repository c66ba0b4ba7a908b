"""Advice: what ``rewrite --infer`` writes comes first, every way is what its command gives, and nothing is slower."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hlspart
from hlspart.cli.app import run

STENCIL = """void k(int in[64][64], int out[64][64]) {
    static int img[64][64];
FILL:
    for (int r = 0; r < 64; r++)
        for (int c = 0; c < 64; c++) {
#pragma HLS PIPELINE II=1
            img[r][c] = in[r][c];
        }
ROWS:
    for (int r = 1; r < 63; r++)
    COLS: for (int c = 1; c < 63; c++) {
#pragma HLS PIPELINE II=1
            out[r][c] = img[r][c] + img[r - 1][c] + img[r + 1][c] + img[r][c - 1] + img[r][c + 1];
        }
}
"""
SUM = """float k(const float a[64]) {
    float s = 0;
L:
    for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        s += a[i];
    }
    return s;
}
"""


def test_ways_are_ranked_and_the_first_is_what_rewrite_writes() -> None:
    kernel = hlspart.parse(STENCIL)
    found = hlspart.advise(kernel)
    loop = next(x for x in found.loops if x.name == "ROWS_COLS")
    assert (loop.target_ii, loop.ii) == (1, 3)
    assert [(w.kind, w.ii, w.default) for w in loop.ways] == [
        ("reuse", 1, True), ("banks", 1, False), ("scalars", 2, False), ("as-written", 3, False)
    ]  # fmt: skip
    reuse, banks, *_ = loop.ways
    text = kernel.rewrite(infer=True)
    assert (reuse.latency, reuse.bram18k) == (
        text.kernel().pipeline.figures.functions[0].latency.max, sum(a.bram18k for a in text.kernel().ii().arrays)
    )  # fmt: skip
    assert (reuse.latency or 0) < (banks.latency or 0) and reuse.bram18k < banks.bram18k
    assert {w.top_ports for w in loop.ways} == {2}


def test_each_command_gives_the_figures_that_it_is_listed_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(STENCIL)
    assert run(["advise", "k.c", "--pareto", "--format", "json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert shape["schema"] == "hlspart.advise/1"
    checked = 0
    for loop in shape["files"][0]["loops"]:
        assert sum(w["default"] for w in loop["ways"]) == 1
        for way in loop["ways"]:
            if way["command"] is None or way["ii"] is None:
                continue
            words = way["command"].split()
            assert run([*words[1:-1], "out.c"]) == 0
            after = hlspart.open("out.c").pipeline.figures
            assert way["latency"] == after.functions[0].latency.max
            assert way["bram18k"] == sum(a.bram18k for a in after.arrays)
            # lines ahead of an inner loop keep it from being one with the outer one
            assert way["ii"] == next(x.ii for x in after.loops if x.pipelined and loop["name"].endswith(x.name))
            checked += 1
    assert checked >= 2


def test_an_order_of_sums_is_offered_and_taken_with_consent_only(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = hlspart.parse(SUM)
    (loop,) = hlspart.advise(kernel).loops
    assert [(w.kind, w.ii, w.default) for w in loop.ways] == [("as-written", 3, True), ("accumulators", 1, False)]
    assert loop.ways[1].written_by("kernel.c") == "hlspart rewrite kernel.c --infer --allow-reassoc -o OUT"
    assert "3 states, 1 iteration apart" in loop.ways[0].description
    (loop,) = hlspart.advise(kernel, allow_reassoc=True).loops
    assert [(w.kind, w.ii, w.default) for w in loop.ways] == [("accumulators", 1, True), ("as-written", 3, False)]
