"""Latency, interval and resources of functions: what modules share, what callers add, what is not known."""

from __future__ import annotations

import pytest
from predicting import result

TARGET = {"tool": "vitis-2023.2", "part": "xcu280-fsvh2892-2L-e", "clock_ns": 10.0}

TWO_LOOPS = """void scale(float a[64], float b[64]) {
    FIRST: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        b[i] = a[i] * 3.0f;
    }
    SECOND: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        b[i] = b[i] * a[i];
    }
}
"""


def function(text: str, name: str):
    """The record of one function."""
    return next(f for f in result(text, **TARGET).functions if f.name == name)


def test_loops_that_run_one_after_another_share_units():
    """One product of floating point (3 DSP blocks) serves both loops (reports: 20 functions of a public set)."""
    found = function(TWO_LOOPS, "scale")
    assert (found.resources.dsp, found.resources.bram18k, found.line) == (3, 0, 1)
    assert found.latency.max is not None and found.interval == found.latency.max + 1
    assert [x.name for x in found.parts] == ["FIRST", "SECOND"]


def test_a_caller_has_what_its_modules_have():
    text = (
        TWO_LOOPS
        + """void top(float a[64], float b[64]) {
    float kept[2048];
    for (int i = 0; i < 2048; i++) kept[i] = a[i % 64] + b[i % 64];
    scale(a, b);
    for (int i = 0; i < 64; i++) b[i] = kept[i * 3];
}
"""
    )
    inner, outer = function(text, "scale").resources, function(text, "top").resources
    assert outer.dsp == inner.dsp + 2  # and an adder
    assert outer.bram18k == 4  # 2048 words of 32 bits
    assert outer.ff > inner.ff and outer.lut > inner.lut


@pytest.mark.parametrize(("pragma", "blocks"), [("", 4), ("#pragma HLS DATAFLOW", 8)])
def test_channels_of_a_dataflow_region_are_doubled(pragma: str, blocks: int):
    text = f"""void one(int a[2048], int b[2048]) {{ for (int i = 0; i < 2048; i++) b[i] = a[i] + 1; }}
void two(int a[2048], int b[2048]) {{ for (int i = 0; i < 2048; i++) b[i] = a[i] ^ 5; }}
void top(int a[2048], int b[2048]) {{
{pragma}
    int between[2048];
    one(a, between);
    two(between, b);
}}
"""
    assert function(text, "top").resources.bram18k == blocks


def test_what_is_not_predicted_is_none():
    text = """void f(int *p, int *q, int n) {
    for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        p[i] = unknown(q[i]);
    }
}
"""
    found = function(text, "f")
    assert (found.latency.max, found.interval, found.resources.dsp) == (None, None, None)
    assert found.cause
