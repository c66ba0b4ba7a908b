"""What a kind of layout makes of an array."""

from __future__ import annotations

import math

from hlspart.blocked.channels import ELEMENT_BYTES, channel_layout
from hlspart.model.blocked import TILE, ChannelLayout, Kind, TileLayout
from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Declarator,
    Expr,
    Loop,
    Name,
    ScalarType,
    Stmt,
    Variable,
    expressions,
    walk,
    walk_statements,
)


def form(variable: Variable, kind: Kind) -> ChannelLayout | TileLayout | None:
    """A layout of an array other than compact, None where it can have none.

    Channels are the last dimension, its last three are H, W and C. Tiles are those of the last dimensions.
    """
    if not variable.dims or None in variable.dims:
        return None
    dims = [d or 1 for d in variable.dims]
    if kind.startswith(TILE):
        sizes = [int(n) for n in kind.removeprefix(TILE).split(",")]
        return TileLayout(tuple(dims), (*[1] * (len(dims) - len(sizes)), *sizes[-len(dims) :]))
    assert isinstance(variable.type, ArrayType)
    element = variable.type.element
    name = dtype(element) if isinstance(element, ScalarType) else None
    if name is None or len(dims) > 4:
        return None
    height, width, channels = [1] * (3 - len(dims[-3:])) + dims[-3:]
    return channel_layout((math.prod(dims[:-3]), height, width, channels), name)


def dtype(kind: ScalarType) -> str | None:
    """The name of an element type in channel layouts, None where they have none; fixed point is as wide integers."""
    if kind.kind == "float":
        return {16: "fp16", 32: "fp32"}.get(kind.bits)
    if kind.kind in ("int", "fixed"):
        name = f"{'int' if kind.signed else 'uint'}{kind.bits}"
        return name if name in ELEMENT_BYTES else None
    return None


def called(kind: Kind) -> str:
    """A layout in a sentence."""
    return f"in tiles of {kind.removeprefix(TILE)}" if kind.startswith(TILE) else kind


def is_spelled_out(declarator: Declarator, rank: int) -> bool:
    """Whether all extents of an array stand in the text of its declaration, and not in that of a type or macro."""
    return len(declarator.brackets) == rank and all(b.editable for b in declarator.brackets)


def sums_products(stmt: Stmt) -> bool:
    """Whether a nest sums up products of two arrays of four dimensions: a convolution or a matrix product."""
    nodes = [n for s in walk_statements(stmt) for root in expressions(s) for n in walk(root)]
    sums = (n for n in nodes if isinstance(n, Assign) and _adds_to_itself(n) and _rank(n.target) in (0, 4))
    products = (p for n in sums for p in walk(n.value) if isinstance(p, Binary) and p.op == "*")
    return isinstance(stmt, Loop) and any(_rank(p.left) == _rank(p.right) == 4 for p in products)


def _adds_to_itself(n: Assign) -> bool:
    """``s += ..``, and ``s = s + ..`` in either order."""
    if n.op != "=":
        return n.op == "+="
    match n.target, n.value:
        case Name() | ArrayRef(), Binary(op="+", left=left, right=right):
            return any(type(e) is type(n.target) and e.variable == n.target.variable for e in (left, right))
    return False


def _rank(expr: Expr) -> int:
    return next((len(n.indices) for n in walk(expr) if isinstance(n, ArrayRef)), 0)
