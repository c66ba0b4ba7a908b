"""Residue classes of tiles: which tiles are translates of each other, and how iterators move with them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from math import prod

from msgspec import Struct

from hlspart.mars import integers
from hlspart.mars.decompose import MAX_CLASSES, MAX_PERIOD
from hlspart.mars.integers import Vector
from hlspart.mars.layouts import Tiled
from hlspart.model.access import Affine
from hlspart.sets.tilecode import keeps
from hlspart.transform.printer import Unprintable


class Classes(Struct, frozen=True):
    """Tile ``T`` is a translate of ``tiles[kind]`` by ``U`` times ``basis`` (Hermite rows of full rank).

    ``origin``: how far an iterator moves with each coordinate of U. With one class U is T itself.
    """

    basis: tuple[Vector, ...]
    tiles: tuple[Vector, ...]
    origin: Mapping[str, Vector]

    @property
    def single(self) -> bool:
        """Whether all tiles are translates of one."""
        return len(self.tiles) == 1

    def split(self, tile: Sequence[int]) -> tuple[int, Vector]:
        """The class of a tile and its translation in coordinates of ``basis``."""
        base = integers.reduced(tile, self.basis)
        moved = integers.solve(self.basis, integers.sub(tile, base))
        assert moved is not None
        return self.tiles.index(base), moved

    def moved(self, form: Affine) -> Vector:
        """How the value of an affine form of iterators moves with U."""
        terms = [(c, self.origin[n]) for n, c in form.terms if n in self.origin]
        return tuple(sum(c * row[k] for c, row in terms) for k in range(len(self.basis)))

    def text(self, tile: str = "T", moved: str = "U") -> list[str]:
        """C that finds U and ``mars_kind`` of a tile; nothing with one class."""
        return [] if self.single else coordinates(self.basis, tile, moved)


def coordinates(basis: Sequence[Vector], tile: str, moved: str) -> list[str]:
    """C declarations of the coordinates modulo ``basis`` (square Hermite form) and of ``mars_kind``."""
    lines, kind = [], "0"
    for k, row in enumerate(basis):
        rest = f"{tile}{k}" + "".join(f" - {basis[j][k]} * {moved}{j}" for j in range(k) if basis[j][k])
        lines.append(f"const int {moved}{k} = floord({rest}, {row[k]});")
        kind = f"({kind}) * {row[k]} + {rest} - {row[k]} * {moved}{k}"
    lines.append(f"const int mars_kind = {kind};")
    return [*lines, "".join(f"(void){moved}{k}; " for k in range(len(basis))) + "(void)mars_kind;"]


def representatives(basis: Sequence[Vector]) -> tuple[Vector, ...]:
    """One tile of each class of a square Hermite form, in the order of ``mars_kind``."""
    return tuple(itertools.product(*(range(row[k]) for k, row in enumerate(basis))))


def classes(tiled: Tiled, interiors: Sequence[tuple[tuple[str, ...], str]]) -> Classes:
    """The classes of a tiling; ``interiors``: (iterators, domain) of the statements, which must move along.

    Raises :class:`Unprintable` where there are none or too many.
    """
    tiles, names = len(tiled.forms), tiled.names
    system: list[Sequence[int]] = []
    for a in tiled.accesses.values():
        for n in tiled.interior[a.id].normals:
            system.append([*(0,) * tiles, *tiled.widened(a, n)])
    for k, f in enumerate(tiled.forms):
        row = [f.form.coefficient(n) for n in names]
        system.append([*(-f.size * int(k == j) for j in range(tiles)), *row])
    moves = integers.hermite(integers.kernel(system, tiles + len(names)))
    kept = []
    for move in moves:
        if not any(move[:tiles]):
            continue  # a move within the tile
        step = dict(zip(names, move[tiles:], strict=True))
        period = next(
            (
                k
                for k in range(1, MAX_PERIOD + 1)
                if all(keeps(domain, tuple(k * step[n] for n in its)) for its, domain in interiors)
            ),
            None,
        )
        if period is not None:
            kept.append(tuple(period * x for x in move))
    basis = integers.hermite([k[:tiles] for k in kept])
    if len(basis) < tiles:
        raise Unprintable("tiles are not translates of finitely many tiles")
    if prod(row[k] for k, row in enumerate(basis)) > MAX_CLASSES:
        raise Unprintable(f"tiles fall into more than {MAX_CLASSES} classes: choose sizes that give fewer")
    joint = integers.hermite(kept)
    origin = []
    for translation in basis:
        rest = [*translation, *(0,) * len(names)]
        for step_ in joint:
            column = next(k for k, x in enumerate(step_) if x)
            if column < tiles:
                factor = rest[column] // step_[column]
                rest = [a - factor * b for a, b in zip(rest, step_, strict=True)]
        origin.append([-x for x in rest[tiles:]])
    return Classes(basis, representatives(basis), {n: tuple(row[k] for row in origin) for k, n in enumerate(names)})
