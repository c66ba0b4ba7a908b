"""Published and twice-computed numbers: the decomposition of well-known tiled kernels."""

from __future__ import annotations

import pytest
from mars_nests import (
    GEMM,
    HEAT_3D,
    JACOBI_1D,
    JACOBI_2D,
    NINE_POINT,
    SEIDEL_2D,
    SMITH_WATERMAN,
    access,
    form,
    only,
    solve,
    stencil,
)

from hlspart.mars.layouts import Layouts
from hlspart.model.access import Affine
from hlspart.model.mars import NestAccess, TileForm

FLOW = [
    (JACOBI_1D, [form(64, t=1, i=1), form(64, t=1, i=-1)], (4, 7, 126, 129, 64, 65, 3)),
    (JACOBI_1D, [form(16, t=1), form(16, t=1, i=1)], (3, 4, 46, 48, 16, 16, 3)),
    (SMITH_WATERMAN, [form(100, i=1, j=1), form(100, j=1)], (4, 6, 298, 300, 199, 200, 3)),
    (JACOBI_2D, [form(10, t=1), form(10, t=1, i=1), form(10, t=1, j=1)], (13, 28, 424, 509, 100, 120, 10)),
    (NINE_POINT, [form(4, t=1), form(8, t=1, i=1), form(8, t=1, j=1)], (7, 14, 148, 208, 32, 40, 7)),
]


@pytest.mark.parametrize(("nest", "tiling", "expected"), FLOW)
def test_flow_table(nest: list[NestAccess], tiling: list[TileForm], expected: tuple[int, ...]) -> None:
    found = only(solve(nest, tiling, check=True), "A", "flow")
    assert found.bursts is not None and found.optimal and found.bursts.write == 1
    out, into = found.flow_out, found.flow_in
    row_write, row_read = found.bursts.row_major_write, found.bursts.row_major_read
    assert (out.mars, into.mars, out.words, into.words, row_write, row_read, found.bursts.read) == expected
    assert dict(found.checks) == {"irredundant": True, "complete": True, "atomic": True, "maximal": True}


def test_gemm() -> None:
    found = solve(GEMM, [form(10, i=1), form(20, j=1), form(20, k=1)])
    flow = only(found, "C", "flow")
    assert (flow.flow_out.mars, flow.flow_in.mars, flow.flow_out.words, flow.flow_in.words) == (1, 1, 200, 200)
    assert flow.bursts is not None
    assert (flow.bursts.row_major_write, flow.bursts.row_major_read, flow.bursts.read) == (10, 10, 1)
    inputs = [only(found, "A", "input"), only(found, "B", "input"), only(found, "C", "input", boundary=True)]
    assert [[m.size for m in a.sets] for a in inputs] == [[200], [400], [200]]
    total = [b for a in inputs if (b := a.bursts)]
    assert sum(b.read for b in total) + flow.bursts.write == 4
    assert sum(b.row_major_read for b in total) + flow.bursts.row_major_write == 50


def jacobi_inputs() -> list[NestAccess]:
    domain = "1 <= t < 1000 and 1 <= i < 999"
    reads = [access(k, "A", "read", "t,i", domain, f"t-1,i{d:+d}") for k, d in enumerate((-1, 0, 1))]
    return [*reads, access(3, "B", "write", "t,i", domain, "t,i")]


@pytest.mark.parametrize("size", [4, 6, 8])
def test_diamond_footprint(size: int) -> None:
    """Seven consumers, eleven sets: six single, four of s-2, one of (s-2)^2/2; four inside the tile, seven flow in."""
    tiling = [form(size, t=1, i=1), form(size, t=1, i=-1)]
    found = only(solve(jacobi_inputs(), tiling), "A", "input")
    assert found.consumers == 7
    assert found.footprint == size * size // 2 + 2 * size
    assert sorted(m.size for m in found.sets) == sorted([1] * 6 + [size - 2] * 4 + [(size - 2) ** 2 // 2])
    flow = only(solve(JACOBI_1D, tiling), "A", "flow")
    assert (flow.flow_out.mars, flow.flow_in.mars, flow.flow_in.words) == (4, 7, 2 * size + 1)
    assert flow.footprint == found.footprint


def test_smallest_diamond() -> None:
    tiling = [form(2, t=1, i=1), form(2, t=1, i=-1)]
    found = only(solve(jacobi_inputs(), tiling), "A", "input")
    assert (found.consumers, len(found.sets)) == (7, 6)
    flow = only(solve(JACOBI_1D, tiling), "A", "flow")
    assert (flow.flow_out.mars, flow.flow_in.mars) == (2, 5)


def column(size: int) -> Layouts:
    domain = "0 <= i < 100 and 0 <= j < 100"
    nest = [access(0, "A", "read", "i,j", domain, "i"), access(1, "Y", "write", "i,j", domain, "i,j")]
    return solve(nest, [form(size, i=1, j=1), form(size, j=1, i=-1)])


@pytest.mark.parametrize(("size", "sizes"), [(2, [1]), (4, [1, 1, 1]), (6, [1, 2, 2]), (8, [1, 3, 3])])
def test_one_affine_access(size: int, sizes: list[int]) -> None:
    assert sorted(m.size for m in only(column(size), "A", "input").sets) == sizes


def test_odd_diamond_has_two_residue_classes() -> None:
    first, second = (a for a in column(3).arrays if a.name == "A")
    assert first.residue_classes == second.residue_classes == 2
    assert [m.size for m in first.sets] == [1, 1, 1] and [m.size for m in second.sets] == [1, 1]
    # the parity of the difference of the tile coordinates tells the classes apart
    assert sum(first.residue) % 2 != sum(second.residue) % 2


def test_blocked_matrix_product() -> None:
    domain = "0 <= i < 16 and 0 <= j < 16 and 0 <= k < 16"
    nest = [access(0, "A", "read", "i,j,k", domain, "i,k"), access(1, "C", "write", "i,j,k", domain, "i,j")]
    found = solve(nest, [form(4, i=1), form(4, j=1), form(4, k=1)], enumerate=True)
    record = only(found, "A", "input")
    assert record.bursts is not None
    assert (record.bursts.row_major_read, record.bursts.read) == (4, 1)
    assert [s.size for s in found.actual if s.array == "A"] == [16] * 16


def test_three_point_stencil_with_borders() -> None:
    nest = [access(k, "A", "read", "i", "1 <= i <= 30", f"i{k - 1:+d}") for k in range(3)]
    found = solve(nest, [form(8, i=1)], enumerate=True)
    assert [m.size for m in only(found, "A", "input").sets] == [2, 6, 2]
    assert [s.size for s in found.actual] == [7, 2, 6, 2, 6, 2, 7]
    assert [len(s.consumers) for s in found.actual] == [1, 2, 1, 2, 1, 2, 1]


def test_hyperplane_with_a_constant() -> None:
    """Tiles of eight from i = 1 on: 1..8, 9..16, 17..24, 25..30."""
    nest = [access(k, "A", "read", "i", "1 <= i <= 30", f"i{k - 1:+d}") for k in range(3)]
    plane = TileForm(Affine.of({"i": 1}, -1), 8, "i-1")
    assert [s.size for s in solve(nest, [plane], enumerate=True).actual] == [8, 2, 6, 2, 6, 2, 6]


def test_five_point_stencil() -> None:
    cross = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
    domain = "1 <= i <= 30 and 1 <= j <= 30"
    nest = [access(k, "A", "read", "i,j", domain, f"i{a:+d},j{b:+d}") for k, (a, b) in enumerate(cross)]
    found = only(solve(nest, [form(4, i=1), form(4, j=1)]), "A", "input")
    assert (found.footprint, found.consumers, len(found.sets)) == (32, 9, 17)
    assert [m.size for m in found.sets].count(1) == 12


def test_incommensurate_sizes_fragment() -> None:
    nest = [access(0, "x", "read", "i,k", "0 <= i < 60 and 0 <= k < 60", "i+k")]
    assert [m.size for m in only(solve(nest, [form(4, i=1), form(3, k=1)]), "x", "input").sets] == [1] * 6
    assert [m.size for m in only(solve(nest, [form(4, i=1), form(4, k=1)]), "x", "input").sets] == [3, 1, 3]


def test_advice_on_sizes() -> None:
    nest = [access(0, "x", "read", "i,k", "0 <= i < 60 and 0 <= k < 60", "i+k")]
    (note,) = solve(nest, [form(4, i=1), form(3, k=1)]).notes
    assert "i:4,k:4 gives x 3 MARS instead of 6" in note
    assert solve(nest, [form(4, i=1), form(4, k=1)]).notes == ()
    assert "one class of tiles instead of 2" in column(3).notes[0]


def test_different_null_spaces_are_refused() -> None:
    domain = "0 <= i < 99 and 0 <= j < 99"
    nest = [access(0, "A", "read", "i,j", domain, "i-j"), access(1, "A", "read", "i,j", domain, "i+j")]
    found = only(solve(nest, [form(4, i=1), form(4, j=1)]), "A", "input")
    assert not found.accepted and found.rejection is not None and found.reason is not None
    assert found.rejection.accesses == ("A[i-j]", "A[i+j]")
    assert found.rejection.null_spaces == (((1, 1),), ((1, -1),))
    assert len(set(found.rejection.footprints)) == 2
    assert "A[i-j] (line 1" in found.reason and "A[i+j] (line 2" in found.reason


@pytest.mark.parametrize(("second", "sizes"), [("2i", (6, 6)), ("2i+1", (6, 8))])
def test_equal_null_spaces_are_not_enough(second: str, sizes: tuple[int, int]) -> None:
    """The same null space {0} of i and 2i does not make footprints translates of each other."""
    nest = [access(0, "A", "read", "i", "0 <= i < 99", "i"), access(1, "A", "read", "i", "0 <= i < 99", second)]
    found = only(solve(nest, [form(4, i=1)]), "A", "input")
    assert not found.accepted and found.rejection is not None
    assert found.rejection.null_spaces == ((), ())
    if second == "2i+1":
        assert found.rejection.tiles == ((0,), (1,)) and found.rejection.footprints == sizes
    else:
        assert found.rejection.footprints == (6, 8) or found.rejection.footprints[0] != found.rejection.footprints[1]


def test_enumeration_answers_where_no_layout_exists() -> None:
    domain = "0 <= i < 12"
    nest = [access(0, "A", "read", "i", domain, "i"), access(1, "A", "read", "i", domain, "2i")]
    found = solve(nest, [form(4, i=1)], enumerate=True)
    assert not only(found, "A", "input").accepted
    touched = {t: set(range(4 * t, 4 * t + 4)) | {2 * i for i in range(4 * t, 4 * t + 4)} for t in range(3)}
    expected: dict[tuple[int, ...], int] = {}
    for x in set().union(*touched.values()):
        users = tuple(t for t in touched if x in touched[t])
        expected[users] = expected.get(users, 0) + 1
    assert {tuple(c[0] for c in s.consumers): s.size for s in found.actual} == expected


def test_illegal_tiling_names_the_dependence() -> None:
    found = solve(JACOBI_1D, [form(8, t=1), form(8, i=1)])
    assert found.violations
    text = str(found.violations[0])
    assert "hyperplane i decreases by 1" in text and "line 3" in text
    assert not only(found, "A", "flow").accepted


def test_seidel_order_is_minimal() -> None:
    found = only(solve(SEIDEL_2D, [form(4, t=1), form(10, t=1, i=1), form(10, t=4, i=2, j=1)]), "A", "flow")
    assert found.bursts is not None and found.optimal
    assert (found.flow_out.mars, found.flow_in.mars, found.bursts.read) == (13, 33, 10)


def test_heat_order_has_a_bound_without_the_solver_and_a_proof_with_it() -> None:
    tiling = [form(4, t=1), form(6, t=1, i=1), form(6, t=1, j=1), form(6, t=1, k=1)]
    plain = only(solve(HEAT_3D, tiling, exact=False), "A", "flow")
    assert plain.bursts is not None and plain.method == "2-opt"
    assert plain.bursts.read_bound <= 35 <= plain.bursts.read
    assert (plain.flow_out.mars, plain.flow_in.mars) == (47, 133)
    pytest.importorskip("highspy")
    proved = only(solve(HEAT_3D, tiling), "A", "flow")
    assert proved.bursts is not None and proved.optimal and proved.bursts.read == 35


def test_strides_lengthen_the_period() -> None:
    """A checkerboard guard with odd sizes: tiles repeat every second tile along the diagonal."""
    domain = "0 <= i < 99 and 0 <= j < 99 and (i + j) mod 2 = 0"
    nest = [access(0, "A", "read", "i,j", domain, "i,j"), access(1, "A", "read", "i,j", domain, "i,j+1")]
    found = [a for a in solve(nest, [form(3, i=1), form(3, j=1)]).arrays if a.kind == "input"]
    assert [a.residue_classes for a in found] == [2, 2]
    assert sorted(a.footprint for a in found) == [8, 10]


def test_padding_is_shown() -> None:
    found = only(solve(JACOBI_1D, [form(8, t=1, i=1), form(8, t=1, i=-1)]), "A", "flow")
    assert (found.flow_out.words, found.block, found.padding) == (14, 16, 2)


def test_guards_that_split_the_nest_are_refused() -> None:
    below = access(0, "A", "read", "i,j", "0 <= i < 50 and 0 <= j < i", "i,j")
    above = access(1, "A", "read", "i,j", "0 <= i < 50 and i <= j < 50", "j,i")
    found = solve([below, above], [form(4, i=1), form(4, j=1)])
    assert all(not a.accepted for a in found.arrays) and len(found.arrays) == 1


def test_read_of_later_elements_is_input() -> None:
    """x[i] = x[i-1] + x[i+1] in one sweep: the right neighbour still has its value from before the nest."""
    nest = [
        access(0, "x", "read", "i", "1 <= i < 99", "i-1"),
        access(1, "x", "read", "i", "1 <= i < 99", "i+1"),
        access(2, "x", "write", "i", "1 <= i < 99", "i"),
    ]
    found = solve(nest, [form(8, i=1)])
    assert [m.size for m in only(found, "x", "input").sets] == [8]
    assert [m.size for m in only(found, "x", "flow").sets] == [1]


def test_stencil_helper_is_single_assignment() -> None:
    assert [a.kind for a in stencil("t,i", [(-1, 0)], "1 <= t < 9 and 0 <= i < 9")] == ["read", "write"]
