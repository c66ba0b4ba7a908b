"""ARRAY_RESHAPE: several elements of an array in one word (UG1399). Accesses become accesses of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hlspart.model.access import Affine
from hlspart.model.program import Program
from hlspart.schedule.operations import Unmodelled


@dataclass(frozen=True, slots=True)
class Packed:
    """How one dimension is packed: ``lanes`` elements per word, ``words`` words.

    cyclic: element x is in word x / lanes; block: in word x mod words; complete: all in one.
    """

    kind: str
    lanes: int
    words: int

    def word(self, x: int) -> int:
        """The word that holds element ``x``."""
        return {"cyclic": x // self.lanes, "block": x % self.words}.get(self.kind, 0)


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
                    packed[k] = _packed(
                        d.choice("type", ("cyclic", "block", "complete")), d.values.get("factor"), extent
                    )
    return {ident: tuple(packed) for ident, packed in out.items() if any(packed)}


def _packed(kind: str | None, factor: int | None, extent: int) -> Packed | None:
    if kind in (None, "complete"):
        return Packed("complete", extent, 1)
    if factor is None or factor < 2:
        return None
    lanes = min(factor, extent)
    return Packed(kind or "cyclic", lanes, -(-extent // lanes))


@dataclass(frozen=True)
class Words:
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
        if packed is None:
            return form, form, text
        if packed.kind == "complete":
            return 0, Affine.of({}, 0), "0"
        if packed.kind == "block":
            same = all(c % packed.words == 0 for _, c in form.terms)
            rest = form.const % packed.words
            return (form.terms, rest), Affine.of({}, rest) if same else None, f"({text}) mod {packed.words}"
        lanes = packed.lanes
        if all(c % lanes == 0 for _, c in form.terms):
            word = Affine.of({n: c // lanes for n, c in form.terms}, form.const // lanes)
            return word, word, f"floor(({text}) / {lanes})"
        rest = 0
        for name, coefficient in form.terms:
            start, step = self.starts.get(name, (0, 1))
            if coefficient * step % lanes:
                return form, None, f"floor(({text}) / {lanes})"
            rest += coefficient * start
        return (form.terms, (rest % lanes + form.const) // lanes), None, f"floor(({text}) / {lanes})"
