"""Every layout against enumeration: (bank, offset) injective, in range, and as isl and the records say."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import islpy as isl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlspart.layouts.blockcyclic import BlockCyclicLayout
from hlspart.layouts.dimension import DimLayout
from hlspart.layouts.lattice import LatticeLayout, Matrix, Vector, characters_of, linear
from hlspart.layouts.layout import Layout
from hlspart.layouts.mapping import layout_from
from hlspart.layouts.perdim import PerDimLayout
from hlspart.layouts.table import TableLayout
from hlspart.model.inferred import banking_map
from hlspart.render.text import mapping_text


def hermite_forms(rank: int, index: int) -> Iterator[Matrix]:
    """Every sublattice of Z^rank of this index once, in Hermite normal form."""
    for diagonal in factorisations(index, rank):
        free = [(row, column) for row in range(rank) for column in range(row + 1, rank)]
        for entries in itertools.product(*(range(diagonal[column]) for _, column in free)):
            rows = [[0] * rank for _ in range(rank)]
            for k, h in enumerate(diagonal):
                rows[k][k] = h
            for (row, column), value in zip(free, entries, strict=True):
                rows[row][column] = value
            yield tuple(tuple(r) for r in rows)


def factorisations(number: int, parts: int) -> Iterator[Vector]:
    """All ordered products of ``parts`` positive factors."""
    if parts == 0:
        if number == 1:
            yield ()
        return
    if parts == 1:
        yield (number,)
        return
    for first in range(1, number + 1):
        if number % first == 0:
            for rest in factorisations(number // first, parts - 1):
                yield (first, *rest)


def coset(hnf: Matrix, x: Sequence[int]) -> Vector:
    """The one representative of x modulo the lattice inside the box of the diagonal."""
    rest = list(x)
    for k, row in enumerate(hnf):
        times = rest[k] // row[k]
        if times:
            for j in range(k, len(rest)):
                rest[j] -= times * row[j]
    return tuple(rest)


def elements(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(n) for n in shape)))


class PythonWriter:
    """Formulas as Python, where a helper is its own text; as bare as those in C, as both bind alike."""

    def div(self, text: str, divisor: int, greatest: int) -> str:
        if divisor > 1 and divisor & (divisor - 1) == 0:
            return f"({text}) >> {divisor.bit_length() - 1}"
        return f"(({text}) // {divisor})"

    def mod(self, text: str, divisor: int, greatest: int) -> str:
        if divisor > 1 and divisor & (divisor - 1) == 0:
            return f"({text}) & {divisor - 1}"
        return f"(({text}) % {divisor})"

    def look_up(self, values: Sequence[int], index: str, kind: str) -> str:
        return f"{list(values)}[{index}]"

    def named(self, kind: str, parameters: Sequence[str], text: str) -> str:
        return f"({text})"


class Whole:
    """Whole numbers, with what is said to be known checked."""

    def div(self, x: int, by: int, greatest: int, remainder: int | None = None) -> int:
        assert 0 <= x <= greatest and remainder in (None, x % by)
        return x // by

    def mod(self, x: int, by: int, greatest: int, quotient: int | None = None) -> int:
        assert 0 <= x <= greatest and quotient in (None, x // by)
        return x % by


def assert_protocol(layout: Layout) -> None:
    """What the protocol answers beside bank and offset, by enumeration."""
    xs = elements(layout.shape)
    names = [f"x{k}" for k in range(len(layout.shape))]
    formula = layout.formula(PythonWriter(), names)
    bank, *words = (
        eval(f"lambda {', '.join(names)}: {re.sub(r'(?<=[0-9])u', '', t)}") for t in (formula.bank, *formula.words)
    )
    cells: dict[int, set[tuple[int, ...]]] = {}
    for x in xs:
        assert bank(*x) == layout.bank(x)
        place = layout.place(x)
        assert tuple(w(*x) for w in words) == (place or (0,))
        assert all(0 <= i < n for i, n in zip(place, layout.bank_shape(layout.bank(x)), strict=True))
        cells.setdefault(layout.bank(x), set()).add(place)
    assert sum(map(len, cells.values())) == len(xs)
    assert layout.depths == Counter(layout.depth(b) for b in range(layout.banks))
    if layout.is_invariant:
        vectors = {tuple(q - p for p, q in zip(a, b, strict=True)) for a in xs[:40] for b in xs[-40:]}
        assert all(layout.shares_bank(v) is not None for v in vectors)
    product = layout.per_dimension
    assert (product is None) == (layout.dims == ()) == (layout.mapping is not None)
    if layout.mapping is not None:
        same = layout_from(layout.shape, layout.mapping)
        partner = {layout.bank(x): same.bank(x) for x in xs}
        assert all(partner[layout.bank(x)] == same.bank(x) for x in xs)
    if product is not None:
        stacked = {product.stacked_place(x) for x in xs}
        assert len(stacked) == len(xs)
        assert all(0 <= i < n for s in stacked for i, n in zip(s, product.stacked_shape, strict=True))
        for dim in product.dims:
            assert_dimension(dim)


def assert_dimension(dim: DimLayout) -> None:
    """Questions about one dimension, by enumeration."""
    every = range(dim.extent)
    for i in every:
        assert dim.bank_by(Whole(), i, 0) == dim.bank(i)
        assert dim.local_by(Whole(), i, dim.bank(i)) == (dim.local(i) if dim.has_local else None)
        assert dim.first(dim.bank(i)) + dim.stride * dim.local(i) == i
    if dim.modulus is not None:
        assert all((dim.bank(i) == dim.bank(j)) == ((i - j) % dim.modulus == 0) for i in every for j in every)
    for step in range(dim.extent):
        pairs = [(i, j) for i in every for j in every if (i - j) % step == 0] if step else [(i, i) for i in every]
        if dim.keeps_local(step):
            assert all(dim.local(i) == dim.local(j) for i, j in pairs)
        neighbours = [(i, i + step) for i in every if i + step < dim.extent]
        assert dim.moves_bank(step) or all(dim.bank(i) == dim.bank(j) for i, j in neighbours)
        if dim.residue(0) is not None:
            alike = dim.residue(step) == dim.residue(0)
            assert all((dim.bank(i) == dim.bank(j)) == alike for i, j in neighbours)


def assert_sound(layout: Layout) -> None:
    assert_protocol(layout)
    xs = elements(layout.shape)
    if layout.mapping is not None:  # its numbers say all of it, in JSON as well
        numbers = layout.mapping.to_json()
        assert len(mapping_text("a kind", numbers)) > len("a kind")
        again = layout_from(layout.shape, banking_map(numbers))
        assert [(again.bank(x), again.offset(x)) for x in xs] == [(layout.bank(x), layout.offset(x)) for x in xs]
    places = {(layout.bank(x), layout.offset(x)) for x in xs}
    assert len(places) == len(xs)
    for bank, offset in places:
        assert 0 <= bank < layout.banks
        assert 0 <= offset < layout.depth(bank)
    names = tuple(f"x{k}" for k in range(len(layout.shape)))
    mapping = isl.Map(f"{{ [{', '.join(names)}] -> [{layout.isl_bank(names)}] }}")
    expression = isl.PwMultiAff.from_map(mapping).get_pw_aff(0)
    for x in xs[:: max(1, len(xs) // 12)]:
        point = isl.Point.zero(expression.get_domain_space())
        for k, v in enumerate(x):
            point = point.set_coordinate_val(isl.dim_type.set, k, isl.Val(v))
        assert expression.eval(point).to_python() == layout.bank(x)
    for a, b in itertools.islice(itertools.product(xs, xs), 0, None, max(1, len(xs) ** 2 // 300)):
        verdict = layout.shares_bank(tuple(q - p for p, q in zip(a, b, strict=True)))
        if verdict is not None:
            assert verdict == (layout.bank(a) == layout.bank(b))
        if layout.bank(a) == layout.bank(b):
            for alpha, n in layout.congruences:
                assert sum(c * (q - p) for c, p, q in zip(alpha, a, b, strict=True)) % n == 0


@pytest.mark.parametrize(
    ("kind", "extent", "factor", "sizes"),
    [
        ("cyclic", 17, 4, [5, 4, 4, 4]),
        ("block", 17, 4, [5, 5, 5, 2]),
        ("cyclic", 18, 4, [5, 5, 4, 4]),
        ("block", 10, 3, [4, 4, 2]),
        ("block", 9, 4, [3, 3, 3]),
        ("block", 6, 4, [2, 2, 2]),
        ("cyclic", 3, 8, [1, 1, 1]),
        ("block", 3, 8, [1, 1, 1]),
        ("complete", 5, None, [1] * 5),
        ("whole", 5, None, [5]),
        ("block", 32, 4, [8] * 4),
    ],
)
def test_bank_sizes_of_a_dimension(kind: str, extent: int, factor: int | None, sizes: list[int]) -> None:
    dim = DimLayout.of(kind, extent, factor)  # type: ignore[arg-type]
    layout = PerDimLayout((dim,))
    assert [layout.depth(b) for b in range(layout.banks)] == sizes
    assert [sum(dim.bank(i) == b for i in range(extent)) for b in range(dim.banks)] == sizes
    assert_sound(layout)


def test_block_banks_of_thirty_two_by_four() -> None:
    dim = DimLayout.of("block", 32, 4)
    assert [dim.bank(i) for i in (0, 7, 8, 15, 16, 31)] == [0, 0, 1, 1, 2, 3]
    assert [dim.local(i) for i in (0, 7, 8, 31)] == [0, 7, 0, 7]


def test_banks_are_numbered_leftmost_dimension_first() -> None:
    layout = PerDimLayout(
        (DimLayout.of("cyclic", 6, 2), DimLayout.of("whole", 4, None), DimLayout.of("complete", 3, None))
    )
    assert layout.bank((3, 1, 2)) == 1 * 3 + 2
    assert layout.sizes(5) == (3, 4, 1)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(st.data())
def test_per_dimension_layouts_are_sound(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    dims = tuple(
        DimLayout.of(
            data.draw(st.sampled_from(["whole", "cyclic", "block", "complete"])),
            data.draw(st.integers(1, 9)),
            data.draw(st.integers(1, 10)),
        )
        for _ in range(rank)
    )
    assert_sound(PerDimLayout(dims))


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.data())
def test_lattices_are_sound(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(rank))
    forms = list(hermite_forms(rank, data.draw(st.integers(1, 12))))
    hnf = forms[data.draw(st.integers(0, len(forms) - 1))]
    layout = LatticeLayout.of_hnf(shape, hnf)
    assert layout.hnf == hnf
    assert layout.banks == math.prod(hnf[k][k] for k in range(rank))
    assert_sound(layout)
    for x in elements(shape):
        assert (coset(hnf, x) == (0,) * rank) == (layout.bank(x) == 0)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.data())
def test_block_cyclic_layouts_are_sound(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(rank))
    modulus, block = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    alpha = (*tuple(data.draw(st.integers(0, 7)) for _ in range(rank - 1)), 1)
    assert_sound(BlockCyclicLayout(shape, alpha, modulus, block))


def test_number_of_sublattices() -> None:
    """sigma(n) in the plane, sum over d | n of d * sigma(d) in space."""
    for n in range(1, 25):
        divisors = [d for d in range(1, n + 1) if n % d == 0]
        assert len(set(hermite_forms(2, n))) == sum(divisors)
        space = sum(d * sum(e for e in range(1, d + 1) if d % e == 0) for d in divisors)
        assert len(set(hermite_forms(3, n))) == space


def test_a_group_that_is_not_cyclic_keeps_two_characters() -> None:
    assert [n for _, n in characters_of(((2, 0), (0, 6)))] == [2, 6]
    assert [n for _, n in characters_of(((2, 0), (0, 3)))] == [6]


def test_least_waste_order_of_addresses() -> None:
    tall = linear((100, 3), (1, 2), 5)
    assert tall.depth(0) == min(20 * 3, 100 * 1)
    wide = linear((3, 100), (1, 2), 5)
    assert wide.depth(0) == 3 * 20


@settings(deadline=None, max_examples=20)
@given(st.data())
def test_tables(data: st.DataObject) -> None:
    """Any banks for the classes of any lattice; the record gives the layout back."""
    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(rank))
    index = data.draw(st.sampled_from([2, 3, 4, 6, 8, 9, 12]))
    classes = LatticeLayout.of_hnf(shape, data.draw(st.sampled_from(list(hermite_forms(rank, index)))))
    banks = data.draw(st.integers(1, min(index, 5)))
    table = [*range(banks), *(data.draw(st.integers(0, banks - 1)) for _ in range(index - banks))]
    layout = TableLayout(classes, tuple(data.draw(st.permutations(table))))
    assert_sound(layout)
    assert layout.banks == banks
    assert sum(layout.depth(b) for b in range(banks)) == index * classes.depth(0)
    assert layout_from(shape, banking_map(layout.mapping.to_json())) == layout


def test_a_table_of_single_elements_whose_numbers_wrap() -> None:
    """Each element is a class of its own, but 5 x0 + 4 x1 passes 12: the bank takes the remainder."""
    classes = LatticeLayout.of_hnf((2, 3), ((4, 1), (0, 3)))
    layout = TableLayout(classes, (0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0))
    assert layout.words == 1 and sum(a * n for a, n in zip(classes.alphas[0], (1, 2), strict=True)) >= 12
    assert_sound(layout)
