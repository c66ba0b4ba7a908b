"""Configuration files, baselines and changed lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lint_helpers import lint_of
from msgspec.structs import replace

from hlspart.lint import baseline
from hlspart.lint.config import LintConfig, load, with_options
from hlspart.settings import SettingsError, find

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


def config_of(start: Path, explicit: Path | None = None) -> LintConfig:
    return load(find(str(start), str(explicit) if explicit else None))


FORMS = [
    (".hlspart.toml", """select = ["HLP1", "unknown-variable"]
ignore = ["HLP110"]
fail-on = "error"
large-complete = 64
[severity]
HLP112 = "error"
[per-file-ignores]
"old/*" = ["HLP1"]
"""),
    ("pyproject.toml", """[tool.other]
colour = 1
[tool.hlspart]
select = ["HLP1", "unknown-variable"]
ignore = "HLP110"
fail-on = "error"
large-complete = 64
severity = {unused-factor = "error"}
[tool.hlspart.per-file-ignores]
"old/*" = ["HLP1"]
"""),
    ("setup.cfg", """[other]
colour = %(x)s
[hlspart]
select = HLP1, unknown-variable
ignore = HLP110
fail-on = error
large-complete = 64
severity =
  unused-factor: error
per-file-ignores =
  old/*: HLP1
"""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), FORMS)
def test_all_settings_in_every_form(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "k.c").write_text(KERNEL)
    config = config_of(inner / "k.c")
    assert (config.select, config.ignore) == (("HLP1", "unknown-variable"), ("HLP110",))
    assert (config.fail_on, config.large_complete) == ("error", 64)
    assert (config.severity, config.per_file_ignores) == ({"HLP112": "error"}, {"old/*": ("HLP1",)})
    assert set(config.origin) == {"select", "ignore", "fail_on", "large_complete", "severity", "per_file_ignores"}
    assert all(name in origin for origin in config.origin.values())
    assert config.show().count(f"{name}\n") == 6
    explicit = config_of(tmp_path / "elsewhere", tmp_path / name)
    assert config == config_of(tmp_path) == replace(explicit, root=config.root, origin=config.origin)


def test_what_each_setting_does(tmp_path: Path) -> None:
    def rules(text: str, name: str = "k.c") -> list[tuple[str, str]]:
        (tmp_path / ".hlspart.toml").write_text(text)
        report = lint_of({name: KERNEL}, config=config_of(tmp_path))
        return [(d.rule, d.severity) for d in report.diagnostics if d.rule in ("HLP112", "HLP401", "HLP303")]

    assert rules("") == [("HLP112", "warning"), ("HLP401", "error")]
    assert rules('select = ["HLP4"]') == [("HLP401", "error")]
    assert rules('ignore = ["unknown-variable"]') == [("HLP112", "warning")]
    assert rules('[severity]\nHLP401 = "info"') == [("HLP112", "warning"), ("HLP401", "info")]
    assert ("HLP303", "warning") in rules("large-complete = 8")
    assert rules('[per-file-ignores]\n"*.c" = ["HLP1"]') == [("HLP401", "error")]
    assert len(rules('[per-file-ignores]\n"*.cpp" = ["HLP"]')) == 2


def test_per_file_ignores_are_seen_from_the_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src/old").mkdir(parents=True)
    (tmp_path / ".hlspart.toml").write_text('[per-file-ignores]\n"src/old/k*" = ["HLP"]\n')
    for folder, path in ((tmp_path, "src/old/k.c"), (tmp_path / "src", "old/k.c"), (tmp_path / "src/old", "k.c")):
        monkeypatch.chdir(folder)
        config = config_of(Path(path))
        assert lint_of({path: KERNEL}, config=config).diagnostics == ()
        assert lint_of({f"x{path}": KERNEL}, config=config).diagnostics != ()


def test_nearest_wins_and_order_in_a_folder(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    (tmp_path / ".hlspart.toml").write_text('fail-on = "error"\n')
    assert config_of(inner / "k.c").fail_on == "error"
    (inner / "setup.cfg").write_text("[hlspart]\nfail-on = info\n")
    assert config_of(inner / "k.c").fail_on == "info"
    (inner / "pyproject.toml").write_text('[tool.hlspart]\nfail-on = "warning"\n')
    assert config_of(inner / "k.c").fail_on == "warning"
    (inner / ".hlspart.toml").write_text('fail-on = "note"\n')
    assert config_of(inner / "k.c").fail_on == "note"
    assert config_of(inner / "k.c", tmp_path / ".hlspart.toml").fail_on == "error"
    chosen = with_options(config_of(inner / "k.c"), fail_on="error", select=None)
    assert (chosen.fail_on, chosen.origin["fail_on"]) == ("error", "command line")


def test_files_of_others_are_passed_over(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    (tmp_path / ".hlspart.toml").write_text('fail-on = "error"\n')
    (inner / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (inner / "setup.cfg").write_text("this is no such file\n")
    assert config_of(inner / "k.c").fail_on == "error"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('\ncolour = "red"', ":2: no setting 'colour'; settings are select, "),
        ('select = ["HLP999"]', ":1: no rule 'HLP999'"),
        ('select = ["HLP8"]', ":1: no rule 'HLP8'"),
        ('ignore = "nothing"', ":1: no rule 'nothing'"),
        ('fail-on = "fatal"', ":1: fail-on: 'fatal' is no severity"),
        ("select = 3", ":1: select: a list of words is needed"),
        ('fail-on = "error"\n[severity]\nHLP999 = "error"', ":2: severity: no rule 'HLP999'"),
        ('[severity]\nHLP201 = "loud"', ":1: severity: 'loud' is no severity"),
        ("severity = 3", ":1: severity: a table is needed"),
        ('[per-file-ignores]\n"*" = ["HLP999"]', ":1: no rule 'HLP999'"),
        ("large-complete = 0", ":1: large-complete: a positive number is needed"),
        ("large-complete = true", ":1: large-complete: a positive number is needed"),
        ("clock = -1", ":1: clock: a period in nanoseconds is needed"),
        ('flow = "xyz"', ":1: flow: vivado or vitis is needed"),
        ("part = 3", ":1: part: a word is needed"),
        ("select = [", ": "),
    ],
)
def test_faulty_settings(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / ".hlspart.toml"
    path.write_text(text + "\n")
    with pytest.raises(SettingsError, match=re.escape(f".hlspart.toml{words}")):
        config_of(tmp_path / "k.c")


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
