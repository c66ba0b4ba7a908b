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


PROCESSES = """#include "hls_stream.h"
void fill(int a[100], int n[100]) { for (int i = 0; i < 100; i++) n[i] = a[i] * a[i]; }
void turn(int n[100], int m[100]) { for (int i = 0; i < 50; i++) m[i] = n[99 - i]; }
void send(int a[100], hls::stream<int> &s) { for (int i = 0; i < 100; i++) s.write(a[i] * 3); }
void take(hls::stream<int> &s, int b[100]) { for (int i = 0; i < 100; i++) b[i] = s.read(); }
void arrays(int a[100], int b[100]) {
#pragma HLS DATAFLOW
    int n[100];
    fill(a, n);
    turn(n, b);
}
void streams(int a[100], int b[100]) {
#pragma HLS DATAFLOW
    hls::stream<int> s;
    send(a, s);
    take(s, b);
}
void apart(int a[100], int b[100], int c[100], int d[100]) {
#pragma HLS DATAFLOW
    fill(a, b);
    turn(c, d);
}
void both(int a[100], int b[100], int c[100], int d[100]) {
#pragma HLS DATAFLOW
    fill(a, b);
    fill(c, d);
}
"""


def test_a_process_waits_for_the_arrays_of_those_before_it_and_may_overlap_with_a_stream():
    latency = {f.name: f.latency for f in result(PROCESSES, path="k.cpp", **TARGET).functions}
    one, other = latency["fill"].exact, latency["turn"].exact
    assert one is not None and other is not None and one > other > 50
    called = latency["apart"].exact  # the longer one, and the state in which it is called
    assert called is not None and one <= called <= one + 1
    assert latency["arrays"].exact == called + other + (called - one)
    sent, taken = latency["send"].exact, latency["take"].exact
    assert sent is not None and taken is not None
    found = latency["streams"]
    assert found.min is not None and found.max is not None
    assert max(sent, taken) <= found.min < sent + taken <= found.max


def test_every_call_of_a_dataflow_region_is_a_module_of_its_own():
    uses = {f.name: f.resources for f in result(PROCESSES, path="k.cpp", **TARGET).functions}
    assert uses["fill"].dsp and uses["both"].dsp == 2 * uses["fill"].dsp


ROW = """void f(int in[64], int out[16], int w[16]) {
    int x[64];
%s
    for (int i = 0; i < 64; i++) x[i] = in[i];
    for (int o = 0; o < 16; o++) {
        #pragma HLS PIPELINE II=1
        int sum = 0;
        for (int i = 0; i < %d; i++) sum += w[o] ^ x[i];
        out[o] = sum;
    }
}"""


@pytest.mark.parametrize(("directive", "ports"), [
    ("", 2), ("BIND_STORAGE variable=x type=ram_1p", 1), ("ARRAY_PARTITION variable=x cyclic factor=2", 4),
    ("ARRAY_PARTITION variable=x block factor=2", 2), ("ARRAY_PARTITION variable=x complete", 64),
])  # fmt: skip
def test_what_is_loaded_ahead_of_a_loop_waits_for_ports_and_is_held(directive: str, ports: int) -> None:
    """32 elements in place of 16: of a memory of two ports they take 8 cycles more, and 16 registers of 32 bits.

    Blocks of 32 elements: all of them are in one.
    """
    pragma = f"#pragma HLS {directive}" if directive else ""
    few, many = (result(ROW % (pragma, n)).functions[0] for n in (16, 32))
    assert many.latency.max - few.latency.max - 16 // ports in (0, 1)  # perhaps a state more to add them up
    assert many.latency.exact is not None and few.latency.exact is not None
    held = 16 * 32 if ports < 64 else 0
    assert held <= many.resources.ff - few.resources.ff < held + 60


def test_a_process_without_a_body_leaves_the_latency_of_its_region_open():
    text = (
        PROCESSES
        + """void given(int a[100], hls::stream<int> &s);
void f(int a[100], int b[100]) {
#pragma HLS DATAFLOW
    hls::stream<int> s;
    given(a, s);
    take(s, b);
}
void g(int a[100], hls::stream<int> &s) {
#pragma HLS DATAFLOW
    given(a, s);
}
"""
    )
    found = {x.name: x for x in result(text, path="k.cpp", **TARGET).functions}
    for name in ("f", "g"):
        assert found[name].latency.max is None
        assert "the body of given is not given" in (found[name].cause or "")
