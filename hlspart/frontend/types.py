"""C types of declarations as the model's types, with LP64 widths."""

from __future__ import annotations

from hlspart.model import program as ir
from hlspart.semantics.conversions import wider

UNSIGNED = ir.ScalarType("unsigned int", "int", 32, False)
LONG = ir.ScalarType("long", "int", 64)
SIZE = ir.ScalarType("unsigned long", "int", 64, False)
CHAR = ir.ScalarType("char", "int", 8)
BOOL = ir.ScalarType("_Bool", "bool", 8, False)
FLOAT = ir.ScalarType("float", "float", 32)
DOUBLE = ir.ScalarType("double", "float", 64)
VOID = ir.VoidType()
UNKNOWN = ir.OtherType("unknown")

STANDARD: dict[str, ir.CType] = {
    **{f"int{n}_t": ir.ScalarType(f"int{n}_t", "int", n) for n in (8, 16, 32, 64)},
    **{f"uint{n}_t": ir.ScalarType(f"uint{n}_t", "int", n, False) for n in (8, 16, 32, 64)},
    **{f"int{n}": ir.ScalarType(f"int{n}", "int", n) for n in range(1, 65)},  # ap_cint.h
    **{f"uint{n}": ir.ScalarType(f"uint{n}", "int", n, False) for n in range(1, 65)},
    "size_t": SIZE,
    "uint": ir.ScalarType("uint", "int", 32, False),  # glibc
    "bool": BOOL,
    "__builtin_va_list": ir.OtherType("__builtin_va_list"),
    "__int128_t": ir.ScalarType("__int128_t", "int", 128),
    "__uint128_t": ir.ScalarType("__uint128_t", "int", 128, False),
    **{f"_Float{n}": ir.ScalarType(f"_Float{n}", "float", n) for n in (16, 32, 64, 128)},
    **{f"_Float{n}x": ir.ScalarType(f"_Float{n}x", "float", 2 * n) for n in (32, 64)},
    "__float128": ir.ScalarType("__float128", "float", 128),
}
"""Types that need no header: those of standard headers that tools know anyway, and those built into gcc."""


def basic(words: list[str]) -> ir.CType:
    """Type of a list of basic type words (``unsigned long int``)."""
    name = " ".join(words)
    bag = [w for w in words if w not in ("const", "volatile", "signed")]
    if "_Complex" in bag:
        return ir.OtherType(name)
    if "double" in bag:
        return ir.ScalarType(name, "float", 128 if "long" in bag else 64)
    if "float" in bag:
        return ir.ScalarType(name, "float", 32)
    if "_Bool" in bag:
        return ir.ScalarType(name, "bool", 8, False)
    if bag == ["void"]:
        return VOID
    signed = "unsigned" not in bag
    if "char" in bag:
        return ir.ScalarType(name, "int", 8, signed)
    if "short" in bag:
        return ir.ScalarType(name, "int", 16, signed)
    if "__int128" in bag:
        return ir.ScalarType(name, "int", 128, signed)
    if "long" in bag:
        return ir.ScalarType(name, "int", 64, signed)
    if all(w in ("int", "unsigned") for w in bag):
        return ir.ScalarType(name or "int", "int", 32, signed)
    return ir.OtherType(name)


def size_of(type_: ir.CType) -> int | None:
    """``sizeof`` in bytes, None where not known."""
    match type_:
        case ir.ScalarType():
            return ir.storage_bytes(type_.bits)
        case ir.PointerType():
            return 8
        case ir.ArrayType():
            size = size_of(type_.element)
            for extent in type_.dims:
                if extent is None or size is None:
                    return None
                size *= extent
            return size
        case ir.StructType():
            total, widest = 0, 1
            for _, member in type_.members:
                size, align = size_of(member), align_of(member)
                if size is None:
                    return None
                total = max(total, size) if type_.union else -(-total // align) * align + size
                widest = max(widest, align)
            return -(-total // widest) * widest if type_.members else None
        case ir.VoidType():
            return 1
        case _:
            return None


def align_of(type_: ir.CType) -> int:
    """Alignment in bytes."""
    match type_:
        case ir.ArrayType():
            return align_of(type_.element)
        case ir.StructType():
            return max((align_of(m) for _, m in type_.members), default=1)
        case ir.ScalarType():
            return min(16, ir.storage_bytes(type_.bits))
        case ir.PointerType():
            return 8
        case _:
            return 1


def words(type_: ir.CType) -> list[str]:
    """The words of a number's, a structure's or a channel's type, alike for all its spellings; none for other types."""
    match type_:
        case ir.ScalarType(kind="int") if type_.name.startswith("ap_"):
            return [f"ap_{'' if type_.signed else 'u'}int<{type_.bits}>"]
        case ir.ScalarType():
            return type_.name.split(" ")
        case ir.StructType():
            return [type_.name]
        case ir.StreamType(element=ir.StructType() | ir.OtherType() as element, burst=False):
            return [f"stream<{element.name.removeprefix('struct ')}>"]
        case ir.StreamType(element=ir.ScalarType() as element, burst=False):
            return [f"stream<{' '.join(words(element))}>"]
    return []


def arithmetic(left: ir.CType, right: ir.CType) -> ir.CType:
    """Type of an arithmetic operation: the usual arithmetic conversions."""
    if isinstance(left, (ir.PointerType, ir.ArrayType)):
        return left
    if isinstance(right, (ir.PointerType, ir.ArrayType)):
        return right
    if not isinstance(left, ir.ScalarType) or not isinstance(right, ir.ScalarType):
        return left if isinstance(left, ir.ScalarType) else right if isinstance(right, ir.ScalarType) else UNKNOWN
    for kind in ("float", "fixed"):
        if left.kind == kind or right.kind == kind:
            if left.kind != kind:
                return right
            return left if right.kind != kind or left.bits >= right.bits else right
    return wider(left, right)


def indexed(type_: ir.CType, count: int = 1) -> ir.CType:
    """Type after ``count`` subscripts."""
    for _ in range(count):
        if isinstance(type_, ir.ArrayType):
            type_ = ir.ArrayType(type_.element, type_.dims[1:]) if len(type_.dims) > 1 else type_.element
        elif isinstance(type_, ir.PointerType):
            type_ = type_.target
        else:
            return UNKNOWN
    return type_


def rank(type_: ir.CType) -> int:
    """How many subscripts a variable of this type takes before an element is reached (one pointer level counts)."""
    if isinstance(type_, ir.ArrayType):
        return len(type_.dims)
    if isinstance(type_, ir.PointerType):
        return 1 + (len(type_.target.dims) if isinstance(type_.target, ir.ArrayType) else 0)
    return 0


def array_of(element: ir.CType, extent: int | None) -> ir.ArrayType:
    """Array of ``element``, itself perhaps an array."""
    if isinstance(element, ir.ArrayType):
        return ir.ArrayType(element.element, (extent, *element.dims))
    return ir.ArrayType(element, (extent,))


def decayed(type_: ir.CType) -> ir.CType:
    """A value of this type: an array is a pointer to its first element."""
    if isinstance(type_, ir.ArrayType):
        return ir.PointerType(indexed(type_))
    return type_
