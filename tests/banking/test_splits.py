"""What holds at any II is found once: the intervals of products, by enumeration, and how often sets are made."""

from __future__ import annotations

import itertools
import random

import pytest

from hlspart.banking.families import Family, StaticSets
from hlspart.banking.need import Need
from hlspart.banking.pragmas import PragmaSpace
from hlspart.banking.splits import Splits
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.perdim import PerDimLayout
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports

DOMAIN = "{ [i] : 0 <= i < 8 }"


def unrolled(copies: int, ports: Ports, ii: int = 1, base: int = 0) -> Need:
    """``copies`` rows of four elements, each row by its own number, one store at the end."""
    forms = [(Affine.of({}, base + k), Affine.of({"i": 4}, m)) for k in range(copies) for m in range(4)]
    accesses = [PortAccess(n, "read", form, None, DOMAIN, n) for n, form in enumerate(forms[:-1])]
    accesses.append(PortAccess(len(accesses), "write", forms[-1], None, DOMAIN, 0))
    return Need(IterationSpace(("i",), DOMAIN, (1,)), accesses, ports, ii)


def test_intervals_of_products_are_those_of_their_sets() -> None:
    rng = random.Random(3)
    for n in range(200):
        ports = rng.choice([Ports(total=1), Ports(total=2), Ports(writes=1, total=2), Ports(reads=1, writes=1)])
        need = unrolled(rng.randint(1, 3), ports, rng.randint(1, 3), base=1000 + n)
        families: list[Family] = []
        for _ in range(rng.randint(1, 3)):
            families.append(tuple(need.everything & rng.getrandbits(12) for _ in range(rng.randint(1, 4))))
        dims = tuple(DimLayout.of("cyclic", 64, 2) for _ in families)
        sets = [_all_of(chosen) for chosen in itertools.product(*families)]
        loads = [(bin(s & ~_stores(need)).count("1"), bin(s & _stores(need)).count("1")) for s in sets]
        expected = max(ports.interval(*load) for load in loads)
        assert Splits.of([need], "static", False).interval(0, need, dims, families) == expected
        assert (expected > need.ii) == any(need.is_over(s) for s in sets)


def _all_of(sets: tuple[int, ...]) -> int:
    out = sets[0]
    for s in sets[1:]:
        out &= s
    return out


def _stores(need: Need) -> int:
    return sum(1 << s.position for s in need.problem.sites if not s.read)


def test_searches_for_other_iis_and_of_equal_accesses_make_no_sets_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[tuple[int, DimLayout]]()
    along = StaticSets.along

    def counted(self: StaticSets, dim: int, layout: DimLayout) -> Family:
        made.append((dim, layout))
        return along(self, dim, layout)

    monkeypatch.setattr(StaticSets, "along", counted)
    banks = [
        PragmaSpace([unrolled(8, Ports(total=2), base=500).at(ii)], (508, 32), "static", most=40).least()[0].banks
        for ii in (1, 2, 3, 2, 1)
    ]
    assert banks == [16, 8, 6, 8, 16]
    assert len(made) == len(set(made))


def test_equal_searches_are_made_once_where_no_budget_plays_a_part() -> None:
    searches = list[int]()

    def asked(ii: int, most: int, complete: bool = True) -> int:
        space = PragmaSpace([unrolled(4, Ports(total=2), ii, base=700)], (708, 32), "static", most)

        def search() -> tuple[PerDimLayout, ...]:
            searches.append(ii)
            space.complete = complete
            return space.least()

        return space.once((1, False), search)[0].banks

    assert [asked(1, 40), asked(2, 40), asked(1, 40), asked(2, 40)] == [8, 4, 8, 4]
    assert [asked(3, 40, complete=False), asked(3, 40), asked(3, 41), asked(3, 40)] == [4, 4, 4, 4]
    assert searches == [1, 2, 3, 3, 3]
