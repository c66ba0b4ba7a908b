"""The glossary names records that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hlspart"


def test_every_place_of_the_glossary_is_there() -> None:
    rows = [
        line.split("|")[1:4] for line in (ROOT / "docs/glossary.md").read_text().splitlines() if line.startswith("| ")
    ]
    places = [place for row in rows[1:] for place in re.findall(r"`([^`]+)`", row[2])]
    texts = {str(p.relative_to(PACKAGE)): p.read_text() for p in PACKAGE.rglob("*.py")}
    assert len(places) > 20
    for place in places:
        file, _, record = place.partition(": ")
        if place.startswith("docs/"):
            assert (ROOT / place).exists()
        elif file.endswith(".py"):
            assert file in texts, place
            assert not record or f"class {record}" in texts[file], place
        else:
            owner, member = place.split(".")
            homes = [t for t in texts.values() if f"class {owner}" in t]
            assert any(re.search(rf"\b{member}\b", t) for t in homes), place


def test_terms_come_once() -> None:
    rows = [
        line.split("|")[1].strip()
        for line in (ROOT / "docs/glossary.md").read_text().splitlines()
        if line.startswith("|")
    ]
    terms = [r for r in (x for x in rows if x) if not r.startswith("-")]
    assert len(terms) == len(set(terms))


JARGON = (
    "bankdim", "crossbar", "witness", "mux LUT", "lattice", "block-cyclic", "recurrence", "critical cycle", "slot",
    "II", "target II", "static", "ideal", "trip count", "lower bound", "modulo scheduling", "MARS", "bank-centric",
    "alpha", "modulus", "hnf", "coset", "nest", "split", "reservation table", "depth",
)  # fmt: skip


def test_words_that_are_shown_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Special words in the texts and in ``--help`` of every command have their row."""
    from click.testing import CliRunner

    from hlspart.cli.app import COMMANDS, cli

    monkeypatch.chdir(ROOT)
    sample = "samples/conv2d.c"
    shown = [[name, "--help"] for name in COMMANDS]
    shown += [["ii", sample], ["ii", sample, "--explain", "conv_r_conv_c"], ["infer", sample, "samples/bottleneck.c"]]
    text = "".join(CliRunner().invoke(cli, args).output for args in shown)
    rows = (ROOT / "docs/glossary.md").read_text().splitlines()
    terms = {
        word.strip() for line in rows if line.startswith("| ") for word in re.split(r",", line.split("|")[1]) if word
    }
    found = [w for w in JARGON if re.search(rf"\b{w}s?\b", text)]
    assert len(found) > 12 and "reservation table" in found
    explained = " ".join(terms)
    assert [w for w in found if not re.search(rf"\b{w}\b", explained)] == []
