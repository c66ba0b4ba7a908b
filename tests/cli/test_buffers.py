"""``hlspart buffers`` as a command."""

from __future__ import annotations

from pathlib import Path

from conftest import Cli

CHAIN = """#define N 512
void top(const int in[N], int out[N])
{
    int a[N], b[N], c[N];
    for (int i = 0; i < N; i++) a[i] = in[i];
    for (int i = 0; i < N; i++) b[i] = a[N - 1 - i];
    for (int i = 0; i < N; i++) c[i] = b[N - 1 - i];
    for (int i = 0; i < N; i++) out[i] = c[i];
}
"""
PROBLEM = "id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\n"


def test_a_source(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(CHAIN)
    done = cli("buffers", "k.c", "--steps", "-o", "new.c")
    assert done.code == 0
    assert "4096 bytes (minimal, proved; 6144 without sharing)" in done.out and "step 3: top lines 8..8" in done.out
    assert "int a_c[N]; int b[N];" in (tmp_path / "new.c").read_text()
    found = cli("buffers", "k.c", "--format", "json").json
    assert found["schema"] == "hlspart.buffers/1" and found["groups"] == []
    file = found["files"][0]
    assert (file["path"], file["bytes"], file["lower_bound"], file["proved_minimal"]) == ("k.c", 4096, 4096, True)
    assert [(b["id"], b["first"], b["last"], b["offset"]) for b in file["buffers"]] == [
        ("a", 0, 1, 0), ("b", 1, 2, 2048), ("c", 2, 3, 0),
    ]  # fmt: skip
    assert cli("ii", "new.c", "--format", "json").json["files"][0]["resources"][0]["used"] == file["bram18k"]
    again = cli("buffers", "new.c", "-o", "twice.c")
    assert again.code == 0 and (tmp_path / "twice.c").read_bytes() == (tmp_path / "new.c").read_bytes()


def test_a_problem_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(PROBLEM)
    done = cli("buffers", "p.csv", "-o", "solved.csv")
    assert done.code == 0 and "8 bytes (minimal, proved; 12 without sharing)" in done.out
    assert (tmp_path / "solved.csv").read_text().splitlines()[0] == "id,lower,upper,size,offset"
    short = cli("buffers", "p.csv", "--capacity", "7", "--format", "json")
    assert short.code == 1 and "exceed the capacity of 7; no packing is lower" in short.err
    assert short.json["files"][0]["bytes"] == 8


def test_a_broken_problem_file_is_told_and_nothing_is_written(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(PROBLEM)
    (tmp_path / "bad.csv").write_text(PROBLEM.replace("b,1,3", "b,3,3"))
    done = cli("buffers", "p.csv", "bad.csv", "--format", "json", "--out-dir", "out")
    assert done.code == 2 and "bad.csv:3:5: error: the lifetime 3..3 is empty" in done.err
    assert [sorted(f)[0] for f in done.json["files"]] == ["buffers", "column"] and not (tmp_path / "out").exists()
    assert cli("buffers", "missing.csv").code == 2


def test_usage(cli: Cli, files: Path) -> None:
    (files / "p.csv").write_text(PROBLEM)
    assert cli("buffers", "p.csv", "k.c").code == 2
    assert cli("buffers", "k.c", "--capacity", "8").code == 2
    assert cli("buffers", "p.csv", "-o", "p.csv").code == 2
    assert cli("buffers", "broken.c", "-o", "o.c").code == 2 and not (files / "o.c").exists()
