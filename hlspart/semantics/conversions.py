"""Integer types: limits, promotions and the usual arithmetic conversions of C."""

from __future__ import annotations

from typing import overload

from msgspec.structs import replace

from hlspart.model.program import INT, ArrayType, CType, OtherType, PointerType, ScalarType, StructType


def extents(of: CType) -> tuple[int | None, ...]:
    """Extents subscript by subscript; None for what a pointer does not tell."""
    match of:
        case ArrayType(dims=dims):
            return dims
        case PointerType(target=target):
            return (None, *extents(target))
        case _:
            return ()


def element(of: CType) -> CType:
    """Type of one element below all subscripts."""
    while isinstance(of, (ArrayType, PointerType)):
        of = of.element if isinstance(of, ArrayType) else of.target
    return of


def are_alike(one: CType | None, other: CType | None) -> bool:
    """Whether two types are one, whatever they are called: ``ap_fixed<W,4>`` and ``ap_fixed<16, 4>``."""
    match one, other:
        case ScalarType(), ScalarType():
            return replace(one, name="") == replace(other, name="")
        case ArrayType(), ArrayType():
            return one.dims == other.dims and are_alike(one.element, other.element)
        case PointerType(), PointerType():
            return are_alike(one.target, other.target)
    return one == other


def rank(of: CType) -> int:
    """Number of subscripts from a variable of this type to one element."""
    match of:
        case ArrayType(dims=dims):
            return len(dims)
        case PointerType(target=target):
            return 1 + rank(target)
        case _:
            return 0


def limits(of: CType) -> tuple[int, int] | None:
    """Least and greatest value of an integer type."""
    if not isinstance(of, ScalarType) or of.kind not in ("int", "bool") or of.bits <= 0:
        return None
    if of.kind == "bool":
        return 0, 1
    return (-(1 << of.bits - 1), (1 << of.bits - 1) - 1) if of.signed else (0, (1 << of.bits) - 1)


@overload
def promoted(of: ScalarType) -> ScalarType: ...
@overload
def promoted(of: CType) -> CType: ...
def promoted(of: CType) -> CType:
    """Integer promotion (C11 6.3.1.1); arbitrary-precision types keep their width, as do all but integers."""
    narrow = isinstance(of, ScalarType) and of.kind in ("int", "bool") and of.bits < 32 and of.library is None
    return INT if narrow else of


@overload
def negated(of: ScalarType) -> ScalarType: ...
@overload
def negated(of: CType) -> CType: ...
def negated(of: CType) -> CType:
    """The type of ``-x``: in the libraries of any width it has a bit more, and a sign."""
    if isinstance(of, ScalarType) and of.library in ("ap", "ac"):
        name = f"{of.library}_{'fixed' if of.kind == 'fixed' else 'int'}"
        return replace(of, name=name, bits=of.bits + 1, signed=True)
    return promoted(of)


def wider(a: ScalarType, b: ScalarType) -> ScalarType:
    """Usual arithmetic conversions (C11 6.3.1.8) of integers without a library."""
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def common(a: CType, b: CType) -> ScalarType | None:
    """The type in which two integers meet; None when an operand is none."""
    if limits(a) is None or limits(b) is None:
        return None
    assert isinstance(a, ScalarType) and isinstance(b, ScalarType)
    if a.library is not None or b.library is not None:  # these libraries widen until both fit
        low = min(limits(a)[0], limits(b)[0])  # type: ignore[index]
        high = max(limits(a)[1], limits(b)[1])  # type: ignore[index]
        bits = max(high.bit_length() + (low < 0), (-low - 1).bit_length() + 1 if low < 0 else 0)
        return ScalarType("ap_int", "int", bits, low < 0)
    return wider(a, b)


def may_wrap(of: ScalarType) -> bool:
    """Whether overflow in this type has a defined result that we must exclude (else it is undefined)."""
    return not of.signed or of.bits < 32 or of.library is not None


def is_same_target(a: CType, b: CType) -> bool:
    """Whether two pointer (or array) types point to the same type."""

    def below(of: CType) -> CType:
        if isinstance(of, PointerType):
            return of.target
        if isinstance(of, ArrayType):
            return ArrayType(of.element, of.dims[1:]) if len(of.dims) > 1 else of.element
        return of

    return below(a) == below(b)


def have_operators(*types: CType) -> bool:
    """Whether C's operators are those of all the types; integers of unknown width count as such."""
    unknown = ("ap_int", "ap_uint", "auto", "unknown", "function")
    others = [of.name for of in types if isinstance(of, OtherType)]
    return all(not name or name.startswith(unknown) for name in others) and not any(
        isinstance(of, StructType) for of in types
    )
