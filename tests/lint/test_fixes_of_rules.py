"""Fixes that rules offer, each proved on the changed text: the finding is gone, every other byte stays."""

from __future__ import annotations

import pytest

from hlspart.lint.fixes import Fixed
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline

MEMORY = """void f(const int in[64], int out[64]) { /* keep  this */
  int t[64];\t// and this
  #pragma HLS RESOURCE variable=t core=RAM_2P_BRAM
  for (int i = 0; i < 64; i++) t[i] = in[i];
  for (int i = 0; i < 64; i++) out[i] = t[63 - i];
}
"""
FLUSHED = """void f(const int in[64], int out[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1   enable_flush  // drained
    out[i] = in[i];
  }
}
"""
DISTANCE = """void f(int a[64]) {
  for (int i = 4; i < 64; i++) {
#pragma HLS PIPELINE
\t#pragma HLS DEPENDENCE variable=a type=inter distance=8 dependent=true // too far
    a[i] = a[i - 4] * 3;
  }
}
"""
PROVABLE = """void f(int A[64][32], int n) {
  for (int i = 0; i < 32; i++) {
    #pragma HLS pipeline II=1
    A[n & 63][i] = A[(n >> 6) & 63][i] + 1;
  }
}
"""
TRIPS = """void f(int a[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=32
    a[i] = i; // last
  }
}
"""
MASTER = """void f(int *a) {
#pragma HLS interface mode=m_axi port=a  // the memory of the host
  for (int i = 0; i < 50; i++) a[i] = i;
}
"""
SPELT = """void f(const int a[64], int o[64]) {
  for (int i = 0; i < 64; i++) {
  #  pragma HLS  pipelin II=1 // one a cycle
    o[i] = a[i];
  }
}
"""
CASES = [
    ("HLP101", SPELT, "pipelin ", "pipeline ", False),
    ("HLP101", SPELT.replace("pipelin ", "PIPLINE "), "PIPLINE", "PIPELINE", False),
    ("HLP111", MEMORY, "#pragma HLS RESOURCE variable=t core=RAM_2P_BRAM",
     "#pragma HLS bind_storage variable=t type=ram_2p impl=bram", True),
    ("HLP111", FLUSHED, "enable_flush", "style=flp", True),
    ("HLP212", DISTANCE, "distance=8", "distance=4", False),
    ("HLP215", PROVABLE, "pipeline II=1\n",
     "pipeline II=1\n    #pragma HLS dependence variable=A inter false\n", True),
    ("HLP221", TRIPS, "#pragma HLS LOOP_TRIPCOUNT min=1 max=32\n", "", True),
    ("HLP419", MASTER, "port=a", "port=a depth=50", False),
]  # fmt: skip


def pipeline(text: str) -> Pipeline:
    return Pipeline(["k.c"], Options(FrontendOptions(), TargetOptions()), lambda _path: text.encode())


def fixed(text: str, unsafe: bool) -> Fixed:
    made = pipeline(text)
    return made.fix(made.lint(), unsafe=unsafe)


@pytest.mark.parametrize(("rule", "text", "old", "new", "safe"), CASES, ids=lambda v: v if len(str(v)) < 8 else "")
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_fix(rule: str, text: str, old: str, new: str, safe: bool, end: str) -> None:
    before, after = text.replace("\n", end), text.replace(old, new).replace("\n", end)
    assert [d.rule for d in pipeline(before).lint().diagnostics if d.rule == rule] == [rule]
    if not safe:
        assert fixed(before, unsafe=False).texts == {}
    result = fixed(before, unsafe=not safe)
    assert result.texts == {"k.c": after}
    assert [d.rule for d in result.applied] == [rule]
    again = pipeline(after)
    assert rule not in [d.rule for d in again.lint().diagnostics]
    assert fixed(after, unsafe=not safe).texts == {}
    was, now = pipeline(before).figures.loops, again.figures.loops
    assert [x.name for x in was] == [x.name for x in now]
    assert all(a.ii is None or (b.ii is not None and b.ii <= a.ii) for a, b in zip(was, now, strict=True))
