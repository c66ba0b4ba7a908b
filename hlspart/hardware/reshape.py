"""ARRAY_RESHAPE: several elements of an array in one word (UG1399). Accesses become accesses of words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from hlspart.layouts.dimension import DimLayout
from hlspart.model.access import Affine
from hlspart.model.directives import PARTITION_TYPES
from hlspart.model.program import Program


class Packed(Struct, frozen=True):
    """How one dimension is packed: what would be the banks of a partition are ``lanes`` of one word."""

    layout: DimLayout
    lanes: int

    @property
    def words(self) -> int:
        """Words along the dimension."""
        return self.layout.size(0)

    def word(self, x: int) -> int:
        """The word that holds element ``x``."""
        return self.layout.local(x)


def packings(program: Program) -> Mapping[int, tuple[Packed | None, ...]]:
    """The packed dimensions of reshaped arrays, by variable."""
    out: dict[int, list[Packed | None]] = {}
    for d in program.directives:
        if d.kind != "array_reshape" or not d.usable or d.has("off"):
            continue
        for ident in d.variables:
            dims = program.variable(ident).dims
            packed = out.setdefault(ident, [None] * len(dims))
            chosen = d.values.get("dim", 1)
            for k, extent in enumerate(dims):
                if chosen in (0, k + 1) and extent is not None:
                    packed[k] = _packed(d.choice("type", PARTITION_TYPES), d.values.get("factor"), extent)
    return {ident: tuple(packed) for ident, packed in out.items() if any(packed)}


def _packed(kind: str | None, factor: int | None, extent: int) -> Packed | None:
    if kind is None or kind == "complete":
        return Packed(DimLayout.of("complete", extent, None), extent)
    if factor is None or factor < 2:
        return None
    return Packed(DimLayout.of("block" if kind == "block" else "cyclic", extent, factor), min(factor, extent))


class Words(Struct, frozen=True):
    """Words of the reshaped arrays. ``starts``: first value and step of iterators that start at a constant."""

    packed: Mapping[int, tuple[Packed | None, ...]]
    names: tuple[str, ...]
    starts: Mapping[str, tuple[int, int]]

    def lanes(self, variable: int) -> int:
        """Elements in a word of an array."""
        return math.prod(p.lanes for p in self.packed[variable] if p is not None)

    def place(
        self, variable: int, index: Sequence[Affine | None], values: Sequence[int]
    ) -> tuple[tuple[object, ...], tuple[Affine | None, ...], str | None, int | None]:
        """(key, index, isl map, lane) of the word of an element.

        Indices that are no known forms go by their ``values``: equal ones are of one word in each iteration.
        """
        keys: list[object] = ["word"]
        words: list[Affine | None] = []
        texts: list[str] = []
        lane: int | None = 0
        for form, value, packed in zip(index, values, self.packed[variable], strict=False):
            if packed is not None:
                own = None if form is None else self._lane(form, packed)
                lane = None if lane is None or own is None else lane * packed.lanes + own
            if form is None and packed is not None and packed.words == 1:
                form = Affine.of({}, 0)  # any element of the one word
            if form is None:
                keys.append(("value", value))
                words.append(None)
                continue
            key, word, text = self._word(form, packed)
            keys.append(key)
            words.append(word)
            texts.append(text)
        known = len(texts) == len(words)
        relation = f"{{ [{', '.join(self.names)}] -> [{', '.join(texts)}] }}" if known else None
        return tuple(keys), tuple(words), relation, lane

    def _word(self, form: Affine, packed: Packed | None) -> tuple[object, Affine | None, str]:
        element = (form, form, _text(form))
        if packed is None:
            return element
        word = packed.layout.local_by(_Division(form, self.starts), element)
        return word if word is not None else (0, Affine.of({}, 0), "0")

    def _lane(self, form: Affine, packed: Packed) -> int | None:
        """The place of an element in its word, where it is the same in all iterations."""
        zero = (0, Affine.of({}, 0), "0")
        lane = packed.layout.bank_by(_Division(form, self.starts), (form, form, _text(form)), zero)[1]
        return lane.const if lane is not None and not lane.terms else None


def _text(form: Affine) -> str:
    return " + ".join([*(f"{c} * {n}" for n, c in form.terms), str(form.const)])


_Word = tuple[object, Affine | None, str]  # key, index, isl text


class _Division(Struct, frozen=True):
    """Quotients and remainders of an index, as far as they are known at compile time."""

    form: Affine
    starts: Mapping[str, tuple[int, int]]

    def div(self, x: _Word, by: int, greatest: int, remainder: int | None = None) -> _Word:
        form, text = self.form, f"floor(({x[2]}) / {by})"
        if all(c % by == 0 for _, c in form.terms):
            word = Affine.of({n: c // by for n, c in form.terms}, form.const // by)
            return word, word, text
        start = self._start(by)
        if start is None:
            return form, None, text
        return (form.terms, (start % by + form.const) // by), None, text

    def mod(self, x: _Word, by: int, greatest: int, quotient: int | None = None) -> _Word:
        start, const = self._start(by), self.form.const
        same = None if start is None else Affine.of({}, (start + const) % by)
        return (self.form.terms, const % by), same, f"({x[2]}) mod {by}"

    def _start(self, by: int) -> int | None:
        """The first value of the terms where all their steps are multiples of ``by``."""
        at = [(c, *self.starts.get(name, (0, 1))) for name, c in self.form.terms]
        return None if any(c * step % by for c, _, step in at) else sum(c * start for c, start, _ in at)
