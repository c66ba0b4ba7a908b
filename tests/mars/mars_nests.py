"""Abstract nests for the MARS tests: accesses written down in isl notation, no C involved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hlspart.mars.layouts import ArrayFacts, Layouts, layouts
from hlspart.model.access import Affine
from hlspart.model.mars import MarsArray, MarsOptions, NestAccess, TileForm


def access(ident: int, array: str, kind: str, iterators: str, domain: str, index: str) -> NestAccess:
    names = tuple(iterators.split(","))
    tuple_ = ",".join(names)
    return NestAccess(
        ident,
        array,
        kind,  # type: ignore[arg-type]
        names,
        f"{{ [{tuple_}] : {domain} }}",
        f"{{ [{tuple_}] -> [{index}] }}",
        (*(0,) * len(names), ident),
        ident + 1,
        1,
        f"{array}[{index}]",
    )


def form(size: int, **terms: int) -> TileForm:
    plane = Affine.of(terms)
    return TileForm(plane, size, str(plane))


def stencil(iterators: str, offsets: Sequence[tuple[int, ...]], domain: str) -> list[NestAccess]:
    """A[x] = f(A[x + offset] ..), single assignment."""
    names = iterators.split(",")
    found = [
        access(k, "A", "read", iterators, domain, ",".join(f"{n}{d:+d}" for n, d in zip(names, offset, strict=True)))
        for k, offset in enumerate(offsets)
    ]
    return [*found, access(len(offsets), "A", "write", iterators, domain, iterators)]


def solve(accesses: Sequence[NestAccess], forms: Sequence[TileForm], **options: bool) -> Layouts:
    names = dict.fromkeys(a.array for a in accesses)
    facts = {n: ArrayFacts(n, 1, 32) for n in names}
    return layouts(accesses, forms, facts, MarsOptions(**options))  # type: ignore[arg-type]


def only(found: Layouts, name: str, kind: str, boundary: bool = False) -> MarsArray:
    """The one interior (or border) record of an array and kind."""
    (record,) = [a for a in found.arrays if a.name == name and a.kind == kind and (a.boundary is not None) == boundary]
    return record


JACOBI_1D = stencil("t,i", [(-1, -1), (-1, 0), (-1, 1)], "1 <= t < 1000 and 1 <= i < 999")
SMITH_WATERMAN = stencil("i,j", [(-1, -1), (-1, 0), (0, -1)], "1 <= i < 1000 and 1 <= j < 999")
JACOBI_2D = stencil(
    "t,i,j",
    [(-1, 0, 0), (-1, 1, 0), (-1, -1, 0), (-1, 0, 1), (-1, 0, -1)],
    "1 <= t < 1000 and 1 <= i < 999 and 1 <= j < 999",
)
NINE_POINT = stencil(
    "t,i,j",
    [(-1, a, b) for a, b in product((-1, 0, 1), repeat=2)],
    "1 <= t < 1000 and 1 <= i < 999 and 1 <= j < 999",
)
HEAT_3D = stencil(
    "t,i,j,k",
    [(-1, 0, 0, 0), *((-1, *(s * int(d == k) for k in range(3))) for d in range(3) for s in (-1, 1))],
    "1 <= t < 100 and 1 <= i < 99 and 1 <= j < 99 and 1 <= k < 99",
)
_CUBE = "0 <= i < 320 and 0 <= j < 320 and 0 <= k < 320"
GEMM = [
    access(0, "C", "read", "i,j,k", _CUBE, "i,j"),
    access(1, "A", "read", "i,j,k", _CUBE, "i,k"),
    access(2, "B", "read", "i,j,k", _CUBE, "k,j"),
    access(3, "C", "write", "i,j,k", _CUBE, "i,j"),
]
_SWEEPS = "0 <= t < 100 and 1 <= i < 399 and 1 <= j < 399"
SEIDEL_2D = [
    *(
        access(k, "A", "read", "t,i,j", _SWEEPS, f"i{a:+d},j{b:+d}")
        for k, (a, b) in enumerate(product((-1, 0, 1), repeat=2))
    ),
    access(9, "A", "write", "t,i,j", _SWEEPS, "i,j"),
]
