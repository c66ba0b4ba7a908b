"""What the files around a given one say keeps back what it alone would claim."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.reading import Unreadable, read_file

SUM = """void sum(int in[64], int out[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
    out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
  }
}
"""
CALLER = """void sum(int in[64], int out[16]);
void top(const int a[64], int b[16]) {
  int t[64];
#pragma HLS ARRAY_PARTITION variable=t cyclic factor=4
  for (int i = 0; i < 64; i++) t[i] = a[i];
  sum(t, b);
}
"""
BENCH = "void sum(int in[64], int out[16]);\nint main() {\n  int a[64] = {0}, b[16];\n  sum(a, b);\n  return b[0];\n}\n"


def said(root: Path, files: dict[str, str], rule: str, of: str = "src/sum.c") -> list[str]:
    """The severities of a rule's findings in one of some files of a repository."""
    (root / ".git").mkdir()
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    report = Pipeline([str(root / of)], Options(FrontendOptions(), TargetOptions())).lint(None)
    return [d.severity for d in report.diagnostics if d.rule == rule]


@pytest.mark.parametrize(
    ("more", "severity"),
    [
        ({}, "warning"),
        ({"src/top.c": CALLER}, "info"),
        ({"other/top.c": CALLER}, "info"),
        ({"other/top.c": CALLER, "other/sum.c": SUM}, "warning"),  # a version of its own
        ({"src/bench.c": BENCH}, "warning"),
        ({"src/sum.h": "void sum(int in[64], int out[16]);\n"}, "warning"),
        ({"src/top.c": CALLER.replace("  sum(t", "  // sum(t")}, "warning"),
        ({"run.tcl": 'set_directive_array_partition -type cyclic -factor 4 -dim 1 "sum" in\n'}, "info"),
        ({"run.tcl": '# set_directive_array_partition -type cyclic -factor 4 -dim 1 "sum" in\n'}, "warning"),
        ({"run.tcl": 'set_directive_array_partition -type cyclic -factor 4 -dim 1 "sum" out\n'}, "warning"),
        ({"c.cfg": "syn.directive.array_partition=sum in type=cyclic factor=4\n"}, "info"),
    ],
)
def test_ports_of_an_argument(tmp_path: Path, more: dict[str, str], severity: str) -> None:
    assert said(tmp_path, {"src/sum.c": SUM, **more}, "HLP201") == [severity]


@pytest.mark.parametrize(("top", "found"), [("inner", 0), ("wrapper", 1)])
def test_the_top_that_a_script_names_has_ports(tmp_path: Path, top: str, found: int) -> None:
    text = """void inner(int a[64]) {
#pragma HLS INTERFACE ap_fifo port=a
  for (int i = 0; i < 64; i++) a[i] = i;
}
void wrapper(int a[64]) {
  inner(a);
}
"""
    files = {"src/sum.c": text, "run.tcl": f"open_project p\nset_top {top}\nadd_files src/sum.c\n"}
    assert len(said(tmp_path, files, "HLP417")) == found


@pytest.mark.parametrize(("part", "found"), [("xcvc1902-vsva2197-2MP-e-S", 0), ("xcvu9p-flga2104-2-i", 1)])
def test_the_device_that_a_script_names(tmp_path: Path, part: str, found: int) -> None:
    text = """int test(int i) {
  static int C[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
#pragma HLS BIND_STORAGE variable=C type=RAM_2P impl=URAM
  C[i] += 10;
  return C[i];
}
"""
    files = {"src/sum.c": text, "src/run.tcl": f"    set_part  {{{part}}}\n"}
    assert len(said(tmp_path, files, "HLP424")) == found


def test_nothing_is_around_a_text_that_stands_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.tcl").write_text("set_top other\nset_part xcvc1902-vsva2197-2MP-e-S\n")
    monkeypatch.chdir(tmp_path)
    around = Pipeline(["k.c"], Options(), {"k.c": b"void f(int a[4]) { a[0] = 1; }"}.__getitem__).around
    assert (around.files, around.parts, around.tops) == ((), frozenset(), frozenset())


def said_from(folder: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The severities of HLP201 of a file that is named from a folder."""
    monkeypatch.chdir(folder)
    report = Pipeline([path], Options(FrontendOptions(), TargetOptions())).lint(None)
    return [d.severity for d in report.diagnostics if d.rule == "HLP201"]


@pytest.mark.parametrize(("folder", "path"), [("", "src/x/sum.c"), ("src/x", "sum.c"), ("", "src/../src/x/sum.c")])
def test_it_is_the_same_wherever_the_user_stands(
    folder: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"src/x/sum.c": SUM, "src/y/top.c": CALLER, "lib/sum.c": SUM}
    assert said(tmp_path, files, "HLP201", "src/x/sum.c") == ["info"]
    assert said_from(tmp_path / folder, path, monkeypatch) == ["info"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("blank.cfg", "\n" * 400_000), ("blank.tcl", " \n" * 400_000), ("open.h", "// sum\n" + "/* " * 400_000)],
)
def test_long_files_take_no_longer_than_they_are_long(tmp_path: Path, name: str, text: str) -> None:
    before = time.process_time()
    assert said(tmp_path, {"src/sum.c": SUM, f"src/{name}": text}, "HLP201") == ["warning"]
    assert time.process_time() - before < 20


def test_of_files_that_are_too_large_nothing_is_read(tmp_path: Path) -> None:
    with (tmp_path / "large.h").open("wb") as file:
        file.truncate(1 << 34)  # a hole
    tracemalloc.start()
    with pytest.raises(Unreadable, match="larger than 16 MB"):
        read_file(tmp_path / "large.h")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1 << 20
    assert said(tmp_path, {"src/sum.c": SUM, "src/top.c": CALLER}, "HLP201") == ["info"]
