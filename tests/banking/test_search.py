"""The least banks: classical patterns, mistakes of published methods, single loops."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from banking_help import assert_conflict_free, needs, window

from hlspart.banking import search
from hlspart.banking.circle import Circle, Group
from hlspart.banking.need import Motion, Need
from hlspart.banking.pragmas import PragmaSpace
from hlspart.banking.proof import crowd, no_mapping
from hlspart.banking.search import least_any
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports

PATTERNS = json.loads((Path(__file__).parent / "patterns.json").read_text())
ROWS = [(name, int(p)) for name, row in PATTERNS.items() for p in row["minima"]]


@pytest.mark.parametrize(("name", "ports"), ROWS)
def test_classical_pattern(name: str, ports: int) -> None:
    row = PATTERNS[name]
    minima, groups = row["minima"][str(ports)], row["groups"]
    extents = tuple(4 * w for w in window(groups))
    loops = needs(groups, extents, Ports(total=ports))
    found = least_any(loops, extents)
    assert found is not None
    assert (found.banks, found.lower_bound) == (minima["any"], minima["lower_bound"])
    assert found.excluded and found.absolute
    assert_conflict_free(found.layout, groups, extents, ports)
    pragma = PragmaSpace(loops, extents, "ideal").least()
    assert {layout.banks for layout in pragma} == {minima["pragma"]}
    for layout in pragma:
        assert_conflict_free(layout, groups, extents, ports)


def test_all_patterns_are_there() -> None:
    assert len(ROWS) == 56


@pytest.mark.parametrize(("name", "ports"), ROWS)
def test_small_extents_never_need_more(name: str, ports: int) -> None:
    row = PATTERNS[name]
    extents = tuple(w + 1 for w in window(row["groups"]))
    loops = needs(row["groups"], extents, Ports(total=ports))
    found = least_any(loops, extents)
    assert found is not None and found.banks <= row["minima"][str(ports)]["any"]
    assert_conflict_free(found.layout, row["groups"], extents, ports)
    pragma = PragmaSpace(loops, extents, "ideal").least()
    assert pragma and pragma[0].banks <= row["minima"][str(ports)]["pragma"]


@pytest.mark.parametrize(
    ("offsets", "ports", "ideal", "any_"),
    [
        ([0, 8], 2, 1, 1),  # largest distance + 1 would be 9, and 16 after rounding
        ([0, 16, 32], 1, 3, 3),  # a rule by distances gives 48
        ([0, 4, 8, 13], 2, 3, 3),  # four banks by distances, and still II 2
        ([0, 4, 8, 13], 1, 6, 5),
        ([0, 4, 8], 2, 3, 2),  # halving 5 and rounding gives cyclic 2 and II 2
        ([0, 4, 8, 12, 16], 2, 3, 3),
    ],
)
def test_mistakes_of_published_rules(offsets: list[int], ports: int, ideal: int, any_: int) -> None:
    groups = [[(o,) for o in offsets]]
    loops = needs(groups, (256,), Ports(total=ports))
    pragma = PragmaSpace(loops, (256,), "ideal").least()
    found = least_any(loops, (256,))
    assert found is not None
    assert (pragma[0].banks, found.banks) == (ideal, any_)
    assert_conflict_free(pragma[0], groups, (256,), ports)
    assert_conflict_free(found.layout, groups, (256,), ports)


def test_no_mapping_is_never_claimed_where_one_exists() -> None:
    """The lattice found is a counterexample to any claim about its own number of banks."""
    for name, ports in ROWS:
        groups = PATTERNS[name]["groups"]
        extents = tuple(4 * w for w in window(groups))
        loops = needs(groups, extents, Ports(total=ports))
        assert not no_mapping(loops, extents, PATTERNS[name]["minima"][str(ports)]["any"], 3000)[0]


def test_target_ii_halves_the_ports_needed() -> None:
    groups = PATTERNS["box3d_8"]["groups"]
    extents = (12, 12, 12)
    banks = []
    for ii in (1, 2, 4, 8):
        space = PragmaSpace(needs(groups, extents, Ports(total=1), ii), extents, "ideal")
        banks.append(space.least()[0].banks)
    assert banks == [8, 4, 2, 1]


def test_static_pragma_of_an_unrolled_loop() -> None:
    """A[4t + k]: dual port cyclic 2, single port cyclic 4, never block."""
    domain = "{ [t] : 0 <= t < 16 }"
    space = IterationSpace(("t",), domain, (1,))
    reads = [PortAccess(k, "read", (Affine.of({"t": 4}, k),), None, domain, 1) for k in range(4)]
    for ports, banks in ((2, 2), (1, 4)):
        found = PragmaSpace([Need(space, reads, Ports(total=ports))], (64,), "static").least()
        assert [(d.kind, d.banks) for layout in found for d in layout.dims] == [("cyclic", banks)]


def test_static_pragma_of_far_accesses_is_block() -> None:
    domain = "{ [i] : 0 <= i < 8 }"
    space = IterationSpace(("i",), domain, (1,))
    reads = [PortAccess(k, "read", (Affine.of({"i": 1}, 8 * k),), None, domain, 1) for k in range(4)]
    found = PragmaSpace([Need(space, reads, Ports(total=2))], (32,), "static").least()
    assert [(d.kind, d.banks) for layout in found for d in layout.dims] == [("block", 2)]


def test_two_nests_share_one_partition() -> None:
    """Rows of four in one nest and columns of four in the other."""
    row, column = [(0, k) for k in range(4)], [(k, 0) for k in range(4)]
    loops = needs([row, column], (16, 16), Ports(total=1))
    assert PragmaSpace(loops, (16, 16), "ideal").least()[0].banks == 16
    found = least_any(loops, (16, 16))
    assert found is not None and found.banks == 4 and found.absolute


def test_data_dependent_reads_have_no_mapping() -> None:
    domain = "{ [i] : 0 <= i < 8 }"
    space = IterationSpace(("i",), domain, (1,))
    reads = [PortAccess(k, "read", None, None, domain, 1) for k in range(3)]
    need = Need(space, reads, Ports(total=2))
    assert least_any([need], (16,)) is None
    assert PragmaSpace([need], (16,), "static").least() == ()


def test_one_element_that_two_accesses_share_asks_for_no_second_bank() -> None:
    space = IterationSpace(("i",), "{ [i] : 0 <= i < 8 }", (1,))
    fixed, moving = (Affine.of({}, 1), Affine.of({"i": 1})), (Affine.of({}, 2), Affine.of({"i": 1}))
    same = [PortAccess(k, "read", fixed, "{ [i] -> [1, i] }", space.domain, 1, ()) for k in range(2)]
    other = PortAccess(2, "read", moving, "{ [i] -> [2, i] }", space.domain, 1, ())
    assert crowd([Need(space, same, Ports(total=1))], (24, 12)) == 1
    assert crowd([Need(space, [*same, other], Ports(total=1))], (24, 12)) == 2


def test_no_more_blocks_are_tried_when_their_budget_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def counted(groups: Sequence[Group], motion: Motion | None, block: int, period: int, rank: int) -> Circle:
        tried.append(block)
        return Circle(groups, motion, block, period, rank)

    def blocks(budget: int) -> int:
        tried.clear()
        monkeypatch.setitem(search.MAX_WORK, "block", budget)
        most = 1000 + (budget > 1)  # not the same question, whose answer is kept
        least_any(needs([[(0, 0), (1, 3), (4, 1), (2, 7), (5, 5)]], (24, 24), Ports(total=1)), (24, 24), most)
        return sum(block > 1 for block in tried)

    monkeypatch.setattr(search, "Circle", counted)
    assert blocks(10**9) > 5
    assert blocks(1) == 1


def test_coordinates_that_crowd_no_bank_are_those_of_all_iterations() -> None:
    """Two iterators that reach some places of a block alone; every last coordinate against every iteration."""
    r, kept = random.Random(5), 0
    for _ in range(60):
        block, banks, cap = r.randint(2, 4), r.randint(2, 4), r.randint(1, 3)
        moves = tuple(((r.randint(1, 6),), r.randint(1, 3)) for _ in range(2))
        start, offsets = r.randint(0, 5), tuple((x,) for x in r.sample(range(12), r.randint(2, 6)))
        period = block * banks
        circle = Circle([(offsets, cap)], Motion((start,), moves), block, period, 1)
        found = circle.last((), (1 << period) - 1)
        for a in range(period):
            if math.gcd(a, block) == 1:
                crowded = any(
                    max(Counter(a * (x + o) // block % banks for (o,) in offsets).values()) > cap
                    for x in reached(start, moves)
                )
                assert (found >> a & 1) == (not crowded)
                kept += not crowded
    assert kept > 50


def reached(start: int, moves: Sequence[tuple[tuple[int, ...], int]]) -> list[int]:
    places = product(*(range(times) for _, times in moves))
    return [start + sum(k * c for k, ((c,), _) in zip(at, moves, strict=True)) for at in places]
