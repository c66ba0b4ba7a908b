"""Comments that hide findings, and findings about such comments."""

from __future__ import annotations

import pytest
from lint_helpers import lint_of

from hlspart.lint.config import LintConfig

PRAGMA = "#pragma HLS array_partition variable=A complete factor=4"
BODY = "void f(int A[16]) {{\n{lines}\n  A[0] = 1;\n}}\n"


def rules(lines: str, config: LintConfig | None = None) -> tuple[list[str], int]:
    report = lint_of(BODY.format(lines=lines), config=config or LintConfig(select=("HLP112", "HLP9", "HLP101")))
    return [d.rule for d in report.diagnostics], report.suppressed


@pytest.mark.parametrize(
    "lines",
    [
        f"{PRAGMA} // hlspart: ignore[HLP112] -- kept for the old tool",
        f"// hlspart: ignore[HLP112]\n{PRAGMA}",
        f"/* hlspart: ignore[HLP112] */\n{PRAGMA}",
        f"{PRAGMA} // hlspart: ignore[unused-factor]",
        f"{PRAGMA} // hlspart: ignore[HLP101, HLP112]",
        f"{PRAGMA} // hlspart: ignore",
        f"{PRAGMA} // hlspart-ignore: unused-factor",
        f"// hlspart: ignore-file[HLP112]\n\n\n{PRAGMA}",
        f"{PRAGMA[:-9]} \\\n  factor=4 // hlspart: ignore[HLP112]",
    ],
)
def test_hidden(lines: str) -> None:
    assert rules(lines) == ([], 1)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (PRAGMA, ["HLP112"]),
        (f"// hlspart: ignore[HLP112]\n\n{PRAGMA}", ["HLP901", "HLP112"]),
        (f"{PRAGMA} // hlspart: ignore[HLP101]", ["HLP112", "HLP901"]),
        (f"{PRAGMA} // hlspart: ignore[HLP999]", ["HLP112", "HLP902"]),
        (f"{PRAGMA} // hlspart: ignore[HLP112, nonsense]", ["HLP902"]),
        ("int x = 1; // hlspart: ignore[HLP112]", ["HLP901"]),
    ],
)
def test_not_hidden(lines: str, expected: list[str]) -> None:
    assert sorted(rules(lines)[0]) == sorted(expected)


def test_a_string_is_no_comment() -> None:
    text = f'char *g(void) {{ return "// hlspart: ignore-file"; }}\n{BODY.format(lines=PRAGMA)}'
    assert "HLP112" in [d.rule for d in lint_of(text).diagnostics]


def test_suppression_of_a_rule_that_does_not_run_is_not_unused() -> None:
    assert rules(f"{PRAGMA} // hlspart: ignore[HLP112]", LintConfig(select=("HLP9",))) == ([], 0)


def test_in_a_directive_file() -> None:
    files = {
        "k.c": "void f(int A[16]) { A[0] = 1; }\n",
        "d.cfg": "# hlspart: ignore[HLP411]\nsyn.directive.pipeline=g\n",
    }
    report = lint_of(files)
    assert [d.rule for d in report.diagnostics] == []
    assert report.suppressed == 1
