"""The command: exit codes, budgets, pragmas, records on disk, processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from hlspart.cli.app import run as command
from hlspart.explore import farm
from hlspart.explore.errors import FarmError
from hlspart.explore.search import SearchProblem, Task, tasks
from hlspart.explore.space import Space
from hlspart.model.exploring import Dim, ExternalMemory, Operand, ResourceBudget, TiledNest
from hlspart.pipeline import Pipeline
from hlspart.verification import VerifyOptions, verify

HERE = Path(__file__).parent / "kernels"
ASSUME = ["--assume", "*:ii=1,depth=12,dsp=5", "--offchip", "bytes=16,latency=32"]
GEMM = [str(HERE / "gemm.c"), "--pe", "4", *ASSUME]
Explore = Callable[..., tuple[int, dict, str]]


@pytest.fixture
def explore(capfd: pytest.CaptureFixture[str]) -> Explore:
    def ask(*args: str) -> tuple[int, dict, str]:
        code = command(["explore", *args, "--format", "json"])
        told = capfd.readouterr()
        return code, json.loads(told.out) if told.out else {}, told.err

    return ask


def test_shardings_of_a_tensor(explore: Explore) -> None:
    code, shape, _ = explore("--shardings", "3,4,128,4096", "--pe", "16", "--dtype", "fp16")
    assert code == 0
    assert [level["count"] for level in shape["levels"]] == [21, 6, 3, 3, 1, 1, 1]
    listed = [v for level in shape["levels"] for v in level["shardings"]]
    assert listed.index([1, 16, 1, 1]) < listed.index([16, 1, 1, 1])


def test_each_nest_takes_one_of_several_numbers_of_elements(explore: Explore) -> None:
    fronts = {}
    for given in (["--pe", "1"], ["--pe", "2"], ["--pe", "3"], ["--pe", "3,1"], ["--pe-at-most", "3"]):
        code, shape, _ = explore(GEMM[0], *given, *ASSUME, "--order", "source")
        points = {(p["cycles"], p["bytes"], p["dsp"]) for p in shape["files"][0]["regions"][0]["front"]}
        assert (code, shape["files"][0]["proved"]) == (0, True)
        fronts[given[1] if given[0] == "--pe" else "most"] = points
    assert fronts["most"] != fronts["3,1"] == unbeaten(fronts["1"] | fronts["3"])
    assert fronts["most"] == unbeaten(fronts["1"] | fronts["2"] | fronts["3"])
    for wrong in (["--pe", "0"], ["--pe", "2,"], ["--pe", "2", "--pe-at-most", "3"]):
        assert explore(GEMM[0], *wrong)[0] == 2


def unbeaten(points: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    return {p for p in points if not any(q != p and all(map(int.__le__, q, p)) for q in points)}


TWO = """void two(int A[13][17], int B[17][11], int C[7][19], int D[19][5], int E[13][11], int F[7][5]) {
    int i;
    for (i = 0; i < 13; i++)
        for (int j = 0; j < 11; j++) {
            E[i][j] = 0;
            for (int k = 0; k < 17; k++) E[i][j] += A[i][k] * B[k][j];
        }
    for (i = 0; i < 7; i++)
        for (int j = 0; j < 5; j++) {
            F[i][j] *= 3;
            for (int k = 0; k < 19; k++) F[i][j] += C[i][k] * D[k][j];
        }
    F[0][0] += i;
}
"""


def test_nests_with_ports_of_their_own_run_at_once(explore: Explore, tmp_path: Path) -> None:
    path, new, report = tmp_path / "two.c", tmp_path / "new.c", tmp_path / "ii.json"
    path.write_text(TWO)
    args = ["--pe", "3,2", "--order", "source", "--assume", "*:ii=1,depth=9,dsp=4"]
    apart = ["--offchip", "bytes=16,latency=9,ports=per-array"]
    code, shape, _ = explore(str(path), *args, *apart, "--budget", "bytes=1KiB,dsp=20", "-o", str(new))
    file = shape["files"][0]
    best = file["best"]
    cycles = [r["cycles"] for r in best["regions"]]
    assert (code, file["at_once"], file["proved"]) == (0, [["r0", "r1"]], True)
    assert file["bound"] <= best["cycles"] == max(cycles)
    assert best["bytes"] == sum(r["bytes"] for r in best["regions"]) <= 1024
    assert best["buffer_bytes"] == best["bytes"]
    assert best["dsp"] == sum(r["dsp"] for r in best["regions"]) <= 20
    result = verify(str(path), str(new), VerifyOptions(top="two", vectors=3, value_range=(-9, 9)))
    assert result.status == "equal", result.message
    assert command(["ii", str(new), "--top", "two", "--format", f"json={report}"]) == 0
    functions = {f["name"]: f for f in json.loads(report.read_text())["files"][0]["functions"]}
    assert {"two_i_nest", "two_i_nest_2"} <= set(functions)
    command(["explore", str(path), *args, *apart, "--plan", "--format", f"text={report}"])
    assert "  r0 and r1 run at once\n" in report.read_text()
    # one engine, an array of both, a barrier: one after the other
    for text, off_chip in (
        (TWO, ["--offchip", "bytes=16,latency=9"]),
        (TWO.replace("C[i][k] *", "A[i][k] *"), apart),
        (TWO.replace("    for (i = 0; i < 7", "#pragma hlspart barrier\n    for (i = 0; i < 7"), apart),
        (TWO.replace("    for (i = 0; i < 7", "    E[0][0]++;\n    for (i = 0; i < 7"), apart),
    ):
        path.write_text(text)
        file = explore(str(path), *args, *off_chip)[1]["files"][0]
        assert file["at_once"] == []
        assert file["best"]["cycles"] == sum(r["cycles"] for r in file["best"]["regions"])


def test_best_is_proved_and_can_be_recounted(explore: Explore) -> None:
    code, shape, _ = explore(*GEMM, "--budget", "bytes=1KiB", "--pareto")
    file = shape["files"][0]
    best = file["best"]
    assert (code, file["proved"], file["gap"]) == (0, True, 1.0)
    assert (best["cycles"], best["bytes"], best["dsp"]) == (1587, 1024, 20)
    region = best["regions"][0]
    assert region["bytes"] == sum(b["bytes"] * b["copies"] for b in region["buffers"]) + region["partial_bytes"]
    nest = file["regions"][0]
    assert nest["evaluated"] + nest["pruned"] == nest["candidates"] == 5389
    assert best["cycles"] <= best["serial_cycles"]
    # the step table gives the cycles again
    moves = {m["array"]: m["cycles"] for m in (*region["load"], *region["store"])}
    total = 0
    for row in file["steps"]:
        parts = [sum(moves[a] for a in row["load"]), 0 if row["compute"] is None else region["compute"]]
        total += max(*parts, sum(moves[a] for a in row["store"]))
    assert len(file["steps"]) == region["steps"] + 2
    assert total == best["cycles"]
    fronts = [(p["cycles"], p["bytes"], p["dsp"]) for p in file["pareto"]]
    assert fronts == sorted(set(fronts))
    assert best["cycles"] == fronts[0][0]


def test_nothing_fits_and_the_least_that_does(explore: Explore) -> None:
    code, shape, _ = explore(*GEMM, "--budget", "bytes=23")
    file = shape["files"][0]
    assert (code, file["best"], file["smallest_need"]["bytes"]) == (1, None, 24)
    assert file["regions"][0]["failed"][0]["least"] == {"resource": "bytes", "need": 24, "have": 23}
    assert explore(*GEMM, "--budget", "bytes=24")[0] == 0


def test_less_memory_never_helps_and_a_wider_port_never_hurts(explore: Explore) -> None:
    cycles = [explore(*GEMM, "--budget", f"bytes={n}")[1]["files"][0]["best"]["cycles"] for n in (2048, 1024, 512)]
    assert cycles == sorted(cycles)
    assert len(set(cycles)) == 3
    wide = [*GEMM[:-1], "bytes=64,latency=32", "--budget", "bytes=512"]
    assert explore(*wide)[1]["files"][0]["best"]["cycles"] <= cycles[2]


@pytest.mark.parametrize(
    "wrong",
    [
        ["--budget", "bytes=0"], ["--budget", "bytes=-4"], ["--budget", "bytes=4parsecs"], ["--budget", "slices=5"],
        ["--budget", "bytes=1.5"], ["--pe", "0"], ["--grid", "4y4"], ["--assume", "ii=1"], ["--jobs", "0"],
        ["--offchip", "bytes=16,ports=3"], ["--cluster", "somewhere"], ["--limit", "0"], ["--budget", "dsp=0%"],
    ],
)  # fmt: skip
def test_usage(explore: Explore, wrong: list[str]) -> None:
    code, shape, said = explore(str(HERE / "gemm.c"), *wrong)
    assert (code, shape) == (2, {})
    assert "error" in said
    assert "Traceback" not in said


def test_plan_evaluates_nothing(explore: Explore) -> None:
    code, shape, _ = explore(str(HERE / "layer.c"), "--pe", "4", "--plan", *ASSUME)
    file = shape["files"][0]
    assert code == 0
    assert [r["candidates"] for r in file["regions"]] == [1789, 39599, 3424]
    assert [r["layer"] for r in file["regions"]] == [2, 1, 0]
    assert "best" not in file


def source(tmp_path: Path, *lines: str) -> str:
    text = (HERE / "gemm.c").read_text()
    path = tmp_path / "k.c"
    path.write_text(text.replace("    for (int i", "".join(f"#pragma hlspart {x}\n" for x in lines) + "    for (int i"))
    return str(path)


def test_a_fix_holds_or_the_run_ends(explore: Explore, tmp_path: Path) -> None:
    code, shape, _ = explore(source(tmp_path, "fix loop=i shard=4 split=2"), "--pe", "4", *ASSUME)
    region = shape["files"][0]["best"]["regions"][0]
    assert (code, region["shard"][0], region["split"][0]) == (0, 4, 2)
    assert shape["files"][0]["proved"]
    for line in ("fix loop=i shard=3", "fix loop=z shard=2", "fix loop=i split=9", "fix loop=i", "fix loop=i shard=x"):
        code, _, said = explore(source(tmp_path, line), "--pe", "4", *ASSUME)
        assert code == 1, line
        assert said, line


def test_keep_leaves_a_nest(explore: Explore, tmp_path: Path) -> None:
    code, shape, _ = explore(source(tmp_path, "keep"), *ASSUME)
    assert code == 1  # nothing is left to explore
    assert shape["files"][0]["regions"][0]["reason"] == "#pragma hlspart keep"


def test_alike_nests_are_searched_once(explore: Explore, tmp_path: Path) -> None:
    nest = "for (int i = 0; i < {n}; i++) for (int j = 0; j < 6; j++) {w}[i][j] = {r}[i][j] + 1;\n"
    text = nest.format(n=8, w="B", r="A") + nest.format(n=8, w="C", r="B") + nest.format(n=9, w="D", r="C")
    path = tmp_path / "k.c"
    path.write_text(f"void f(int A[9][6], int B[9][6], int C[9][6], int D[9][6]) {{\n{text}}}\n")
    _, shape, _ = explore(str(path), *ASSUME)
    regions = shape["files"][0]["regions"]
    assert [r["reused_from"] for r in regions] == [None, "r0", None]
    assert regions[0]["front"] == regions[1]["front"]
    other = explore(str(path), *ASSUME, "--part", "xc7z020clg484-1")[1]["files"][0]["regions"]
    assert {r["template_id"] for r in regions}.isdisjoint(r["template_id"] for r in other)


def test_a_search_that_is_ended_does_not_say_that_nothing_fits(explore: Explore, tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    assert explore(*GEMM, "--time-limit", "0", "--format", f"text={said}")[0] == 1
    assert "no choice found before the limit: 0 candidates evaluated" in said.read_text()
    assert "nothing fits" not in said.read_text()


def test_time_limit_ends_what_is_under_way(explore: Explore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = tmp_path / "new.c"
    monkeypatch.setattr(Pipeline, "predict", lambda *_: time.sleep(100))
    begun = time.monotonic()
    code, shape, said = explore(*GEMM, "--time-limit", "0.5", "--limit", "9", "-o", str(new))
    best = shape["files"][0]["best"]
    assert (code, best["schedule_cycles"], shape["files"][0]["proved"]) == (0, None, False)
    assert best["cycles"] >= shape["files"][0]["bound"]
    assert "[explore-unread]" in said
    assert "gemm_i_compute" in new.read_text()
    # what only the C tells is not known then, nor what the function has, nor what an iteration takes
    limits, report = ["--budget", "lut=9999"], tmp_path / "said.txt"
    assert explore(*GEMM, "--time-limit", "0.5", "--limit", "9", *limits, "--format", f"text={report}")[0] == 1
    assert "that fit by the model 0 were read back" in report.read_text()
    said = explore(*GEMM, "--time-limit", "0.1", "--budget", "bram=99")[2]
    assert "gemm.c:2:1: error: the blocks of BRAM of its arrays were not known yet" in said
    code, _, said = explore(GEMM[0], "--pe", "4", "--time-limit", "0.1")
    assert code == 1
    assert "gemm.c:3:5: error: the figures of an iteration were not known yet" in said
    assert time.monotonic() - begun < 50


def test_a_search_has_soon_one_choice_for_all_nests_together(
    explore: Explore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nests that fit alone, but not all at once, where each takes the most elements."""
    path = tmp_path / "two.c"
    path.write_text(TWO)
    every = farm.run
    monkeypatch.setattr(farm, "run", lambda problem, tasks, *rest: every(problem, tasks[:4], *rest))
    code, shape, _ = explore(str(path), "--pe", "4,2", *ASSUME, "--budget", "dsp=25")
    assert (code, shape["files"][0]["proved"]) == (0, False)
    assert shape["files"][0]["best"]["dsp"] <= 25


def test_limit_stops_early_and_says_how_far(explore: Explore) -> None:
    code, shape, _ = explore(*GEMM, "--limit", "500")
    file = shape["files"][0]
    assert (code, file["proved"]) == (0, False)
    assert file["gap"] >= 1
    assert file["bound"] <= 1292 <= file["best"]["cycles"]  # 1292 is the optimum
    assert file["evaluated"] + file["pruned"] == 500


def test_processes_and_resumption_change_nothing(explore: Explore, tmp_path: Path) -> None:
    asked = [*GEMM, "--budget", "bytes=2048"]
    alone = explore(*asked, "--state", str(tmp_path / "s"))[1]
    assert explore(*asked, "--jobs", "2")[1] == alone
    results = tmp_path / "s" / "results.jsonl"
    lines = results.read_text().splitlines()
    assert len(lines) > 4
    results.write_text("\n".join(lines[:3]) + '\n{"task": "0:1,')
    shutil.rmtree(tmp_path / "s" / "templates")
    assert explore(*asked, "--resume", str(tmp_path / "s"))[1] == alone
    assert len(results.read_text().splitlines()) == len(lines)
    code, _, said = explore(*GEMM, "--budget", "bytes=1024", "--resume", str(tmp_path / "s"))
    assert code == 2
    assert "another search" in said


def test_a_killed_run_loses_what_was_under_way_at_most(explore: Explore, tmp_path: Path) -> None:
    asked = [*GEMM, "--budget", "bytes=2048"]
    wanted = explore(*asked)[1]
    state = tmp_path / "s"
    driver = subprocess.Popen([sys.executable, "-m", "hlspart", "explore", *asked, "--state", str(state)],
                              stdout=subprocess.DEVNULL)  # fmt: skip
    results = state / "results.jsonl"
    for _ in range(600):
        if results.exists() and results.read_text().count("\n") >= 3:
            break
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    kept = results.read_text().count("\n")
    assert kept >= 3
    assert explore(*asked, "--resume", str(state))[1] == wanted


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_processes_end_with_the_driver(tmp_path: Path) -> None:
    text = """from hlspart.explore.farm import _on_pool
import os, sys, time
class Slow:
    def run(self, task):
        open(os.path.join(sys.argv[1], str(os.getpid())), "w").close()
        time.sleep(0.1)
        return {}
class Task:
    def __init__(self, key): self.key = key
if __name__ == "__main__":
    _on_pool(Slow(), [Task(str(k)) for k in range(2000)], lambda records: None, 2, None)
"""
    script, marks = tmp_path / "driver.py", tmp_path / "marks"
    script.write_text(text)
    marks.mkdir()
    driver = subprocess.Popen([sys.executable, str(script), str(marks)], stderr=subprocess.DEVNULL)
    for _ in range(600):
        if len(workers := [int(p.name) for p in marks.iterdir()]) == 2:
            break
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert len(workers) == 2
    for _ in range(600):
        if not any(map(alive, workers)):
            break
        time.sleep(0.05)
    assert not any(map(alive, workers))


class Fragile(SearchProblem):
    """A problem whose first worker dies."""

    def run(self, task: Task) -> dict:
        mark = os.environ["FRAGILE_MARK"]
        if not os.path.exists(mark):
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(task)


def test_tasks_of_a_killed_worker_are_given_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAGILE_MARK", str(tmp_path / "mark"))
    dims = tuple(Dim(((k, 1),), 1) for k in range(2))
    nest = TiledNest("n", (("i", 12), ("j", 9)), (Operand("A", 4, dims, True, True),))
    space = Space(nest, 6)
    planned = list(tasks([space], ExternalMemory()))
    assert len(planned) >= 4
    whole = SearchProblem((space,), ExternalMemory(), ResourceBudget())
    records: list[dict] = []
    farm.run(Fragile((space,), ExternalMemory(), ResourceBudget()), planned, records.extend, jobs=2)
    assert (tmp_path / "mark").exists()
    assert sorted(r["task"] for r in records) == sorted(t.key for t in planned)
    by_key = {r["task"]: r for r in records}
    assert all(by_key[t.key] == whole.run(t) for t in planned)


def test_cluster_without_its_package(explore: Explore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, said = explore(*GEMM, "--cluster", "local:2")
    assert code == 2
    assert "pip install 'hlspart[cluster]'" in said


def test_cluster_gives_the_same(explore: Explore) -> None:
    pytest.importorskip("distributed")
    assert explore(*GEMM, "--cluster", "local:2")[1] == explore(*GEMM)[1]


def test_jobs_of_slurm_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    cluster = types.SimpleNamespace(scale=lambda jobs: asked.append(jobs))
    monkeypatch.setitem(sys.modules, "dask_jobqueue", types.SimpleNamespace(SLURMCluster=lambda: cluster))
    assert farm._slurm(3) is cluster
    assert asked == [3]
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(FarmError, match="pip install dask-jobqueue"):
        farm._slurm(3)


def test_a_worker_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farm, "__version__", "0.0.1")
    with pytest.raises(FarmError, match=r"a worker runs hlspart 0\.0\.1, the driver 9"):
        farm._on_worker(None, None, "9")  # type: ignore[arg-type]


def test_the_c_is_written_equal_and_read_back(explore: Explore, tmp_path: Path) -> None:
    new = tmp_path / "new.c"
    code, shape, _ = explore(*GEMM, "--budget", "bytes=1024", "-o", str(new))
    best = shape["files"][0]["best"]
    assert code == 0
    assert best["schedule_cycles"] >= best["cycles"]
    assert best["buffer_bytes"] == best["bytes"]
    result = verify(str(HERE / "gemm.c"), str(new), VerifyOptions(top="gemm", vectors=3))
    assert result.status == "equal", result.message
    assert command(["ii", str(new), "--format", f"json={tmp_path}/ii.json"]) == 0
    figures = json.loads((tmp_path / "ii.json").read_text())["files"][0]
    assert sum(a["bram18k"] for a in figures["arrays"]) == best["bram18k"]


def test_a_limit_that_only_the_c_tells(explore: Explore) -> None:
    code, shape, _ = explore(*GEMM, "--budget", "bytes=2048,uram=1,bram=1000")
    assert code == 0
    assert shape["files"][0]["best"]["bram18k"] <= 1000


def test_requests_that_mean_no_nest_end_the_run(explore: Explore) -> None:
    """As those of ``--fix`` do; a misspelt name would leave what is predicted in place of what is given."""
    code, _, said = explore(GEMM[0], "--assume", "D:ii=1,depth=12,dsp=5")
    assert code == 1
    assert "gemm.c:2:1: error: --assume D: no nest has this id, loop or written array" in said
    assert explore(GEMM[0], "--assume", "C:ii=1,depth=12,dsp=5", "--plan")[0] == 0


def test_so_many_elements_that_none_is_left_out_take_no_time(explore: Explore) -> None:
    """A prime above all extents leaves one element; its divisors are not looked for one by one."""
    code, shape, _ = explore(*GEMM[:1], "--pe", "1000000007", *ASSUME, "--order", "source", "--limit", "9")
    assert (code, shape["files"][0]["best"]["regions"][0]["shard"]) == (0, [1, 1, 1])
    code, shape, _ = explore("--shardings", "3,4", "--pe", "1000000007")
    assert [level["count"] for level in shape["levels"]] == [1, 2]
