"""Values handed on in variables: the same bits as before, wherever the distance is one number, and nowhere else."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import hlspart
from hlspart.expand.scalars import handed_on, in_variables
from hlspart.pipeline import Pipeline
from hlspart.reuse import edited
from tests.amounts import amount

PREFIX = """void f(const int x[64], int y[64]) {
  L: for (int i = 1; i < 64; i++) {
#pragma HLS PIPELINE
    y[i] = y[i - 1] + x[i];
  }
}
"""


def loops(text: str) -> list[tuple[str, int | None]]:
    return [(x.name, x.ii) for x in hlspart.parse(text).pipeline.figures.loops]


def written(pipeline: Pipeline) -> str:
    (text,) = pipeline.scalar_replaced.result.files.values()
    return text


def test_a_prefix_sum_starts_an_iteration_each_cycle() -> None:
    kernel = hlspart.parse(PREFIX)
    assert loops(PREFIX) == [("L", 2)]
    (text,) = kernel.rewrite(infer=True).texts.values()
    body = (
        "  int y_before = y[0];\n  L: for (int i = 1; i < 64; i++) {\n#pragma HLS PIPELINE\n"
        "    int y_new = y_before + x[i];\n    y[i] = y_new;\n    y_before = y_new;\n  }\n"
    )
    assert body in text and loops(text) == [("L", 1)]
    (advised,) = kernel.pipeline.advice
    assert advised.first is not None and advised.first.kind == "scalars"


CASES = {  # body of the loop, its header, whether values are handed on
    "two iterations": ("y[i] = y[i - 2] * 3 + x[i];", "int i = 2; i < 60; i++", True),
    "two distances": ("y[i] = y[i - 1] * 3 - y[i - 3] + x[i];", "int i = 3; i < 60; i++", True),
    "downwards": ("y[i] = y[i + 1] * 3 + x[i];", "int i = 50; i > 3; i--", True),
    "strides": ("y[2 * i + 1] = y[2 * i - 3] * 5 + 1;", "int i = 2; i < 30; i += 2", True),
    "update": ("y[i] += y[i - 1] * 3;", "int i = 1; i < 60; i++", True),
    "earlier statement": ("int t = y[i - 1] * 7; y[i] = t - x[i];", "int i = 1; i < 60; i++", True),
    "neighbours": ("y[i] = (y[i - 1] * 3 + y[i] + y[i + 1]) / 4;", "int i = 1; i < 60; i++", True),
    "run-time start": ("y[i] = y[i - 1] * 3 + x[i];", "int i = n; i < n + 20; i++", True),
    "narrow": ("s[i] = s[i - 1] * 300 + x[i];", "int i = 1; i < 60; i++", True),
    "condition on the value": ("y[i] = x[i] > 0 ? y[i - 1] * 3 : 0;", "int i = 1; i < 60; i++", False),
    "store under a condition": ("if (x[i] > 0) y[i] = y[i - 1] * 3 + 1;", "int i = 1; i < 60; i++", False),
    "later statement": ("y[i] = x[i] * 3; s[i] = y[i - 1];", "int i = 1; i < 60; i++", False),
    "two stores": ("y[i] = y[i - 1] * 3; y[i + 1] = x[i];", "int i = 1; i < 60; i++", False),
    "another distance each time": ("y[2 * i] = y[i] * 3 + x[i];", "int i = 1; i < 30; i++", False),
    "maybe no iteration": ("y[i] = y[i - 1] * 3 + x[i];", "int i = 1; i < n; i++", True),
    "maybe one": ("y[i] = y[i - 2] * 3 + y[i - 1] + x[i];", "int i = 2; i < n; i++", True),
    "maybe two, downwards": ("y[i] = y[i + 1] * 3 - y[i + 3];", "int i = n; i > 3; i--", True),
    "maybe none, loads alone": ("s[i] = x[i] - x[i - 1] + x[i - 3];", "int i = 3; i < n; i++", True),
    "by two": ("s[i] = x[i] - x[i - 1]; s[i + 1] = x[i + 1] - x[i];", "int i = 1; i < n; i += 2", True),
    "loads that some iterations make": (
        "s[i] = x[i] - (x[i] > 2 ? x[i - 1] : x[i - 2] + x[i - 3]);",
        "int i = 3; i < n; i++",
        False,
    ),
    "half of a number": ("s[i] = x[i + n / 2] - x[i + n / 2 - 1] + x[i];", "int i = 1; i < n; i++", True),
    "another half each time": (
        "s[i] = x[i / 2 + n / 2] - x[i / 2 + n / 2 - 1] + x[i];",
        "int i = 2; i < n; i++",
        True,
    ),
    "a test that changes": ("y[i] = y[i - 1] * 3; if (x[i] > 4) n--;", "int i = 1; i < n; i++", False),
    "a test that loads": ("y[i] = y[i - 1] * 3 + n;", "int i = 1; i < x[n]; i++", False),
    "maybe fewer than five": ("y[i] = y[i - 5] * 3 + y[i - 1];", "int i = 5; i < n; i++", True),
    "five iterations": ("y[i] = y[i - 5] * 3 + y[i - 1];", "int i = 5; i < 60; i++", True),
    "twelve, downwards": ("y[i] = y[i + 1] * 3 - y[i + 12] + x[i];", "int i = 50; i > 3; i--", True),
    "macro argument": ("y[i] = SQUARE(y[i - 7]) + y[i - 1];", "int i = 9; i < 60; i++", True),
    "too far": ("y[i] = y[i - 1] * 3 + y[i - 33] + x[i];", "int i = 33; i < 60; i++", True),
    "only too far": ("y[i] = y[i - 33] * 3 + x[i];", "int i = 33; i < 60; i++", False),
}


def kernel(body: str, header: str) -> str:
    return (
        "#define SQUARE(v) ((v) * (v))\n"
        "void f(int n, const int x[64], float y[64], short s[64]) {\n"
        f"  L: for ({header}) {{\n#pragma HLS PIPELINE\n    {body}\n  }}\n}}\n"
    )


MAIN = """#include <stdio.h>
#include <string.h>
int main(void) {
    static int x[64];
    static float y[2][64];
    static short s[2][64];
    for (int n = 1; n < 40; n++) {
        for (int k = 0; k < 64; k++) { x[k] = (k * 7919 + n) % 13 - 6; y[0][k] = y[1][k] = (float)(k * n % 17 - 8);
                                       s[0][k] = s[1][k] = (short)(k - n); }
        original(n, x, y[0], s[0]);
        rewritten(n, x, y[1], s[1]);
        if (memcmp(y[0], y[1], sizeof y[0]) || memcmp(s[0], s[1], sizeof s[0])) return 1;
    }
    return 0;
}
"""


def same(old: str, new: str, folder: Path) -> bool:
    """Whether both compute the same; -fwrapv: sums may wrap."""
    parts = [old.replace("void f(", "static void original("), new.replace("void f(", "static void rewritten("), MAIN]
    (folder / "both.c").write_text("".join(parts))
    quiet = ["-Wno-unknown-pragmas", "-Wno-unused-parameter", "-Wno-unused-label"]
    checks = ["-fwrapv", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    command = ["gcc", "-Wall", "-Wextra", "-Werror", *quiet, *checks, "both.c", "-o", "both"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return subprocess.run(["./both"], cwd=folder, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("case", CASES)
def test_values_are_handed_on_where_the_distance_is_one_number(case: str, tmp_path: Path) -> None:
    body, header, taken = CASES[case]
    old = kernel(body, header)
    pipeline = hlspart.parse(old).pipeline
    assert bool(handed_on(pipeline.program, pipeline.analysis, pipeline.figures)) is taken
    new = written(pipeline)
    assert new != old or not taken
    assert new == old or same(old, new, tmp_path)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_random_recurrences_keep_their_values(tmp_path: Path) -> None:
    changed = 0
    for seed in range(amount(12, 30)):
        rng = random.Random(seed)
        first = rng.randint(4, 8)
        reads = [f"y[{rng.choice((1, 1, 1, 2))} * i - {rng.randint(-1, 4)}]" for _ in range(rng.randint(1, 3))]
        reads += [f"x[i + n / 2 + {rng.randint(-4, 3)}]" for _ in range(rng.choice((0, 0, 3)))]
        value = " + ".join(f"{rng.randint(1, 9)} * {r}" for r in reads)
        guard = rng.choice(("", "", "if (x[i] > 0) "))
        store = f"y[{rng.choice(('i', 'i', 'i + 1'))}] {rng.choice(('=', '+='))}"
        body = f"int t = (int)({value}); {guard}{store} t % 1000 - x[i];"
        old = kernel(body, f"int i = {first}; i < {rng.choice((rng.randint(first + 4, 30), 'n / 2'))}; i++")
        new = written(hlspart.parse(old).pipeline)
        if new != old:
            changed += 1
            assert same(old, new, tmp_path), body
    assert changed >= amount(2, 8)


ROWS = """void f(int m[33 * 33], const int x[33]) {
  int above, row;
  R: for (int b = 1; b < 33; b++)
    C: for (int a = 1; a < 33; a++) {
#pragma HLS PIPELINE II=1
      above = (b - 1) * 33;
      row = b * 33;
      int left = m[row + (a - 1)] - 2;
      int corner = m[above + (a - 1)] + x[a];
      int up = m[above + a] - x[b];
      m[row + a] = left > up ? left : corner > up ? corner : up;
    }
}
"""
IN_PLACE = {  # body of a loop over j inside one over i, loads and stores of `m` in an iteration that are left
    "rows of their own": ("m[i][j] = m[i - 1][j - 1] + m[i - 1][j] + m[i - 1][j + 1] + m[i][j - 1];", 2),
    "nine points": ("m[i][j] = (m[i-1][j-1] + m[i-1][j] + m[i-1][j+1] + m[i][j-1] + m[i][j] + m[i][j+1]"
                    " + m[i+1][j-1] + m[i+1][j] + m[i+1][j+1]) / 9;", 4),
    "behind the store": ("m[i][j] = m[i][j + 1] - 1; if (x[j] > 2) m[i + 1][j] = 0; m[i][0] = m[i][j];", 5),
    "an update": ("int t = m[i][j + 1]; m[i][j] += t;", 2),
    "a store ahead in the statement": ("int t = (m[i][j + 1] = x[j], m[i][j + 1]); m[0][j] = t - m[i][j];", 4),
    "a store between": ("int t = m[i][j + 2]; m[i][j + 1] = t + x[j]; m[0][j] = m[i][j] + m[i][j + 1];", 5),
}  # fmt: skip


def flat(body: str) -> str:
    """A nest over ``m``, given as ``y`` to :data:`MAIN`'s functions."""
    return (
        "#define SQUARE(v) ((v) * (v))\n"
        "void f(int n, const int x[64], float y[64], short s[64]) {\n  static int m[8][8];\n"
        "  for (int k = 0; k < 64; k++) m[k / 8][k % 8] = (int)y[k];\n"
        "  for (int i = 1; i < 7; i++)\n    for (int j = 1; j < 6; j++) {\n#pragma HLS PIPELINE II=1\n"
        f"      {body}\n    }}\n  for (int k = 0; k < 64; k++) y[k] = (float)m[k / 8][k % 8];\n}}\n"
    )


def test_a_row_is_loaded_once_and_what_is_stored_goes_on_beside_the_memory() -> None:
    (text,) = hlspart.parse(ROWS).rewrite(style="scalars").texts.values()
    assert (loops(ROWS), loops(text)) == ([("R_C", 2)], [("R", None), ("C", 1)])
    assert "int m_before = m[33 * b];" in text and text.count("m[") == 1 + 2 + 2
    assert "corner = m_before_2 + x[a]" in text and "int m_now = m[above + a];" in text


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("case", IN_PLACE)
def test_loads_are_handed_on_unless_a_store_comes_between(case: str, tmp_path: Path) -> None:
    body, left = IN_PLACE[case]
    old = flat(body)
    pipeline = hlspart.parse(old).pipeline
    edits = in_variables(
        pipeline.program, pipeline.analysis, handed_on(pipeline.program, pipeline.analysis, pipeline.figures)
    )
    (new,) = edited(pipeline.program, edits).files.values()
    inside = new[new.index("for (int j") : new.index("y[k] = (float)")]
    assert inside.count("m[") == left
    assert new == old or same(old, new, tmp_path)
