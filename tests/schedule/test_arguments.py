"""Memories behind arguments of called functions, and what may leave a loop."""

import pytest
from predicting import loop

VIVADO = {"tool": "vivado-hls-2016.4", "part": "xc7z020clg484-1"}

POINTED = """void fill(unsigned char *key) {
    NEXT: for (int i = 4; i < 44; i++) {
#pragma HLS PIPELINE
        key[4 * i] = key[4 * i - 16] ^ key[4 * i - 4];
        key[4 * i + 1] = key[4 * i - 15] ^ key[4 * i - 3];
    }
}
int top(int n) {
    unsigned char key[176];
#pragma HLS ARRAY_PARTITION variable=key cyclic factor=FACTOR
    for (int i = 0; i < 16; i++) key[i] = i;
    fill(key);
    return key[n & 127];
}
"""


@pytest.mark.parametrize(("factor", "resource"), [(1, 3), (2, 2), (4, 2)])
def test_a_pointer_has_the_memory_that_callers_pass(factor, resource):
    """4 loads and 2 stores of one pointed-to array: 6 accesses over 2 ports of each bank they are in."""
    assert loop(POINTED.replace("FACTOR", str(factor)), "NEXT").resource_ii == resource


ROWS = """short table[8][8];
void one(short row[8], short out[8]) {
    OUT: for (int k = 0; k < 8; k++) {
#pragma HLS PIPELINE
        int sum = 0;
        for (int n = 0; n < 8; n++) sum += row[k ^ n] * 3;
        out[k] = sum;
    }
}
void top(short in[8][8], short out[8][8]) {
    short kept[8][8];
#pragma HLS ARRAY_PARTITION variable=kept complete dim=DIM
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) kept[i][j] = in[i][j];
    for (int i = 0; i < 8; i++) one(kept[i], out[i]);
}
"""


@pytest.mark.parametrize(("dim", "ii"), [(1, 4), (2, 1)])
def test_a_row_has_the_ports_of_the_dimensions_behind_the_index(dim, ii):
    """Eight reads of a row at addresses known at run time; with the second dimension in registers, at known ones."""
    text = ROWS.replace("DIM", str(dim)).replace("k ^ n", "k ^ n" if dim == 1 else "n")
    assert loop(text, "OUT").ii == ii


ALIASED = """void one(short row[8], short out[8]) {
    OUT: for (int k = 0; k < 8; k++) {
#pragma HLS PIPELINE
        int sum = 0;
        for (int n = 0; n < 8; n++) sum += row[n] * k;
        out[k] = sum;
    }
}
"""


def test_arguments_may_be_one_array_to_older_tools():
    """Eight loads at constant addresses: they leave the loop unless the store may be to the same array."""
    assert loop(ALIASED, "OUT").ii == 1
    assert loop(ALIASED, "OUT", **VIVADO).ii == 4
    local = ALIASED.replace("out[k] = sum;", "kept[k] = sum;").replace("OUT:", "short kept[8]; OUT:")
    local = local.replace("    }\n}", "    }\n    for (int k = 0; k < 8; k++) out[k] = kept[7 - k];\n}")
    assert loop(local, "OUT", **VIVADO).ii == 1


UNROLLED = """void products(float A[32][32], float C[32][32]) {
    I: for (int i = 0; i < 32; i++)
        J: for (int j = 0; j <= i; j++) {
PRAGMA
            float sum = 0;
            for (int k = 0; k < 32; k++) sum += A[i][k] * A[j][k];
            C[i][j] = sum;
        }
}
"""


@pytest.mark.parametrize(
    ("tool", "kept", "ii", "bounds"),
    [
        ("vitis-2022.1", False, None, (16, 32)),
        ("vitis-2022.2", False, 16, None),  # reports: rows and columns of arguments leave
        ("vitis-2022.2", True, None, (2, 4)),
        ("vitis-2023.1", False, None, (16, 32)),
        ("vitis-2023.2", False, None, (16, 32)),
        ("vitis-2023.2", True, 4, None),  # reports: those of local arrays stay, 64 reads of 17 ports
    ],
)
def test_loads_that_stay_through_unrolling_only(tool, kept, ii, bounds):
    """A[i][k] stays through unrolling only: it leaves a loop that a directive pipelines (reports of 2022.1, 2023.2)."""
    local = "float A[32][32];\n    for (int i = 0; i < 1024; i++) A[i / 32][i % 32] = G[i / 32][i % 32];"
    text = UNROLLED.replace("float A[32][32]", "float G[32][32]").replace("{\n", "{\n    " + local + "\n", 1)
    text = text if kept else UNROLLED
    found = loop(text.replace("PRAGMA\n", ""), "J", tool=tool)
    assert (found.ii, found.bounds) == (ii, bounds)
    assert ii is not None or "only unrolling" in found.cause
    assert loop(UNROLLED.replace("PRAGMA", "#pragma HLS PIPELINE"), "J", tool=tool).ii == 16


TABLE = """int look(unsigned char x[64]) {
    static const unsigned char table[256] = {1, 2, 3};
    int s = 0;
    LOOK: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
        s += table[x[i]] + table[x[i] ^ 1] + table[x[i] ^ 2] + table[x[i] ^ 3];
    }
    return s;
}
"""


@pytest.mark.parametrize(("tool", "ii"), [("vitis-2022.1", 1), ("vitis-2021.1", 2), ("vivado-hls-2016.4", 2)])
def test_tables_are_copied_by_newer_tools_only(tool, ii):
    assert loop(TABLE, "LOOK", tool=tool).ii == ii


HANDED = """void take(short in[64], short kept[8][8]) {
    R: for (int r = 0; r < 8; r++)
        C: for (int c = 0; c < 8; c++) {
#pragma HLS PIPELINE
            kept[r][c] = in[r * 8 + c];
        }
}
void top(short in[64], short out[64]) {
    short kept[8][8];
#pragma HLS ARRAY_RESHAPE variable=kept complete dim=2
    take(in, kept);
    for (int i = 0; i < 64; i++) out[i] = kept[i / 8][i % 8];
}
"""


def test_parameters_get_the_words_of_a_reshaped_array():
    """A lane of a word is stored: reports have II 2 (the word is read first), other tools may write lanes alone."""
    assert loop(HANDED.replace("#pragma HLS ARRAY_RESHAPE variable=kept complete dim=2\n", ""), "R_C").ii == 1
    found = loop(HANDED, "R_C")
    assert found.ii is None and "reshaped" in (found.cause or "")


@pytest.mark.parametrize("how", ["ARRAY_RESHAPE", "ARRAY_PARTITION"])
def test_elements_of_words_that_stay_are_computed_with(how):
    """A word of w holds w[..][j] for one j: it may stay, but each iteration picks another element of it to multiply."""
    text = f"""void top(const int v[16], int out[16], int w[16][16]) {{
#pragma HLS {how} variable=w type=complete dim=1
#pragma HLS ARRAY_PARTITION variable=v type=complete
    SUM: for (int i = 0; i < 16; i++) {{
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int j = 0; j < 16; j++) s += w[i][j] * v[j];
        out[i] = s;
    }}
}}
"""
    assert loop(text, "SUM").dsp == 16 * 3
