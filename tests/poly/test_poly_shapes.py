"""Extents of pointers that are arrays: from callers, from INTERFACE depth=, or not known."""

from __future__ import annotations

from poly_oracle import analysed

TEXT = """
void k(int *A, int *B, int (*M)[8], short *C, int D[]) {
#pragma HLS INTERFACE m_axi port=A depth=64
  for (int i = 0; i < 16; i++) B[i] = A[4 * i] + M[i / 8][i % 8] + *C + D[i];
}
void caller(int m[2][8]) { int y[16]; short c[4]; k(m[0], y, m, c, &y[0]); }
"""


def test_extents_that_only_others_tell() -> None:
    program, analysis = analysed(TEXT)
    found = {program.variable(v).name: shape for v, shape in analysis.shapes.items()}
    assert found == {"A": (64,), "B": (16,), "M": (2, 8), "C": (4,), "D": (16,), "m": (2, 8), "y": (16,), "c": (4,)}
    ranges = {program.variable(a.array).name: a.range for a in analysis.accesses}
    assert ranges == {
        "A": ((0, 60),), "B": ((0, 15),), "M": ((0, 1), (0, 7)), "C": ((0, 0),), "D": ((0, 15),),
    }  # fmt: skip
