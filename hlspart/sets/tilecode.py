"""Loops and conditions of tiled code, and the facts that decide how a tile may keep its data.

Questions go in as isl text and records, answers come out as :class:`Node` trees whose expressions are
C text over the iterators and the tile coordinates ``T0, T1, ..``; the text uses ``min``, ``max`` and
``floord``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl
from msgspec import Struct

from hlspart.model.access import Affine
from hlspart.sets.dataflow import context, plane_text
from hlspart.sets.nodes import Node, node_of, perfect
from hlspart.sets.region import TooHard
from hlspart.sets.tiles import SET, ends, guarded, inside_tile, size_of

Vector = tuple[int, ...]

MOST_IDLE = 3  # iterations of a tile's bounding box per iteration of the tile


class CodeUnit(Struct, frozen=True):
    """Code that runs as a whole at each point: ``domain`` as it is, ``interior`` without borders.

    ``planes`` as in :class:`hlspart.sets.tiles.Touch`. ``order``: ranks of its enclosing loops and its
    own, as in :class:`NestAccess`. ``face``: only border tiles run it, ``interior`` is what its face bounds.
    ``hidden``: its last iterators are those of no loop around it, and their values.
    """

    label: str
    iterators: tuple[str, ...]
    domain: str
    interior: str
    planes: tuple[Vector, ...]
    order: tuple[int, ...]
    backwards: tuple[bool, ...] = ()
    face: bool = False
    hidden: tuple[tuple[str, Affine], ...] = ()

    @property
    def own(self) -> tuple[str, ...]:
        """The iterators of its loops."""
        return self.iterators[: len(self.iterators) - len(self.hidden)]


def _names(count: int) -> list[str]:
    return [f"T{k}" for k in range(count)]


class TileCode:
    """The units of a nest under a tiling with ``sizes``; bounds must be constants."""

    def __init__(self, sizes: Vector, units: Sequence[CodeUnit]) -> None:
        self._ctx = context()
        self._sizes = sizes
        self._units = tuple(units)
        self._tiles = _names(len(sizes))
        self._parameters = f"[{', '.join(self._tiles)}]"

    def _tile_map(self, its: Sequence[str], planes: Sequence[Vector], name: str = "") -> Any:
        """iterations -> tile."""
        inside = inside_tile(planes, self._sizes, its, self._tiles)
        return isl.Map(f"{{ {name}[{', '.join(its)}] -> [{', '.join(self._tiles)}] : {inside} }}", context=self._ctx)

    def _build(self) -> Any:
        return isl.AstBuild.from_context(isl.Set(f"{self._parameters} -> {{ : }}", context=self._ctx))

    def _every_tile(self) -> Any:
        total: Any = None
        for u in self._units:
            part = isl.Set(u.domain, context=self._ctx).apply(self._tile_map(u.iterators, u.planes))
            total = part if total is None else total.union(part)
        return total.coalesce()

    @guarded
    def tiles(self) -> Node:
        """Loops over all tiles with an iteration, in lexicographic order."""
        every = self._every_tile().set_tuple_name("tile")
        build = isl.AstBuild.from_context(isl.Set("{ : }", context=self._ctx))
        identity = every.identity().reset_tuple_id(isl.dim_type.out)
        return node_of(build.node_from_schedule_map(isl.UnionMap.from_map(identity)))

    @guarded
    def span(self, form: Sequence[int]) -> tuple[int, int]:
        """Least and greatest value of a linear form of the tile coordinates over all tiles."""
        text = " + ".join(f"{c}*{t}" for c, t in zip(form, self._tiles, strict=True) if c) or "0"
        values = self._every_tile().apply(isl.Map(f"{{ [{', '.join(self._tiles)}] -> [{text}] }}", context=self._ctx))
        return ends(values, 0)

    @guarded
    def local(self, tile: Vector) -> Node:
        """The loops of one interior tile in the order of the source.

        All bounds are constants: a loop of constant length starts from 0, another one runs over the
        tile's extent under a guard, unless that would run the body more than MOST_IDLE times too often.
        """
        depth = max(len(u.iterators) for u in self._units)
        total: Any = None
        spans: list[list[int]] = [[] for _ in range(depth)]
        idle = False
        for u in self._units:
            inside = inside_tile(u.planes, self._sizes, u.iterators, tile)
            its = ", ".join(u.iterators)
            points = isl.Set(u.interior, context=self._ctx).intersect(
                isl.Set(f"{{ [{its}] : {inside} }}", context=self._ctx)
            )
            points = points.project_out(SET, len(u.own), len(u.hidden)).coalesce()
            if points.is_empty():
                continue
            if not points.is_bounded():
                raise TooHard("a tile is not bounded")
            volume = 1
            for k in range(len(u.own)):
                low, high = ends(points, k)
                spans[k] += [-high, -low] if k < len(u.backwards) and u.backwards[k] else [low, high]
                volume *= high - low + 1
            idle = idle or volume > MOST_IDLE * size_of(points)
            entries = []
            for k in range(depth + 1):
                entries.append(str(u.order[k]) if k < len(u.order) else "0")
                if k < depth:
                    down = k < len(u.backwards) and u.backwards[k]
                    entries.append(("-" if down else "") + u.own[k] if k < len(u.own) else "0")
            time = isl.Map(f"{{ {u.label}[{', '.join(u.own)}] -> [{', '.join(entries)}] }}", context=self._ctx)
            part = isl.UnionMap.from_map(time.intersect_domain(points.set_tuple_name(u.label)))
            total = part if total is None else total.union(part)
        if total is None:
            return Node("sequence")
        build = isl.AstBuild.from_context(isl.Set("{ : }", context=self._ctx))
        extents = {f"c{2 * k + 1}": (min(s), max(s)) for k, s in enumerate(spans) if s and not idle}
        return perfect(node_of(build.node_from_schedule_map(total), extents))

    @guarded
    def inside(self, unit: CodeUnit) -> str:
        """C condition on the iterators: the iteration is one of the nest. "1" when every interior one is."""
        if not unit.hidden:
            return condition(unit.iterators, unit.domain, unit.interior)
        own = len(unit.own)
        holds = condition(unit.own, united([unit.domain], own), united([unit.interior], own))
        parts = [] if holds == "1" else [f"({holds})"]
        for tile, size, plane in zip(self._tiles, self._sizes, unit.planes, strict=True):
            form = plane_text(plane, unit.iterators)
            parts.append(f"{size} * {tile} <= {form} && {form} < {size} * {tile} + {size}")
        return " && ".join(parts)

    @guarded
    def full(self) -> str:
        """C condition on the tile coordinates: all iterations of an interior tile are in the nest."""
        partial = None
        for u in (u for u in self._units if not u.face):
            tiles = self._tile_map(u.iterators, u.planes)
            missing = isl.Set(u.interior, context=self._ctx).subtract(isl.Set(u.domain, context=self._ctx))
            part = missing.apply(tiles)
            partial = part if partial is None else partial.union(part)
        full = self._every_tile() if partial is None else self._every_tile().subtract(partial).coalesce()
        names = ", ".join(self._tiles)
        lifted = isl.Set(f"{self._parameters} -> {{ [{names}] }}", context=self._ctx).intersect(full).params()
        build = isl.AstBuild.from_context(
            isl.Set(f"{self._parameters} -> {{ [{names}] }}", context=self._ctx).intersect(self._every_tile()).params()
        )
        text: str = build.expr_from_set(lifted.coalesce()).to_C_str()
        return text

    @guarded
    def within(self, label: str, iterators: Sequence[str], planes: Sequence[Vector], domain: str) -> Node | None:
        """Loops over the points of ``domain`` in tile (T0, ..); None when no tile has any."""
        points = isl.Set(domain, context=self._ctx)
        if points.is_empty():
            return None
        inside = inside_tile(planes, self._sizes, iterators, self._tiles)
        its = ", ".join(iterators)
        mine = isl.Set(f"{self._parameters} -> {{ [{its}] : {inside} }}", context=self._ctx).intersect(points)
        identity = mine.coalesce().set_tuple_name(label).identity().reset_tuple_id(isl.dim_type.out)
        return node_of(self._build().node_from_schedule_map(isl.UnionMap.from_map(identity)))


@guarded
def condition(iterators: Sequence[str], domain: str, known: str) -> str:
    """C condition on the iterators that a point of ``known`` lies in ``domain``; "1" when it always does."""
    ctx = context()
    its = ", ".join(iterators)
    lift = isl.Set(f"[{its}] -> {{ [{its}] }}", context=ctx)
    lifted = lift.intersect(isl.Set(domain, context=ctx)).params()
    given = lift.intersect(isl.Set(known, context=ctx)).params()
    text: str = isl.AstBuild.from_context(given).expr_from_set(lifted).to_C_str()
    return text


@guarded
def keeps(domain: str, step: Vector) -> bool:
    """Whether a set is mapped onto itself by a translation."""
    points = isl.Set(domain, context=context())
    names = [f"x{k}" for k in range(len(step))]
    ahead = [f"{n} + {v}" for n, v in zip(names, step, strict=True)]
    mover = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(ahead)}] }}", context=points.get_ctx())
    return bool(points.apply(mover).is_equal(points))


@guarded
def box(points: str) -> tuple[tuple[int, int], ...]:
    """(least, greatest) per dimension of a bounded set."""
    whole = isl.Set(points, context=context())
    return tuple(ends(whole, k) for k in range(whole.dim(SET)))


@guarded
def scan(points: str, space: int) -> Node:
    """Loops over the data points of one space of a bounded set in lexicographic order, calling ``p``."""
    whole = isl.Set(points, context=context()).fix_val(SET, 0, space).coalesce().set_tuple_name("p")
    identity = whole.identity().reset_tuple_id(isl.dim_type.out)
    build = isl.AstBuild.from_context(isl.Set("{ : }", context=whole.get_ctx()))
    return node_of(build.node_from_schedule_map(isl.UnionMap.from_map(identity)))


@guarded
def visit(points: str, iterators: Sequence[str]) -> Node | None:
    """Loops over the points of a bounded set in lexicographic order, calling ``p``; None where it has none.

    ``iterators``: names of the loops, one per dimension; parameters keep theirs.
    """
    whole = isl.Set(points, context=context())
    if whole.is_empty():
        return None
    if not whole.is_bounded():
        raise TooHard("the elements have no bounds")
    names = isl.IdList.alloc(whole.get_ctx(), len(iterators))
    for name in iterators:
        names = names.add(isl.Id(name, context=whole.get_ctx()))
    build = isl.AstBuild.from_context(isl.Set.universe(whole.params().get_space())).set_iterators(names)
    identity = whole.set_tuple_name("p").identity().reset_tuple_id(isl.dim_type.out)
    return node_of(build.node_from_schedule_map(isl.UnionMap.from_map(identity)))


@guarded
def minus(a: str, b: str) -> str:
    """Set difference."""
    ctx = context()
    return str(isl.Set(a, context=ctx).subtract(isl.Set(b, context=ctx)).coalesce())


@guarded
def common(a: str, b: str) -> str:
    """Intersection of two sets."""
    ctx = context()
    return str(isl.Set(a, context=ctx).intersect(isl.Set(b, context=ctx)).coalesce())


@guarded
def is_empty(points: str) -> bool:
    """Whether a set has no point."""
    return bool(isl.Set(points, context=context()).is_empty())


@guarded
def meet(a: str, b: str) -> bool:
    """Whether two relations have a pair in common."""
    ctx = context()
    return not isl.Map(a, context=ctx).is_disjoint(isl.Map(b, context=ctx))


@guarded
def united(domains: Sequence[str], keep: int) -> str:
    """Union of sets, each projected onto its first ``keep`` dimensions."""
    ctx = context()
    total: Any = None
    for text in domains:
        part = isl.Set(text, context=ctx)
        part = part.project_out(SET, keep, part.dim(SET) - keep)
        total = part if total is None else total.union(part)
    return str(total.coalesce())
