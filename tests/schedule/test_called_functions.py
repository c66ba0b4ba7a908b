"""Latency of calls wherever an expression may stand (Vitis HLS 2023.2).

``sum`` is one pipelined loop of N iterations of two states, N + 2 cycles, and its call takes a state more; how the
value comes back, by an assignment, a declaration or a condition, changes nothing. It is used in the state it comes in.
"""

import pytest
from predicting import loop, pipelined, result

N = 1024
CALL = N + 3
SUM = f"""int sum(int v[{N}]) {{
#pragma HLS INLINE off
    int s = 0;
    for (int i = 0; i < {N}; i++) s += v[i];
    return s;
}}
int small(int x) {{ return x + 1; }}
"""
LINE = SUM.count("\n") + 2


def check(body):
    text = SUM + f"void f(int v[{N}], int w[{N}], int r[8], int n) {{\n{body}\n}}\n"
    return result(text, tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10)


def latency(found):
    return next(x.latency for x in found.functions if x.name == "f")


@pytest.mark.parametrize(
    ("body", "cycles"),
    [
        ("int t; t = sum(v); r[0] = t;", CALL),
        ("int t = sum(v); r[0] = t;", CALL),
        ("r[0] = sum(v);", CALL),
        ("const int t = 3 * sum(v) + n; r[0] = n;", CALL),
        ("int t = sum(v), u = sum(w); r[0] = t + u;", CALL),  # at once
        ("int t; { t = sum(v); } r[0] = t;", CALL),
        ("int t; t = (n++, sum(v)); r[0] = t;", CALL),
        ("int t = sum(v); v[0] = t; t = sum(v); r[0] = t;", 2 * CALL + 1),  # a store between them
        ("if (sum(v) > 3) n = 1;", CALL),
        ("switch (sum(v)) { case 1: n = 2; }", CALL),
        ("int t = sizeof(sum(v)); r[0] = t;", 0),  # not evaluated
        ("for (int k = 0; k < 10; k++) { int t; t = sum(v); w[k] = t; }", 10 * (CALL + 1) + 1),
        ("for (int k = 0; k < 10; k++) { int t = sum(v); w[k] = t; }", 10 * (CALL + 1) + 1),
        ("for (int k = 0, t = sum(v); k < 10; k++) w[k] = t;", CALL + 10 + 2),  # behind the call, a loop of ten
        ("for (int k = 0; k < 10; k++) { int t = small(k); w[k] = t; }", 10 + 2),
    ],
)
def test_a_call_takes_its_latency_wherever_it_stands(body, cycles):
    assert latency(check(body)).exact == cycles


@pytest.mark.parametrize(
    "body",
    [
        "int t = n > 0 ? sum(v) : 0; r[0] = t;",
        "int t; t = n > 0 ? 0 : sum(v); r[0] = t;",
        "if (n > 0 && sum(v) > 2) r[0] = 1;",
        "int t = n || sum(v); r[0] = t;",
        "r[0] = small(n ? sum(v) : 1);",
    ],
)
def test_a_call_that_may_not_happen_has_no_latency_and_a_place(body):
    found = check(body)
    assert (latency(found).min, latency(found).max) == (None, None)
    why = f"latency of f unknown: line {LINE}: sum is called under a condition inside an expression"
    assert why in found.assumptions


@pytest.mark.parametrize(
    "body",
    [
        "while (sum(v) > 3) { for (int i = 0; i < 64; i++) v[i] = v[i] / 2; }",
        "do { for (int i = 0; i < 64; i++) v[i] = v[i] / 2; } while (sum(v) > 3);",
        "for (int k = 0; k < 100; k += sum(v)) r[k % 8] = 1;",
    ],
)
def test_a_call_in_the_header_of_a_loop_has_a_place(body):
    found = check(body)
    outer = found.loops[1]
    assert outer.function == "f" and outer.latency.max is None and not outer.pipelined
    assert outer.depth_cause == f"line {LINE}: sum is called in the header of a loop"
    assert latency(found).max is None


def test_a_condition_on_a_call_costs_its_arm_as_well():
    arm = "for (int i = 0; i < 64; i++) w[i] = n;"
    found = latency(check(f"if (sum(v) > 3) {{ {arm} }}"))
    assert (found.min, found.max) == (CALL, CALL + 64 + 3)


def test_a_root_takes_six_states_at_10_ns():
    """A public report (zedong-peng/ForgeHLS-benchmark, cmos_fpu): 1037 cycles of 1024 elements."""
    text = """#include <math.h>
void f(const float a[1024], const float b[1024], float out[1024]) {
    for (int i = 0; i < 1024; i++) out[i] = (a[i] + b[i]) * (a[i] - b[i]) + sqrtf(a[i] * b[i]);
}
"""
    made = result(text, tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10)
    assert latency(made).exact == 1037


def test_variables_of_one_declaration_are_set_in_turn():
    """``int x = f(a), y = f(x);`` is two declarations: the second call takes what the first one gives."""
    function = "int g(int x, int y) { int r = x * y; if (x > 3) r += 4; return r; }\n"
    figures = []
    for body in ("int x = g(a[i], b[i]), y = g(x, 3);", "int x = g(a[i], b[i]); int y = g(x, 3);"):
        loop_ = loop(function + pipelined(f"{body} o[i] = y;", parameters="int a[64], int b[64], int o[64]"))
        figures.append((loop_.ii, loop_.depth, loop_.dsp))
    assert figures[0] == figures[1]
    assert figures[0][0] == 1
    assert figures[0][2] > 0
