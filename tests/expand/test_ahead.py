"""Tables loaded ahead of the tests that decide what is done with them: the same values, as gcc runs both texts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import hlspart

CASES = {  # body of a loop over i = 0 .. 15, whether a load of the table t goes ahead of the test
    "either arm": ("if (q > 0) { a = p + t[i] * q; b = q - t[i] * p; } else { a = p - t[i] * q; b = q; }", True),
    "one arm": ("a = q; b = p; if (q > 0) b = q + t[15 - i] * p;", True),
    "a conditional expression": ("b = q > 0 ? q + t[i] * p : p * t[i]; a = q;", True),
    "behind a comment": ("a = q; b = p; /* here */ // and\n    if (q > 0) b = q + t[i] * p;", True),
    "always loaded": ("a = t[i] * q; b = q > 0 ? p * a : p;", False),
    "beyond the table": ("a = q; b = p; if (q > 0 && i < 8) b = q + t[i + 1] * p;", False),
    "a place that data decides": ("a = q; b = p; if (q > 0) b = q + t[(int)q & 15] * p;", False),
    "an argument": ("a = q; b = p; if (q > 0) b = q + x[i] * p;", False),
    "stored in the loop": ("a = q; b = p; if (q > 0) b = q + t[i] * p; t[i & 7] = a;", False),
    "another table of its name": ("a = q; b = p; if (q > 0) { static float t[16] = {1, 2}; b = q + t[i] * p; }", False),
    "behind a label": ("a = q; b = p; if (i == 3) goto here; a = 0; here: if (q > 0) b = q + t[i] * p;", False),
}  # fmt: skip


def kernel(body: str) -> str:
    return (
        "static float t[16] = {1, .5f, .25f, .125f, .0625f, .03125f, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};\n"
        "void f(float q, float p, const float x[16], float *r) {\n  float a = 0, b = 0;\n"
        f"  for (int i = 0; i < 16; i++) {{\n#pragma HLS PIPELINE II=1\n    {body}\n    p = a;\n    q = b;\n  }}\n"
        "  *r = p + q;\n}\n"
    )


MAIN = """#include <stdio.h>
#include <string.h>
int main(void) {
    float x[16] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int n = -20; n < 20; n++) {
        float one, other;
        before(n * .25f, 3 - n * .5f, x, &one);
        after(n * .25f, 3 - n * .5f, x, &other);
        if (memcmp(&one, &other, sizeof one)) return 1;
    }
    return 0;
}
"""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc runs both texts")
def test_a_table_is_loaded_ahead_of_a_test_where_every_iteration_may(case: str, tmp_path: Path) -> None:
    body, moves = CASES[case]
    old = kernel(body)
    (new,) = hlspart.parse(old).rewrite(style="scalars").texts.values()
    assert ("t_ahead" in new) == moves
    if moves:
        (before,), (after,) = (hlspart.parse(x).pipeline.figures.loops for x in (old, new))
        assert after.least < before.least
        texts = [x.replace(" t[16]", f" t{k}[16]").replace(" t[", f" t{k}[") for k, x in enumerate((old, new))]
        named = [
            x.replace("void f(", f"static void {name}(") for x, name in zip(texts, ("before", "after"), strict=True)
        ]
        source = tmp_path / "both.c"
        source.write_text("\n".join(named) + MAIN)
        subprocess.run(["gcc", "-std=c99", "-fsanitize=undefined", "-o", tmp_path / "both", source], check=True)
        subprocess.run([tmp_path / "both"], check=True, timeout=20)
