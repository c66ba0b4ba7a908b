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
    """One entry of mistakes.txt."""

    name: str
    source: str
    text: str
    twin: str


def listed() -> list[Mistake]:
    """Those of mistakes.txt, and those that were written before any rule was tried on them."""
    text = "".join((Path(__file__).parent / name).read_text() for name in ("mistakes.txt", "mistakes_tried_first.txt"))
    entries = re.findall(r"^=== (\S+) \| (.+)\n((?s:.*?))^--- twin\n((?s:.*?))(?=^=== |\Z)", text, re.M)
    return [Mistake(name, source, bad, good.rstrip("\n") + "\n") for name, source, bad, good in entries]


MISTAKES = listed()
#: The rules of this list; twins may lack what other rules ask for.
RULES = {f"HLP{n}" for n in (106, 107, 111, 115, 209, 407, 409, *range(212, 226), *range(414, 431), *range(601, 616))}


def serious(name: str, text: str) -> list[Diagnostic]:
    return [d for d in lint_of({name: text}).diagnostics if d.severity in ("error", "warning")]


def line_of(text: str, mark: str) -> int | None:
    return next((k for k, line in enumerate(text.split("\n"), 1) if mark in line), None)


def test_the_list() -> None:
    assert len(MISTAKES) == 157 + 62
    assert len({m.name for m in MISTAKES}) == len(MISTAKES)
    assert all(m.text.count("/*!*/") == 1 and "/*" not in m.twin for m in MISTAKES)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_mistake(mistake: Mistake) -> None:
    line, also = line_of(mistake.text, "/*!*/"), line_of(mistake.text, "/*+*/")
    found = [d for d in serious(mistake.name, mistake.text) if d.place.line == line]
    assert found, [str(d) for d in serious(mistake.name, mistake.text)]
    if also is not None:
        assert any(r.place.line == also for d in found for r in d.related), [d.related for d in found]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_twin(mistake: Mistake) -> None:
    found = serious(mistake.name, mistake.twin)
    assert [str(d) for d in found if d.rule in RULES or d.severity == "error"] == []
