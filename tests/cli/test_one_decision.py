"""Every command that names a way for a loop that misses its target names the same first one."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import hlspart
from hlspart.cli.app import run
from tests.amounts import amount

SAMPLES = Path(__file__).parents[2] / "samples"


def random_kernel(seed: int) -> str:
    """A loop that reads an array at random places, after one that fills it, or adds to one around a recurrence."""
    rng = random.Random(seed)
    kind, trips = rng.choice(("int", "float")), rng.choice((16, 24, 30))
    reads = [f"a[{rng.choice((1, 1, 2, 3))} * i + {rng.randint(0, 3)}]" for _ in range(rng.randint(2, 5))]
    if rng.random() < 0.3:
        reads.append(f"a[p[{rng.choice(('i', 'i + 1'))}]]")
    body = f"o[i] = {' + '.join(reads)};"
    if rng.random() < 0.3:
        sums = f"o[i] += {reads[0]} * a[j];"
        body = f"for (int j = 0; j < 8; j++) {{\n#pragma HLS PIPELINE II=1\n            {sums}\n        }}"
    else:
        body = f"\n#pragma HLS PIPELINE II=1\n        {body}"
    if rng.random() < 0.4:  # the tool pipelines it by itself
        body = body.replace("#pragma HLS PIPELINE II=1", "")
    return (
        f"void f(const {kind} in[128], const unsigned char p[32], {kind} o[32]) {{\n    {kind} a[128];\n"
        "FILL:\n    for (int i = 0; i < 128; i++) {\n#pragma HLS PIPELINE II=1\n        a[i] = in[i];\n    }\n"
        f"WORK:\n    for (int i = 0; i < {trips}; i++) {{{body}\n    }}\n}}\n"
    )


def answers(path: str, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    """Per command the first way of each late loop."""
    found: dict[str, dict[str, Any]] = {}
    for command in ("advise", "ii", "infer", "report"):
        assert run([command, path, "--format", "json"]) in (0, 1)
        shape = json.loads(capsys.readouterr().out)
        found[command] = {x["name"]: x["ways"][0] for x in shape["files"][0]["loops"] if x.get("ways")}
    late = found["ii"].keys()
    return {command: {k: v for k, v in ways.items() if k in late} for command, ways in found.items()}


@pytest.mark.parametrize("seed", amount((1, 3, 5), range(6)))
def test_all_commands_name_the_same_first_way(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(random_kernel(seed))
    checked(capsys)


def test_random_kernels_have_several_first_ways() -> None:
    found = [x for seed in range(6) for x in hlspart.parse(random_kernel(seed)).pipeline.advice]
    assert len({x.ways[0].kind for x in found}) >= 3
    assert {x.target_ii for x in found} == {1, None}


def test_so_they_do_on_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("bottleneck", "upsample"):
        Path("k.c").write_text((SAMPLES / f"{name}.c").read_text())
        assert checked(capsys) == 1


def checked(capsys: pytest.CaptureFixture[str]) -> int:
    """All commands about k.c agree; how many of its loops miss their target."""
    found = answers("k.c", capsys)
    first = found["advise"]
    assert all({n: w["command"] for n, w in ways.items()} == {n: w["command"] for n, w in first.items()}
               for ways in found.values())  # fmt: skip
    commands = {w["command"] for w in first.values() if w["command"] is not None and w["kind"] != "pragma"}
    run(["lint", "k.c", "--format", "json"])
    hints = [d["hint"] or "" for d in json.loads(capsys.readouterr().out)["diagnostics"]]
    assert not any("hlspart rewrite" in hint for hint in hints)  # lint names no way of its own
    run(["lint", "k.c", "--ways", "--format", "json"])
    named = " ".join(d["hint"] or "" for d in json.loads(capsys.readouterr().out)["diagnostics"])
    missed = {x.name for x in hlspart.open("k.c").pipeline.figures.loops if x.pipelined and x.misses}
    for loop, way in first.items():
        assert loop not in missed or way["command"] is None or way["command"] in named
    run(["directives", "k.c"])
    notes = capsys.readouterr().err
    for command in commands:
        assert command in notes
    late = [x for x in hlspart.open("k.c").pipeline.figures.loops if x.pipelined and x.misses]
    assert len(first) >= len(late)
    return len(first)


def test_a_loop_that_nothing_helps_says_why_beside_one_that_is_helped() -> None:
    late = """void f(const int *a, int o[16]) {
L:  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        o[i] = a[4 * i] + a[4 * i + 1] * a[4 * i + 2] - a[4 * i + 3];
    }
}
"""
    alone = hlspart.parse(late).rewrite(infer=True)
    (said,) = [d for r in alone.results for d in r.diagnostics]
    assert (said.rule, said.severity) == ("rewrite-target-missed", "warning") and alone.findings
    beside = hlspart.parse(late + late.replace("f(const int *a", "g(const int a[64]")).rewrite(infer=True)
    (note,) = [d for r in beside.results for d in r.diagnostics]
    assert (note.rule, note.severity) == ("rewrite-not-helped", "note") and not beside.findings
    assert note.message == said.message and "proved: the 64 elements of 'a'" in note.message


def test_a_loop_that_the_tool_pipelines_by_itself_has_no_target_anywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """void gather(const int a[64], int out[60]) {
    for (int i = 0; i < 12; i++) out[i] = a[i] * a[2 * i + 1] + a[3 * i] - a[60 - i];
}
"""
    path = tmp_path / "gather.c"
    path.write_text(text)
    found = hlspart.open(path)
    (advised,) = hlspart.advise(found).loops
    (loop,) = found.pipeline.figures.loops
    assert (loop.origin, loop.ii, advised.ii, advised.target_ii) == ("auto", 2, 2, None)
    assert run(["advise", str(path)]) == 0
    assert "II 2 without a target" in capsys.readouterr().out
    assert run(["lint", str(path)]) == 0


def test_commands_name_a_file_elsewhere_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a folder beside it too, so that the answers of all commands are the same text."""
    path = tmp_path / "k.c"
    path.write_text(random_kernel(4))
    (tmp_path / "beside").mkdir()
    monkeypatch.chdir(tmp_path / "beside")
    found = answers(str(path), capsys)
    first = {n: w["command"] for n, w in found["advise"].items()}
    assert any(command is not None and str(path) in command for command in first.values())
    assert all({n: w["command"] for n, w in ways.items()} == first for ways in found.values())


def test_no_next_step_where_nothing_is_better(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recurrence of floats over banks that are there: `infer` has no patch to offer, `advise` says the same."""
    path = tmp_path / "k.c"
    path.write_text("""void f(const float x[64][8], float s[8]) {
#pragma HLS ARRAY_PARTITION variable=x complete dim=2
#pragma HLS ARRAY_PARTITION variable=s complete
L:  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        for (int j = 0; j < 8; j++) s[j] = s[j] * x[i][j] + 1;
    }
}
""")
    for command in ("ii", "infer", "advise"):
        run([command, str(path)])
        out = capsys.readouterr().out
        assert not [line for line in out.partition("next: ")[2].splitlines() if "rewrite" in line or "infer" in line]


def test_without_a_target_no_command_says_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.c"
    path.write_text("""void f(const unsigned char in[64], int hist[256]) {
    for (int i = 0; i < 64; i++) hist[in[i]]++;
}
""")
    run(["directives", str(path)])
    said = capsys.readouterr()
    assert "None" not in said.err + said.out
    assert "II 2 without a target" in said.err or not said.err
