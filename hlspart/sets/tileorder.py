"""Execution order under a tiling: how a tile may keep the data of an array on chip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl

from hlspart.model.mars import NestAccess
from hlspart.sets.dataflow import Dataflow, context
from hlspart.sets.tiles import guarded, inside_tile

Vector = tuple[int, ...]


class TileOrder:
    """Execution order, elements and tiles of the accesses of one nest, for the questions below."""

    def __init__(self, accesses: Sequence[NestAccess], planes: Sequence[Sequence[Vector]], sizes: Vector) -> None:
        self._ctx = context()
        self._accesses = tuple(accesses)
        self._planes = {a.id: tuple(p) for a, p in zip(accesses, planes, strict=True)}
        self._sizes = sizes
        depth = max(len(a.iterators) for a in accesses)
        self._time = self._union(lambda a: _time(a, depth))
        tiles = [f"T{k}" for k in range(len(sizes))]
        self._anywhere: Any = isl.UnionMap("{ }", context=self._ctx)
        for a in accesses:
            inside = inside_tile(self._planes[a.id], sizes, a.iterators, tiles)
            text = f"{{ S{a.id}[{', '.join(a.iterators)}] -> T[{', '.join(tiles)}] : {inside} }}"
            self._anywhere = self._anywhere.union(isl.UnionMap(text, context=self._ctx))
        self._tile = self._anywhere.intersect_domain(self._time.domain())
        self._same_tile = self._tile.apply_range(self._tile.reverse())

    def _union(self, text: Any) -> Any:
        total: Any = isl.UnionMap("{ }", context=self._ctx)
        for a in self._accesses:
            domain = isl.Set(a.domain, context=self._ctx).set_tuple_name(f"S{a.id}")
            total = total.union(
                isl.UnionMap(text(a), context=self._ctx).intersect_domain(isl.UnionSet.from_set(domain))
            )
        return total

    def _touch(self, array: str, kind: str, everywhere: bool = False) -> Any:
        total: Any = isl.UnionMap("{ }", context=self._ctx)
        for a in self._accesses:
            if a.array == array and a.kind == kind:
                touch = isl.Map(a.map, context=self._ctx)
                if not everywhere:
                    touch = touch.intersect_domain(isl.Set(a.domain, context=self._ctx))
                named = touch.set_tuple_name(isl.dim_type.in_, f"S{a.id}").set_tuple_name(isl.dim_type.out, "E")
                total = total.union(isl.UnionMap.from_map(named))
        return total

    def _earlier(self, relation: Any, later: bool = False) -> Any:
        """Pairs of ``relation`` whose second runs before (``late``: after) the first."""
        before = self._time.lex_lt_union_map(self._time) if later else self._time.lex_gt_union_map(self._time)
        return relation.intersect(before)

    def _flow(self, array: str, flow: Dataflow) -> Any:
        """read -> write it takes its value from, for one array."""
        total: Any = isl.UnionMap("{ }", context=self._ctx)
        mine = {a.id for a in self._accesses if a.array == array}
        for d in flow.dependences:
            if d.reader in mine:
                part = isl.Map(d.relation, context=self._ctx)
                part = part.set_tuple_name(isl.dim_type.in_, f"S{d.reader}")
                part = part.set_tuple_name(isl.dim_type.out, f"S{d.writer}")
                total = total.union(isl.UnionMap.from_map(part))
        return total

    @guarded
    def is_carried(self, array: str, flow: Dataflow, within: Dataflow) -> bool:
        """Whether what ``flow`` takes from tile to tile are elements that ``within`` takes between the same tiles."""

        def transfers(relation: Any) -> Any:
            written = self._anywhere.range_product(self._touch(array, "write", everywhere=True))
            return relation.apply_domain(self._anywhere).apply_range(written)

        crossing = self._flow(array, flow).subtract(self._same_tile)
        return bool(transfers(crossing).is_subset(transfers(self._flow(array, within))))

    @guarded
    def is_in_place(self, array: str, flow: Dataflow) -> bool:
        """Whether a tile may keep ``array`` in a buffer with one cell per element.

        So it is when, in every tile, an element comes in with one value only, is not written before
        that value is read, and goes out with the last value the tile gave it.
        """
        source = self._flow(array, flow)
        crossing = source.subtract(self._same_tile)
        reads, writes = self._touch(array, "read"), self._touch(array, "write")
        arriving = crossing
        mine = {a.id: a for a in self._accesses if a.array == array}
        for ident, domain in flow.outside:
            if ident in mine:
                points = isl.Set(domain, context=self._ctx).set_tuple_name(f"S{ident}")
                first = reads.intersect_domain(isl.UnionSet.from_set(points))
                arriving = arriving.union(first)
        place = self._tile.range_product(reads)
        if not place.reverse().apply_range(arriving).is_single_valued():
            return False
        clash = reads.apply_range(writes.reverse()).intersect(self._same_tile)
        if not self._earlier(clash).intersect_domain(crossing.domain()).is_empty():
            return False
        over = writes.apply_range(writes.reverse()).intersect(self._same_tile)
        return bool(self._earlier(over, later=True).intersect_domain(crossing.range()).is_empty())

    @guarded
    def last_writes(self, array: str) -> tuple[tuple[int, str], ...]:
        """For each write of ``array`` the iterations whose value is there when the nest is done."""
        writes = self._touch(array, "write")
        again = self._earlier(writes.apply_range(writes.reverse()), later=True).domain()
        last = []
        for a in self._accesses:
            if a.array == array and a.kind == "write":
                points = isl.Set(a.domain, context=self._ctx).set_tuple_name(f"S{a.id}")
                left = isl.UnionSet.from_set(points).subtract(again).coalesce()
                part = left.extract_set(points.get_space())
                if not part.is_empty():
                    last.append((a.id, str(part.reset_tuple_id())))
        return tuple(last)

    def _joined(self, functions: Sequence[tuple[int, int, str]]) -> Any:
        total: Any = isl.UnionMap("{ }", context=self._ctx)
        for reader, writer, relation in functions:
            part = isl.Map(relation, context=self._ctx)
            part = part.set_tuple_name(isl.dim_type.in_, f"S{reader}").set_tuple_name(isl.dim_type.out, f"S{writer}")
            total = total.union(isl.UnionMap.from_map(part))
        return total

    @guarded
    def beside(
        self, array: str, flow: Dataflow, functions: Sequence[tuple[int, int, str]]
    ) -> tuple[tuple[int, int, str], ...]:
        """What ``flow`` has besides ``functions`` within tiles: (reader, writer, relation), as those."""
        rest = self._flow(array, flow).subtract(self._joined(functions)).intersect(self._same_tile)
        pairs: list[tuple[int, int, str]] = []

        def note(part: Any) -> None:
            reader, writer = part.get_tuple_name(isl.dim_type.in_), part.get_tuple_name(isl.dim_type.out)
            plain = part.coalesce().reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out)
            pairs.append((int(reader[1:]), int(writer[1:]), str(plain)))

        rest.foreach_map(note)
        return tuple(sorted(pairs))

    @guarded
    def is_expandable(self, array: str, flow: Dataflow, functions: Sequence[tuple[int, int, str]]) -> bool:
        """Whether every read can use the cells of write instances: (reader, writer, relation) of the interior.

        On the nest as it is, a read that has an instance takes its value from there or from outside
        the nest, and no cell stands for two elements from outside.
        """
        wanted = self._joined(functions)
        readers = {reader for reader, _, _ in functions}
        source = self._flow(array, flow)
        if not source.is_subset(wanted):
            return False
        outside: Any = isl.UnionSet("{ }", context=self._ctx)
        for ident, domain in flow.outside:
            if ident in readers:
                outside = outside.union(
                    isl.UnionSet.from_set(isl.Set(domain, context=self._ctx).set_tuple_name(f"S{ident}"))
                )
        cells = wanted.intersect_domain(outside).reverse().apply_range(self._touch(array, "read"))
        return bool(cells.is_single_valued())


def _time(a: NestAccess, depth: int) -> str:
    entries = []
    for k in range(depth + 1):
        entries.append(str(a.order[k]) if k < len(a.order) else "0")
        if k < depth:
            down = k < len(a.backwards) and a.backwards[k]
            entries.append(("-" if down else "") + a.iterators[k] if k < len(a.iterators) else "0")
    return f"{{ S{a.id}[{', '.join(a.iterators)}] -> [{', '.join(entries)}] }}"
