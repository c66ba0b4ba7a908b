"""Nobody outside layouts/ asks which kind of layout it has: a new kind answers the questions of the protocol."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from syntax import nodes

from hlspart.layouts.dimension import DimKind

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hlspart"
OUTSIDE = sorted(
    p for p in PACKAGE.rglob("*.py") if p.parent.name != "layouts" and not {"templates", "share"} & set(p.parts)
)
DIMS = set(get_args(DimKind))


@cache
def classes() -> frozenset[str]:
    """Records of layouts/."""
    names = {n.name for p in (PACKAGE / "layouts").glob("*.py") for n in nodes(p) if isinstance(n, ast.ClassDef)}
    return frozenset(name for name in names if name.endswith("Layout") and name != "Layout")


def switches(source: Iterable[ast.AST]) -> Iterator[str]:
    """Lines that tell layouts apart by their class or by the word for their kind."""
    records = classes()

    def named(node: ast.AST) -> set[str]:
        return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
            n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
        }

    def kind(node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "kind"

    def says(node: ast.AST) -> bool:
        return any(isinstance(n, ast.Constant) and n.value in DIMS for n in ast.walk(node))

    for node in source:
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, second]) if named(second) & records:
                yield ast.unparse(node)
            case ast.Compare(left=left, comparators=others) if {"type"} <= named(left) and records & set().union(
                *(named(o) for o in others)
            ):
                yield ast.unparse(node)
            case ast.MatchClass(cls=cls) if named(cls) & records:
                yield ast.unparse(cls)
            case ast.Compare(left=left, comparators=others) if any(map(kind, (left, *others))):
                if any(says(side) for side in (left, *others)):
                    yield ast.unparse(node)
            case ast.Match(subject=subject, cases=cases) if kind(subject):
                if any(says(case.pattern) for case in cases):
                    yield ast.unparse(subject)
            case ast.Call(func=ast.Attribute(value=ast.Dict() as table), args=[key, *_]) if kind(key) and says(table):
                yield ast.unparse(node)
            case ast.Subscript(value=ast.Dict() as table, slice=key) if kind(key) and says(table):
                yield ast.unparse(node)


def test_nobody_switches_on_the_kind_of_a_layout() -> None:
    assert len(classes()) >= 5
    assert len(OUTSIDE) > 200
    found = [f"{p.relative_to(ROOT)}: {line}" for p in OUTSIDE for line in switches(nodes(p))]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(x, PerDimLayout)",
        "isinstance(plan.layout, LatticeLayout | TableLayout)",
        "isinstance(x, (perdim.DimLayout, int))",
        "type(x) is BlockCyclicLayout",
        "match x:\n    case TableLayout():\n        pass",
        "match dim.kind:\n    case 'cyclic' | 'block':\n        pass",
        "dim.kind == 'complete'",
        "dim.kind in ('cyclic', 'block')",
        "'whole' != x.dims[0].kind",
        "{'cyclic': 1}.get(dim.kind, 0)",
        "{'block': 1}[dim.kind]",
    ],
)
def test_a_switch_is_seen(text: str) -> None:
    assert len(list(switches(ast.walk(ast.parse(text))))) == 1


@pytest.mark.parametrize("text", ["isinstance(s, Block)", "op.kind == 'load'", "print(dim.kind)", "layout.is_complete"])
def test_what_is_no_switch_is_not_seen(text: str) -> None:
    assert list(switches(ast.walk(ast.parse(text)))) == []
