"""Values that end in local arrays which nothing reads: the tool builds nothing for them, so they prove no II."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import hlspart

BODIES = {  # body of the loop, what follows it; whether the result can be seen outside
    "a scalar that nothing reads": ("s = s * b + x[i];", "", False),
    "a scalar that reaches no other": ("float last = s * b; s = last + x[i];", "float end = s;", False),
    "an array that nothing reads": ("s = s * b + x[i]; t[i] = s;", "", False),
    "one that only its own loop reads": ("t[i] = t[i - 1] * b + x[i];", "", False),
    "copied into another one": ("s = s * b + x[i]; t[i] = s;", "for (int k = 0; k < 64; k++) u[k] = t[k];", False),
    "read behind the loop": ("s = s * b + x[i]; t[i] = s;", "y[0] = t[3];", True),
    "read through a copy": (
        "s = s * b + x[i]; t[i] = s;",
        "for (int k = 0; k < 64; k++) u[k] = t[k]; y[0] = u[3];",
        True,
    ),
    "read through a pointer": ("s = s * b + x[i]; t[i] = s;", "const float *p = t; y[0] = p[3];", True),
    "an index of what is read": ("n = n / k[i] + 9; v[i] = n;", "y[v[3] & 63] = 1;", True),
}


@pytest.mark.parametrize("case", BODIES)
def test_what_ends_in_a_local_array_counts_where_something_reads_it(case: str, tmp_path: Path) -> None:
    body, after, seen = BODIES[case]
    text = f"""void f(const float x[64], const int k[64], float b, int n, float y[64]) {{
    float t[64] = {{0}}, u[64], s = 1;
    int v[64];
    L: for (int i = 1; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
    {after}
}}
"""
    (loop,) = [x for x in hlspart.parse(text).pipeline.figures.loops if x.label == "L"]
    assert (loop.proof is not None) is seen
    assert (loop.ii is not None) is seen or loop.ii == 1
    Path(tmp_path / "k.c").write_text(re.sub("#pragma.*", "", text))
    subprocess.run(["gcc", "-O3", "-S", "-o", tmp_path / "k.s", tmp_path / "k.c"], check=True)
    assert bool(re.search(r"\t(mulss|idivl)", Path(tmp_path / "k.s").read_text())) is seen  # what gcc leaves of it
