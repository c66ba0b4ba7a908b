"""Accesses of one iteration: affine indices, exclusive arms, loads that leave the loop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.layout import Layout
from hlspart.model.access import Affine
from hlspart.model.ports import PortAccess

MOST_HELD = 256  # words in registers; what a tool does with more is not known


def most_at_once(accesses: Iterable[PortAccess], depth: int = 0) -> int:
    """How many run in one iteration at most: of each branch those of the fullest arm."""
    arms: dict[int, dict[int, list[PortAccess]]] = {}
    most = 0
    for access in accesses:
        if depth == len(access.branch):
            most += 1
        else:
            branch, arm = access.branch[depth]
            arms.setdefault(branch, {}).setdefault(arm, []).append(access)
    return most + sum(max(most_at_once(x, depth + 1) for x in by_arm.values()) for by_arm in arms.values())


def affine_index(access: PortAccess) -> tuple[Affine, ...] | None:
    """All index forms, when every dimension has one."""
    if access.index is None:
        return None
    forms = tuple(f for f in access.index if f is not None)
    return forms if len(forms) == len(access.index) else None


def packed(constants: Iterable[int]) -> int:
    """One number for the constants of an index: differences of two such numbers tell all differences apart."""
    out = 0
    for constant in constants:
        out = (out << 80) + constant
    return out


def are_exclusive(a: PortAccess, b: PortAccess) -> bool:
    """Whether they stand in different arms of one branch."""
    if not a.branch or not b.branch:
        return False
    arms = dict(a.branch)
    return any(arms.get(branch, arm) != arm for branch, arm in b.branch)


def are_in_one_arm(accesses: Iterable[PortAccess]) -> bool:
    """Whether no two of them are exclusive."""
    arms: dict[int, int] = {}
    return all(arms.setdefault(branch, arm) == arm for a in accesses for branch, arm in a.branch)


def is_anywhere(access: PortAccess, layout: Layout) -> bool:
    """Whether an access may lie in any bank: nothing is known of its index, or of what of it chooses the bank."""
    index, dims = access.index, layout.dims
    if index is None or access.map is not None:
        return access.map is None
    split = [k for k, dim in enumerate(dims) if dim.banks > 1] if len(dims) == len(index) else range(len(index))
    return any(form is None for form in index) and all(index[k] is None for k in split)


def is_settled(index: Sequence[Affine | None] | None, layout: Layout, names: Sequence[str]) -> bool:
    """Whether the offset inside the bank stays while ``names`` change the bank: such a load leaves their loops."""
    if layout.banks == 1 or index is None or not layout.dims:
        return False
    return all(f is not None and d.keeps_local(moved(f, names)) for f, d in zip(index, layout.dims, strict=True))


def division(form: Affine | None, dim: DimLayout) -> int | None:
    """What an index is divided by while a loop runs to find its bank; None for shifts and fixed banks."""
    by = dim.divisor
    moving = form is None or any(dim.moves_bank(c) for _, c in form.terms)
    if by is None or not moving or dim.banks == 1 or by & (by - 1) == 0:
        return None
    if dim.modulus is not None and dim.extent <= by:
        return None  # the index itself
    common = math.gcd(by, *(c for _, c in form.terms)) if form is not None and dim.modulus is not None else 1
    rest = by // common
    return rest if rest & (rest - 1) else None


def is_held(loads: int, layout: Layout) -> bool:
    """Whether a tool is taken to load the words of so many loads, one of each bank, ahead of their loop.

    Words of banks that are registers already cost nothing more.
    """
    return layout.depth(0) == 1 or loads * layout.banks <= MOST_HELD


def settling(index: Sequence[Affine | None], shape: Sequence[int], names: Sequence[str]) -> int | None:
    """No partition with fewer banks makes :func:`settled` true; None when only one register per element does."""
    moves = [1 if form is None else moved(form, names) for form in index]
    if all(m == 1 for m in moves) or any(form is None for form in index):
        return None
    return max(2, math.prod(-(-n // m) for n, m in zip(shape, moves, strict=True) if m))


def moved(form: Affine, names: Sequence[str]) -> int:
    """All changes of ``form`` with ``names`` are multiples of it; 0 when there are none."""
    return math.gcd(*(form.coefficient(n) for n in names))


def combination(alpha: Sequence[int], forms: Sequence[Affine]) -> Affine:
    total = Affine((), 0)
    for a, form in zip(alpha, forms, strict=True):
        if a:
            total = total + form.scaled(a)
    return total


def are_never_zero(forms: Iterable[Affine]) -> bool:
    """Whether linear algebra shows that no values of the names make all forms zero (Gauss, without fractions)."""
    pivots: list[tuple[str, Affine]] = []
    for form in forms:
        rest = form
        for name, pivot in pivots:
            rest = rest.scaled(pivot.coefficient(name)) - pivot.scaled(rest.coefficient(name))
        if rest.const % math.gcd(*(c for _, c in rest.terms)) if rest.terms else rest.const:
            return True
        if rest.terms:
            pivots.append((rest.terms[0][0], rest))
    return False


def flat_number(values: Sequence[int], sizes: Sequence[int]) -> int:
    flat = 0
    for value, size in zip(values, sizes, strict=True):
        flat = flat * size + value
    return flat


def flat_place(flat: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """The values of which :func:`flat_number` makes ``flat``."""
    digits = []
    for size in reversed(sizes):
        flat, value = divmod(flat, size)
        digits.append(value)
    return tuple(reversed(digits))


def residues(accesses: Sequence[PortAccess], layout: Layout) -> tuple[tuple[int, ...], ...] | None:
    """Remainders of the accesses at cyclic banks of no power of two; None where two loads or two stores have one."""
    if layout.per_dimension is None or not any(dim.divides for dim in layout.dims):
        return None
    forms = [affine_index(a) for a in accesses]
    if any(f is None or len(f) != len(layout.dims) for f in forms):
        return None
    known = [f for f in forms if f is not None]
    along = [
        [f[k].const % dim.banks for f in known]
        for k, dim in enumerate(layout.dims)
        if dim.by_remainder and all(f[k].terms == known[0][k].terms for f in known)
    ]
    rests = tuple(zip(*along, strict=True))
    kinds = {(a.kind, r) for a, r in zip(accesses, rests, strict=False)}
    return rests if along and len(kinds) == len(known) else None
