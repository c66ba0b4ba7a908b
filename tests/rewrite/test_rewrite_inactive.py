"""An array that text of another configuration names is not taken apart: that text would no longer compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlspart.cli.app import run

KERNEL = """#include <stdio.h>
#define N 16
int top(int x[N]) {
  int A[N];
#pragma HLS array_partition variable=A cyclic factor=2
  for (int i = 0; i < N / 2; i++) { A[2 * i] = x[i]; A[2 * i + 1] = 0; }
#ifndef __SYNTHESIS__
  printf("%d\\n", SEEN);
#endif
  int s = 0;
  for (int i = 0; i < N / 2; i++) s += A[2 * i] + A[2 * i + 1];
  return s;
}
"""


@pytest.mark.parametrize(("seen", "code"), [("A[3]", 1), ("x[3]", 0)])
def test_named_in_inactive_text(tmp_path: Path, seen: str, code: int) -> None:
    source, out = tmp_path / "k.c", tmp_path / "out.c"
    source.write_text(KERNEL.replace("SEEN", seen))
    assert run(["rewrite", str(source), "--style", "split", "--unroll", "-o", str(out)]) == code
    assert (out.read_text() == source.read_text()) == (code == 1)
