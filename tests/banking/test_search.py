"""The least banks: classical patterns, mistakes of published methods, random patterns against brute force."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from banking_help import Offsets, assert_conflict_free, needs, window

from hlspart.banking.need import BankModel, Need
from hlspart.banking.pragmas import PragmaSpace
from hlspart.banking.proof import no_mapping
from hlspart.banking.search import Banking, least_any, lower_bound
from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.lattice import dot
from hlspart.layouts.perdim import DimLayout, PerDimLayout
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


def brute_pragma(loops: Sequence[Need], shape: Sequence[int], model: BankModel, most: int) -> int | None:
    """Least banks over all (type, factor) per dimension: static by enumeration, ideal by the counting function."""
    choices = []
    for n in shape:
        dims = {DimLayout.of("whole", n, None)}
        for factor in range(2, n + 1):
            dims |= {DimLayout.of("cyclic", n, factor), DimLayout.of("block", n, factor)}
        choices.append(dims)
    layouts = [PerDimLayout(dims) for dims in itertools.product(*choices)]
    enumerated = [Enumerated(n) for n in loops]
    for layout in sorted((x for x in layouts if x.banks <= most), key=lambda x: x.banks):
        if model == "static" and all(x.interval(layout) <= x.need.ii for x in enumerated):
            return layout.banks
        if model == "ideal" and all(n.fits(layout, model) for n in loops):
            return layout.banks
    return None


class Enumerated:
    """The elements that each access of one of :func:`random_loops` touches."""

    def __init__(self, need: Need) -> None:
        self.need = need
        self.touched: list[tuple[PortAccess, set[tuple[int, ...]]]] = []
        for access in need.problem.accesses:
            elements = {element(access, i, j) for i, j in iterations(need)}
            if elements:
                self.touched.append((access, elements))

    def interval(self, layout: PerDimLayout) -> int:
        """Cycles of the busiest bank when an access occupies all banks that it touches in some iteration."""
        loads: dict[tuple[int, ...], Counter[str]] = {}
        for access, elements in self.touched:
            if access.leaves and layout.banks > 1 and stays(access, layout):
                continue
            for bank in {tuple(d.bank(x) for d, x in zip(layout.dims, e, strict=True)) for e in elements}:
                loads.setdefault(bank, Counter())[access.kind] += 1
        return max((self.need.ports.interval(x["read"], x["write"]) for x in loads.values()), default=1)


def stays(access: PortAccess, layout: PerDimLayout) -> bool:
    """Whether an access keeps its place inside the bank wherever the loops that it may leave lead it."""
    moved = {n: range(13) if n in access.leaves else range(1) for n in ("i", "j")}
    elements = [element(access, i, j) for i in moved["i"] for j in moved["j"]]
    return all(
        d.banks == d.extent or len({d.local(x) for x in values}) == 1
        for d, values in zip(layout.dims, zip(*elements, strict=True), strict=True)
    )


def random_loops(rng: random.Random, leave: bool = False) -> tuple[tuple[int, ...], list[Need]]:
    """One or two nests over one array with unrolled, strided, transposed and guarded accesses.

    ``leave``: in some nests all accesses are loads that may leave the inner loop, or both.
    """
    rank = rng.choice([1, 1, 2])
    shape = tuple(rng.choice([6, 8, 12]) for _ in range(rank))
    loops = []
    for _ in range(rng.choice([1, 1, 2])):
        names = ("i", "j")
        step = rng.choice([1, 1, 2, 4])
        domain = f"{{ [i, j] : 0 <= i < 8 and i mod {step} = 0 and 0 <= j < 3"
        domain += rng.choice(["", "", "", " and j <= i"]) + " }"
        accesses = []
        own = rng.choice([(), ("j",), ("i", "j")]) if leave else ()
        kinds: list[Literal["read", "write"]] = ["read"] if own else ["read", "read", "write"]
        for n in range(rng.randint(2, 5)):
            index = []
            for extent in shape:
                while True:
                    form = Affine.of({"i": rng.choice([0, 1, 1]), "j": rng.choice([0, 0, 1])}, rng.randint(0, 4))
                    if form.coefficient("i") * 7 + form.coefficient("j") * 2 + form.const < extent:
                        break
                    if extent < 12 and rng.random() < 0.5:
                        form = Affine.of({}, rng.randint(0, extent - 1))
                        break
                index.append(form)
            moves = any(form.coefficient(name) for form in index for name in own)
            found = PortAccess(n, rng.choice(kinds), tuple(index), None, domain, n)
            accesses.append(replace(found, leaves=own if moves else ()))
        unique = {(a.kind, a.index): a for a in accesses}
        loops.append(
            Need(
                IterationSpace(names, domain, (step, 1)), list(unique.values()),
                rng.choice([Ports(total=1), Ports(total=2), Ports(writes=1, total=2)]), rng.choice([1, 1, 2]),
            )
        )  # fmt: skip
    return shape, loops


@pytest.mark.parametrize("model", ["static", "ideal"])
def test_random_kernels_against_brute_force(model: BankModel) -> None:
    rng = random.Random(20 if model == "static" else 21)
    solved = 0
    for _ in range(250 if model == "static" else 40):
        shape, loops = random_loops(rng, leave=model == "static")
        space = PragmaSpace(loops, shape, model, most=16)
        found = space.least()
        expected = brute_pragma(loops, shape, model, 16)
        if expected == math.prod(shape) and not found:
            continue  # a register for each element, which is no memory
        assert (found[0].banks if found else None) == expected
        if expected is not None:  # the same when the search begins at the lower bound
            least = min(lower_bound(loops, shape), space.leaving)
            again = PragmaSpace(loops, shape, model, most=16).least(least)
            assert again and again[0].banks == expected
        assert space.complete
        solved += expected is not None and expected > 1
    assert solved >= (50 if model == "static" else 10)


def iterations(need: Need) -> list[tuple[int, int]]:
    """Values of i and j in one of :func:`random_loops`."""
    condition = need.problem.space.domain.split(":")[1].strip(" }").replace(" mod ", " % ").replace(" = ", " == ")
    within = compile(condition, "domain", "eval")
    return [(i, j) for i, j in itertools.product(range(8), range(3)) if eval(within, {"i": i, "j": j})]


def element(access: PortAccess, i: int, j: int) -> tuple[int, ...]:
    """What an access of one of :func:`random_loops` touches."""
    forms = [f for f in access.index or () if f is not None]
    return tuple(f.const + f.coefficient("i") * i + f.coefficient("j") * j for f in forms)


def rows(need: Need) -> list[list[tuple[str, tuple[int, ...], int]]]:
    """(kind, element, number) of the accesses of every iteration of one of :func:`random_loops`; equal reads once."""
    found = []
    for i, j in iterations(need):
        touched: dict[tuple[str, tuple[int, ...], int], None] = {}
        for n, access in enumerate(need.problem.accesses):
            touched[access.kind, element(access, i, j), -1 if access.kind == "read" else n] = None
        found.append(list(touched))
    return found


Table = list[tuple[Need, list[list[tuple[str, tuple[int, ...], int]]]]]


def served(table: Table, bank: Mapping[tuple[int, ...], object]) -> bool:
    """Whether the banks serve every iteration of all loops."""
    for need, iterations in table:
        for row in iterations:
            for b in {bank[x] for _, x, _ in row}:
                kinds = [kind for kind, x, _ in row if bank[x] == b]
                if need.ports.interval(kinds.count("read"), kinds.count("write")) > need.ii:
                    return False
    return True


def test_random_loops_under_any_mapping() -> None:
    """Strided, triangular, transposed and several nests: valid, and one bank less fails in every family."""
    rng = random.Random(77)
    less = 0
    for _ in range(60):
        shape, loops = random_loops(rng)
        found = least_any(loops, shape, 64)
        cells = list(itertools.product(*map(range, shape)))
        table = [(need, rows(need)) for need in loops]
        if found is None:
            assert math.prod(shape) > 64 or not served(table, {x: x for x in cells})
            continue
        assert served(table, {x: found.layout.bank(x) for x in cells})
        banks = found.banks - 1
        if found.lower_bound <= banks <= 6 and found.excluded:
            less += 1
            for block in range(1, 4):
                for alpha in itertools.product(range(banks * block), repeat=len(shape)):
                    if math.gcd(banks * block, *alpha) == 1:
                        assert not served(table, {x: dot(alpha, x) // block % banks for x in cells})
    assert less >= 3


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
    for _ in range(500):
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
    assert below >= 470


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
    for _ in range(60):
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
    assert proved >= 40 and below >= 8


def test_target_ii_halves_the_ports_needed() -> None:
    groups = PATTERNS["box3d_8"]["groups"]
    extents = (12, 12, 12)
    banks = []
    for ii in (1, 2, 4, 8):
        space = PragmaSpace(needs(groups, extents, Ports(total=1), ii), extents, "ideal")
        banks.append(space.least()[0].banks)
    assert banks == [8, 4, 2, 1]


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
