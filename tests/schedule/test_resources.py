"""Memories after partition: blocks by hand from the shapes of UG573 and UG473, copies, multiplexers, totals."""

import pytest
from predicting import loop, result

from hlspart.model.options import Options, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.targets import load


def one(declaration: str, pragma: str = "", body: str = "", part: str | None = None):
    text = f"""void f(int in[64], int out[64]) {{
    {declaration}
#pragma HLS {pragma or "INLINE off"}
    for (int i = 0; i < 64; i++) m[i] = in[i];
    L: for (int i = 0; i < 60; i++) {{
#pragma HLS PIPELINE
        out[i] = {body or "m[i]"};
    }}
}}
"""
    found = result(text, part=part)
    return found, next(a for a in found.arrays if a.name == "m")


@pytest.mark.parametrize(
    ("declaration", "storage", "blocks"),
    [
        ("int m[512];", "ram_s2p", 1),  # 512 x 36
        ("int m[512];", "ram_t2p", 2),  # two of 1024 x 18: no 36 bits through two free ports
        ("int m[1024];", "ram_1p", 2),
        ("int m[1025];", "ram_1p", 3),  # 512 x 36 three times
        ("int m[2048];", "ram_1p", 4),  # 2048 x 9
        ("int m[16384];", "ram_1p", 32),
        ("char m[2048];", "ram_1p", 1),
        ("char m[4096];", "ram_1p", 2),
        ("long long m[512];", "ram_s2p", 2),
    ],
)
@pytest.mark.parametrize("part", [None, "xc7z020clg400-1"])
def test_blocks_of_18_kilobits(declaration, storage, blocks, part):
    _, found = one(declaration, f"BIND_STORAGE variable=m type={storage} impl=bram", part=part)
    assert (found.bram18k, found.uram, found.luts) == (blocks, 0, 0)


def test_other_memories():
    _, ultra = one("int m[8192];", "BIND_STORAGE variable=m type=ram_2p impl=uram")
    assert (ultra.uram, ultra.bram18k) == (2, 0)
    _, small = one("int m[128];", "BIND_STORAGE variable=m type=ram_1p impl=lutram")
    assert (small.luts, small.bram18k) == (2 * 32 + 1, 0)
    _, registers = one("int m[64];", "ARRAY_PARTITION variable=m complete")
    assert (registers.registers, registers.bram18k, registers.banks) == (64 * 32, 0, 64)
    _, banks = one("int m[4096];", "ARRAY_PARTITION variable=m cyclic factor=4")
    assert (banks.bank_depths, banks.bram18k) == ((1024,) * 4, 8)


def test_copies_of_a_table():
    text = """const int t[512] = {1, 2, 3};
void f(int in[64], int out[64]) {
    for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        out[i] = t[in[i] & 511] + t[in[i] & 255] + t[in[i] & 127];
    }
}
"""
    found = next(a for a in result(text).arrays if a.name == "t")
    assert (found.copies, found.bram18k) == (2, 4)  # three reads, two ports each; two blocks of 1024 x 18


def test_choice_among_undecided_banks():
    _, decided = one("int m[4096];", "ARRAY_PARTITION variable=m cyclic factor=4", "m[4 * i] + m[4 * i + 1]")
    _, open_ = one("int m[4096];", "ARRAY_PARTITION variable=m cyclic factor=4", "m[i] + m[in[i]]")
    assert decided.mux_luts == 0
    assert open_.mux_luts == 2 * 3 * 32 // 3  # two reads of one of four words of 32 bits


def test_totals_against_the_part():
    found, array = one("int m[16384];", "BIND_STORAGE variable=m type=ram_1p", part="xc7z020clg400-1")
    used = {r.name: (r.used, r.available) for r in found.resources}
    assert used["BRAM18K"] == (array.bram18k, 280)
    assert used["LUT"] == (0, 53200)


@pytest.mark.parametrize(
    ("operands", "bits", "blocks"),
    [  # signed widths; an unsigned operand of a report has one bit less
        ((7, 7), 32, 0),
        ((8, 9), 32, 0),
        ((16, 16), 32, 1),
        ((18, 27), 64, 1),
        ((32, 32), 32, 3),
        ((26, 36), 64, 2),
        ((34, 43), 128, 4),
        ((37, 44), 128, 4),
        ((7, 54), 64, 2),
        ((5, 72), 128, 0),
    ],
)
def test_blocks_of_integer_products_as_in_public_reports(operands, bits, blocks):
    found = load(TargetOptions()).operator("mul", bits, None, operands)
    assert found is not None and found.dsp == blocks


@pytest.mark.parametrize(
    ("statement", "blocks"),
    [
        ("o[i] = a[i] * b[i];", 1),
        ("o[i] = (a[i] + b[i]) * a[i];", 1),  # 17 x 16 bits
        ("o[i] = (a[i] * b[i]) * a[i];", 3),  # one of 16 x 16 bits, two for 32 x 16
        ("o[i] = (c[i] & 255) * (c[i] >> 15);", 1),  # 9 x 17 bits
        ("o[i] = c[i] * c[i + 1];", 3),
        ("o[i] = c[i] * i;", 2),  # 32 x 7 bits
        ("short s = c[i]; o[i] = s * a[i];", 1),
        ("o[i] = c[i] * t[2];", 0),  # a constant 4
        ("o[i] = a[i] * t[3] + c[i] * t[9];", 1),  # 1000, and 0
    ],
)
def test_widths_of_products(statement, blocks):
    text = f"""const int t[10] = {{1, 2, 4, 1000}};
void f(short a[64], short b[64], int c[65], int o[64]) {{
    L: for (int i = 0; i < 64; i++) {{
#pragma HLS PIPELINE
        {statement}
    }}
}}
"""
    assert loop(text).dsp == blocks
    assert next(x for x in result(text).arrays if x.name == "t").registers == 0


def test_reads_of_a_replicated_memory_take_a_copy_each():
    text = """int f(int in[64]) {
    int m[4096], s = 0;
    for (int i = 0; i < 4096; i++) m[i] = in[i & 63];
    L: for (int i = 0; i < 4096; i += 16) {
#pragma HLS PIPELINE
        for (int k = 0; k < 16; k++) s += m[i + k];
    }
    return s;
}
"""
    found = next(a for a in result(text, tool="vitis-2022.2", part="xcu55c-fsvh2892-2L-e").arrays if a.name == "m")
    assert (found.storage, found.copies, found.uram, found.bram18k) == ("ram_1wnr", 15, 15, 0)


def test_the_memory_of_a_parameter_is_the_callers():
    found = result(
        """static int both(int v[1024]) { int s = 0; for (int i = 0; i < 1024; i++) s += v[i]; return s; }
int f(int in[1024]) {
    int m[1024];
    for (int i = 0; i < 1024; i++) m[i] = in[i];
    return both(m);
}
"""
    )
    blocks = {x.name: x.bram18k for x in found.arrays}
    assert blocks == {"v": 0, "m": 2, "in": 0}
    assert next(r.used for r in found.resources if r.name == "BRAM18K") == 2


def test_memories_of_what_the_top_reaches():
    text = """int shared[1024], aside[1024];
static int used(int k) { int m[1024]; for (int i = 0; i < 1024; i++) m[i] = shared[i] + i; return m[k]; }
int other(int k) { int n[4096]; for (int i = 0; i < 4096; i++) n[i] = aside[i & 1023]; return n[k]; }
int f(int k) { return used(k); }
"""
    assert {x.name for x in result(text, top="f").arrays} == {"shared", "m"}
    assert {x.name for x in result(text, top="other").arrays} == {"aside", "n"}
    assert {x.name for x in result(text).arrays} == {"shared", "aside", "m", "n"}


def test_more_banks_than_are_counted():
    body = "for (int i = 0; i < 1000000000; i++) {\n#pragma HLS pipeline\no[i & 3] = a[i] + t[5]; }"
    many = "#pragma HLS array_partition variable=a cyclic factor=1000000000\n"
    text = f"void f(int a[1000000000], int o[4]) {{\n{many}int t[1000000000];\nt[5] = 1;\n{body} }}"
    found = result(text)
    (item,) = [x for x in found.loops if x.pipelined]
    assert item.ii is None
    assert item.cause == "1000000000 banks are more than the 65536 that hlspart counts (line 2)"
    table = next(a for a in found.arrays if a.name == "t")
    assert (table.banks, table.bank_depths, table.registers) == (10**9, (), 32 * 10**9)


def test_stores_into_one_bank_leave_no_port_for_copies():
    """Four stores into the same of eight banks are four writes of a bank, which copies for its reads do not serve."""
    text = """void f(float in[512], float out[64]) {
    float A[8][64];
#pragma HLS ARRAY_PARTITION variable=A complete dim=1
    LOAD: for (int i = 0; i < 8; i++) for (int j = 0; j < 64; j += STEP) {
#pragma HLS PIPELINE
        for (int l = 0; l < STEP; l++) A[i][j + l] = in[i];
    }
    USE: for (int k = 0; k < 62; k++) {
#pragma HLS PIPELINE
        float s = 0;
        for (int i = 0; i < 8; i++) s += A[i][k] * A[i][k + 1] + A[i][k + 2];
        out[k] = s;
    }
}
"""
    target = TargetOptions(tool="vitis-2023.2", part="xcu55c-fsvh2892-2L-e", clock_ns=4.0)
    kinds = {}
    for step in (1, 4):
        content = text.replace("STEP", str(step)).encode()
        pipeline = Pipeline(["k.c"], Options(top="f", target=target), {"k.c": content}.__getitem__)
        kinds[step] = next(a.storage for a in pipeline.figures.arrays if a.name == "A")
    assert kinds[1] == "ram_1wnr" and kinds[4] != "ram_1wnr"
