"""Which tiles touch which data: footprints, their translations, and their partition by consumers.

Data points are tuples ``[space, x0, .., xk]``: ``space`` tells apart several producing statements
(0 for an array's elements), shorter tuples are padded with zeros. A :class:`Footprints` owns one isl
context; it is asked with integers and answers with integers and isl text.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import islpy as isl
from msgspec import Struct

from hlspart.sets.counting import count as closed_form
from hlspart.sets.dataflow import context, plane_text
from hlspart.sets.region import TooHard

Vector = tuple[int, ...]
R = TypeVar("R")

MAX_TILES = 4096  # consumer tiles of one tile, or actual tiles to enumerate
MAX_LINES = 20_000

OUT, IN, SET = isl.dim_type.out, isl.dim_type.in_, isl.dim_type.set


class TileTouch(Struct, frozen=True):
    """Iterations that touch data: ``relation`` from ``iterators`` in ``domain`` to points of ``space``.

    ``planes``: the tiling hyperplanes as coefficients of the iterators and a constant.
    """

    iterators: tuple[str, ...]
    domain: str
    relation: str
    space: int
    planes: tuple[Vector, ...]


class TileBlock(Struct, frozen=True):
    """Data with one set of consumer tiles."""

    points: str
    size: int
    consumers: tuple[Vector, ...]


class Shape(Struct, frozen=True):
    """Extent of a set: words, contiguous rows in row-major order, words and rows of its bounding box."""

    words: int
    rows: int
    box_words: int
    box_rows: int


def guarded(method: Callable[..., R]) -> Callable[..., R]:
    """Turn isl's failures into :class:`TooHard`."""

    @functools.wraps(method)
    def run(*args: Any, **rest: Any) -> R:
        try:
            return method(*args, **rest)
        except isl.Error as error:
            raise TooHard(str(error)) from error

    return run


def inside_tile(planes: Sequence[Vector], sizes: Vector, its: Sequence[str], tiles: Sequence[object]) -> str:
    """isl condition: the iteration ``its`` lies in the tile ``tiles`` (names or numbers)."""
    conditions = []
    for tile, size, plane in zip(tiles, sizes, planes, strict=True):
        conditions.append(f"{size}*{tile} <= {plane_text(plane, its)} < {size}*{tile} + {size}")
    return " and ".join(conditions)


def points_of(set_: Any) -> list[Vector]:
    """All points of a bounded isl set, sorted."""
    points: list[Vector] = []
    width = set_.dim(SET)
    set_.foreach_point(lambda p: points.append(tuple(p.get_coordinate_val(SET, k).to_python() for k in range(width))))
    return sorted(points)


def _least(set_: Any) -> Vector:
    """The lexicographically least point of a bounded set."""
    least, rest = [], set_
    for k in range(set_.dim(SET)):
        value = ends(rest, k)[0]
        least.append(value)
        rest = rest.fix_val(SET, k, value)
    return tuple(least)


def ends(set_: Any, k: int) -> tuple[int, int]:
    """Least and greatest value of a dimension of a bounded set that is not empty."""
    values = []
    for value, last in ((set_.dim_min_val(k), False), (set_.dim_max_val(k), True)):
        # isl relaxes strides: what it says may lie beyond all points
        if not value.is_int() or set_.fix_val(SET, k, value).is_empty():
            line = set_.project_out(SET, k + 1, set_.dim(SET) - k - 1).project_out(SET, 0, k)
            value = (line.lexmax() if last else line.lexmin()).sample_point().get_coordinate_val(SET, 0)
        values.append(int(value.to_python()))
    return values[0], values[1]


def size_of(set_: Any) -> int:
    """Number of points of a bounded set."""
    if not set_.is_bounded():
        raise TooHard("an unbounded set has no size")
    if set_.is_empty():
        return 0
    lines = 1  # isl counts line by line: fast while there are few
    for k in range(set_.dim(SET) - 1):
        lines *= set_.dim_max_val(k).to_python() - set_.dim_min_val(k).to_python() + 1
    number = closed_form(set_) if lines > MAX_LINES else None
    return int(set_.count_val().to_python() if number is None else number)


class Footprints:
    """The relation tile -> data of ``reads``, and tile -> data of ``makes`` (flow) where given."""

    @guarded
    def __init__(self, sizes: Vector, reads: Sequence[TileTouch], makes: Sequence[TileTouch] = ()) -> None:
        self._ctx = context()
        self._sizes = sizes
        self.spaces = tuple(sorted({t.space for t in (*reads, *makes)}))
        self._width = max(isl.Map(t.relation, context=self._ctx).dim(OUT) for t in (*reads, *makes))
        self._dims = {t.space: isl.Map(t.relation, context=self._ctx).dim(OUT) for t in (*reads, *makes)}
        self._tile = [f"T{k}" for k in range(len(sizes))]
        self._reads = self._union(reads)
        self._makes: Any = self._union(makes) if makes else None

    def _union(self, touches: Sequence[TileTouch]) -> Any:
        total: Any = None
        for t in touches:
            part = self._relation(t)
            total = part if total is None else total.union(part)
        return total.coalesce()

    def _relation(self, t: TileTouch) -> Any:
        its = [f"x{k}" for k in range(len(t.iterators))]
        inside = inside_tile(t.planes, self._sizes, its, self._tile)
        tiles = isl.Map(f"{{ [{', '.join(self._tile)}] -> [{', '.join(its)}] : {inside} }}", context=self._ctx)
        domain = isl.Set(t.domain, context=self._ctx)
        touch = isl.Map(t.relation, context=self._ctx).intersect_domain(domain)
        data = tiles.apply_range(touch)
        have = data.dim(OUT)
        data = data.insert_dims(OUT, 0, 1).fix_val(OUT, 0, t.space)
        data = data.insert_dims(OUT, have + 1, self._width - have)
        for k in range(have + 1, self._width + 1):
            data = data.fix_val(OUT, k, 0)
        return data.coalesce()

    def _at(self, relation: Any, tile: Vector) -> Any:
        for k, value in enumerate(tile):
            relation = relation.fix_val(IN, k, value)
        return relation.range().coalesce()

    def _moved(self, set_: Any, shift: Mapping[int, Vector]) -> Any:
        return set_.apply(self._mover(shift))

    def _mover(self, shift: Mapping[int, Vector]) -> Any:
        names = [f"d{k}" for k in range(self._width)]
        pieces = []
        for space, vector in shift.items():
            padded = (*vector, *(0,) * (self._width - len(vector)))
            moved = [f"{n} + {v}" for n, v in zip(names, padded, strict=True)]
            pieces.append(f"[{', '.join([str(space), *names])}] -> [{', '.join([str(space), *moved])}]")
        return isl.Map(f"{{ {'; '.join(pieces)} }}", context=self._ctx)

    # ------------------------------------------------------------------------------ translation

    @guarded
    def is_empty(self) -> bool:
        """Whether no tile reads anything."""
        return bool(self._reads.is_empty())

    @guarded
    def is_bounded(self, tile: Vector) -> bool:
        """Whether the footprint of one tile is finite."""
        return bool(self._at(self._reads, tile).is_bounded())

    @guarded
    def first_tiles(self, box: Sequence[tuple[int, int]]) -> tuple[Vector, ...] | None:
        """Tiles with a footprint inside ``box`` (column, modulus); None when they are not finite."""
        tiles = self._boxed(self._reads.domain(), box, (0,) * len(self._sizes)).coalesce()
        if not tiles.is_bounded():
            return None
        points = points_of(tiles)
        return None if len(points) > MAX_TILES else tuple(points)

    def _boxed(self, tiles: Any, box: Sequence[tuple[int, int]], base: Vector) -> Any:
        for column, modulus in box:
            tiles = tiles.lower_bound_val(SET, column, base[column])
            tiles = tiles.upper_bound_val(SET, column, base[column] + modulus - 1)
        return tiles

    def _displacement(self, relation: Any, base: Vector, step: Vector) -> dict[int, Vector] | None:
        here = self._at(relation, base)
        there = self._at(relation, tuple(a + b for a, b in zip(base, step, strict=True)))
        displacements: dict[int, Vector] = {}
        for space in self.spaces:
            a, b = here.fix_val(SET, 0, space), there.fix_val(SET, 0, space)
            if a.is_empty() or b.is_empty():
                if a.is_empty() and b.is_empty():
                    continue
                return None
            low, high = _least(a), _least(b)
            displacements[space] = tuple(y - x for x, y in zip(low[1:], high[1:], strict=True))
        return displacements

    @guarded
    def translation(self, base: Vector, step: Vector, makes: bool = False) -> dict[int, Vector] | None:
        """How the data of every tile moves when the tile moves by ``step``; None when it is no translation.

        The candidate is read off ``base``; that it holds for all tiles is then proved on the whole relation.
        """
        relation = self._makes if makes else self._reads
        displacements = self._displacement(relation, base, step)
        if displacements is None:
            return None
        for space in self.spaces:
            displacements.setdefault(space, (0,) * self._width)
        names = self._tile
        ahead = [f"{n} + {v}" for n, v in zip(names, step, strict=True)]
        mover = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(ahead)}] }}", context=self._ctx)
        moved = relation.apply_domain(mover).apply_range(self._mover(displacements))
        return displacements if moved.is_equal(relation) else None

    @guarded
    def unlike(self, base: Vector, steps: Sequence[Vector]) -> tuple[Vector, Vector, int, int] | None:
        """Two tiles whose footprints are no translates of each other, with their sizes."""
        here = self._at(self._reads, base)
        words = size_of(here)
        for step in steps:
            tile = tuple(a + b for a, b in zip(base, step, strict=True))
            there = self._at(self._reads, tile)
            shift = self._displacement(self._reads, base, step)
            if shift is None:
                return base, tile, words, size_of(there)
            for space in self.spaces:
                shift.setdefault(space, (0,) * self._width)
            if not self._moved(here, shift).is_equal(there):
                return base, tile, words, size_of(there)
        return None

    # ---------------------------------------------------------------------------- decomposition

    @guarded
    def consumers(self, base: Vector, box: Sequence[tuple[int, int]]) -> tuple[Vector, ...] | None:
        """Tiles in ``box`` around ``base`` that read data which ``base`` reads (makes, for flow), sorted."""
        data = self._at(self._reads if self._makes is None else self._makes, base)
        tiles = self._boxed(self._reads.intersect_range(data).domain(), box, base)
        if not tiles.is_bounded():
            return None
        points = points_of(tiles.coalesce())
        return None if len(points) > MAX_TILES else tuple(points)

    @guarded
    def distinct(self, tiles: Sequence[Vector]) -> int:
        """Number of different footprints among ``tiles``."""
        seen: list[Any] = []
        for tile in tiles:
            foot = self._at(self._reads, tile)
            if not any(foot.is_equal(other) for other in seen):
                seen.append(foot)
        return len(seen)

    @guarded
    def blocks(self, base: Vector, consumers: Sequence[Vector]) -> tuple[TileBlock, ...]:
        """Partition of what ``base`` reads (flow: of what it makes and ``consumers`` read) by consumers."""
        data = self._at(self._reads if self._makes is None else self._makes, base)
        footprints = [(tile, self._at(self._reads, tile).intersect(data).coalesce()) for tile in consumers]
        footprints = [(tile, foot) for tile, foot in footprints if not foot.is_empty()]
        if self._makes is not None:
            union = isl.Set.empty(data.get_space())
            for _, foot in footprints:
                union = union.union(foot)
            data = union.coalesce()
        parts: list[tuple[Any, list[Vector]]] = [(data, [])] if not data.is_empty() else []
        for tile, foot in footprints:
            split: list[tuple[Any, list[Vector]]] = []
            for part, users in parts:
                common = part.intersect(foot)
                if common.is_empty():
                    split.append((part, users))
                    continue
                split.append((common.coalesce(), [*users, tile]))
                rest = part.subtract(foot)
                if not rest.is_empty():
                    split.append((rest.coalesce(), users))
            parts = split
        return tuple(
            sorted(
                (TileBlock(str(part), size_of(part), tuple(users)) for part, users in parts),
                key=lambda b: (b.consumers, b.points),
            )
        )

    @guarded
    def producers(self, tile: Vector) -> tuple[Vector, ...]:
        """Tiles that make what ``tile`` reads, itself excluded, sorted."""
        assert self._makes is not None
        tiles = self._makes.intersect_range(self._at(self._reads, tile)).domain()
        return tuple(t for t in points_of(tiles.coalesce()) if t != tile)

    @guarded
    def reads_block(self, tile: Vector, points: str, shift: Mapping[int, Vector]) -> bool:
        """Whether ``tile`` reads all of ``points`` moved by ``shift``."""
        moved = self._moved(isl.Set(points, context=self._ctx), shift)
        return bool(moved.is_subset(self._at(self._reads, tile)))

    @guarded
    def footprint(self, tile: Vector) -> tuple[str, int]:
        """All that ``tile`` reads, and its size in words."""
        foot = self._at(self._reads, tile)
        return str(foot), size_of(foot)

    @guarded
    def made(self, tile: Vector) -> str:
        """All that ``tile`` makes, as isl text; empty text where nothing is made."""
        return "" if self._makes is None else str(self._at(self._makes, tile))

    @guarded
    def arriving(self, tile: Vector) -> str:
        """What ``tile`` reads and does not make itself."""
        foot = self._at(self._reads, tile)
        if self._makes is not None:
            foot = foot.subtract(self._at(self._makes, tile))
        return str(foot.coalesce())

    @guarded
    def checks(self, base: Vector, blocks: Sequence[TileBlock], consumers: Sequence[Vector]) -> dict[str, bool]:
        """Prove the defining properties of ``blocks`` by sets."""
        sets = [isl.Set(b.points, context=self._ctx) for b in blocks]
        data = self._at(self._reads if self._makes is None else self._makes, base)
        footprints = {tile: self._at(self._reads, tile) for tile in consumers}
        used = data
        if self._makes is not None:
            used = isl.Set.empty(data.get_space())
            for foot in footprints.values():
                used = used.union(foot.intersect(data))
        union = isl.Set.empty(data.get_space())
        disjoint = True
        for one in sets:
            disjoint = disjoint and bool(union.is_disjoint(one))
            union = union.union(one)
        atomic = all(
            one.is_subset(foot) if tile in block.consumers else one.is_disjoint(foot)
            for one, block in zip(sets, blocks, strict=True)
            for tile, foot in footprints.items()
        )
        users = [b.consumers for b in blocks]
        return {
            "irredundant": disjoint,
            "complete": bool(union.is_equal(used)),
            "atomic": bool(atomic),
            "maximal": len(set(users)) == len(users) and all(users),
        }

    # ------------------------------------------------------------------------------ actual tiles

    @guarded
    def actual(self) -> tuple[tuple[Vector | None, TileBlock], ...] | None:
        """Partition of all data by the actual tiles that read it (flow: other than the maker); None when too many.

        The domains must be those of the program, not the interior.
        """
        tiles = self._reads.domain().coalesce()
        if self._makes is not None:
            tiles = tiles.union(self._makes.domain()).coalesce()
        if tiles.dim(isl.dim_type.param) or not tiles.is_bounded() or size_of(tiles) > MAX_TILES:
            return None
        order = points_of(tiles)
        blocks: list[tuple[Vector | None, TileBlock]] = []
        if self._makes is not None:
            for tile in order:
                users = [t for t in self.consumers(tile, ()) or () if t != tile]
                blocks += [(tile, block) for block in self.blocks(tile, users)]
            return tuple(blocks)
        parts: list[tuple[Any, list[Vector]]] = []
        for tile in order:
            fresh, split = self._at(self._reads, tile), []
            for part, users in parts:
                common = part.intersect(fresh)
                if common.is_empty():
                    split.append((part, users))
                    continue
                split.append((common.coalesce(), [*users, tile]))
                rest = part.subtract(fresh)
                if not rest.is_empty():
                    split.append((rest.coalesce(), users))
                fresh = fresh.subtract(common)
            if not fresh.is_empty():
                split.append((fresh.coalesce(), [tile]))
            parts = split
        for part, users in parts:
            blocks.append((None, TileBlock(str(part), size_of(part), tuple(users))))
        return tuple(sorted(blocks, key=lambda item: (item[1].consumers, item[1].points)))


@guarded
def shape(points: str, images: Mapping[int, str]) -> Shape:
    """Extent of ``points`` as row-major memory sees it.

    ``images`` maps a space to the relation from its tuples to array elements; without an entry the
    tuples themselves (first coordinate dropped) are the memory.
    """
    ctx = context()
    whole = isl.Set(points, context=ctx)
    words = rows = box_words = box_rows = 0
    for space, part in _by_space(whole):
        if space in images:
            image = isl.Map(images[space], context=ctx)
            part = part.project_out(SET, image.dim(IN), part.dim(SET) - image.dim(IN)).apply(image)
        part = part.coalesce()
        width = part.dim(SET)
        number = size_of(part)
        ahead = [f"d{k}" for k in range(width)]
        moved = part
        if width:
            text = ", ".join([*ahead[:-1], f"{ahead[-1]} + 1"])
            moved = part.apply(isl.Map(f"{{ [{', '.join(ahead)}] -> [{text}] }}", context=ctx))
        words += number
        rows += number - size_of(part.intersect(moved)) if width else 1
        spans = [high - low + 1 for low, high in (ends(part, k) for k in range(width))]
        volume = 1
        for span in spans:
            volume *= span
        box_words += volume
        box_rows += volume // spans[-1] if spans else 1
    return Shape(words, rows, box_words, box_rows)


def _by_space(whole: Any) -> list[tuple[int, Any]]:
    spaces = points_of(whole.project_out(SET, 1, whole.dim(SET) - 1).coalesce())
    return [(s, whole.fix_val(SET, 0, s).project_out(SET, 0, 1)) for (s,) in spaces]


@guarded
def is_injective(points: str, images: Mapping[int, str]) -> bool:
    """Whether no two ``points`` have one image."""
    ctx = context()
    seen = None
    for space, part in _by_space(isl.Set(points, context=ctx)):
        image = isl.Map(images[space], context=ctx)
        part = part.project_out(SET, image.dim(IN), part.dim(SET) - image.dim(IN))
        image = image.intersect_domain(part)
        if not image.is_injective():
            return False
        target = image.range()
        if seen is not None and not seen.is_disjoint(target):
            return False
        seen = target if seen is None else seen.union(target)
    return True


@guarded
def listed(points: str) -> tuple[Vector, ...]:
    """The points of a bounded set in lexicographic order."""
    return tuple(points_of(isl.Set(points, context=context())))


def cube(width: int, radius: int) -> list[Vector]:
    """Vectors with entries in [-radius, radius], nearest first, without zero."""
    every = itertools.product(range(-radius, radius + 1), repeat=width)
    return sorted((v for v in every if any(v)), key=lambda v: (sum(map(abs, v)), [-x for x in v]))
