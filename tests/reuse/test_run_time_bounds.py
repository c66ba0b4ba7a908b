"""Windows in loops that end by values of the run: what is written computes the same for all, and stays in the array."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import hlspart
from hlspart.model.program import ArrayRef, walk
from hlspart.reuse.certain import always_read
from hlspart.semantics.effects import statement_expressions
from tests.amounts import amount

NEST = """#define H 12
#define W 10
void f(const int in[H][W], int out[H][W], int rows, int cols) {
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < cols - 1; j++) {
#pragma HLS PIPELINE II=1
            out[i][j] = in[i - 1][j] + in[i][j - 1] - 4 * in[i][j] + in[i][j + 1] + in[i + 1][j];
        }
}
"""
MAIN = """#include <stdio.h>
int main(void) {
    for (int rows = -1; rows <= 12; rows++)
        for (int cols = -1; cols <= 10; cols++) {
            int in[12][10], out[12][10];
            for (int i = 0; i < 12; i++) for (int j = 0; j < 10; j++) in[i][j] = (i * 37 + j * 11) % 23, out[i][j] = 0;
            f(in, out, rows, cols);
            for (int i = 0; i < 12; i++) for (int j = 0; j < 10; j++) printf("%d ", out[i][j]);
        }
}
"""
SUMS = (
    "int s = 0; for (int u = 0; u < 3; u++) for (int v = 0; v < 3; v++) s += in[i + u - 1][j + v - 1]; out[i][j] = s;"
)
CROSS = "out[i][j] = in[i - 1][j] + in[i][j - 1] - 4 * in[i][j] + in[i][j + 1] + in[i + 1][j];"
FORMS = {
    "both": NEST,
    "rows only": NEST.replace("cols - 1", "W - 1"),
    "columns only": NEST.replace("rows - 1", "H - 1"),
    "up to and with": NEST.replace("j < cols - 1", "j <= cols - 2"),
    "loops inside": NEST.replace(CROSS, SUMS),
    "a condition on data beside": NEST.replace(
        CROSS, CROSS + "\n            if (in[i][j] > 9) out[i][j] += in[i][j + 1];"
    ),
    "declared ahead": NEST.replace("int j = 1", "j = 1").replace(
        "int rows, int cols) {", "int rows, int cols) {\n    int j;"
    ),
}
STAY = {
    "left out by data": (CROSS, "if (out[i][j] > 3) " + CROSS),
    "left out by a bound": (CROSS, "if (j < 8) " + CROSS),
    "jumped over": (CROSS, "if (out[i][j] > 3) continue; " + CROSS),
    "another end": ("j < cols - 1", "j < out[0][0]"),
    "an end that moves": (CROSS, CROSS + " if (out[i][j] > 90) cols--;"),
    "not equal": ("j < cols - 1", "j != cols - 1"),
    "read behind": ("        for (int j = 1", "        for (j = 1"),
    "unsigned": ("int i = 1", "unsigned i = 1"),
    "a pointer": ("const int in[H][W]", "const int (*in)[W]"),
}


def ran(text: str, folder: Path, name: str) -> str:
    (folder / f"{name}.c").write_text(text + MAIN)
    command = ["gcc", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover", "-Wno-unknown-pragmas"]
    subprocess.run([*command, "-o", str(folder / name), str(folder / f"{name}.c")], check=True)
    return subprocess.run([str(folder / name)], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("form", [*FORMS][:: amount(2, 1)])
def test_each_element_is_loaded_once(form: str, tmp_path: Path) -> None:
    old = hlspart.parse(FORMS[form])
    new = old.rewrite(infer=True)
    (before,), (after,) = ([x for x in k.pipeline.figures.loops if x.pipelined] for k in (old, new.kernel()))
    most = after.ii or (after.bounds or (0, 9))[1]
    assert before.ii is not None and before.ii > 2 >= most and after.least == 1
    window = old.rewrite(style="reuse").texts["kernel.c"]
    assert "in_window" in window
    expected = ran(FORMS[form], tmp_path, "old")
    assert ran(new.texts["kernel.c"], tmp_path, "new") == ran(window, tmp_path, "window") == expected


@pytest.mark.parametrize("form", STAY)
def test_where_an_iteration_may_not_read_its_window_the_text_stays(form: str) -> None:
    text = NEST.replace(*STAY[form])
    if form == "read behind":
        text = text.replace("int cols) {", "int cols) {\n    int j = 0;").replace(
            "        }\n}", "        }\n    out[0][0] = j;\n}"
        )
    assert text != NEST
    assert "in_window" not in hlspart.parse(text).rewrite(style="reuse").texts["kernel.c"]


def test_what_every_iteration_reads_is_evaluated() -> None:
    """Neither the operand of sizeof nor what a condition or an operator may leave out."""
    text = """void f(int a[9], int b[9], int n) {
    L: for (int i = 0; i < n; i++)
        b[i] = a[i] + (int)sizeof(a[i + 1]) + (a[i + 2] ? a[i + 3] : 0) + (a[i + 4] && a[i + 5]);
}
"""
    pipeline = hlspart.parse(text).pipeline
    (loop,) = pipeline.program.loops.values()
    always = always_read(pipeline.program, pipeline.analysis, loop)
    found = {
        pipeline.program.text(e.at)
        for root in statement_expressions(pipeline.program, loop)
        for e in walk(root)
        if isinstance(e, ArrayRef) and e.id in always
    }
    assert found == {"b[i]", "a[i]", "a[i + 2]", "a[i + 4]"}
