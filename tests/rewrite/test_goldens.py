"""Exact outputs: ``golden/<case>/input.c`` rewritten with ``options`` is ``expected.c``.

``HLSPART_UPDATE_GOLDENS=1 pytest tests/rewrite/test_goldens.py`` writes what is there now; read the diff.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from rewrite_help import banked, dangling

CASES = sorted(p.parent for p in (Path(__file__).parent / "golden").glob("*/input.c"))


def test_there_are_cases() -> None:
    assert len(CASES) >= 10


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_golden(case: Path, tmp_path: Path) -> None:
    options = dict(pair.split("=") for pair in (case / "options").read_text().split())
    result = banked((case / "input.c").read_text(), **options)
    assert all(o.status in ("rewritten", "kept", "ignored") for o in result.outcomes) and result.outcomes
    new = result.files["p.c"]
    golden = case / "expected.c"
    if os.environ.get("HLSPART_UPDATE_GOLDENS"):
        golden.write_text(new)
    assert new == golden.read_text() and not dangling(new)
    output = tmp_path / "new.c"
    output.write_text(new)
    flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-label"]
    subprocess.run(["gcc", *flags, "-c", str(output), "-o", str(tmp_path / "new.o")], check=True)
    assert banked(new, **options).files["p.c"] == new
