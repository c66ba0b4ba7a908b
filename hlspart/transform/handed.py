"""What calls are handed: the places that arguments point to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Assign,
    Binary,
    Call,
    Cast,
    Const,
    CType,
    Expr,
    Function,
    IncDec,
    Member,
    Name,
    PointerType,
    Program,
    ScalarType,
    StructType,
    Unary,
    integer,
    walk,
)
from hlspart.semantics.conversions import are_alike
from hlspart.semantics.effects import statement_expressions


def array_place(actual: Expr) -> Name | ArrayRef | None:
    """The array place that an argument points to: ``A``, ``A[i]`` (a row), ``&A[i][j]``, ``A + k``; or ``&x``."""
    match actual:
        case Cast(type=PointerType(target=a), operand=operand) if target_of(operand.type) == a:
            return array_place(operand)
        case Name():
            return actual if isinstance(actual.type, (ArrayType, PointerType)) else None
        case ArrayRef(type=ArrayType()):
            return replace(actual, indices=(*actual.indices, integer(0, actual.at)))
        case Unary(op="&", operand=ArrayRef() as ref):
            return ref if ref.indices else None
        case Unary(op="&", operand=Name() as one) if isinstance(one.type, ScalarType | StructType):
            return one
        case Binary(op="+", left=Name(type=ArrayType()) as base, right=right):
            return ArrayRef(-1, actual.at, actual.type, base.variable, (right,), base.at, ())
    return None


def target_of(of: CType) -> CType | None:
    """What an index takes from an array or a pointer."""
    if isinstance(of, ArrayType):
        return ArrayType(of.element, of.dims[1:]) if len(of.dims) > 1 else of.element
    return of.target if isinstance(of, PointerType) else None


def below(of: CType, levels: int) -> CType:
    """What so many indices take from a type."""
    for _ in range(levels):
        of = target_of(of) or of
    return of


def rows_equal(actual: CType, formal: CType) -> bool:
    """Whether subscripts of the formal mean the same on the actual."""
    return target_of(actual) is not None and are_alike(target_of(actual), target_of(formal))


def is_reassigned(program: Program, function: Function, ident: int) -> bool:
    """Whether a function gives a variable another value, or its address away."""
    return any(
        (isinstance(e, Assign) and isinstance(e.target, Name) and e.target.variable == ident)
        or (isinstance(e, IncDec) and isinstance(e.operand, Name) and e.operand.variable == ident)
        or (isinstance(e, Unary) and e.op == "&" and isinstance(e.operand, Name) and e.operand.variable == ident)
        for top in statement_expressions(program, function.body)
        for e in walk(top)
    )


def is_only_dereferenced(
    program: Program, function: Function, ident: int, within: frozenset[str] = frozenset()
) -> bool:
    """Whether a pointer occurs only as ``*p``, ``p[0]`` or ``p->x``, in the functions it is handed on to as well.

    ``within``: functions that are looked at already.
    """

    def handed(call: Call) -> Iterator[int]:
        """Arguments of a call that hand it on."""
        callee = program.functions.get(call.function or "")
        if callee is None or callee.name in (seen := within | {function.name}):
            return
        for formal, x in zip(callee.params, call.args, strict=False):
            alike = isinstance(x, Name) and program.variable(formal).type == x.type
            if alike and is_only_dereferenced(program, callee, formal, seen):
                yield id(x)

    for top in statement_expressions(program, function.body):
        objects = {id(e.base) for e in walk(top) if isinstance(e, Member) and e.arrow}
        objects |= {x for e in walk(top) if isinstance(e, Call) for x in handed(e)}
        for e in walk(top):
            if isinstance(e, Name) and e.variable == ident and id(e) not in objects:
                return False
            indices = e.indices if isinstance(e, ArrayRef) and e.variable == ident else ()
            if not all(isinstance(i, Const) and i.value == 0 for i in indices):
                return False
    return True
