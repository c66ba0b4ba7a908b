"""Every rule has a page, and the examples on the page do what the page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from lint_helpers import blocks, lint_of
from msgspec.structs import replace

from hlspart import lint
from hlspart.lint.catalogue import HEADINGS, Entry, entries, find
from hlspart.model.options import Options
from hlspart.pipeline import Pipeline
from hlspart.rules._base import Rule
from hlspart.settings import SettingsError

catalogue_module = sys.modules["hlspart.lint.catalogue"]

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = entries()
NO_CODE = {"HLP001", "HLP003", "HLP004"}  # their examples are in words


def test_there_are_rules_of_every_kind() -> None:
    codes = [e.rule.code for e in ENTRIES]
    assert len(codes) == len(set(codes)) >= 50
    assert {c[3] for c in codes} == set("01234569")
    modules = [p for p in (ROOT / "hlspart/rules").glob("*.py") if not p.name.startswith("_")]
    assert len(modules) == len(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.rule.code)
def test_page(entry: Entry) -> None:
    assert re.fullmatch(r"HLP\d{3}", entry.rule.code)
    assert re.fullmatch(r"[a-z0-9-]+", entry.rule.name)
    assert find(entry.rule.name) is entry
    assert find(entry.rule.code) is entry
    assert [line[3:] for line in entry.page.splitlines() if line.startswith("## ")] == list(HEADINGS)
    for heading in HEADINGS:
        assert entry.section(heading).strip(), heading
    assert entry.summary
    assert (ROOT / "hlspart/rules" / (entry.rule.name.replace("-", "_") + ".py")).exists()


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.rule.code not in NO_CODE], ids=lambda e: e.rule.code)
def test_examples(entry: Entry) -> None:
    files, options = blocks(entry.section("Example"))
    bad = lint_of(files, tool=options.get("tool"))
    mine = [d for d in bad.diagnostics if d.rule == entry.rule.code]
    assert mine, [str(d) for d in bad.diagnostics]
    assert all(d.hint for d in bad.diagnostics)
    for d in mine:
        assert d.message
        assert d.name == entry.rule.name
        assert d.place.line <= d.place.end_line
        assert d.place.path in files
    files, options = blocks(entry.section("Use instead"))
    good = lint_of(files, tool=options.get("tool"))
    assert [str(d) for d in good.diagnostics if d.rule == entry.rule.code] == []
    assert [str(d) for d in good.diagnostics if d.severity == "error"] == []


def test_every_remark_has_one_rule() -> None:
    """Each code that validation gives is reported by exactly one rule (or by none on purpose)."""
    made: set[str] = set()
    for folder in ("hlspart/frontend/directives", "hlspart/partition"):
        for path in (ROOT / folder).glob("*.py"):
            text = path.read_text()
            made |= set(re.findall(r"\b(?:Fault|refuse|note)\(\s*\"([a-z-]+)\"", text))
            made |= set(re.findall(r"return \"([a-z]+-[a-z-]+)\",", text))
    fault = re.search(r"FaultCode = Literal\[(.*?)\]", (ROOT / "hlspart/model/access.py").read_text(), re.S)
    assert fault is not None
    made |= set(re.findall(r"\"([a-z-]+)\"", fault.group(1))) - {"unknown-extent"} | {"group-extent"}
    made |= {"bad-factor", "bad-ii", "bad-distance", "bad-depth", "bad-cycle"}  # made of the option's name
    assert len(made) > 40
    silent = {"condition-false", "group-conflict", "unread", "streams", "open-extent"}  # an instance settles the last
    rules = {
        p.name: p.read_text().split("RULE = ", 1)[-1].partition("\n")[2]
        for p in (ROOT / "hlspart/rules").glob("[a-z]*.py")
    }
    shared = {"bank-divided": 3}
    for code in sorted(made - silent):
        users = [name for name, text in rules.items() if f'"{code}"' in text]
        assert len(users) == shared.get(code, 1), (code, users)


def test_a_target_missed_by_several_limits_together() -> None:
    text = (
        "void f(int A[16]) {\n  L: for (int i = 0; i < 16; i++) {\n#pragma HLS pipeline II=1\n    A[i] = i;\n  }\n}\n"
    )
    pipeline = Pipeline(["k.c"], Options(), lambda _path: text.encode())
    (loop,) = pipeline.ii.loops
    slow = replace(pipeline.ii, loops=(replace(loop, ii=3, resource_ii=2, recurrence_ii=2, limits=()),))
    report = lint.run(pipeline.program, pipeline.analysis, pipeline.validation, slow)
    assert [d.rule for d in report.diagnostics] == ["HLP211"]
    assert report.diagnostics[0].message == "loop L: II 3 instead of 1: several limits together"


def test_rules_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("their_rule", "Names are short.\n\n## What it does\nNothing.")
    module.RULE = Rule("HLP801", "short-name", "info")  # type: ignore[attr-defined]
    module.check = lambda facts: iter([facts.report(module.RULE, facts.program.variables[0].at, "short")])  # type: ignore[attr-defined]

    class Point:
        name = "theirs"

        def load(self) -> ModuleType:
            return module

    monkeypatch.setattr(catalogue_module, "entry_points", lambda group: [Point()] if group == "hlspart.rules" else [])
    entries.cache_clear()
    try:
        report = lint_of("int f(int x) { return x; }\n")
        assert [(d.rule, d.place.column) for d in report.diagnostics] == [("HLP801", 11)]
        module.check = lambda facts: iter([1 // 0])  # type: ignore[attr-defined]
        entries.cache_clear()
        report = lint_of("int f(int A[2]) {\n#pragma HLS array_partition variable=A dim=3\n  return A[2];\n}\n")
        assert [d.rule for d in report.diagnostics] == ["HLP000", "HLP405", "HLP210"]
        assert report.diagnostics[0].message.startswith("rule HLP801 failed: ZeroDivisionError")
        monkeypatch.setattr(Point, "load", lambda self: 1 // 0)
        entries.cache_clear()
        with pytest.raises(SettingsError, match="entry point theirs cannot be loaded: ZeroDivisionError"):
            entries()
    finally:
        monkeypatch.undo()
        entries.cache_clear()
