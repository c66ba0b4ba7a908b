"""Flattened nests whose rows vary in length, against all iterations of small ones."""

import math

import pytest
from predicting import result

ADDITION = 6  # states from a load to the next one of what is stored: load 1, addition 4, store 1


def nearest(step, load):
    """Least number of iterations from a store of [i][j] to a load of it, over rows of any length up to 8."""
    best = None
    for n in range(9, 17):
        for m in range(9, 17):
            stored = {}
            for k, (i, j) in enumerate((i, j) for i in range(8, n) for j in range(8, m, step)):
                last = stored.get(load(i, j))
                if last is not None:
                    best = min(best or k, k - last)
                stored[i, j] = k
    return best


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("[i][j - 2]", lambda i, j: (i, j - 2)),
        ("[i][j - 1]", lambda i, j: (i, j - 1)),
        ("[i - 1][j]", lambda i, j: (i - 1, j)),
        ("[i - 1][j + 2]", lambda i, j: (i - 1, j + 2)),
        ("[i + 1][j - 1]", lambda i, j: (i + 1, j - 1)),
        ("[j][i]", lambda i, j: (j, i)),
    ],
)
def test_distances_hold_for_rows_of_any_length(step, text, load):
    kernel = f"""void f(int n, int m, float a[64][64]) {{
    for (int i = 8; i < n; i++)
        for (int j = 8; j < m; j += {step}) {{
#pragma HLS PIPELINE II=1
            a[i][j] = a{text} + 1.0f;
        }}
}}"""
    (found,) = (x for x in result(kernel).loops if x.pipelined)
    distance = nearest(step, load)
    needed = 1 if distance is None else math.ceil(ADDITION / distance)
    assert len(found.flattened) == 2
    low, high = (found.ii, found.ii) if found.ii is not None else found.bounds
    assert low <= needed <= high


@pytest.mark.parametrize("row", ["&a[k][0]", "a[k]", "&a[k][8]"])
def test_the_bank_of_a_pointer_is_no_other_than_that_of_its_row(row):
    kernel = """void f(const int x[64], int out[64], int k) {
    int a[4][64];
#pragma HLS ARRAY_PARTITION variable=a cyclic factor=8 dim=2
    for (int i = 0; i < 4; i++) for (int j = 0; j < 64; j++) a[i][j] = x[j] + i;
    POINTER
    for (int j = 0; j < 48; j += 8) {
#pragma HLS PIPELINE II=1
        out[j] = ROW[j] + ROW[j + 1] + ROW[j + 2] + ROW[j + 3] + ROW[j + 4];
    }
}"""
    pointed = kernel.replace("POINTER", f"const int *r = {row};").replace("ROW", "r")
    plain = kernel.replace("POINTER", "").replace("ROW", "a[k]")
    through, direct = (result(text).loops[-1] for text in (pointed, plain))
    assert direct.ii == 1
    low, high = (through.ii, through.ii) if through.ii is not None else through.bounds
    assert low <= 1 <= high
