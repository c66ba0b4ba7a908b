"""What is not known has one record from where it arises to where it is said: no flags, strings or exceptions beside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from syntax import nodes

PACKAGE = Path(__file__).resolve().parents[2] / "hlspart"
PREDICTION = ("hardware", "lowering", "nests", "schedule", "predict")
SAYS_WHY = ("cause", "why", "doubt", "estimated", "assumed", "unsettled", "speculative")


def classes(*packages: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for package in packages:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            for node in nodes(path):
                if isinstance(node, ast.ClassDef):
                    yield f"{package}/{path.name}: {node.name}", node


def stray(found: Iterator[tuple[str, ast.ClassDef]]) -> set[str]:
    """Fields that say why something is not known, and are no causes or doubts."""
    out = set()
    for place, node in found:
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                kind = ast.unparse(field.annotation)
                if any(word in field.target.id for word in SAYS_WHY) and "Cause" not in kind and "Doubt" not in kind:
                    out.add(f"{place}.{field.target.id}")
    return out


def test_what_is_not_known_is_a_doubt() -> None:
    found = list(classes(*PREDICTION))
    assert len(found) > 50
    assert stray(iter(found)) == set()
    flagged = ast.parse("class Lowered:\n    unsettled: frozenset[int]\n    cause: str | None\n    gap: int").body[0]
    assert isinstance(flagged, ast.ClassDef)
    assert stray(iter([("x", flagged)])) == {"x.unsettled", "x.cause"}


def test_one_exception_says_that_there_is_no_model() -> None:
    raised = {place for place, node in classes(*PREDICTION) if any("Exception" in ast.unparse(b) for b in node.bases)}
    assert raised == {"hardware/unmodelled.py: Unmodelled"}


def test_doubts_are_solved_in_two_places() -> None:
    """The range of the II, and that of the states of an iteration; others make doubts or say their causes."""
    effects = {"fewer", "gone", "passed", "left", "idle", "slow", "more", "endless"}
    solving = set()
    for package in PREDICTION:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            for node in nodes(path):
                named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                if named and node.attr in effects and node.value.id in ("d", "doubt"):
                    solving.add(f"{package}/{path.name}")
    assert solving == {"predict/doubts.py", "predict/depths.py"}
