"""What ``infer`` and ``rewrite`` write, ``lint`` does not warn of."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_helpers import lint_of

from hlspart.infer.emission import pragma_texts
from hlspart.model.options import InferOptions, Options, RewriteOptions
from hlspart.pipeline import Pipeline
from tests.amounts import amount

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "samples").glob("*.c"))


@pytest.mark.parametrize("sample", SAMPLES[:: amount(2, 1)], ids=lambda p: p.stem)
@pytest.mark.parametrize("way", ["infer", "rewrite"])
def test_no_finding_blames_a_pragma_that_was_written(sample: Path, way: str) -> None:
    old = sample.read_text()
    pipeline = Pipeline([str(sample)], Options())
    if way == "infer":
        new = pragma_texts(pipeline.program, pipeline.infer(InferOptions())).get(str(sample), old)
    else:
        new = pipeline.rewrite(RewriteOptions(infer=True)).files[str(sample)]
    known = {line.strip() for line in old.splitlines()}
    lines = [line.strip() for line in new.splitlines()]
    for item in lint_of({"k.c": new}).diagnostics:
        places = [item.place, *(r.place for r in item.related)]
        named = [lines[p.line - 1] for p in places]
        fresh = [line for line in named if line.startswith("#pragma") and line not in known]
        if any("_window " in x or "_lines " in x for x in fresh):  # what this tool splits unasked, others do not
            assert (item.rule, item.severity) in {("HLP301", "info"), ("HLP304", "info")}, (item, fresh)
        elif fresh:  # for information alone: the multiplexer in front of banks that another loop fills in order
            assert (item.rule, item.severity) in {("HLP203", "info"), ("HLP205", "info")}, (item, fresh)
            assert item.hint is not None
            assert item.hint.startswith("no pipelined loop is slower by it; "), (item, fresh)


def test_a_partition_behind_parts_that_functions_get_is_not_without_effect(tmp_path: Path) -> None:
    """The loop that needs the banks names the array only in the argument of an inlined function."""
    text = """static int dot(const int *p, int w) {
#pragma HLS INLINE
  int s = 0;
  for (int j = 0; j < 8; j++) s += p[j] * w;
  return s;
}
void top(int in[128], int w[16], int out[16]) {
  int a[128];
  for (int i = 0; i < 128; i++) a[i] = in[i];
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE
    out[i] = dot(a + 8 * i, w[i]);
  }
}
"""
    path = tmp_path / "k.c"
    path.write_text(text)
    pipeline = Pipeline([str(path)], Options(top="top"))
    new = pipeline.rewrite(RewriteOptions(infer=True)).files[str(path)]
    assert "array_partition variable=a" in new
    assert [d.rule for d in lint_of({"k.c": new}).diagnostics] == ["HLP011"]
