"""The layers of docs/architecture.md, read from its table, hold in the imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from syntax import nodes

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hlspart"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if "templates" not in p.parts and "share" not in p.parts)


def table() -> dict[str, str]:
    """Package -> the "may import" cell."""
    rows = {}
    for line in (ROOT / "docs/architecture.md").read_text().splitlines():
        cells = [c.strip() for c in line.split("|")]
        if len(cells) == 5 and cells[1].startswith("`"):
            for name in re.findall(r"`([a-z]+)(?:/|\.py)`", cells[1]):
                rows[name] = cells[3]
    return rows


def layer(path: Path) -> str:
    """First component below the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> tuple[str, ...]:
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            for alias in node.names:
                candidate = PACKAGE.parent / (module + "." + alias.name).replace(".", "/")
                whole = candidate.with_suffix(".py").exists() or candidate.is_dir()
                yield f"{module}.{alias.name}" if whole else module


def allowed() -> dict[str, set[str]]:
    """Layers that each layer may import, itself included."""
    order: list[str] = []
    out = {}
    rows = table()
    for name, cell in rows.items():
        before = set(order)
        names = {w for w in re.findall(r"[a-z]+", cell) if w in rows}
        if "all but cli" in cell or cell == "all":
            out[name] = set(rows) - ({"cli"} if "but" in cell else set())
        elif "rules" in name or "lint" in name:
            out[name] = before | names
        else:
            out[name] = names | (before if "the above" in cell else set())
        out[name].add(name)
        order.append(name)
    return out


def test_the_table_lists_every_package() -> None:
    found = {layer(p) for p in MODULES} - {"__init__", "__main__"}
    assert found == set(table())
    assert len(found) >= 15


def test_imports_go_up_the_table_only() -> None:
    rules = allowed()
    wrong, seen = [], 0
    for path in MODULES:
        own = layer(path)
        if own in ("__init__", "__main__"):
            continue
        for name in imports(path):
            parts = name.split(".")
            if parts[0] == "hlspart" and len(parts) > 1:
                seen += 1
                if parts[1] not in rules[own] and parts[1] != "version":
                    wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong
    assert seen > 50


def test_sole_importers() -> None:
    owners = {"pycparser": {"frontend"}, "pcpp": {"frontend"}, "ply": {"frontend"}, "click": {"cli"}}
    owners["islpy"] = {"sets", "accesses"}
    wrong, seen = [], set()
    for path in MODULES:
        for name in imports(path):
            root = name.split(".")[0]
            if root in owners:
                seen.add(root)
                if layer(path) not in owners[root]:
                    wrong.append(f"{path.relative_to(ROOT)} imports {root}")
    assert not wrong
    assert {"pycparser", "islpy", "click"} <= seen


def test_no_isl_object_in_a_record() -> None:
    for path in (PACKAGE / "model").glob("*.py"):
        assert not any(name.startswith("islpy") for name in imports(path))
