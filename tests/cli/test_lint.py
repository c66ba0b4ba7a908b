"""`hlspart lint` as a command: formats, fixes, baselines, changed lines, many files, the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = """/* é */ void f(const int in[32], int o[32]) {
int a[32];
#pragma HLS ARRAY_PARTITION variable=nope type=cyclic factor=2
#pragma HLS ARRAY_PARTITION variable=a type=complete factor=3
load: for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
  a[i] = in[i]; }
sum: for (int i = 0; i < 29; i++) {
#pragma HLS PIPELINE II=1
  o[i] = a[i] + a[i+1] + a[i+2] + a[i+3]; }
}
"""
CLEAN = "int f(int x) { return x; }\n"


@pytest.fixture
def linted(tmp_path: Path) -> Path:
    (tmp_path / "f.c").write_text(TEXT)
    (tmp_path / "clean.c").write_text(CLEAN)
    return tmp_path


def findings(cli, *args: str) -> list[tuple[str, int]]:
    done = cli("lint", *args, "--format", "json")
    return [(d["rule"], d["line"]) for d in done.json["diagnostics"]]


def test_clean_prints_nothing(cli, linted: Path) -> None:
    done = cli("lint", "clean.c")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_text_has_the_line_and_a_caret(cli, linted: Path) -> None:
    done = cli("lint", "f.c")
    assert done.code == 1
    lines = done.out.splitlines()
    at = lines.index("f.c:3:29: error: ARRAY_PARTITION: no variable 'nope' [HLP401 unknown-variable]")
    assert lines[at + 1] == "   3 | #pragma HLS ARRAY_PARTITION variable=nope type=cyclic factor=2"
    assert lines[at + 2].index("^") - lines[at + 2].index("|") - 1 == 29 and "^~~~~~~" in lines[at + 2]
    assert "\033[" not in done.out
    assert "\033[31merror\033[0m" in cli("lint", "f.c", "--color", "always").out


def test_several_formats_and_relative_paths(cli, linted: Path) -> None:
    done = cli("lint", str(linted / "f.c"), "--format", "sarif=s.sarif", "--format", "junit=j.xml", "--format", "text")
    assert done.code == 1 and "f.c:3:29" in done.out
    for name in ("s.sarif", "j.xml"):
        assert str(linted) not in (linted / name).read_text()


def test_selection_and_exit_code(cli, linted: Path) -> None:
    assert {r for r, _ in findings(cli, "f.c", "--select", "HLP4")} == {"HLP401"}
    assert "HLP401" not in {r for r, _ in findings(cli, "f.c", "--disable", "unknown-variable")}
    assert cli("lint", "f.c", "--select", "HLP112").code == 1
    assert cli("lint", "f.c", "--select", "HLP112", "--fail-on", "error").code == 0
    assert cli("lint", "f.c", "--select", "HLP999").code == 2
    (linted / ".hlspart.toml").write_text('ignore = ["HLP4"]\n')
    assert "HLP401" not in {r for r, _ in findings(cli, "f.c")}
    assert ".hlspart.toml" in cli("lint", "f.c", "--show-config").out
    (linted / ".hlspart.toml").write_text("nonsense = 1\n")
    done = cli("lint", "f.c")
    assert done.code == 2 and "no setting 'nonsense'" in done.err


def test_baseline(cli, linted: Path) -> None:
    assert cli("lint", "f.c", "--write-baseline", "b.json").code == 0
    done = cli("lint", "f.c", "--baseline", "b.json", "--format", "json")
    assert done.code == 0 and done.json["diagnostics"] == [] and done.json["summary"]["suppressed"] >= 3
    (linted / "f.c").write_text(TEXT.replace("int a[32];", "int a[32];\n#pragma HLS ARRAY_PARTITION variable=b"))
    left = cli("lint", "f.c", "--baseline", "b.json", "--format", "json").json["diagnostics"]
    assert [(d["rule"], d["line"]) for d in left] == [("HLP401", 3)]
    assert cli("lint", "f.c", "--baseline", "none.json").code == 2


def test_safe_fixes(cli, linted: Path) -> None:
    before = findings(cli, "f.c")
    assert ("HLP112", 4) in before  # a factor on complete
    shown = cli("lint", "f.c", "--diff")
    assert "-#pragma HLS ARRAY_PARTITION variable=a type=complete factor=3\n" in shown.out
    assert (linted / "f.c").read_text() == TEXT
    cli("lint", "f.c", "--fix")
    text = (linted / "f.c").read_text()
    assert text == TEXT.replace("type=complete factor=3", "type=complete")
    after = findings(cli, "f.c")
    assert set(after) < set(before) and len(after) == len(before) - 1
    cli("lint", "f.c", "--fix")
    assert (linted / "f.c").read_text() == text


def test_fixes_in_files_that_are_no_one_program(cli, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.c").write_text(TEXT)  # each defines f
    cli("lint", ".", "--fix")
    wanted = TEXT.replace("type=complete factor=3", "type=complete")
    assert [(tmp_path / f"{name}.c").read_text() for name in "abc"] == [wanted] * 3


def many(folder: Path) -> None:
    for n in range(6):
        (folder / f"k{n}.c").write_text(TEXT.replace("void f(", f"void f{n}("))
    (folder / "helper.c").write_text("void fill(int x[8]) { for (int i = 0; i < 8; i++) x[i] = i; }\n")
    (folder / "user.c").write_text(
        "void fill(int x[8]);\nint top(void) { int y[8];\n#pragma HLS ARRAY_PARTITION variable=y cyclic factor=2\n"
        "fill(y); return y[1]; }\n"
    )


def test_a_tree_in_parallel_and_from_the_cache(cli, linted: Path) -> None:
    many(linted)
    serial = cli("lint", ".", "--jobs", "1", "--no-cache", "--format", "json")
    assert not (linted / ".hlspart-cache").exists()
    assert len(serial.json["files"]) == 10
    assert sum(1 for d in serial.json["diagnostics"] if d["rule"] == "HLP401") == 7
    for jobs in ("2", "2"):
        assert cli("lint", ".", "--jobs", jobs, "--format", "json") == serial
    assert len(list((linted / ".hlspart-cache").glob("*.json"))) == 9  # helper.c and user.c belong together
    (linted / "k3.c").write_text(CLEAN)
    changed = cli("lint", ".", "--format", "json")
    assert sum(1 for d in changed.json["diagnostics"] if d["rule"] == "HLP401") == 6
    text = cli("lint", ".").out
    assert "   3 | #pragma HLS ARRAY_PARTITION variable=nope" in text  # sources are there from the cache too


def test_no_cache_where_none_can_be_written(cli, linted: Path) -> None:
    wanted = cli("lint", ".", "--no-cache", "--format", "json")
    (linted / ".hlspart-cache").write_text("a file in the way\n")
    assert cli("lint", ".", "--format", "json") == wanted


def test_the_cache_sees_headers(cli, tmp_path: Path) -> None:
    (tmp_path / "n.h").write_text("#define F 2\n")
    (tmp_path / "f.c").write_text('#include "n.h"\n' + TEXT.replace("complete factor=3", "cyclic factor=F"))
    (tmp_path / "other.c").write_text(CLEAN)
    first = findings(cli, "f.c", "other.c")
    assert findings(cli, "f.c", "other.c") == first
    (tmp_path / "n.h").write_text("#define F 99\n")
    second = findings(cli, "f.c", "other.c")
    assert second != first and ("HLP113", 5) in second


def test_the_cache_sees_a_source_with_the_body_of_a_call(cli, tmp_path: Path) -> None:
    lines = ["int work(int x);", "void top(int a[8], int b[8]) {", "  for (int i = 0; i < 8; i++) {"]
    lines += ["#pragma HLS PIPELINE II=1", "    b[i] = work(a[i]);", "  }", "}", ""]
    (tmp_path / "top.c").write_text("\n".join(lines))
    unknown = cli("lint", "top.c").out
    assert "the body of work is not given" in unknown
    (tmp_path / "work.c").write_text("int work(int x) { return x * 3; }\n")
    assert "not given" not in cli("lint", "top.c").out
    (tmp_path / "work.c").unlink()
    assert cli("lint", "top.c").out == unknown


def test_the_cache_sees_a_header_where_there_was_none(cli, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text('#include "n.h"\n' + TEXT.replace("complete factor=3", "cyclic factor=F"))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    args = ("f.c", "-I", "one", "-I", "two")
    for path, text in (("", ""), ("two/n.h", "#define F 2\n"), ("one/n.h", "#define F 99\n")):
        if path:
            (tmp_path / path).write_text(text)
        assert findings(cli, *args) == findings(cli, *args, "--no-cache")
    assert ("HLP113", 5) in findings(cli, *args)


def test_a_broken_file_hides_no_other(cli, linted: Path) -> None:
    (linted / "broken.c").write_text("void f( {\n")
    done = cli("lint", "broken.c", "f.c", "--format", "json")
    assert done.code == 2
    rules = {(d["path"], d["rule"]) for d in done.json["diagnostics"]}
    assert ("f.c", "HLP401") in rules and any(p == "broken.c" and r.startswith("HLP0") for p, r in rules)


def test_explain_and_rules(cli) -> None:
    listed = cli("rules", "--format", "json").json["rules"]
    assert len(listed) >= 40
    for rule in listed:
        by_code, by_name = cli("explain", rule["rule"]), cli("explain", rule["name"])
        assert by_code.code == 0 and by_code.out == by_name.out and rule["rule"] in by_code.out
    assert cli("explain", "HLP999").code == 2
    assert listed[0]["rule"] in cli("rules").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli, shell: str) -> None:
    done = cli("completion", shell)
    assert done.code == 0 and "hlspart" in done.out and "_HLSPART_COMPLETE" in done.out


def test_completion_answers() -> None:
    env = {**os.environ, "_HLSPART_COMPLETE": "bash_complete", "COMP_WORDS": "hlspart in", "COMP_CWORD": "1"}
    script = "import sys; sys.argv = ['hlspart']; from hlspart.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "plain,infer\n")
