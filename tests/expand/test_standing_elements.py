"""Elements that stay while a loop runs: in a variable for that time, with what gcc computes from both texts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import hlspart

ROW = "\n    for (int j = 0; j < i; j++)\n        "
CASES = {  # body of a loop over i = 0 .. 63, whether an element goes into a variable
    "triangular": (f"x[i] = b[i];{ROW}x[i] -= l[i][j] * x[j];\n    x[i] = x[i] / 3;", True),
    "written out": (f"x[i] = b[i]; {ROW} {{ x[i] = x[i] - l[i][j] * x[j]; }}", True),
    "two dimensions": ("for (int j = 1; j < 64; j++) for (int k = 0; k < j; k++) l[i][j] -= l[i][k] * l[k][j];", False),
    "rows above": (f"for (int j = 0; j < 64; j++) {ROW.replace('j', 'k')} l[i][j] -= l[k][j] * b[k];", True),
    "under a condition": (f"{ROW} if (l[i][j] > 2) x[i] -= x[j];", True),
    "the loop's whole body": (f"if (b[i] > 1) {ROW} x[i] -= l[i][j] * x[j];", False),
    "meets itself": ("for (int j = 0; j < 64; j++) x[i] -= l[i][j] * x[j];", False),
    "ends early": (f"{ROW} {{ if (l[i][j] > 5) break; x[i] -= l[i][j] * x[j]; }}", False),
    "a place that moves": (f"int k = i; {ROW} {{ x[k] -= l[i][j] * x[j]; k = i - (j & 1); }}", False),
    "a place that data decides": (f"{ROW} x[i] -= l[i][j] * x[p[j] & 63];", False),
    "beyond the array, if at all": ("for (int j = 0; j < 64 - i - n; j++) x[i + n] -= x[j + 64 - n] * b[j];", False),
}


def kernel(body: str) -> str:
    return (
        "void f(int l[64][64], int x[64], const int b[64], const int p[64], int n) {\n"
        f"  for (int i = 0; i < 64; i++) {{\n    {body}\n  }}\n}}\n"
    )


CALLED = """int x[64];
int g(int j) { return x[(j * 7) & 63] + 1; }
void f(int a[64][64]) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
#pragma HLS PIPELINE II=1
      x[i] += a[i][j] * g(j);
    }
}
"""

MAIN = """#include <string.h>
int main(void) {
    for (int n = 1; n < 20; n++) {
        int l[2][64][64], x[2][64], b[64], p[64];
        for (int k = 0; k < 4096; k++) l[0][k / 64][k % 64] = l[1][k / 64][k % 64] = k * 7919 * n % 11 - 3;
        for (int k = 0; k < 64; k++) x[0][k] = x[1][k] = b[k] = p[k] = k * n % 5;
        before(l[0], x[0], b, p, 0);
        after(l[1], x[1], b, p, 0);
        if (memcmp(l[0], l[1], sizeof l[0]) || memcmp(x[0], x[1], sizeof x[0])) return 1;
    }
    return 0;
}
"""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc runs both texts")
def test_an_element_that_stays_is_kept_in_a_variable_where_no_other_access_meets_it(case: str, tmp_path: Path) -> None:
    body, moves = CASES[case]
    ports = "#pragma HLS INTERFACE s_axilite port=x\n#pragma HLS INTERFACE s_axilite port=l\n"
    old = kernel(body).replace(") {\n", f") {{\n{ports}", 1)
    (new,) = hlspart.parse(old).rewrite(style="scalars").texts.values()
    assert ("_kept" in new) == moves
    if moves:
        (before, after) = (hlspart.parse(x).pipeline.figures.loops for x in (old, new))
        assert sum(x.least for x in after if x.pipelined) < sum(x.least for x in before if x.pipelined)
        named = [x.replace("void f(", f"static void {name}(") for x, name in ((old, "before"), (new, "after"))]
        source = tmp_path / "both.c"
        source.write_text("\n".join(named) + MAIN)
        options = ["-std=c99", "-fwrapv", "-fsanitize=undefined,address", "-fno-sanitize-recover=bounds"]
        subprocess.run(["gcc", *options, "-o", tmp_path / "both", source], check=True)
        subprocess.run([tmp_path / "both"], check=True, timeout=20)


def test_an_element_that_a_called_function_reads_stays_in_its_array() -> None:
    (new,) = hlspart.parse(CALLED).rewrite(style="scalars").texts.values()
    assert new == CALLED
