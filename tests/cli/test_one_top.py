"""A top function that is an overload: what is written rests on the same groups of arrays as what is predicted."""

from __future__ import annotations

from hlspart.model.options import Options, RewriteOptions
from hlspart.pipeline import Pipeline

TEXT = """void kern(double *x, int y);
void kern(int x[64], int y[16], int z) {
    int A[64];
    for (int i = 0; i < 64; i++) A[i] = x[i] + z;
L:  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        y[i] = A[4 * i] + A[4 * i + 1] + A[4 * i + 2] + A[4 * i + 3];
    }
}
void bench(int buffer[64], int y[16]) { kern(buffer, y, 1); }
"""


def test_the_one_definition_is_the_top_of_what_is_written_too() -> None:
    pipeline = Pipeline(["k.cpp"], Options(top="kern"), lambda _: TEXT.encode())
    assert pipeline.proved is pipeline.analysis
    assert pipeline.rewrite(RewriteOptions(infer=True)).files["k.cpp"] != TEXT
