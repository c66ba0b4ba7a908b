"""What the tool may or may not see gives bounds that hold both, with the cause."""

import pytest
from predicting import loop, result

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
CALL = """int next(int s, const int t[64]) { return t[(s ^ 5) & 63] ^ s; }
void f(const int t[64], int o[64]) {
    int s = 1;
    L: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        s = next(s, t);
        o[i] = s;
    }
}"""


def pipelined(text, **target):
    """The one pipelined loop, whatever flattening calls it."""
    (found,) = (x for x in result(text, **target).loops if x.pipelined)
    return found


@pytest.mark.parametrize(
    ("text", "tool", "least", "words"),
    [
        (ROWS, "vitis-2022.1", 2, "values from outside"),
        (HALVES, "vitis-2022.1", 2, "values from outside"),
        (FLATTENED, "vitis-2022.2", 1, "flattened"),
        (PLACE, "vitis-2022.2", 20, "updates in place"),
        (MERGE, "vitis-2022.2", 1, "next address"),
    ],
)
def test_bounds_hold_both(text, tool, least, words):
    found = pipelined(text, tool=tool)
    assert found.ii is None and words in found.cause
    low, high = found.bounds
    assert low == least < high


def test_a_module_in_a_recurrence_is_unknown():
    found = pipelined(CALL)
    assert (found.ii, found.bounds) == (None, None) and "next is inlined" in found.cause
    assert pipelined(CALL.replace("{ return", "{\n#pragma HLS INLINE\nreturn")).ii is not None


def test_members_of_structures_are_loaded_and_stored():
    kinds = [s.operation for s in pipelined(HALVES.replace("half = 1 << s", "half = 128")).schedule]
    assert (kinds.count("x load"), kinds.count("x store"), kinds.count("+")) == (2, 2, 2)


def test_parameters_that_one_call_gives_one_array_are_no_memories_of_their_own():
    """Their ports and dependences are those of ``t``, which ``add`` alone cannot show."""
    text = """static void add(int *d, const int *s) {
    L: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        d[i] += s[i] + s[i + 1];
    }
}
void top(int a[65], int b[65]) {
    int t[65], u[65];
    for (int i = 0; i < 65; i++) t[i] = u[i] = a[i];
    add(t, %s);
    for (int i = 0; i < 65; i++) b[i] = t[i] + u[i];
}
"""
    assert loop(text % "u").ii == 1
    for shared in ("t", "&t[32]"):
        found = loop(text % shared)
        assert (found.ii, found.confidence) == (None, "unknown")
        assert found.cause == "d and s are one memory in the call in line 10"
