"""Files that do not use each other are programs of their own, in every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hlspart.cli.app import cli

WIDE = """\
static int twice(int x) { return 2 * x; }
int top(int a[64]) {
  int s = 0;
  L: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
    s += twice(a[i] + a[i + 16] + a[i + 32] + a[i + 48]);
  }
  return s;
}
"""
NARROW = WIDE.replace("2 * x", "x + x").replace("a[i] + a[i + 16] + a[i + 32] + a[i + 48]", "a[i]")
CALLER = """\
int half(int x);
int top(int a[8]) {
  int s = 0;
  for (int i = 0; i < 8; i++) s += half(a[i]);
  return s;
}
"""
CALLEE = "int half(int x) { return x / 2; }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {"wide.c": WIDE, "narrow.c": NARROW, "caller.c": CALLER, "callee.c": CALLEE}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(*args: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, list(args))
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("command", ["accesses", "ii", "infer", "report"])
def test_files_with_one_top_are_told_as_each_alone(command: str, folder: Path) -> None:
    names = ["wide.c", "narrow.c", "caller.c"]
    for options in ([], ["--top", "top"]):
        code, text, said = run(command, *names, *options, "--format", "json")
        each = [json.loads(run(command, name, *options, "--format", "json")[1]) for name in names]
        assert (code, said) == (0, "")
        assert json.loads(text)["files"] == [d["files"][0] for d in each]
        assert json.loads(text)["groups"] == [g for d in each for g in d["groups"]]
    shown = run(command, *names)[1]
    assert all(f"{name}" in shown for name in names)


@pytest.mark.parametrize("command", [["rewrite", "--infer", "--split-top"], ["directives"]])
def test_files_with_one_top_are_written_as_each_alone(command: list[str], folder: Path) -> None:
    names = ["wide.c", "narrow.c", "caller.c"]
    told = ["--format", "json"] if command[0] == "rewrite" else []
    code, text, _ = run(*command, *names, *told, "--out-dir", "all")
    each = [run(*command, name, *told, "--out-dir", "one") for name in names]
    assert code == max(c for c, _, _ in each) == 0
    written = {path.name: path.read_text() for path in (folder / "all").iterdir()}
    assert written == {path.name: path.read_text() for path in (folder / "one").iterdir()}
    assert len(written) == len(names) and any("factor=2" in t.lower() for t in written.values())
    if told:
        alone = [json.loads(t)["files"][0] for _, t, _ in each]
        assert json.loads(text)["files"] == [{**f, "output": f["output"].replace("one", "all")} for f in alone]
        shown = run(*command, *names, "--diff")[1]
        assert shown == "".join(run(*command, name, "--diff")[1] for name in names) and "+++ b/wide.c" in shown
    else:
        assert run(*command, *names)[1] == run(*command, "wide.c")[1]


def test_a_page_adds_up_the_programs(folder: Path) -> None:
    page = run("report", "wide.c", "narrow.c", "--format", "html")[1]
    assert "1 of 2 pipelined loops misses the target II: L II 2 instead of 1; what infer finds would mend it." in page


def test_files_that_call_each_other_are_one_program(folder: Path) -> None:
    _, text, _ = run("ii", "caller.c", "wide.c", "callee.c", "--format", "json")
    alone = json.loads(run("ii", "caller.c", "callee.c", "--format", "json")[1])
    caller, wide, callee = json.loads(text)["files"]
    assert [caller, callee] == alone["files"]
    assert caller["loops"][0]["ii"] == 1 and wide["loops"][0]["ii"] == 2
    beside = json.loads(run("ii", "caller.c", "--format", "json")[1])["files"]
    assert [f["loops"][0]["ii"] for f in beside] == [1]  # with the body that callee.c has
    (folder / "callee.c").unlink()
    assert json.loads(run("ii", "caller.c", "--format", "json")[1])["files"][0]["loops"][0]["ii"] is None


def test_files_that_share_an_object_are_one_program(folder: Path) -> None:
    (folder / "data.c").write_text("int table[16];\n#pragma HLS ARRAY_PARTITION variable=table complete\n")
    (folder / "use.c").write_text(
        "extern int table[16];\nvoid top(int o[16]) {\n#pragma HLS ARRAY_PARTITION variable=table complete\n"
        "  for (int i = 0; i < 16; i++) o[i] = table[i];\n}\n"
    )
    _, text, _ = run("ii", "use.c", "wide.c", "data.c", "--format", "json")
    arrays = [a for f in json.loads(text)["files"] for a in f["arrays"] if a["name"] == "table"]
    assert [a["banks"] for a in arrays] == [16]


def test_what_is_written_is_written_for_each_program(folder: Path) -> None:
    code, text, _ = run("infer", "wide.c", "narrow.c", "--emit", "cfg")
    assert (code, text) == (0, "[hls]\nsyn.directive.array_partition=top a type=block factor=2 dim=1\n")
    assert run("infer", "wide.c", "narrow.c", "--in-place")[0] == 0
    assert (folder / "narrow.c").read_text() == NARROW
    assert (folder / "wide.c").read_text().count("ARRAY_PARTITION variable=a".lower()) == 1


def test_a_top_that_no_file_has_is_a_usage_error(folder: Path) -> None:
    assert run("ii", "wide.c", "caller.c", "--top", "nowhere")[0] == 2
    code, text, _ = run("ii", "wide.c", "caller.c", "--explain", "L")
    assert code == 0 and "L" in text
