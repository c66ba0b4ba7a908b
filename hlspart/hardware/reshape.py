"""ARRAY_RESHAPE: several elements of an array in one word (UG1399). Accesses become accesses of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from hlspart.hardware.unmodelled import Unmodelled
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

    def place(
        self, variable: int, index: Sequence[Affine | None], kind: str, line: int
    ) -> tuple[tuple[object, ...], tuple[Affine | None, ...], str] | None:
        """(key, index, isl map) of the word of an element; None when the element is not known at compile time.

        Raises :class:`Unmodelled` for stores: whether a tool writes lanes alone differs.
        """
        if kind == "write":
            raise Unmodelled("a store into words of a reshaped array is not modelled", line)
        keys: list[object] = []
        words: list[Affine | None] = []
        texts: list[str] = []
        for form, packed in zip(index, self.packed[variable], strict=False):
            if form is None:
                return None
            key, word, text = self._word(form, packed)
            keys.append(key)
            words.append(word)
            texts.append(text)
        return ("word", *keys), tuple(words), f"{{ [{', '.join(self.names)}] -> [{', '.join(texts)}] }}"

    def _word(self, form: Affine, packed: Packed | None) -> tuple[object, Affine | None, str]:
        text = " + ".join([*(f"{c} * {n}" for n, c in form.terms), str(form.const)])
        element = (form, form, text)
        if packed is None:
            return element
        word = packed.layout.local_by(_Division(form, self.starts), element)
        return word if word is not None else (0, Affine.of({}, 0), "0")


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
        rest = 0
        for name, coefficient in form.terms:
            start, step = self.starts.get(name, (0, 1))
            if coefficient * step % by:
                return form, None, text
            rest += coefficient * start
        return (form.terms, (rest % by + form.const) // by), None, text

    def mod(self, x: _Word, by: int, greatest: int, quotient: int | None = None) -> _Word:
        same = all(c % by == 0 for _, c in self.form.terms)
        rest = self.form.const % by
        return (self.form.terms, rest), Affine.of({}, rest) if same else None, f"({x[2]}) mod {by}"
