"""What is left alone: arrays that the tool splits, partitions that validation rejects, too many registers."""

from __future__ import annotations

import pytest
from inferring import array, iis, pasted, pipeline, run
from msgspec.structs import replace

from hlspart.infer.outcomes import binding

LINES = """\
void k(const int src[48][64], int dst[48][64])
{
    int lb[2][64];
    for (int y = 0; y < 48; y++) L: for (int x = 0; x < 64; x++) {
#pragma HLS PIPELINE II=1
        int top = lb[0][x], mid = lb[1][x];
        lb[0][x] = mid;
        lb[1][x] = src[y][x];
        dst[y][x] = top + mid;
    }
}
"""
"""Two lines in an array whose first index is always a constant: the tool splits it unasked."""


def test_what_the_tool_splits_by_itself_gets_no_pragma() -> None:
    assert iis(LINES) == {"VITIS_LOOP_4_1_L": 1}
    for scheme in ("auto", "pragma", "any"):
        found = array(run(LINES, scheme=scheme), "lb")
        assert (found.kind, found.pragmas, found.proved_minimal) == ("none", (), True)
        assert "the tool splits dimension 1" in found.reason
    assert pasted(LINES) == LINES
    written = LINES.replace("lb[2][64];\n", "lb[2][64];\n#pragma HLS ARRAY_PARTITION variable=lb complete dim=1\n")
    assert pasted(written) == LINES
    useless = [d for d in pipeline(written).lint().diagnostics if d.rule == "HLP301"]
    assert not useless  # the pragma says what the tool does by itself, and other tools do not


def test_it_is_still_relied_upon_where_another_array_keeps_the_loop_from_its_target() -> None:
    text = LINES.replace("int dst[48][64])", "int dst[48][64], int c[128])").replace(
        "top + mid", "top + mid + c[2*x] + c[2*x+1] + c[(2*x+2)/2] + c[2*x]"
    )
    result = run(text)
    assert array(result, "lb").kind == "none"
    assert set(iis(pasted(text)).values()) == {x.ii_after for x in result.loops}


BOUND = """\
void k(const char in[64], int out[16])
{
    char c[64];
#pragma HLS BIND_STORAGE variable=c type=ram_2p impl=lutram
L:  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        c[i] = in[i];
    }
M:  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
        int s = 0;
        for (int k = 0; k < 4; k++) s += c[4*i+k];
        out[i] = s;
    }
}
"""


@pytest.mark.parametrize("bound", [True, False])
def test_banks_rather_than_many_registers(bound: bool) -> None:
    text = BOUND if bound else "\n".join(x for x in BOUND.splitlines() if "BIND" not in x) + "\n"
    found = array(run(text), "c")  # 512 bits
    assert (found.kind, found.banks) == ("cyclic", 2) and found.absolute
    assert iis(pasted(text)) == {"L": 1, "M": 1}


CROSS = """\
void k(float A[32][32], float out[32][32])
{
    float a[32][32];
    for (int i = 0; i < 32; i++) C: for (int j = 0; j < 32; j++) a[i][j] = A[i][j];
    for (int i = 1; i < 31; i++) L: for (int j = 1; j < 31; j++) {
#pragma HLS PIPELINE II=1
        out[i][j] = a[i][j] + a[i][j-1] + a[i][j+1] + a[i-1][j] + a[i+1][j];
    }
}
"""


def test_a_slower_loop_rather_than_a_thousand_words_of_registers() -> None:
    result = run(CROSS, scheme="pragma", sparing=True)
    found = array(result, "a")
    assert found.kind == "none" and "32768 bits of registers, which --max-banks 1024 allows" in found.reason
    assert [(x.ii_before, x.ii_after) for x in result.loops] == [(1, 1), (3, 3)]
    for options in ({"max_banks": 1024, "sparing": True}, {}):  # asked for
        asked = array(run(CROSS, scheme="pragma", **options), "a")
        assert (asked.kind, asked.banks, asked.registers) == ("complete", 1024, 32768)


LOOKED_UP = """\
int k(const int in[64], int out[64])
{
    int b[64];
L:  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        b[i] = in[i];
    }
M:  for (int i = 0; i < 60; i += 2) {
#pragma HLS PIPELINE
        out[i] = b[i] + b[i+1] + b[i+2];
    }
    return b[out[0] & 63];
}
"""


def test_an_access_that_is_not_affine_does_not_keep_an_array_from_its_banks() -> None:
    pragma = "#pragma HLS array_partition variable=b type=cyclic factor=2 dim=1"
    result = run(LOOKED_UP)
    assert array(result, "b").pragmas == (pragma,)
    assert [(w.kind, w.ii) for x in pipeline(LOOKED_UP).advice for w in x.ways[:1]] == [("pragma", 1)]
    written = LOOKED_UP.replace("b[64];\n", f"b[64];\n{pragma}\n", 1)
    assert iis(written) == {"L": 1, "M": 1} == {x.name: x.ii_after for x in result.loops}
    affine = LOOKED_UP.replace("out[0] & 63", "5")
    assert array(run(affine), "b").pragmas == (pragma,)


def test_the_cause_is_what_gives_the_loop_its_interval() -> None:
    loop = pipeline(CROSS).ii.loops[-1]
    (port,) = [x for x in loop.limits if x.kind == "memory-port"]
    least = replace(port, kind="recurrence", ii=2, text="a recurrence")
    assert loop.ii == 3 and binding(replace(loop, limits=(least, port)), 1) == port.text
    assert binding(replace(loop, limits=(port, replace(least, ii=3))), 1) == "a recurrence"


ARMS = """\
void k(const int sel[64], int out[64], int t[64])
{
L:  for (int i = 1; i < 63; i++) {
#pragma HLS PIPELINE II=1
        int v;
        if (sel[i] > 0) v = t[i-1] + t[i];
        else v = t[i] + t[i+1];
        out[i] = v + t[i];
    }
}
"""


def test_no_claim_about_numbers_that_were_not_looked_at() -> None:
    found = array(run(ARMS), "t")
    assert found.proved_minimal == ("excluded" in found.reason or "no mapping whatever" in found.reason)


MATMUL = """\
void k(int A[8][8], int B[8][8], int C[8][8])
{
    for (int i = 0; i < 8; i++) L: for (int j = 0; j < 8; j++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int k = 0; k < 8; k++) s += A[i][k] * B[k][j];
        C[i][j] = s;
    }
}
"""


def test_a_partition_that_serves_the_loop_before_one_that_empties_it() -> None:
    result = run(MATMUL, ports=1)  # with B complete in dimension 2, all its loads could leave the loop
    assert array(result, "A").pragmas == ("#pragma HLS array_partition variable=A type=complete dim=2",)
    assert array(result, "B").pragmas == ("#pragma HLS array_partition variable=B type=complete dim=1",)
