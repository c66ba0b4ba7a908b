"""Inference end to end: C text in, directives out, confirmed by reading the output back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlspart.cli.app import run as run_cli
from hlspart.infer import infer
from hlspart.infer.emission import emit, pragma_texts
from hlspart.model.options import FrontendOptions, InferOptions, Options
from hlspart.model.results import InferredArray, InferResult
from hlspart.pipeline import Pipeline


def pipeline(text: str, cfg: str | None = None, **options: Any) -> Pipeline:
    files = {"k.c": text.encode(), "k.cfg": (cfg or "").encode()}
    front = FrontendOptions(directive_files=("k.cfg",) if cfg is not None else ())
    return Pipeline(["k.c"], Options(frontend=front, **options), lambda path: files[path])


def run(text: str, model: str = "static", cfg: str | None = None, **options: Any) -> InferResult:
    p = pipeline(text, cfg)
    return infer(p.program, p.analysis, p.validation, p.target, InferOptions(**options), model)  # type: ignore[arg-type]


def array(result: InferResult, name: str) -> InferredArray:
    (found,) = [a for a in result.arrays if a.name == name]
    return found


def pasted(text: str, **options: Any) -> str:
    p = pipeline(text)
    result = infer(p.program, p.analysis, p.validation, p.target, InferOptions(**options))
    return pragma_texts(p.program, result).get("k.c", text)


def iis(text: str, cfg: str | None = None) -> dict[str, int | None]:
    return {loop.name: loop.ii for loop in pipeline(text, cfg).ii.loops if loop.pipelined}


UNROLLED = """\
void k(int A[64], int out[16])
{
L:  for (int t = 0; t < 16; t++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int k = 0; k < 4; k++)
            s += A[4*t+k];
        out[t] = s;
    }
}
"""
FAR = """\
void k(int x[32], int out[8])
{
    int A[32];
F:  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE
        A[i] = x[i];
    }
L:  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
        out[i] = A[i] + A[i+8] + A[i+16] + A[i+24];
    }
}
"""
MATMUL = """\
void k(int A[8][8], int B[8][8], int C[8][8])
{
    for (int i = 0; i < 8; i++)
L:      for (int j = 0; j < 8; j++) {
#pragma HLS PIPELINE II=1
            int s = 0;
            for (int k = 0; k < 8; k++)
                s += A[i][k] * B[k][j];
            C[i][j] = s;
        }
}
"""
WINDOW = """\
void k(int in[128], int out[126])
{
    int mem[128];
F:  for (int i = 0; i < 128; i++) {
#pragma HLS PIPELINE
        mem[i] = in[i];
    }
L:  for (int i = 2; i < 128; i++) {
#pragma HLS PIPELINE II=1
        out[i-2] = mem[i] + mem[i-1] + mem[i-2];
    }
}
"""


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
    assert [(x.name, x.ii_before, x.ii_after) for x in result.loops] == [("F", 1, 1), ("L", 2, 1)]


def test_matmul_partitions_the_unrolled_dimension_of_each() -> None:
    result = run(MATMUL)
    assert array(result, "A").pragmas == ("#pragma HLS array_partition variable=A type=cyclic factor=4 dim=2",)
    assert array(result, "B").pragmas == ("#pragma HLS array_partition variable=B type=cyclic factor=4 dim=1",)
    assert array(result, "C").pragmas == () and array(result, "C").kind == "none"


@pytest.mark.parametrize("text", [UNROLLED, FAR, MATMUL])
def test_pasted_pragmas_give_the_promise_and_nothing_more_is_inferred(text: str) -> None:
    new = pasted(text)
    assert new != text
    assert set(iis(new).values()) == {1}
    assert pasted(new) == new


def test_in_place_text_is_exact() -> None:
    assert pasted(FAR) == FAR.replace(
        "    int A[32];\n", "    int A[32];\n    #pragma HLS array_partition variable=A type=block factor=2 dim=1\n"
    )
    assert pasted(UNROLLED).startswith(
        "void k(int A[64], int out[16])\n{\n#pragma HLS array_partition".replace("\n#", "\n    #")
    )


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


def test_recurrence_decides_and_no_more_banks_are_asked_for() -> None:
    text = """\
void k(float A[64], float out[1])
{
    float s = 0;
L:  for (int t = 0; t < 16; t++) {
#pragma HLS PIPELINE II=1
        s = s + A[4*t] * A[4*t+1] * A[4*t+2] * A[4*t+3];
    }
    out[0] = s;
}
"""
    result = run(text)
    (loop,) = result.loops
    assert loop.target_ii == 1 and loop.ii_after is not None and loop.ii_after > 1
    assert loop.cause is not None and loop.cause.startswith("s: ")
    assert array(result, "A").kind == "none"


def test_target_ii_two_needs_half_the_banks() -> None:
    assert [array(run(MATMUL, target_ii=ii), "A").banks for ii in (1, 2, 4)] == [4, 2, 1]


def test_hint_on_the_next_unroll_factor_is_what_the_model_says_of_it() -> None:
    text = FAR
    hints = {x.name: x.hint for x in run(text, hints=True).loops}
    assert hints["L"] == "unroll factor=2: 4 cycles instead of 8, with A in 4 banks instead of 2"
    twice = text.replace(
        "L:  for (int i = 0; i < 8; i++) {\n", "L:  for (int i = 0; i < 8; i++) {\n#pragma HLS UNROLL factor=2\n"
    )
    assert array(run(twice), "A").banks == 4
    loop = next(x for x in pipeline(pasted(twice)).ii.loops if x.name == "L")
    assert (loop.ii, loop.trip_count.max) == (1, 4)


def test_hint_says_when_unrolling_gains_nothing() -> None:
    text = """\
void k(float A[64], float out[1])
{
    float s = 0;
L:  for (int t = 0; t < 64; t++) {
#pragma HLS PIPELINE II=1
        s += A[t];
    }
    out[0] = s;
}
"""
    (loop,) = run(text, hints=True).loops
    twice = iis(text.replace("II=1\n", "II=1\n#pragma HLS UNROLL factor=2\n"))["L"]
    assert loop.ii_after is not None and twice is not None and twice >= 2 * loop.ii_after
    assert loop.hint == f"unroll factor=2 gains nothing: II {twice} for 2 iterations"
    assert run(text).loops[0].hint is None


OVER = UNROLLED.replace("{\nL:", "{\n#pragma HLS ARRAY_PARTITION variable=A cyclic factor=16 // wide\nL:")


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


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("cfg", "[hls]\nsyn.directive.array_partition=k A type=cyclic factor=2 dim=1\n"),
        ("tcl", 'set_directive_array_partition -type cyclic -factor 2 -dim 1 "k" A\n'),
        ("smarthls", "#pragma HLS memory partition variable(A) type(cyclic) dim(1) factor(2)\n"),
        (
            "pragma",
            "// k.c:1: A: at the start of k\n#pragma HLS array_partition variable=A type=cyclic factor=2 dim=1\n",
        ),
    ],
)
def test_emitted_forms(form: str, expected: str) -> None:
    p = pipeline(UNROLLED)
    assert emit(p.program, infer(p.program, p.analysis, p.validation, p.target, InferOptions()), form) == expected


def test_cfg_read_back_gives_the_promise() -> None:
    p = pipeline(MATMUL)
    cfg = emit(p.program, infer(p.program, p.analysis, p.validation, p.target, InferOptions()), "cfg")
    assert iis(MATMUL, cfg) == {"L": 1} or set(iis(MATMUL, cfg).values()) == {1}
    again = run(MATMUL, cfg=cfg)
    assert all(not a.fresh and not a.removed for a in again.arrays)


def test_diff_applies() -> None:
    p = pipeline(FAR)
    diff = emit(p.program, infer(p.program, p.analysis, p.validation, p.target, InferOptions()), "diff")
    assert diff.splitlines()[:2] == ["--- k.c", "+++ k.c"]
    added = [line[1:] for line in diff.splitlines()[2:] if line.startswith("+")]
    assert added == ["    #pragma HLS array_partition variable=A type=block factor=2 dim=1"]


def test_declaration_that_shares_its_line() -> None:
    text = FAR.replace("    int A[32];\nF:", "    int A[32]; /* buffer */ F:")
    new = pasted(text)
    assert "int A[32];\n    #pragma HLS array_partition variable=A type=block factor=2 dim=1\n" in new
    assert set(iis(new).values()) == {1}


def test_call_group_is_annotated_at_its_root() -> None:
    text = """\
static void four(int v[64], int sums[16])
{
L:  for (int t = 0; t < 16; t++) {
#pragma HLS PIPELINE II=1
        sums[t] = v[4*t] + v[4*t+1] + v[4*t+2] + v[4*t+3];
    }
}
void k(int x[64], int out[16])
{
    int A[64];
F:  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
        A[i] = x[i];
    }
    four(A, out);
}
"""
    result = run(text)
    found = array(result, "A")
    assert (found.function, found.banks) == ("k", 2)
    new = pasted(text)
    assert new.count("array_partition") == 1 and "int A[64];\n    #pragma HLS array_partition variable=A" in new
    assert set(iis(new).values()) == {1}


def test_global_array_is_annotated_in_the_function_that_uses_it() -> None:
    text = "static int A[64];\n" + UNROLLED.replace("int A[64], ", "").replace("s += A", "s += A")
    text = text.replace("out[t] = s;", "out[t] = s; A[4*t] = s;")
    new = pasted(text)
    assert "{\n    #pragma HLS array_partition variable=A type=cyclic" in new
    assert pasted(new) == new


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


def test_pareto_points_beat_each_other_in_nothing() -> None:
    points = run(MATMUL, pareto=True).pareto
    assert [(p["ii"], p["banks"]) for p in points] == [(1, 9), (2, 5), (4, 3)]


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "k.c"
    source.write_text(FAR)
    assert run_cli(["infer", "k.c", "--format", "json"]) == 0
    data = json.loads(capfd.readouterr().out)
    assert data["schema"] == "hlspart.infer/1"
    assert [a["banks"] for a in data["files"][0]["arrays"] if a["name"] == "A"] == [2]
    assert run_cli(["infer", "k.c", "--max-banks", "1"]) == 1
    assert run_cli(["infer", "k.c", "--in-place"]) == 0
    assert "factor=2" in source.read_text()


def test_transposed_accesses_never_end_in_a_thousand_registers() -> None:
    text = """\
void k(int x[32][32], int out[32][32])
{
    int A[32][32];
F:  for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
#pragma HLS PIPELINE
            A[i][j] = x[i][j];
        }
L:  for (int i = 0; i < 31; i++)
        for (int j = 0; j < 31; j++) {
#pragma HLS PIPELINE II=1
            out[i][j] = A[i][j] + A[j][i] + A[i+1][j] + A[j+1][i];
        }
}
"""
    found = array(run(text), "A")
    assert found.kind != "complete" and found.banks <= 16


def test_fewer_banks_promise_no_more_than_they_serve() -> None:
    text = WINDOW.replace("mem[i-1] + mem[i-2]", "mem[i-1] + mem[i-2] + mem[i-3] + mem[i-4]").replace("i = 2", "i = 4")
    for ii, banks in ((1, 3), (2, 2), (3, 1)):
        result = run(text, target_ii=ii)
        assert array(result, "mem").banks == banks
        assert result.loops[1].ii_after == ii
    points = run(text, pareto=True).pareto
    assert [(p["ii"], p["banks"]) for p in points] == [(1, 5), (2, 4), (3, 3)]


def test_accesses_that_never_run_need_nothing() -> None:
    text = FAR.replace("out[i] = A[i]", "if (i > 20) out[i] = A[i+1] + A[i+2] + A[i+3]; else out[i] = A[i]")
    assert array(run(text), "A").banks == array(run(FAR), "A").banks == 2


CLASH = """\
void k(int in[16][16], int out[16], int out2[16])
{
    int A[16][16];
F:  for (int i = 0; i < 16; i++)
G:      for (int j = 0; j < 16; j++) {
#pragma HLS PIPELINE II=1
            A[i][j] = in[i][j];
        }
R:  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int j = 0; j < 8; j++)
            s += A[i][j];
        out[i] = s;
    }
C:  for (int j = 0; j < 12; j++) {
#pragma HLS PIPELINE II=1
        int s = 0;
        for (int i = 0; i < 8; i++)
            s += A[i][j];
        out2[j] = s;
    }
}
"""


def test_clashing_nests_share_one_mapping_or_the_cheaper_one_gives_way() -> None:
    joint = array(run(CLASH, scheme="any"), "A")
    assert (joint.banks, joint.absolute, joint.needs_rewrite) == (4, True, True)
    capped = run(CLASH, scheme="pragma", max_banks=4)
    found = array(capped, "A")
    assert found.pragmas == ("#pragma HLS array_partition variable=A type=cyclic factor=4 dim=2",)
    assert found.reason.endswith(
        "not all loops can have their II: R at II 4 costs 48 cycles, C at II 4 costs 36 cycles"
    )
    assert [(x.name, x.ii_after) for x in capped.loops] == [("F_G", 1), ("R", 1), ("C", 4)]


def test_pareto_points_are_not_beaten_and_each_is_what_its_target_gives() -> None:
    points = run(CLASH, scheme="any", pareto=True).pareto
    assert [p["ii"] for p in points] == sorted({p["ii"] for p in points})  # type: ignore[type-var]
    for one in points:
        for other in points:
            assert one is other or any(int(str(one[k])) < int(str(other[k])) for k in ("ii", "banks", "bram18k"))
        again = run(CLASH, scheme="any", target_ii=int(str(one["ii"])))
        assert sum(a.banks for a in again.arrays) == one["banks"]


def test_objectives_and_powers_of_two() -> None:
    five = FAR.replace("A[i+24]", "A[i+24] + A[i+1]").replace("int A[32]", "int A[2048]").replace("i < 32", "i < 2048")
    three = array(run(five, scheme="any"), "A")
    powers = array(run(five, scheme="any", pow2=True), "A")
    assert (three.banks, powers.banks) == (3, 4) and "powers of two" in powers.space
    two = run(five, scheme="any", pow2=True, max_banks=2)
    assert array(two, "A").banks == 2 and (two.loops[1].ii_before, two.loops[1].ii_after) == (3, 2)
    blocks = {o: array(run(five, objective=o), "A") for o in ("banks", "bram", "lut")}
    assert blocks["bram"].bram18k <= min(x.bram18k for x in blocks.values())


@pytest.mark.parametrize("form", ["cfg", "tcl"])
def test_directives_beside_the_source_leave_its_pragmas_that_serve(form: str) -> None:
    p = pipeline(OVER)
    result = infer(p.program, p.analysis, p.validation, p.target, InferOptions(beside=True))
    assert emit(p.program, result, form) == "" and array(result, "A").banks == 16
    short = pipeline(
        OVER.replace("factor=16", "factor=2 dim=1")
        .replace("k < 4", "k < 8")
        .replace("4*t", "8*t")
        .replace("A[64]", "A[128]")
    )
    result = infer(short.program, short.analysis, short.validation, short.target, InferOptions(beside=True))
    first, *rest = [x for x in emit(short.program, result, form).splitlines() if x != "[hls]"]
    assert first.startswith("# first remove k.c:3: #pragma HLS ARRAY_PARTITION") and len(rest) == 1


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


def test_no_bank_is_spent_below_the_least_that_an_unknown_ii_can_be() -> None:
    text = """\
void k(double A[40][40], double x[40], double b[40])
{
    for (int i = 0; i < 40; i++) {
        x[i] = b[i];
L:      for (int j = 0; j < i; j++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
            x[i] -= A[i][j] * x[j];
        }
        x[i] = x[i] / A[i][i];
    }
}
"""
    p = pipeline(text)
    result = infer(p.program, p.analysis, p.validation, p.target, InferOptions())
    (loop,) = [x for x in p.ii.loops if x.pipelined]
    assert loop.ii is None and loop.bounds is not None and loop.bounds[0] >= 20  # a chain of four sums
    assert [a.kind for a in result.arrays] == ["none", "none"] and result.loops[0].ii_after is None
