"""Exit codes, messages and outputs that hold for every command."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hlspart import __version__
from hlspart.cli.app import COMMANDS
from hlspart.cli.files import dependency_rule, write_output
from hlspart.inputs import display_path

ANALYSES = ("accesses", "ii", "infer", "rewrite", "lint")
MESSAGE = re.compile(r"^(\S+):(\d+):(\d+): (error|warning|info|note): .+ \[[A-Za-z0-9-]+( [a-z-]+)?\]$")


def test_version_without_loading_anything() -> None:
    script = "import sys; sys.argv = ['hlspart', '--version']; from hlspart.cli import main; main(); " \
             "print(sorted(m for m in ('click', 'islpy', 'pycparser', 'jinja2') if m in sys.modules))"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"hlspart {__version__}\n[]\n"


def test_a_prediction_imports_only_what_it_needs() -> None:
    """No C++, writer of C, inference or template engine for C where every loop reaches its target."""
    fir = Path(__file__).resolve().parents[2] / "samples" / "fir.c"
    unneeded = ("jinja2", "hlspart.rewrite", "hlspart.infer", "hlspart.explore", "hlspart.transform.emit",
                "hlspart.frontend.cxx")  # fmt: skip
    script = f"import sys; from hlspart.cli.app import run; code = run(['ii', {str(fir)!r}]); " \
             f"print(code, sorted(m for m in {unneeded!r} if m in sys.modules))"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "reaches its target II" in done.stdout
    assert done.stdout.splitlines()[-1] == "0 []"


def test_rules_are_completed_by_code_and_name() -> None:
    script = "from hlspart.cli import main; main()"
    for begun, found in (("HLP20", {f"HLP20{k}" for k in range(1, 10)}), ("too-m", {"too-many-banks"})):
        words = {"_HLSPART_COMPLETE": "bash_complete", "COMP_WORDS": f"hlspart explain {begun}", "COMP_CWORD": "2"}
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.argv = ['hlspart']; {script}"],
            capture_output=True, text=True, check=False, env={**os.environ, **words},
        )  # fmt: skip
        assert {line.removeprefix("plain,") for line in done.stdout.split()} == found


def test_help_lists_every_command(cli) -> None:
    done = cli("--help")
    assert done.code == 0
    assert all(re.search(rf"^  {name} ", done.out, re.M) for name in COMMANDS)
    assert len(COMMANDS) >= 11


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(cli, name: str) -> None:
    done = cli(name, "--help")
    assert done.code == 0 and "Usage: hlspart " in done.out and done.err == ""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("nope",), "no command 'nope'"),
        (("ii",), "Missing argument"),
        (("ii", "k.c", "--nope"), "--nope"),
        (("ii", "k.c", "--format", "pdf"), "no format 'pdf'; formats are text, json"),
        (("ii", "k.c", "--bank-model", "guess"), "--bank-model"),
        (("ii", "k.c", "--clock", "0"), "--clock"),
        (("ii", "k.c", "--clock", "-3"), "--clock"),
        (("ii", "k.c", "--part", "zz"), "unknown part 'zz'"),
        (("ii", "k.c", "--tool", "zz"), "zz"),
        (("ii", "k.c", "--top", "zz"), "no function 'zz' in the given files; they define k"),
        (("ii", "k.c", "--directives", "none.cfg"), "cannot read the directive file none.cfg"),
        (("ii", "k.c", "--explain", "zz"), "no loop 'zz'; loops are k/copy, k/sum"),
        (("ii", "k.c", "k.c"), "given twice"),
        (("ii", "k.c", "plain.c", "-o", "x"), "-o takes one input"),
        (("ii", "k.c", "-o", "k.c"), "the output k.c is an input"),
        (("ii", "k.c", "--format", "json=k.c"), "the output k.c is an input"),
        (("ii", "k.c", "--format", "json", "--format", "text"), "same place"),
        (("infer", "k.c", "--array", "zz"), "no array 'zz'"),
        (("infer", "k.c", "--max-banks", "0"), "--max-banks"),
        (("rewrite", "k.c", "plain.c"), "--out-dir"),
        (("rewrite", "k.c", "-o", "k.c"), "the output k.c is an input"),
        (("rewrite", "k.c", "--out-dir", "."), "the output ./k.c is an input"),
        (("rewrite", "k.c", "-o", "n.c", "--map", "k.c"), "the output k.c is an input"),
        (("rewrite", "k.c", "--in-place", "-o", "x.c"), "only one of them"),
        (("rewrite", "k.c", "-o", "n.c", "-MT", "all"), "give -MD or -MF"),
        (("rewrite", "k.c", "-MF", "n.d"), "need an output file"),
        (("rewrite", "k.c", "-MD", "--diff"), "need an output file"),
        (("infer", "k.c", "--emit", "cfg", "--in-place"), "only one of them"),
        (("verify", "k.c"), "two files"),
        (("verify", "k.c", "k.c", "--range", "9:1"), "--range"),
        (("verify", "k.c", "k.c", "--range", "x"), "--range"),
        (("verify", "k.c", "k.c", "--map", "none.json"), "cannot read none.json"),
        (("verify", "k.c", "k.c", "--extent", "x"), "--extent"),
    ],
)  # fmt: skip
def test_wrong_usage_is_2_with_one_line(cli, files: Path, args: tuple[str, ...], words: str) -> None:
    before = sorted(os.listdir(files))
    done = cli(*args)
    assert done.code == 2, done.err
    lines = done.err.splitlines()
    assert words in lines[0] and lines[0].startswith("hlspart")
    assert len(lines) <= 2
    assert sorted(os.listdir(files)) == before


def unusable(folder: Path) -> dict[str, str]:
    """Name of an unusable input -> a word of its message."""
    (folder / "empty.c").write_text("")
    (folder / "folder.c").mkdir()
    (folder / "nul.c").write_bytes(b"int f(int x) { return x\0; }\n")
    (folder / "loop.c").write_text('#include "loop.c"\nint f(int x) { return x; }\n')
    return {"missing.c": "", "empty.c": "", "folder.c": "", "broken.c": "", "nul.c": "", "loop.c": ""}


@pytest.mark.parametrize("command", ANALYSES)
def test_unusable_input_is_2_and_located(cli, files: Path, command: str) -> None:
    for name in unusable(files):
        done = cli(command, name, *(("-o", "out.c") if command == "rewrite" else ()))
        assert done.code == 2, (name, done)
        found = [line for line in done.err.splitlines() if line.startswith(f"{name}:")]
        assert len(found) == 1 and MESSAGE.match(found[0]), done.err
        assert not (files / "out.c").exists()


@pytest.mark.parametrize("command", ("accesses", "ii", "infer", "rewrite"))
def test_a_broken_file_hides_no_other(cli, files: Path, command: str) -> None:
    done = cli(command, "broken.c", "k.c", "--format", "json", *(("--out-dir", "out") if command == "rewrite" else ()))
    assert done.code == 2
    broken, good = done.json["files"]
    assert broken["path"] == "broken.c" and broken["error"]
    assert good["path"] == "k.c" and "error" not in good
    assert good["arrays"] or command == "rewrite"
    assert not (files / "out").exists()


def test_reports_are_written_even_then(cli, files: Path) -> None:
    assert cli("ii", "broken.c", "--format", "json=r.json").code == 2
    assert '"error"' in (files / "r.json").read_text()


def test_same_input_same_bytes(cli, files: Path) -> None:
    for command in ("accesses", "ii", "infer"):
        first = cli(command, "k.c", "--format", "json")
        assert first.code in (0, 1) and len(first.out) > 300
        assert cli(command, "k.c", "--format", "json") == first


def test_standard_input_and_relative_paths(cli, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absolute = cli("accesses", str(files / "k.c"), "--format", "json")
    assert absolute.json["files"][0]["path"] == "k.c" and str(files) not in absolute.out
    with open(files / "k.c") as text:
        monkeypatch.setattr(sys, "stdin", text)
        done = cli("accesses", "-", "--stdin-filename", "sub/x.c", "--format", "json")
    assert done.code == 0 and done.json["files"][0]["path"] == "sub/x.c"
    assert len(done.json["files"][0]["accesses"]) == len(absolute.json["files"][0]["accesses"]) == 7


def test_several_formats_at_once(cli, files: Path) -> None:
    done = cli("ii", "k.c", "--format", "json=a.json", "--format", "text")
    assert done.code == 0 and done.out.startswith("assumed: ")
    assert (files / "a.json").read_text().startswith('{\n "schema": "hlspart.ii/1"')


def test_one_report_per_input(cli, files: Path) -> None:
    assert cli("accesses", "k.c", "plain.c", "--format", "json", "--out-dir", "d").code == 0
    assert sorted(os.listdir(files / "d")) == ["k.json", "plain.json"]


def test_module_form_and_closed_pipe(files: Path) -> None:
    command = f"{sys.executable} -m hlspart accesses k.c --format json"
    done = subprocess.run(["sh", "-c", f"({command}; echo $? >&2) | true"], cwd=files, capture_output=True, text=True)
    assert done.stderr.strip() in ("141", "0")  # 0 when the whole output fitted into the pipe first
    done = subprocess.run(["sh", "-c", command], cwd=files, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("{")


def test_internal_errors_are_one_line_and_no_finding(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hlspart.cli.app import run
    from hlspart.pipeline import Pipeline

    monkeypatch.chdir(files)
    monkeypatch.delenv("HLSPART_DEBUG", raising=False)
    monkeypatch.setattr(Pipeline, "program", property(lambda self: 1 // 0))
    assert run(["accesses", "k.c"]) == 70
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "internal error: ZeroDivisionError" in err and "please report" in err


# ----------------------------------------------------------------------------------- output files


def test_unchanged_output_keeps_its_time(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert write_output(str(path), b"one")
    os.utime(path, (1000, 1000))
    assert not write_output(str(path), b"one")
    assert path.stat().st_mtime == 1000
    assert write_output(str(path), b"two") and path.read_bytes() == b"two" and path.stat().st_mtime > 1000
    assert os.listdir(tmp_path) == ["x"]


def test_outputs_keep_mode_and_follow_links(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("a")
    os.chmod(tmp_path / "real", 0o640)
    (tmp_path / "link").symlink_to("real")
    write_output(str(tmp_path / "link"), b"b")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "b"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_an_unwritable_output_is_2(cli, files: Path) -> None:
    (files / "file").write_text("")
    done = cli("accesses", "k.c", "-o", "file/x.json")
    assert done.code == 2 and done.err.splitlines()[0].startswith("hlspart: error: cannot write file/x.json: ")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["-o", "taken"], "taken"),
        (["-o", "file/new.c"], "file/new.c"),
        (["-o", "new.c", "--map", "taken"], "taken"),
        (["-o", "new.c", "-MF", "taken"], "taken"),
        (["--in-place", "--map", "file/m.json"], "file/m.json"),
        (["-o", "new.c", "--map", "./new.c"], "./new.c"),
        (["m.c", "--out-dir", "taken"], "taken/m.c"),
        (["m.c", "--out-dir", "file"], "file/k.c"),
    ],
)
def test_where_one_output_cannot_be_written_none_is(cli, files: Path, options: list[str], named: str) -> None:
    text = "int %s(int n) { int A[8] = {1};\n#pragma HLS array_partition variable=A complete\n return A[1] + n; }\n"
    (files / "k.c").write_text(text % "k")
    (files / "m.c").write_text(text % "m")
    (files / "file").write_text("")
    (files / "taken" / "m.c").mkdir(parents=True)
    before = {p: p.read_bytes() if p.is_file() else None for p in files.rglob("*")}
    done = cli("rewrite", "k.c", "--style", "split", *options)
    assert done.code == 2 and not done.out
    assert len(done.err.splitlines()) == 1 and done.err.startswith(f"hlspart: error: cannot write {named}: "), done.err
    assert {p: p.read_bytes() if p.is_file() else None for p in files.rglob("*")} == before


def test_dependency_rule() -> None:
    rule = dependency_rule(["out/k.c"], ["k.c", "a b.h", "k.c", "c$d.h"])
    assert rule == "out/k.c: \\\n  k.c \\\n  a\\ b.h \\\n  c$$d.h\na\\ b.h:\nc$$d.h:\n"


def test_display_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert display_path(str(tmp_path / "a/b.c")) == "a/b.c"
    assert display_path("././a.c") == "a.c"
    assert display_path("../x.c") == "../x.c"


def test_a_depth_that_is_not_known_says_why(cli, tmp_path):
    (tmp_path / "k.c").write_text(
        "void f(int *a, int *b) {\n#pragma HLS INTERFACE m_axi port=a bundle=p\n"
        "#pragma HLS INTERFACE m_axi port=b bundle=q\n"
        "L: for (int i = 0; i < 99; i++) {\n#pragma HLS PIPELINE\n b[i] = a[2 * i]; } }\n"
    )
    why = "whether m_axi requests (7 states, responses 5) are part of it is not known"
    assert why in cli("ii", "k.c").out and f"depth unknown ({why}" in cli("ii", "k.c", "--explain", "L").out
    found = cli("ii", "k.c", "--format", "json").json["files"][0]["loops"][0]
    assert (found["ii"], found["depth"], found["latency"]) == (1, None, {"min": 99, "max": 113})
    assert found["cause"].startswith(why) and found["confidence"] == "modelled"


def test_members_that_become_arrays_have_outcomes(cli, tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(
        "struct acc { int mem[64]; int n; };\nvoid top(const int in[64], int out[60])\n{\n    struct acc s;\n"
        "#pragma HLS ARRAY_PARTITION variable=s.mem type=cyclic factor=4\n"
        "    for (int i = 0; i < 64; i++) s.mem[i] = in[i];\n"
        "    for (int i = 0; i < 60; i++) out[i] = s.mem[i] + s.mem[i + 1] + s.mem[i + 2] + s.mem[i + 3];\n}\n"
    )
    done = cli("rewrite", "s.c", "--style", "bankdim", "--split-struct", "--out-dir", "o", "--format", "json")
    (file,) = done.json["files"]
    assert [(o["arrays"], o["status"], o["style"]) for o in file["outcomes"]] == [(["s_mem"], "rewritten", "bankdim")]


def test_the_top_is_the_one_definition_of_its_name(cli, tmp_path) -> None:
    """A header may declare it with other types; of several definitions none is meant."""
    text = "void kern(int *a, int n);\nvoid kern(long *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }\n"
    (tmp_path / "k.cpp").write_text(text + "void host(long *a) { kern(a, 4); kern(a + 4, 4); }\n")
    done = cli("ii", str(tmp_path / "k.cpp"), "--top", "kern")
    assert done.code == 0 and "VITIS_LOOP_2_1" in done.out and "host" not in done.out
    (tmp_path / "k.cpp").write_text(text + "void kern(char *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }\n")
    assert "no function 'kern'" in cli("ii", str(tmp_path / "k.cpp"), "--top", "kern").err
