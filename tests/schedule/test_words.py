"""Stores into words of reshaped arrays: elements that an iteration sets together are one store of their word."""

from __future__ import annotations

import pytest
from predicting import loop


def stored(body: str, reshape: str, header: str = "for (int i = 0; i < 16; i++)", dims: str = "[16][8]") -> str:
    """A loop L that works on a local array m of words, which a loop before it sets and one after it reads."""
    return f"""void f(int x[128], int y[16], int n, int out[128]) {{
    int m{dims};
#pragma HLS ARRAY_RESHAPE variable=m {reshape}
    L: {header} {{
#pragma HLS PIPELINE II=1
#pragma HLS DEPENDENCE variable=m inter false
        {body}
    }}
    for (int i = 0; i < 128; i++) out[i] = m[i / 8][i % 8];
}}
"""


LANES = "for (int k = 0; k < 8; k++) "


@pytest.mark.parametrize(
    ("body", "ii"),
    [
        (LANES + "m[i][k] = y[i] + k;", 1),  # a whole word
        (LANES + "m[y[i]][k] = k;", 1),  # chosen while the loop runs, but one word
        (LANES + "m[i][k] += y[i];", 1),  # loaded once, stored once
        (LANES + "m[i / 2 * 2 + k / 4][k] = k;", None),  # halves of two words
        ("for (int k = 0; k < 7; k++) m[i][k] = k;", None),
        ("m[i][y[i] & 7] = i;", None),
        (LANES + "m[i][k] = k; m[i ^ 1][2] = 3;", None),
        (LANES + "if (y[i]) m[i][k] = k; else m[i][k] = 2;", 1),  # the arms set the same word
        (LANES + "m[i][k] = 0; if (y[i]) m[i][3] = n;", 1),
        ("if (y[i]) m[i][3] = n; " + LANES + "m[i][k] = 0;", None),  # never seen: a lane, then the word
        (LANES + "m[i][k] = m[i][7 - k] + 1;", 1),  # elements set before are handed on, the others loaded at once
    ],
)
def test_words_that_are_set_as_a_whole(body, ii):
    found = loop(stored(body, "complete dim=2"))
    assert found.ii == ii
    assert ii is not None or "part of a word of a reshaped array" in (found.cause or "")


def test_several_words_of_an_iteration():
    """Words of rows share the ports of the memory; rows that are packed too are one word."""
    body = "for (int k = 0; k < 32; k++) m[k / 8 + 4 * i][k % 8] = k;"
    text = stored(body, "complete dim=2", "for (int i = 0; i < 4; i++)")
    assert loop(text, tool="vivado-hls-2019.1").ii == 2
    more = "#pragma HLS ARRAY_RESHAPE variable=m cyclic factor=2 dim=1"
    assert loop(text.replace("[16][8];", f"[16][8];\n{more}"), tool="vivado-hls-2019.1").ii == 1


def test_elements_of_a_word_do_not_wait_for_each_other():
    """A sum over the elements that an iteration sets is as deep as without words."""
    body = LANES + "m[i][k] = x[i] * (k + 3) + k * n;"
    text = stored(body, "complete dim=2")
    single = stored("m[i][0] = x[i] * (5 + 3) + 5 * n;", "complete dim=2", dims="[16][1]").replace(
        "[i / 8][i % 8]", "[i & 15][0]"
    )
    assert loop(text).depth == loop(single).depth is not None


def test_elements_of_a_loaded_word_are_different_values():
    """A report (freud96/Design_Optimization, xcu50): three products, two of which DSP blocks add, six states."""
    text = """void f(char a[3][3], char b[3][3], short out[3][3]) {
#pragma HLS ARRAY_RESHAPE variable=a complete dim=2
#pragma HLS ARRAY_RESHAPE variable=b complete dim=1
    for (int i = 0; i < 3; i++)
        L: for (int j = 0; j < 3; j++) {
#pragma HLS PIPELINE II=1
            short sum = 0;
            for (int k = 0; k < 3; k++) sum += a[i][k] * b[k][j];
            out[i][j] = sum;
        }
}
"""
    found = loop(text, "VITIS_LOOP_4_1_L", tool="vitis-2022.1", part="xcu50-fsvh2104-2L-e", clock_ns=13.33)
    assert (found.ii, found.depth, found.dsp) == (1, 6, 2)
