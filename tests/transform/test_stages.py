"""Each stage once: a file is read once, its output once, and no program is judged twice. `trace` prints each stage."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hlspart.model.options import Options, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.stages import STAGES

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.mark.parametrize("name", ["bottleneck", "conv2d", "fir", "histogram", "polyphase"])
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
    assert len(outputs) == (name != "fir")
    assert len(read) == 1 + len(outputs) + others.get(name, 0)  # each text is read once to check it
    assert len(judged) >= 3
    assert set(judged.values()) == {1}


def test_a_text_is_known_whichever_text_it_follows() -> None:
    """Of two rewrites that come to the same text one reads it."""
    path = str(SAMPLES / "fir.c")
    first = Pipeline([path], Options())
    one, other = ({path: f"int top(int a[8]) {{ return a[{k}]; }}"} for k in (1, 2))
    second = first.with_texts(one)
    assert second.with_texts(other) is first.with_texts(other) is not second
    assert second.with_texts(other).with_texts(one) is second
    assert second.with_texts(other).program.sources[path].text == other[path]
    assert second.with_texts({}, "syn.directive.inline=top") is not second


def test_a_search_that_ends_early_says_what_it_left(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """How much was looked at does not depend on what was asked before, nor on what is kept."""
    from hlspart.cli.app import run

    path = str(SAMPLES / "bottleneck.c")
    whole = Pipeline([path], Options()).rewrite(RewriteOptions(infer=True))
    assert whole.untried == () and whole.work > 0 and "not tried" not in str(whole.diagnostics)
    cut = RewriteOptions(infer=True, most_work=0)
    after = Pipeline([path], Options())
    after.rewrite(RewriteOptions(infer=True))
    one, other = after.rewrite(cut), Pipeline([path], Options()).rewrite(cut)
    assert one == other and one.work > 0 and "reuse buffers" in one.untried
    assert "loops in another order" not in one.untried  # there is no recurrence
    assert run(["rewrite", path, "--infer", "--max-work", "0", "-o", str(tmp_path / "o.c")]) == 0
    said = capsys.readouterr().err
    assert "note: not tried: reuse buffers, " in said and "more than 0 operations (--max-work allows more)" in said


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
