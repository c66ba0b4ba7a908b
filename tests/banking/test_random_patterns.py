"""The least banks of random patterns: each family of mappings written out, one bank less excluded in all."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from banking_help import Offsets, assert_conflict_free, needs, window

from hlspart.banking.need import Need
from hlspart.banking.search import Banking, least_any
from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import dot
from hlspart.model.access import Affine
from hlspart.model.ports import IterationSpace, PortAccess, Ports
from tests.amounts import amount


def brute_union(offsets: Offsets, ports: int, limit: int) -> int:
    """Least banks over all linear, lattice (two moduli) and block-cyclic maps, written out directly."""
    rank = len(offsets[0])

    def free(keys: Sequence[object]) -> bool:
        return max(keys.count(k) for k in set(keys)) <= ports

    for banks in range(-(-len(offsets) // ports), limit + 1):
        for alpha in itertools.product(range(banks), repeat=rank):
            if free([dot(alpha, o) % banks for o in offsets]):
                return banks
        for first in range(2, banks):
            if banks % first == 0 and first <= banks // first:
                moduli = (first, banks // first)
                for rows in itertools.product(itertools.product(range(moduli[0]), repeat=rank),
                                              itertools.product(range(moduli[1]), repeat=rank)):  # fmt: skip
                    keys = [
                        tuple(dot(r, o) % m for r, m in zip(rows, moduli, strict=True)) for o in offsets
                    ]  # fmt: skip
                    if free(keys):
                        return banks
        for block in range(2, 4):
            period = banks * block
            for alpha in itertools.product(range(period), repeat=rank):
                if math.gcd(period, *alpha) != 1:
                    continue
                residues = [dot(alpha, o) for o in offsets]
                if all(free([(t + r) // block % banks for r in residues]) for t in range(period)):
                    return banks
    raise AssertionError("no mapping below the limit")


def test_random_patterns_never_worse_than_brute_force() -> None:
    rng = random.Random(5)
    below = 0
    for _ in range(amount(120, 500)):
        rank = rng.choice([1, 2, 2])
        cells = list(itertools.product(range(6 if rank == 1 else 3), range(1 if rank == 1 else 3)))
        offsets = [c[:rank] for c in rng.sample(cells, rng.randint(2, min(5, len(cells))))]
        ports = rng.choice([1, 2])
        extents = tuple(4 * w + 8 for w in window([offsets]))
        found = least_any(needs([offsets], extents, Ports(total=ports)), extents)
        assert found is not None
        expected = brute_union(offsets, ports, 24)
        assert found.banks <= expected
        assert found.excluded
        assert_conflict_free(found.layout, [offsets], extents, ports)
        below += found.banks == expected
    assert below >= amount(112, 470)


def every_alpha(offsets: Offsets, period: int, block: int, ports: int) -> bool:
    """Whether some alpha modulo ``period`` leaves no window of ``block`` places with more than ``ports`` accesses."""
    for alpha in itertools.product(range(period), repeat=len(offsets[0])):
        places = sorted(dot(alpha, o) % period for o in offsets)
        places += [p + period for p in places[:ports]]
        gaps = (places[k + ports] - places[k] for k in range(len(offsets)))
        if min(gaps) >= block and math.gcd(period, *alpha) == 1:
            return True
    return False


def every_lattice(offsets: Offsets, banks: int, ports: int) -> bool:
    """Whether two or three characters with so many values together leave no class with more than ``ports``."""
    for rank in (2, 3):
        for moduli in itertools.product(range(2, banks), repeat=rank):
            if math.prod(moduli) != banks or any(b % a for a, b in itertools.pairwise(moduli)):
                continue
            rows = [list(itertools.product(range(n), repeat=len(offsets[0]))) for n in moduli]
            for alphas in itertools.product(*rows):
                keys = Counter(tuple(dot(a, o) % n for a, n in zip(alphas, moduli, strict=True)) for o in offsets)
                if max(keys.values()) <= ports:
                    return True
    return False


def test_random_sparse_patterns_are_minimal_in_the_union() -> None:
    """2-D and 3-D, up to 12 accesses: the certificate by enumeration, and one bank less tried in every family."""
    rng = random.Random(6)
    proved = below = 0
    for _ in range(amount(20, 60)):
        rank = rng.choice([2, 3])
        cells = list(itertools.product(range(5 if rank == 2 else 3), repeat=rank))
        offsets = rng.sample(cells, rng.randint(4, 12))
        ports = rng.choice([1, 2])
        extents = tuple(2 * w + 3 for w in window([offsets]))
        found: Banking | None = least_any(needs([offsets], extents, Ports(total=ports)), extents)
        assert found is not None and found.banks >= found.lower_bound == -(-len(offsets) // ports) and found.excluded
        assert_conflict_free(found.layout, [offsets], extents, ports)
        proved += found.absolute
        less = found.banks - 1
        if less >= found.lower_bound and less <= (12 if rank == 2 else 6):
            below += 1
            for block in range(1, 6 if rank == 2 else 3):
                assert not every_alpha(offsets, less * block, block, ports)
            assert not every_lattice(offsets, less, ports)
    assert proved >= amount(12, 40) and below >= amount(1, 8)


def strided(rng: random.Random) -> tuple[Need, tuple[int, ...], list[list[tuple[int, ...]]], int]:
    """One nest whose iterators move by steps; its array, the elements of each iteration, ports."""
    rank = rng.choice([1, 1, 2])
    names = ("i", "j")[:rank]
    steps = [rng.choice([1, 2, 3, 4, 6]) for _ in names]
    counts = [rng.choice([2, 3, 5, 14] if rank == 1 else [2, 3, 4]) for _ in names]
    cells = list(itertools.product(range(16 if rank == 1 else 3), repeat=rank))
    offsets = sorted(rng.sample(cells, rng.randint(4, 7 if rank == 1 else 4)))
    source = [*range(rank)] if rng.random() < 0.7 else [*reversed(range(rank))]  # transposed
    shape = tuple(steps[s] * (counts[s] - 1) + max(o[k] for o in offsets) + 1 for k, s in enumerate(source))
    bounds = " and ".join(f"0 <= {n} < {c}" for n, c in zip(names, counts, strict=True))
    domain = f"{{ [{', '.join(names)}] : {bounds} }}"
    accesses = [
        PortAccess(
            n, "read", tuple(Affine.of({names[s]: steps[s]}, o[k]) for k, s in enumerate(source)), None, domain, n
        )
        for n, o in enumerate(offsets)
    ]  # fmt: skip
    ports = rng.choice([1, 2])
    touched = [
        [tuple(steps[s] * at[s] + o[k] for k, s in enumerate(source)) for o in offsets]
        for at in itertools.product(*map(range, counts))
    ]
    return Need(IterationSpace(names, domain, (1,) * rank), accesses, Ports(total=ports)), shape, touched, ports


def union_at(touched: Sequence[Sequence[tuple[int, ...]]], shape: Sequence[int], banks: int, ports: int) -> bool:
    """Whether some mapping of the union with so many banks serves these iterations, each map written out."""
    rank = len(shape)

    def free(bank: Mapping[tuple[int, ...], object]) -> bool:
        return all(max(Counter(bank[x] for x in elements).values()) <= ports for elements in touched)

    used = {x for elements in touched for x in elements}
    options = [
        [(f, {i: i % f for i in range(n)}) for f in range(1, banks + 1)]
        + [(-(-n // b), {i: i // b for i in range(n)}) for b in range(1, n + 1)]
        for n in shape
    ]
    for dims in itertools.product(*options):
        keys = {x: tuple(part[i] for i, (_, part) in zip(x, dims, strict=True)) for x in used}
        if math.prod(f for f, _ in dims) == banks and free(keys):
            return True
    for block in range(1, (17 if rank == 1 else 9)):
        period = banks * block
        for alpha in itertools.product(range(period), repeat=rank):
            if math.gcd(period, *alpha) == 1 and free({x: dot(alpha, x) // block % banks for x in used}):
                return True
    return False


def test_strided_nests_never_worse_than_the_union() -> None:
    """Only the positions that a loop reaches count: with steps, fewer banks can do than everywhere."""
    rng = random.Random(31)
    gained = 0
    for _ in range(60):
        need, shape, touched, ports = strided(rng)
        found = least_any([need], shape)
        assert found is not None and found.excluded
        banks = [[found.layout.bank(x) for x in elements] for elements in touched]
        assert max(max(Counter(row).values()) for row in banks) <= ports
        if found.banks > found.lower_bound:
            assert not union_at(touched, shape, found.banks - 1, ports)
        gained += isinstance(found.layout, BlockCyclicLayout)
    assert gained >= 3


@pytest.mark.parametrize(
    ("offsets", "ports", "banks"),
    [
        ((0, 4, 6, 7, 8, 9), 2, 3),  # floor(2x / 3) mod 3 serves every third position
        ((0, 8, 11, 13, 15, 17, 19), 2, 4),
        ((3, 10, 11, 14, 15, 18, 19), 2, 4),
        ((1, 3, 5, 7, 8, 9, 11), 2, 4),
    ],
)
def test_steps_that_leave_out_positions(offsets: tuple[int, ...], ports: int, banks: int) -> None:
    domain = "{ [i] : 0 <= i < 12 }"
    reads = [PortAccess(n, "read", (Affine.of({"i": 3}, o),), None, domain, n) for n, o in enumerate(offsets)]
    found = least_any([Need(IterationSpace(("i",), domain, (1,)), reads, Ports(total=ports))], (34 + max(offsets),))
    assert found is not None and found.banks == banks
    assert all(max(Counter(found.layout.bank((3 * i + o,)) for o in offsets).values()) <= ports for i in range(12))
