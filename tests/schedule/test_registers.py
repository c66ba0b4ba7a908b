"""Registers beside memories, copied memories, constant dimensions and joined nests, as reports show them."""

import pytest
from predicting import loop, pipelined, pipelined_loop

NEW = {"tool": "vitis-2022.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 5.0}


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        ("A[i] = A[i - 1] + x[i];", 2, 1),  # the last element stays in a register
        ("A[i] = A[i - 2] + x[i];", 1, 1),
        ("A[x[i]] += 1;", 2, 1),  # addresses are compared, the last value selected
    ],
)
def test_values_handed_on(body, old, new):
    text = pipelined(body, parameters="int A[128], int x[64]")
    assert loop(text).ii == old
    assert loop(text, **NEW).ii == new


def test_no_selection_at_a_memory_that_a_directive_binds():
    text = pipelined("A[x[i]] += 1;", parameters="int A[128], int x[64]")
    bound = text.replace("{\n", "{\n#pragma HLS INTERFACE mode=ap_memory port=A storage_type=ram_t2p\n", 1)
    assert loop(bound, **NEW).ii == 2


LOCAL = """int f(int in[64]) {{
    int mem[64];
    int sum = 0;
    FILL: for (int i = 0; i < 64; i++) {stores}
    SUM: for (int i = 4; i < 64; i++) {{
#pragma HLS PIPELINE
        sum += mem[i] + mem[i - 1] + mem[i - 2] + mem[i - 3];
    }}
    return sum;
}}
"""


def test_local_memories_are_copied_for_their_reads_but_for_one_write():
    assert loop(LOCAL.format(stores="mem[i] = in[i];"), "SUM", **NEW).ii == 1
    two = "{ mem[i] = in[i]; mem[63 - i] = in[i] + 1; }"
    assert loop(LOCAL.format(stores=two), "SUM", **NEW).ii == 2
    assert loop(LOCAL.format(stores="mem[i] = in[i];"), "SUM").ii == 2


SUMS = """void f(float A[32][32], float x[32], float y[32]) {
    float a[32][32];
    READ: for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) a[i][j] = A[i][j];
    SUM: for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) y[i] += a[i][j] * x[j];
    BACK: for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) A[i][j] = a[i][j];
}
"""


def test_an_access_between_two_loops_unrolls_the_inner_one():
    """y[i] stays in the inner loop, so the outer one is pipelined; plain copies are flattened."""
    assert loop(SUMS, "SUM", **NEW).trip_count.exact == 32
    assert "READ" in loop(SUMS, **NEW, name="READ_VITIS_LOOP_4_1").name


@pytest.mark.parametrize(("row", "depth"), [(64, 2), (90, 3)])
def test_strides_take_time(row, depth):
    """A row of 64 is a shift, one of 90 a multiplier: its address leaves no time for the load."""
    text = f"""void f(float A[{row}][{row}], float B[{row}][{row}]) {{
    I: for (int i = 0; i < {row}; i++)
        J: for (int j = 0; j < {row}; j++)
            B[i][j] = A[i][j];
    float t = B[0][0];
    A[0][0] = t;
}}
"""
    found = loop(text, "I_J", **NEW)
    assert (found.ii, found.depth, found.latency.exact) == (1, depth, row * row + depth - 2)


def test_a_plain_loop_starts_and_awaits_the_modules_in_it():
    """Two pipelines of 118 iterations at II 2 and 18 states: 510 cycles an iteration in a public report."""
    text = """void f(double A[120], double B[120]) {
    T: for (int t = 0; t < 40; t++) {
        F: for (int i = 1; i < 119; i++) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        G: for (int i = 1; i < 119; i++) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}
"""
    found = loop(text, "T", **NEW)
    assert (found.depth, found.latency.exact) == (510, 20400)


ITERATORS = """void f(int n, float A[1024], float x[1024], float s[1]) {
    float sum = 0;
    I: for (int i = 0; i < 32; i++)
        J: for (int j = 0; j < 32; j++) A[i * 32 + j] = n;
    S: for (int i = 0; i < 1024; i++) sum += x[i];
    s[0] = sum;
}
"""


@pytest.mark.parametrize(
    ("part", "nest", "accumulator"),
    [
        ("xc7z020-clg400-1", 2, 10),  # 1.58 ns: neither iterators nor the sum come round in time
        ("xcvu35p-fsvh2104-1-e", 1, 5),  # a slow grade: 3.56 + 0.46 ns
        ("xcvu9p-flga2104-2-i", 1, 4),
    ],
)
def test_writing_what_iterations_hand_on_takes_time(part, nest, accumulator):
    """Figures of reports of 2023.2 at 5 ns for 7-series and the slow grade, of 2022.2 for the other one."""
    target = {"tool": "vitis-2023.2", "part": part, "clock_ns": 5.0}
    assert loop(ITERATORS, "I_J", **target).ii == nest
    assert loop(ITERATORS, "S", **target).ii == accumulator


PARTIAL = """void f(float A[32][8], float o[32]) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
#pragma HLS ARRAY_PARTITION variable=A complete dim=2
        SET
        for (int j = 0; j < 4; j++) { part[j] += A[i][j]; part[j] += A[i][j + 4]; }
        o[i] = (part[0] + part[1]) + (part[2] + part[3]);
    }
}
"""


def test_registers_that_start_from_zero_in_each_iteration():
    """As stores of zero to each of them."""
    stores = "float part[4];\n for (int j = 0; j < 4; j++) part[j] = 0;"
    said = [loop(PARTIAL.replace("SET", x), **NEW) for x in ("float part[4] = {0};", "float part[4] = {};", stores)]
    assert {(x.ii, x.depth, x.recurrence_ii) for x in said} == {(1, said[0].depth, 1)}
    for start in ("float part[4] = {1};", "float part[300] = {0}; part[i] = 0;"):
        assert loop(PARTIAL.replace("SET", start), **NEW).ii is None
    guarded = PARTIAL.replace("SET", "if (i > 3) {\nfloat part[4] = {0};").replace("part[3]);", "part[3]);\n }")
    stored = guarded.replace("float part[4] = {0};", stores)
    assert (loop(guarded, **NEW).ii, loop(guarded, **NEW).depth) == (loop(stored, **NEW).ii, loop(stored, **NEW).depth)


@pytest.mark.parametrize("tool", [{}, NEW], ids=["vitis-2022.1", "vitis-2022.2"])
@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] > M0) M0 = x[i];",
        "if (x[i] > M0) { if (x[i] < 9) M0 = x[i]; }",
        "if (x[i] > 1) M0 = M0 * 3; else M1 = x[i];",
        "if (x[i] > M1) { M0 = M1; M1 = x[i]; }",
        "M0 = x[i] > M0 ? x[i] : M0;",
        "if (x[i] > 2) M0 += x[i]; o[i] = M0;",
        "M0 += x[i]; if (M0 > 9) M1 = M0;",
    ],
)
@pytest.mark.parametrize("kind", ["int", "float"])
def test_elements_of_registers_are_scheduled_like_scalars(kind, body, tool):
    """UG1399, array_partition: complete partitioning makes one register of each element."""
    text = pipelined(body, f"{kind} SET", f"{kind} x[64], {kind} o[64]").replace("acc;", "M0 + M1;")
    scalars = loop(text.replace("SET", "M0 = 0, M1 = 0;"), **tool)
    array = "m[2];\n#pragma HLS ARRAY_PARTITION variable=m complete\nm[0] = 0; m[1] = 0;"
    elements = loop(text.replace("SET", array).replace("M0", "m[0]").replace("M1", "m[1]"), **tool)
    assert scalars.ii is not None and (elements.ii, elements.depth) == (scalars.ii, scalars.depth)


COUNTED = """void f(int n, int x[1024], int y[1024]) {
    int lane = 0;
    L: for (int i = 0; i < 1024; i++) {
#pragma HLS PIPELINE ASKED
        y[i] = x[i] + lane;
        if (x[i] > n) lane = lane + 1 == n ? 0 : lane + 1;
    }
}
"""


def test_an_ii_that_a_directive_names_is_not_lengthened_for_the_clock():
    """UG1448, II-constrained mode; reports of 2022.2 and 2024.2 have II 1 and miss the clock."""
    target = {"tool": "vitis-2024.2", "part": "xc7z020-clg400-1", "clock_ns": 5.0}
    asked = ITERATORS.replace("++) A[", "++)\n#pragma HLS PIPELINE II=1\n            A[")
    assert loop(asked, "I_J", **target).ii == 1
    assert loop(asked.replace(" II=1", ""), "I_J", **target).ii == 2
    slower = loop(asked.replace(" II=1", ""), "I_J", **{**target, "clock_ns": 8.0})  # a report of 2022.2 has II 1
    assert slower.bounds == (1, 2)
    for named, least in (("II=1", 1), ("II=2", 2), ("", None)):
        found = loop(COUNTED.replace("ASKED", named), "L", **target)
        assert found.ii == least if least else found.ii is None or found.ii > 1


def test_a_stream_that_is_chosen_and_read_in_one_state():
    """The choice is part of the chain that the reading begins: a schedule that leaves it out is refused."""
    text = """#include <hls_stream.h>
    void f(hls::stream<int> in[2], hls::stream<int> &out, int c[8]) {
    #pragma HLS ARRAY_PARTITION variable=c complete
        L: for (int i = 0; i < 64; i++) {
    #pragma HLS PIPELINE II=1
            int v = in[i & 1].read(), n = 0;
            for (int g = 0; g < 8; g++) if (v == c[g]) n |= 1 << g;
            out.write(n);
        }
    }
    """
    found = loop(text, path="f.cpp", tool="vitis-2022.2", part="xck26-sfvc784-2LV-c", clock_ns=3.003)
    assert (found.ii, found.cause) == (1, None)


def test_a_sum_that_goes_on_is_a_register_in_the_inner_loop() -> None:
    """Reports (2023.2, 10 ns): two functions with a sum of three states over the rows of a nest run at II 2."""
    text = """void f(float a[64][32], float c[64][32]) {
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 32; j++)
            for (int k = 0; k < 100; k++) c[i][j] += a[i][k %% 32] * 3.0f%s;
}
"""
    target = {"tool": "vitis-2023.2", "part": "xcu280-fsvh2892-2L-e", "clock_ns": 10.0}
    found = pipelined_loop(text % "", **target)
    assert (found.ii, found.bounds) == (2, None)
    found = pipelined_loop(text % " * c[i][j]", **target)  # the element is no term of a sum alone
    assert found.ii != 2
