"""The pages say it once, and do not grow without end."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/tasks").glob("*.md"))]
MOST_WORDS = 30_000  # without code and the bars of tables
MOST_BESIDE = 3_500  # of README, CONTRIBUTING and CHANGELOG
RUN = 12  # words that no two pages share
FRONT = {"index.md", "package.md"}  # the first page and that of the package repository begin as the README does


def words(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    return [w.lower() for w in re.findall(r"[A-Za-z0-9_'+-]*[A-Za-z][A-Za-z0-9_'+-]*", text)]


def repeated(pages: list[Path]) -> set[str]:
    """Runs of words that stand in two pages."""
    places: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for page in pages:
        of = words(page)
        for k in range(len(of) - RUN + 1):
            places[tuple(of[k : k + RUN])].add(page.name)
    return {f"{sorted(at)}: {' '.join(run)}" for run, at in places.items() if len(at) > 1}


def test_nothing_is_said_twice(tmp_path: Path) -> None:
    pages = [p for p in PAGES if p.name not in FRONT]
    assert len(pages) > 25
    assert repeated(pages) == set()
    text = " ".join(f"w{chr(97 + k)}" for k in range(RUN))
    for name in ("a", "b"):
        (tmp_path / name).write_text(text)
    assert repeated([tmp_path / "a", tmp_path / "b"]) != set()


def length(pages: list[Path]) -> int:
    return sum(
        len(re.findall(r"[^\s|`]*\w[^\s|]*", re.sub(r"```.*?```", "", p.read_text(), flags=re.S))) for p in pages
    )


def test_the_pages_stay_short() -> None:
    assert 20_000 < length(PAGES) <= MOST_WORDS
    assert length([ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")]) <= MOST_BESIDE
