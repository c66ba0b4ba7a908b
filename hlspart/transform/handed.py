"""What calls are handed: the places that arguments point to."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.model.program import (
    ArrayRef,
    ArrayType,
    Binary,
    Cast,
    CType,
    Expr,
    Name,
    PointerType,
    ScalarType,
    StructType,
    Unary,
    integer,
)


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
