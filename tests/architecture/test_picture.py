"""The picture of docs/architecture.md is what the imports say: who makes a record, and who reads it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import syntax

ROOT = Path(__file__).resolve().parents[2]
ARROWS = re.findall(r"^  (\w+) -->\|(\w+)\| (\w+)$", (ROOT / "docs/architecture.md").read_text(), re.M)


@cache
def trees(package: str) -> list[ast.Module]:
    return [syntax.tree(p) for p in sorted((ROOT / "hlspart" / package).rglob("*.py"))]


@cache
def homes(record: str) -> set[str]:
    """Packages that define a record."""
    packages = [p.name for p in (ROOT / "hlspart").iterdir() if (p / "__init__.py").exists()]
    return {p for p in packages for t in trees(p) for n in t.body if isinstance(n, ast.ClassDef) and n.name == record}


@cache
def names(package: str) -> dict[str, set[str]]:
    """Imported name -> packages that it comes from."""
    out: dict[str, set[str]] = {}
    for tree in trees(package):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hlspart."):
                for alias in node.names:
                    out.setdefault(alias.name, set()).add((node.module or "").split(".")[1])
    return out


def test_the_picture_is_not_empty() -> None:
    assert len(ARROWS) > 15 and len(set(ARROWS)) == len(ARROWS)


@pytest.mark.parametrize(("maker", "record", "reader"), ARROWS)
def test_arrows_are_records(maker: str, record: str, reader: str) -> None:
    home = homes(record)
    assert len(home) == 1, f"{record} is no record"
    assert maker in home or record in names(maker), f"{maker} does not make {record}"
    assert names(reader).get(record, set()) & home, f"{reader} does not read {record}"
