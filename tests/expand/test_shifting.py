"""Elements updated in place: each is loaded once and stored once, and every element has what it had before."""

import subprocess
from pathlib import Path

import pytest

import hlspart

LOOP = "for (int i = 0; i < 20; i++)"
CASES = {  # head of a loop and its body, over a[24], g[4][24] and n in 0 .. 20; whether registers hold the elements
    "sort": (LOOP, "if (a[i] > a[i + 1]) { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }", True),
    "no braces": (LOOP, "if (a[i] > a[i + 1]) a[i] = a[i + 1] - a[i];", False),
    "three": (LOOP, "{ a[i] += a[i + 2] ^ x[i]; a[i + 1] -= a[i]; a[i + 2] ^= a[i + 1]; }", True),
    "backwards": ("for (int i = 20; i > 0; i--)", "{ a[i - 1] ^= a[i] >> 1; a[i] += a[i - 1]; }", True),
    "ends at run time": ("for (int i = 0; i < n; i++)", "{ a[i] ^= a[i + 1]; a[i + 1] += a[i]; }", True),
    "starts at run time": ("for (int i = n; i < 20; i++)", "{ a[i] ^= a[i + 1]; a[i + 1] += a[i]; }", True),
    "step two": ("for (int i = 0; i < 20; i += 2)", "{ a[i] ^= a[i + 2]; a[i + 2] += a[i]; a[i + 1]++; }", True),
    "step three, past its end": ("for (int i = 0; i < n; i += 3)", "{ a[i] ^= a[i + 3]; a[i + 3] += a[i]; }", True),
    "narrow iterator": ("for (unsigned char i = 1; i <= 20; i++)", "{ a[i] ^= a[i - 1]; a[i - 1] += a[i]; }", True),
    "rows": (LOOP, "{ g[0][i] += g[0][i + 1]; g[0][i + 1] ^= g[1][i]; g[1][i + 1] = g[0][i]; }", True),
    "by a variable": (LOOP, "{ int j = i + 1; a[i] ^= a[j]; a[j] += a[i]; }", True),
    "under a condition": (LOOP, "{ a[i] += x[i]; if (x[i] > 5) a[i + 1] ^= a[i]; }", False),
    "a place by data": (LOOP, "{ a[i] ^= a[i + 1]; a[i + 1] += a[x[i] & 15]; }", False),
    "left early": (LOOP, "{ if (a[i] == a[i + 1]) break; a[i + 1] ^= a[i]; a[i] += a[i + 1]; }", False),
    "the next one": (LOOP, "{ if (a[i] == a[i + 1]) continue; a[i + 1] ^= a[i]; a[i] += a[i + 1]; }", False),
    "two lines meet": (LOOP, "{ g[n & 3][i] ^= g[n & 3][i + 1]; g[n & 3][i + 1] += g[0][i]; }", False),
    "moving end": ("for (int i = 0; i < n; i++)", "{ a[i] ^= a[i + 1]; a[i + 1] += a[i]; n -= i & 1; }", False),
}
MAIN = """#include <stdio.h>
#include <string.h>
typedef void kernel(const int *, unsigned *, unsigned (*)[24], int);
static int same(kernel *one, kernel *other) {
    for (int n = 0; n <= 20; n++) {
        int x[24];
        unsigned a[2][24], g[2][4][24];
        for (int k = 0; k < 24; k++) a[0][k] = a[1][k] = (k * 7919 * (n + 1)) % 31, x[k] = (k * 31 + n) % 17;
        for (int k = 0; k < 96; k++) g[0][k / 24][k % 24] = g[1][k / 24][k % 24] = (k * 613 * (n + 1)) % 41;
        one(x, a[0], g[0], n);
        other(x, a[1], g[1], n);
        if (memcmp(a[0], a[1], sizeof a[0]) || memcmp(g[0], g[1], sizeof g[0])) return 0;
    }
    return 1;
}
"""


def kernel(head: str, body: str) -> str:
    begin, rest = ("{", body[1:]) if body[0] == "{" else ("{", f"{body} }}")
    return (
        "void f(const int x[24], unsigned a[24], unsigned g[4][24], int n) {\n"
        f"    {head} {begin}\n#pragma HLS PIPELINE II=1\n       {rest}\n}}\n"
    )


def written(text: str) -> str:
    (new,) = hlspart.parse(text).rewrite(style="scalars").texts.values()
    return new


def test_the_kernels_compute_the_same(tmp_path: Path) -> None:
    parts, calls = [MAIN], []
    for k, (head, body, _) in enumerate(CASES.values()):
        old = kernel(head, body)
        parts += [old.replace("void f(", f"void old{k}("), written(old).replace("void f(", f"void new{k}(")]
        calls.append(f'    if (!same(old{k}, new{k})) printf("{k}\\n");\n')
    (tmp_path / "all.c").write_text("".join([*parts, "int main(void) {\n", *calls, "    return 0;\n}\n"]))
    flags = ["-w", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    subprocess.run(["gcc", *flags, "all.c", "-o", "all"], cwd=tmp_path, check=True)
    assert subprocess.run(["./all"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout == ""


@pytest.mark.parametrize("case", CASES)
def test_registers_hold_what_is_used_again(case: str) -> None:
    head, body, held = CASES[case]
    text = kernel(head, body)
    new = written(text)
    assert ("_at1" in new) == held, new
    if held:
        (before,) = hlspart.parse(text).pipeline.figures.loops
        (after,) = hlspart.parse(new).pipeline.figures.loops
        assert after.least < before.least


def test_a_sort_reaches_its_target() -> None:
    text = (
        "void sort(int a[20]) {\n  for (int i = 0; i < 19; i++)\n    for (int j = 0; j < 19 - i; j++)\n"
        "#pragma HLS PIPELINE II=1\n      if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }\n}\n"
    )
    kernel_ = hlspart.parse(text)
    answer = kernel_.rewrite(infer=True)
    (loop,) = (x for x in hlspart.parse(*answer.texts.values()).pipeline.figures.loops if x.pipelined)
    assert loop.ii == 1
    assert hlspart.verify(kernel_, answer, seconds=1).result.status == "equal"
