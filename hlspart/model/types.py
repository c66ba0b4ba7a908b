"""Types of C as the program's records have them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ELEMENTS = "_M_elems"
"""The member that such a type consists of."""


_LIBRARIES: dict[str, Literal["ap", "ac", "bits"]] = {"ap_": "ap", "ac_": "ac", "_ExtInt": "bits", "_BitInt": "bits"}


class ScalarType(Struct, frozen=True):
    """An arithmetic type. ``bits`` is its storage width; ``name`` is spelled as in the source."""

    name: str
    kind: Literal["int", "float", "fixed", "bool"]
    bits: int
    signed: bool = True
    fraction_bits: int = 0

    @property
    def library(self) -> Literal["ap", "ac", "bits"] | None:
        """Whose type of any width this is; its operators widen instead of C's promotions. None: a type of C."""
        return next((library for start, library in _LIBRARIES.items() if self.name.startswith(start)), None)


INT = ScalarType("int", "int", 32)


class ArrayType(Struct, frozen=True):
    """``dims`` outermost first; an extent is None when it is not known (``A[]``, run-time)."""

    element: CType
    dims: tuple[int | None, ...]


class PointerType(Struct, frozen=True):
    """``T *``; parameters declared ``T A[8]`` are an :class:`ArrayType`, not a pointer."""

    target: CType


class StructType(Struct, frozen=True):
    """A struct or union with a ``tag`` or a typedef name; ``assignable``: no member is constant."""

    name: str
    members: tuple[tuple[str, CType], ...]
    union: bool = False
    tag: bool = False
    assignable: bool = True


class StreamType(Struct, frozen=True, eq=False):
    """``hls::stream<T, depth>``: a channel, never an array. ``burst``: ``hls::burst_maxi<T>``, a port to memory.

    Channels of all depths are of one type.
    """

    element: CType
    depth: int | None = None
    burst: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StreamType) and (self.element, self.burst) == (other.element, other.burst)

    def __hash__(self) -> int:
        return hash((self.element, self.burst))


class VoidType(Struct, frozen=True):
    """``void``."""


class OtherType(Struct, frozen=True):
    """A type hlspart carries but does not look into (function pointers, unknown names)."""

    name: str


CType = ScalarType | ArrayType | PointerType | StructType | StreamType | VoidType | OtherType


OPEN = "without an instance"
"""In the names of types that depend on a parameter of a template that nothing instantiates."""


def is_open(kind: CType) -> bool:
    """Whether a type is, or depends on, a parameter of a template that nothing instantiates."""
    return isinstance(kind, OtherType) and OPEN in kind.name


def held(kind: CType) -> CType:
    """What an array, a channel or a pointer holds in the end; any other type itself."""
    while isinstance(kind, ArrayType | StreamType | PointerType):
        kind = kind.target if isinstance(kind, PointerType) else kind.element
    return kind


def storage_bytes(bits: int) -> int:
    """Bytes that a scalar of so many bits takes: the next power of two (UG1391, data layout of ``ap_int``)."""
    size = 1
    while size * 8 < bits:
        size *= 2
    return size


def storage_bits(kind: CType) -> int | None:
    """Bits one object of this type takes, without padding; None where hlspart does not know."""
    match kind:
        case ScalarType():
            return kind.bits
        case ArrayType():
            size = storage_bits(kind.element)
            for extent in kind.dims:
                size = None if size is None or extent is None else size * extent
            return size
        case StreamType():
            return storage_bits(kind.element)
        case StructType():
            sizes = [storage_bits(t) for _, t in kind.members]
            known = [s for s in sizes if s is not None]
            if len(known) < len(sizes) or not known:
                return None
            return max(known) if kind.union else sum(known)
        case _:
            return None


def vector(of: CType) -> ArrayType | None:
    """The elements of a C++ type that is an array with a value: ``std::array``, ``hls::vector``."""
    if isinstance(of, StructType) and len(of.members) == 1 and of.members[0][0] == ELEMENTS:
        inner = of.members[0][1]
        return inner if isinstance(inner, ArrayType) else None
    return None
