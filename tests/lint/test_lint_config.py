"""Configuration files, baselines and changed lines."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lint_helpers import lint_of

from hlspart.lint import baseline
from hlspart.lint.changes import GitError, changed_lines, on_changed
from hlspart.lint.config import ConfigError, LintConfig, load, with_options

KERNEL = (
    "void f(int A[16]) {\n#pragma HLS array_partition variable=A complete factor=4\n"
    "#pragma HLS array_partition variable=B complete\n  for (int i = 0; i < 16; i++) A[i] = i;\n}\n"
)


def test_select_ignore_severity() -> None:
    assert [d.rule for d in lint_of(KERNEL).diagnostics if d.rule[3] in "14"] == ["HLP112", "HLP401"]
    only = lint_of(KERNEL, config=LintConfig(select=("HLP4",)))
    assert [d.rule for d in only.diagnostics] == ["HLP401"]
    less = lint_of(KERNEL, config=LintConfig(ignore=("unknown-variable", "HLP2", "HLP3")))
    assert [d.rule for d in less.diagnostics] == ["HLP112"]
    info = lint_of(KERNEL, config=LintConfig(select=("HLP401",), severity={"HLP401": "info"}))
    assert [d.severity for d in info.diagnostics] == ["info"]
    file = lint_of(KERNEL, config=LintConfig(per_file_ignores={"*.c": ("HLP",)}))
    assert file.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".hlspart.toml", 'select = ["HLP1"]\nfail-on = "warning"\n[severity]\nHLP112 = "error"\n'),
        ("pyproject.toml", '[tool.hlspart]\nselect = ["HLP1"]\nfail-on = "warning"\nseverity = {HLP112 = "error"}\n'),
        ("setup.cfg", "[hlspart]\nselect = HLP1\nfail-on = warning\nseverity =\n  unused-factor: error\n"),
    ],
)
def test_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "k.c").write_text(KERNEL)
    config = load(str(inner / "k.c"))
    assert (config.select, config.fail_on, config.severity) == (("HLP1",), "warning", {"HLP112": "error"})
    assert all(name in origin for origin in config.origin.values())
    assert name in config.show()
    assert "ignore = []  # default" in config.show()


def test_nearest_wins_and_order_in_a_folder(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    (tmp_path / ".hlspart.toml").write_text('fail-on = "error"\n')
    assert load(str(inner / "k.c")).fail_on == "error"
    (inner / "setup.cfg").write_text("[hlspart]\nfail-on = info\n")
    assert load(str(inner / "k.c")).fail_on == "info"
    (inner / "pyproject.toml").write_text('[tool.hlspart]\nfail-on = "warning"\n')
    assert load(str(inner / "k.c")).fail_on == "warning"
    (inner / ".hlspart.toml").write_text('fail-on = "note"\n')
    assert load(str(inner / "k.c")).fail_on == "note"
    assert load(str(inner / "k.c"), str(tmp_path / ".hlspart.toml")).fail_on == "error"
    chosen = with_options(load(str(inner / "k.c")), fail_on="error", select=None)
    assert (chosen.fail_on, chosen.origin["fail_on"]) == ("error", "command line")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('colour = "red"', "'colour'"),
        ('select = ["HLP999"]', "'HLP999'"),
        ('fail-on = "fatal"', "'fatal'"),
        ("select = 3", "list of words"),
        ("select = [", "toml"),
    ],
)
def test_faulty_configuration(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / ".hlspart.toml"
    path.write_text(text + "\n")
    with pytest.raises(ConfigError, match=word):
        load(str(tmp_path / "k.c"))


def test_baseline_survives_moved_lines() -> None:
    first = lint_of(KERNEL)
    known = baseline.read(baseline.write(first), "b.json")
    moved = lint_of("\n\n/* moved */\n" + KERNEL)
    assert len(moved.diagnostics) == len(first.diagnostics) > 1
    rest = baseline.without(moved, known)
    assert (rest.diagnostics, rest.suppressed) == ((), len(first.diagnostics))
    more = lint_of(KERNEL.replace("  for", "#pragma HLS array_partition variable=C complete\n  for"))
    assert [d.rule for d in baseline.without(more, known).diagnostics] == ["HLP401"]
    with pytest.raises(baseline.BaselineError):
        baseline.read("{}", "b.json")


def git(folder: Path, *args: str) -> None:
    subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org", *args],
        check=True,
        capture_output=True,
    )


def test_changed_lines_of_a_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    kernel = tmp_path / "k.c"
    kernel.write_text(KERNEL)
    git(tmp_path, "add", "k.c")
    git(tmp_path, "commit", "-qm", "one")
    monkeypatch.chdir(tmp_path)
    assert changed_lines("HEAD", ["k.c"]) == {"k.c": ()}
    report = lint_of(KERNEL)
    assert on_changed(report.diagnostics, changed_lines("HEAD", ["k.c"])) == []
    changed = KERNEL.replace("variable=B", "variable=C")
    kernel.write_text(changed)
    lines = changed_lines("HEAD", ["k.c"])
    assert lines == {"k.c": ((3, 3),)}
    assert [d.rule for d in on_changed(lint_of(changed).diagnostics, lines)] == ["HLP401"]
    new = tmp_path / "new.c"
    new.write_text(KERNEL)
    assert changed_lines("HEAD", ["new.c"])["new.c"][0][0] == 1
    with pytest.raises(GitError, match="no revision 'nonsense'"):
        changed_lines("nonsense", ["k.c"])
    with pytest.raises(GitError):
        changed_lines("--output=x", ["k.c"])
