"""`hlspart lint --diff-base` in repositories with a history."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FAULT = "#pragma HLS array_partition variable=nope complete\n"
OTHER = "#pragma HLS array_partition variable=none complete\n"
PARTITION = "#pragma HLS array_partition variable=A complete factor=4\n"


def kernel(name: str, *pragmas: str) -> str:
    body = "".join(pragmas)
    return f"void {name}(int A[16]) {{\n{body}  for (int i = 0; i < 16; i++) A[i] = i;\n}}\n"


def git(folder: Path, *args: str) -> None:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *args], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """One commit: old faults in a.c and in a file whose name needs quoting."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.c").write_text(kernel("a", FAULT))
    (tmp_path / 'src/b "é\t.c').write_text(kernel("b", FAULT))
    commit(tmp_path, "one")
    return tmp_path


def new(cli, base: str, *files: str) -> list[tuple[str, str, int]]:
    done = cli("lint", *(files or (".",)), "--no-cache", "--diff-base", base, "--format", "json")
    assert done.code in (0, 1), done.err
    return [(d["path"], d["rule"], d["line"]) for d in done.json["diagnostics"]]


def test_old_findings_are_left_out(cli, history: Path) -> None:
    assert new(cli, "HEAD") == []
    (history / "src/a.c").write_text(kernel("a", FAULT, OTHER))
    assert new(cli, "HEAD") == [("src/a.c", "HLP401", 3)]
    commit(history, "two")
    assert new(cli, "HEAD") == []
    assert new(cli, "HEAD~1") == new(cli, "HEAD~1", "src/a.c") == [("src/a.c", "HLP401", 3)]
    (history / "src/a.c").write_text("\n\n\n" + kernel("a", FAULT, OTHER))  # only moved
    assert new(cli, "HEAD") == []


def test_a_changed_line_brings_its_findings_even_when_they_are_old(cli, history: Path) -> None:
    (history / "src/a.c").write_text(kernel("a", FAULT.replace("complete", "cyclic factor=2")))
    assert new(cli, "HEAD") == [("src/a.c", "HLP401", 2)]


def test_files_that_git_does_not_know(cli, history: Path) -> None:
    (history / "src/c.c").write_text(kernel("c", FAULT))
    assert new(cli, "HEAD") == [("src/c.c", "HLP401", 2)]
    git(history, "add", "src/c.c")
    assert new(cli, "HEAD") == [("src/c.c", "HLP401", 2)]
    (history / ".gitignore").write_text("c.c\n")
    git(history, "rm", "-q", "--cached", "src/c.c")
    assert new(cli, "HEAD", "src/c.c") == [("src/c.c", "HLP401", 2)]


def test_names_that_need_quoting(cli, history: Path) -> None:
    name = 'src/b "é\t.c'
    (history / name).write_text(kernel("b", FAULT, OTHER))
    assert new(cli, "HEAD") == [(name, "HLP401", 3)]


def test_a_renamed_file_keeps_its_history(cli, history: Path) -> None:
    git(history, "mv", "src/a.c", "src/moved.c")
    assert new(cli, "HEAD") == []
    commit(history, "moved")
    assert new(cli, "HEAD~1") == []
    text = kernel("a", FAULT) + "".join(f"int f{n}(int x) {{ return x + {n}; }}\n" for n in range(9))
    (history / "src/moved.c").write_text(text)
    commit(history, "longer")
    git(history, "mv", "src/moved.c", "src/again.c")
    (history / "src/again.c").write_text(text.replace(FAULT, FAULT + OTHER))
    assert new(cli, "HEAD") == [("src/again.c", "HLP401", 3)]
    (history / "src/a.c").write_text(kernel("x", OTHER))  # another file under the old name
    assert ("src/a.c", "HLP401", 2) in new(cli, "HEAD~2")


def test_a_header_that_changes_what_is_found(cli, history: Path) -> None:
    (history / "src/n.h").write_text("#define F 4\n")
    uses = kernel("h", FAULT, "#pragma HLS array_partition variable=A cyclic factor=F\n")
    (history / "src/h.c").write_text('#include "n.h"\n' + uses)
    commit(history, "header")
    (history / "src/n.h").write_text("#define F 99\n")
    assert new(cli, "HEAD") == [("src/h.c", "HLP113", 4)]  # caused by the change, on a line that is as it was
    commit(history, "more")
    assert new(cli, "HEAD") == []
    git(history, "mv", "src/n.h", "src/m.h")
    (history / "src/h.c").write_text('#include "m.h"\n' + uses)
    assert new(cli, "HEAD") == []


def test_a_call_that_makes_a_conflict(cli, history: Path) -> None:
    callee = "void g(int x[16]) {\n#pragma HLS array_partition variable=x cyclic factor=2\n  x[0] = 1;\n}\n"
    caller = (
        "void g(int x[16]);\nvoid top(int B[16]) {\n#pragma HLS array_partition variable=B cyclic factor=4\n  %s\n}\n"
    )
    (history / "src/g.c").write_text(callee)
    (history / "src/top.c").write_text(caller % "B[0] = 1;")
    commit(history, "two files")
    (history / "src/top.c").write_text(caller % "g(B);")
    found = new(cli, "HEAD")
    assert {("src/g.c", "HLP407", 2), ("src/top.c", "HLP407", 3)} <= set(found)


def test_the_change_since_the_branches_parted(cli, history: Path) -> None:
    git(history, "checkout", "-qb", "topic")
    (history / "src/c.c").write_text(kernel("c", FAULT))
    commit(history, "on the topic")
    git(history, "checkout", "-q", "main")
    (history / "src/a.c").write_text(kernel("a"))
    commit(history, "mended on main")
    git(history, "checkout", "-q", "topic")
    assert new(cli, "main") == [("src/c.c", "HLP401", 2)]  # that main has mended a.c is no fault of the topic


def test_from_a_folder_below_and_with_odd_settings(cli, history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (history / "src/a.c").write_text(kernel("a", FAULT, OTHER))
    for key, value in (("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("color.ui", "always"),
                       ("diff.external", "false"), ("core.quotePath", "true"), ("diff.renames", "false")):  # fmt: skip
        git(history, "config", key, value)
    monkeypatch.chdir(history / "src")
    assert new(cli, "HEAD") == [("a.c", "HLP401", 3)]


def test_lines_that_look_like_headers_of_a_diff(cli, history: Path) -> None:
    text = "/*\n%s*/\n" + kernel("d", FAULT)
    (history / "src/d.c").write_text(text % "")
    commit(history, "d")
    (history / "src/d.c").write_text(text % "++ b/src/a.c\n@@ -1 +1,99 @@\ndiff --git a/x b/x\n")
    assert new(cli, "HEAD") == []


def test_what_cannot_be_compared_is_2(cli, history: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for revision in ("nowhere", "--output=x", ""):
        done = cli("lint", "src", "--diff-base", revision)
        assert done.code == 2 and done.out == "" and done.err.count("\n") == 1, done
    outside = tmp_path_factory.mktemp("outside") / "x.c"
    outside.write_text(kernel("x"))
    done = cli("lint", str(outside), "--diff-base", "HEAD")
    assert done.code == 2 and "not a git repository" in done.err


def test_a_broken_file_is_told_on_whatever_line(cli, history: Path) -> None:
    (history / "src/bad.c").write_text("void f( {\n")
    commit(history, "bad")
    done = cli("lint", "src", "--no-cache", "--diff-base", "HEAD", "--format", "json")
    assert done.code == 2 and [d["path"] for d in done.json["diagnostics"]] == ["src/bad.c"]
