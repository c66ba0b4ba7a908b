"""Numbers that indices with several divisions have, as in the bank macros of written C, against Python's division."""

import random

import islpy as isl
import pytest

from hlspart.accesses import analyse
from hlspart.accesses.algebra import reciprocal
from hlspart.frontend import load
from hlspart.model.options import FrontendOptions
from hlspart.sets.region import Regions, TooHard


@pytest.mark.parametrize("seed", range(6))
def test_indices_of_products_and_shifts(seed: int) -> None:
    draw = random.Random(seed)
    a, b, c, first = (draw.randrange(3, 900) for _ in range(4))
    rows, columns = draw.randrange(2, 6), draw.randrange(5, 40)
    regions = Regions(("i", "j"), (1, 1))
    domain = regions.region(f"{{ [i, j] : 0 <= i < {rows} and i <= j < {columns} }}")
    index = (
        f"{{ [i, j] -> [x0, x1] : exists (p, q, r : 64p <= {a} i + {b} j < 64p + 64 and 128q <= {c} p + j < 128q + 128"
        f" and 6r <= p + q < 6r + 6 and x0 = p + q - 6r + {first} and x1 = r) }}"
    )
    touch = regions.touch(domain, None, index, (4096, 4096))

    def at(i: int, j: int) -> tuple[int, int]:
        p = (a * i + b * j) // 64
        q = (c * p + j) // 128
        return (p + q) % 6 + first, (p + q) // 6

    reached = [at(i, j) for i in range(rows) for j in range(i, columns)]
    assert touch.along(0) == tuple(sorted({x for x, _ in reached}))
    far = max(y for _, y in reached) - min(y for _, y in reached) >= 64
    inside = [y for _, y in reached if y < 4096]
    if len(inside) == len(reached):
        assert touch.along(1, 64) == (None if far else tuple(sorted(set(inside))))


def test_the_word_of_a_table_of_banks() -> None:
    """As a written table layout has it; isl needs seconds for the set of its words as a whole."""
    regions = Regions(("z",), (1,))
    word = (
        "{ [z] -> [x0] : 6*floor((-679z)/4096) = -z - x0 + 6*floor((57z)/2048)"
        " and 36*floor((7513z - 683x0 + 4098*floor((57z)/2048))/24576) = 11z - x0 + 6*floor((57z)/2048)"
        " and 0 <= x0 <= 29 and -12285 + 11z + 2048x0 <= 12288*floor((57z)/2048) <= 11z + 2048x0 }"
    )

    def holds(z: int, x: int) -> bool:
        w = 57 * z // 2048
        return (
            6 * (-679 * z // 4096) == -z - x + 6 * w
            and 36 * ((7513 * z - 683 * x + 4098 * w) // 24576) == 11 * z - x + 6 * w
            and -12285 + 11 * z + 2048 * x <= 12288 * w <= 11 * z + 2048 * x
        )

    expected = tuple(sorted({x for z in range(169) for x in range(30) if holds(z, x)}))
    assert len(expected) > 20
    assert regions.touch(regions.region("{ [z] : 0 <= z <= 168 }"), None, word, (4096,)).along(0) == expected


@pytest.mark.parametrize("seed", range(4))
def test_products_with_rounded_reciprocals_are_divisions(seed: int) -> None:
    """Up to where they are: the product is taken as it stands beyond."""
    draw = random.Random(seed)
    divisor, bits = draw.randrange(2, 40), draw.randrange(6, 14)
    factor, slope, first = -(-(1 << bits) // divisor), draw.randrange(1, 5), draw.randrange(9)
    for trips in (3, (1 << bits) // slope // divisor, 300):
        index = f"({slope}u * i + {first}) * {factor}u >> {bits}"
        text = f"void f(int a[9999]) {{ for (int i = 0; i < {trips}; i++) a[{index}] = i; }}"
        program = load(["k.c"], FrontendOptions(), lambda _, text=text: text.encode())
        (access,) = analyse(program).accesses
        pairs = (f"[{i}] -> [{(slope * i + first) * factor >> bits}]" for i in range(trips))
        reached = isl.Map(access.map).intersect_domain(isl.Set(f"{{ [i] : 0 <= i < {trips} }}"))
        assert reached.is_equal(isl.Map(f"{{ {'; '.join(pairs)} }}"))


def test_the_least_product_that_is_no_division() -> None:
    for bits in range(1, 11):
        for factor in range(1, 70):
            most = -1
            for n in range(400):
                if reciprocal(factor, bits, (0, factor * n)) is None:
                    break
                most = n
            divisor = -(-(1 << bits) // factor)
            assert all(factor * n >> bits == n // divisor for n in range(most + 1))
            if most < 399:  # not far from where the quotients part
                assert any(factor * n >> bits != n // divisor for n in range(most + 1, most + divisor + 2))


def test_numbers_are_those_of_the_iterators_that_move_the_index() -> None:
    """Dimension 1 of k and l alone, whatever i is; dimension 0 in one part of the iterations only."""
    regions = Regions(("i", "k", "l"), (1, 1, 1))
    domain = regions.region("{ [i, k, l] : 0 <= i < 40 and 0 <= k < 4 and k <= l < 6 and (i + l) mod 3 = 1 }")
    index = (
        "{ [i, k, l] -> [x0, x1] : i > 7 and x0 = i mod 5"
        " and exists (p : 4p <= 7k + 3l < 4p + 4 and x1 = p mod 9 and (k + p) mod 2 = 0) }"
    )
    reached = [
        (i % 5, (7 * k + 3 * n) // 4 % 9)
        for i in range(8, 40)
        for k in range(4)
        for n in range(k, 6)
        if (i + n) % 3 == 1 and (k + (7 * k + 3 * n) // 4) % 2 == 0
    ]
    touch = regions.touch(domain, None, index, (64, 64))
    assert [touch.along(d) for d in range(2)] == [tuple(sorted({x[d] for x in reached})) for d in range(2)]


def test_a_list_of_members_is_whole_or_given_up_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    expected = [
        (i, j) for i in range(30) for j in range(30) if (3 * i + j) % 7 < 3 and (i + 5 * j) % 11 < 6
    ]  # fmt: skip
    given_up = 0
    for cap in range(4_000, 12_000, 100):
        regions = Regions(("i", "j"), (1, 1), cap)
        try:
            text = "{ [i, j] : 0 <= i < 30 and 0 <= j < 30 and (i*3 + j) mod 7 < 3 and (i + 5*j) mod 11 < 6 }"
            assert regions.region(text).members(2000) == expected
        except TooHard:
            given_up += 1
    assert 0 < given_up < 80 and not capfd.readouterr().err
