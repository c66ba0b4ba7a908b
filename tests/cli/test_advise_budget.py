"""What is left out of the advice on a large program is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hlspart
from hlspart import readback
from hlspart.infer import size
from hlspart.model.advising import none_better
from hlspart.model.options import AdviceOptions

KERNEL = """void f(int a[64][64], int b[64][64]) {
  int c[64][64];
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    for (int j = 0; j < 64; j++)
      c[i][j] = a[i][j] * 3;
  }
  for (int i = 0; i < 63; i++) {
#pragma HLS PIPELINE
    for (int j = 0; j < 63; j++)
      b[i][j] = c[i][j] + c[i + 1][j + 1];
  }
}
"""


def test_what_the_budget_leaves_out_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(KERNEL)
    pipeline = hlspart.open(str(path)).pipelines[0]
    figures = pipeline.figures
    loops = pipeline.advise(AdviceOptions())
    assert [x.ii for x in loops] == [x.ii for x in figures.loops if x.pipelined]
    for loop in loops:
        as_is = next(w for w in loop.ways if w.kind == "as-written")
        assert "not tried, for the budget" in as_is.description
        assert "bank-centric code" in as_is.description


def test_bank_centric_code_that_nobody_reads_back_is_no_way(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = []
    for most in (readback.MOST_TEXT, 10):
        monkeypatch.setattr(readback, "MOST_TEXT", most)
        loops = hlspart.open("samples/bottleneck.c").pipelines[0].advise(AdviceOptions(pareto=True))
        ways.append([w for x in loops for w in x.ways])
    kinds = [{w.kind for w in some} for some in ways]
    assert "banks" in kinds[0] and "banks" not in kinds[1]
    as_is = [w.description for w in ways[1] if w.kind == "as-written"]
    assert as_is and all("not tried, for the budget: bank-centric code" in x for x in as_is)


def test_what_was_not_searched_is_not_said_to_need_nothing(
    monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    sample = str(Path(__file__).parents[2] / "samples" / "bottleneck.c")
    monkeypatch.setattr(size, "MOST_WORK", 1)
    done = cli("infer", sample)
    assert "no array was looked at" in done.out and "no array needs" not in done.out


def test_what_was_not_tried_may_be_better() -> None:
    whole, parted = "as it is", "as it is; not tried, for the budget: reuse buffers, directives; a port is missing"
    assert none_better([whole]) == "no way that hlspart can write is better"
    said = "no way that was tried is better; not tried, for the budget: reuse buffers, directives"
    assert none_better([parted]) == said
