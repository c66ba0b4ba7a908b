"""Small arrays coloured element by element: mixed strides on one or two ports, against searches of our own."""

from __future__ import annotations

import itertools
import random

import pytest

from hlspart.banking.need import Need
from hlspart.banking.search import Banking, least_any
from hlspart.layouts.layout import Layout
from hlspart.layouts.table import TableLayout
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports

Form = tuple[int, int]  # stride and constant


def strided(forms: list[Form], trips: int, ports: int) -> Need:
    """A loop that reads one element of each form."""
    domain = f"{{ [i] : 0 <= i < {trips} }}"
    reads = [PortAccess(n, "read", (Affine.of({"i": a}, b),), None, domain, n) for n, (a, b) in enumerate(forms)]
    return Need(IterationSpace(("i",), domain, (1,)), reads, Ports(total=ports), 1)


def random_pattern(seed: int) -> tuple[list[Form], int, int]:
    """Forms with different strides, trips, and the elements of the array."""
    rng = random.Random(seed)
    forms = list({(rng.choice((1, 1, 2, 3, 4, 5)), rng.randint(0, 6)) for _ in range(rng.randint(2, 4))})
    while len({a for a, _ in forms}) < 2:
        forms = [*forms, (rng.choice((2, 3, 5)), rng.randint(0, 6))]
    trips = rng.randint(8, 40)
    return forms, trips, max(a * (trips - 1) + b for a, b in forms) + 1


def rows(forms: list[Form], trips: int) -> list[set[int]]:
    """Elements of each iteration."""
    return [{a * i + b for a, b in forms} for i in range(trips)]


def most_in_a_bank(layout: Layout, forms: list[Form], trips: int) -> int:
    counts = ([layout.bank((x,)) for x in row] for row in rows(forms, trips))
    return max(max(map(banks.count, banks)) for banks in counts)


def colourable(forms: list[Form], trips: int, banks: int, ports: int, steps: int = 20_000) -> bool | None:
    """Whether a table has so many banks, by backtracking over the elements in order; None: gave up."""
    of: dict[int, list[set[int]]] = {}
    for row in rows(forms, trips):
        for x in row:
            of.setdefault(x, []).append(row)
    order, bank, left = sorted(of, key=lambda x: -len(of[x])), dict[int, int](), [steps]

    def extend(k: int) -> bool:
        left[0] -= 1
        if k == len(order) or left[0] < 0:
            return True
        for b in range(min(banks, max(bank.values(), default=-1) + 2)):
            if all(sum(bank.get(y) == b for y in row) < ports for row in of[order[k]]):
                bank[order[k]] = b
                if extend(k + 1):
                    return True
                del bank[order[k]]
        return False

    found = extend(0)
    return None if left[0] < 0 else found


def test_what_a_search_takes_counts_whether_its_answer_was_known_or_not() -> None:
    forms = [(a, b) for a in (1, 2, 3) for b in range(4)]
    first, second = (strided(forms, 60, 1) for _ in range(2))
    assert least_any([first], (200,)) == least_any([second], (200,))
    assert first.problem.pairs == second.problem.pairs > 0
    assert first.problem.questions == second.problem.questions


def found_for(seed: int, ports: int) -> tuple[Banking, list[Form], int]:
    forms, trips, size = random_pattern(seed)
    banking = least_any([strided(forms, trips, ports)], (size,))
    assert banking is not None
    return banking, forms, trips


def test_two_strides_need_two_banks() -> None:
    """Elements x and 3x are the edges of paths: two colours, in no periodic order."""
    found = least_any([strided([(1, 1), (3, 3)], 44, 1)], (134,))
    assert found is not None and isinstance(found.layout, TableLayout)
    assert (found.banks, found.absolute) == (2, True)
    assert most_in_a_bank(found.layout, [(1, 1), (3, 3)], 44) == 1


@pytest.mark.parametrize("first", range(0, 24, 6))
def test_mixed_strides_have_the_fewest_banks_of_any_table(first: int) -> None:
    decided = 0
    for seed, ports in itertools.product(range(first, first + 6), (1, 2)):
        found, forms, trips = found_for(seed, ports)
        assert most_in_a_bank(found.layout, forms, trips) <= ports
        places = {(found.layout.bank((x,)), found.layout.offset((x,))) for x in range(found.layout.shape[0])}
        assert len(places) == found.layout.shape[0]
        fewer = found.banks > 1 and colourable(forms, trips, found.banks - 1, ports)
        assert fewer is not True, (seed, ports)
        decided += fewer is False
    assert decided >= 10
