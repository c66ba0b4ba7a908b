"""The samples: every rewrite of every sample computes the same, and no bank sees more than predicted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hlspart.cli.app import run
from hlspart.infer import emission
from hlspart.model.options import FrontendOptions, InferOptions, Options, RewriteOptions, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.targets import known, load
from hlspart.verification import VerifyOptions, verify, verify_many
from tests.amounts import amount

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "samples").glob("*.c"))
WAYS = {
    "auto": RewriteOptions(),
    "infer": RewriteOptions(infer=True),
    "split": RewriteOptions(style="split", dynamic="bankdim"),
    "bankdim": RewriteOptions(style="bankdim"),
    "crossbar": RewriteOptions(style="crossbar"),
}
FEW = [p for p in SAMPLES if p.stem in {"bottleneck", "conv2d", "jacobi1d", "polyphase", "upsample"}]
PARTITIONED = {"batchnorm", "conv2d", "fir", "jacobi1d", "matmul", "polyphase", "reduction", "uneven"}


def test_there_are_samples() -> None:
    assert {p.stem for p in SAMPLES} >= PARTITIONED | {"bottleneck", "histogram"}


@pytest.mark.parametrize("way", WAYS)
def test_rewrites_compute_the_same(tmp_path: Path, way: str) -> None:
    pairs, changed = [], set()
    tried = amount(FEW, SAMPLES)
    for sample in tried:
        pipeline = Pipeline([str(sample)], Options())
        result = pipeline.rewrite(WAYS[way])
        new = result.files[str(sample)]
        if new == sample.read_text():
            continue
        changed.add(sample.stem)
        (tmp_path / sample.name).write_text(new)
        options = VerifyOptions(top=sample.stem, vectors=2, map=result.map_json())
        pairs.append((str(sample), str(tmp_path / sample.name), options))
        again = Pipeline([str(tmp_path / sample.name)], Options()).rewrite(WAYS[way])
        if way != "infer":
            assert again.files[str(tmp_path / sample.name)] == new, f"{sample.stem}: rewriting again changes it"
    wrong = [(p[0], r.message) for p, r in zip(pairs, verify_many(pairs), strict=True) if r.status != "equal"]
    assert wrong == []
    if way in ("split", "bankdim"):
        assert changed >= (PARTITIONED - {"fir"}) & {p.stem for p in tried}
    if way == "infer":
        assert {"bottleneck", "conv2d", "upsample"} <= changed


def test_the_promise_of_the_readme(tmp_path: Path) -> None:
    sample = next(p for p in SAMPLES if p.stem == "bottleneck")
    before = {x.name: x.ii for x in Pipeline([str(sample)], Options()).ii.loops}
    assert before == {"LOAD_LOOP": 1, "SUM_LOOP": 2}
    result = Pipeline([str(sample)], Options()).rewrite(RewriteOptions(infer=True, style="crossbar"))
    new = tmp_path / "banked.c"
    new.write_text(result.files[str(sample)])
    after = {x.name: x.ii for x in Pipeline([str(new)], Options()).ii.loops}
    assert after == {"LOAD_LOOP": 1, "SUM_LOOP": 1}
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    shown = readme.split("```c\n")[1].split("```")[0].splitlines()
    assert (
        len(shown) > 4 and [line for line in shown if line != "..." and line not in new.read_text().splitlines()] == []
    )
    lines = [x.line for p in (sample, new) for x in Pipeline([str(p)], Options()).ii.loops if x.name == "SUM_LOOP"]
    assert [int(n) for n in re.findall(r"o SUM_LOOP +(\d+) ", readme)] == lines
    checked = verify(str(sample), str(new), VerifyOptions(top="bottleneck", vectors=20, ports=load(TargetOptions())))
    assert checked.exit_code == 0, checked.message
    uses = {(u.loop, u.array): (u.reads, u.writes, u.interval, u.iterations) for u in checked.ports}
    assert uses["SUM_LOOP", "mem_0"] == (2, 0, 1, 126) and uses["SUM_LOOP", "mem_1"][2] == 1


def test_the_readme_shows_a_sweep_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parents[2]
    shown = (root / "README.md").read_text().split("$ hlspart expand ")[1].split("```")[0].splitlines()
    file, *words = shown[0].split()
    assert run(["expand", str(root / file), *words]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(shown) == 10 and set(shown[1:]) - {"..."} <= set(printed)


def test_the_readme_says_what_the_window_of_its_example_costs() -> None:
    pipeline = Pipeline([next(str(p) for p in SAMPLES if p.stem == "bottleneck")], Options())
    new = pipeline.with_texts(pipeline.rewrite(RewriteOptions(infer=True)).files).ii
    assert [f.latency.max for x in (new, pipeline.ii) for f in x.functions] == [130, 388]
    assert sum(a.bram18k for a in new.arrays) == 0


TOOLS = ("vivado-hls-2019.2", "vitis-2022.1", "vitis-2022.2", "vitis-2025.2")


@pytest.mark.parametrize("tool", amount(TOOLS, tuple(t for t in known().tools if t != "generic")))
def test_the_readme_says_for_which_tools_its_examples_hold(tool: str) -> None:
    """One sample from 2022.2 on, another for every tool; all commands say so, tool by tool."""
    readme = " ".join((SAMPLES[0].parents[1] / "README.md").read_text().split())
    assert "This holds for Vivado HLS and Vitis HLS up to 2022.1, the default. From 2022.2 on the tool copies" in readme
    assert "`samples/upsample.c` misses its target with every tool" in readme
    options = Options(target=TargetOptions(tool=tool))
    copied = tool.startswith("vitis-") and tool >= "vitis-2022.2"
    for name, loop, needed in (("bottleneck", "SUM_LOOP", not copied), ("upsample", "SMOOTH", True)):
        path = str(SAMPLES[0].parent / f"{name}.c")
        p = Pipeline([path], options)
        assert {x.name: x.ii for x in p.ii.loops}[loop] == 1 + needed
        inferred = p.infer(InferOptions())
        assert {x.name: (x.ii_before, x.ii_after) for x in inferred.loops}[loop] == (1 + needed, 1)
        assert any(a.needs_rewrite or a.kind != "none" for a in inferred.arrays) == needed
        beside = p.infer(InferOptions(scheme="pragma", beside=True, sparing=True))
        assert ("array_partition" in emission.emit(p.program, beside, "cfg")) == needed
        assert (loop in [x.name for x in p.advice]) == needed
        assert any(d.rule == "HLP201" for d in p.lint().diagnostics) == needed
        new = p.rewrite(RewriteOptions(infer=True)).files[path]
        assert (new != p.program.sources[path].text) == needed
        again = Pipeline([path], options, lambda _: new.encode())  # noqa: B023
        assert {x.name: x.ii for x in again.ii.loops}[loop] == 1


@pytest.mark.parametrize("sample", SAMPLES[:: amount(4, 1)], ids=lambda p: p.stem)
def test_the_port_simulator_agrees_with_the_model(sample: Path) -> None:
    options = VerifyOptions(top=sample.stem, vectors=1, runs=1, ports=load(TargetOptions()))
    result = verify(str(sample), str(sample), options)
    assert result.status == "equal" and not any(u.exceeds for u in result.ports), result
    known = [u for u in result.ports if u.predicted is not None]
    if sample.stem != "histogram":  # where every index is affine the worst iteration is reached
        assert [u.interval for u in known] == [u.predicted for u in known]
    assert len(known) >= (0 if sample.stem == "fir" else 2)


def test_the_simulator_sees_what_the_model_does_not(tmp_path: Path) -> None:
    """A lie about banks: the pragma says cyclic 4, the program is counted, not believed."""
    text = """void k(const int x[64], int y[64]) {
    int a[64];
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=4
copy: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        a[i] = x[i];
    }
same: for (int i = 0; i < 52; i++) {
#pragma HLS PIPELINE II=1
        y[i] = a[i] + a[i + 4] + a[i + 8] + a[i + 12];
    }
apart: for (int i = 0; i < 60; i++) {
#pragma HLS PIPELINE II=1
        y[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
    }
}
"""
    (tmp_path / "k.c").write_text(text)
    path = str(tmp_path / "k.c")
    result = verify(path, path, VerifyOptions(top="k", vectors=1, runs=1, ports=load(TargetOptions())))
    found = {(u.loop, u.array): (u.reads, u.interval, u.predicted) for u in result.ports}
    assert found["same", "a"] == (4, 2, 2)  # one bank serves all four
    assert found["apart", "a"] == (1, 1, 1)


def test_options_reach_the_frontend(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("int k(int a[SIZE]) { return a[SIZE - 1]; }\n")
    options = Options(FrontendOptions(defines=("SIZE=4",)))
    (array,) = Pipeline([str(tmp_path / "k.c")], options).program.arrays()
    assert array.dims == (4,)
