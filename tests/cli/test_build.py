"""hlspart as a step of a build: the sample project under make, directives, dependency files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = str(Path(sys.executable).parent)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "samples/project", folder)
    return folder


def make(folder: Path, *args: str) -> list[str]:
    """Lines that the stand-in compiler and make printed."""
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "MAKEFLAGS": ""}
    done = subprocess.run(["make", "-s", *args], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return sorted(done.stdout.split("\n")[:-1])


def later(path: Path) -> None:
    """As if changed after everything so far."""
    stamp = max(p.stat().st_mtime for p in path.parent.parent.rglob("*")) + 2
    os.utime(path, (stamp, stamp))


def test_incremental_builds(project: Path) -> None:
    assert make(project, "-j2") == ["v++: build/blockfir.xo", "v++: build/scale.xo"]
    assert "syn.directive.array_partition=scale a type=cyclic factor=2" in (project / "build/scale.cfg").read_text()
    assert make(project) == []
    later(project / "src/taps.h")  # hlspart looks again, but the directives stay, so synthesis does not run
    before = (project / "build/scale.cfg").stat().st_mtime
    assert make(project, "-j2") == []
    assert (project / "build/scale.cfg").stat().st_mtime == before
    assert make(project) == []
    scale = project / "src/scale.c"
    scale.write_text(scale.read_text().replace("UNROLL factor=4", "UNROLL factor=8"))
    later(scale)
    assert make(project) == ["v++: build/scale.xo"]
    assert "factor=4" in (project / "build/scale.cfg").read_text()


def test_a_removed_output_comes_back(project: Path) -> None:
    make(project, "build/scale.xo")
    (project / "build/scale.cfg").unlink()
    (project / "build/scale.xo").unlink()
    assert make(project, "build/scale.xo") == ["v++: build/scale.xo"]
    assert (project / "build/scale.cfg").exists()


def test_banked_sources_are_the_second_mode(project: Path) -> None:
    assert make(project, "banked") == ["v++: build/blockfir.banked.xo", "v++: build/scale.banked.xo"]
    assert make(project, "banked") == []
    assert (project / "build/scale.map.json").exists()
    assert (
        (project / "build/scale.c.d")
        .read_text()
        .startswith("build/scale.c.stamp: \\\n  src/scale.c \\\n  src/taps.h\n")
    )


PLAIN = """void f(const int in[64], int out[64]) {
    int a[64];
load: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
        a[i] = in[i];
    }
use: for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
        out[i] = a[i];
    }
}
"""


@pytest.mark.parametrize(("form", "line"), [
    ("cfg", "syn.directive.array_partition=f a type=cyclic factor=2 dim=1"),
    ("tcl", "set_directive_array_partition"),
])  # fmt: skip
def test_directives_reach_the_ii(cli, tmp_path: Path, form: str, line: str) -> None:
    (tmp_path / "f.c").write_text(PLAIN)
    assert cli("ii", "f.c", "--fail-on-miss").code == 1
    assert cli("directives", "f.c", "--emit", form, "-o", f"f.{form}").code == 0
    assert line in (tmp_path / f"f.{form}").read_text()
    done = cli("ii", "f.c", "--fail-on-miss", "--directives", f"f.{form}", "--format", "json")
    loops = {x["name"]: x for x in done.json["files"][0]["loops"]}
    missed = [n for n, x in loops.items() if x["ii"] != 1]
    assert (tmp_path / "f.c").read_text() == PLAIN
    assert set(loops) == {"load", "use"} and "load" not in missed


def test_a_project_file_is_an_input(cli, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/f.c").write_text(PLAIN.replace("a[64]", "a[SIZE]"))
    (tmp_path / "hls_config.cfg").write_text(
        "part=xczu9eg-ffvb1156-2-i\n[hls]\nclock=5ns\nsyn.top=f\nsyn.file=src/f.c\nsyn.cflags=-DSIZE=64\n"
        "syn.directive.array_partition=f a type=cyclic factor=2 dim=1\n"
    )
    file = cli("ii", "hls_config.cfg", "--format", "json").json["files"][0]
    assert file["path"] == "src/f.c" and file["clock_ns"] == 5
    (array,) = (a for a in file["arrays"] if a["name"] == "a")
    assert (array["banks"], array["dims"]) == (2, [64])
    assert array["partition"][0]["origin"] == "directive"
    assert cli("ii", "hls_config.cfg", "--clock", "8", "--format", "json").json["files"][0]["clock_ns"] == 8
    (tmp_path / "empty.cfg").write_text("[hls]\n")
    done = cli("ii", "empty.cfg")
    assert done.code == 2 and "names no source files" in done.err


def test_makefile_path_is_the_installed_one(cli) -> None:
    path = cli("--makefile").out.strip()
    assert re.search(r"share/hlspart\.mk$", path) and Path(path).is_file()


def test_dependency_files(cli, tmp_path: Path) -> None:
    (tmp_path / "n.h").write_text("#define N 8\n")
    (tmp_path / "f.c").write_text('#include <stdint.h>\n#include "n.h"\nint f(int32_t a[N]) { return a[0]; }\n')
    (tmp_path / "d.cfg").write_text("[hls]\n")
    assert cli("rewrite", "f.c", "-o", "out/g.c", "-MD", "--directives", "d.cfg").code == 0
    rule = (tmp_path / "out/g.d").read_text()
    assert rule.split(":")[0] == "out/g.c"
    assert {w.rstrip(":") for w in rule.split()} - {"\\"} == {"out/g.c", "f.c", "n.h", "d.cfg"}
    assert cli("rewrite", "f.c", "-o", "out/g.c", "-MF", "x.dep", "-MT", "t").code == 0
    assert (tmp_path / "x.dep").read_text().startswith("t: \\\n  f.c")


def test_one_directive_file_per_input(cli, tmp_path: Path) -> None:
    for name in "fgh":
        (tmp_path / f"{name}.c").write_text(PLAIN.replace("void f(", f"void {name}("))
    (tmp_path / "h.c").write_text("int h(int x) { return x; }\n")
    done = cli("directives", "f.c", "g.c", "h.c", "--out-dir", "d", "-MF", "all.d")
    assert done.code == 0
    said = {p.name: p.read_text() for p in sorted((tmp_path / "d").iterdir())}
    assert list(said) == ["f.cfg", "g.cfg", "h.cfg"] and said["h.cfg"] == ""
    assert "syn.directive.array_partition=f a type=cyclic factor=2 dim=1\n" in said["f.cfg"]
    assert said["g.cfg"] == said["f.cfg"].replace("=f ", "=g ")
    assert (tmp_path / "all.d").read_text().startswith("d/f.cfg d/g.cfg d/h.cfg: \\\n  f.c \\\n  g.c")


def test_an_unchanged_output_keeps_its_time(cli, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(PLAIN)
    calls = (
        ("directives", "f.c", "--emit", "cfg", "-o", "f.cfg", "-MD"),
        ("directives", "f.c", "--emit", "tcl", "-o", "f.tcl", "-MF", "tcl.d"),
        ("rewrite", "f.c", "--infer", "-o", "out/f.c", "--map", "f.map.json", "-MD"),
    )
    products = [tmp_path / p for p in ("f.cfg", "f.d", "f.tcl", "tcl.d", "out/f.c", "out/f.d", "f.map.json")]
    for again in (False, True):
        for call in calls:
            assert cli(*call).code == 0
        if not again:
            before = [p.read_bytes() for p in products]
            for p in products:
                os.utime(p, (1000, 1000))
    assert [p.stat().st_mtime for p in products] == [1000] * len(products)
    assert [p.read_bytes() for p in products] == before
    assert not any(str(tmp_path).encode() in text for text in before)  # no absolute paths
    (tmp_path / "f.c").write_text(PLAIN.replace("factor=4", "factor=8"))
    assert cli(*calls[0]).code == 0
    assert products[0].stat().st_mtime > 1000 and products[2].stat().st_mtime == 1000


def test_nothing_is_written_when_an_input_is_broken(cli, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(PLAIN)
    (tmp_path / "bad.c").write_text("void g( {\n")
    assert cli("directives", "f.c", "bad.c", "--out-dir", "d").code == 2
    assert cli("directives", "bad.c", "-o", "bad.cfg", "-MD").code == 2
    assert not (tmp_path / "d").exists() and not list(tmp_path.glob("bad.*d*"))


CPP = """#include "kernel.hpp"
void {name}(const int in[SIZE], int out[SIZE]) {{
    int mem[SIZE];
load: for (int i = 0; i < SIZE; i++) {{
#pragma HLS PIPELINE II=1
        mem[i] = in[i];
    }}
sum: for (int i = 2; i < SIZE; i++) {{
#pragma HLS PIPELINE II=1
        out[i] = mem[i] + mem[i - 1] + mem[i - 2];
    }}
}}
"""


def test_kernels_in_cpp_with_headers(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/kernel.hpp").write_text("#pragma once\n#define SIZE 64\n")
    for suffix in ("cpp", "cc", "cxx"):
        (tmp_path / f"src/k{suffix}.{suffix}").write_text(CPP.format(name=f"k{suffix}"))
    (tmp_path / "Makefile").write_text(
        "include $(shell hlspart --makefile)\n"
        "all: $(patsubst src/%,hlspart-out/%,$(HLSPART_SOURCES)) hlspart-out/kcc.cfg\n"
        "\t@for f in $?; do echo new $$f; done\n\t@touch all\n"
    )
    names = ["hlspart-out/kcc.cc", "hlspart-out/kcc.cfg", "hlspart-out/kcpp.cpp", "hlspart-out/kcxx.cxx"]
    assert [x for x in make(tmp_path, "all") if x.startswith("new")] == [f"new {n}" for n in names]
    for name in names[:1] + names[2:]:
        text = (tmp_path / name).read_text()
        assert "int mem[SIZE];" not in text and '#include "kernel.hpp"' in text  # what infer finds is written out
        done = subprocess.run(
            ["g++", "-fsyntax-only", "-Wno-unknown-pragmas", "-I", "src", name], cwd=tmp_path, check=False
        )
        assert done.returncode == 0
    assert (tmp_path / "hlspart-out/kcpp.map.json").exists()
    assert make(tmp_path, "all") == []
    header, output = tmp_path / "src/kernel.hpp", tmp_path / "hlspart-out/kcpp.cpp"
    header.write_text(header.read_text().replace("64", "SIZE_OF_ALL\n#define SIZE_OF_ALL 128"))
    later(header)
    stamp = output.with_suffix(".cpp.stamp")
    before = stamp.stat().st_mtime_ns
    make(tmp_path, "hlspart-out/kcpp.cpp")
    assert stamp.stat().st_mtime_ns != before  # hlspart has looked again
    assert "src/kernel.hpp" in output.with_suffix(".cpp.d").read_text()


def test_a_header_of_a_name_that_two_have_stands_for_the_users_of_both(cli, tmp_path: Path) -> None:
    """Nobody says in which folders a build looks."""
    for folder in ("one", "two", "src"):
        (tmp_path / folder).mkdir()
    (tmp_path / "one/size.h").write_text("#define SIZE 64\n")
    (tmp_path / "two/size.h").write_text("#define SIZE 32\n")
    (tmp_path / "two/b.cpp").write_text('#include "size.h"\nint b[SIZE];\n')
    (tmp_path / "src/a.cpp").write_text('#include "size.h"\nint a[SIZE];\n')
    asked = ("lint", "--header-users", "--no-cache", "--format", "json", "-I", "one")
    assert cli(*asked, "one/size.h").json["files"] == ["src/a.cpp"]
    assert cli(*asked, "two/size.h").json["files"] == ["src/a.cpp", "two/b.cpp"]


def test_a_header_stands_for_the_files_that_use_it(cli, tmp_path: Path) -> None:
    for folder in ("src", "inc/deep"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "inc/deep/size.h").write_text("#define SIZE 64\n")
    (tmp_path / "inc/kernel.hpp").write_text('#pragma once\n#include "deep/size.h"\n')
    (tmp_path / "src/a.cpp").write_text(CPP.format(name="a"))
    (tmp_path / "src/b.c").write_text("int b;\n")
    (tmp_path / "lonely.h").write_text("int c;\n")
    asked = ("lint", "inc/deep/size.h", "-I", "inc", "--no-cache", "--format", "json")
    assert cli(*asked).json["files"] == ["inc/deep/size.h"]
    found = cli(*asked, "--header-users").json
    assert found["files"] == ["src/a.cpp"] and [d["rule"] for d in found["diagnostics"]] == ["HLP201"]
    there = ("lint", str(tmp_path / "inc/deep/size.h"), *asked[2:], "--header-users")
    assert cli(*there).json["files"] == ["src/a.cpp"]  # however its path is written
    assert cli("lint", "lonely.h", "--header-users", "--no-cache", "--format", "json").json["files"] == ["lonely.h"]
    done = cli("ii", "inc/kernel.hpp", "src/a.cpp", "-I", "inc", "--header-users", "--fail-on-miss", "--format", "json")
    assert done.code == 1 and [f["path"] for f in done.json["files"]] == ["src/a.cpp"]
