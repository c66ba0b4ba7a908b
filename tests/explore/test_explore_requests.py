"""What users ask for: fixed loops and arrays, regions, barriers, patterns, in the text and in files."""

import json
import re
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from hlspart.cli.app import run as command
from hlspart.explore.errors import RequestFileError
from hlspart.explore.regions import KindPattern, patterns
from hlspart.model.exploring import Assumed, ExploreOptions, ExternalMemory, ResourceBudget, StepPipeline
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

HERE = Path(__file__).parent / "kernels"
ASSUME = ["--assume", "*:ii=1,depth=12,dsp=5", "--offchip", "bytes=16,latency=32"]
Ask = Callable[..., tuple[int, dict, str]]


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str]) -> Ask:
    def asked(path: Path | str, *args: str) -> tuple[int, dict, str]:
        code = command(["explore", str(path), *ASSUME, *args, "--format", "json"])
        told = capfd.readouterr()
        assert "Traceback" not in told.err
        return code, json.loads(told.out)["files"][0] if told.out else {}, told.err

    return asked


def changed(tmp_path: Path, kernel: str, *inserted: tuple[int, str]) -> Path:
    """A kernel with lines put in before lines."""
    lines = (HERE / kernel).read_text().splitlines(keepends=True)
    for at, line in sorted(inserted, reverse=True):
        lines.insert(at - 1, line + "\n")
    path = tmp_path / kernel
    path.write_text("".join(lines))
    return path


def test_an_array_stays_or_moves_as_fixed(ask: Ask, tmp_path: Path) -> None:
    free = ask(HERE / "gemm.c", "--budget", "bytes=1KiB")[1]
    assert [b["copies"] for b in free["best"]["regions"][0]["buffers"]] == [2, 2, 2]
    for array, at in (("A", 1), ("C", 0)):
        path = changed(tmp_path, "gemm.c", (3, f"#pragma hlspart fix array={array} resident"))
        code, shape, _ = ask(path, "--budget", "bytes=2KiB")
        region = shape["best"]["regions"][0]
        buffer = region["buffers"][at]
        assert (code, buffer["array"], buffer["copies"], buffer["bytes"]) == (0, array, 1, 1024)
        assert {m["array"]: m["requests"] for m in region["load"]}[array] == 1
        assert shape["proved"]
        assert shape["regions"][0]["candidates"] < free["regions"][0]["candidates"]
    path = changed(tmp_path, "gemm.c", (3, "#pragma hlspart fix array=C stream"))
    assert ask(path, "--budget", "bytes=64KiB")[1]["best"]["regions"][0]["buffers"][0]["copies"] == 2


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("fix array=D resident", "no array 'D'"),
        ("fix array=A", "needs resident or stream"),
        ("fix array=A held", "'held' is not known"),
        ("fix loop=k shard=4 split=5", "split=5 of k is not the least number of steps of any slice; those are 1, 2, 4"),
        ("fix loop=i shard=2\n#pragma hlspart fix loop=i shard=4", "shard of i is fixed to 2 already"),
        ("barrier now", "barrier takes no value"),
        ("region 2", "region takes no value"),
    ],
)
def test_what_cannot_hold_ends_the_run_with_its_place(ask: Ask, tmp_path: Path, wrong: str, why: str) -> None:
    path = changed(tmp_path, "gemm.c", (3, f"#pragma hlspart {wrong}"))
    code, shape, said = ask(path, "--pe", "4", "-o", str(tmp_path / "new.c"))
    assert code == 1
    assert not shape.get("best")
    assert f"gemm.c:{4 if chr(10) in wrong else 3}:1: error: " in said
    assert why in said
    assert not (tmp_path / "new.c").exists()


def test_a_file_says_the_same_as_pragmas(ask: Ask, tmp_path: Path) -> None:
    path = changed(tmp_path, "gemm.c", (3, "#pragma hlspart fix loop=i shard=4 split=2"))
    wanted = ask(path, "--pe", "4")[1]["best"]
    fixes = tmp_path / "fix.toml"
    fixes.write_text('[[fix]]\nloop = "i"\nshard = 4\nsplit = 2\n')
    assert ask(HERE / "gemm.c", "--pe", "4", "--fix", str(fixes))[1]["best"] == wanted
    fixes.write_text(
        '[[fix]]\nnest = "r0"\narray = "A"\nplace = "resident"\n\n[[fix]]\nnest = "r7"\nloop = "i"\nshard = 1\n'
    )
    code, _, said = ask(HERE / "gemm.c", "--pe", "4", "--fix", str(fixes))
    assert code == 1
    assert "fix.toml:6:1: error: no nest 'r7' [fix-file]" in said
    for text in (
        "[[fix]\n",
        "[fix]\nloop = 1\n",
        "[[fix]]\nloop = 3\n",
        "[[mend]]\na = 1\n",
        "[[fix]]\nloop='i'\nshard=0\n",
    ):
        fixes.write_text(text)
        code, shape, said = ask(HERE / "gemm.c", "--fix", str(fixes))
        assert (code, shape.get("best")) == (2, None), text
        assert "fix.toml" in said


def test_patterns_are_read() -> None:
    found = patterns("p", "# sums\n2: copy map* reduce | stencil\nmatmul\n\n")
    assert found == (
        KindPattern("copy map* reduce", 2, (("copy", False), ("map", True), ("reduce", False))),
        KindPattern("stencil", 2, (("stencil", False),)),
        KindPattern("matmul", 0, (("matmul", False),)),
    )
    assert found[0].lengths(["copy", "map", "map", "reduce"], 0) == [4]
    assert found[0].lengths(["copy", "reduce"], 0) == []
    assert KindPattern("map*", 0, (("map", True),)).lengths(["map"] * 6, 0) == [1, 2, 3, 4]
    with pytest.raises(RequestFileError, match="p:2:6: error: 'mop' is no kind of nest"):
        patterns("p", "map\ncopy mop")


def test_a_pattern_makes_a_region_whose_values_stay_on_the_chip(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_text("map | copy map\n1: map reduce\ncopy map* reduce\n")
    apart = ask(HERE / "chain.c", "--pe", "4")[1]
    assert [r["nests"][0] for r in apart["regions"]] == ["VITIS_LOOP_3_1", "VITIS_LOOP_6_3", "VITIS_LOOP_9_5"]
    code, shape, _ = ask(HERE / "chain.c", "--pe", "4", "--patterns", str(file), "-o", str(tmp_path / "new.c"))
    region = shape["regions"][0]
    assert (code, len(shape["regions"]), region["by"]) == (0, 1, "copy map* reduce")  # the longest
    assert [p["does"] for p in region["parts"]] == ["copy", "map", "reduce"]
    assert region["on_chip"] == ["a", "b"]
    moved = [m["array"] for r in shape["best"]["regions"] for m in (*r["load"], *r["store"])]
    assert moved == ["in", "scale", "s"]
    assert shape["best"]["cycles"] < apart["best"]["cycles"]
    result = verify(str(HERE / "chain.c"), str(tmp_path / "new.c"), VerifyOptions(top="chain", vectors=3))
    assert result.status == "equal", result.message
    file.write_text("copy map\n1: map reduce\n")  # as long: the higher priority
    _, shape, _ = ask(HERE / "chain.c", "--patterns", str(file))
    assert [len(r["nests"]) for r in shape["regions"]] == [1, 2]
    file.write_text("copy map\nmap reduce\n")  # and then the first in the text
    _, shape, _ = ask(HERE / "chain.c", "--patterns", str(file))
    assert [len(r["nests"]) for r in shape["regions"]] == [2, 1]
    file.write_text("copy mop\n")
    code, shape, said = ask(HERE / "chain.c", "--patterns", str(file))
    assert code == 2
    assert "p.txt:1:6: error: 'mop' is no kind of nest" in said


def test_regions_and_barriers_of_the_text(ask: Ask, tmp_path: Path) -> None:
    path = changed(tmp_path, "chain.c", (3, "#pragma hlspart region\n{"), (9, "}"))
    code, shape, _ = ask(path, "--pe", "4")
    assert (code, [len(r["nests"]) for r in shape["regions"]]) == (0, [2, 1])
    assert shape["regions"][0]["on_chip"] == ["a"]
    pattern = tmp_path / "p.txt"
    pattern.write_text("copy map* reduce\n")
    for line in ("#pragma hlspart barrier", "#pragma hlspart region"):  # alone, or behind: in no match
        path = changed(tmp_path, "chain.c", (6, line))
        assert [len(r["nests"]) for r in ask(path, "--patterns", str(pattern))[1]["regions"]] == [1, 1, 1]
    loop = "for (int i = 0; i < 8; i++) {}[i] = i;\n"
    text = "void f(int A[8], int B[8]) {\n" + loop.format("A") + "%s" + loop.format("B") + "}\n"
    path = tmp_path / "two.c"
    for line, layers in (("", [0, 0]), ("#pragma hlspart barrier\n", [1, 0])):
        path.write_text(text % line)
        assert [r["layer"] for r in ask(path)[1]["regions"]] == layers


def test_by_the_model_schedule_cycles_are_those_of_the_c(ask: Ask, tmp_path: Path) -> None:
    new = tmp_path / "new.c"
    args = ["explore", str(HERE / "gemm.c"), "--pe", "4", "--offchip", "bytes=16,latency=32", "--budget", "bytes=1KiB"]
    report = tmp_path / "report.json"
    code = command([*args, "--model", "schedule", "-o", str(new), "--format", f"json={report}"])
    shape = json.loads(report.read_text())["files"][0]
    best = shape["best"]
    assert (code, shape["proved"], shape["model"]) == (0, True, "schedule")
    assert best["cycles"] == best["schedule_cycles"] == best["model_cycles"]
    assert all(e["bound"] <= e["cycles"] for e in shape["evaluations"])
    assert command(["ii", str(new), "--format", f"json={report}"]) == 0
    latency = {f["name"]: f["latency"]["max"] for f in json.loads(report.read_text())["files"][0]["functions"]}
    region = best["regions"][0]
    assert latency["gemm_i_compute"] == region["compute"]
    for m in region["load"]:
        assert latency[f"gemm_i_load_{m['array']}"] <= m["cycles"]


SUMS = """void mv(float A[48][48], float x[48], float y[48]) {
    for (int i = 0; i < 48; i++)
        for (int j = 0; j < 48; j++)
            y[i] += A[i][j] * x[j];
}
"""


@pytest.mark.parametrize("elements", [6, 8])
def test_by_the_model_schedule_sums_of_floats_have_known_cycles(elements: int, tmp_path: Path) -> None:
    """Adders whose states are hidden, several words moved at once, elements that are no power of two."""
    path, new, report = tmp_path / "mv.c", tmp_path / "new.c", tmp_path / "report.json"
    path.write_text(SUMS)
    args = ["explore", str(path), "--pe", str(elements), "--model", "schedule", "--allow-reassoc", "--clock", "4.5"]
    args += ["--part", "xcu55c-fsvh2892-2L-e", "-o", str(new), "--format", f"json={report}"]
    assert command(args) == 0
    shape = json.loads(report.read_text())["files"][0]
    assert all(e["bound"] <= e["cycles"] for e in shape["evaluations"])
    assert shape["best"]["cycles"] <= 1.1 * shape["evaluations"][0]["bound"]
    result = verify(str(path), str(new), VerifyOptions(top="mv", vectors=2, value_range=(1, 9), ulp=64))
    assert result.status == "equal"


@pytest.mark.parametrize(("schedule", "kind"), [(False, "float"), (True, "float"), (False, "int")])
def test_parts_of_sums_take_what_their_c_takes(schedule: bool, kind: str) -> None:
    """A tree of adders, five levels high: no model is above the C, and none knows more when the C is written."""
    text = SUMS.replace("float", kind).replace("{\n    for", "{\n#pragma hlspart fix loop=j shard=24\n    for", 1)
    pipeline = Pipeline(["f.c"], Options(), lambda _: text.encode())
    options = ExploreOptions(24, reassociate=True, share=False, schedule=schedule, write=True)
    best = pipeline.explore("mv", options).shape["best"]
    (region,) = best["regions"]
    assert (region["kind"], region["shard"]) == ("partial-sum", [1, 24])
    assert best["model_cycles"] <= best["schedule_cycles"] <= 1.2 * best["model_cycles"]
    assert pipeline.explore("mv", replace(options, write=False)).shape["best"]["model_cycles"] == best["model_cycles"]


def test_page_and_picture_show_the_front(ask: Ask, tmp_path: Path) -> None:
    """And all phases with what they take, the memory map, and what does not fit."""
    html, picture = tmp_path / "e.html", tmp_path / "e.svg"
    for budget, charts in (("bytes=600", 2), ("bram=12,bytes=600", 3)):
        args = ["--pe", "4", "--budget", budget, "--html", str(html), "--svg", str(picture)]
        _, shape, _ = ask(HERE / "gemm.c", *args)
        page, drawn = html.read_text(), picture.read_text()
        (region,), best = shape["regions"], shape["best"]["regions"][0]
        front = region["front"]
        assert drawn.count("<circle") == len(front) > 4
        assert page.count("<circle") == charts * len(front)  # against bytes, DSP blocks, and BRAM where it counts
        titles = {unescape(t) for t in re.findall(r"<title>(.*?)</title>", page)}
        for p in front:
            blocks = f", {p['model_bram18k']} BRAM18K" if charts == 3 else ""
            figures = f"{p['cycles']} cycles, {p['bytes']} bytes, {p['dsp']} DSP{blocks}"
            assert f"{figures}: shard {p['shard']}, slices {p['slice']}, order {' '.join(p['order'])}" in titles
        assert all(x["reason"] in page and f">{x['count']}<" in page for x in region["failed"])
        at = 0
        for row in shape["steps"]:  # of one phase all begin at once, the next one begins behind the longest
            takes = {"load": sum(m["cycles"] for m in best["load"] if m["array"] in row["load"]),
                     "store": sum(m["cycles"] for m in best["store"] if m["array"] in row["store"]),
                     "compute": best["compute"] if row["compute"] is not None else 0}  # fmt: skip
            for what, n in takes.items():
                bar = f"{row['step']}: {what} .*: states {at} to {at + n}, {n} cycles"
                assert not n or row["step"] >= 24 or any(re.fullmatch(bar, t) for t in titles), (bar, titles)
            at += max(takes.values())
        assert len(shape["steps"]) < 64 and at == shape["best"]["cycles"]
        for b in best["buffers"]:
            last = b["offset"] + b["bytes"] * b["copies"] - 1
            assert f"r0 {b['array']}: steps 0 to 0, bytes {b['offset']} to {last}" in titles
        assert "http" not in page.replace("http-equiv", "")
        assert ask(HERE / "gemm.c", *args)[0] == 0
        assert html.read_text() == page


def test_the_library_explores() -> None:
    import hlspart

    kernel = hlspart.open(str(HERE / "gemm.c"))
    found = kernel.explore("gemm", 4, size=1024)
    assert found.proved
    assert found.best is not None
    assert found.best["bytes"] <= 1024
    assert list(found.texts) == list(kernel.texts)
    assert found.to_json()["schema"] == "hlspart.explore/1"
    assert "proved best" in str(found)
    assert found._repr_html_().count("<tr>") == 2
    with pytest.raises(hlspart.InputError, match="no function 'f'"):
        kernel.explore("f")


TWICE = """void f(int A[61], int out[61]) {
    int T[61];
    for (int i = 0; i < 61; i++) {
        T[i] = A[i] * 2;
        out[i] = T[i] + 1;
    }
READ
}
"""


@pytest.mark.parametrize(("read", "stored"), [("", ["out"]), ("    out[0] += T[3];", ["T", "out"])])
def test_what_nothing_reads_after_the_nest_is_not_stored(tmp_path: Path, read: str, stored: list[str]) -> None:
    path, new = tmp_path / "f.c", tmp_path / "new.c"
    path.write_text(TWICE.replace("READ", read))
    asked = ExploreOptions(elements=2, budget=ResourceBudget(400), write=True)
    result = Pipeline([str(path)], Options()).explore("f", asked)
    (region,) = result.shape["best"]["regions"]
    assert [m["array"] for m in region["store"]] == stored
    assert [b["offset"] for b in region["buffers"]] == [
        sum(b["bytes"] * b["copies"] for b in region["buffers"][:k]) for k in range(len(region["buffers"]))
    ]
    new.write_text(result.texts[str(path)])
    assert ("_store_T(" in new.read_text()) == ("T" in stored)
    equal = verify(str(path), str(new), VerifyOptions(top="f", vectors=3, value_range=(-99, 99)))
    assert equal.status == "equal", equal.message


@pytest.mark.parametrize(("update", "way"), [("s[i] = A[i] * 3", "dataflow"), ("s[i] += A[i]", "pingpong")])
def test_the_better_way_to_overlap_steps(tmp_path: Path, update: str, way: StepPipeline) -> None:
    """A nest that loads and stores an array is no DATAFLOW region; one that is takes no more."""
    text = f"void f(int A[60], int s[60]) {{ for (int i = 0; i < 60; i++) {update}; }}"
    pipeline = Pipeline(["f.c"], Options(), lambda _: text.encode())
    assumed = {"*": Assumed(1, 4, 1)}
    off_chip = ExternalMemory(4, 2, per_array=True)
    options = ExploreOptions(elements=2, off_chip=off_chip, assumed=assumed, pipeline="auto", state=str(tmp_path / "s"))
    shape = pipeline.explore("f", options).shape
    ways: tuple[StepPipeline, ...] = ("pingpong", way)
    by = {w: pipeline.explore("f", replace(options, pipeline=w, state=None)).shape["best"]["cycles"] for w in ways}
    assert shape["best"]["cycles"] == by[shape["pipeline"]] == min(by.values())
    assert (tmp_path / "s" / "pingpong" / "results.jsonl").exists()


def test_nests_that_are_alike_are_searched_once_in_all_searches(tmp_path: Path) -> None:
    """Of one folder; not under another budget, and not where a search was cut short."""
    row = "for (int i = 0; i < {0}; i++) for (int j = 0; j < 9; j++) {1}[i] += A[i][j];"
    one = f"void f(int A[20][9], int y[20], int z[20]) {{ {row.format(12, 'y')} {row.format(7, 'z')} }}"
    other = f"void g(int A[12][9], int w[12]) {{ {row.format(12, 'w')} }}"
    lines: list[str] = []

    def explored(text: str, top: str, size: int, state: str | None = str(tmp_path / "s")) -> Mapping[str, object]:
        options = ExploreOptions(elements=2, assumed={"*": Assumed(1, 4, 1)}, state=state,
                                 budget=ResourceBudget(size=size))  # fmt: skip
        lines.clear()
        return Pipeline(["f.c"], Options(), lambda _: text.encode()).explore(top, options, lines.append).shape

    explored(one, "f", 4096)
    assert not any("reused" in line for line in lines)
    again = explored(other, "g", 4096)
    assert any(line.startswith("3 of 3 tasks reused") for line in lines), lines
    assert again == explored(other, "g", 4096, None)
    explored(other, "g", 512)
    assert not any("reused" in line for line in lines)
    for path in (tmp_path / "s" / "templates").iterdir():
        path.write_text('{"records": [{}]')
    assert again == explored(other, "g", 4096)
