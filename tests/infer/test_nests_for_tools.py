"""What commands say and write about a program is what ``ii`` says of both texts; nothing that they write is slower."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from inferring import array, asked
from msgspec.structs import replace
from nest_answers import TOOLS, Compared, compared, pipeline

from hlspart.infer import emission
from hlspart.model.access import Bounds
from hlspart.model.causes import Cause
from hlspart.model.options import InferOptions, Options, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.predict.regressions import regressions
from tests.amounts import amount


def test_random_nests() -> None:
    """One for each tool (``nests.py`` tries as many as wanted)."""
    counts = Counter[str]()
    for seed, found in compared(range(amount(2, len(TOOLS)))):
        assert not found.faults, (seed, found.tool, found.faults)
        counts += found.counts
    assert counts["loops"] > amount(8, 50) and counts["gains"] > amount(0, 5)
    commands = ("infer", "directives", "rewrite --infer", "lint --fix")
    assert min(counts[x] for x in amount(commands[:1], commands)) > 0


PARENT = """\
void product(const int *p, const int *q, int *r, int n)
{
    int X[64], Y[64];
#pragma HLS ARRAY_PARTITION variable=X type=cyclic factor=8 dim=1
#pragma HLS ARRAY_PARTITION variable=Y type=block factor=8 dim=1
FX: for (int i = 0; i < 64; i++) X[i] = p[i];
FY: for (int i = 0; i < 64; i++) Y[i] = q[i];
ROW: for (int i = 0; i < n; i++) {
#pragma HLS LOOP_TRIPCOUNT min=8 max=8
    COL: for (int j = 0; j < n; j++) {
#pragma HLS LOOP_TRIPCOUNT min=8 max=8
            int s = 0;
        DOT: for (int k = 0; k < 8; k++) s += X[8 * i + k] * Y[8 * k + j];
            r[8 * i + j] = s;
        }
    }
}
"""
"""Tools that pipeline loops by themselves pipeline COL and write DOT out."""


@pytest.mark.parametrize(("tool", "banks", "loops"), [
    ("vitis-2021.2", 4, ["FX", "FY", "ROW_COL"]),
    ("vivado-hls-2019.2", 1, ["FX", "FY", "DOT"]),
])  # fmt: skip
def test_a_parent_that_the_tool_pipelines(tool: str, banks: int, loops: list[str]) -> None:
    p = pipeline(PARENT, tool)
    result = p.infer(InferOptions())
    assert [x.name for x in result.loops] == loops
    assert [(array(result, name).banks) for name in "XY"] == [banks, banks]
    found = Compared(PARENT, tool).run()
    assert not found.faults and found.counts["infer"] == 1
    bare = "\n".join(line for line in PARENT.splitlines() if "ARRAY_PARTITION" not in line)
    late = [d for d in pipeline(bare, tool).lint().diagnostics if d.rule == "HLP201"]
    assert [(d.severity, "which the tool pipelines by itself: II 4 instead of 1" in d.message) for d in late] == (
        [("info", True)] if banks > 1 else []
    )


def test_loops_that_nothing_pipelines_have_no_ii_and_say_what_they_would_have() -> None:
    text = PARENT.replace("DOT: for (int k = 0; k < 8; k++)", "DOT: for (int k = 0; k < 8; k += 4)").replace(
        "X[8 * i + k] * Y[8 * k + j]", "X[8 * i + k] * X[8 * i + k + 1] * X[8 * i + k + 2]"
    )
    result = pipeline(text, "vivado-hls-2019.2").infer(InferOptions(arrays=("Y",)))
    loop = next(x for x in result.loops if x.name == "DOT")
    assert (loop.target_ii, loop.ii_before, loop.ii_after) == (None, None, None) and loop.cause is not None
    assert loop.cause.startswith("not pipelined by vivado-hls-2019.2; #pragma HLS pipeline would give II ")


SLID = """\
void smooth(int in[256], int out[256])
{
L:  for (int i = 254; i > 0; i--) {
#pragma HLS PIPELINE II=1
        out[i] = in[i - 1] + in[i] + in[i + 1];
    }
}
"""


def test_a_prototype_elsewhere_is_named_as_what_stands_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "smooth.h").write_text("void smooth(int in[256], int out[256]);\n")
    source = tmp_path / "smooth.c"
    guarded = SLID.replace("out[i] = ", "if (out[i] > 3) out[i] = ")  # loads that no variable hands on
    source.write_text('#include "smooth.h"\n' + guarded)
    given = [str(source), str(tmp_path / "smooth.h")]
    alone = Pipeline(given[:1], Options())
    reason = array(alone.infer(InferOptions()), "in").reason
    assert "2 banks would serve L at II 1 with --split-top, but the rewrite refuses it: a prototype stands" in reason
    assert reason.endswith("smooth.h, which is not given: give it, too") and "cannot reach" not in reason
    result = alone.rewrite(RewriteOptions(infer=True))
    assert result.findings and result.files[given[0]] == source.read_text()
    (missed,) = [d for d in result.diagnostics if d.rule == "rewrite-target-missed"]
    assert missed.message.startswith("loop L: II 2 instead of 1, and no rewrite helps: 'in': ")
    assert missed.place.line == 4
    both = Pipeline(given, Options())
    assert [x.ii_after for x in asked(both.infer(InferOptions()))] == [1]
    kept = both.rewrite(RewriteOptions(infer=True))
    assert kept.findings and any("--split-top splits it too" in d.message for d in kept.diagnostics)
    split = both.rewrite(RewriteOptions(infer=True, split_top=True))
    assert not split.findings and split.files[given[1]] == "void smooth(int in_0[128], int in_1[128], int out[256]);\n"


NUMBERED = """\
void k(int A[64], int out[16])
{
    int B[64];
    for (int i = 0; i < 64; i++) B[i] = A[i];
    for (int t = 0; t < 16; t++) {
        int s = 0;
        for (int k = 0; k < 4; k++)
            s += B[4 * t + k];
        out[t] = s;
    }
}
"""


def test_a_line_that_would_number_a_loop_anew_is_not_written() -> None:
    cfg = "[hls]\nsyn.directive.pipeline=k/{} II=1\n"
    numbered = pipeline(NUMBERED, "vitis-2022.1", cfg.format("VITIS_LOOP_5_2"))
    found = array(numbered.infer(InferOptions()), "B")
    assert not found.fresh and "k.cfg:2 would not apply" in found.reason and "a label on the loop" in found.reason
    beside = array(numbered.infer(InferOptions(scheme="pragma", beside=True)), "B")
    assert beside.fresh and beside.banks == 2
    labelled = NUMBERED.replace("    for (int t", "L:  for (int t")
    other = array(pipeline(labelled, "vitis-2022.1", cfg.format("L")).infer(InferOptions()), "B")
    assert other.fresh and other.banks == 2


def test_an_array_that_needs_the_rewrite_keeps_its_pragma_where_only_pragmas_are_written() -> None:
    text = """void k(const int x[96], int y[90])
{
    int A[96];
#pragma HLS ARRAY_PARTITION variable=A type=cyclic factor=2
F:  for (int i = 0; i < 96; i++) {
#pragma HLS PIPELINE
        A[i] = x[i];
    }
L:  for (int i = 0; i < 90; i++) {
#pragma HLS PIPELINE II=1
        y[i] = A[i] + A[i + 1] + A[i + 2];
    }
}
"""
    p = pipeline(text, "vitis-2022.1")
    result = p.infer(InferOptions())
    assert array(result, "A").needs_rewrite
    assert emission.pragma_texts(p.program, result) == {} and emission.emit(p.program, result, "cfg") == ""


def test_what_counts_as_slower() -> None:
    p = pipeline(SLID, "vitis-2022.1")
    before = p.figures
    (loop,), (function,) = before.loops, before.functions
    assert (loop.ii, function.latency.max) == (2, 510)

    def lost(**changes: object) -> list[str]:
        latency = changes.pop("function", function.latency)
        after = replace(before, loops=(replace(loop, **changes),))  # type: ignore[arg-type]
        after = replace(after, functions=(replace(function, latency=latency),))  # type: ignore[arg-type]
        return [x.text for x in regressions(p.program, before, after)]

    assert lost() == lost(ii=1) == lost(ii=None, bounds=(1, 2)) == []
    assert lost(ii=3) == ["L: II 3 instead of 2"]
    assert lost(ii=None, bounds=(1, 4)) == ["L: II 1..4 instead of 2"]
    assert lost(ii=None, causes=(Cause("a division"),)) == ["L: II unknown instead of 2: a division"]
    assert lost(pipelined=False, ii=None) == ["L: it is not pipelined any more"]
    assert lost(function=Bounds(511, 511)) == ["smooth: 511 cycles instead of 510"]
    assert lost(function=Bounds(None, None)) == ["smooth: its latency is unknown instead of 510 cycles"]
    assert lost(function=Bounds(None, None), ii=1, depth=None) == []  # 253 cycles less, and a divider at most
    seven, eight = (tuple(Cause("a division", (k,)) for k in range(n)) for n in (7, 8))  # of 36 states each
    assert lost(function=Bounds(None, None), ii=1, depth=None, depth_causes=seven) == []
    assert lost(function=Bounds(None, None), ii=1, depth=None, depth_causes=eight) == [
        "smooth: its latency is unknown instead of 510 cycles"
    ]


def test_loops_without_labels_are_found_again_below_lines_that_were_added() -> None:
    """Their names tell their lines, as those of the tool do: lines of a rewrite move the loops, and lose none."""
    found = Compared(SLID.replace("L: ", ""), "vitis-2022.1").run()
    assert found.faults == []
    assert found.counts["needs the rewrite"] == found.counts["rewrite --infer"] == 1
