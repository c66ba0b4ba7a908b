"""Values of affine forms on boxes, and the banks that they reach, by arithmetic instead of questions about sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from hlspart.layouts.dimension import DimLayout
from hlspart.model.access import Affine
from hlspart.sets.box import Box


def are_independent(forms: Sequence[Affine], names: Sequence[str], box: Box) -> bool:
    """Whether the forms take their values on ``box`` independently of each other: no two share what moves."""
    moving = {n for n, c in zip(names, box.count, strict=True) if c > 1}
    used = [n for form in forms for n in form.names if n in moving]
    return len(used) == len(set(used)) and all(n in names for form in forms for n in form.names)


def banks_along(form: Affine, layout: DimLayout, names: Sequence[str], box: Box) -> Iterable[int] | None:
    """Banks of one dimension that its index ``form`` reaches on ``box``; None where this arithmetic does not tell."""
    if layout.banks == 1:
        return (0,)
    if any(n not in names for n in form.names):
        return None
    if layout.modulus is not None:
        terms = [(form.coefficient(n) * s, c) for n, s, c in zip(names, box.step, box.count, strict=True)]
        start = form.const + sum(form.coefficient(n) * low for n, low in zip(names, box.low, strict=True))
        return residues(start, tuple((a, c) for a, c in terms if a and c > 1), layout.banks)
    values = progression(form, names, box)
    if values is None:
        return None
    first, step, last = values
    if step <= layout.block:
        return range(max(0, layout.bank(first)), min(layout.banks - 1, layout.bank(last)) + 1)
    first += max(0, -(first // step)) * step  # of elements that the array has
    return frozenset(layout.bank(v) for v in range(first, min(last, layout.extent - 1) + 1, step))


def progression(form: Affine, names: Sequence[str], box: Box) -> tuple[int, int, int] | None:
    """(first, step, last) when ``form`` takes exactly the values of an arithmetic progression on ``box``."""
    start = form.const
    terms = []
    for name, low, step, times in zip(names, box.low, box.step, box.count, strict=True):
        c = form.coefficient(name)
        start += c * low
        if c and times > 1:
            terms.append((abs(c * step), times))
            if c < 0:
                start += c * step * (times - 1)
    if not terms:
        return start, 1, start
    terms.sort()
    step, span = terms[0][0], 0
    for size, times in terms:
        if size % step or size > span + step:
            return None
        span += size * (times - 1)
    return start, step, start + span


@lru_cache(maxsize=4096)
def residues(start: int, terms: tuple[tuple[int, int], ...], modulus: int) -> frozenset[int]:
    """Values of ``start + sum(a * k)``, 0 <= k < count, modulo ``modulus``."""
    mask = residue_mask(terms, modulus)
    return frozenset((start + k) % modulus for k in range(modulus) if mask >> k & 1)


def residue_mask(terms: Iterable[tuple[int, int]], modulus: int) -> int:
    """Bit mask of the values of ``sum(a * k)``, 0 <= k < count, modulo ``modulus``."""
    every = (1 << modulus) - 1
    reached = 1
    for move, times in terms:
        made = 1
        while made < times and reached != every:
            ahead = move * min(made, times - made) % modulus
            reached |= reached << ahead & every | reached >> modulus - ahead
            made *= 2
    return reached
