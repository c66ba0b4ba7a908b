"""What the tool may or may not see gives bounds that hold both, with the cause."""

import pytest
from predicting import loop, pipelined_loop, result

ROWS = """void f(float A[5][11][10]) {
    for (int c = 0; c <= 3; c++)
        for (int n = 0; n <= 5; n++) {
            const int k = n - c;
            L: for (int m = 0; m <= 4; m++) {
#pragma HLS PIPELINE II=1
                A[c + 1][k + 4][m + 4] = A[c][k + 4][m + 4] + A[c][k + 4][m + 3];
            }
        }
}"""
HALVES = """typedef struct { float re, im; } pair;
void f(pair x[256], int s) {
    int half = 1 << s;
    for (int g = 0; g < 256; g += 2 * half)
        L: for (int k = 0; k < half; k++) {
#pragma HLS PIPELINE II=1
            pair a = x[g + k], b = x[g + k + half];
            x[g + k].re = a.re + b.re; x[g + k].im = a.im + b.im;
            x[g + k + half].re = a.re - b.re; x[g + k + half].im = a.im - b.im;
        }
}"""
FLATTENED = """void f(int a[1024], int b[16384]) {
    for (int j = 0; j < 32; j++)
        L: for (int k = 0; k < 16; k++) {
#pragma HLS PIPELINE II=1
            b[16 * j + k] = a[16 * j + k]; b[16 * j + k + 15872] = a[16 * j + k + 512];
        }
}"""
PLACE = """void f(double A[20][24], double q[20]) {
    for (int k = 0; k < 24; k++)
        L: for (int j = k + 1; j < 24; j++) {
#pragma HLS PIPELINE II=1
            double s = 0;
            for (int i = 0; i < 20; i++) s += q[i] * A[i][j];
            for (int i = 0; i < 20; i++) A[i][j] -= q[i] * s;
        }
}"""
MERGE = """void f(int a[64], int o[64], int m) {
    int p = 0, q = m;
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        if (a[p] <= a[q]) { o[i] = a[p]; p++; } else { o[i] = a[q]; q++; }
    }
}"""
# a row may have one iteration only, so the sum of a row may be needed by the next iteration
SHORT = """void f(int n, int m, float a[64][64]) {
    for (int i = 1; i < n; i++)
        L: for (int j = 0; j < m; j++) {
#pragma HLS PIPELINE II=1
            a[i][j] = a[i - 1][j] + 1.0f;
        }
}"""
# rows take turns: by the arithmetic of addresses no iteration reads what it or the one before has stored
TURNS = """void f(const int in[8][32], int out[8][32]) {
    int buf[2][32];
    for (int f = 0; f < 8; f++)
        L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
            buf[f & 1][i] = in[f][i];
            if (f > 0) out[f - 1][i] = buf[(f - 1) & 1][31 - i];
        }
}"""
HISTOGRAM = """void f(const int in[64], int h[16]) {
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        h[i & 15] += in[i];
    }
}"""
# three loads meet in bank 0, one of them of a row that is not there
OUTSIDE = """void f(float A[12][20], float B[20]) {
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=12 dim=1
    L: for (int k = 0; k < 20; k++) {
#pragma HLS PIPELINE II=1
        float s = A[0][k];
        for (int i = 1; i < 3; i++) s += A[12 * (i - 1)][k] * A[12 * (i - 1)][19 - k];
        B[k] = s;
    }
}"""
# in one loop a selection is ahead of the sum; loops that stay apart have a register alone (reports of 2023.2: 6 of 4)
RESUMED = """void f(const float A[40][48], const float B[48][40], float C[40][40]) {
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++)
            L: for (int k = 0; k < 48; k++) {
#pragma HLS PIPELINE
                C[i][j] += A[i][k] * B[k][j];
            }
}"""
CALL = """int next(int s, const int t[64]) { int k = (s ^ 5) & 63; return t[k] ^ s; }
void f(const int t[64], int o[64]) {
    int s = 1;
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        s = next(s, t);
        o[i] = s;
    }
}"""


@pytest.mark.parametrize(
    ("text", "tool", "least", "words"),
    [
        (ROWS, "vitis-2022.1", 2, "values from outside"),
        (HALVES, "vitis-2022.1", 2, "values from outside"),
        (FLATTENED, "vitis-2022.2", 1, "flattened"),
        (PLACE, "vitis-2022.2", 20, "updates in place"),
        (MERGE, "vivado-hls-2020.1", 1, "next address"),
        (SHORT, "vitis-2022.1", 1, "values from outside"),
        (TURNS, "vitis-2022.1", 1, "remainders"),
        (HISTOGRAM, "vitis-2022.1", 1, "remainders"),
    ],
)
def test_bounds_hold_both(text, tool, least, words):
    found = pipelined_loop(text, tool=tool)
    assert found.ii is None and words in found.cause
    low, high = found.bounds
    assert low == least < high


def test_accesses_outside_of_their_array_may_not_be_there():
    """A report of 2023.2 has II 1 for an array of which half of the rows that are read do not exist."""
    found = pipelined_loop(OUTSIDE)
    assert (found.ii, found.bounds) == (None, (1, 2)) and "outside of A" in found.cause
    assert pipelined_loop(OUTSIDE.replace("A[12]", "A[36]")).ii == 2


def test_a_sum_that_goes_on_stays_in_a_register():
    """Two reports of 2023.2 have the II of the adder."""
    on = {"part": "xcu55c-fsvh2892-2L-e", "clock_ns": 4}
    assert pipelined_loop(RESUMED, tool="vitis-2023.2", **on).ii == 6
    assert pipelined_loop(RESUMED, tool="vitis-2022.2", **on).ii == 6  # its loops stay apart


def test_a_loop_that_is_all_of_its_function_reads_what_one_state_makes_in_that_state():
    """Reports of merges and an automaton (2022.2 and 2023.2, 10 ns): II 1. Sums of floats go through a register."""
    assert pipelined_loop(MERGE, tool="vitis-2022.2", clock_ns=10).ii == 1
    sums = """void f(const float a[64][64], float o[64]) {
    for (int i = 0; i < 64; i++) {
        float s = 0;
        L: for (int j = 0; j < 64; j++) {
#pragma HLS PIPELINE II=1
            s += a[i][j] * a[j][i];
        }
        o[i] = s;
    }
}"""
    alone, beside = (
        pipelined_loop(t, tool="vitis-2022.2").ii
        for t in (sums, sums.replace("    for (int i", "    o[0] = 1;\n    for (int i", 1))
    )
    assert alone is not None and beside is not None and alone >= beside


TWO = """void f(int h[256], const int k[64], const int a[64][8]) {
    int t[64][8];
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 8; j++) t[i][j] = a[i][j];
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        int s = 0;
        for (int j = 0; j < 8; j++) s += t[i][j];
        h[k[i]] = s, h[k[i] ^ 1] = i;
    }
}"""


def test_causes_of_several_kinds_are_all_named():
    """A recurrence that depends on data, and ports of an array that the tool may split: each alone gives less."""
    found = loop(TWO, "L")
    assert found.bounds == (1, 4)
    assert found.cause.split("; ") == [
        "whether iterations touch the same element depends on data",
        "whether the tool partitions a local array by itself is not known",
    ]
    data = loop(TWO.replace("t[i][j];\n        h", "i * j;\n        h"), "L")
    assert (data.bounds, "; " in data.cause) == ((1, 2), False)
    ports = loop(TWO.replace("h[k[i]]", "h[i]").replace("h[k[i] ^ 1]", "h[i + 128]"), "L")
    assert (ports.bounds, "; " in ports.cause) == ((1, 4), False)


def test_columns_that_move_may_keep_rows_apart():
    """Rows that data choose, at the column of the iterator: a report of 2021.1 has II 1, a histogram of rows not."""
    text = """void f(int out[64][32], int x[16][32], int n, int m) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
#pragma HLS PIPELINE
        out[x[i][j] & 63][j] += x[i][j];
    }
}"""
    found, always = pipelined_loop(text), pipelined_loop(text.replace("[j] +=", "[3] +="))
    assert (found.ii, found.bounds) == (None, (1, always.ii)) and "depends on data" in found.cause
    assert always.ii > 1


def test_a_pragma_says_what_remainders_keep_apart():
    found = pipelined_loop(HISTOGRAM.replace("II=1", "II=1\n#pragma HLS DEPENDENCE variable=h inter false"))
    assert (found.ii, found.cause) == (1, None)


def test_bounds_that_stay_during_the_nest_do_not_keep_it_apart():
    """Reports of a triangular solver and of sums of matrices: one loop A_B, bounds by parameters or outer loops."""
    flat = pipelined_loop(SHORT.replace("a[i - 1][j] + 1.0f", "1.0f"))
    assert (flat.name, flat.ii, flat.flattened) == ("VITIS_LOOP_2_1_L", 1, ("VITIS_LOOP_2_1", "L"))
    for moving in ("j < i", "j < m + i", "j < b[i]"):
        text = SHORT.replace("j < m", moving).replace("float a[64][64]", "float a[64][64], const int b[64]")
        assert pipelined_loop(text).name == "L"
    assert pipelined_loop(SHORT.replace("a[i][j] =", "m = i; a[i][j] =")).name == "L"


def test_a_module_in_a_recurrence_is_unknown():
    more = CALL.replace("& 63", "& (63 - n + n) & (63 - n + n) & 63").replace("int s,", "int s, int n,")
    large = more.replace("next(s,", "next(s, 2,")
    found = pipelined_loop(large)
    assert (found.ii, found.bounds) == (None, None) and "next is inlined" in found.cause
    assert pipelined_loop(large.replace("{ int k", "{\n#pragma HLS INLINE\nint k")).ii is not None


def test_a_small_function_is_no_module():
    """None of 12 repositories has one for so few operations; Vivado HLS is not known to be alike."""
    assert pipelined_loop(CALL).ii is not None
    found = pipelined_loop(CALL, tool="vivado-hls-2019.2")
    assert (found.ii, found.bounds) == (None, None) and "next is inlined" in found.cause
    assert pipelined_loop(CALL.replace("{ int k", "{\n#pragma HLS INLINE off\nint k")).ii is None
    assert pipelined_loop(CALL.replace("{ int k", "{\n#pragma HLS INLINE\nint k")).ii is not None


def test_a_function_of_one_expression_is_no_module():
    """No report of 49 repositories has one, unless INLINE off asks for it."""
    text = CALL.replace("int k = (s ^ 5) & 63; return t[k]", "return t[(s ^ 5) & 63]")
    found, inlined = pipelined_loop(text), pipelined_loop(CALL.replace("{ int k", "{\n#pragma HLS INLINE\nint k"))
    assert found.ii == inlined.ii is not None
    assert pipelined_loop(text.replace("{ return", "{\n#pragma HLS INLINE off\nreturn")).ii is None
    void = text.replace("int next(int s,", "void next(int &s,").replace("return t", "s = t").replace("s = next", "next")
    assert pipelined_loop(void, path="k.cpp").ii == found.ii


def test_a_call_in_the_test_of_a_loop_is_its_value():
    text = """typedef struct { int rows, columns, a[64]; } grid;
static int count(const grid *g) { return g->rows * g->columns; }
void f(int r, int out[64]) {
    grid g;
    g.rows = r; g.columns = 2;
    F: for (int i = 0; i < 64; i++) g.a[i] = r;
    L: for (int i = 0; i < count(&g); i++) {
#pragma HLS PIPELINE
        out[i] = g.a[i] + g.a[63 - i] + g.a[i ^ 1];
    }
}"""
    written = text.replace("count(&g)", "g.rows * g.columns")
    for tool in ("vitis-2022.2", "vivado-hls-2018.2"):
        found, plain = loop(text, tool=tool), loop(written, tool=tool)
        assert (found.ii, found.depth, found.trip_count) == (plain.ii, plain.depth, plain.trip_count)
        assert found.ii == (1 if tool == "vitis-2022.2" else 2)  # copies for reads


def test_members_of_structures_are_loaded_and_stored():
    kinds = [s.operation for s in pipelined_loop(HALVES.replace("half = 1 << s", "half = 128")).schedule]
    assert (kinds.count("x load"), kinds.count("x store"), kinds.count("+")) == (2, 2, 2)


def test_members_that_are_set_are_part_of_the_whole():
    text = """struct pair { int x, y; };
void f(struct pair a[64], int b[64], int c[64]) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        struct pair v = a[i];
        v.x = b[i];
        if (c[i] > 3) v.y = b[i + 1] * c[i + 1] + b[i + 2];
        a[i + 32] = v;
    }
}
"""
    kinds = [s.operation for s in loop(text).schedule]
    assert [kinds.count(f"{name} load") for name in "abc"] == [1, 3, 2]


MODULE = """static int off(const int t[32], int i) {
#pragma HLS INLINE %s
    return t[i] * 3;
}
void f(const int a[32], const int b[32], int o[32]) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        o[i] = %s + off(a, i);
    }
}
"""


@pytest.mark.parametrize("beside", ["a[i]", "off(a, 31 - i)"])
def test_a_module_loads_for_itself_what_its_caller_loads(beside):
    found = pipelined_loop(MODULE % ("off", beside))
    assert found.ii is None and found.cause.startswith("off with INLINE off")
    assert pipelined_loop(MODULE % ("", beside)).ii == pipelined_loop(MODULE % ("off", "b[i]")).ii == 1


def test_remainders_that_unrolling_settles():
    """Reports of Vivado HLS 2015.3 and 2016.1: II 1, eight sums side by side."""
    text = """void f(int o[48], const int d[48]) {
#pragma HLS ARRAY_PARTITION variable=o cyclic factor=WAYS
#pragma HLS ARRAY_PARTITION variable=d cyclic factor=WAYS
    static int acc[WAYS];
    L: for (int i = 0; i < 48; i++) {
#pragma HLS PIPELINE
#pragma HLS UNROLL factor=WAYS
        int r = i % WAYS;
        acc[r] = acc[r] + d[i];
        o[i] = acc[r];
    }
}"""
    for tool in ("vivado-hls-2016.4", "vitis-2022.1"):
        assert loop(text.replace("WAYS", "8"), tool=tool).ii == 1
        assert "a remainder is the same" in loop(text.replace("WAYS", "6"), tool=tool).cause


def test_the_cause_names_what_is_missing():
    text = "int f(int x[8]) { int s = 0; L: for (int i = 0; i < 8; i++) {\n#pragma HLS PIPELINE\n%s }\nreturn s; }"
    assert loop(text % "s += x[i] ^ t[0][i];").cause == "`t[0][i]` is not modelled: undeclared name 't'"


@pytest.mark.parametrize("place", ["if (x[i] > 3) {%s s += x[i]; }", "{ if (x[i]) s++; else { {%s s--; } } }"])
def test_a_pipeline_under_a_condition(place):
    text = "int f(int x[8]) { int s = 0; L: for (int i = 0; i < 8; i++) {\n%s }\nreturn s; }"
    found = loop(text % (place % "\n#pragma HLS PIPELINE\n"))
    assert found.ii is None and "under a condition" in found.cause
    block = loop(
        text % "if (x[i]) { for (int k = 0; k < 9; k++) {\n#pragma HLS PIPELINE\ns += k; } }", "VITIS_LOOP_2_1"
    )
    assert (block.ii, block.cause) == (1, None)


def test_what_is_left_of_a_loop_unrolled_in_part_is_pipelined():
    """Reports of Vitis HLS 2022.2: 32 iterations unrolled by four, no PIPELINE: 8 iterations at II 2."""
    text = """void f(int A[32]) {
  L: for (int i = 0; i < 32; i++) {
#pragma HLS UNROLL factor=4
    A[i] = 0;
  }
}
"""
    found = loop(text, tool="vitis-2022.2")
    assert (found.pipelined, found.origin, found.ii, found.trip_count.max) == (True, "auto", 2, 8)
    assert not loop(text, tool="vivado-hls-2019.1").pipelined
    sums = text.replace("int A[32]", "float A[32], float s[2]").replace("A[i] = 0", "s[1] += A[i]")
    where = {"tool": "vitis-2022.2", "part": "xcu55c-fsvh2892-2L-e", "clock_ns": 5.0}
    assert loop(sums, **where).ii == 20  # four sums of five states, as in reports
    assert "m_axi" in loop(sums.replace("{\n", "{\n#pragma HLS INTERFACE m_axi port=s\n", 1), **where).cause


@pytest.mark.parametrize(
    ("mirror", "ii"), [("a[j][i] = t;", 2), ("a[i][j] = t + 1.0f;", 1), ("a[j + 1][i] = t;", None)]
)
def test_an_outer_iterator_has_one_value_in_all_dimensions(mirror, ii):
    """a[j][i] never is the a[i][j] of another j; a[j + 1][i] is where j + 1 = i = j', the next one at j + 1 = j'."""
    text = f"""void f(float a[80][80], float b[80][80]) {{
    for (int i = 0; i < 80; i++)
        L: for (int j = i; j < 80; j++) {{
            float t = a[i][j] * 3.0f;
            a[i][j] = t;
            {mirror}
        }}
    b[0][0] = a[0][0];
}}
"""
    found = pipelined_loop(text, tool="vitis-2022.2", part="xcu55c-fsvh2892-2L-e", clock_ns=5.0)
    assert (found.ii == ii) if ii is not None else found.recurrence_ii > 2


ONE_ARM = """void f(float a[64], float b[64], int n[32]) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        for (int k = 0; k < 2; k++) {
            float x;
            if (n[i] > k) x = a[2 * i + k];
            b[2 * i + k] = x;
        }
    }
}"""


def test_a_value_that_one_arm_alone_sets_is_that_value():
    found = loop(ONE_ARM, "L")
    assert [s.operation for s in found.schedule].count("a load") == 2
    assert found.depth == 3  # n in two states, a from the second on, b in the last of a


def test_a_factor_that_is_a_variable_is_a_constant_to_some_tools():
    """Vivado HLS has made such partitions; what Vitis HLS refuses leaves one bank for four loads."""
    text = """void f(int a[64], int y[16]) {
    int lanes = 2 * 2;
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=lanes
#pragma HLS INTERFACE ap_memory port=a storage_type=ram_2p
    L: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
        y[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];
    }
}
"""
    old, new = (loop(text, tool=tool) for tool in ("vivado-hls-2019.2", "vitis-2022.1"))
    assert old.ii is None and "variables in ARRAY_PARTITION" in (old.cause or "")
    assert new.ii is not None and new.ii > 1
    assert loop(text.replace("factor=lanes", "factor=4"), tool="vivado-hls-2019.2").ii == 1


def test_a_bank_chosen_at_run_time_and_a_sum_may_fit_into_one_state():
    """A switch (2024.1, 5 ns) adds to a word of 64 queues at II 2 where the model has a state more."""
    text = """void f(unsigned char at[64], unsigned char b[64], short out[64]) {
    static short queue[64][64];
#pragma HLS ARRAY_PARTITION variable=queue complete dim=2
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        if (queue[at[i]][b[i]] < 1000) queue[at[i]][b[i]] += b[i];
    }
    for (int i = 0; i < 64; i++) out[i] = queue[i][b[i]];
}
"""
    known = loop(text, "L", tool="vitis-2024.1", clock_ns=5.0, part="xczu9eg-ffvb1156-2-e")
    assert (known.ii, known.bounds) == (None, (2, 3))


@pytest.mark.parametrize("kind", ["", "complete", "cyclic factor=2", "block factor=2"])
def test_arrays_of_no_elements_are_no_memory(kind: str) -> None:
    """GNU C has them; what reads one reads outside of it, and nothing divides by its extent."""
    pragma = f"#pragma HLS ARRAY_PARTITION variable=none {kind}" if kind else ""
    text = f"""static int none[] = {{}};
int f(int a[8], int n) {{
{pragma}
    L: while (n--) {{ if (!none[0]) return 1; a[n & 7] = 0; }}
    return 0;
}}
"""
    whole = result(text, top="f")
    assert {a.name: a.registers for a in whole.arrays if a.name == "none"} in ({}, {"none": 0})
