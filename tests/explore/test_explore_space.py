"""Shard vectors, slices and layers against published rows; the size of a space against its listing."""

import hashlib
import itertools
import json
import math
from pathlib import Path

import pytest

from hlspart.blocked.channels import channel_layout
from hlspart.explore.layers import NestUses, layers
from hlspart.explore.space import Space, levels, shardings, tiles
from hlspart.model.exploring import Dim, Operand, TiledNest

ROWS = json.loads((Path(__file__).parent / "spaces.json").read_text())


@pytest.mark.parametrize("row", ROWS["levels"], ids=lambda r: f"{r['extents']}-{r['elements']}")
def test_levels_of_a_tensor(row: dict) -> None:
    align = channel_layout((1, 1, 1, row["extents"][-1]), row["type"]).block
    found = levels(row["extents"], row["elements"], align)
    listed = [v for level in found for v in level["shardings"]]
    assert [[x["factor"], x["tiles"], x["count"], x["shardings"][0]] for x in found] == row["levels"]
    assert len(listed) == row["candidates"]
    assert hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:16] == row["digest"]


def test_tiles_with_partial_ones() -> None:
    assert len(ROWS["slices"]) >= 16
    for extent, shard, split, size, count, last in ROWS["slices"]:
        found = list(tiles(extent, shard, split))
        assert (len(found), list(found[-1])) == (count, last)
        assert max(n for *_, n in found) == min(size, extent)
        covered = sorted(i for _, _, first, n in found for i in range(first, first + n))
        assert covered == list(range(extent))  # each iteration once


def test_layers_of_nests() -> None:
    assert len(ROWS["layers"]) >= 10
    for row in ROWS["layers"]:
        found = layers([NestUses(frozenset(reads), frozenset(writes)) for reads, writes in row["nests"]])
        assert (list(found.of), list(found.order), list(found.barrier)) == (row["layers"], row["order"], row["barrier"])
        assert sorted([e.before, e.behind, list(e.kinds)] for e in found.edges) == sorted(row["edges"])


def nest(extents: tuple[int, ...], ordered: bool = False) -> TiledNest:
    """A product of matrices of these extents."""

    def dims(*loops: int) -> tuple[Dim, ...]:
        return tuple(Dim(((k, 1),), 1) for k in loops)

    operands = (
        Operand("A", 4, dims(0, 2), True, False),
        Operand("B", 4, dims(2, 1), True, False),
        Operand("C", 4, dims(0, 1), True, True),
    )
    names = tuple(zip("ijk", extents, strict=True))
    return TiledNest("n", names, operands, ordered=ordered)


def test_space_is_counted_as_it_is_listed() -> None:
    for extents, elements in itertools.product(((4, 6, 5), (7, 1, 3), (2, 2, 9)), (1, 2, 6)):
        for ordered, orders in itertools.product((False, True), repeat=2):
            space = Space(nest(extents, ordered), elements, reassociate=False, orders=orders)
            listed = list(space.vectors())
            assert len(set(listed)) == len(listed) == space.size > 0
            for v in listed:
                assert math.prod(v.shard) in (1, elements)
                assert not ordered or v.shard[2] == 1


def test_no_factor_above_its_extent_and_all_ones_once() -> None:
    assert shardings((2, 3), 6) == [(2, 3), (1, 1)]
    assert shardings((1,), 1) == [(1,)]
    assert shardings((2, 2), 8) == [(1, 1)]
    assert shardings((4, 4), 4, (2, None)) == [(2, 2)]
