"""How an access moves with the loops around it: the element of each point, points a step, and the offset of a read."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hlspart.banking.accesses import MOST_HELD
from hlspart.model.access import Access, Affine
from hlspart.sets.windows import spread


class Template(Struct, frozen=True):
    """Element of a point: by dimension of the array, names that stay the same and (loop of the nest, pitch) pairs.

    Dimensions that only loops inside the nest run over, planes, count behind the loops of the nest.
    """

    parts: tuple[tuple[Affine, tuple[tuple[int, int], ...]], ...]


class Selected(Struct, frozen=True):
    """An offset that changes from iteration to iteration: a subscript that is clamped, say, less the loop's iterator.

    ``subscript`` is the dimension of the array.
    """

    subscript: int


Offset = Affine | Selected


def form_of(access: Access, nest: Sequence[str]) -> tuple[Template, tuple[int, ...], tuple[Offset, ...]] | None:
    """Template, scale and offsets of an access; None where these iterators do not all move it in steps.

    Behind the offsets in the dimensions of the nest stand those in planes.
    """
    if access.index is None or not set(nest) <= set(access.iterators):
        return None
    first = access.iterators.index(nest[0])
    outer, inner = access.iterators[:first], access.iterators[first + len(nest) :]
    offsets: list[Offset | None] = [None] * len(nest)
    scale = [0] * len(nest)
    parts: list[tuple[Affine, tuple[tuple[int, int], ...]]] = []
    planes: list[Affine] = []
    for k, index in enumerate(access.index):
        if index is None and (d := _selecting(access, k, nest, offsets)) is not None:
            offsets[d], scale[d] = Selected(k), 1
            parts.append((Affine((), 0), ((d, 1),)))
            continue
        if index is None or any(n not in access.iterators for n in index.names):
            return None
        moving = [d for d, n in enumerate(nest) if index.coefficient(n)]
        if any(offsets[d] is not None or index.coefficient(nest[d]) < 0 for d in moving):
            return None
        base = Affine.of({n: index.coefficient(n) for n in outer})
        rest = Affine.of({n: index.coefficient(n) for n in inner}, index.const)
        if not moving:
            if rest.terms:
                parts.append((base, ((len(nest) + len(planes), 1),)))
                planes.append(rest)
            else:
                parts.append((base + rest, ()))
            continue
        pitches = _pitches(index, [nest[d] for d in moving], inner)
        for d, pitch in zip(moving, pitches, strict=True):
            if index.coefficient(nest[d]) % pitch:
                return None
            scale[d] = index.coefficient(nest[d]) // pitch
            last = d == moving[-1]
            offset = rest if last and pitch == 1 else _quotient(rest, pitch)
            offsets[d], rest = offset, rest - offset.scaled(pitch)
        if rest.terms:
            return None
        parts.append((base + rest, tuple(zip(moving, pitches, strict=True))))
    if any(g is None for g in offsets):
        return None
    return Template(tuple(parts)), tuple(scale), (*(g for g in offsets if g is not None), *planes)


def _selecting(access: Access, subscript: int, nest: Sequence[str], taken: Sequence[Offset | None]) -> int | None:
    """The loop near whose iterator a subscript stays, none of whose iterators moves another one."""
    spans = []
    for d, name in enumerate(nest):
        ends = spread(access, subscript, Affine.of({name: 1})) if taken[d] is None else None
        if ends:
            spans.append((ends[0][1] - ends[0][0], d))
    width, d = min(spans, default=(MOST_HELD, 0))
    return d if width < MOST_HELD else None


def _pitches(index: Affine, nest: Sequence[str], inner: Sequence[str]) -> list[int]:
    """Elements between points that are neighbours in the dimension of each loop."""
    if len(nest) == 1:
        return [1]
    pitches = []
    for k, name in enumerate(nest):
        own = index.coefficient(name)
        least = index.coefficient(nest[k + 1]) if k + 1 < len(nest) else 0
        finer = [c for n in inner if (c := abs(index.coefficient(n))) and own % c == 0 and 4 * least < c < own <= 8 * c]
        pitches.append(1 if k + 1 == len(nest) else min(finer, default=own))
    return pitches


def _quotient(form: Affine, pitch: int) -> Affine:
    """The part of a form that counts whole pitches: terms that do, and the nearest number of them in the constant."""
    terms = {n: c // pitch for n, c in form.terms if c % pitch == 0}
    return Affine.of(terms, (2 * form.const + pitch) // (2 * pitch))
