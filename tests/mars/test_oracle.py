"""Random tilings and accesses against plain enumeration: points grouped by the set of tiles that consume them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from mars_nests import access, form, only, solve

from hlspart.model.mars import MarsArray, NestAccess, TileForm
from tests.amounts import amount

Vector = tuple[int, ...]
BOX = 26  # iterations from -BOX to BOX are enumerated; footprints of tiles near the origin lie well inside


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def rank2(rows: Sequence[Vector]) -> bool:
    return rows[0][0] * rows[1][1] != rows[0][1] * rows[1][0]


class Tiling:
    """Two hyperplanes over (i, j), and the points of every tile near the origin."""

    def __init__(self, rows: list[Vector], sizes: list[int]) -> None:
        self.rows, self.sizes = rows, sizes
        self.points: dict[Vector, list[Vector]] = {}
        for x in product(range(-BOX, BOX + 1), repeat=2):
            self.points.setdefault(self.tile(x), []).append(x)

    def tile(self, x: Vector) -> Vector:
        return tuple(dot(r, x) // s for r, s in zip(self.rows, self.sizes, strict=True))

    def forms(self) -> list[TileForm]:
        return [form(s, i=r[0], j=r[1]) for r, s in zip(self.rows, self.sizes, strict=True)]

    def near(self, tile: Vector) -> bool:
        """Whether the tile lies wholly inside the enumerated box."""
        det = self.rows[0][0] * self.rows[1][1] - self.rows[0][1] * self.rows[1][0]
        for corner in product((0, 1), repeat=2):
            h = [s * (t + c) for s, t, c in zip(self.sizes, tile, corner, strict=True)]
            x = Fraction(h[0] * self.rows[1][1] - h[1] * self.rows[0][1], det)
            y = Fraction(h[1] * self.rows[0][0] - h[0] * self.rows[1][0], det)
            if abs(x) > BOX or abs(y) > BOX:
                return False
        return True


def random_tiling(rng: random.Random) -> Tiling:
    while True:
        rows = [(rng.randint(-2, 2), rng.randint(-2, 2)) for _ in range(2)]
        if rank2(rows):
            return Tiling(rows, [rng.randint(2, 5), rng.randint(2, 5)])


Access = tuple[tuple[Vector, ...], Vector]  # matrix, constant


def image(a: Access, x: Vector) -> Vector:
    return tuple(dot(row, x) + c for row, c in zip(*a, strict=True))


def text(a: Access) -> str:
    return ",".join(f"{r[0]}*i + {r[1]}*j + {c}" for r, c in zip(*a, strict=True))


UNBOUNDED = "0 <= i < 5000 and 0 <= j < 5000"


def expected_input(tiling: Tiling, accesses: Sequence[Access], base: Vector) -> tuple[list[int], int, int] | None:
    """(sizes of the sets, consumer classes, footprint) of tile ``base``; None when borders interfere."""
    footprints: dict[Vector, frozenset[Vector]] = {}
    for tile, points in tiling.points.items():
        if tiling.near(tile):
            footprints[tile] = frozenset(image(a, x) for a in accesses for x in points)
    if base not in footprints:
        return None
    users = {y: set() for y in footprints[base]}  # type: dict[Vector, set[frozenset[Vector]]]
    for foot in footprints.values():
        for y in foot & footprints[base]:
            users[y].add(foot)
    groups = Counter(frozenset(u) for u in users.values())
    return sorted(groups.values()), len({f for u in users.values() for f in u}), len(footprints[base])


def random_access(rng: random.Random, rank: int) -> tuple[Vector, ...]:
    while True:
        matrix = tuple((rng.randint(-2, 2), rng.randint(-2, 2)) for _ in range(rank))
        if all(any(row) for row in matrix):
            return matrix


@pytest.mark.parametrize("part", range(amount(1, 4)))
def test_inputs_agree(part: int) -> None:
    """Uniformly intersecting accesses under random tilings, all residue classes: always a layout, always this one."""
    rng = random.Random(1000 + part)
    compared = 0
    while compared < 25:
        tiling = random_tiling(rng)
        matrix = random_access(rng, rng.choice((1, 2, 2)))
        accesses: list[Access] = [(matrix, tuple(rng.randint(-2, 2) for _ in matrix)) for _ in range(rng.randint(1, 3))]
        nest = [access(k, "A", "read", "i,j", UNBOUNDED, text(a)) for k, a in enumerate(accesses)]
        records = [r for r in solve(nest, tiling.forms(), check=True).arrays if r.kind == "input"]
        assert records and all(r.accepted for r in records), records[0].reason
        for record in records:
            wanted = expected_input(tiling, accesses, record.residue)
            if wanted is None or record.consumers > 40:  # consumers beyond the enumerated box
                continue
            assert sorted(m.size for m in record.sets) == wanted[0]
            assert (record.consumers, record.footprint) == wanted[1:]
            assert all(ok for _, ok in record.checks) and len(record.checks) == 4
            compared += 1


def test_strided_footprint_moves_with_its_tile() -> None:
    """Rational bounds of this footprint lie beyond its integer points."""
    tiling = Tiling([(2, 0), (-1, 1)], [4, 5])
    matrix: tuple[Vector, ...] = ((-2, 1), (2, 1))
    accesses: list[Access] = [(matrix, (1, -2)), (matrix, (-2, 0)), (matrix, (0, 0))]
    nest = [access(k, "A", "read", "i,j", UNBOUNDED, text(a)) for k, a in enumerate(accesses)]
    record = only(solve(nest, tiling.forms()), "A", "input")
    wanted = expected_input(tiling, accesses, record.residue)
    assert wanted == (sorted(m.size for m in record.sets), record.consumers, record.footprint)


def random_dependences(rng: random.Random, tiling: Tiling) -> list[Vector]:
    """Distances that are lexicographically positive and legal for the tiling."""
    legal = [d for d in product(range(-2, 3), repeat=2) if d > (0, 0) and all(dot(r, d) >= 0 for r in tiling.rows)]
    return rng.sample(legal, min(len(legal), rng.randint(1, 4))) if legal else []


@pytest.mark.parametrize("part", range(4))
def test_flow_agrees(part: int) -> None:
    """Values of single-assignment nests: produced sets, consumed sets, words, and rows of the row-major layout."""
    rng = random.Random(2000 + part)
    compared = 0
    while compared < 25:
        tiling = random_tiling(rng)
        distances = random_dependences(rng, tiling)
        if not distances:
            continue
        nest: list[NestAccess] = [
            access(k, "A", "read", "i,j", UNBOUNDED, f"i - {d[0]}, j - {d[1]}") for k, d in enumerate(distances)
        ]
        nest.append(access(len(distances), "A", "write", "i,j", UNBOUNDED, "i,j"))
        found = solve(nest, tiling.forms())
        assert not found.violations
        records = [r for r in found.arrays if r.kind == "flow"]
        for record in records:
            if not tiling.near(record.residue):
                continue
            compare_flow(tiling, distances, record)
            compared += 1


def compare_flow(tiling: Tiling, distances: Sequence[Vector], record: MarsArray) -> None:
    base = record.residue

    def consumers(x: Vector) -> frozenset[Vector]:
        tiles = {tiling.tile((x[0] + d[0], x[1] + d[1])) for d in distances}
        return frozenset(tiles - {tiling.tile(x)})

    made = [x for x in tiling.points[base] if consumers(x)]
    groups = Counter(consumers(x) for x in made)
    assert sorted(m.size for m in record.sets) == sorted(groups.values())
    relative = {frozenset(tuple(a - b for a, b in zip(t, base, strict=True)) for t in g) for g in groups}
    assert {frozenset(m.consumers) for m in record.sets} == relative
    read = {(x[0] - d[0], x[1] - d[1]) for x in tiling.points[base] for d in distances}
    arriving = {y for y in read if tiling.tile(y) != base}
    assert record.footprint == len(read)
    assert record.flow_in.words == len(arriving)
    assert record.flow_in.mars == len({(tiling.tile(y), consumers(y)) for y in arriving})
    assert record.bursts is not None
    assert record.bursts.row_major_write == sum((x[0], x[1] - 1) not in made for x in made)
    assert record.bursts.row_major_read == sum((y[0], y[1] - 1) not in arriving for y in arriving)


def test_refusals_are_true() -> None:
    """Accesses with different linear parts: a refusal shows two tiles that really differ, an acceptance holds."""
    rng = random.Random(3000)
    refused = accepted = 0
    for _ in range(40):
        tiling = random_tiling(rng)
        accesses: list[Access] = [(random_access(rng, 1), (rng.randint(-2, 2),)) for _ in range(2)]
        nest = [access(k, "A", "read", "i,j", UNBOUNDED, text(a)) for k, a in enumerate(accesses)]
        records = [r for r in solve(nest, tiling.forms()).arrays if r.kind == "input"]
        if records[0].accepted:
            accepted += 1
            for record in records:
                wanted = expected_input(tiling, accesses, record.residue)
                assert wanted is None or sorted(m.size for m in record.sets) == wanted[0]
            continue
        evidence = records[0].rejection
        assert evidence is not None
        if not evidence.tiles:
            continue
        footprints = [{image(a, x)[0] for a in accesses for x in tiling.points.get(t, [])} for t in evidence.tiles]
        if all(tiling.near(t) for t in evidence.tiles) and all(footprints):
            refused += 1
            assert tuple(len(f) for f in footprints) == evidence.footprints
            shift = min(footprints[1]) - min(footprints[0])
            assert {x + shift for x in footprints[0]} != footprints[1]
    assert refused >= 20 and accepted >= 1


def test_only_helper_refuses_doubles() -> None:
    nest = [access(0, "A", "read", "i,j", UNBOUNDED, "i")]
    with pytest.raises(ValueError):
        only(solve(nest, [form(3, i=1, j=1), form(3, j=1, i=-1)]), "A", "input")
