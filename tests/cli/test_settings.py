"""Settings files reach every command; the command line and project files win over them."""

from __future__ import annotations

from pathlib import Path

import pytest

KERNEL = """#include "sizes.h"
void f(const int in[N], int out[N]) {
  for (int i = 0; i < N; i++) {
#pragma HLS pipeline II=1
    out[i] = in[i] * FACTOR;
  }
}
"""
SETTINGS = """part = "xcu250-figd2104-2L-e"
tool = "vitis-2023.2"
clock = 4
clock-uncertainty = "10%"
flow = "vivado"
define = ["FACTOR=3"]
include = ["include"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include/sizes.h").write_text("#define N 16\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/f.c").write_text(KERNEL)
    (tmp_path / ".hlspart.toml").write_text(SETTINGS)
    return tmp_path


def assumed(cli, *args: str) -> str:
    done = cli("ii", *args, "--format", "json")
    assert done.code == 0, done.err
    (file,) = done.json["files"]
    assert file["loops"][0]["trip_count"] == {"min": 16, "max": 16}
    text: str = file["assumptions"][0]
    return text


def test_target_and_headers(cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = "vitis-2023.2, xcu250-figd2104-2L-e, clock 4 ns less 0.4 ns, flow vivado, bank model static"
    assert assumed(cli, "src/f.c") == wanted
    monkeypatch.chdir(project / "src")  # paths are those of the settings file, wherever the command runs
    assert assumed(cli, "f.c") == wanted


def test_the_command_line_and_project_files_win(cli, project: Path) -> None:
    assert assumed(cli, "src/f.c", "--clock", "8", "--tool", "vitis-2022.1").startswith(
        "vitis-2022.1, xcu250-figd2104-2L-e, clock 8 ns less 0.8 ns"
    )
    (project / "hls_config.cfg").write_text(
        "part=xczu9eg-ffvb1156-2-i\n[hls]\nclock=5ns\nsyn.file=src/f.c\nsyn.top=f\n"
    )
    assert assumed(cli, "hls_config.cfg").startswith("vitis-2023.2, xczu9eg-ffvb1156-2-i, clock 5 ns less 0.5 ns")


def test_another_file_on_request(cli, project: Path) -> None:
    (project / "fast.toml").write_text(SETTINGS.replace("clock = 4", "clock = 2"))
    for command in ("accesses", "ii", "infer", "lint", "directives", "report", "rewrite"):
        assert cli(command, "src/f.c", "--config", "none.toml").code == 2
    assert ", clock 2 ns less 0.2 ns" in assumed(cli, "src/f.c", "--config", "fast.toml")


def test_a_faulty_file_is_2_with_its_line(cli, project: Path) -> None:
    (project / ".hlspart.toml").write_text(SETTINGS + 'colour = "red"\n')
    for command in ("ii", "lint", "infer", "accesses", "verify"):
        done = cli(command, *(("src/f.c",) * (1 + (command == "verify"))))
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("hlspart: error: .hlspart.toml:8: no setting 'colour'; settings are select, ")
        assert done.err.count("\n") == 1
    (project / ".hlspart.toml").write_text('tool = "vitis-1900.1"\n')
    assert cli("ii", "src/f.c", "-I", "include", "-DFACTOR=1").code == 2


def test_show_config_tells_the_origin(cli, project: Path) -> None:
    (project / ".hlspart.toml").write_text(SETTINGS + "large-complete = 64\n")
    shown = cli("lint", "src/f.c", "--clock", "8", "--select", "HLP1", "--show-config").out.splitlines()
    assert "tool = 'vitis-2023.2'  # .hlspart.toml" in shown
    assert "clock = 8.0  # command line or project file" in shown
    assert "select = ['HLP1']  # command line" in shown
    assert "large-complete = 64  # .hlspart.toml" in shown
    assert "fail-on = 'warning'  # default" in shown
    assert "target = None  # default" in shown
    assert "include = ['include']  # .hlspart.toml" in shown


def test_dependency_files_name_the_settings(cli, project: Path) -> None:
    assert cli("directives", "src/f.c", "-o", "f.cfg", "-MD").code == 0
    rule = (project / "f.d").read_text()
    assert {w.rstrip(":") for w in rule.split()} - {"\\"} == {"f.cfg", "src/f.c", "include/sizes.h", ".hlspart.toml"}
    (project / ".hlspart.toml").unlink()
    assert cli("directives", "src/f.c", "-I", "include", "-DFACTOR=1", "-o", "f.cfg", "-MD").code == 0
    assert ".hlspart.toml" not in (project / "f.d").read_text()


def test_the_cache_sees_settings(cli, project: Path) -> None:
    (project / "src/g.c").write_text("int g(int x) { return x; }\n")
    (project / "src/f.c").write_text(KERNEL.replace("#pragma", "#pragma HLS unroll factor=0\n#pragma"))

    def rules() -> list[str]:
        return [d["rule"] for d in cli("lint", "src", "--format", "json").json["diagnostics"]]

    assert "HLP104" in rules() and (project / ".hlspart-cache").exists()
    (project / ".hlspart.toml").write_text(SETTINGS + 'ignore = ["HLP104"]\n')
    assert "HLP104" not in rules()
    (project / ".hlspart.toml").write_text(SETTINGS + '[per-file-ignores]\n"src/f.c" = ["HLP104"]\n')
    assert "HLP104" not in rules()
    (project / ".hlspart.toml").write_text(SETTINGS)
    assert "HLP104" in rules()
