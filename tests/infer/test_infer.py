"""Inference end to end: which partition each array gets, confirmed by the II check."""

from __future__ import annotations

import pytest
from inferring import FAR, MATMUL, OVER, UNROLLED, WINDOW, array, iis, pasted, run


@pytest.mark.parametrize(("ports", "banks"), [(2, 2), (1, 4), (4, 1)])
def test_unrolled_by_four_is_cyclic(ports: int, banks: int) -> None:
    found = array(run(UNROLLED, ports=ports), "A")
    assert (found.banks, found.lower_bound, found.proved_minimal, found.absolute) == (banks, banks, True, True)
    assert found.kind == ("cyclic" if banks > 1 else "none")
    expected = (f"#pragma HLS array_partition variable=A type=cyclic factor={banks} dim=1",) if banks > 1 else ()
    assert found.pragmas == expected


def test_far_accesses_are_block() -> None:
    result = run(FAR)
    assert array(result, "A").pragmas == ("#pragma HLS array_partition variable=A type=block factor=2 dim=1",)
    assert [(x.name, x.ii_before, x.ii_after) for x in result.loops] == [("F", 1, 1), ("L", None, 1)]
    assert result.loops[1].span_before == (1, 2)  # a tool may split A by itself


def test_matmul_partitions_the_unrolled_dimension_of_each() -> None:
    result = run(MATMUL)
    assert array(result, "A").pragmas == ("#pragma HLS array_partition variable=A type=cyclic factor=4 dim=2",)
    assert array(result, "B").pragmas == ("#pragma HLS array_partition variable=B type=cyclic factor=4 dim=1",)
    assert array(result, "C").pragmas == () and array(result, "C").kind == "none"


def test_sliding_window_needs_the_rewrite_and_says_why() -> None:
    result = run(WINDOW)
    found = array(result, "mem")
    assert (found.kind, found.banks, found.needs_rewrite, found.pragmas) == ("cyclic", 2, True, ())
    assert "not known at compile time" in found.reason
    loop = result.loops[1]
    assert (loop.ii_before, loop.ii_after) == (2, 1) and loop.cause == "needs the rewrite of mem"
    assert pasted(WINDOW) == WINDOW


def test_sliding_window_under_the_ideal_count_is_a_pragma() -> None:
    found = array(run(WINDOW, model="ideal", scheme="pragma"), "mem")
    assert (found.kind, found.banks, found.needs_rewrite) == ("cyclic", 2, False)


def test_scheme_pragma_falls_back_to_registers_only_when_no_memory_serves() -> None:
    found = array(run(WINDOW, scheme="pragma"), "mem")
    assert (found.kind, found.banks) == ("complete", 128)
    capped = run(WINDOW, scheme="pragma", max_banks=16)
    assert array(capped, "mem").kind == "none"
    loop = capped.loops[1]
    assert (loop.target_ii, loop.ii_after) == (1, 2) and "mem bank 0" in (loop.cause or "")


def test_small_arrays_become_registers_only_under_auto() -> None:
    small = WINDOW.replace("128", "16").replace("126", "14")
    found = array(run(small), "mem")
    assert (found.kind, found.banks) == ("complete", 16) and "512 bits" in found.reason
    assert set(iis(pasted(small)).values()) == {1}
    assert array(run(small, scheme="any"), "mem").kind == "cyclic"
    quiet = small.replace(" + mem[i-1] + mem[i-2]", "")
    assert array(run(quiet), "mem").kind == "none"


ARMS = """\
void k(int A[64], int out[64], int sel)
{
L:  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
        if (sel & i)
            out[i] = A[i] + A[i+16];
        else
            out[i] = A[i+8] + A[i+24];
    }
}
"""


def test_opposite_arms_share_a_port_as_in_the_ii_check() -> None:
    result = run(ARMS)
    assert array(result, "A").kind == "none" and "arms" in array(result, "A").reason
    assert [(x.ii_before, x.ii_after) for x in result.loops] == [(1, 1)] and iis(ARMS) == {"L": 1}
    three = ARMS.replace("A[i+8] +", "A[i+8] + A[i+9] +")
    assert iis(three) == {"L": 2} and array(run(three), "A").lower_bound == 2


def test_over_banking_is_improved_or_kept() -> None:
    found = array(run(OVER), "A")
    assert found.banks == 2 and found.reason.startswith("16 banks where 2 suffice")
    new = pasted(OVER)
    assert new.count("#pragma HLS array_partition") == 1 and "factor=16" not in new
    assert pasted(OVER, keep=True) == OVER
    kept = array(run(OVER, keep=True), "A")
    assert (kept.banks, kept.proved_minimal) == (16, False)


def test_wrong_dimension_is_named() -> None:
    text = MATMUL.replace(
        "    for (int i", "#pragma HLS ARRAY_PARTITION variable=A cyclic factor=4 dim=1\n    for (int i", 1
    )
    found = array(run(text), "A")
    assert "differ in dimension 2, dimension 1 is partitioned" in found.reason
    assert found.pragmas == ("#pragma HLS array_partition variable=A type=cyclic factor=4 dim=2",)
    new = pasted(text)
    assert "dim=1" in new and "variable=A cyclic" not in new and set(iis(new).values()) == {1}


def test_partition_that_nothing_needs_is_removed() -> None:
    text = FAR.replace("A[i] + A[i+8] + A[i+16] + A[i+24]", "A[i]").replace(
        "    int A[32];\n", "    int A[32];\n#pragma HLS ARRAY_PARTITION variable=A cyclic factor=4\n"
    )
    result = run(text)
    assert array(result, "A").kind == "none" and "remove" in array(result, "A").reason
    assert "ARRAY_PARTITION" not in pasted(text)


def test_minimal_partition_is_kept_as_written() -> None:
    text = FAR.replace("    int A[32];\n", "    int A[32];\n#pragma HLS ARRAY_PARTITION variable=A block factor=2\n")
    assert pasted(text) == text
    assert array(run(text), "A").reason.startswith("kept: 2 banks")


def test_without_pipelines_the_innermost_loops_are_taken() -> None:
    text = UNROLLED.replace("#pragma HLS PIPELINE II=1\n", "").replace(
        "        for (int k = 0; k < 4; k++)\n            s += A[4*t+k];\n",
        "        s = A[t] + A[t+16] + A[t+32] + A[t+48];\n",
    )
    result = run(text)
    assert array(result, "A").kind == "block" and array(result, "A").banks == 2
    assert [x.ii_after for x in result.loops] == [1]


def test_named_arrays_only() -> None:
    result = run(MATMUL, arrays=("B",))
    assert array(result, "A").kind == "none" and "not asked for" in array(result, "A").reason
    assert array(result, "B").banks == 4
    (loop,) = result.loops
    assert loop.ii_after == 4


def test_data_dependent_reads_are_replicated() -> None:
    text = """\
void k(int x[256], int idx[256], int out[256])
{
    int table[256];
F:  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE
        table[i] = x[i];
    }
L:  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
        int p = idx[i];
        out[i] = table[p & 255] + table[(p >> 8) & 255] + table[(p >> 16) & 255] + table[(p >> 24) & 255];
    }
}
"""
    result = run(text)
    found = array(result, "table")
    assert (found.kind, found.banks, found.pragmas) == (
        "replicate",
        4,
        ("#pragma HLS bind_storage variable=table type=ram_1wnr",),
    )
    assert result.loops[1].ii_after == 1
    new = pasted(text)
    assert set(iis(new).values()) == {1} and pasted(new) == new
    again = array(run(new), "table")
    assert (again.kind, again.banks, again.pragmas) == (found.kind, found.banks, found.pragmas)
    assert again.reason.startswith("kept")
    split = new.replace(
        "type=ram_1wnr\n", "type=ram_1wnr\n#pragma HLS ARRAY_PARTITION variable=table cyclic factor=2\n"
    )
    assert pasted(split) == new


HANDED_ON = """\
#include <string.h>
void k(const int in[3][64], int out[64], int p, int q)
{
    int lines[3][64];
#pragma HLS bind_storage variable=lines type=ram_2p impl=lutram
    memcpy(&lines[0][0], &in[0][0], sizeof lines);
L:  for (int i = 0; i < 63; i++) {
#pragma HLS PIPELINE II=1
        out[i] = lines[p][i] + lines[q][i] + lines[p][i + 1] + lines[q][i + 1];
    }
}
"""


@pytest.mark.parametrize("bound", [True, False])
def test_a_memory_that_nothing_may_partition_has_copies_for_its_reads(bound: bool) -> None:
    text = (
        HANDED_ON
        if bound
        else HANDED_ON.replace("#pragma HLS bind_storage variable=lines type=ram_2p impl=lutram\n", "")
    )
    result = run(text)
    found = array(result, "lines")
    asked = " impl=lutram" * bound
    assert found.pragmas == (f"#pragma HLS bind_storage variable=lines type=ram_1wnr{asked}",)
    assert result.loops[-1].ii_after == 1 and len(found.removed) == bound
    new = pasted(text)
    assert "ram_2p" not in new and iis(new)["L"] == 1 and pasted(new) == new


def test_a_memory_that_is_named_is_another_one_only_where_no_banks_serve() -> None:
    text = """\
void k(int out[64])
{
    int A[64];
#pragma HLS bind_storage variable=A type=ram_2p
F:  for (int i = 0; i < 64; i++) A[i] = i;
L:  for (int i = 0; i < 60; i += 4) {
#pragma HLS PIPELINE II=1
        out[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3];
    }
}
"""
    assert array(run(text), "A").kind == "cyclic"
    twice = text.replace("out[i] =", "A[i] = A[i + 1] = out[i] =").replace("A[i + 1] +", "A[out[i] & 63] +")
    assert array(run(twice), "A").kind != "replicate"


def test_accesses_that_never_run_need_nothing() -> None:
    text = FAR.replace("out[i] = A[i]", "if (i > 20) out[i] = A[i+1] + A[i+2] + A[i+3]; else out[i] = A[i]")
    assert array(run(text), "A").banks == array(run(FAR), "A").banks == 2


def test_loads_that_never_run_take_no_port_in_a_schedule() -> None:
    text = """void k(char A[8][8], int out[4])
{
L:  for (int i = 0; i < 2; i++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        if (i > 1) s = A[i][5] + A[i + 2][5] + A[i + 1][i] + A[3][i + 2]; else s = A[i][4];
        out[i] = s;
    }
}
"""
    assert iis(text) == {"L": 1} and array(run(text), "A").kind == "none"
    assert iis(text.replace("i > 1", "i > 0"))["L"] != 1


def test_a_partition_whose_small_banks_make_a_recurrence_faster_stays() -> None:
    text = """\
void k(float in[256], float out[256])
{
    float A[256];
#pragma HLS ARRAY_PARTITION variable=A cyclic factor=8 dim=1
Z:  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
        A[i] = in[i];
    }
L:  for (int i = 1; i < 256; i++) {
#pragma HLS PIPELINE II=1
        A[i] = A[i-1] * in[i] + A[i];
    }
O:  for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
        out[i] = A[i];
    }
}
"""
    bare = iis(text.replace("#pragma HLS ARRAY_PARTITION variable=A cyclic factor=8 dim=1\n", ""))["L"] or 0
    held = iis(text)["L"] or 0
    result = run(text)
    assert [x.ii_after for x in result.loops] == [1, min(bare, held), 1]
    if held < bare:  # small banks are registers or LUT memories for some targets
        assert array(result, "A").reason == f"kept: without it L II {bare} instead of {held}"
        assert pasted(text) == text


SHARED = """\
void k(int a[64], int b[64], int out[16])
{
#pragma HLS ARRAY_PARTITION variable=a,b cyclic factor=2
L:  for (int t = 0; t < 16; t++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int k = 0; k < 4; k++) s += a[4*t+k];
        out[t] = s + b[t] + b[t+16] + b[t+32] + b[t+48];
    }
}
"""


def test_a_directive_that_two_arrays_share_gives_way_to_one_for_each() -> None:
    start = "void k(int a[64], int b[64], int out[16])\n{\n"
    said = "#pragma HLS array_partition variable={} type={} factor={} dim=1\n".format
    rest = SHARED.split("factor=2\n", 1)[1]
    assert pasted(SHARED) == start + said("a", "cyclic", 2) + said("b", "block", 2) + rest
    assert pasted(SHARED, ports=1, scheme="pragma") == start + said("a", "cyclic", 4) + said("b", "block", 4) + rest
    assert [x.ii_after for x in run(SHARED, ports=1, scheme="pragma").loops] == [1]
    assert pasted(SHARED, arrays=("b",)) == SHARED  # what is left of it would be a change of a
    assert pasted(pasted(SHARED)) == pasted(SHARED)


def test_a_cap_is_named_where_it_slows_a_loop() -> None:
    result = run(UNROLLED, max_banks=1)
    found = array(result, "A")
    assert found.kind == "none" and not found.proved_minimal
    assert found.reason.endswith("L cannot reach II 1 with at most 1 bank, 2 is the least")
