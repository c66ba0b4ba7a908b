"""Tables: patterns for which no closed form has so few banks, against a search over any mapping of a finite array."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest
from banking_help import Offsets, assert_conflict_free, needs, positions, window

from hlspart.banking.colouring import colour
from hlspart.banking.exchange import Exchange
from hlspart.banking.need import Need
from hlspart.banking.search import least_any
from hlspart.layouts.table import TableLayout
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports

Cell = tuple[int, ...]


def any_mapping(offsets: Offsets, extents: Sequence[int], banks: int, ports: int, steps: int) -> bool | None:
    """Whether some mapping of the array has so many banks, by trying them element by element; None: gave up."""
    rows = [tuple(row) for row in positions(offsets, extents)]
    of: dict[Cell, list[tuple[Cell, ...]]] = {}
    for row in rows:
        for x in row:
            of.setdefault(x, []).append(row)
    order = sorted(of, key=lambda x: (sum(x), x))
    bank: dict[Cell, int] = {}
    left = steps

    def extend(k: int, used: int) -> bool:
        nonlocal left
        left -= 1
        if k == len(order) or left < 0:
            return True
        x = order[k]
        for b in range(min(banks, used + 1)):
            if all(sum(bank.get(y) == b for y in row) < ports for row in of[x]):
                bank[x] = b
                if extend(k + 1, max(used, b + 1)):
                    return True
                del bank[x]
        return False

    found = extend(0, 0)
    return None if left < 0 else found


@pytest.mark.parametrize(
    ("offsets", "ports", "banks"),
    [
        ([(0, 1), (0, 3), (1, 2), (3, 2)], 1, 4),  # 6 without tables
        ([(0,), (1,), (4,), (5,)], 1, 4),
        ([(4,), (7,), (9,), (16,)], 1, 5),
        ([(0,), (6,), (8,), (15,)], 1, 5),
        ([(0,), (1,), (4,), (5,), (7,), (8,), (11,)], 2, 4),
        ([(1, 1), (1, 2), (3, 1), (4, 0)], 1, 4),
        ([(1, 0), (1, 2), (1, 3), (2, 0), (3, 1)], 1, 6),
        ([(0, 1), (0, 4), (2, 4), (3, 2), (4, 3)], 1, 6),
        ([(0, 1), (0, 2), (0, 3), (1, 2), (4, 0), (4, 1), (4, 3), (4, 4)], 1, 9),
        ([(0, 2), (1, 0), (1, 2), (4, 1)], 1, 4),
        ([(0,), (1,), (4,), (6,), (9,), (14,), (15,), (22,), (23,), (28,), (30,), (31,)], 1, 16),  # 20 without tables
        ([(0,), (3,), (6,), (8,), (9,), (11,), (15,), (16,)], 2, 5),
        ([(0,), (3,), (4,), (5,), (8,), (10,), (11,), (13,)], 2, 5),
        ([(4,), (9,), (13,), (15,), (25,), (26,), (29,)], 2, 4),  # over 32 classes; found by a constraint solver first
        ([(0, 2), (0, 3), (1, 0), (1, 3), (2, 5), (4, 3), (5, 1)], 1, 9),  # classes of a scaled lattice
        ([(1, 1), (1, 2), (1, 4), (1, 5), (2, 3), (2, 4), (3, 1), (3, 4), (4, 5), (5, 0)], 1, 14),
    ],
)
def test_fewer_banks_than_any_closed_form(offsets: list[Cell], ports: int, banks: int) -> None:
    extents = tuple(4 * w for w in window([offsets]))
    found = least_any(needs([offsets], extents, Ports(total=ports)), extents)
    assert found is not None and isinstance(found.layout, TableLayout)
    assert found.banks == banks == len(set(found.layout.table))
    assert_conflict_free(found.layout, [offsets], extents, ports)


def test_random_patterns_against_any_mapping() -> None:
    """No mapping of an array of four times the window has one bank less; where that is claimed it is proved here."""
    rng = random.Random(11)
    decided = tables = 0
    for _ in range(100):
        rank, ports = rng.choice([1, 1, 2]), rng.choice([1, 2])
        cells = list(itertools.product(range(9 if rank == 1 else 3), repeat=rank))
        offsets = sorted(rng.sample(cells, rng.randint(3, 6)))
        extents = tuple(4 * w for w in window([offsets]))
        found = least_any(needs([offsets], extents, Ports(total=ports)), extents)
        assert found is not None
        assert_conflict_free(found.layout, [offsets], extents, ports)
        tables += isinstance(found.layout, TableLayout)
        if found.banks > found.lower_bound:
            less = any_mapping(offsets, extents, found.banks - 1, ports, 4_000)
            assert not less, (offsets, ports, found.banks)
            assert not (found.absolute and less)
            decided += less is False
        else:
            assert found.absolute
    assert decided >= 4 and tables >= 1


def test_two_groups_of_accesses() -> None:
    """A row of far accesses in one nest, a column of them in the other."""
    groups = [[(0, 0), (0, 1), (0, 4), (0, 5)], [(0, 0), (1, 0), (4, 0), (5, 0)]]
    extents = (24, 24)
    found = least_any(needs(groups, extents, Ports(total=1)), extents)
    assert found is not None and (found.banks, found.absolute) == (4, True)
    assert_conflict_free(found.layout, groups, extents, 1)


def test_only_the_positions_that_a_loop_reaches_count() -> None:
    """Every fourth position: a table serves these, whatever happens at the others."""
    offsets = (0, 1, 5, 8, 12, 13)
    domain = "{ [i] : 0 <= i < 20 }"
    reads = [PortAccess(n, "read", (Affine.of({"i": 4}, o),), None, domain, n) for n, o in enumerate(offsets)]
    found = least_any([Need(IterationSpace(("i",), domain, (1,)), reads, Ports(total=1))], (90,))
    assert found is not None and found.banks <= 7
    for i in range(20):
        assert len({found.layout.bank((4 * i + o,)) for o in offsets}) == len(offsets)


def test_fixed_elements_under_a_triangular_loop() -> None:
    """Nothing moves, so that one position counts: a bank for each of the five."""
    domain = "{ [i, j] : 0 <= i < 8 and 0 <= j <= i }"
    reads = [PortAccess(n, "read", (Affine.of({}, o),), None, domain, n) for n, o in enumerate((0, 1, 3, 4, 5))]
    found = least_any([Need(IterationSpace(("i", "j"), domain, (1, 1)), reads, Ports(total=1))], (8,))
    assert found is not None and (found.banks, found.absolute) == (5, True)
    assert len({found.layout.bank((o,)) for o in (0, 1, 3, 4, 5)}) == 5


def test_colouring_against_brute_force() -> None:
    """The exhaustive search decides; the search by exchange finds colours where there are some."""
    rng = random.Random(3)
    for _ in range(120):
        cells, colours = rng.randint(3, 6), rng.randint(1, 3)
        rows = [(rng.sample(range(cells), rng.randint(2, min(4, cells))), rng.choice([1, 2])) for _ in range(4)]
        constraints = [(sum(1 << x for x in row), cap) for row, cap in rows]
        found = colour(cells, constraints, colours, 10_000)
        exchanged = Exchange(cells, constraints).colours(colours, 300, rng)

        def fits(of: Sequence[int], rows: Sequence[tuple[Sequence[int], int]] = rows) -> bool:
            return all(max([of[x] for x in row].count(of[y]) for y in row) <= cap for row, cap in rows)

        possible = any(fits(of) for of in itertools.product(range(colours), repeat=cells))
        assert found.complete and (found.colours is not None) == possible
        assert found.colours is None or fits(found.colours)
        assert (exchanged is not None) == possible and (exchanged is None or fits(exchanged))
        assert colour(cells, [], 1, 0).colours is None  # no steps


def test_room_of_one_bank() -> None:
    """Cells of a circle that no translate of a pattern holds more often than it may, the first among them."""
    rng = random.Random(8)
    for _ in range(60):
        cells, cap = rng.randint(6, 12), rng.choice([1, 2])
        pattern = rng.sample(range(cells), rng.randint(cap + 1, 5))
        rows = [{(p + t) % cells for p in pattern} for t in range(cells)]
        most = max(
            size
            for size in range(1, cells + 1)
            for chosen in itertools.combinations(range(cells), size)
            if chosen[0] == 0 and all(len(row.intersection(chosen)) <= cap for row in rows)
        )
        exchange = Exchange(cells, [(sum(1 << x for x in row), cap) for row in rows])
        assert exchange.holds(most, 10**6) and not exchange.holds(most + 1, 10**6)


def test_tables_can_be_left_out() -> None:
    """On two ports a text of the table would have more loads of a bank than it has ports."""
    offsets = [(0,), (3,), (6,), (8,), (9,), (11,), (15,), (16,)]
    loops = needs([offsets], (68,), Ports(total=2))
    with_, without = least_any(loops, (68,)), least_any(loops, (68,), tables=False)
    assert with_ is not None and without is not None
    assert (with_.banks, without.banks) == (5, 6) and without.excluded and not isinstance(without.layout, TableLayout)
