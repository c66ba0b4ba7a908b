"""A header alone leaves open what a source beside it says: it is read there. The IIs are by hand: loads over ports."""

from __future__ import annotations

from pathlib import Path

import pytest

import hlspart

# N loads of one memory with two ports in each iteration: N / 2
HEADER = """#pragma once
template <int N> void total(const int in[64][N], int out[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    int s = 0;
    for (int k = 0; k < N; k++) s ^= in[i][k];
    out[i] = s;
  }
}
"""
SOURCE = """#include "total.hpp"
void other(int a[16]) { for (int i = 0; i < 16; i++) a[i] = i; }
void top(const int in[64][8], int out[64]) { total<8>(in, out); }
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()


def _written(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("sub", ["", "include__"])
def test_an_instance_of_the_source_that_includes_it_answers(tmp_path: Path, sub: str) -> None:
    folder = sub.rstrip("_")
    source = SOURCE.replace("total.hpp", f"{folder}/total.hpp") if sub else SOURCE
    _written(tmp_path, **{f"{sub}total_hpp": HEADER, "kernel_cpp": source})
    answer = hlspart.open(Path(folder) / "total.hpp").ii()
    assert [(x.function, x.ii) for x in answer.loops if x.pipelined] == [("total", 4)]
    said = f"{Path(folder) / 'total.hpp'} is read as kernel.cpp includes it"
    assert said in answer.results[0].assumptions


def test_a_source_that_includes_it_through_another_header_answers(tmp_path: Path) -> None:
    _written(
        tmp_path, total_hpp=HEADER, outer_h='#include "total.hpp"\n', kernel_cpp=SOURCE.replace("total.hpp", "outer.h")
    )
    assert [x.ii for x in hlspart.open("total.hpp").ii().loops if x.pipelined] == [4]


@pytest.mark.parametrize("through", ["", "outer_h"])
def test_a_source_of_templates_is_read_where_another_source_includes_it(tmp_path: Path, through: str) -> None:
    outer = {"outer_h": '#include "total.cpp"\n'} if through else {}
    source = SOURCE.replace("total.hpp", "outer.h" if through else "total.cpp")
    _written(tmp_path, total_cpp=HEADER.replace("#pragma once\n", ""), kernel_cpp=source, **outer)
    answer = hlspart.open("total.cpp").ii()
    assert [(x.function, x.ii) for x in answer.loops if x.pipelined] == [("total", 4)]
    assert "total.cpp is read as kernel.cpp includes it" in answer.results[0].assumptions


def test_a_source_that_nobody_includes_is_read_alone(tmp_path: Path) -> None:
    _written(tmp_path, total_cpp=HEADER.replace("#pragma once\n", ""), kernel_cpp="int other;\n")
    assert [x.ii for x in hlspart.open("total.cpp").ii().loops if x.pipelined] == [None]


def test_types_that_the_source_declares_before_it_are_known(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < 8; i++) {\n#pragma HLS PIPELINE\n    b[i] = a[i];\n  }"
    header = f"void copy(const word a[8], word b[8]) {{\n  {loop}\n}}\n"
    _written(tmp_path, copy_hpp=header, top_cpp='typedef int word;\n#include "copy.hpp"\n')
    assert [x.ii for x in hlspart.open("copy.hpp").ii().loops] == [1]


@pytest.mark.parametrize(
    "source",
    [
        SOURCE + "int main() { return 0; }\n",  # a test bench may take any parameters
        SOURCE.replace("total<8>(in, out);", ""),  # nothing is instantiated
        SOURCE.replace("#include", "// #include"),
    ],
)
def test_other_sources_leave_it_open(tmp_path: Path, source: str) -> None:
    _written(tmp_path, total_hpp=HEADER, kernel_cpp=source)
    assert [x.ii for x in hlspart.open("total.hpp").ii().loops if x.pipelined] == [None]


def test_no_source_outside_the_repository_is_looked_at(tmp_path: Path) -> None:
    _written(tmp_path, include__total_hpp=HEADER, kernel_cpp=SOURCE.replace("total.hpp", "include/total.hpp"))
    (tmp_path / "include" / ".git").mkdir()
    assert [x.ii for x in hlspart.open("include/total.hpp").ii().loops if x.pipelined] == [None]


@pytest.mark.parametrize("path", ["total.hpp", "../include/total.hpp", "{}/include/total.hpp"])
def test_it_is_the_same_wherever_the_user_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    _written(tmp_path, include__total_hpp=HEADER, src__kernel_cpp=SOURCE)
    monkeypatch.chdir(tmp_path / "include")
    answer = hlspart.open(path.format(tmp_path)).ii()
    assert [x.ii for x in answer.loops if x.pipelined] == [4]
    assert any(x.endswith("is read as ../src/kernel.cpp includes it") for x in answer.results[0].assumptions)


def test_without_a_repository_the_home_of_the_user_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written(tmp_path, include__total_hpp=HEADER, src__kernel_cpp=SOURCE)
    (tmp_path / ".git").rmdir()
    assert [x.ii for x in hlspart.open("include/total.hpp").ii().loops if x.pipelined] == [4]
    monkeypatch.setenv("HOME", str(tmp_path))
    assert [x.ii for x in hlspart.open("include/total.hpp").ii().loops if x.pipelined] == [None]


def test_a_header_that_says_all_is_read_alone(tmp_path: Path) -> None:
    _written(tmp_path, total_hpp=HEADER.replace("template <int N> ", "#define N 2\n"), kernel_cpp=SOURCE)
    answer = hlspart.open("total.hpp").ii()
    assert [x.ii for x in answer.loops if x.pipelined] == [1]
    assert not any("includes it" in x for x in answer.results[0].assumptions)
