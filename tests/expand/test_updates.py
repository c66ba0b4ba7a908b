"""Elements that data choose: their values stay in variables, and every element has what it had before."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import hlspart

CASES = {  # body of a loop over i = 0 .. 63, whether its II becomes 1
    "count": ("h[x[i] & 15]++;", True),
    "weighted": ("h[x[i] & 15] += i;", True),
    "written out": ("int k = x[i] & 15; h[k] = h[k] * 3 + 1;", True),
    "two statements": ("int k = x[i] & 15; int t = h[k]; y[i] = t; h[k] = t + 1;", True),
    "position": ("int k = x[i] & 15; y[h[k] & 63] = i; h[k]++;", True),
    "condition": ("if (x[i] > 0 && x[i] < 16) h[x[i]]++; else y[i] = 1;", True),
    "condition on the value": ("int k = x[i] & 15; int t = h[k]; if (t < 3) h[k] = t + 1;", True),
    "early end": ("if (x[i] < 0) continue; h[x[i] & 15] ^= i;", True),
    "two dimensions": ("g[x[i] & 3][x[i] >> 2 & 3]++;", True),
    "two arrays": ("h[x[i] & 15]++; g[i & 3][x[i] & 3] += 2;", True),
    "two elements": ("h[x[i] & 15]++; h[x[i] >> 4 & 15]++;", False),
    "moving index": ("int k = x[i] & 15; h[k]++; k = k ^ 1; h[k]++;", False),
    "index of its own": ("h[h[i & 15] & 15]++;", False),
    "twice": ("for (int j = 0; j < 2; j++) h[x[2 * i % 64 + j] & 15]++;", False),
    "step in the index": ("int k = x[i] & 15; h[k++]++; y[i] = k;", False),
    "never certain": ("int k = x[i]; y[i] = k > 0 && k < 16 ? h[k] : 0; if (k > 0 && k < 16) h[k] = y[i] + 1;", False),
    "another use": ("h[x[i] & 15]++; y[i] = h[3];", False),
}


def kernel(body: str) -> str:
    return (
        "void f(const int x[64], int y[64], int h[16], int g[4][4]) {\n"
        f"  for (int i = 0; i < 64; i++) {{\n#pragma HLS PIPELINE II=1\n    {body}\n  }}\n}}\n"
    )


MAIN = """#include <stdio.h>
#include <string.h>
typedef void kernel(const int *, int *, int *, int (*)[4]);
static int same(kernel *one, kernel *other) {
    for (int n = 0; n < 40; n++) {
        int x[64], y[2][64] = {{0}}, h[2][16], g[2][4][4] = {{{0}}};
        for (int k = 0; k < 64; k++) x[k] = n % 4 ? (k * 7919 * n >> n % 9) % (n + 3) - n % 3 : n;
        for (int k = 0; k < 16; k++) h[0][k] = h[1][k] = k * n % 5;
        one(x, y[0], h[0], (int (*)[4])g[0]);
        other(x, y[1], h[1], (int (*)[4])g[1]);
        if (memcmp(y[0], y[1], sizeof y[0]) || memcmp(h[0], h[1], sizeof h[0]) || memcmp(g[0], g[1], sizeof g[0]))
            return 0;
    }
    return 1;
}
"""


def written(text: str) -> str:
    (new,) = hlspart.parse(text).rewrite(style="scalars").texts.values()
    return new


def differing(pairs: list[tuple[str, str]], folder: Path) -> list[int]:
    """Which programs of one name compute something else than their rewrites, under sanitizers."""
    parts, calls = [MAIN], []
    for k, (old, new) in enumerate(pairs):
        parts += [old.replace("void f(", f"void old{k}("), new.replace("void f(", f"void new{k}(")]
        calls.append(f'    if (!same((kernel *)old{k}, (kernel *)new{k})) printf("{k}\\n");\n')
    (folder / "all.c").write_text("".join([*parts, "int main(void) {\n", *calls, "    return 0;\n}\n"]))
    flags = [
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unknown-pragmas",
        "-Wno-unused-parameter",
        "-Wno-misleading-indentation",
    ]
    checks = ["-fwrapv", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    subprocess.run(["gcc", *flags, *checks, "all.c", "-o", "all"], cwd=folder, check=True)
    ran = subprocess.run(["./all"], cwd=folder, check=True, capture_output=True, text=True)
    return [int(line) for line in ran.stdout.split()]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_values_stay_in_variables_while_one_element_is_chosen(tmp_path: Path) -> None:
    pairs = []
    for name, (body, taken) in CASES.items():
        old = kernel(body)
        new = written(old)
        assert (new != old) is taken, name
        (before,), (after,) = hlspart.parse(old).pipeline.figures.loops, hlspart.parse(new).pipeline.figures.loops
        assert before.ii != 1, name
        assert (after.ii == 1) is taken, name
        assert not taken or written(new) == new, name
        pairs.append((old, new))
    assert differing(pairs, tmp_path) == []


def test_loops_that_become_one_stay_one() -> None:
    text = """void f(const int x[64], int h[16]) {
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
      h[x[8 * j + i] & 15]++;
    }
}
"""
    (loop,) = hlspart.parse(written(text)).pipeline.figures.loops
    assert (loop.ii, loop.trip_count.exact) == (1, 64)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_random_updates_keep_their_values(tmp_path: Path) -> None:
    pairs = []
    for seed in range(12):
        rng = random.Random(seed)
        index = rng.choice(("x[i] & 15", "x[i] >> 1 & 15", "(x[i] ^ x[63 - i]) & 15", "y[i] & 15"))
        guard = rng.choice(("", "if (x[i] & 1) ", "if (i > 5) "))
        other = rng.choice(("", "y[63 - i] += 1; ", "g[i & 3][1] = i; "))
        value = rng.choice(("k + 1", "h[k] + x[i]", "h[k] * 3 - i", "h[k] ^ k"))
        store = rng.choice((f"h[k] = {value};", f"h[k] += {value};", "h[k]--;"))
        old = kernel(f"int k = {index}; {other}{guard}{{ {store} }}")
        pairs.append((old, written(old)))
    assert sum(old != new for old, new in pairs) >= 6
    assert differing(pairs, tmp_path) == []


@pytest.mark.parametrize("other", ["", "h[x[i] & 15] += 2;"])
def test_elements_that_a_pointer_names_stay(other: str) -> None:
    text = kernel(f"*p += x[i]; {other}").replace("  for", "  int *p = &h[x[3] & 15];\n  for", 1)
    assert written(text) == text
