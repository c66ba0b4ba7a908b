"""Expressions of a program, and the walk over them. Nodes compare and hash by identity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from msgspec import Struct

from hlspart.model.source import Origin
from hlspart.model.types import INT, CType, PointerType, StructType


class Const(Struct, frozen=True, eq=False):
    """Integer, character, boolean, enum or floating literal; ``value`` is exact for integers."""

    at: Origin
    type: CType
    value: int | float
    text: str


def integer(value: int, at: Origin) -> Const:
    """A number of type ``int`` that no source has."""
    return Const(at, INT, value, str(value))


class StringLit(Struct, frozen=True, eq=False):
    """A string literal; ``value`` without the terminating NUL."""

    at: Origin
    type: CType
    value: str


class Name(Struct, frozen=True, eq=False):
    """Use of a variable as a whole: a scalar's value, or an array handed on or decayed."""

    at: Origin
    type: CType
    variable: int


class FunctionName(Struct, frozen=True, eq=False):
    """A function's name used other than as the callee of a direct call."""

    at: Origin
    type: CType
    name: str


class ArrayRef(Struct, frozen=True, eq=False):
    """``A[i][j]`` where ``A`` is a variable of array type, or a pointer indexed as an array.

    ``indices`` may be fewer than the rank (a row handed on). ``name`` is the span of ``A``,
    ``brackets`` those of each ``[...]`` with brackets. ``*(A + i)`` and ``*A`` are lowered to this
    too; then ``brackets`` is () and ``at`` covers the whole expression. Indices are evaluated before
    the pointer: ``*p++`` is ``p[(p++, -1)]``. ``in_rows``: every index is a subscript of the array itself although
    no brackets are listed, as those of a member are not; a pointer may run on over the end of a row.
    """

    id: int
    at: Origin
    type: CType
    variable: int
    indices: tuple[Expr, ...]
    name: Origin
    brackets: tuple[Origin, ...]
    in_rows: bool = False


class Subscript(Struct, frozen=True, eq=False):
    """``base[index]`` where the base is no plain variable: struct members, call results."""

    at: Origin
    type: CType
    base: Expr
    index: Expr


class Member(Struct, frozen=True, eq=False):
    """``base.field`` or ``base->field``."""

    at: Origin
    type: CType
    base: Expr
    field: str
    arrow: bool


class Unary(Struct, frozen=True, eq=False):
    """``op`` one of ``+ - ~ ! & *``."""

    at: Origin
    type: CType
    op: str
    operand: Expr


class Binary(Struct, frozen=True, eq=False):
    """Arithmetic, bitwise, shift, comparison, ``&&`` and ``||``."""

    at: Origin
    type: CType
    op: str
    left: Expr
    right: Expr


class Assign(Struct, frozen=True, eq=False):
    """``target op value`` with ``op`` ``=`` or compound (``+=`` ...)."""

    at: Origin
    type: CType
    op: str
    target: Expr
    value: Expr


class IncDec(Struct, frozen=True, eq=False):
    """``++``/``--``, prefix or postfix."""

    at: Origin
    type: CType
    op: Literal["++", "--"]
    prefix: bool
    operand: Expr


class Call(Struct, frozen=True, eq=False):
    """A call. ``function`` is the name of a direct callee, None for a call through a pointer.

    Stream operations (``s.read()``, ``s << x``) are calls named ``stream.read``/``stream.write``
    with the stream as first argument; ``s >> x`` assigns the value of such a call. ``s.read_nb(x)``
    is ``stream.read_nb`` of both and changes ``x``; ``stream.write_nb``, ``stream.empty``, .. likewise.
    ``stream.read_if`` of a stream and a flag is a word, and sets the flag where there was one; a flag may lack.
    """

    id: int
    at: Origin
    type: CType
    function: str | None
    args: tuple[Expr, ...]
    callee: Origin


class Cast(Struct, frozen=True, eq=False):
    """``(type)operand`` or a C++ functional cast."""

    at: Origin
    type: CType
    operand: Expr


class Conditional(Struct, frozen=True, eq=False):
    """``test ? then : other``."""

    at: Origin
    type: CType
    test: Expr
    then: Expr
    other: Expr


class Comma(Struct, frozen=True, eq=False):
    """``a, b, c``."""

    at: Origin
    type: CType
    items: tuple[Expr, ...]


class SizeOf(Struct, frozen=True, eq=False):
    """``sizeof``/``alignof``; the operand is not evaluated. ``value`` in bytes where known."""

    at: Origin
    type: CType
    operand: Expr | None
    value: int | None


class InitList(Struct, frozen=True, eq=False):
    """``{...}``; each item is (designators, value), a designator an index or a member name."""

    at: Origin
    type: CType
    items: tuple[tuple[tuple[int | str, ...], Expr], ...]


CONSTRUCTOR, LITERAL, CONCATENATION = "constructor", "compound literal", "concatenation"
REVERSED = "bits in reverse order"
"""Opaque expressions that are nothing but the values of their children, in an order that is not known."""

OPEN_PARAMETER = "the template that has this parameter has no instance here"
"""An opaque expression: a constant that every instance of a template gives a value of its own."""

MEMBERS = "members of a structure"
"""An opaque expression: a structure put together of the values of its members, its children, in their order."""

SAME_BITS = "bits as another type"
"""An opaque expression: the bits of its child, which another type gives a meaning."""


class OpaqueExpr(Struct, frozen=True, eq=False):
    """Something hlspart carries but does not understand; ``what`` names the construct.

    ``children`` are the sub-expressions that it did understand, so that no access is lost. ``name``: of a parameter
    without a value, another one in each expansion of a call.
    """

    at: Origin
    type: CType
    what: str
    children: tuple[Expr, ...] = ()
    name: str = ""


Expr = (
    Const | StringLit | Name | FunctionName | ArrayRef | Subscript | Member | Unary | Binary | Assign
    | IncDec | Call | Cast | Conditional | Comma | SizeOf | InitList | OpaqueExpr
)  # fmt: skip


def _nothing(_: object) -> tuple[Expr, ...]:
    return ()


# By the kind of node, as this is asked of every node again and again.
_CHILDREN: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    ArrayRef: lambda e: e.indices,
    Subscript: lambda e: (e.base, e.index),
    Member: lambda e: (e.base,),
    Unary: lambda e: (e.operand,),
    Cast: lambda e: (e.operand,),
    IncDec: lambda e: (e.operand,),
    Binary: lambda e: (e.left, e.right),
    Assign: lambda e: (e.target, e.value),
    Call: lambda e: e.args,
    Conditional: lambda e: (e.test, e.then, e.other),
    Comma: lambda e: e.items,
    SizeOf: lambda e: () if e.operand is None else (e.operand,),
    InitList: lambda e: tuple(value for _, value in e.items),
    OpaqueExpr: lambda e: e.children,
}


def children(expr: Expr) -> tuple[Expr, ...]:
    """Direct sub-expressions in evaluation-text order."""
    return _CHILDREN.get(type(expr), _nothing)(expr)


# What a node says itself, apart from its type, its children and where it stands.
_SAYS: dict[type, tuple[str, ...]] = {
    Const: ("value",), StringLit: ("value",), Name: ("variable",), FunctionName: ("name",), ArrayRef: ("variable",),
    Subscript: (), Member: ("field", "arrow"), Unary: ("op",), Binary: ("op",), Assign: ("op",),
    IncDec: ("op", "prefix"), Call: ("function",), Cast: (), Conditional: (), Comma: (), SizeOf: ("value",),
}  # fmt: skip


def is_same(one: Expr, other: Expr) -> bool:
    """Whether two expressions say the same, wherever they stand; no for lists in braces and what is not understood."""
    says = _SAYS.get(type(one))
    if says is None or type(one) is not type(other) or one.type != other.type:
        return False
    if any(getattr(one, name) != getattr(other, name) for name in says):
        return False
    mine, its = children(one), children(other)
    return len(mine) == len(its) and all(map(is_same, mine, its))


def always(expr: Expr) -> tuple[Expr, ...]:
    """Direct sub-expressions that are evaluated whenever ``expr`` is."""
    if isinstance(expr, SizeOf):
        return ()
    chosen = isinstance(expr, Conditional) or (isinstance(expr, Binary) and expr.op in ("&&", "||"))
    return children(expr)[:1] if chosen else children(expr)


def places(expr: Expr) -> Iterator[ArrayRef]:
    """The elements that ``expr`` may stand for as an lvalue, as it may in C++ through ``?:``, ``,`` and assignments."""
    match expr:
        case ArrayRef():
            yield expr
        case Member(base=base, arrow=False) | Subscript(base=base) if not isinstance(base.type, PointerType):
            yield from places(base)
        case Conditional():
            yield from places(expr.then)
            yield from places(expr.other)
        case Comma(items=items):
            yield from places(items[-1])
        case Assign(target=inner) | IncDec(prefix=True, operand=inner) | Cast(operand=inner):
            yield from places(inner)


def is_unbraced(element: CType, value: Expr) -> bool:
    """Whether ``value`` may begin a struct whose braces are left out (C11 6.7.9 p20): others belong to it too."""
    return (
        isinstance(element, StructType) and not isinstance(value, InitList) and not isinstance(value.type, StructType)
    )


def walk(expr: Expr) -> Iterator[Expr]:
    """``expr`` and all below it, preorder."""
    stack, below_of = [expr], _CHILDREN.get  # the loop that most of a run passes through: no calls for leaves
    while stack:
        node = stack.pop()
        yield node
        below = below_of(type(node))
        if below is not None:
            stack.extend(below(node)[::-1])
