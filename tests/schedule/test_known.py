"""What is kept of a prediction is taken where it is the same, and only there."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hlspart.model.options import FrontendOptions, Options
from hlspart.partition import validate
from hlspart.pipeline import Pipeline
from hlspart.predict import check, known
from hlspart.predict.loops import LoopModel

TEXT = """
void first(int a[64], int out[64]) {
  F: for (int i = 0; i < 60; i++) {
#pragma HLS PIPELINE II=1
    out[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
  }
}
void second(int b[64], int out[64]) {
  int t[64];
  G: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    t[i] = b[i] * b[63 - i];
  }
  H: for (int i = 0; i < 62; i++) {
#pragma HLS PIPELINE II=1
    out[i] = t[i] + t[i + 1] + t[i + 2];
  }
}
void top(int a[64], int b[64], int x[64], int y[64]) {
#pragma HLS INTERFACE ap_none port=x
  first(a, x);
  if (x[0] > 3) second(b, y);
  for (int k = 0; k < 4; k++) y[k] += x[k];
}
"""
SAID = (
    "",
    "syn.directive.array_partition=top a type=cyclic factor=4",
    "syn.directive.array_partition=second t type=complete",
    "syn.directive.unroll=first/F factor=2",
    "syn.directive.pipeline=second/H II=3",
    "syn.directive.bind_storage=second t type=ram_1p",
    "syn.directive.inline=first",
    "syn.directive.allocation=second operation instances=mul limit=1",
    "syn.directive.loop_tripcount=second/G max=9",
    "",
)  # fmt: skip


def predicted(monkeypatch: pytest.MonkeyPatch, hints: bool) -> tuple[list[object], list[str]]:
    """The results for one code under all the directives in turn, and the loops that were predicted."""
    asked: list[str] = []
    real = LoopModel.predict

    def counted(self: LoopModel, nest: object) -> object:
        asked.append(nest.name)  # type: ignore[attr-defined]
        return real(self, nest)  # type: ignore[arg-type]

    monkeypatch.setattr(LoopModel, "predict", counted)
    try:
        return _results(hints), asked
    finally:
        monkeypatch.setattr(LoopModel, "predict", real)


def _results(hints: bool) -> list[object]:
    files = {"k.c": TEXT.encode(), "d.cfg": "\n".join(["[hls]", *filter(None, SAID)]).encode()}
    whole = Pipeline(["k.c"], Options(frontend=FrontendOptions(directive_files=("d.cfg",))), files.__getitem__)
    program, results = whole.program, list[object]()
    text = [d for d in program.directives if d.source == "pragma"]
    beside = {d.kind + (d.function or ""): d for d in program.directives if d.source != "pragma"}
    assert len(beside) == len([s for s in SAID if s])
    for d in [None, *beside.values(), None]:
        given = replace(program, directives=tuple(text if d is None else [*text, d]))
        validation = validate(given, whole.analysis, argument=whole.target.argument_storage)
        for target in (whole.target, whole.target.unaided):
            results.append(check(given, whole.analysis, validation, target, hints=hints))
    return results


@pytest.mark.parametrize("hints", [False, True])
def test_it_is_what_is_predicted_anew(monkeypatch: pytest.MonkeyPatch, hints: bool) -> None:
    kept, few = predicted(monkeypatch, hints)
    monkeypatch.setattr(known.Premises, "is_same", lambda *_: False)
    anew, all_ = predicted(monkeypatch, hints)
    assert kept == anew
    assert len({repr(x.loops) for x in anew}) > 5  # type: ignore[attr-defined]
    assert len(few) <= len(all_) / 2


def test_a_loop_is_predicted_again_only_where_it_is_concerned(monkeypatch: pytest.MonkeyPatch) -> None:
    _, asked = predicted(monkeypatch, False)
    assert 2 <= asked.count("F") <= 4  # partitioned, unrolled, inlined
