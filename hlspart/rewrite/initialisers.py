"""Initialisers of arrays, brought into element order and dealt out to the banks (C11 6.7.9).

Element values stay the user's own text.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from hlspart.model.program import (
    ArrayType,
    Assign,
    Call,
    Comma,
    Const,
    CType,
    Expr,
    IncDec,
    InitList,
    OpaqueExpr,
    ScalarType,
    StringLit,
    is_unbraced,
    walk,
)
from hlspart.rewrite.linear import Text, own_text
from hlspart.semantics.effects import is_quiet

Index = tuple[int, ...]

#: One character of a string literal's text, as in a character constant.
_CHARACTER = re.compile(r"\\(?:x[0-9a-fA-F]+|[0-7]{1,3}|.)|.", re.S)


class Unsupported(Struct, frozen=True):
    """An initialiser that cannot be dealt out, and why; ``code`` is the class of the refusal."""

    reason: str
    expr: Expr
    code: str = "initialiser"


def elements(kind: ArrayType, init: Expr, text_of: Text) -> Mapping[Index, str] | Unsupported:
    """Text of every element that ``init`` names; the others are zero."""
    dims = tuple(d for d in kind.dims if d is not None)
    if len(dims) != len(kind.dims):
        return Unsupported("extent not known", init)
    by_index: dict[Index, str] = {}
    values = [n for n in walk(init) if isinstance(n, Assign | IncDec | OpaqueExpr | Call)]
    values = [n for n in values if not (isinstance(n, OpaqueExpr) and n.what == "constant expression")]
    effect = next((n for n in values if not isinstance(n, Call) or not is_quiet(n.function or "")), None)
    if effect is not None and isinstance(init, InitList) and len(init.items) > 1:
        return Unsupported("initial values with effects would be computed in another order", effect, "side-effect")
    fault = _fill(text_of, kind.element, dims, (), init, by_index)
    return fault if fault is not None else by_index


def _fill(
    text_of: Text, element: CType, dims: Index, prefix: Index, init: Expr, values: dict[Index, str]
) -> Unsupported | None:
    """Initialise the sub-array at ``prefix`` by ``init``."""
    rank = len(dims) - len(prefix)
    if rank == 0:
        if is_unbraced(element, init):
            return Unsupported("a struct without its braces", init)
        text = own_text(init, text_of)
        if text is None and isinstance(init, Const):
            text = init.text
        if text is None:
            return Unsupported("an initial value comes out of a macro", init, "macro")
        values[prefix] = f"({text})" if isinstance(init, Comma) else text
        return None
    if isinstance(init, InitList) and len(init.items) == 1 and rank == 1 and _is_char(element):
        only = init.items[0][1]
        if isinstance(only, StringLit):
            init = only
    if isinstance(init, StringLit):
        if rank != 1 or not _is_char(element):
            return Unsupported("a string in an array of another type", init)
        joined = text_of(init.at.span).count('"') > 2  # "\x4" "1" is no "\x41"
        if not init.value.isascii() or (joined and "\\x" in init.value):
            return Unsupported("a string with characters that cannot be told apart", init)
        for k, match in enumerate(_CHARACTER.finditer(init.value)):
            if k < dims[-1]:
                values[(*prefix, k)] = f"'{match[0]}'" if match[0] != "'" else "'\\''"
        return None
    if not isinstance(init, InitList):
        return Unsupported("an array that is not initialised by a list", init)
    # The cursor is a leaf position; an item initialises the sub-object that begins there.
    start = prefix + (0,) * rank
    cursor: Index | None = start
    designated = False
    for designators, value in init.items:
        if designators:
            designated = True
            if any(not isinstance(d, int) for d in designators) or len(designators) > rank:
                return Unsupported("a designator that is no index", value)
            at = prefix + tuple(d for d in designators if isinstance(d, int))
        else:
            if cursor is None:
                return Unsupported("more initial values than elements", value)
            at = _object_at(cursor, prefix, value, dims, element)
        if any(not 0 <= i < d for i, d in zip(at, dims, strict=False)):
            return Unsupported("a designator outside the array", value)
        braced = isinstance(value, InitList) or (isinstance(value, StringLit) and len(at) == len(dims) - 1)
        if len(at) < len(dims) and not braced:
            at = at + (0,) * (len(dims) - len(at))  # brace elision: a scalar goes to the first leaf
        if designated and isinstance(value, InitList) and len(at) < len(dims):
            for old in [x for x in values if x[: len(at)] == at]:
                del values[old]  # a later initialiser replaces the whole sub-object
        if isinstance(value, InitList) and len(at) == len(dims) and isinstance(element, ScalarType):
            if len(value.items) != 1:
                return Unsupported("braces around a scalar", value)
            value = value.items[0][1]
        fault = _fill(text_of, element, dims, at, value, values)
        if fault is not None:
            return fault
        cursor = _after(at, len(prefix), dims)
    return None


def _object_at(cursor: Index, prefix: Index, value: Expr, dims: Index, element: CType) -> Index:
    """The sub-object that ``value`` without designator initialises: the next one of the list's own level
    for braces, the next row for a string, else the next leaf. Inside an elided level (cursor not at its
    start) braces belong to the innermost open level."""
    if isinstance(value, InitList | StringLit):
        depth = len(prefix) + 1
        limit = len(dims) - 1 if isinstance(value, StringLit) and _is_char(element) else len(dims)
        if isinstance(value, StringLit):
            return cursor[: max(depth, limit)] if not any(cursor[limit:]) else cursor
        while depth < len(dims) and any(cursor[depth:]):
            depth += 1
        return cursor[:depth]
    return cursor


def _after(at: Index, level: int, dims: Index) -> Index | None:
    """Leaf position after the sub-object ``at``, None when the enclosing list is full."""
    head = list(at)
    for k in range(len(head) - 1, level - 1, -1):
        head[k] += 1
        if head[k] < dims[k]:
            return tuple(head) + (0,) * (len(dims) - len(head))
        head[k] = 0
    return None


def _is_char(kind: CType) -> bool:
    return isinstance(kind, ScalarType) and kind.kind == "int" and kind.bits == 8


def initialiser_text(shape: Index, at: Callable[[Index], str | None], zero: str) -> str:
    """``{...}`` (or a bare value, shape ()) for an array; ``at`` gives an element's text, None for zero.

    Trailing zeros are left to C.
    """
    if not shape:
        return at(()) or zero
    rows: list[str | None] = []
    for k in range(shape[0]):
        if len(shape) == 1:
            rows.append(at((k,)))
        else:
            inner = [at((k, *rest)) for rest in itertools.product(*(range(n) for n in shape[1:]))]
            if all(text is None for text in inner):
                rows.append(None)
            else:
                rows.append(initialiser_text(shape[1:], lambda rest, k=k: at((k, *rest)), zero))  # type: ignore[misc]
    while rows and rows[-1] is None:
        rows.pop()
    blank = "{" * (len(shape) - 1) + zero + "}" * (len(shape) - 1)
    return "{" + ", ".join(blank if r is None else r for r in rows or [zero if len(shape) == 1 else blank]) + "}"


def wrap(pieces: Sequence[str], newlines: int, indent: str) -> str:
    """``pieces`` joined by commas over exactly ``newlines`` line ends, so that lines below keep their numbers."""
    if newlines == 0 or len(pieces) == 1:
        return ", ".join(pieces) + "\n" * newlines
    per_line = math.ceil(len(pieces) / (newlines + 1))
    lines = [", ".join(pieces[k : k + per_line]) for k in range(0, len(pieces), per_line)]
    return (",\n" + indent).join(lines) + "\n" * (newlines + 1 - len(lines))
