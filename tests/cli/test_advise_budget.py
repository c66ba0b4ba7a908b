"""What is left out of the advice on a large program is said."""

from pathlib import Path

import hlspart
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
