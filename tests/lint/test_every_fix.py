"""Every rule that offers a fix: applied, the finding is gone, a compiler takes the text, and no loop is slower."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lint_helpers import blocks

import hlspart.rules
from hlspart.lint.catalogue import Entry, entries
from hlspart.model.options import FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline

FOLDER = Path(hlspart.rules.__file__).parent
FIXING = [e for e in entries() if "Fix(" in (FOLDER / f"{e.rule.name.replace('-', '_')}.py").read_text()]
#: Where no fix is certain for the example of the page.
TEXTS = {
    "HLP111": """void f(const int in[64], int out[64]) {
  int t[64];
#pragma HLS RESOURCE variable=t core=RAM_2P_BRAM
  for (int i = 0; i < 64; i++) t[i] = in[i];
  for (int i = 0; i < 64; i++) out[i] = t[63 - i];
}
""",
    "HLP201": """void f(const int in[96], int out[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=2
    out[i] = in[i] + in[i + 16] + in[i + 32] + in[i + 48] + in[i + 64];
  }
}
""",
}


def pipeline(files: dict[str, str], tool: str | None) -> Pipeline:
    sources = [p for p in files if not p.endswith((".cfg", ".tcl", ".h"))]
    scripts = tuple(p for p in files if p.endswith((".cfg", ".tcl")))
    options = Options(FrontendOptions(directive_files=scripts), TargetOptions(tool=tool))
    return Pipeline(sources, options, lambda path: files[path].encode())


def compiled(path: Path) -> bool:
    compiler = ["gcc", "-std=c11"] if path.suffix == ".c" else ["g++", "-std=c++14"]
    return subprocess.run([*compiler, "-w", "-fsyntax-only", path], capture_output=True).returncode == 0


@pytest.mark.parametrize("entry", FIXING, ids=lambda e: e.rule.code)
def test_fix(entry: Entry, tmp_path: Path) -> None:
    code = entry.rule.code
    files, options = blocks(entry.section("Example"))
    if code in TEXTS:
        files = {"k.c": TEXTS[code]}
    made = pipeline(files, options.get("tool"))
    report = made.lint()
    (finding,) = [d for d in report.diagnostics if d.rule == code and d.fix is not None]
    result = made.fix(report, unsafe=True, only=finding)
    assert [d.rule for d in result.applied] == [code], result.refused
    after = files | result.texts
    again = pipeline(after, options.get("tool"))
    assert code not in [d.rule for d in again.lint().diagnostics]
    was, now = made.figures.loops, again.figures.loops
    assert [x.function for x in was] == [x.function for x in now]
    assert all(a.ii is None or (b.ii is not None and b.ii <= a.ii) for a, b in zip(was, now, strict=True))
    for path, text in result.texts.items():
        if path.endswith((".c", ".cpp")):
            (tmp_path / path).write_text(text)
            assert compiled(tmp_path / path)


def test_most_of_them_change_pragmas_of_c() -> None:
    assert len(FIXING) >= 14
