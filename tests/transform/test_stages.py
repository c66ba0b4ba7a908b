"""Each stage once: a file is read once, its output once, and no program is judged twice. `trace` prints each stage."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hlspart.model.options import Options, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.stages import STAGES

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.mark.parametrize("name", ["bottleneck", "conv2d", "fir"])
def test_nothing_is_read_or_judged_twice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import hlspart.frontend
    import hlspart.infer.inference
    import hlspart.predict

    read: Counter[object] = Counter()
    judged: Counter[object] = Counter()
    load, check = hlspart.frontend.load, hlspart.predict.check

    def loading(*args: object, **named: object) -> object:
        program = load(*args, **named)  # type: ignore[arg-type]
        read[tuple(s.text for s in program.sources.values())] += 1
        return program

    def checking(program: object, analysis: object, validation: object, *args: object, **named: object) -> object:
        layouts = [(d.kind, d.text, d.function, d.loop, d.variables) for d in program.directives]  # type: ignore[attr-defined]
        text = tuple(s.text for s in program.sources.values())  # type: ignore[attr-defined]
        judged[text, tuple(layouts), validation.apart, str(args[0])] += 1  # type: ignore[attr-defined]
        return check(program, analysis, validation, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(hlspart.frontend, "load", loading)
    monkeypatch.setattr(hlspart.predict, "check", checking)
    monkeypatch.setattr(hlspart.infer.inference, "check", checking)
    path = SAMPLES / f"{name}.c"
    result = Pipeline([str(path)], Options()).rewrite(RewriteOptions(infer=True))
    outputs = {result.files[str(path)]} - {path.read_text()}
    assert set(read.values()) == {1}
    # texts with banks, with windows and with values in variables, of which one is taken or none
    others = {"bottleneck": 2, "conv2d": 2, "fir": 1}
    assert len(read) == 1 + len(outputs) + others.get(name, 0)  # each text is read once to check it
    assert len(judged) >= 3
    assert set(judged.values()) == {1}


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES])
def test_every_stage_can_be_read(stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    from hlspart.cli.app import run

    path = SAMPLES / "bottleneck.c"
    assert run(["trace", str(path), "--stage", stage]) == 0
    said = capsys.readouterr().out
    wanted = {
        "program": "SUM_LOOP", "accesses": "range", "partitions": "Validation", "ii": "limits", "inferred": "banks",
        "transformed": "inferred pragmas", "rewritten": "outcomes",
    }  # fmt: skip
    assert wanted[stage] in said
    assert "0x" not in said and "object at" not in said  # every record has a text of its own
