"""Accesses of called functions: gcc runs the text before and after, over arrays that both texts reach by name."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import hlspart

CASES = {  # what is called, and the body of a loop over i = 1 .. 63
    "by data": ("static int g(int i) { h[i * 7 & 63] += 1; return 2; }", "h[a[i] & 63] += i; b[i] = g(i);"),
    "by data, read": ("static int g(int i) { return h[i * 7 & 63]; }", "h[a[i] & 63] += i; b[i] = g(i);"),
    "handed on": ("static int g(int i) { h[i - 1] += 2; return i; }", "b[i] = g(i); h[i] = h[i - 1] * 3 + a[i];"),
    "moving": ("static int g(int i) { h[i] ^= 5; return i; }", "h[i] += a[i]; b[i] = g(i); h[i - 1] += h[i];"),
    "by another name": ("int *q;\nstatic int g(int i) { return q[i & 7]; }", "q = b; b[n] += a[i] * g(i) + b[n + i];"),
    "standing": ("static int g(int i) { return h[i & 7]; }", "h[n] += a[i] * g(i) + h[n + i];"),
}  # fmt: skip
MAIN = """
int main(void) {
  static int a[64], b[64];
  unsigned long long sum = 0;
  for (int k = 0; k < 64; k++) { a[k] = k * 11 % 13; h[k] = k; }
  f(a, b, 3);
  for (int k = 0; k < 64; k++) sum = sum * 31 + (unsigned)h[k] * 7 + (unsigned)b[k];
  printf("%llu", sum);
  return 0;
}
"""


def _runs(text: str, folder: Path) -> str:
    folder.mkdir()
    (folder / "f.c").write_text("#include <stdio.h>\n" + text + MAIN)
    subprocess.run(["gcc", "-std=c99", "-fwrapv", "-w", "-o", folder / "f", folder / "f.c"], check=True)
    return subprocess.run([folder / "f"], check=True, timeout=20, capture_output=True, text=True).stdout


@pytest.mark.parametrize("style", ["scalars", "dependences"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc runs both texts")
def test_what_called_functions_access_has_its_value(case: str, style: str, tmp_path: Path) -> None:
    called, body = CASES[case]
    old = (
        f"int h[128];\n{called}\nvoid f(int a[64], int b[64], int n) {{\n  for (int i = 1; i < 64; i++) {{\n"
        f"#pragma HLS PIPELINE II=1\n    {body}\n  }}\n}}\n"
    )
    (new,) = hlspart.parse(old).rewrite(style=style).texts.values()
    assert "variable=h" not in new  # iterations meet in it wherever the function is called
    assert _runs(new, tmp_path / "new") == _runs(old, tmp_path / "old")
