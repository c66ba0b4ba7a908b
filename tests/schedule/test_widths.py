"""Operators as wide as their values, and streams at the ports of the top: what a state has room for."""

import pytest
from predicting import loop, result

WHERE = {"tool": "vitis-2022.2", "part": "xc7z020-clg400-1", "clock_ns": 10.0}


def depth(element: str, body: str) -> int | None:
    text = f"""void f(const {element} a[64], const {element} b[64], const {element} c[64], int o[64]) {{
    L: for (int i = 1; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        {body}
    }}
}}
"""
    return loop(text, **WHERE).depth


@pytest.mark.parametrize(
    ("body", "shorter"),
    [
        ("o[i] = (a[i] + b[i] + c[i] ^ 21) - 7;", 1),  # 3.25 + 1.8 + 1.8 of 7.3 ns, 3.25 + 2.55 + 2.55 (reports)
        ("o[i] = (a[i] << 20) + (b[i] << 21) + (c[i] << 20);", 0),  # wide values of bytes
        ("o[i] = a[i];", 0),
    ],
)
def test_sums_of_bytes_are_no_sums_of_words(body, shorter):
    assert depth("int", body) - depth("unsigned char", body) == shorter


@pytest.mark.parametrize("operator", ["%", "/"])
def test_divisions_of_bytes_are_no_divisions_of_words(operator):
    """A report of 2023.1: `urem_8ns_5ns_4_12`, the bits of the dividend and 4, in a loop of 14 states."""
    assert depth("unsigned char", f"o[i] = a[i] {operator} 9;") == 14
    words = [depth("unsigned", f"o[i] = a[i] {operator} 9;"), depth("unsigned", f"o[i] = (a[i] & 3) {operator} 7;")]
    assert words[0] is not None and words[0] >= 14 + 24
    assert words[1] == depth("unsigned char", f"o[i] = (a[i] & 3) {operator} 7;")


def reading(channel: str, call: str) -> str:
    return f"""#include <hls_stream.h>
static void g(hls::stream<int> &in, int out[64]) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE II=1
        out[i] = in.read() + i - 3;
    }}
}}
void f(hls::stream<int> &s, hls::stream<int> &t, int out[64]) {{
#pragma HLS INTERFACE {channel} port=s
#pragma HLS INTERFACE ap_fifo port=t
    {call}
}}
"""


@pytest.mark.parametrize(
    ("call", "one"),
    [("g(s, out);", True), ("g(s, out); g(s, out);", True), ("g(s, out); g(t, out);", False), ("g(t, out);", False)],
)
def test_a_stream_handed_to_a_function_stays_a_port_of_the_top(call, one):
    """Reads of axis ports take 0 ns in 20 schedule reports, those of FIFOs 2.9 to 3.9 ns: no room for two sums."""
    found = [result(reading(x, call), path="k.cpp", **WHERE).loops for x in ("axis", "ap_fifo")]
    axis, fifo = (next(x.depth for x in loops if x.label == "L") for loops in found)
    assert fifo is not None and axis == fifo - one
