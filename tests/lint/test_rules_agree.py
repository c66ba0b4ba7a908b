"""No two rules contradict each other on one loop."""

from __future__ import annotations

from lint_helpers import lint_of


def codes(text: str) -> set[str]:
    return {d.rule for d in lint_of(text).diagnostics if d.severity in ("error", "warning")}


def test_a_pipeline_that_unrolling_removes_ends_none_inside() -> None:
    text = """void top(const int a[8][64], int y[8]) {
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
#pragma HLS UNROLL
    int s = 0;
    for (int j = 0; j < 64; j++) {
#pragma HLS PIPELINE
      s += a[i][j];
    }
    y[i] = s;
  }
}
"""
    assert {"HLP432", "HLP219"} & codes(text) == {"HLP432"}
    assert {"HLP432", "HLP219"} & codes(text.replace("#pragma HLS UNROLL\n", "")) == {"HLP219"}


def test_a_loop_that_cannot_be_unrolled_keeps_its_pipeline() -> None:
    text = """void top(const int a[8][64], int y[8], int n) {
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
    int s = 0;
    for (int j = 0; j < n; j++) {
#pragma HLS PIPELINE
      s += a[i][j];
    }
    y[i] = s;
  }
}
"""
    assert {"HLP208", "HLP219"} & codes(text) == {"HLP208"}
    assert {"HLP208", "HLP219"} & codes(text.replace("< n", "< 64")) == {"HLP219"}


def test_a_function_that_is_inlined_pipelines_none_of_its_loops() -> None:
    text = """static void inner(int *a) {
#pragma HLS INLINE
#pragma HLS PIPELINE
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    a[i] += 1;
  }
}
void top(int a[64]) { inner(a); }
"""
    assert {"HLP201", "HLP219", "HLP459"} & codes(text) == {"HLP459"}
    assert {"HLP201", "HLP219", "HLP459"} & codes(text.replace("#pragma HLS INLINE\n", "")) == {"HLP201", "HLP219"}
