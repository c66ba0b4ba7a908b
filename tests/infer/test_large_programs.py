"""A program whose loops have very many operations is not searched: what is said of it is what ``ii`` says."""

from __future__ import annotations

from typing import Any

import pytest

from hlspart import ways
from hlspart.infer import inference, size
from hlspart.model.options import InferOptions, Options, RewriteOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult
from hlspart.pipeline import Pipeline

TEXT = """void f(const int x[64], int y[16])
{
    int A[64];
    for (int i = 0; i < 64; i++)
        A[i] = x[i];
    L: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        y[i] = A[4 * i] + A[4 * i + 1] + A[4 * i + 2] + A[4 * i + 3];
    }
}
"""


def of(text: str = TEXT) -> Pipeline:
    return Pipeline(["p.c"], Options(), lambda _: text.encode())


def test_nothing_is_promised_of_it_and_more_effort_lifts_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = of().infer(InferOptions())
    (served,) = [x for x in searched.loops if x.name == "L"]
    assert served.ii_after == 1 and (served.ii_before, served.span_before) != (1, None) and searched.arrays
    work = sum(x.work for x in of().figures.loops)
    monkeypatch.setattr(size, "MOST_WORK", work - 1)
    result = of().infer(InferOptions())
    (loop,) = [x for x in result.loops if x.name == "L"]
    assert result.arrays == ()
    assert (loop.ii_after, loop.span_after) == (served.ii_before, served.span_before)
    assert (loop.ii_before, loop.span_before) == (served.ii_before, served.span_before)
    assert loop.cause == (
        f"not searched: a prediction of its loops costs {work} operations, more than {work - 1}"
        " (--effort 2 allows four times as many)"
    )
    assert not of().infer(InferOptions(ports=1)).arrays and not of().infer(InferOptions(pareto=True)).arrays
    assert of().infer(InferOptions(effort=2)).loops == searched.loops
    assert "HLP" in {d.rule[:3] for d in of().lint().diagnostics}
    monkeypatch.setattr(size, "MOST_WORK", work)
    assert of().infer(InferOptions()) == searched


def test_a_search_ends_where_its_predictions_have_cost_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[Program]()
    predict = inference.check

    def counted(program: Program, *rest: Any, **more: Any) -> IIResult:
        made.append(program)
        return predict(program, *rest, **more)

    monkeypatch.setattr(inference, "check", counted)
    text = """void k(int A[12], int B[12], int out[4])
{
L:  for (int i = 0; i < 4; i++) {
#pragma HLS PIPELINE II=1
        int s = A[i+4] + B[i] + B[i+2] + B[i+4] + B[i+7] + B[2*i+1];
        A[i] = s;
        A[2*i+4] = s;
        out[i] = s;
    }
}
"""
    (best,) = of(text).infer(InferOptions()).loops
    every, made[:] = len(made), []
    monkeypatch.setattr(size, "MOST_SEARCH", 0)
    (first,) = of(text).infer(InferOptions()).loops
    assert 0 < len(made) < every
    assert (best.ii_before, best.ii_after) == (3, 2) and (first.ii_before, first.ii_after) == (3, 3)


def test_a_loop_of_too_many_orders_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """void f(int h[64], int c[64]) {
  L: for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    for (int k = 0; k < 32; k++) h[c[k] & 63] += i;
  }
}
"""
    assert [x.ii_before for x in of(text).infer(InferOptions()).loops] == [64]
    monkeypatch.setattr("hlspart.lowering.related.MOST_ORDERS", 1000)
    monkeypatch.setattr(size, "MOST_WORK", 80)
    (loop,) = of(text).infer(InferOptions()).loops
    assert loop.ii_before is None and (loop.cause or "").startswith("not searched")


def test_a_style_that_searches_is_not_tried_and_one_that_does_not_is_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    work = sum(x.work for x in of().figures.loops)
    monkeypatch.setattr(ways, "MOST_WORK", work - 1)
    monkeypatch.setattr(size, "MOST_WORK", work - 1)
    result = of().rewrite(RewriteOptions(style="reuse", most_work=0))
    assert result.files["p.c"] == TEXT
    (said,) = result.diagnostics
    assert said.message.startswith(f"not tried: the loops have {work} operations, more than {work - 1}")
    assert not of().rewrite(RewriteOptions(style="reuse", most_work=work)).diagnostics
    partitioned = TEXT.replace("int A[64];", "int A[64];\n#pragma HLS ARRAY_PARTITION variable=A cyclic factor=4")
    written = Pipeline(["p.c"], Options(), lambda _: partitioned.encode()).rewrite(RewriteOptions(style="bankdim"))
    assert written.files["p.c"] != partitioned and "rewrite-unchecked" in {d.rule for d in written.diagnostics}


def test_the_predictions_of_an_inference_count_for_the_search_of_ways() -> None:
    text = """void f(int a[64], int b[64]) {
  int c[64];
  for (int i = 0; i < 64; i++) c[i] = a[i];
  for (int i = 0; i < 60; i++) {
#pragma HLS PIPELINE II=1
    b[i] = c[i] + c[i + 1] + c[i + 2] + c[i + 3];
  }
}
"""
    pipeline = of(text)
    taken, once = pipeline.inferred.work, sum(x.cost for x in pipeline.figures.loops)
    assert taken >= 2 * once > 0  # at least the program as it is and the one that is proposed
    cut = pipeline.rewrite(RewriteOptions(infer=True, most_work=taken))
    assert cut.work > taken and "reuse buffers" in cut.untried
    assert not pipeline.rewrite(RewriteOptions(infer=True, most_work=100 * taken)).untried
    assert of(text).inferred.work == taken  # known or not
