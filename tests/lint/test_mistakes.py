"""Mistakes that people make: each is found at its line, and its twin that is right is not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from lint_helpers import lint_of

from hlspart.model.diagnostics import Diagnostic


@dataclass(frozen=True)
class Mistake:
    """One entry of the lists; ``others``: further files of both texts."""

    name: str
    source: str
    text: str
    twin: str
    others: tuple[tuple[str, str], ...] = ()


def listed() -> list[Mistake]:
    """Those of mistakes.txt, and those that were written before any rule was tried on them."""
    entry = re.compile(r"^=== (\S+) \| (.+)\n((?s:.*?))^--- twin\n((?s:.*?))(?=^=== |\Z)", re.M)
    texts = [(Path(__file__).parent / name).read_text() for name in LISTS]
    found = []
    for name, source, bad, rest in (parts for text in texts for parts in entry.findall(text)):
        good, *others = re.split(r"^--- file (\S+)\n", rest, flags=re.M)
        files = tuple((path, text.rstrip("\n") + "\n") for path, text in zip(others[::2], others[1::2], strict=True))
        found.append(Mistake(name, source, bad, good.rstrip("\n") + "\n", files))
    return found


LISTS = (
    "mistakes.txt", "mistakes_tried_first.txt", "mistakes_in_other_shapes.txt", "mistakes_beside_public_code.txt",
    "mistakes_from_manuals.txt", "mistakes_of_language_and_options.txt", "mistakes_in_kernels.txt",
    "mistakes_of_new_directives.txt", "mistakes_of_second_readings.txt", "mistakes_of_fresh_shapes.txt",
    "mistakes_of_manual_limits.txt", "mistakes_of_plain_language.txt", "mistakes_of_later_threads.txt",
    "mistakes_of_messages.txt", "mistakes_of_operators_and_words.txt", "mistakes_of_limits_and_options.txt",
    "mistakes_of_paragraphs_and_issues.txt", "mistakes_of_old_tools_and_ports.txt", "mistakes_of_all_families.txt",
    "mistakes_of_tests_and_channels.txt", "mistakes_of_all_options.txt", "mistakes_of_issues.txt",
    "mistakes_of_searched_pages.txt", "mistakes_of_reports_from_users.txt",
)  # fmt: skip
MISTAKES = listed()
#: Rules that twins need not keep to: they may lack what these ask for. Each other rule finds nothing in any twin.
SPARED = {
    f"HLP{n:03}"
    for n in (
        *range(1, 13), *range(101, 106), *range(108, 111), *range(112, 115), *range(201, 209), 210, 211,
        *range(301, 307), 308, *range(401, 407), 408, *range(410, 414), 501, 901, 902,
    )
}  # fmt: skip


def files_of(mistake: Mistake, text: str, without: str) -> dict[str, str]:
    return {mistake.name: text} | {path: text for path, text in mistake.others if without not in path}


def serious(files: dict[str, str]) -> list[Diagnostic]:
    return [d for d in lint_of(files).diagnostics if d.severity in ("error", "warning")]


def marked(files: dict[str, str], kind: str) -> dict[str, list[tuple[str, int]]]:
    """Letter ("" where a text has one mistake) -> the lines of which one must be told."""
    found: dict[str, list[tuple[str, int]]] = {}
    for path, text in files.items():
        for k, line in enumerate(text.split("\n"), 1):
            for letter in re.findall(rf"/\*{re.escape(kind)}(\w?)\*/", line):
                found.setdefault(letter, []).append((path, k))
    return found


def test_the_list() -> None:
    assert len(MISTAKES) > 950
    assert SPARED & {"HLP226", "HLP453", "HLP624"} == set()
    assert len({m.name for m in MISTAKES}) == len(MISTAKES)
    texts = ("".join(files_of(m, m.text, "_of_twin").values()) for m in MISTAKES)
    assert all(len(marked({"": text}, "!")) >= 1 for text in texts) and all("/*" not in m.twin for m in MISTAKES)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_mistake(mistake: Mistake) -> None:
    files = files_of(mistake, mistake.text, "_of_twin")
    serious_ones, beside = serious(files), marked(files, "+")
    for letter, places in marked(files, "!").items():
        found = [d for d in serious_ones if (d.place.path, d.place.line) in places]
        assert found, (letter, [str(d) for d in serious_ones])
        also = beside.get(letter, [])
        told = {(r.place.path, r.place.line) for d in found for r in d.related}
        assert not also or told & set(also), [d.related for d in found]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_twin(mistake: Mistake) -> None:
    found = serious(files_of(mistake, mistake.twin, "_of_text"))
    assert [str(d) for d in found if d.rule not in SPARED or d.severity == "error"] == []
