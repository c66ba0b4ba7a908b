"""Which loops are left, which are joined, and which the tool pipelines by itself (reports of Vitis HLS 2022.2)."""

import pytest
from predicting import loop, result

NEW = {"tool": "vitis-2022.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 5.0}
SUMS = """void sums(float A[32][32], float x[32], float s[32], float q[32]) {
    I: for (int i = 0; i < 32; i++) {
        SET
        J: for (int j = 0; j < 32; j++) {
#pragma HLS PIPELINE
            BODY
        }
    }
}
"""


@pytest.mark.parametrize(
    ("before", "body", "joined"),
    [
        ("", "q[j] += A[i][j];", True),
        ("", "q[j] += A[i][j] * x[i];", True),  # x[i] is only loaded
        ("", "s[i] += A[i][j];", False),  # goes on from s[i], which is loaded ahead of J
        ("s[i] = 0;", "s[i] += A[i][j];", True),
        ("", "s[i] += A[i][j] + s[x[i] > 0];", True),  # may be s[i]: stays in the memory
        ("", "s[i] = A[i][j];", True),
        ("", "for (int k = 0; k < 2; k++) s[i + k] += A[i][j];", False),
    ],
)
def test_nests_that_go_on_from_an_element_stay_apart(before, body, joined):
    text = SUMS.replace("SET", before).replace("BODY", body)
    assert {x.name for x in result(text, **NEW).loops} == ({"I_J"} if joined else {"I", "J"})
    assert {x.name for x in result(text, tool="vitis-2022.1").loops} == ({"I", "J"} if before else {"I_J"})


def test_elements_of_unrolled_loops_keep_a_nest_apart_only_under_pipeline():
    """s[i + k] leaves J where PIPELINE has unrolled K first; the tool itself unrolls K after that."""
    body = "K: for (int k = 0; k < 4; k++) s[i + k] += A[i][j] * x[k];"
    asked = SUMS.replace("SET", "").replace("BODY", body).replace("i++", "i += 4")
    assert {x.name for x in result(asked, **NEW).loops} == {"I", "J"}
    alone = asked.replace("#pragma HLS PIPELINE\n", "")
    assert {x.name for x in result(alone, **NEW).loops} == {"I_J"}


PARTS = """void parts(float A[32][32], float s[32]) {
    I: for (int i = 0; i < 32; i++) {
        SET
        J: for (int j = 0; j < 32; j++) {
#pragma HLS UNROLL factor=4
            BODY
        }
    }
}
"""


def test_a_loop_unrolled_in_part_is_not_joined_over_statements():
    text = PARTS.replace("SET", "s[i] = 0;").replace("BODY", "s[i] += A[i][j];")
    assert {x.name for x in result(text, **NEW).loops} == {"I", "J"}


WHOLE = """void whole(float A[32][32], float B[32][32]) {
    I: for (int i = 0; i < 32; i++) {
        J: for (int j = 0; j < 32; j++) {
PRAGMAS
            for (int k = 0; k < 2; k++) B[i][j] = A[i][j] + A[i][31 - j] * k;
        }
    }
}
"""


@pytest.mark.parametrize(
    ("pragmas", "tool", "pipelined"),
    [
        ("#pragma HLS UNROLL\n#pragma HLS PIPELINE", "vitis-2022.2", ["I"]),
        ("#pragma HLS UNROLL factor=32\n#pragma HLS PIPELINE II=1", "vitis-2022.2", ["I"]),
        ("#pragma HLS UNROLL factor=16\n#pragma HLS PIPELINE II=1", "vitis-2022.2", ["I_J"]),
        ("#pragma HLS UNROLL\n#pragma HLS PIPELINE", "vivado-hls-2019.1", []),
    ],
)
def test_a_loop_that_is_unrolled_completely_is_none_to_pipeline(pragmas, tool, pipelined):
    """What is around it becomes the innermost loop, which newer tools pipeline: 32 reads and 32 writes, two ports."""
    found = [x for x in result(WHOLE.replace("PRAGMAS", pragmas), tool=tool).loops if x.pipelined]
    assert [x.name for x in found] == pipelined
    assert all((x.ii, x.origin) == (16, "auto") for x in found if x.name == "I")


def test_loops_around_unrolled_loops_are_pipelined():
    """A is partitioned for it too, by the index of J in every function: 203-102."""
    text = """void fill(float x[64], float A[64][64]) {
    I: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
#pragma HLS UNROLL
            A[i][j] = x[i] + j;
        }
}
void top(float x[64], float y[64]) {
    float A[64][64];
    fill(x, A);
    K: for (int i = 0; i < 64; i++) {
        float s = 0;
        for (int j = 0; j < 64; j++) {
#pragma HLS UNROLL
            s += A[i][j];
        }
        y[i] = s;
    }
}
"""
    for name in ("I", "K"):
        found = loop(text, name, **NEW)
        assert (found.origin, found.ii, found.trip_count.exact) == ("auto", 1, 64)
    run_time = text.replace("s += A[i][j];\n        }", "s += A[i][j];\n        }\n        s += A[i][i];")
    assert loop(run_time, "I", **NEW).ii == 32  # 64 stores, two ports


def test_static_arrays_are_partitioned_like_local_ones():
    """203-102 names them too: four stores an iteration at II 1 (zanehpn/HLStrans, 2022.2)."""
    text = """void turn(int in[64], int out[64]) {
    static int a[4][64];
    I: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 4; j++) a[j][i] = in[i] + j;
    O: for (int i = 0; i < 64; i++) out[i] = a[0][i] + a[1][i] + a[2][i] + a[3][i];
}
"""
    assert [loop(text, name, **NEW).ii for name in "IO"] == [1, 1]
    assert loop(text.replace("a[3][i];", "a[i & 3][i];"), "I", **NEW).ii == 2  # four stores, two ports


@pytest.mark.parametrize(("inline", "pipelined"), [("", ["I"]), ("#pragma HLS INLINE off", ["I_J"])])
def test_calls_that_are_expanded_do_not_keep_a_loop_from_being_pipelined(inline, pipelined):
    """Two designs of zanehpn/HLStrans call small functions in loops of 16 and 3 iterations, which are unrolled."""
    text = f"""int most(int x) {{
{inline}
    return x > 255 ? 255 : x;
}}
void sums(int in[64], int out[64]) {{
    I: for (int i = 0; i < 60; i++) {{
        int s = 0;
        J: for (int j = 0; j < 4; j++) s = most(s + in[i + j]);
        out[i] = s;
    }}
}}
"""
    found = [x for x in result(text, **NEW).loops if x.pipelined]
    assert [x.name for x in found] == pipelined
    assert inline or found[0].ii == 2  # four loads, two ports


def test_small_loops_beside_pipelined_ones_are_pipelined():
    text = """void beside(float A[8][8], float x[8], float y[8], float z[8]) {
    for (int t = 0; t < 8; t++) {
        SMALL: for (int i = 0; i < 8; i++) y[i] = x[i] + t;
        for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE
            z[i] = A[t][i] * y[7 - i];
        }
    }
}
"""
    found = loop(text, "SMALL", **NEW)
    assert (found.pipelined, found.ii, found.trip_count.exact) == (True, 1, 8)


@pytest.mark.parametrize("ahead", ["", "s[i] = 0;"])
def test_a_nest_that_goes_on_with_a_sum_is_flattened(ahead):
    """A report of 2023.2 has two cycles for each of 1,048,576 iterations, as for a sum that the outer loop sets."""
    text = """void f(float x[1024][1024], float s[1024]) {
    A: for (int i = 0; i < 1024; i++) { %s
        B: for (int j = 0; j < 1024; j++) s[i] += x[i][j];
    }
}
"""
    found = loop(text % ahead, "A_B", tool="vitis-2023.2", part="xcu280-fsvh2892-2L-e", clock_ns=10.0)
    assert (found.ii, found.bounds) == (2, None)


def test_a_loop_around_a_function_without_a_body_is_not_said_to_be_pipelined():
    """The function may hold a loop: then the tool pipelines that one."""
    text = """int twice(int x);
int through(int x) { return twice(x) + 1; }
void f(float a[64], int b[64]) {
    A: for (int i = 0; i < 64; i++) b[i] = twice(i);
    B: for (int i = 0; i < 64; i++) b[i] = through(i);
    C: for (int i = 0; i < 64; i++) a[i] = sqrtf(a[i]);
    D: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        b[i] = twice(i);
    }
}
"""
    found = {x.name: (x.pipelined, x.origin, x.ii) for x in result(text, **NEW).loops}
    assert found["A"] == found["B"] == (False, "auto", None)
    assert found["C"] == (True, "auto", 1) and found["D"] == (True, "pragma", None)
    whole = result(text.replace("int twice(int x);", "int twice(int x) { return 2 * x; }"), **NEW).loops
    assert all((x.pipelined, x.ii) == (True, 1) for x in whole)


def test_a_loop_beside_one_that_unroll_leaves_nothing_of():
    """A report of 2020.2: a filter's loop over pixels is pipelined, its products by UNROLL, its shift without one."""
    text = """void f(unsigned char in[512], unsigned char out[512], unsigned char c[7]) {
#pragma HLS ARRAY_PARTITION variable=c complete
    unsigned char kept[7];
    P: for (int x = 0; x < 512; x++) {
        kept[6] = in[x];
        unsigned sum = 0;
        A: for (int i = 0; i < 7; i++) {
#pragma HLS PIPELINE
PRAGMA
            sum += c[i] * kept[i];
        }
        out[x] = sum >> 8;
        B: for (int i = 0; i < 6; i++) kept[i] = kept[i + 1];
    }
}
"""
    pipelined = [x.name for x in result(text.replace("PRAGMA", "#pragma HLS UNROLL"), tool="vitis-2020.2").loops]
    assert pipelined == ["P"]
    assert "A" in [x.name for x in result(text.replace("PRAGMA", ""), tool="vitis-2020.2").loops if x.pipelined]


FULLY = [("#pragma HLS UNROLL", True), ("#pragma HLS UNROLL factor=4", False)]


@pytest.mark.parametrize(("unroll", "pipelined"), FULLY)
def test_a_function_whose_loops_are_unrolled_has_none(unroll: str, pipelined: bool) -> None:
    """A report of 2024.1: a loop around a method that shifts 16 registers in an unrolled loop is pipelined."""
    text = f"""void shift(int row[16], int x) {{
#pragma HLS INLINE
    for (int i = 0; i < 15; i++) {{
{unroll}
        row[i] = row[i + 1];
    }}
    row[15] = x;
}}
void f(int x[64], int out[64][16]) {{
    L: for (int i = 0; i < 64; i++) shift(out[i], x[i]);
}}
"""
    assert loop(text, "L", tool="vitis-2023.2").pipelined is pipelined
