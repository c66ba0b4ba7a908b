"""Initial values: lists in braces, their designators, long tables of constants."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Protocol

from pycparser import c_ast

from hlspart.frontend import types as ct
from hlspart.frontend.context import Context
from hlspart.frontend.literals import constant
from hlspart.frontend.parse import RANGE, TABLE
from hlspart.model import program as ir
from hlspart.model.source import Origin
from hlspart.semantics.conversions import promoted

MAX_RANGE = 65536  # elements that one initial value may stand for


class ExpressionReader(Protocol):
    """Reads the expressions that occur in initial values."""

    def lower(self, node: Any) -> tuple[ir.Expr, int, int]:
        """An expression with its first and last token."""

    def value(self, node: Any) -> int | None:
        """Value of a constant expression."""


class InitialValues:
    """Lowers the initial values of one unit."""

    def __init__(self, context: Context, expressions: ExpressionReader) -> None:
        self.context, self.text, self.expressions = context, context.text, expressions

    def at(self, first: int, last: int) -> Origin:
        """Origin of a token range."""
        return self.text.origin(first, last)

    def literal(self, at: int) -> ir.Const:
        """The number or character at a token."""
        text = self.text.texts[at]
        type_, value = constant(text)
        return ir.Const(self.at(at, at), type_, value, text)

    def value(self, node: Any, first: int, type_: ir.CType) -> tuple[ir.Expr, int, int]:
        """An initial value whose text begins at token ``first``."""
        if not isinstance(node, c_ast.InitList) or self.text.texts[first] != "{":
            return self.expressions.lower(node)
        last = self.text.match[first]
        if len(node.exprs) == 1 and isinstance(node.exprs[0], c_ast.Constant) and node.exprs[0].value == TABLE:
            return self._table(first, last, type_), first, last
        inner = ct.indexed(type_) if isinstance(type_, ir.ArrayType) else ct.UNKNOWN
        items: list[tuple[tuple[int | str, ...], ir.Expr]] = []
        cursor = first + 1
        for item in node.exprs:
            if isinstance(item, c_ast.NamedInitializer):
                ways = [self._designator(d) for d in item.name]
                cursor = self.find("=", cursor, last) + 1
                value = self.value(item.expr, cursor, inner)[0]
                if math.prod(map(len, ways)) > 1:
                    self._repeatable(value, cursor, math.prod(map(len, ways)))
                items += [(designators, value) for designators in itertools.product(*ways)]
            else:
                items.append(((), self.value(item, cursor, inner)[0]))
            cursor = self.find(",", cursor, last) + 1
        return ir.InitList(self.at(first, last), type_, tuple(items)), first, last

    def _table(self, first: int, last: int, type_: ir.CType) -> ir.InitList:
        """A list of constants between two braces; what is more than a literal with a sign is not looked into."""
        items: list[tuple[tuple[int | str, ...], ir.Expr]] = []
        texts = self.text.texts
        inner = ct.indexed(type_) if isinstance(type_, ir.ArrayType) else ct.UNKNOWN
        at = first + 1
        while at < last:
            end = self.find(",", at, last)
            value: ir.Expr
            if texts[at] == "{":
                value = self._table(at, end - 1, inner)
            elif end == at + 1:
                value = self.literal(at)
            elif end == at + 2 and texts[at] == "-":
                value = self.literal(at + 1)
                value = ir.Unary(self.at(at, at + 1), promoted(value.type), "-", value)
            else:
                value = ir.OpaqueExpr(self.at(at, end - 1), inner, "constant expression")
            items.append(((), value))
            at = end + 1
        return ir.InitList(self.at(first, last), type_, tuple(items))

    def find(self, text: str, start: int, end: int) -> int:
        """Next token ``text`` outside of brackets, ``end`` when there is none."""
        texts, match = self.text.texts, self.text.match
        while start < end:
            if texts[start] == text:
                return start
            start = match[start] + 1 if match[start] > start else start + 1
        return end

    def _repeatable(self, value: ir.Expr, at: int, count: int) -> None:
        """An initial value of ``count`` elements; C evaluates it once (``[low ... high] = value`` of GNU C)."""
        if count > MAX_RANGE:
            raise self.context.fail(at, f"designators name more than {MAX_RANGE} elements", "HLP004")
        if any(isinstance(e, ir.ArrayRef | ir.Subscript | ir.Call | ir.Assign | ir.IncDec) for e in ir.walk(value)):
            raise self.context.fail(at, "initial value of a range of elements is more than constants and scalars")

    def _designator(self, node: Any) -> Sequence[int | str]:
        """The member or the indices that one designator names."""
        if isinstance(node, c_ast.ID):
            return (str(node.name),)
        expr = node.expr if isinstance(node, c_ast.ArrayDesignator) else node
        marker = getattr(expr, "iftrue", None)
        ranged = isinstance(expr, c_ast.TernaryOp) and getattr(marker, "value", None) == RANGE
        low, high = (self.expressions.value(e) for e in ((expr.cond, expr.iffalse) if ranged else (expr, expr)))
        if low is None or high is None or high < low:
            what = "not an integer constant" if low is None or high is None else "an empty range"
            raise self.context.fail(_leaf(node), f"designator is {what}")
        if high - low >= MAX_RANGE:
            raise self.context.fail(_leaf(node), f"designator names more than {MAX_RANGE} elements", "HLP004")
        return range(low, high + 1)


def _leaf(node: Any) -> int:
    coord = getattr(node, "coord", None)
    return coord.line if coord is not None else 0
