"""Tilings: ``--tile "t+i:8,t-i:8"`` as records, and tilings that the source already has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from hlspart.mars import integers
from hlspart.model.access import Affine
from hlspart.model.mars import TileForm

_TERM = re.compile(
    r"\s*(?P<sign>[+-])?\s*(?:(?P<factor>\d+)\s*\*?\s*(?P<name>[A-Za-z_]\w*)|(?P<alone>[A-Za-z_]\w*)|(?P<number>\d+))\s*"
)


class BadTiling(Struct, frozen=True):
    """What is wrong with a ``--tile`` text, at a 1-based column of it."""

    message: str
    column: int

    def __str__(self) -> str:
        return f"--tile, column {self.column}: {self.message}"


def parse(text: str, iterators: Sequence[str]) -> tuple[TileForm, ...] | BadTiling:
    """``form:size`` items separated by commas; a form is an integer combination of ``iterators``.

    ``iterators`` empty: names are not checked.
    """
    forms: list[TileForm] = []
    columns: list[int] = []
    at = 0
    for item in text.split(","):
        column = at + len(item) - len(item.lstrip()) + 1
        at += len(item) + 1
        if not item.strip():
            return BadTiling("a hyperplane and its size are missing, as in t+i:8", column)
        plane, colon, size = item.rpartition(":")
        if not colon:
            return BadTiling(f"{item.strip()} has no size, as in {item.strip()}:8", column)
        form = _affine(plane, at - len(item), iterators)
        if isinstance(form, BadTiling):
            return form
        if not re.fullmatch(r"\s*[+-]?\d+\s*", size):
            return BadTiling(f"the size of {plane.strip()} is {size.strip() or 'missing'}, not an integer", column)
        if int(size) <= 0:
            return BadTiling(f"the size of {plane.strip()} is {int(size)}: it must be positive", column)
        if not form.terms:
            return BadTiling(f"{plane.strip()} is no hyperplane: no iterator is left in it", column)
        forms.append(TileForm(form, int(size), plane.strip()))
        columns.append(column)
        if is_dependent(forms):
            return BadTiling(f"{plane.strip()} depends linearly on the hyperplanes before it", column)
    return tuple(forms)


def _affine(text: str, column: int, iterators: Sequence[str]) -> Affine | BadTiling:
    terms: dict[str, int] = {}
    constant, at = 0, 0
    while at < len(text) or not at:
        match = _TERM.match(text, at)
        here = column + at
        if match is None or (at and match["sign"] is None):
            return BadTiling(f"{text.strip() or 'the hyperplane'} is no affine form such as 2t+i", here)
        sign = -1 if match["sign"] == "-" else 1
        if match["number"] is not None:
            constant += sign * int(match["number"])
        else:
            name = match["name"] or match["alone"]
            if iterators and name not in iterators:
                where = column + match.start("name" if match["name"] else "alone")
                return BadTiling(f"{name} is no iterator of the nest; iterators are {', '.join(iterators)}", where)
            terms[name] = terms.get(name, 0) + sign * int(match["factor"] or 1)
        at = match.end()
    return Affine.of(terms, constant)


def is_dependent(forms: Sequence[TileForm]) -> bool:
    """Whether the hyperplanes are linearly dependent."""
    names = sorted({n for f in forms for n in f.form.names})
    return integers.rank([[f.form.coefficient(n) for n in names] for f in forms]) < len(forms)


def names_of(forms: Sequence[TileForm]) -> tuple[str, ...]:
    """Iterators that occur in some hyperplane."""
    return tuple(dict.fromkeys(n for f in forms for n in f.form.names))
